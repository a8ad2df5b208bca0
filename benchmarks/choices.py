"""Measure how settings change a score, on real text: tables and pictures.

    python benchmarks/choices.py --features FOLDER --out docs/images

The folder is that of ``benchmarks/systems.py``. Each ``--part`` answers one question of
docs/choices.md; those about quantizers are in ``benchmarks/quantizers.py``. *Compare* is
`mauve.compare` with its defaults, but for ten clusterings (``--clusterings``) and what a table
names; *by the classifier* is the second score of the same call. *Plug-in* is the estimate of the
paper, `mauve.compute_mauve`: relative frequencies of all texts of a pair under the best of five
clusterings that are fitted on all of them.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from systems import (
    Panels,
    Scores,
    Sets,
    Sources,
    by_classifier,
    grid,
    groups_of,
    lines,
    new_figure,
    ours_everywhere,
    plugin,
    print_sources,
    rows_of,
    scores,
    sets_of_text,
    spearman,
    table,
)

from mauve.comparison.results import MauveResult
from mauve.frontier.curve import area
from mauve.frontier.score import deviance_of
from mauve.quantize.reduce import ORDERS, OrderName, fit_reduction, scaled_rows

NUM_BUCKETS = (10, 16, 25, 50, 100)
PLUGIN_BUCKETS = (*NUM_BUCKETS, 250, 500)
PER_BUCKET = (4, 8, 16)  # texts that buckets are learnt from
SCALINGS = (1, 2, 3, 5, 7, 10, 15, 20)
SIZES = (100, 200, 300, 500, 1000)
COMPARABLE = 200  # texts from which on scores of different numbers mean the same


def part_k(sets: Sets, out: Path, args: argparse.Namespace) -> None:
    """Scores against the number of buckets and of the texts that they are learnt from."""
    names = [name for by_row in rows_of(sets).values() for name in by_row]
    n_all = min(len(rows) for sources in sets.values() for rows in sources.values())
    by_setting: dict[tuple[int, int], dict[str, MauveResult]] = {}
    for per_bucket in PER_BUCKET:
        columns = [k for k in NUM_BUCKETS if k * per_bucket <= n_all]
        for k in columns:
            by_setting[k, per_bucket] = ours_everywhere(
                sets, num_buckets=k, n_learning=k * per_bucket, n_clusterings=args.clusterings
            )
        table(
            [f"compare, {per_bucket} texts per bucket, k =", *columns],
            ([n, *(by_setting[k, per_bucket][n].mauve for k in columns)] for n in names),
        )
    _summarise_k(by_setting, groups_of(sets))
    by_k = [
        {n: s for sources in sets.values() for n, s in plugin(sources, k).items()}
        for k in PLUGIN_BUCKETS
    ]
    table(["plug-in, k =", *PLUGIN_BUCKETS], ([n, *(s[n] for s in by_k)] for n in names))
    panels: Panels = {}
    learnt = [k for k in NUM_BUCKETS if (k, 8) in by_setting]
    for row, of_row in rows_of(sets).items():
        panels[row, "plug-in"] = PLUGIN_BUCKETS, {n: [s[n] for s in by_k] for n in of_row}
        panels[row, "compare"] = (
            learnt, {n: [by_setting[k, 8][n].mauve for k in learnt] for n in of_row},
        )  # fmt: skip
    grid(panels, "buckets k", (10, 25, 100, 500), out / "choices-k.png")


def _summarise_k(
    by_setting: Mapping[tuple[int, int], Mapping[str, MauveResult]],
    groups: Mapping[str, list[str]],
) -> None:
    """Print means over the systems, and rank correlations with the default, for each setting."""
    default = scores(by_setting[25, 8])

    def rows() -> Iterable[list[object]]:
        for (k, per_bucket), results in by_setting.items():
            by_name, each = scores(results), results.values()
            counted = np.mean([r.n_model - k * per_bucket / 2 for r in each]) / k
            width = np.mean([r.interval[1] - r.interval[0] for r in each])
            from_one = np.median([deviance_of(r.mauve) / r.deviance_error for r in each])
            rho = (
                spearman({n: by_name[n] for n in names}, {n: default[n] for n in names})
                for names in groups.values()
            )
            yield [k, k * per_bucket, f"{counted:.1f}", float(np.mean([*by_name.values()])),
                   float(width), f"{from_one:.1f}", *rho]  # fmt: skip

    table(["k", "learnt from", "counted texts per bucket and sample", "mean score",
           "mean width of interval", "standard errors from 1, median",
           *(f"Spearman with default, {group}" for group in groups)], rows())  # fmt: skip


def part_c(sets: Sets, out: Path, args: argparse.Namespace) -> None:
    """Every system's score against the scaling constant (figure 4, right)."""
    by_c = [
        scores(ours_everywhere(sets, scaling=c, n_clusterings=args.clusterings)) for c in SCALINGS
    ]
    at_5 = by_c[SCALINGS.index(5)]
    table(["c =", *SCALINGS], ([n, *(s[n] for s in by_c)] for n in at_5))
    for c, at_c in zip(SCALINGS, by_c, strict=True):
        swaps = sum((at_c[a] - at_c[b]) * (at_5[a] - at_5[b]) < 0
                    for a, b in combinations(at_c, 2))  # fmt: skip
        rho = spearman(at_c, at_5)
        print(f"c = {c}: Spearman with c = 5 {rho:.3f}, {swaps} pairs of systems swapped")
    rng = np.random.default_rng(0)
    drawn = [rng.dirichlet(np.full(3, rng.uniform(0.1, 3)), size=2) for _ in range(300)]
    low, high = (np.array([float(area(p, q, scaling=c)) for p, q in drawn]) for c in (1, 5))
    swapped = ((low[:, None] - low) * (high[:, None] - high) < 0).sum() // 2
    print(
        f"Random histograms of three buckets: {swapped} of {300 * 299 // 2} pairs swap, c = 1 to 5"
    )
    figure = new_figure(4.2)
    of_rows = rows_of(sets)
    panels = figure.subplots(1, len(of_rows), sharey=True, squeeze=False)[0]
    for axes, (row, names) in zip(panels, of_rows.items(), strict=True):
        lines(axes, SCALINGS, {n: [s[n] for s in by_c] for n in names})
        axes.set(title=row, xlabel="scaling c")
        axes.axvline(5, color="grey", linestyle=":", zorder=0)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, frameon=False)
    panels[0].set_ylabel("MAUVE")
    figure.savefig(out / "choices-c.png", dpi=120)


#: Estimates whose drift with n is measured, by what the buckets are learnt from and their number.
DRIFTING: dict[tuple[str, str], dict[str, object]] = {
    ("compare", "k = 25"): {},  # the default; fewer buckets below 200 texts
    ("compare", "k = n/10"): {"num_buckets": "n/10"},
    ("joint clusterings", "k = 25"): {"clustering": "joint", "num_buckets": 25},
    ("joint clusterings", "k = n/10"): {"clustering": "joint"},
    ("plug-in", "k = 25"): {"num_buckets": 25},
    ("plug-in", "k = n/10"): {},
}


def part_n(sets: Sets, out: Path, args: argparse.Namespace) -> None:
    """Scores of random subsets against their size (figure 7), and their drift."""
    panels: Panels = {}
    means: dict[str, list[object]] = {}
    for (estimate, rule), settings in DRIFTING.items():
        by_size: list[dict[str, dict[str, list[float]]]] = []
        for n in SIZES:
            by_score: dict[str, dict[str, list[float]]] = {}
            for draw in range(args.draws):
                for score, by_name in _draw(sets, n, draw, estimate, settings, args).items():
                    for name, value in by_name.items():
                        by_score.setdefault(score, {}).setdefault(name, []).append(value)
            by_size.append(by_score)
        for score in by_size[0]:
            drawn = {n: [by_score[score][n] for by_score in by_size] for n in by_size[0][score]}
            title = f"{score}, {rule}" if score == estimate else score
            means[title] = _drift(title, drawn)
            if score == estimate:
                of_row = next(iter(rows_of(sets).values()))
                panels[estimate, rule] = (
                    SIZES, {n: [float(np.mean(s)) for s in drawn[n]] for n in of_row},
                )  # fmt: skip
    table(["mean over systems, n =", *SIZES, "mean drift", "mean size of drift", "its mean s.e.",
           *(f"s.d. over subsets, n = {n}" for n in SIZES[:-1])],
          ([name, *row] for name, row in means.items()))  # fmt: skip
    grid(panels, "texts per sample n", (100, 200, 500, 1000), out / "choices-n.png")


def _drift(title: str, drawn: Mapping[str, list[list[float]]]) -> list[object]:
    """Print the mean scores of all systems by n; return a row of means over the systems."""
    first = SIZES.index(COMPARABLE)
    mean = {n: [float(np.mean(s)) for s in by_size] for n, by_size in drawn.items()}
    spread = {n: [float(np.std(s, ddof=1)) for s in by_size] for n, by_size in drawn.items()}
    drift = {n: s[-1] - s[first] for n, s in mean.items()}
    error = {
        n: float(np.hypot(s[first], s[-1]) / np.sqrt(len(drawn[n][0]))) for n, s in spread.items()
    }
    table([f"{title}, n =", *SIZES, f"drift from {COMPARABLE} on", "its s.e."],
          ([n, *s, f"{drift[n]:+.3f}", error[n]] for n, s in mean.items()))  # fmt: skip
    sizes = [float(np.mean([s[i] for s in mean.values()])) for i in range(len(SIZES))]
    noise = [float(np.mean([s[i] for s in spread.values()])) for i in range(len(SIZES) - 1)]
    drifts = np.array([*drift.values()])
    return [*sizes, f"{drifts.mean():+.3f}", float(np.abs(drifts).mean()),
            float(np.mean([*error.values()])), *noise]  # fmt: skip


def _draw(
    sets: Sets,
    n: int,
    draw: int,
    estimate: str,
    settings: Mapping[str, object],
    args: argparse.Namespace,
) -> dict[str, Scores]:
    """Return the scores of one random subset of n texts of every source."""
    rng = np.random.default_rng([n, draw])
    part = {
        kind: {name: rows[rng.permutation(len(rows))[:n]] for name, rows in sources.items()}
        for kind, sources in sets.items()
    }
    if estimate == "plug-in":
        by_set = [plugin(sources, seed=draw, **settings) for sources in part.values()]
        return {estimate: {name: s for by_name in by_set for name, s in by_name.items()}}
    results = ours_everywhere(part, n_clusterings=args.clusterings, seed=draw, **settings)
    if settings:
        return {estimate: scores(results)}
    return {estimate: scores(results), "by the classifier": by_classifier(results)}


def part_reduction(sets: Sets, out: Path, args: argparse.Namespace) -> None:
    """Share of the variance that is kept, and the order of norm and projection."""
    del out
    default: Scores = {}

    def rows() -> Iterable[list[object]]:
        for order, share in [(o, s) for o in ORDERS for s in (0.9, 0.5, 0.8, 0.95, 0.99, 1.0)]:
            start, seeds, width, results = time.perf_counter(), [], [], {}
            for seed in range(3):
                results = ours_everywhere(
                    sets, order=order, explained_variance=share, n_clusterings=args.clusterings,
                    seed=seed,
                )  # fmt: skip
                seeds.append(scores(results))
                width += [high - low for low, high in (r.interval for r in results.values())]
            seconds = time.perf_counter() - start
            mean = {name: float(np.mean([s[name] for s in seeds])) for name in results}
            default.update({} if default else mean)
            noise = np.mean([np.std([s[name] for s in seeds], ddof=1) for name in results])
            change = np.mean([abs(mean[name] - default[name]) for name in results])
            dims = "/".join(f"{_dimensions(s, share, order):.0f}" for s in sets.values())
            yield [order, f"{share:g}", dims, float(np.mean(list(mean.values()))),
                   float(change), f"{noise:.4f}", float(np.mean(width)), spearman(mean, default),
                   f"{seconds:.1f}"]  # fmt: skip

    table(["order", "share", "dimensions (" + "/".join(sets) + ")", "mean score",
           "mean change from default", "seed s.d.", "width", "Spearman with default", "s"],
          rows())  # fmt: skip


def _dimensions(sources: Sources, share: float, order: OrderName) -> float:
    """Return the principal components of 100 human texts and 100 of a system, on average."""
    rng = np.random.default_rng(0)
    some = {n: rows[rng.permutation(len(rows))[:100]] for n, rows in sources.items()}
    learnt = (np.concatenate([some["human"], some[n]]) for n in some if n != "human")
    fitted = [fit_reduction(scaled_rows(rows, order), share, order) for rows in learnt]
    return float(np.mean([reduction.components.shape[1] for reduction in fitted]))


def part_clusterings(sets: Sets, out: Path, args: argparse.Namespace) -> None:
    """Spread over random seeds, width and time for growing numbers of clusterings."""
    del out
    base: list[float] = []

    def rows() -> Iterable[list[object]]:
        for number in (5, 10, 20, 40, 80):
            start = time.perf_counter()
            by_seed = [
                ours_everywhere(sets, n_clusterings=number, seed=seed) for seed in range(args.seeds)
            ]
            seconds = time.perf_counter() - start
            base.append(seconds)
            cells: list[object] = []
            for score in (scores, by_classifier):
                each = [score(results) for results in by_seed]
                spread = [float(np.std([s[n] for s in each], ddof=1)) for n in each[0]]
                cells += [f"{np.mean(spread):.4f}", f"{max(spread):.4f}"]
            width = np.mean([f[n].interval[1] - f[n].interval[0] for f in by_seed for n in f])
            rho = [spearman(scores(a), scores(b)) for a, b in combinations(by_seed, 2)]
            yield [number, *cells, float(width), float(min(rho)), f"{seconds / base[0]:.1f}"]

    table(["clusterings", "mean seed s.d.", "largest seed s.d.",
           "mean seed s.d., by the classifier", "largest", "mean width of interval",
           "least Spearman of two seeds", "time, x that of 5"], rows())  # fmt: skip


def main() -> None:
    """Print and draw all parts, or one."""
    warnings.simplefilter("ignore")
    parts: dict[str, Callable[[Sets, Path, argparse.Namespace], None]] = {
        "k": part_k, "c": part_c, "n": part_n, "reduction": part_reduction,
        "clusterings": part_clusterings,
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("."), help="folder for pictures")
    parser.add_argument("--part", choices=parts)
    parser.add_argument("--clusterings", type=int, default=10, help="of all parts but clusterings")
    parser.add_argument("--draws", type=int, default=8, help="random subsets of each size")
    parser.add_argument("--seeds", type=int, default=5, help="of part clusterings")
    args = parser.parse_args()
    sets = sets_of_text(args.features)
    print_sources(sets)
    for name, part in parts.items():
        if args.part in (None, name):
            print(f"\n## {name}", flush=True)
            part(sets, args.out, args)


if __name__ == "__main__":
    main()
