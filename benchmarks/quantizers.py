"""Compare quantizers: rankings of real text, and time.

    python benchmarks/quantizers.py --features FOLDER --out docs/images

The folder is that of ``benchmarks/systems.py``. Each ``--part`` answers one question of
docs/choices.md; *time* needs no features. Quantizers have the defaults of `compare`: those that are
trained five clusterings, the others forty, each learnt from eight texts for every bucket (a
classifier from twenty) or from half of the texts, if that is less.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
from simulate import text_like
from systems import (
    STYLES,
    Sets,
    groups_of,
    new_figure,
    ours_everywhere,
    print_sources,
    sets_of_text,
    spearman,
    table,
)

from mauve import compare
from mauve.comparison.results import MauveResult
from mauve.quantize.drmm import DRMM
from mauve.quantize.lattice import Lattice

DEFAULT = "k-means 25"


def settings_of(device: str) -> dict[str, dict[str, object]]:
    """Return the arguments of `compare` for each quantizer, by its name and number of buckets."""
    return {
        DEFAULT: {},
        "k-means 50": {"num_buckets": 50},
        "k-means 100": {"num_buckets": 100},
        "classifier 10": {"quantizer": "classifier"},
        "DRMM 27": {"quantizer": DRMM(n_components=None, device=device)},
        "DRMM 125": {"quantizer": DRMM(n_components=5, device=device)},
        "lattice 744": {"quantizer": Lattice(device=device)},
    }


def part_quantizers(sets: Sets, out: Path, device: str) -> None:
    """Rankings of real text under every quantizer, and how well they agree."""
    results = agreement(sets, device)
    figure = new_figure(5.4)
    axes = figure.subplots()
    by_score = sorted(results[DEFAULT], key=lambda n: results[DEFAULT][n].mauve)
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


def agreement(sets: Sets, device: str) -> dict[str, dict[str, MauveResult]]:
    """Print scores under every quantizer and rank correlations; return the results."""
    results: dict[str, dict[str, MauveResult]] = {}
    for title, settings in settings_of(device).items():
        # The test of P = Q does not depend on the quantizer.
        start, n_permutations = time.perf_counter(), 1000 if title == DEFAULT else 0
        results[title] = ours_everywhere(sets, n_permutations=n_permutations, **settings)
        seconds = time.perf_counter() - start
        tested = " with the test" if n_permutations else ""
        print(f"{title}: {seconds:.0f} s for all systems{tested}", flush=True)
    systems = list(results[DEFAULT])

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
    distinguished = [n for n in systems if results[DEFAULT][n].p_value <= 0.05]
    print(f"\nDistinguishable from human text at 5%: {', '.join(distinguished) or 'none'}")
    for title, f in results.items():
        missed = [n for n in distinguished if f[n].interval[1] > 0.9995]
        print(f"{title}: the interval of these ends at 1: {', '.join(missed) or 'none'}")
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


def part_time(device: str, n: int) -> None:
    """Seconds of a comparison with each quantizer, without the test of P = Q."""
    rng = np.random.default_rng(0)
    human, model = (text_like(n, 1280, shift, rng) for shift in (0.0, 0.1))
    print(f"{n:,} + {n:,} features of 1,280 dimensions; each row but the classifier's own includes "
          "the second score, by the classifier")  # fmt: skip
    if device != "cpu":
        torch.ones(1, device=device)  # what starts up the device is not counted

    def rows() -> Iterable[list[object]]:
        for title, settings in settings_of(device).items():
            is_trained = title.startswith(("DRMM", "lattice"))
            start, busy = time.perf_counter(), time.process_time()
            comparison = compare(human, model, n_permutations=0, progress=False, **settings)
            seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - busy
            result = comparison["model"]
            n_clusterings = len(result.labels)
            yield [title, device if is_trained else "CPU", result.n_learning, n_clusterings,
                   f"{seconds:.1f}", f"{cpu_seconds:.1f}", f"{seconds / n_clusterings:.2f}",
                   result.mauve]  # fmt: skip

    table(["quantizer", "device", "learnt from", "clusterings", "s", "of CPU",
           "s for each clustering", "score"], rows())  # fmt: skip


def main() -> None:
    """Print and draw all parts, or one."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=Path, help="not needed for --part time")
    parser.add_argument("--device", default="cpu", help="for the DRMM and the lattice")
    parser.add_argument("--out", type=Path, default=Path("."), help="folder for pictures")
    parser.add_argument("--part", choices=["quantizers", "time"])
    parser.add_argument("--n", type=int, default=5000, help="texts per sample for the time")
    args = parser.parse_args()
    sets = sets_of_text(args.features) if args.features else {}
    if not sets and args.part != "time":
        parser.error("--features is needed")
    print_sources(sets)
    card = torch.cuda.get_device_name(0) if args.device.startswith("cuda") else "no GPU"
    print(f"torch {torch.__version__}, {card}")
    if args.part in (None, "quantizers"):
        print("\n## quantizers", flush=True)
        part_quantizers(sets, args.out, args.device)
    if args.part in (None, "time"):
        print("\n## time", flush=True)
        part_time(args.device, args.n)


if __name__ == "__main__":
    main()
