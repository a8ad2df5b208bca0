"""Measure how settings change a score, on real text: tables and pictures.

    python benchmarks/choices.py --features FOLDER --out docs/images

The folder holds features of every source, as ``benchmarks/features.py`` and ``mauve embed``
make them: ``human.npy`` and systems, or ``KIND-human.npy`` and ``KIND-SYSTEM.npy``. Each
``--part`` answers one question of docs/choices.md; those about quantizers are in
``benchmarks/quantizers.py``. *Plug-in* is the estimate of the paper: relative frequencies of all
texts under the best of five clusterings fitted on all of them.
"""

import argparse
import os
import platform
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy
from accuracy import pairs_of_text
from scipy.stats import spearmanr

from mauve import compare
from mauve.comparison.paper import result_from_counts
from mauve.comparison.results import MauveResult
from mauve.frontier.curve import area
from mauve.frontier.histogram import count_labels
from mauve.quantize.crossfit import pool_by_content
from mauve.quantize.kmeans import Centres, KMeans
from mauve.quantize.reduce import ORDERS, reduce_features
from mauve.threads import parallel_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Sets = dict[str, dict[str, np.ndarray]]  # features by set, then by source, "human" among them
Scores = dict[str, float]  # by system

NUM_BUCKETS = (10, 25, 50, 100, 250, 500, 1000, 2000, 5000)
SCALINGS = (1, 2, 3, 5, 7, 10, 15, 20)
SIZES = (100, 200, 300, 500, 700, 1000)
# Okabe and Ito's colours, which the colour-blind can distinguish, and a marker each.
STYLES = tuple(
    zip(
        ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"),
        "os^Dv*P",
        strict=True,
    )
)


@dataclass(frozen=True)
class FixedKMeans(KMeans):
    """k-means with a fixed number of buckets, which `compare` then does not limit."""

    num_buckets: int = 100


def sets_of_text(folder: Path) -> Sets:
    """Return the sources by set: those that share their human texts."""
    sets: Sets = {}
    for name, (human, features) in pairs_of_text(folder).items():
        kind = name.partition("-")[0] if "-" in name else "decoders"
        sets.setdefault(kind, {"human": human})[name] = features
    return sets


def groups_of(sets: Sets) -> dict[str, list[str]]:
    """Return the names of all systems, and those of each set."""
    by_set = {kind: [n for n in sources if n != "human"] for kind, sources in sets.items()}
    together = [name for names in by_set.values() for name in names]
    named = {f"{kind} ({len(names)})": names for kind, names in by_set.items()}
    return {f"all ({len(together)})": together} | named


def ours(
    sources: Mapping[str, np.ndarray], n_permutations: int = 0, **settings: object
) -> dict[str, MauveResult]:
    """Compare all systems of a set with its human texts."""
    systems = {name: features for name, features in sources.items() if name != "human"}
    return dict(compare(sources["human"], systems, n_permutations=n_permutations, **settings))


def scores(results: Mapping[str, MauveResult]) -> Scores:
    """Return the scores alone."""
    return {name: result.mauve for name, result in results.items()}


def plugin(sources: Mapping[str, np.ndarray], k: int, seed: int = 0) -> Scores:
    """Return the paper's estimate for all systems of a set, clustered together."""
    features, _, position = pool_by_content(list(sources.values()))
    reduced, _ = reduce_features(features)
    runs = parallel_map(
        lambda run: KMeans().fit(reduced, k, np.random.default_rng([seed, run])), range(5)
    )
    labels = min(runs, key=_objective).assign(reduced)[position]
    ends = np.cumsum([len(sample) for sample in sources.values()])[:-1]
    counts = [count_labels(sample, k) for sample in np.split(labels, ends)]
    p = counts[list(sources).index("human")]
    named = zip(sources, counts, strict=True)
    return {name: result_from_counts(p, q).mauve for name, q in named if name != "human"}


def _objective(run: Centres) -> float:
    return float(run.objective)


def spearman(one: Scores, two: Scores) -> float:
    """Return the rank correlation; systems with equal scores share their ranks."""
    names = list(one)
    return float(spearmanr([one[n] for n in names], [two[n] for n in names]).statistic)


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> None:
    """Print a Markdown table, each row as soon as it is computed."""
    names = list(head)
    print("\n| " + " | ".join(map(str, names)) + " |\n" + "|---" * len(names) + "|")
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
        print("| " + " | ".join(cells) + " |", flush=True)


def new_figure(height: float) -> "Figure":
    """Return an empty figure; only pictures need matplotlib."""
    from matplotlib.figure import Figure

    return Figure(figsize=(7.6, height), layout="constrained")


def lines(axes: "Axes", x: Iterable[float], by_system: Mapping[str, Iterable[float]]) -> None:
    """Draw one line for each system, without points that are NaN."""
    for (name, y), (colour, marker) in zip(by_system.items(), STYLES, strict=False):
        axes.plot(list(x), list(y), color=colour, marker=marker, markersize=5, label=name)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.25)


def grid(
    panels_of: Mapping[tuple[str, str], tuple[Iterable[float], Mapping[str, Iterable[float]]]],
    xlabel: str,
    ticks: tuple[int, ...],
    path: Path,
) -> None:
    """Draw panels by row and column, a legend right of each row, x on a log scale."""
    rows, columns = (list(dict.fromkeys(key[i] for key in panels_of)) for i in (0, 1))
    figure = new_figure(0.6 + 2.7 * len(rows))
    panels = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for (row, column), (x, by_system) in panels_of.items():
        axes = panels[rows.index(row), columns.index(column)]
        lines(axes, x, by_system)
        axes.set(title=f"{row}, {column}" if len(rows) > 1 else column, xscale="log")
        axes.title.set_fontsize("medium")
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], fontsize="small")
        axes.minorticks_off()
    for row_of_panels in panels:
        row_of_panels[0].set_ylabel("MAUVE")
        row_of_panels[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    for axes in panels[-1]:
        axes.set_xlabel(xlabel)
    figure.savefig(path, dpi=120)


def part_k(sets: Sets, out: Path) -> None:
    """Every system's score against the number of buckets (the paper's figure 8, left)."""
    panels: dict[tuple[str, str], tuple[tuple[int, ...], dict[str, list[float]]]] = {}
    for estimate in ("plug-in", "compare"):
        by_system: dict[str, list[float]] = {}
        for kind, sources in sets.items():
            for k in NUM_BUCKETS:
                n_fitted = sum(map(len, sources.values())) * (1 if estimate == "plug-in" else 0.4)
                by_name = dict.fromkeys([n for n in sources if n != "human"], float("nan"))
                if k < 0.99 * n_fitted and estimate == "plug-in":
                    by_name = plugin(sources, k)
                elif k < 0.99 * n_fitted:
                    quantizer = FixedKMeans(num_buckets=k)
                    by_name = scores(ours(sources, quantizer=quantizer, n_clusterings=10))
                for name, score in by_name.items():
                    by_system.setdefault(name, []).append(score)
            row = "decoders" if kind == "decoders" else "essays, stories"
            panel = panels.setdefault((row, estimate), (NUM_BUCKETS, {}))[1]
            panel.update({n: s for n, s in by_system.items() if n in sources})
        table(
            [f"{estimate}, k =", *(f"{k:,}" for k in NUM_BUCKETS)],
            ([n, *("" if np.isnan(x) else x for x in s)] for n, s in by_system.items()),
        )
        table(
            [f"Spearman with k = 100, {estimate}", *(f"{k:,}" for k in NUM_BUCKETS)],
            ([group, *_with_100(by_system, names)] for group, names in groups_of(sets).items()),
        )
    panels = dict(sorted(panels.items(), key=lambda panel: panel[0][0]))
    grid(panels, "buckets k", (10, 100, 1000, 5000), out / "choices-k.png")


def _with_100(by_system: Mapping[str, list[float]], names: list[str]) -> list[object]:
    """Return the rank correlation of every k with k = 100 over some systems."""
    by_k = [{name: by_system[name][i] for name in names} for i in range(len(NUM_BUCKETS))]
    rho = (spearman(at_k, by_k[NUM_BUCKETS.index(100)]) for at_k in by_k)
    return ["" if np.isnan(x) else x for x in rho]


def part_c(sets: Sets, out: Path) -> None:
    """Every system's score against the scaling constant (figure 4, right)."""
    by_row: dict[str, dict[str, list[float]]] = {}
    for kind, sources in sets.items():
        row = "decoders" if kind == "decoders" else "essays, stories"
        for c in SCALINGS:
            for name, score in scores(ours(sources, scaling=c, n_clusterings=10)).items():
                by_row.setdefault(row, {}).setdefault(name, []).append(score)
    joined = {name: s for by_name in by_row.values() for name, s in by_name.items()}
    table(["c =", *SCALINGS], ([n, *s] for n, s in joined.items()))
    at_5 = {n: s[SCALINGS.index(5)] for n, s in joined.items()}
    for i, c in enumerate(SCALINGS):
        rho = spearman({n: s[i] for n, s in joined.items()}, at_5)
        swaps = sum((joined[a][i] - joined[b][i]) * (at_5[a] - at_5[b]) < 0
                    for a, b in combinations(joined, 2))  # fmt: skip
        print(f"c = {c}: Spearman with c = 5 {rho:.3f}, {swaps} pairs of systems swapped")
    rng = np.random.default_rng(0)
    drawn = [rng.dirichlet(np.full(3, rng.uniform(0.1, 3)), size=2) for _ in range(300)]
    low, high = (np.array([float(area(p, q, scaling=c)) for p, q in drawn]) for c in (1, 5))
    swapped = ((low[:, None] - low) * (high[:, None] - high) < 0).sum() // 2
    print(
        f"Random histograms of three buckets: {swapped} of {300 * 299 // 2} pairs swap, c = 1 to 5"
    )
    figure = new_figure(4.2)
    for axes, (row, by) in zip(figure.subplots(1, 2, sharey=True), by_row.items(), strict=True):
        lines(axes, SCALINGS, by)
        axes.set(title=row, xlabel="scaling c")
        axes.axvline(5, color="grey", linestyle=":", zorder=0)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, frameon=False)
    figure.axes[0].set_ylabel("MAUVE")
    figure.savefig(out / "choices-c.png", dpi=120)


def part_n(sets: Sets, out: Path) -> None:
    """Scores of random subsets against their size, k = n/10 and k = 25 (figure 7)."""
    panels: dict[tuple[str, str], tuple[tuple[int, ...], dict[str, list[float]]]] = {}
    for rule, num_buckets in (("k = n/10", lambda n: n // 10), ("k = 25", lambda n: 25)):
        for estimate in ("plug-in", "compare"):
            mean: dict[str, list[float]] = {}
            spread: dict[str, list[float]] = {}
            for sources in sets.values():
                for n in SIZES:
                    drawn = [
                        _draw(sources, n, i, num_buckets(n), estimate)
                        for i in range(8 if n < 700 else 4)
                    ]
                    for name in drawn[0]:
                        values = [subset[name] for subset in drawn]
                        mean.setdefault(name, []).append(float(np.mean(values)))
                        spread.setdefault(name, []).append(float(np.std(values, ddof=1)))
            panels[rule, estimate] = (
                SIZES,
                {n: s for n, s in mean.items() if n in sets["decoders"]},
            )
            rows = [[n, *s, f"{s[0] - s[-1]:+.3f}"] for n, s in mean.items()]
            average = [float(np.mean([s[i] for s in mean.values()])) for i in range(len(SIZES))]
            change = float(np.mean([abs(s[0] - s[-1]) for s in mean.values()]))
            rows.append(["**mean**", *average, f"{change:.3f} in size"])
            noise = [float(np.mean([s[i] for s in spread.values()])) for i in range(len(SIZES) - 1)]
            rows.append(["mean s.d. over subsets", *noise, "", ""])
            head = [f"{estimate}, {rule}, n =", *(f"{n:,}" for n in SIZES), "100 less 1,000"]
            table(head, rows)
    grid(panels, "texts per sample n", (100, 200, 500, 1000), out / "choices-n.png")


def _draw(sources: Mapping[str, np.ndarray], n: int, draw: int, k: int, estimate: str) -> Scores:
    rng = np.random.default_rng([n, draw])
    part = {name: rows[rng.permutation(len(rows))[:n]] for name, rows in sources.items()}
    if estimate == "plug-in":
        return plugin(part, k, draw)
    return scores(ours(part, num_buckets=k, n_clusterings=10, seed=draw))


def part_reduction(sets: Sets, out: Path) -> None:
    """Share of the variance that is kept, and the order of norm and projection."""
    del out
    default: Scores = {}

    def rows() -> Iterable[list[object]]:
        for order, share in [(o, s) for o in ORDERS for s in (0.9, 0.5, 0.8, 0.95, 0.99, 1.0)]:
            start, seeds, width, results = time.perf_counter(), [], [], {}
            for seed in range(3):
                results = {
                    name: result
                    for sources in sets.values()
                    for name, result in ours(
                        sources, order=order, explained_variance=share, n_clusterings=10, seed=seed
                    ).items()
                }
                seeds.append(scores(results))
                width += [high - low for low, high in (r.interval for r in results.values())]
            mean = {name: float(np.mean([s[name] for s in seeds])) for name in results}
            default.update({} if default else mean)
            noise = np.mean([np.std([s[name] for s in seeds], ddof=1) for name in results])
            change = np.mean([abs(mean[name] - default[name]) for name in results])
            dims = [reduce_features(pool_by_content(list(s.values()))[0], explained_variance=share,
                                    order=order)[0].shape[1] for s in sets.values()]  # fmt: skip
            yield [order, f"{share:g}", "/".join(map(str, dims)),
                   float(np.mean(list(mean.values()))),
                   float(change), f"{noise:.4f}", float(np.mean(width)), spearman(mean, default),
                   f"{time.perf_counter() - start:.1f}"]  # fmt: skip

    table(["order", "share", "dimensions (" + "/".join(sets) + ")", "mean score",
           "mean change from default", "seed s.d.", "width", "Spearman with default", "s"],
          rows())  # fmt: skip


def part_clusterings(sets: Sets, out: Path) -> None:
    """Spread over five seeds, width and time for growing numbers of clusterings."""
    del out
    base: list[float] = []

    def rows() -> Iterable[list[object]]:
        for number in (5, 10, 20, 40):
            start, by_seed = time.perf_counter(), []
            for seed in range(5):
                by_set = [ours(s, n_clusterings=number, seed=seed) for s in sets.values()]
                by_seed.append({name: r for results in by_set for name, r in results.items()})
            seconds = time.perf_counter() - start
            base.append(seconds)
            spread = {n: float(np.std([f[n].mauve for f in by_seed], ddof=1)) for n in by_seed[0]}
            width = np.mean([f[n].interval[1] - f[n].interval[0] for f in by_seed for n in f])
            rho = [spearman(scores(a), scores(b)) for a, b in combinations(by_seed, 2)]
            yield [number, f"{np.mean(list(spread.values())):.4f}", f"{max(spread.values()):.4f}",
                   float(width), float(min(rho)), f"{seconds / base[0]:.1f}"]  # fmt: skip

    table(["clusterings", "mean seed s.d.", "largest seed s.d.", "mean width of interval",
           "least Spearman of two seeds", "time, x that of 5"], rows())  # fmt: skip


def print_sources(sets: Sets) -> None:
    """Print what this runs on, and the number of texts of each source."""
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
          f"{os.cpu_count()} cores")  # fmt: skip
    for kind, sources in sets.items():
        print(f"{kind}: " + ", ".join(f"{name} {len(rows)}" for name, rows in sources.items()))


def main() -> None:
    """Print and draw all parts, or one."""
    warnings.simplefilter("ignore")
    parts = {"k": part_k, "c": part_c, "n": part_n, "reduction": part_reduction,
             "clusterings": part_clusterings}  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("."), help="folder for pictures")
    parser.add_argument("--part", choices=parts)
    args = parser.parse_args()
    sets = sets_of_text(args.features)
    print_sources(sets)
    for name, part in parts.items():
        if args.part in (None, name):
            print(f"\n## {name}", flush=True)
            part(sets, args.out)


if __name__ == "__main__":
    main()
