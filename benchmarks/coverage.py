"""How often the intervals hold what they promise, and the test rejects a true P = Q.

    python benchmarks/coverage.py --n 500 1000 5000 --cases 400 --workers 16

For every case a new sample is drawn from a simulated pair and compared. The truth is the
score of the very quantizers of that comparison on a very large fresh sample, averaged
as `compare` averages. With ``--cases 400`` an interval of 95% is seen between 92% and 98%
in 99.4 of 100 runs if it covers exactly 95%.
"""

import argparse
import multiprocessing
import os
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache

# One thread a process: the processes share the cores.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from simulate import Pair

from mauve import compare, difference
from mauve.frontier.grid import curve_grid
from mauve.frontier.histogram import count_labels
from mauve.frontier.score import deviance_of, mean_divergences, score_of
from mauve.quantize.crossfit import JointClustering

PAIRS = {
    "same": Pair(32, shift=0.0, tilt=0.0),
    "near": Pair(32, shift=0.7, tilt=0.1),
    "middle": Pair(32, shift=1.0, tilt=0.3),
    "far": Pair(32, shift=1.4, tilt=0.5),
}


@cache
def fresh_sample(name: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the very large sample of a pair, the same for all its cases."""
    rng = np.random.default_rng(12345)
    return PAIRS[name].human(size, rng), PAIRS[name].model(size, rng)


def true_score(clustering: JointClustering, name: str, k: int, size: int) -> float:
    """Return the score of fitted quantizers on the very large sample."""
    p, q = fresh_sample(name, size)
    grid = curve_grid()
    counts = (count_labels(clustering.assign(sample), k) for sample in (p, q))
    # Even 100,000 texts leave a bias of k/n, so the truth is corrected as well.
    return float(score_of(mean_divergences(*counts, grid, "jackknife"), 5.0))


def one_case(job: tuple[str, int, int, int, str, int, bool, str]) -> tuple[float, ...]:
    """Draw one sample and return truth, score, interval, plug-in, error and the tests."""
    name, n, size, case, interval, n_clusterings, alone, device = job
    warnings.simplefilter("ignore")
    rng = np.random.default_rng([n, case])
    pair = PAIRS[name]
    systems = {"a": pair.model(n, rng), "b": pair.model(n, rng)}
    if alone:
        del systems["b"]
    comparison = compare(
        pair.human(n, rng), systems, n_permutations=0 if alone else 200, seed=case,
        interval=interval, num_buckets=max(2, min(n // 10, 500)), n_clusterings=n_clusterings,
        device=device,
    )  # fmt: skip
    result = comparison["a"]
    truth = true_score(comparison.compared.clustering, name, result.num_buckets, size)
    tests = (np.nan,) * 3
    if not alone:
        p_between = difference(result, comparison["b"]).p_value
        tests = (result.p_value, p_between, result.ceiling_low)
    return (
        truth, result.mauve, *result.interval, result.mauve_plugin, result.deviance_error, *tests,
    )  # fmt: skip


def summarise(name: str, n: int, rows: np.ndarray) -> str:
    """Return one line of the table."""
    truth, score, low, high, plugin, deviance_error, p_value, p_between, ceiling_low = rows.T
    covered = (low <= truth + 1e-9) & (truth <= high + 1e-9)
    rmse = np.sqrt(np.mean((score - truth) ** 2))
    rmse_plugin = np.sqrt(np.mean((plugin - truth) ** 2))
    z = (deviance_of(score) - deviance_of(truth)) / np.maximum(deviance_error, 1e-12)

    def share(happened: np.ndarray, values: np.ndarray) -> str:
        return "not run" if np.isnan(values).any() else f"{happened.mean():.1%}"

    return (
        f"| {name} | {n} | {truth.mean():.3f} | {(score - truth).mean():+.4f} | "
        f"{rmse:.4f} | {rmse_plugin:.4f} | {rmse / rmse_plugin:.2f} | {covered.mean():.1%} | "
        f"{np.mean(high < truth - 1e-9):.1%} | {np.mean(low > truth + 1e-9):.1%} | "
        f"{np.mean(high - low):.3f} | {z.std():.2f} | {share(p_value <= 0.05, p_value)} | "
        f"{share(p_between <= 0.05, p_between)} | {share(score < ceiling_low, ceiling_low)} |"
    )


def main() -> None:
    """Print the table for all pairs and sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[500, 1000, 5000])
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--pairs", nargs="+", default=list(PAIRS), choices=list(PAIRS))
    parser.add_argument("--fresh", type=int, default=100_000, help="texts per sample for the truth")
    parser.add_argument("--interval", default="influence", choices=["influence", "bootstrap"])
    parser.add_argument("--n-clusterings", type=int, default=40)
    parser.add_argument("--alone", action="store_true", help="the interval only: no tests")
    parser.add_argument("--device", default="auto", help="where to cluster and assign")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    print(
        "| pair | n | truth | bias | RMSE | plug-in RMSE | ratio | 95% covers | misses below | "
        "misses above | width | sd of z | rejects P=Q | rejects A=B | below ceiling's end |"
    )
    print("|---" * 15 + "|")
    # A GPU cannot be used after a fork.
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(args.workers, mp_context=spawned) as pool:
        for n in args.n:
            for name in args.pairs:
                settings = (args.interval, args.n_clusterings, args.alone, args.device)
                jobs = [(name, n, args.fresh, case, *settings) for case in range(args.cases)]
                rows = np.array(list(pool.map(one_case, jobs)))
                print(summarise(name, n, rows), flush=True)


if __name__ == "__main__":
    main()
