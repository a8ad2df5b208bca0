"""What k, c, n and the order of the reduction do to the score of real text.

    python benchmarks/choices.py --features FOLDER

The folder holds features made by ``benchmarks/features.py``: ``human.npy`` and systems, or
``KIND-human.npy`` and ``KIND-SYSTEM.npy``. A choice is good if it shows a difference with
few texts: *gap / s.e.* is the distance of a system from human text in standard errors.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from accuracy import pairs_of_text

from mauve import compare
from mauve.results import MauveResult
from mauve.score import gap_of


def clarity(results: list[MauveResult]) -> str:
    """Return score, width of the interval and distance from 1 in standard errors, as cells."""
    score = np.mean([r.mauve for r in results])
    width = np.mean([r.interval[1] - r.interval[0] for r in results])
    seen = np.median([gap_of(r.mauve) / r.gap_error for r in results])
    return f"{score:.3f} | {width:.3f} | {seen:.1f}"


def run(pairs: dict[str, tuple[np.ndarray, np.ndarray]], **settings: object) -> list[MauveResult]:
    """Compare every pair with the same settings."""
    return [
        compare(p, q, n_permutations=0, n_clusterings=10, **settings)["model"]
        for p, q in pairs.values()
    ]


def main() -> None:
    """Print one table a question."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=Path, required=True)
    args = parser.parse_args()
    pairs = pairs_of_text(args.features)
    print(f"{len(pairs)} systems: {', '.join(pairs)}\n")

    print("| order | share of variance | mean score | width | median gap / s.e. | seed s.d. |")
    print("|---|---|---|---|---|---|")
    for order in ("norm-pca", "pca-norm"):
        for share in (0.8, 0.9, 0.99):
            found = run(pairs, order=order, explained_variance=share)
            seeds = [
                [r.mauve for r in run(pairs, order=order, explained_variance=share, seed=seed)]
                for seed in range(1, 5)
            ]
            noise = np.mean(np.std(seeds, axis=0, ddof=1))
            print(f"| {order} | {share} | {clarity(found)} | {noise:.4f} |", flush=True)

    print("\n| k (n = 1,000) | mean score | width | median gap / s.e. |")
    print("|---|---|---|---|")
    for k in (5, 10, 25, 50, 100, 200, 400):
        print(f"| {k} | {clarity(run(pairs, num_buckets=k))} |", flush=True)

    print("\n| c | lowest score | median score | highest score | order as for c = 5 |")
    print("|---|---|---|---|---|")
    reference = np.argsort([r.mauve for r in run(pairs)])
    for c in (1, 2, 5, 10, 20):
        scores = np.array([r.mauve for r in run(pairs, scaling=c)])
        same = "yes" if np.all(np.diff(scores[reference]) >= -1e-9) else "no"
        print(
            f"| {c} | {scores.min():.3f} | {np.median(scores):.3f} | {scores.max():.3f} | {same} |",
            flush=True,
        )

    print("\n| n (k = n / 10) | mean score | width | median gap / s.e. |")
    print("|---|---|---|---|")
    for n in (50, 100, 250, 500, 1000):
        rng = np.random.default_rng(n)
        part = {
            name: (p[rng.permutation(len(p))[:n]], q[rng.permutation(len(q))[:n]])
            for name, (p, q) in pairs.items()
        }
        print(f"| {n} | {clarity(run(part))} |", flush=True)


if __name__ == "__main__":
    main()
