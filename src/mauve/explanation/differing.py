"""Test which clusters differ between the human sample and a system.

A cluster can differ in two ways: in its share of the texts, and in how these are spread over
the buckets within it. Both are tested in every cluster at once against permutations of the
samples; the clusters are found without knowing the samples. The step-down method of Westfall
and Young (*Resampling-based multiple testing*, 1993, algorithm 2.8) controls the chance of any
false positive, whatever the dependence between the tests.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.inference.permutations import ExchangeableUnits
from mauve.inference.resampling import LabelledPair
from mauve.threads import parallel_map

_BATCH = 50  # permutations at a time


@dataclass(frozen=True)
class Differing:
    """Results of the tests of every cluster.

    Attributes
    ----------
    p_values : array of shape (n_clusters,)
        Adjusted for all clusters and both tests.
    amount : array of shape (n_clusters,)
        Share of the system's texts minus that of the human texts, in standard errors;
        infinite where one sample has no text at all.
    """

    p_values: FloatArray
    amount: FloatArray

    def kinds(self, level: float) -> list[str]:
        """Return how each cluster differs: "over", "under", "otherwise", or "same" if it does not.

        A cluster differs if its adjusted p-value is at most `level`. Its direction is that of
        its amount, if this is significant at a level shared by all clusters that differ.
        """
        n_flagged = max(1, int((self.p_values <= level).sum()))
        clear = float(scipy.special.ndtri(1 - level / (2 * n_flagged)))
        return [
            "same" if p > level
            else "over" if z >= clear
            else "under" if z <= -clear
            else "otherwise"
            for p, z in zip(self.p_values, self.amount, strict=True)
        ]  # fmt: skip


def least_permutations(confidence: float) -> int:
    """Return how many permutations a p-value of one minus `confidence` takes, at least 100.

    Examples
    --------
    >>> least_permutations(0.95), least_permutations(0.999)
    (100, 1000)
    """
    return max(100, math.ceil(round(1 / (1 - confidence), 6)))


def differing_clusters(
    pair: LabelledPair, members: IntArray, n_clusters: int, n_permutations: int, seed: int
) -> Differing:
    """Test in every cluster whether the two samples differ in number or kind of texts.

    Parameters
    ----------
    pair : LabelledPair
        All its clusterings are used, with all texts counted.
    members : array of int, shape (n,)
        Cluster of every text, found without knowing the samples.
    n_clusters, n_permutations : int
    seed : int
        Random seed.

    Examples
    --------
    >>> members = np.repeat([0, 1, 0, 1, 2], [40, 10, 10, 40, 60])
    >>> pair = LabelledPair(
    ...     labels=members[None].astype(np.int32), counted=np.ones((1, 160), bool),
    ...     is_human=np.repeat([True, False, True, False], [50, 50, 30, 30]),
    ...     blocks=np.zeros(160, np.int64), groups=np.arange(160), num_buckets=3)
    >>> differing_clusters(pair, members, 3, 200, seed=0).kinds(0.05)
    ['under', 'over', 'same']
    """
    statistics = _Statistics(pair, members, n_clusters)
    units = ExchangeableUnits.of(pair.is_human, pair.groups, pair.blocks)

    def permuted(start: int) -> FloatArray:
        rng = np.random.default_rng([seed, start])
        return statistics(units.draw_texts(min(_BATCH, n_permutations - start), rng))

    null = np.concatenate(parallel_map(permuted, range(0, n_permutations, _BATCH)))
    values = np.concatenate([statistics(pair.is_human[None]), null])  # the observed ones first
    mean, spread = values.mean(axis=0), values.std(axis=0)
    # The statistic of a cluster with one sample or one bucket may not vary at all.
    values = np.divide(values - mean, spread, out=np.zeros_like(values), where=spread > 1e-12)
    amount = values[0, :n_clusters].copy()
    for sample, sign in ((pair.is_human, np.inf), (~pair.is_human, -np.inf)):
        amount[np.bincount(members[sample], minlength=n_clusters) == 0] = sign
    values[:, :n_clusters] = np.abs(values[:, :n_clusters])  # amounts are tested two-sided
    adjusted = step_down(values[0], values[1:])
    return Differing(np.minimum(adjusted[:n_clusters], adjusted[n_clusters:]), amount)


def step_down(observed: FloatArray, null: FloatArray) -> FloatArray:
    """Return p-values adjusted for all hypotheses by the maxima of permuted statistics.

    Parameters
    ----------
    observed : array of shape (m,)
        Statistics, large where a hypothesis is false.
    null : array of shape (n_draws, m)

    Examples
    --------
    >>> null = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 0.5]])
    >>> step_down(np.array([9.0, 0.7]), null).tolist()
    [0.25, 0.5]
    """
    order = np.argsort(-observed, kind="stable")
    # The largest statistic of each draw among the hypotheses that are left at each step.
    largest = np.maximum.accumulate(null[:, order[::-1]], axis=1)[:, ::-1]
    as_large = (largest >= observed[order] - 1e-9).sum(axis=0)
    p_values = np.empty(len(observed))
    p_values[order] = np.maximum.accumulate((1 + as_large) / (1 + len(null)))
    return p_values


class _Statistics:
    """Difference of the shares of texts, and part of the Jensen-Shannon divergence, by cluster."""

    def __init__(self, pair: LabelledPair, members: IntArray, n_clusters: int) -> None:
        n_clusterings, n = pair.labels.shape
        buckets = pair.labels + np.arange(n_clusterings)[:, None] * pair.num_buckets
        # A part is what a bucket and a cluster have in common.
        parts, part = np.unique(buckets * n_clusters + members, return_inverse=True)
        ones = np.ones(buckets.size, dtype=np.float32)
        texts = np.tile(np.arange(n), n_clusterings)
        self._in_part = scipy.sparse.csr_array((ones, (part.ravel(), texts)), shape=(len(parts), n))
        present, self._bucket = np.unique(parts // n_clusters, return_inverse=True)
        weight = np.full(len(parts), 1 / n_clusterings)
        self._in_cluster = scipy.sparse.csr_array(
            (weight, (parts % n_clusters, np.arange(len(parts)))),
            shape=(n_clusters, len(parts)),
        )
        self._in_bucket = scipy.sparse.csr_array(
            (np.ones(len(parts)), (self._bucket, np.arange(len(parts)))),
            shape=(len(present), len(parts)),
        )
        self._total = self._in_part @ np.ones((n, 1), dtype=np.float32)

    def __call__(self, is_human: BoolArray) -> FloatArray:
        """Return the statistics, shape (n_draws, 2 * n_clusters), of samples (n_draws, n)."""
        human = np.asarray(
            self._in_part @ np.ascontiguousarray(is_human.T, dtype=np.float32), dtype=float
        )
        n_human = is_human.sum(axis=1)
        p = human / n_human
        q = (self._total - human) / (is_human.shape[1] - n_human)
        divergence = np.zeros_like(p)
        p_bucket, q_bucket = self._in_bucket @ p, self._in_bucket @ q
        mixture = (p_bucket + q_bucket) / 2
        for shares, bucket in ((p, p_bucket), (q, q_bucket)):
            ratio = np.divide(bucket, mixture, out=np.ones_like(bucket), where=bucket > 0)
            divergence += shares * np.log(ratio)[self._bucket]
        return np.concatenate(
            [(self._in_cluster @ (q - p)).T, (self._in_cluster @ divergence).T / 2], axis=1
        )
