"""Compare the scores of two systems that share human texts or prompts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from mauve.arrays import BoolArray, FloatArray, HashArray
from mauve.equality import ExactEquality
from mauve.frontier.score import deviance_of, score_at
from mauve.hashes import digest_hashes
from mauve.inference.intervals import covariance, difference_interval, normal_quantile

_WIDEST = 1 - 1e-12  # the highest level of an interval


@dataclass(frozen=True)
class ScorePair:
    """Two scores, the standard errors of their deviances, and the correlation of these.

    The interval of the difference is made of the two skewed intervals by
    :func:`mauve.inference.intervals.difference_interval`.
    """

    score: tuple[float, float]
    deviance_error: tuple[float, float]
    correlation: float

    @property
    def difference(self) -> float:
        """First score minus the second."""
        return self.score[0] - self.score[1]

    def reversed(self) -> "ScorePair":
        """Return the pair with the second score first."""
        return ScorePair(self.score[::-1], self.deviance_error[::-1], self.correlation)

    def limits(self, confidence: float) -> tuple[float, float]:
        """Return the interval of the difference.

        Examples
        --------
        >>> pair = ScorePair((0.9, 0.8), (0.05, 0.05), correlation=0.5)
        >>> [round(end, 3) for end in pair.limits(0.95)]
        [0.033, 0.168]
        """
        z = np.linspace(0.0, normal_quantile(confidence), 65)
        deviance = deviance_of(np.array(self.score))[:, None]
        reach = np.array(self.deviance_error)[:, None] * z
        lower, upper = score_at(deviance + reach), score_at(deviance - reach)
        low, high = difference_interval(
            self.score, (lower[0], lower[1]), (upper[0], upper[1]), self.correlation
        )
        # An interval that is cut off at 1 can shrink again for larger z: keep the widest.
        return float(low.min()), float(high.max())

    def p_value(self) -> float:
        """Return the two-sided p-value of a difference of zero, by inverting the interval."""
        if self.difference >= 0:
            return 2 * _one_sided(lambda confidence: self.limits(confidence)[0])
        return 2 * _one_sided(lambda confidence: -self.limits(confidence)[1])

    def not_worse_p_value(self, margin: float) -> float:
        """Return the one-sided p-value that the first score is below the second by `margin`.

        A small value shows that the first is not worse by that much: a test of non-inferiority.

        Examples
        --------
        >>> round(ScorePair((0.9, 0.9), (0.01, 0.01), correlation=0.5).not_worse_p_value(0.1), 4)
        0.0
        """
        if self.difference <= -margin:
            return 1.0
        return _one_sided(lambda confidence: margin + self.limits(confidence)[0])

    def worse_p_value(self) -> float:
        """Return the one-sided p-value of no loss; a small value shows that the first is worse."""
        return 1.0 if self.difference >= 0 else self.p_value() / 2

    def equivalence_p_value(self, margin: float) -> float:
        """Return the p-value of two one-sided tests that the difference is within ± margin."""
        if abs(self.difference) >= margin:
            return 1.0
        return max(
            _one_sided(lambda confidence: margin - self.limits(confidence)[1]),
            _one_sided(lambda confidence: margin + self.limits(confidence)[0]),
        )


def _one_sided(clearance: Callable[[float], float]) -> float:
    """Return a one-sided p-value by inverting the interval.

    Parameters
    ----------
    clearance : function from float to float
        The distance from the bound to the interval at a confidence level, negative where the
        interval contains the bound.
    """
    if clearance(0.0) <= 1e-12:
        return 0.5
    if clearance(_WIDEST) >= 0:
        return (1 - _WIDEST) / 2
    return (1 - float(scipy.optimize.brentq(clearance, 0.0, _WIDEST, xtol=1e-12))) / 2


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple testing by Holm's step-down method.

    References
    ----------
    Holm, *A simple sequentially rejective multiple test procedure*, 1979.

    Examples
    --------
    >>> [round(p, 4) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]


@dataclass(frozen=True, eq=False)
class Influence(ExactEquality):
    """Influence of every text on the deviance of a score, for paired comparisons.

    Attributes
    ----------
    human, model : array of shape (n,)
        Influences of the texts, sorted by content.
    human_prompt, model_prompt : array of int, shape (n,), or None
        Hash of the prompt each text answers; None where texts are independent.
    human_hash : int
        A hash of the human texts, or of their features, in any order.
    by_clustering : array of shape (n_clusterings,)
        Deviations of the clusterings; see
        :func:`mauve.inference.intervals.clustering_deviances`. Clusterings of two systems are
        learnt from the same human texts, so they are paired as well.
    """

    human: FloatArray
    model: FloatArray
    human_prompt: HashArray | None
    model_prompt: HashArray | None
    human_hash: int
    by_clustering: FloatArray

    @classmethod
    def sorted_by_content(
        cls,
        influence: FloatArray,
        is_human: BoolArray,
        hashes: HashArray,
        prompts: HashArray | None,
        by_clustering: FloatArray,
    ) -> "Influence":
        """Sort the influences of all texts into an order that two comparisons share.

        Parameters
        ----------
        influence : array of shape (n,)
        is_human : array of bool, shape (n,)
        hashes : array of int, shape (n,)
            A hash of every text.
        prompts : array of int, shape (n,), or None
            A hash of the prompt of every text.
        by_clustering : array of shape (n_clusterings,)
        """
        columns = [hashes] if prompts is None else [prompts, hashes]
        human, model = (
            rows[np.lexsort([column[rows] for column in columns])]
            for rows in (np.flatnonzero(is_human), np.flatnonzero(~is_human))
        )
        return cls(
            influence[human],
            influence[model],
            None if prompts is None else prompts[human],
            None if prompts is None else prompts[model],
            int(digest_hashes(hashes[human], n_bytes=8), 16),
            by_clustering,
        )


def correlation(first: Influence, second: Influence) -> float:
    """Return the correlation of two deviances through the human texts and prompts they share."""
    if first.human_hash != second.human_hash or len(first.human) != len(second.human):
        return 0.0
    # The texts of both comparisons: human, the first system's, the second system's.
    of_first = np.concatenate([first.human, first.model, np.zeros(len(second.model))])
    of_second = np.concatenate([second.human, np.zeros(len(first.model)), second.model])
    groups = np.arange(len(of_first))
    if first.human_prompt is not None and first.model_prompt is not None:
        prompts = np.concatenate([first.human_prompt, first.model_prompt, second.model_prompt])
        groups = np.unique(prompts, return_inverse=True)[1]

    def shared(one: Influence, of_one: FloatArray, other: Influence, of_other: FloatArray) -> float:
        is_paired = len(one.by_clustering) == len(other.by_clustering)
        of_clusterings = float(one.by_clustering @ other.by_clustering) if is_paired else 0.0
        return covariance(of_one, of_other, groups) + of_clusterings

    spread = np.sqrt(
        shared(first, of_first, first, of_first) * shared(second, of_second, second, of_second)
    )
    if spread == 0:
        return 0.0
    return float(np.clip(shared(first, of_first, second, of_second) / spread, -1.0, 1.0))


def share_of_model(influence: Influence) -> float:
    """Return the share of the variance that comes from the model's texts."""
    model, human = float((influence.model**2).sum()), float((influence.human**2).sum())
    return model / (model + human) if model + human > 0 else 0.5
