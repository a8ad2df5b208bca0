"""What the choices behind a score do to it, on real text: tables and pictures.

    python benchmarks/quantizers.py --features FOLDER --out docs/images

The folder holds features of every source, as ``benchmarks/features.py`` and ``mauve embed``
make them: ``human.npy`` and systems, or ``KIND-human.npy`` and ``KIND-SYSTEM.npy``. Printed and
drawn are the questions of docs/choices.md, one ``--part`` each. *Plug-in* is the estimate of the
paper: relative frequencies of all texts under the best of five clusterings fitted on all of them.
"""

import argparse
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy
from accuracy import pairs_of_text
from coverage import PAIRS, true_score
from scipy.stats import spearmanr
from simulate import text_like

from mauve import compare
from mauve.comparison.paper import result_from_counts
from mauve.comparison.results import MauveResult
from mauve.frontier.curve import area
from mauve.frontier.histogram import count_labels
from mauve.quantize.keys import pool_by_content
from mauve.quantize.kmeans import Centres, KMeans
from mauve.quantize.protocol import Quantizer
from mauve.quantize.reduce import ORDERS, reduce_features
from mauve.threads import parallel_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Sets = dict[str, dict[str, np.ndarray]]  # features by set, then by source, "human" among them
Scores = dict[str, float]  # by system

CELLS = (10, 25, 50, 100, 250, 500, 1000, 2000, 5000)
SCALINGS = (1, 2, 3, 5, 7, 10, 15, 20)
SIZES = (100, 200, 300, 500, 700, 1000)
# Okabe and Ito's colours, which the colour-blind can tell apart, and a marker each.
STYLES = tuple(
    zip(
        ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"),
        "os^Dv*P",
        strict=True,
    )
)


@dataclass(frozen=True)
class FixedKMeans(KMeans):
    """k-means that states its number of cells, which `compare` then does not limit."""

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
    found = compare(sources["human"], systems, n_permutations=n_permutations, **settings)
    return dict(found.items())


def scores(found: Mapping[str, MauveResult]) -> Scores:
    """Return the scores alone."""
    return {name: result.mauve for name, result in found.items()}


def plugin(sources: Mapping[str, np.ndarray], k: int, seed: int = 0) -> Scores:
    """Return the paper's estimate for all systems of a set, clustered together."""
    features, _, position = pool_by_content(list(sources.values()))
    reduced, _ = reduce_features(features)
    runs = parallel_map(
        lambda run: KMeans().fit(reduced, k, np.random.default_rng([seed, run])), range(5)
    )
    labels = min(runs, key=_objective).assign(reduced)[position]
    ends = np.cumsum([len(own) for own in sources.values()])[:-1]
    counts = [count_labels(own, k) for own in np.split(labels, ends)]
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
    """Print a Markdown table, row by row as they are found."""
    names = list(head)
    print("\n| " + " | ".join(map(str, names)) + " |\n" + "|---" * len(names) + "|")
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
        print("| " + " | ".join(cells) + " |", flush=True)


def new_figure(height: float) -> "Figure":
    """Return an empty figure; the time alone needs no matplotlib."""
    from matplotlib.figure import Figure

    return Figure(figsize=(7.6, height), layout="constrained")


def lines(axes: "Axes", x: Iterable[float], by_system: Mapping[str, Iterable[float]]) -> None:
    """Draw one line a system; NaN where there is nothing."""
    for (name, y), (colour, marker) in zip(by_system.items(), STYLES, strict=False):
        axes.plot(list(x), list(y), color=colour, marker=marker, markersize=5, label=name)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.25)


def grid(
    shown: Mapping[tuple[str, str], tuple[Iterable[float], Mapping[str, Iterable[float]]]],
    xlabel: str,
    ticks: tuple[int, ...],
    path: Path,
) -> None:
    """Draw panels by row and column, a legend right of each row, x on a log scale."""
    rows, columns = (list(dict.fromkeys(key[i] for key in shown)) for i in (0, 1))
    figure = new_figure(0.6 + 2.7 * len(rows))
    panels = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for (row, column), (x, by_system) in shown.items():
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
    """Every system's score against the number of cells (the paper's figure 8, left)."""
    shown: dict[tuple[str, str], tuple[tuple[int, ...], dict[str, list[float]]]] = {}
    for estimate in ("plug-in", "compare"):
        found: dict[str, list[float]] = {}
        for kind, sources in sets.items():
            for k in CELLS:
                n_fitted = sum(map(len, sources.values())) * (1 if estimate == "plug-in" else 0.4)
                by_name = dict.fromkeys([n for n in sources if n != "human"], float("nan"))
                if k < 0.99 * n_fitted and estimate == "plug-in":
                    by_name = plugin(sources, k)
                elif k < 0.99 * n_fitted:
                    quantizer = FixedKMeans(num_buckets=k)
                    by_name = scores(ours(sources, quantizer=quantizer, n_clusterings=10))
                for name, score in by_name.items():
                    found.setdefault(name, []).append(score)
            row = "decoders" if kind == "decoders" else "essays, stories"
            panel = shown.setdefault((row, estimate), (CELLS, {}))[1]
            panel.update({n: s for n, s in found.items() if n in sources})
        table(
            [f"{estimate}, k =", *(f"{k:,}" for k in CELLS)],
            ([n, *("" if np.isnan(x) else x for x in s)] for n, s in found.items()),
        )
        table(
            [f"Spearman with k = 100, {estimate}", *(f"{k:,}" for k in CELLS)],
            ([group, *_with_100(found, names)] for group, names in groups_of(sets).items()),
        )
    shown = dict(sorted(shown.items(), key=lambda panel: panel[0][0]))
    grid(shown, "cells k", (10, 100, 1000, 5000), out / "choices-k.png")


def _with_100(found: Mapping[str, list[float]], names: list[str]) -> list[object]:
    """Return the rank correlation of every k with k = 100 over some systems."""
    ranks = [{name: found[name][i] for name in names} for i in range(len(CELLS))]
    rho = (spearman(own, ranks[CELLS.index(100)]) for own in ranks)
    return ["" if np.isnan(x) else x for x in rho]


def part_c(sets: Sets, out: Path) -> None:
    """Every system's score against the scaling constant (figure 4, right)."""
    found: dict[str, dict[str, list[float]]] = {}
    for kind, sources in sets.items():
        row = "decoders" if kind == "decoders" else "essays, stories"
        for c in SCALINGS:
            for name, score in scores(ours(sources, scaling=c, n_clusterings=10)).items():
                found.setdefault(row, {}).setdefault(name, []).append(score)
    joined = {name: s for by_name in found.values() for name, s in by_name.items()}
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
    print(f"Random histograms of three cells: {swapped} of {300 * 299 // 2} pairs swap, c = 1 to 5")
    figure = new_figure(4.2)
    for axes, (row, by) in zip(figure.subplots(1, 2, sharey=True), found.items(), strict=True):
        lines(axes, SCALINGS, by)
        axes.set(title=row, xlabel="scaling c")
        axes.axvline(5, color="grey", linestyle=":", zorder=0)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, frameon=False)
    figure.axes[0].set_ylabel("MAUVE")
    figure.savefig(out / "choices-c.png", dpi=120)


def part_n(sets: Sets, out: Path) -> None:
    """Scores of random subsets against their size, k = n/10 and k = 25 (figure 7)."""
    shown: dict[tuple[str, str], tuple[tuple[int, ...], dict[str, list[float]]]] = {}
    for rule, cells in (("k = n/10", lambda n: n // 10), ("k = 25", lambda n: 25)):
        for estimate in ("plug-in", "compare"):
            mean: dict[str, list[float]] = {}
            spread: dict[str, list[float]] = {}
            for sources in sets.values():
                for n in SIZES:
                    drawn = [
                        _draw(sources, n, i, cells(n), estimate) for i in range(8 if n < 700 else 4)
                    ]
                    for name in drawn[0]:
                        values = [one[name] for one in drawn]
                        mean.setdefault(name, []).append(float(np.mean(values)))
                        spread.setdefault(name, []).append(float(np.std(values, ddof=1)))
            shown[rule, estimate] = (
                SIZES,
                {n: s for n, s in mean.items() if n in sets["decoders"]},
            )
            rows = [[n, *s, f"{s[0] - s[-1]:+.3f}"] for n, s in mean.items()]
            average = [float(np.mean([s[i] for s in mean.values()])) for i in range(len(SIZES))]
            moved = float(np.mean([abs(s[0] - s[-1]) for s in mean.values()]))
            rows.append(["**mean**", *average, f"{moved:.3f} in size"])
            noise = [float(np.mean([s[i] for s in spread.values()])) for i in range(len(SIZES) - 1)]
            rows.append(["mean s.d. over subsets", *noise, "", ""])
            head = [f"{estimate}, {rule}, n =", *(f"{n:,}" for n in SIZES), "100 less 1,000"]
            table(head, rows)
    grid(shown, "texts a side n", (100, 200, 500, 1000), out / "choices-n.png")


def _draw(sources: Mapping[str, np.ndarray], n: int, draw: int, k: int, estimate: str) -> Scores:
    rng = np.random.default_rng([n, draw])
    part = {name: own[rng.permutation(len(own))[:n]] for name, own in sources.items()}
    if estimate == "plug-in":
        return plugin(part, k, draw)
    return scores(ours(part, num_buckets=k, n_clusterings=10, seed=draw))


def part_reduction(sets: Sets, out: Path) -> None:
    """Share of the variance that is kept, and the order of norm and projection."""
    del out
    default: Scores = {}

    def rows() -> Iterable[list[object]]:
        for order, share in [(o, s) for o in ORDERS for s in (0.9, 0.5, 0.8, 0.95, 0.99, 1.0)]:
            start, seeds, width, found = time.perf_counter(), [], [], {}
            for seed in range(3):
                found = {
                    name: result
                    for sources in sets.values()
                    for name, result in ours(
                        sources, order=order, explained_variance=share, n_clusterings=10, seed=seed
                    ).items()
                }
                seeds.append(scores(found))
                width += [high - low for low, high in (r.interval for r in found.values())]
            mean = {name: float(np.mean([s[name] for s in seeds])) for name in found}
            default.update({} if default else mean)
            noise = np.mean([np.std([s[name] for s in seeds], ddof=1) for name in found])
            moved = np.mean([abs(mean[name] - default[name]) for name in found])
            kept = [reduce_features(pool_by_content(list(s.values()))[0], explained_variance=share,
                                    order=order)[0].shape[1] for s in sets.values()]  # fmt: skip
            yield [order, f"{share:g}", "/".join(map(str, kept)),
                   float(np.mean(list(mean.values()))),
                   float(moved), f"{noise:.4f}", float(np.mean(width)), spearman(mean, default),
                   f"{time.perf_counter() - start:.1f}"]  # fmt: skip

    table(["order", "share", "dimensions (" + "/".join(sets) + ")", "mean score",
           "moves from default by", "seed s.d.", "width", "Spearman with default", "s"],
          rows())  # fmt: skip


def part_clusterings(sets: Sets, out: Path) -> None:
    """Spread over five seeds, width and time for growing numbers of clusterings."""
    del out
    base: list[float] = []

    def rows() -> Iterable[list[object]]:
        for number in (5, 10, 20, 40):
            start, found = time.perf_counter(), []
            for seed in range(5):
                one = [ours(s, n_clusterings=number, seed=seed) for s in sets.values()]
                found.append({name: r for by_name in one for name, r in by_name.items()})
            seconds = time.perf_counter() - start
            base.append(seconds)
            spread = {n: float(np.std([f[n].mauve for f in found], ddof=1)) for n in found[0]}
            width = np.mean([f[n].interval[1] - f[n].interval[0] for f in found for n in f])
            rho = [spearman(scores(a), scores(b)) for a, b in combinations(found, 2)]
            yield [number, f"{np.mean(list(spread.values())):.4f}", f"{max(spread.values()):.4f}",
                   float(width), float(min(rho)), f"{seconds / base[0]:.1f}"]  # fmt: skip

    table(["clusterings", "mean seed s.d.", "largest seed s.d.", "mean width of interval",
           "least Spearman of two seeds", "time, x that of 5"], rows())  # fmt: skip


def quantizers(device: str) -> dict[str, Quantizer]:
    """Return what is compared, by name; torch is loaded here."""
    from mauve.quantize.drmm import DRMM
    from mauve.quantize.lattice import Lattice

    return {
        **{f"k-means {k}": FixedKMeans(num_buckets=k) for k in (100, 250, 500, 1000)},
        "DRMM 125": DRMM(n_layers=3, n_components=5, device=device),
        "DRMM 1000": DRMM(n_layers=3, n_components=10, device=device),
        "lattice 744": Lattice(device=device),
    }


def part_quantizers(sets: Sets, out: Path, device: str) -> None:
    """Rankings of real text under every quantizer, and how well they agree."""
    found = agreement(sets, device)
    figure = new_figure(5.4)
    axes = figure.subplots()
    by_score = sorted(found["k-means 100"], key=lambda n: found["k-means 100"][n].mauve)
    for i, ((title, f), (colour, marker)) in enumerate(zip(found.items(), STYLES, strict=True)):
        height = np.arange(len(by_score)) + (3 - i) * 0.1
        ends = np.array([f[n].interval for n in by_score])
        axes.hlines(height, *ends.T, color=colour, linewidth=1.2)
        score = [f[n].mauve for n in by_score]
        axes.plot(score, height, marker, color=colour, markersize=4.5, label=title)
    for y in range(len(by_score) - 1):
        axes.axhline(y + 0.5, color="0.9", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(by_score)), by_score)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.5, len(by_score) - 0.5))
    axes.set_xlabel("MAUVE (compare) and its 95% interval")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(out / "choices-quantizers.png", dpi=120)


def part_truth(device: str) -> None:
    """Score against the truth for ever fewer texts a cell, on simulated text of 1,000 a side."""
    from mauve.quantize.drmm import DRMM
    from mauve.quantize.lattice import Lattice

    n, fresh = 1000, 20_000
    tried: dict[str, Quantizer] = {
        **{f"k-means {k}": FixedKMeans(num_buckets=k) for k in (25, 100, 200, 400, 700)},
        "DRMM 125": DRMM(n_components=5, device=device),
        "DRMM 512": DRMM(n_components=8, device=device),
        "lattice 744": Lattice(device=device),
    }

    def rows() -> Iterable[list[object]]:
        for name, (title, quantizer) in product(("near", "middle"), tried.items()):
            cases = []
            for case in range(4):
                rng = np.random.default_rng([n, case])
                human, model = PAIRS[name].human(n, rng), PAIRS[name].model(n, rng)
                found = compare(human, model, quantizer=quantizer, n_clusterings=5,
                                n_permutations=0, seed=case)  # fmt: skip
                truth = true_score(found.compared.clustering, name, quantizer.num_buckets, fresh)
                cases.append([truth, found["model"].mauve, found["model"].mauve_plugin])
            truth, score, naive = np.mean(cases, axis=0)
            per_cell = f"{0.6 * n / quantizer.num_buckets:.1f}"  # three of five blocks are counted
            yield [name, title, per_cell, float(truth), float(score), f"{score - truth:+.3f}",
                   float(naive), f"{naive - truth:+.3f}"]  # fmt: skip

    table(["pair", "quantizer", "counted texts a cell and side", "truth", "compare", "error",
           "plug-in", "error"], rows())  # fmt: skip


def agreement(sets: Sets, device: str) -> dict[str, dict[str, MauveResult]]:
    """Print scores under every quantizer and rank correlations; return the results."""
    found: dict[str, dict[str, MauveResult]] = {}
    for title, quantizer in quantizers(device).items():
        start, found[title] = time.perf_counter(), {}
        for sources in sets.values():
            found[title].update(
                ours(sources, quantizer=quantizer, n_clusterings=5, n_permutations=200)
            )
        seconds = time.perf_counter() - start
        print(f"{title}: {seconds:.0f} s for five clusterings of every set, with tests", flush=True)
    systems = list(found["k-means 100"])

    def cell(r: MauveResult) -> str:
        return f"{r.mauve:.3f} ({r.interval[0]:.3f} to {r.interval[1]:.3f})"

    table(["system", *found], ([n, *(cell(f[n]) for f in found.values())] for n in systems))
    table(["plug-in", *found], ([n, *(f[n].mauve_plugin for f in found.values())] for n in systems))
    for title, f in found.items():
        missed = [n for n in systems if f[n].p_value <= 0.05 and f[n].interval[1] > 0.9995]
        print(
            f"\n{title}: p <= 0.05, and yet the interval ends at 1: {', '.join(missed) or 'none'}"
        )
    fields: dict[str, Callable[[MauveResult], float]] = {
        "MAUVE": lambda r: r.mauve,
        "type I error": lambda r: -r.type_1,
        "type II error": lambda r: -r.type_2,
        "plug-in MAUVE": lambda r: r.mauve_plugin,
    }
    for what, field in fields.items():
        for group, names in groups_of(sets).items():
            by = {t: {n: field(f[n]) for n in names} for t, f in found.items()}
            rho = {(a, b): spearman(by[a], by[b]) for a, b in combinations(by, 2)}
            low = min(rho, key=lambda pair: rho[pair])
            print(f"\n{what}, {group}: least Spearman {rho[low]:.3f}, {low[0]} and {low[1]}")
            if what == "MAUVE" or len(names) == len(systems):
                table([f"Spearman, {what}, {group}", *by],
                      ([a, *(spearman(by[a], by[b]) for b in by)] for a in by))  # fmt: skip
    _swaps(found, sets)
    return found


def _swaps(found: Mapping[str, Mapping[str, MauveResult]], sets: Sets) -> None:
    """Print every pair of systems that some quantizers put in another order than others."""

    def rows() -> Iterable[list[object]]:
        for sources in sets.values():
            for a, b in combinations([n for n in sources if n != "human"], 2):
                first = [t for t, f in found.items() if f[a].mauve > f[b].mauve]
                if 0 < len(first) < len(found):
                    apart = [t for t, f in found.items()
                             if f[a].interval[0] > f[b].interval[1]
                             or f[b].interval[0] > f[a].interval[1]]  # fmt: skip
                    ahead = ", ".join(t for t in found if t not in first)
                    yield [a, b, ", ".join(first), ahead, ", ".join(apart) or "none"]

    table(["a", "b", "a ahead", "b ahead", "intervals apart under"], rows())


def part_time(device: str) -> None:
    """One fit of each quantizer at the paper's size, reduced and not."""
    rng = np.random.default_rng(0)
    halves = [text_like(5000, 1280, shift, rng) for shift in (0.0, 0.1)]
    start = time.perf_counter()
    reduced, _ = reduce_features(np.concatenate(halves))
    seconds = time.perf_counter() - start
    print(f"10,000 x 1,280 features; PCA keeps {reduced.shape[1]} in {seconds:.1f} s")
    whole = np.concatenate(halves)
    whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    if device != "cpu":
        import torch

        torch.ones(1, device=device)  # what starts up the device is not counted

    def rows() -> Iterable[list[object]]:
        for title, quantizer in quantizers(device).items():
            if title in ("k-means 250", "k-means 1000", "DRMM 125"):
                continue
            cells = [title, "CPU" if title.startswith("k-means") else device]
            for features in (reduced, whole):
                start, busy = time.perf_counter(), time.process_time()
                fitted = quantizer.fit(features, quantizer.num_buckets, np.random.default_rng(0))
                used = len(np.unique(fitted.assign(features)))
                cells.append(f"{time.perf_counter() - start:.1f}")
                cells.append(f"{time.process_time() - busy:.1f}")
            yield [*cells, used]

    table(["quantizer", "device", f"{reduced.shape[1]} dimensions, s", "of CPU",
           "1,280 dimensions, s", "of CPU", "cells used"], rows())  # fmt: skip


def versions(device: str) -> str:
    """Say on what this ran."""
    import torch

    card = torch.cuda.get_device_name(0) if device.startswith("cuda") else "no GPU"
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"torch {torch.__version__}, {os.cpu_count()} cores, {card}"
    )


def main() -> None:
    """Print and draw all parts, or one."""
    warnings.simplefilter("ignore")
    parts = {"k": part_k, "c": part_c, "n": part_n, "reduction": part_reduction,
             "clusterings": part_clusterings}  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=Path, help="not needed for --part truth and time")
    parser.add_argument("--device", default="cpu", help="for the DRMM and the lattice")
    parser.add_argument("--out", type=Path, default=Path("."), help="folder for pictures")
    parser.add_argument("--part", choices=[*parts, "quantizers", "truth", "time"])
    args = parser.parse_args()
    print(versions(args.device))
    sets = sets_of_text(args.features) if args.features else {}
    if not sets and args.part not in ("truth", "time"):
        parser.error("--features is needed")
    for kind, sources in sets.items():
        print(f"{kind}: " + ", ".join(f"{name} {len(own)}" for name, own in sources.items()))
    for name, part in parts.items():
        if args.part in (None, name):
            print(f"\n## {name}", flush=True)
            part(sets, args.out)
    if args.part in (None, "quantizers"):
        print("\n## quantizers", flush=True)
        part_quantizers(sets, args.out, args.device)
    for name, part in {"truth": part_truth, "time": part_time}.items():
        if args.part in (None, name):
            print(f"\n## {name}", flush=True)
            part(args.device)


if __name__ == "__main__":
    main()
