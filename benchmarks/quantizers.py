"""Compare quantizers: rankings of real text, error on simulated text, and time.

    python benchmarks/quantizers.py --features FOLDER --out docs/images

The folder is that of ``benchmarks/choices.py``. Each ``--part`` answers one question of
docs/choices.md; *truth* and *time* need no features.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations, product
from pathlib import Path

import numpy as np
import torch
from choices import (
    STYLES,
    FixedKMeans,
    Sets,
    groups_of,
    new_figure,
    ours,
    print_sources,
    sets_of_text,
    spearman,
    table,
)
from coverage import PAIRS, true_score
from simulate import text_like

from mauve import compare
from mauve.comparison.results import MauveResult
from mauve.quantize.drmm import DRMM
from mauve.quantize.lattice import Lattice
from mauve.quantize.protocol import Quantizer
from mauve.quantize.reduce import reduce_features


def quantizers(device: str) -> dict[str, Quantizer]:
    """Return the quantizers that are compared, by name."""
    return {
        **{f"k-means {k}": FixedKMeans(num_buckets=k) for k in (100, 250, 500, 1000)},
        "DRMM 125": DRMM(n_layers=3, n_components=5, device=device),
        "DRMM 1000": DRMM(n_layers=3, n_components=10, device=device),
        "lattice 744": Lattice(device=device),
    }


def part_quantizers(sets: Sets, out: Path, device: str) -> None:
    """Rankings of real text under every quantizer, and how well they agree."""
    results = agreement(sets, device)
    figure = new_figure(5.4)
    axes = figure.subplots()
    by_score = sorted(results["k-means 100"], key=lambda n: results["k-means 100"][n].mauve)
    for i, ((title, f), (colour, marker)) in enumerate(zip(results.items(), STYLES, strict=True)):
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
    """Score against the truth for fewer and fewer texts per bucket, on simulated text."""
    n, fresh = 1000, 20_000
    by_title: dict[str, Quantizer] = {
        **{f"k-means {k}": FixedKMeans(num_buckets=k) for k in (25, 100, 200, 400, 700)},
        "DRMM 125": DRMM(n_components=5, device=device),
        "DRMM 512": DRMM(n_components=8, device=device),
        "lattice 744": Lattice(device=device),
    }

    def rows() -> Iterable[list[object]]:
        for name, (title, quantizer) in product(("near", "middle"), by_title.items()):
            cases = []
            for case in range(4):
                rng = np.random.default_rng([n, case])
                human, model = PAIRS[name].human(n, rng), PAIRS[name].model(n, rng)
                comparison = compare(human, model, quantizer=quantizer, n_clusterings=5,
                                     n_permutations=0, seed=case)  # fmt: skip
                clustering, result = comparison.compared.clustering, comparison["model"]
                truth = true_score(clustering, name, quantizer.num_buckets, fresh)
                cases.append([truth, result.mauve, result.mauve_plugin])
            truth, score, naive = np.mean(cases, axis=0)
            per_bucket = (
                f"{0.6 * n / quantizer.num_buckets:.1f}"  # three of five blocks are counted
            )
            yield [name, title, per_bucket, float(truth), float(score), f"{score - truth:+.3f}",
                   float(naive), f"{naive - truth:+.3f}"]  # fmt: skip

    table(["pair", "quantizer", "counted texts per bucket and sample", "truth", "compare", "error",
           "plug-in", "error"], rows())  # fmt: skip


def agreement(sets: Sets, device: str) -> dict[str, dict[str, MauveResult]]:
    """Print scores under every quantizer and rank correlations; return the results."""
    results: dict[str, dict[str, MauveResult]] = {}
    for title, quantizer in quantizers(device).items():
        start, results[title] = time.perf_counter(), {}
        for sources in sets.values():
            results[title].update(
                ours(sources, quantizer=quantizer, n_clusterings=5, n_permutations=200)
            )
        seconds = time.perf_counter() - start
        print(f"{title}: {seconds:.0f} s for five clusterings of every set, with tests", flush=True)
    systems = list(results["k-means 100"])

    def with_interval(r: MauveResult) -> str:
        return f"{r.mauve:.3f} ({r.interval[0]:.3f} to {r.interval[1]:.3f})"

    table(
        ["system", *results],
        ([n, *(with_interval(f[n]) for f in results.values())] for n in systems),
    )
    table(
        ["plug-in", *results],
        ([n, *(f[n].mauve_plugin for f in results.values())] for n in systems),
    )
    for title, f in results.items():
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
            by = {t: {n: field(f[n]) for n in names} for t, f in results.items()}
            rho = {(a, b): spearman(by[a], by[b]) for a, b in combinations(by, 2)}
            low = min(rho, key=lambda pair: rho[pair])
            print(f"\n{what}, {group}: least Spearman {rho[low]:.3f}, {low[0]} and {low[1]}")
            if what == "MAUVE" or len(names) == len(systems):
                table([f"Spearman, {what}, {group}", *by],
                      ([a, *(spearman(by[a], by[b]) for b in by)] for a in by))  # fmt: skip
    _swaps(results, sets)
    return results


def _swaps(results: Mapping[str, Mapping[str, MauveResult]], sets: Sets) -> None:
    """Print every pair of systems whose order differs between quantizers."""

    def rows() -> Iterable[list[object]]:
        for sources in sets.values():
            for a, b in combinations([n for n in sources if n != "human"], 2):
                first = [t for t, f in results.items() if f[a].mauve > f[b].mauve]
                if 0 < len(first) < len(results):
                    apart = [t for t, f in results.items()
                             if f[a].interval[0] > f[b].interval[1]
                             or f[b].interval[0] > f[a].interval[1]]  # fmt: skip
                    ahead = ", ".join(t for t in results if t not in first)
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
           "1,280 dimensions, s", "of CPU", "buckets used"], rows())  # fmt: skip


def main() -> None:
    """Print and draw all parts, or one."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=Path, help="not needed for --part truth and time")
    parser.add_argument("--device", default="cpu", help="for the DRMM and the lattice")
    parser.add_argument("--out", type=Path, default=Path("."), help="folder for pictures")
    parser.add_argument("--part", choices=["quantizers", "truth", "time"])
    args = parser.parse_args()
    sets = sets_of_text(args.features) if args.features else {}
    if not sets and args.part not in ("truth", "time"):
        parser.error("--features is needed")
    print_sources(sets)
    card = torch.cuda.get_device_name(0) if args.device.startswith("cuda") else "no GPU"
    print(f"torch {torch.__version__}, {card}")
    if args.part in (None, "quantizers"):
        print("\n## quantizers", flush=True)
        part_quantizers(sets, args.out, args.device)
    for name, part in {"truth": part_truth, "time": part_time}.items():
        if args.part in (None, name):
            print(f"\n## {name}", flush=True)
            part(args.device)


if __name__ == "__main__":
    main()
