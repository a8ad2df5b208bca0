"""How often the intervals of clusters' shares hold the truth.

    python benchmarks/share_intervals.py --n 500 1000 --cases 200

Texts are simulated: eight regions, of which the model has some more often, one less often
and one not at all, and one that it writes in another way. The truth of a case is what the
buckets of that very comparison, learnt from 200 texts each, see in a very large fresh sample.
Once the groups are the regions themselves, once the consensus clusters of the case, as
`mauve.explain` finds them; a fresh text belongs to the one that most of its companions in the
buckets of all samples are in. With 200 cases of 16 intervals, as many as 40 independent ones at
least each, 95% is seen between 93% and 97% in 98 of 100 runs.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor

os.environ["OMP_NUM_THREADS"] = "1"  # the processes share the cores

import numpy as np

from mauve import compare
from mauve.comparison.buckets import PairBuckets, clustering_to_explain
from mauve.comparison.compared import Compared
from mauve.explanation.clusters import consensus_clusters, default_clusters
from mauve.explanation.contributions import group_shares, text_contributions
from mauve.inference.resampling import LabelledPair
from mauve.quantize.crossfit import JointClustering
from mauve.quantize.pairwise import PairClustering, SortedSample, cluster_pair

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


def fresh_pair(labels: np.ndarray, num_buckets: int) -> LabelledPair:
    """Return both fresh samples with their buckets, all of their texts counted."""
    n = labels.shape[1]
    return LabelledPair(
        labels=labels,
        counted=np.ones(labels.shape, dtype=bool),
        is_human=np.arange(n) < FRESH,
        blocks=np.zeros(n, dtype=np.int64),
        groups=np.arange(n),
        num_buckets=num_buckets,
    )


def partitions_of(compared: Compared) -> PairClustering:
    """Learn the buckets of a comparison again, to assign fresh texts to them."""
    buckets, plan = PairBuckets(compared.samples, compared.settings), compared.plans["model"]
    learnt = cluster_pair(
        *(buckets.sorted(name) for name in compared.sizes),
        quantizer=plan.quantizer,
        num_buckets=plan.num_buckets,
        n_learning=plan.n_learning,
        n_clusterings=plan.n_clusterings,
        seed=compared.settings.seed,
    )
    assert np.array_equal(learnt.labels, compared.pairs["model"].labels)
    return learnt


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
    rng = np.random.default_rng([n, case])
    samples = [draw(rng, HUMAN, n, 0.0), draw(rng, MODEL, n, 1.0)]
    compared = compare(*samples, n_permutations=0, seed=case, progress=False).compared
    pair = compared.pairs["model"]
    parts = text_contributions(pair, "jackknife", 0.5)
    texts = np.concatenate([draw(rng, HUMAN, FRESH, 0.0), draw(rng, MODEL, FRESH, 1.0)])
    fresh = fresh_pair(partitions_of(compared).assign(SortedSample.of(texts)), pair.num_buckets)
    true_parts = text_contributions(fresh, "jackknife", 0.5)
    clustering, num_buckets = clustering_to_explain(compared.samples, compared.settings)
    consensus = consensus_clusters(clustering.labels, num_buckets, default_clusters(2 * n), case)
    of_fresh = companions(clustering, consensus.members, clustering.assign(texts))
    groups = (
        (region_of(np.concatenate(samples)), region_of(texts)),
        (consensus.members, of_fresh),
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
