"""How often the intervals of clusters' shares hold the truth.

    python benchmarks/share_intervals.py --n 500 1000 --cases 200

Texts are simulated: eight regions, of which the model has some more often, one less often
and one not at all, and one that it writes in another way. The truth of a case is what the
quantizers of that very comparison see in a very large fresh sample. Once the groups are the
regions themselves, once the consensus clusters of the case, to which a fresh text belongs if
most of its companions in its buckets do. With 200 cases of 16 intervals, as many as 40
independent ones at least each, 95% is seen between 93% and 97% in 98 of 100 runs.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor

os.environ["OMP_NUM_THREADS"] = "1"  # the processes share the cores

import numpy as np

from mauve.explanation.clusters import consensus_clusters, default_clusters
from mauve.explanation.contributions import group_shares, text_contributions
from mauve.inference.resampling import LabelledPair
from mauve.quantize.crossfit import JointClustering, cluster_jointly
from mauve.quantize.kmeans import KMeans

HUMAN = np.array([0.2, 0.15, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1])
MODEL = np.array([0.1, 0.25, 0.15, 0.1, 0.1, 0.2, 0.1, 0.0])
OTHERWISE = 2  # the region that the model writes in another way
CENTRES = 2.5 * np.random.default_rng(5).normal(size=(8, 6))
FRESH = 30_000  # texts per sample

Shares = tuple[np.ndarray, np.ndarray]


def draw(rng: np.random.Generator, weights: np.ndarray, n: int, shift: float) -> np.ndarray:
    """Draw texts of one sample, shape (n, 6)."""
    region = rng.choice(8, n, p=weights)
    noise = rng.normal(size=(n, 6))
    noise[region == OTHERWISE, 0] += shift
    return (CENTRES[region] + noise).astype(np.float32)


def region_of(texts: np.ndarray) -> np.ndarray:
    """Return the nearest centre, which is how a region is bounded."""
    return np.argmin(((texts[:, None] - CENTRES) ** 2).sum(axis=-1), axis=1)


def pair_of(labels: np.ndarray, counted: np.ndarray, n_human: int, blocks: np.ndarray, k: int):
    """Return both samples with their buckets."""
    n = labels.shape[1]
    return LabelledPair(labels, counted, np.arange(n) < n_human, blocks, np.arange(n), k)


def companions(clustering: JointClustering, members: np.ndarray, fresh: np.ndarray) -> np.ndarray:
    """Return the cluster that most companions of each fresh text are in."""
    n_clusters = members.max() + 1
    shares = np.zeros((fresh.shape[1], n_clusters))
    for labels, new in zip(clustering.labels, fresh, strict=True):
        counts = np.zeros((max(labels.max(), new.max()) + 1, n_clusters))
        np.add.at(counts, (labels, members), 1)
        shares += (counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))[new]
    return shares.argmax(axis=1)


def one_case(job: tuple[int, int]) -> list[np.ndarray]:
    """Return errors and standard errors by regions and by clusters, each of shape (2 G, 2)."""
    n, case = job
    rng, k = np.random.default_rng([n, case]), n // 10
    samples = [draw(rng, HUMAN, n, 0.0), draw(rng, MODEL, n, 1.0)]
    clustering = cluster_jointly(
        samples, quantizer=KMeans(), num_buckets=k, n_clusterings=40, seed=case
    )
    pair = pair_of(clustering.labels, clustering.held_out, n, clustering.blocks, k)
    parts = text_contributions(pair, "jackknife", 0.5)
    texts = np.concatenate([draw(rng, HUMAN, FRESH, 0.0), draw(rng, MODEL, FRESH, 1.0)])
    fresh = clustering.assign(texts)
    everything = np.ones(fresh.shape, dtype=bool)
    blocks = np.zeros(2 * FRESH, np.int64)
    true_parts = text_contributions(pair_of(fresh, everything, FRESH, blocks, k), "jackknife", 0.5)
    consensus = consensus_clusters(clustering.labels, k, default_clusters(2 * n), case)
    groups = (
        (region_of(np.concatenate(samples)), region_of(texts)),
        (consensus.members, companions(clustering, consensus.members, fresh)),
    )
    errors = []
    for members, fresh_members in groups:
        n_groups = int(members.max()) + 1
        shares = group_shares(pair, parts, members.astype(np.int64), n_groups, 0.5)
        samples = (slice(FRESH), slice(FRESH, None))
        truth = [np.bincount(fresh_members[s], true_parts[s], n_groups) for s in samples]
        errors.append(
            np.concatenate(
                [
                    np.stack([share.values - true, share.errors], axis=1)
                    for share, true in zip(shares, truth, strict=True)
                ]
            )
        )
    return errors


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[500, 1000], help="texts per sample")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    print("| n per sample | groups | groups each | 95% covers | bias / sd | standard error / sd |")
    print("|---" * 6 + "|", flush=True)
    with ProcessPoolExecutor(args.workers) as pool:
        for n in args.n:
            cases = list(pool.map(one_case, [(n, case) for case in range(args.cases)]))
            for i, name in enumerate(("regions", "consensus clusters")):
                error, standard = np.concatenate([case[i] for case in cases]).T
                covers = np.mean(np.abs(error) < 1.96 * standard)
                size = np.mean([len(case[i]) / 2 for case in cases])
                spread = error.std()
                print(
                    f"| {n} | {name} | {size:.1f} | {covers:.1%} | {error.mean() / spread:+.2f} | "
                    f"{np.sqrt(np.mean(standard**2)) / spread:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
