"""Resample texts, the same for all clusterings: permutation test and bootstrap.

A draw is a row of weights, how often each text counts; the counts of all clusterings
follow by one sparse product. Draws keep the number of texts of each sample in every
block, so every clustering is counted on as many texts as before.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray, IntArray, Labels
from mauve.frontier.estimators import TermTables
from mauve.frontier.grid import RESAMPLING_POINTS, curve_grid
from mauve.frontier.score import deviance_of, mean_divergences, score_of
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

    def counts(self) -> tuple[IntArray, IntArray]:
        """Return the counts of both samples, each of shape (n_clusterings, num_buckets)."""
        p_counts, q_counts = self.counts_of(np.stack([self.is_human, ~self.is_human]))
        return p_counts, q_counts

    def counts_of(self, weights: NDArray[np.generic]) -> IntArray:
        """Return weighted counts, shape (n_draws, n_clusterings, num_buckets)."""
        # Counts are integers below 2^24, which float32 holds exactly.
        counts = self._membership @ np.ascontiguousarray(weights.T, dtype=np.float32)
        return counts.T.astype(np.int64).reshape(len(weights), len(self.labels), -1)

    @cached_property
    def _membership(self) -> "scipy.sparse.csr_array":
        """Sparse matrix of shape (n_clusterings * num_buckets, n): the texts of each bucket."""
        n_clusterings, n = self.labels.shape
        buckets = self.labels + np.arange(n_clusterings)[:, None] * self.num_buckets
        clustering, text = np.nonzero(self.counted)
        return scipy.sparse.csr_array(
            (np.ones(len(text), dtype=np.float32), (buckets[clustering, text], text)),
            shape=(n_clusterings * self.num_buckets, n),
        )


@dataclass(frozen=True)
class NullScores:
    """Scores of the same texts with their samples permuted, as if P = Q.

    Attributes
    ----------
    observed : float
        Plug-in score of the actual samples, computed like those of the draws.
    plugin : array of shape (n_draws,)
        Plug-in score over all texts, the test statistic.
    score : array of shape (n_draws,)
        The estimator's score.
    """

    observed: float
    plugin: FloatArray
    score: FloatArray

    @property
    def p_value(self) -> float:
        """Share of the plug-in scores, the observed one among them, that are as low.

        Exact: if P = Q, it is at most α with a probability of at most α.
        """
        # Permutations that give the same histograms again may differ in the last bits.
        as_low = np.sum(self.plugin <= self.observed + 1e-9)
        return float((1 + as_low) / (1 + len(self.plugin)))


def permutation_scores(
    pair: LabelledPair, estimator: str, scaling: float, n_draws: int, seed: int
) -> NullScores:
    """Score the actual samples and `n_draws` permutations of them."""
    grid = curve_grid(RESAMPLING_POINTS)
    all_counted = pair.counting_all()
    tables, ones = TermTables(), np.ones((1, len(pair.is_human)))
    totals_all, totals_counted = all_counted.counts_of(ones), pair.counts_of(ones)

    def score_batch(start: int) -> tuple[FloatArray, FloatArray]:
        rng = np.random.default_rng([seed, start])
        is_human = permuted_samples(pair, min(_BATCH, n_draws - start), rng)
        p_all = all_counted.counts_of(is_human)
        plugin = mean_divergences(p_all, totals_all - p_all, grid, "plugin", tables)
        p_counted = pair.counts_of(is_human)
        estimated = mean_divergences(p_counted, totals_counted - p_counted, grid, estimator, tables)
        return score_of(plugin, scaling), score_of(estimated, scaling)

    batches = parallel_map(score_batch, range(0, n_draws, _BATCH))
    plugin, score = (np.concatenate(part) for part in zip(*batches, strict=True))
    observed = score_of(mean_divergences(*all_counted.counts(), grid, "plugin"), scaling)
    return NullScores(float(observed), plugin, score)


def permuted_samples(pair: LabelledPair, n_draws: int, rng: np.random.Generator) -> BoolArray:
    """Re-assign texts to the two samples at random, as if P = Q.

    Only texts that are exchangeable if P = Q change places: those of one prompt that both
    samples answer; otherwise all such texts of a block, where those of one prompt move
    together.

    Returns
    -------
    array of bool, shape (n_draws, n)
        True for human.

    Examples
    --------
    >>> pair = LabelledPair(
    ...     labels=np.zeros((1, 4), np.int32), counted=np.ones((1, 4), bool),
    ...     is_human=np.array([True, True, False, False]), blocks=np.zeros(4, np.int64),
    ...     groups=np.arange(4), num_buckets=1)
    >>> permuted_samples(pair, 3, np.random.default_rng(0)).sum(axis=1).tolist()
    [2, 2, 2]
    """
    unit, first, strata = _exchangeable_units(pair)
    order = np.argsort(strata, kind="stable")
    ends = np.flatnonzero(np.diff(strata[order], append=-1)) + 1
    starts = np.concatenate([[0], ends[:-1]])
    drawn = np.repeat(pair.is_human[first][order][None], n_draws, axis=0)
    of_two = starts[ends - starts == 2]  # strata of two units: one swap each, all at once
    swap = (rng.random((n_draws, len(of_two))) < 0.5) & (drawn[:, of_two] != drawn[:, of_two + 1])
    drawn[:, of_two] ^= swap
    drawn[:, of_two + 1] ^= swap
    for start, end in zip(starts, ends, strict=True):
        if end - start > 2:
            drawn[:, start:end] = rng.permuted(drawn[:, start:end], axis=1)
    is_human = np.empty_like(drawn)
    is_human[:, order] = drawn
    return np.ascontiguousarray(is_human[:, unit])


def _exchangeable_units(pair: LabelledPair) -> tuple[IntArray, IntArray, IntArray]:
    """Return which texts change samples together if P = Q, and in exchange for which.

    Texts of a prompt that both samples answer change places with each other. Texts of a prompt
    that one sample answers alone are not independent, so they move together, in exchange for
    another such prompt of the same block and number of texts.

    Returns
    -------
    unit : array of int, shape (n,)
        The unit of every text.
    first : array of int, shape (n_units,)
        A text of each unit.
    strata : array of int, shape (n_units,)
        Units with the same number are exchangeable.
    """
    n, n_groups = len(pair.groups), int(pair.groups.max()) + 1
    n_human = np.bincount(pair.groups, weights=pair.is_human, minlength=n_groups)
    size = np.bincount(pair.groups, minlength=n_groups)
    in_both = ((n_human > 0) & (n_human < size))[pair.groups]
    units = np.where(in_both, n_groups + np.arange(n), pair.groups)
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    n_blocks = int(pair.blocks.max()) + 1
    by_size = n_groups + size[pair.groups] * n_blocks + pair.blocks
    return unit, first, np.where(in_both, pair.groups, by_size)[first]


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
