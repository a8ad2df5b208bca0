"""How often the test of P = Q rejects: equal sources in 5% of cases, others as often as can be.

    python benchmarks/power.py --size --cases 2000
    python benchmarks/power.py --features FOLDER --cases 200

Simulated pairs are those of `simulate.py`; with ``--features``, a folder of features that
`mauve embed` made (human.npy, nucleus.npy, essays-human.npy, essays-claude.npy, ...), also random
subsets of real texts. The combined test is compared with each of its statistics alone, with the
counts of texts in buckets of k-means that do not know the samples, and with the energy distance.
"""

import argparse
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

# One thread a process: the processes share the cores.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from simulate import PAIRS

from mauve.hashes import feature_hashes
from mauve.inference.quadratic_forms import PooledFeatures
from mauve.inference.two_sample import STATISTICS, two_sample_test
from mauve.quantize.kmeans import KMeans
from mauve.quantize.reduce import reduce_features

#: Numbers of texts at which each pair is neither always nor never distinguished.
SIMULATED = {"topics": (150, 500), "heavy, topics": (250, 500), "heavy, spread": (70, 250),
             "heavy, near": (30, 250), "near": (20, 250)}  # fmt: skip
REAL = {"nucleus": (250, 500), "topk": (40, 250), "typical": (40, 250), "contrastive": (25, 250),
        "essays-claude": (20, 250), "stories-claude": (15, 250)}  # fmt: skip


@cache
def features_of(folder: str, name: str) -> np.ndarray:
    """Return the features of a source."""
    return np.load(Path(folder) / f"{name}.npy")


def draw(name: str, n: int, case: int, folder: str | None) -> list[np.ndarray]:
    """Return two samples of a pair."""
    rng = np.random.default_rng([n, case])
    if folder is None:
        return [PAIRS[name].human(n, rng), PAIRS[name].model(n, rng)]
    kind = name.split("-")[0] + "-" if "-" in name else ""
    samples = [features_of(folder, f"{kind}human"), features_of(folder, name)]
    return [rows[rng.permutation(len(rows))[:n]] for rows in samples]


def count_p_value(samples: list[np.ndarray], n_permutations: int, seed: int) -> float:
    """Return the p-value of a test by counts, in ten clusterings that do not know the samples."""
    rng = np.random.default_rng(seed)
    n_first, n = len(samples[0]), sum(map(len, samples))
    reduced, _ = reduce_features(np.concatenate(samples).astype(np.float32))
    draws = np.stack(
        [np.arange(n) < n_first, *(rng.permutation(n) < n_first for _ in range(n_permutations))]
    )
    statistic = np.zeros(len(draws))
    for _ in range(10):
        learnt = reduced[rng.permutation(n)[:200]]
        labels = KMeans().fit(learnt, min(25, len(learnt) // 4), rng).assign(reduced)
        member = (labels[:, None] == np.arange(labels.max() + 1)).astype(float)
        total = member.sum(axis=0)
        p = draws @ member
        statistic += ((p - total * n_first / n) ** 2 / np.maximum(total, 1)).sum(axis=1)
    return float(np.mean(statistic >= statistic[0] - 1e-9))


def energy_p_value(samples: list[np.ndarray], n_permutations: int, seed: int) -> float:
    """Return the p-value of the energy distance of features of unit length."""
    rng = np.random.default_rng(seed)
    x = np.concatenate(samples).astype(float)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    n_first, n = len(samples[0]), len(x)
    distances = np.sqrt(np.maximum(2 - 2 * x @ x.T, 0))
    draws = np.stack(
        [np.arange(n) < n_first, *(rng.permutation(n) < n_first for _ in range(n_permutations))]
    )
    signs = draws / n_first - ~draws / (n - n_first)
    statistic = -np.einsum("ij,ij->i", signs @ distances, signs)
    return float(np.mean(statistic >= statistic[0] - 1e-12))


def one_power(job: tuple[str, int, int, str | None, int]) -> list[float]:
    """Return the p-values of all tests in one case."""
    name, n, case, folder, n_permutations = job
    samples = draw(name, n, case, folder)
    pooled = PooledFeatures(samples, [feature_hashes(rows) for rows in samples])
    test = two_sample_test(pooled, n_permutations, case)
    return [
        test.p_value,
        *test.single_p_values,
        count_p_value(samples, n_permutations, case),
        energy_p_value(samples, n_permutations, case),
    ]


def one_size(job: tuple[str, int, int, int]) -> float:
    """Return the p-value of two samples of one source."""
    kind, n, case, n_permutations = job
    rng = np.random.default_rng([n, case])
    pair = PAIRS["heavy, topics"]
    groups = None
    if kind == "prompts":  # two texts of each sample answer a prompt, and are alike
        shift = np.repeat(pair.human(n // 2, rng), 2, axis=0)
        samples = [shift + pair.human(n, rng) / 2 for _ in range(2)]
        groups = np.tile(np.repeat(np.arange(n // 2), 2), 2)
    elif kind == "own prompts":  # each sample answers other prompts
        samples = [np.repeat(pair.human(n // 2, rng), 2, axis=0) for _ in range(2)]
        samples = [rows + pair.human(n, rng) / 2 for rows in samples]
        groups = np.repeat(np.arange(n), 2)
    elif kind == "copies":  # a source that repeats thirty texts
        few = pair.human(30, np.random.default_rng(case))
        samples = [few[rng.choice(30, n)] for _ in range(2)]
    else:
        samples = [pair.human(n, rng), pair.human(2 * n if kind == "unequal" else n, rng)]
    pooled = PooledFeatures(samples, [feature_hashes(rows) for rows in samples], groups)
    return two_sample_test(pooled, n_permutations, case).p_value


def print_size(pool: ProcessPoolExecutor, args: argparse.Namespace) -> None:
    """Print how often equal sources are rejected."""
    print("| P = Q | n | rejects at 5% | at 1% |")
    print("|---|---|---|---|")
    for kind in ("plain", "unequal", "copies", "prompts", "own prompts"):
        for n in args.n:
            jobs = [(kind, n, case, args.permutations) for case in range(args.cases)]
            p = np.array(list(pool.map(one_size, jobs, chunksize=8)))
            print(
                f"| {kind} | {n} | {np.mean(p <= 0.05):.1%} | {np.mean(p <= 0.01):.1%} |",
                flush=True,
            )


def print_power(pool: ProcessPoolExecutor, args: argparse.Namespace) -> None:
    """Print how often different sources are distinguished, by all tests."""
    titles = ["combined", *STATISTICS, "counts", "energy"]
    print("| pair | n | " + " | ".join(titles) + " | best single less combined |")
    print("|---" * (len(titles) + 3) + "|")
    folder = None if args.features is None else str(args.features)
    sources = [(name, n, None) for name, sizes in SIMULATED.items() for n in sizes]
    if folder is not None:
        sources += [(name, n, folder) for name, sizes in REAL.items() for n in sizes]
    for name, n, where in sources:
        jobs = [(name, n, case, where, args.permutations) for case in range(args.cases)]
        rejected = np.array(list(pool.map(one_power, jobs, chunksize=4))) <= 0.05
        shares = rejected.mean(axis=0)
        cells = " | ".join(f"{share:.0%}" for share in shares)
        print(
            f"| {name} | {n} | {cells} | {100 * (shares[1:].max() - shares[0]):+.0f} |", flush=True
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", action="store_true", help="equal sources, not power")
    parser.add_argument("--n", type=int, nargs="+", default=[100, 500, 5000])
    parser.add_argument("--features", type=Path, help="features of real texts")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(args.workers, mp_context=spawned) as pool:
        (print_size if args.size else print_power)(pool, args)


if __name__ == "__main__":
    main()
