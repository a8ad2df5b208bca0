"""Resample texts, the same for all clusterings: scores as if P = Q, and the bootstrap."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray, IntArray, Labels
from mauve.frontier.estimators import TermTables
from mauve.frontier.grid import RESAMPLING_POINTS, curve_grid
from mauve.frontier.score import deviance_of, mean_divergences, score_of
from mauve.inference.permutations import ExchangeableUnits
from mauve.threads import parallel_map

Weights = NDArray[np.float32]

_BATCH = 25  # draws at a time: memory does not grow with their number


@dataclass(frozen=True)
class LabelledPair:
    """Human and model texts with their buckets.

    Attributes
    ----------
    labels : array of int, shape (n_clusterings, n)
        Bucket of every text.
    counted : array of bool, shape (n_clusterings, n)
        Texts that enter the histogram of each clustering.
    is_human : array of bool, shape (n,)
    blocks : array of int, shape (n,)
        Texts are exchangeable within a block only.
    groups : array of int, shape (n,)
        Texts of one group answer one prompt and are not independent; a block holds whole
        groups.
    num_buckets : int
    """

    labels: Labels
    counted: BoolArray
    is_human: BoolArray
    blocks: IntArray
    groups: IntArray
    num_buckets: int

    def counting_all(self) -> "LabelledPair":
        """Return the same pair with every text in the histogram of every clustering."""
        return replace(self, counted=np.ones_like(self.counted))

    def first(self, n_clusterings: int) -> "LabelledPair":
        """Return the same pair under the first few clusterings only."""
        return replace(
            self, labels=self.labels[:n_clusterings], counted=self.counted[:n_clusterings]
        )

    def at(self, texts: IntArray) -> "LabelledPair":
        """Return the same pair with its texts in another order, and groups numbered by it.

        Groups are drawn by their numbers, so what is drawn follows from this order alone.
        """
        _, first, group = np.unique(self.groups[texts], return_index=True, return_inverse=True)
        return replace(
            self,
            labels=self.labels[:, texts],
            counted=self.counted[:, texts],
            is_human=self.is_human[texts],
            blocks=self.blocks[texts],
            groups=np.argsort(np.argsort(first))[group],
        )

    def counts(self) -> tuple[IntArray, IntArray]:
        """Return the counts of both samples, each of shape (n_clusterings, num_buckets)."""
        n_buckets = len(self.labels) * self.num_buckets
        codes = (2 * self._buckets + ~self.is_human)[self.counted]
        counts = np.bincount(codes, minlength=2 * n_buckets).reshape(len(self.labels), -1, 2)
        return counts[..., 0], counts[..., 1]

    def counts_of(self, weights: NDArray[np.generic]) -> IntArray:
        """Return weighted counts, shape (n_draws, n_clusterings, num_buckets)."""
        # Counts are integers below 2^24, which float32 holds exactly.
        counts = self._membership @ np.ascontiguousarray(weights.T, dtype=np.float32)
        return counts.T.astype(np.int64).reshape(len(weights), len(self.labels), -1)

    @cached_property
    def _membership(self) -> "scipy.sparse.csr_array":
        """Sparse matrix of shape (n_clusterings * num_buckets, n): the texts of each bucket."""
        n_clusterings, n = self.labels.shape
        clustering, text = np.nonzero(self.counted)
        return scipy.sparse.csr_array(
            (np.ones(len(text), dtype=np.float32), (self._buckets[clustering, text], text)),
            shape=(n_clusterings * self.num_buckets, n),
        )

    @property
    def _buckets(self) -> IntArray:
        """Bucket of every text among those of all clusterings, shape (n_clusterings, n)."""
        return self.labels + np.arange(len(self.labels))[:, None] * self.num_buckets


def null_scores(
    pair: LabelledPair, estimator: str, scaling: float, n_draws: int, seed: int
) -> FloatArray:
    """Return scores of the same texts with their samples permuted, as if P = Q, shape (n_draws,).

    Every clustering keeps its numbers of counted texts: where a permutation changes them, a few
    texts more change samples.
    """
    units = ExchangeableUnits.of(pair.is_human, pair.groups, np.zeros_like(pair.groups))
    return permuted_scores(
        lambda n_batch, rng: pair.counts_of(units.draw_texts(n_batch, rng)),
        totals=pair.counts_of(np.ones((1, len(pair.is_human))))[0],
        n_human=(pair.counted & pair.is_human).sum(axis=1),
        estimator=estimator,
        scaling=scaling,
        n_draws=n_draws,
        seed=seed,
    )


def permuted_scores(
    draw_counts: Callable[[int, np.random.Generator], IntArray],
    *,
    totals: IntArray,
    n_human: IntArray,
    estimator: str,
    scaling: float,
    n_draws: int,
    seed: int,
) -> FloatArray:
    """Return the scores of counts that are drawn as if P = Q, shape (n_draws,).

    Parameters
    ----------
    draw_counts : function from a number of draws and a generator to counts
        Returns the counts of the human sample, shape (n_batch, n_clusterings, k).
    totals : array of int, shape (n_clusterings, k)
        Counts of both samples together.
    n_human : array of int, shape (n_clusterings,)
        Number of human texts that each clustering counts, which all draws are made to have.
    estimator, scaling, n_draws, seed
        As for :func:`null_scores`.
    """
    grid, tables = curve_grid(RESAMPLING_POINTS), TermTables()

    def score_batch(start: int) -> FloatArray:
        rng = np.random.default_rng([seed, start])
        p_counts = draw_counts(min(_BATCH, n_draws - start), rng)
        surplus = p_counts.sum(axis=2) - n_human
        for draw, clustering in np.argwhere(surplus):
            counts, excess = p_counts[draw, clustering], int(surplus[draw, clustering])
            given_to = counts if excess > 0 else totals[clustering] - counts
            moved = rng.multivariate_hypergeometric(given_to, abs(excess))
            counts -= np.sign(excess) * moved
        divergences = mean_divergences(p_counts, totals - p_counts, grid, estimator, tables)
        return score_of(divergences, scaling)

    return np.concatenate(parallel_map(score_batch, range(0, n_draws, _BATCH)))


def bootstrap_deviances(
    pair: LabelledPair, estimator: str, scaling: float, n_draws: int, seed: int
) -> FloatArray:
    """Return the deviances of the scores of `n_draws` bootstrap samples, shape (n_draws,)."""
    grid, tables = curve_grid(RESAMPLING_POINTS), TermTables()

    def deviance_batch(start: int) -> FloatArray:
        weights = bootstrap_weights(pair, min(_BATCH, n_draws - start), [seed, start])
        p_counts = pair.counts_of(weights * pair.is_human)
        q_counts = pair.counts_of(weights * ~pair.is_human)
        divergences = mean_divergences(p_counts, q_counts, grid, estimator, tables)
        return deviance_of(score_of(divergences, scaling))

    return np.concatenate(parallel_map(deviance_batch, range(0, n_draws, _BATCH)))


def bootstrap_weights(pair: LabelledPair, n_draws: int, seed: list[int]) -> Weights:
    """Draw texts with replacement and return how often each counts, shape (n_draws, n).

    Whole groups are drawn, so that texts of one prompt stay together, from the groups of the
    same block that have texts of the same samples. Each such stratum has its own random
    generator, so the draws of the human texts do not depend on the system.
    """
    n_groups = int(pair.groups.max()) + 1
    samples = np.zeros(n_groups, dtype=np.int64)  # 1 human, 2 model, 3 both
    np.bitwise_or.at(samples, pair.groups, np.where(pair.is_human, 1, 2))
    block = np.zeros(n_groups, dtype=np.int64)
    block[pair.groups] = pair.blocks
    strata = np.where(samples > 0, block * 4 + samples, -1)
    weights = np.zeros((n_draws, n_groups), dtype=np.float32)
    for stratum in np.unique(strata[strata >= 0]):
        members = np.flatnonzero(strata == stratum)
        rng = np.random.default_rng([*seed, int(stratum)])
        drawn = rng.integers(len(members), size=(n_draws, len(members)))
        drawn += np.arange(n_draws)[:, None] * len(members)
        times = np.bincount(drawn.ravel(), minlength=n_draws * len(members))
        weights[:, members] = times.reshape(n_draws, -1)
    return weights[:, pair.groups]
