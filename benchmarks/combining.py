"""How much power the test of P = Q loses to its best single statistic, by rules that combine them.

    python benchmarks/combining.py --features FOLDER --cases 120

The pairs are those of `power.py`, at numbers of texts where the power is in the middle. Each rule
combines the same statistics of the same permutations, so every combined test is exact.
"""

import argparse
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # the processes share the cores

import numpy as np
from power import count_p_value, draw, energy_p_value

from mauve.hashes import feature_hashes
from mauve.inference.quadratic_forms import PooledFeatures, quadratic_forms
from mauve.inference.two_sample import _permutations, _with_equal_tails

#: Pairs and numbers of texts at which a statistic that sees the difference often misses it.
SIMULATED = {"topics": (100, 150, 500), "heavy, topics": (250, 350, 500),
             "heavy, spread": (50, 70), "heavy, near": (20, 30), "near": (20,)}  # fmt: skip
REAL = {"nucleus": (150, 250, 500), "topk": (40, 60), "typical": (30, 40), "contrastive": (15, 25),
        "essays-claude": (20, 30), "stories-claude": (15,)}  # fmt: skip

_RIDGE = 0.3  # added to the correlation matrix of the statistics before it is inverted


def single_p_values(statistics: np.ndarray) -> np.ndarray:
    """Return the p-value of every draw, by each statistic, (n_statistics, n_draws)."""
    return (statistics[:, None, :] >= statistics[:, :, None] - 1e-9).mean(axis=-1)


def smooth_maximum(sharpness: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return the rule that `two_sample_test` uses, with another sharpness."""
    return lambda statistics: np.logaddexp.reduce(sharpness * statistics, axis=0)


def cauchy(statistics: np.ndarray) -> np.ndarray:
    """Combine p-values by Cauchy's distribution."""
    p = np.minimum(single_p_values(statistics), 0.999)  # the tangent of 1 is infinite
    return np.tan((0.5 - p) * np.pi).sum(axis=0)


def fisher(statistics: np.ndarray) -> np.ndarray:
    """Combine p-values by their product."""
    return -np.log(single_p_values(statistics)).sum(axis=0)


def correlated_squares(statistics: np.ndarray) -> np.ndarray:
    """Sum the squares of positive statistics, allowing for their correlation."""
    covariance = np.cov(statistics) + _RIDGE * np.eye(len(statistics))
    positive = np.maximum(statistics, 0)
    return np.einsum("id,ij,jd->d", positive, np.linalg.inv(covariance), positive)


RULES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "smooth maximum, sharpness 1": smooth_maximum(1),
    "smooth maximum, sharpness 2 (used)": smooth_maximum(2),
    "smooth maximum, sharpness 4": smooth_maximum(4),
    "maximum": lambda statistics: statistics.max(axis=0),
    "sum": lambda statistics: statistics.sum(axis=0),
    "sum of squares": lambda statistics: (np.maximum(statistics, 0) ** 2).sum(axis=0),
    "squares, allowing for correlation": correlated_squares,
    "Cauchy": cauchy,
    "Fisher": fisher,
}


def one_case(job: tuple[str, int, int, str | None]) -> tuple[list[bool], list[bool]]:
    """Return what each rule, and each single test, rejects in one case."""
    name, n, case, folder = job
    samples = draw(name, n, case, folder)
    pooled = PooledFeatures(samples, [feature_hashes(rows) for rows in samples])
    values = quadratic_forms(pooled, _permutations(pooled.units, 199, case))
    statistics = _with_equal_tails(np.cbrt(np.maximum(values, 0.0)))
    singles = [
        *single_p_values(statistics)[:, 0],
        count_p_value(samples, 199, case),
        energy_p_value(samples, 199, case),
    ]
    combined = [rule(statistics) for rule in RULES.values()]
    by_rule = [np.mean(values >= values[0] - 1e-4) <= 0.05 for values in combined]
    return by_rule, [p <= 0.05 for p in singles]


def main() -> None:
    """Print the mean and the largest loss of each rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=Path, help="features of real texts")
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    rows = [(name, n, None) for name, sizes in SIMULATED.items() for n in sizes]
    if args.features is not None:
        rows += [(name, n, str(args.features)) for name, sizes in REAL.items() for n in sizes]
    losses = []
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(args.workers, mp_context=spawned) as pool:
        for name, n, folder in rows:
            jobs = [(name, n, case, folder) for case in range(args.cases)]
            by_rule, singles = zip(*pool.map(one_case, jobs, chunksize=4), strict=True)
            losses.append(np.mean(singles, axis=0).max() - np.mean(by_rule, axis=0))
    print("| rule | mean loss | largest |")
    print("|---|---|---|")
    for rule, loss in zip(RULES, np.array(losses).T, strict=True):
        print(f"| {rule} | {100 * loss.mean():.1f} | {100 * loss.max():.0f} |")


if __name__ == "__main__":
    main()
