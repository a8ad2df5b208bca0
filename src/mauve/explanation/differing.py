"""Which clusters differ between two sides, with the error rate of the whole family held.

Two things may differ: how many texts of either side a cluster has, and, where they are as
many, how these are spread over the cells within it. Both are tested in every cluster at
once against permutations of the sides, which the clusters have not seen. The step-down
method of Westfall and Young (*Resampling-based multiple testing*, 1993, algorithm 2.8)
holds the chance of any false alarm, whatever the dependence of the tests.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.resample import LabelledPair, permuted_sides
from mauve.threads import parallel_map

Array = NDArray[np.float64]

_BATCH = 50  # permutations at a time


@dataclass(frozen=True)
class Differing:
    """What the tests say of every cluster.

    Attributes
    ----------
    p_values : array of shape (n_clusters,)
        Of no difference, adjusted for all clusters and both tests.
    amount : array of shape (n_clusters,)
        Share of the model's texts minus that of the human ones, in standard errors; infinite
        where one side has no text at all.
    """

    p_values: Array
    amount: Array

    def kinds(self, level: float) -> list[str]:
        """Name what differs: "over", "under", "otherwise", or "same" where nothing does.

        A cluster is flagged at a level of the whole family. Which way it differs is then for
        its own amount to say, at a level shared by all that are flagged.
        """
        flagged = max(1, int((self.p_values <= level).sum()))
        clear = float(scipy.special.ndtri(1 - level / (2 * flagged)))
        return [
            "same" if p > level
            else "over" if z >= clear
            else "under" if z <= -clear
            else "otherwise"
            for p, z in zip(self.p_values, self.amount, strict=True)
        ]  # fmt: skip


def least_permutations(confidence: float) -> int:
    """Return how many permutations it takes for a p-value to be small enough to flag anything.

    Examples
    --------
    >>> least_permutations(0.95), least_permutations(0.999)
    (100, 1000)
    """
    return max(100, math.ceil(round(1 / (1 - confidence), 6)))


def differing_clusters(
    pair: LabelledPair, members: NDArray[np.int64], n_clusters: int, n_permutations: int, seed: int
) -> Differing:
    """Test in every cluster whether both sides have as many texts, and alike ones.

    Parameters
    ----------
    pair : LabelledPair
        Its clusterings are all used, and all texts are counted in them.
    members : array of int, shape (n,)
        Cluster of every text, found without a look at the sides.
    n_clusters, n_permutations, seed : int

    Examples
    --------
    >>> members = np.repeat([0, 1, 0, 1, 2], [40, 10, 10, 40, 60])
    >>> pair = LabelledPair(
    ...     labels=members[None].astype(np.int32), counted=np.ones((1, 160), bool),
    ...     is_human=np.repeat([True, False, True, False], [50, 50, 30, 30]),
    ...     blocks=np.zeros(160, np.int64), groups=np.arange(160), n_buckets=3)
    >>> differing_clusters(pair, members, 3, 200, seed=0).kinds(0.05)
    ['under', 'over', 'same']
    """
    statistics = _Statistics(pair, members, n_clusters)

    def drawn(start: int) -> Array:
        rng = np.random.default_rng([seed, start])
        return statistics(permuted_sides(pair, min(_BATCH, n_permutations - start), rng))

    null = np.concatenate(parallel_map(drawn, range(0, n_permutations, _BATCH)))
    every = np.concatenate([statistics(pair.is_human[None]), null])
    centre, scale = every.mean(axis=0), every.std(axis=0)
    # A cluster of one side alone, or with one cell, may have nothing that varies.
    every = np.divide(every - centre, scale, out=np.zeros_like(every), where=scale > 1e-12)
    amount = every[0, :n_clusters].copy()
    for side, sign in ((pair.is_human, np.inf), (~pair.is_human, -np.inf)):
        amount[np.bincount(members[side], minlength=n_clusters) == 0] = sign
    every[:, :n_clusters] = np.abs(every[:, :n_clusters])  # of amounts, either sign counts
    found = step_down(every[0], every[1:])
    return Differing(np.minimum(found[:n_clusters], found[n_clusters:]), amount)


def step_down(observed: Array, null: Array) -> Array:
    """Return p-values adjusted for all hypotheses by the largest statistics of permutations.

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
    # The largest of each draw among the hypotheses that are left at each step.
    largest = np.maximum.accumulate(null[:, order[::-1]], axis=1)[:, ::-1]
    as_large = (largest >= observed[order] - 1e-9).sum(axis=0)
    adjusted = np.maximum.accumulate((1 + as_large) / (1 + len(null)))
    found = np.empty_like(adjusted)
    found[order] = adjusted
    return found


class _Statistics:
    """Difference of the shares of texts, and part of the Jensen-Shannon divergence, by cluster."""

    def __init__(self, pair: LabelledPair, members: NDArray[np.int64], n_clusters: int) -> None:
        n_clusterings, n = pair.labels.shape
        cells = pair.labels + np.arange(n_clusterings)[:, None] * pair.n_buckets
        # A part is what a cell and a cluster have in common.
        parts, part = np.unique(cells * n_clusters + members, return_inverse=True)
        ones = np.ones(cells.size, dtype=np.float32)
        texts = np.tile(np.arange(n), n_clusterings)
        self._in_part = scipy.sparse.csr_array((ones, (part.ravel(), texts)), shape=(len(parts), n))
        firsts, self._cell = np.unique(parts // n_clusters, return_inverse=True)
        weight = np.full(len(parts), 1 / n_clusterings)
        self._in_cluster = scipy.sparse.csr_array(
            (weight, (parts % n_clusters, np.arange(len(parts)))),
            shape=(n_clusters, len(parts)),
        )
        self._in_cell = scipy.sparse.csr_array(
            (np.ones(len(parts)), (self._cell, np.arange(len(parts)))),
            shape=(len(firsts), len(parts)),
        )
        self._all = self._in_part @ np.ones((n, 1), dtype=np.float32)

    def __call__(self, sides: NDArray[np.bool_]) -> Array:
        """Return the statistics of some assignments of sides, shape (n_draws, 2 * n_clusters)."""
        human = np.asarray(
            self._in_part @ np.ascontiguousarray(sides.T, dtype=np.float32), dtype=float
        )
        n_human = sides.sum(axis=1)
        p = human / n_human
        q = (self._all - human) / (sides.shape[1] - n_human)
        divergence = np.zeros_like(p)
        p_cell, q_cell = self._in_cell @ p, self._in_cell @ q
        mixture = (p_cell + q_cell) / 2
        for side, cell in ((p, p_cell), (q, q_cell)):
            ratio = np.divide(cell, mixture, out=np.ones_like(cell), where=cell > 0)
            divergence += side * np.log(ratio)[self._cell]
        return np.concatenate(
            [(self._in_cluster @ (q - p)).T, (self._in_cluster @ divergence).T / 2], axis=1
        )
