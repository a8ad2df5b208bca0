"""What two scores have in common: the human texts, and the prompts."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from mauve.arrays import BoolArray, FloatArray, HashArray
from mauve.frontier.score import gap_of, score_at
from mauve.inference.intervals import covariance


@dataclass(frozen=True)
class ScorePair:
    """Two scores, the standard errors of their gaps, and the correlation of those.

    The interval of the difference is put together from the two lopsided intervals
    (Zou and Donner, *Construction of confidence limits about effect measures*, 2008).
    """

    score: tuple[float, float]
    gap_error: tuple[float, float]
    correlation: float

    @property
    def difference(self) -> float:
        """First score minus the second."""
        return self.score[0] - self.score[1]

    def reversed(self) -> "ScorePair":
        """Return the pair with the second score first."""
        return ScorePair(self.score[::-1], self.gap_error[::-1], self.correlation)

    def limits(self, confidence: float) -> tuple[float, float]:
        """Return the interval of the difference.

        Examples
        --------
        >>> pair = ScorePair((0.9, 0.8), (0.05, 0.05), correlation=0.5)
        >>> [round(end, 3) for end in pair.limits(0.95)]
        [0.033, 0.168]
        """
        z = np.linspace(0.0, float(scipy.special.ndtri(0.5 + confidence / 2)), 65)
        gap = gap_of(np.array(self.score))[:, None]
        reach = np.array(self.gap_error)[:, None] * z
        score = np.array(self.score)[:, None]
        below, above = score - score_at(gap + reach), score_at(gap - reach) - score
        # An interval that is cut off at 1 can shrink again for larger z: keep the widest.
        down = float(_joint_reach(below[0], above[1], self.correlation).max())
        up = float(_joint_reach(above[0], below[1], self.correlation).max())
        return self.difference - down, self.difference + up

    def p_value(self) -> float:
        """Return the two-sided p-value of a difference of zero.

        It is the level at which the interval ends at zero.
        """
        if self.difference >= 0:
            return 2 * _tail(lambda confidence: self.limits(confidence)[0])
        return 2 * _tail(lambda confidence: -self.limits(confidence)[1])

    def equivalence_p_value(self, margin: float) -> float:
        """Return the p-value of two one-sided tests that the difference is within ± margin."""
        if abs(self.difference) >= margin:
            return 1.0
        return max(
            _tail(lambda confidence: margin - self.limits(confidence)[1]),
            _tail(lambda confidence: margin + self.limits(confidence)[0]),
        )


def _joint_reach(own: FloatArray, other: FloatArray, correlation: float) -> FloatArray:
    return np.sqrt(np.maximum(own**2 + other**2 - 2 * correlation * own * other, 0.0))


def _tail(clearance: Callable[[float], float]) -> float:
    """Return the tail probability of the widest interval that still clears its bound."""
    widest = 1 - 1e-12
    if clearance(0.0) <= 1e-12:
        return 0.5
    if clearance(widest) >= 0:
        return (1 - widest) / 2
    return (1 - float(scipy.optimize.brentq(clearance, 0.0, widest, xtol=1e-12))) / 2


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's step-down method.

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


@dataclass(frozen=True)
class Influence:
    """What every text adds to the error of a gap, for paired comparisons.

    Attributes
    ----------
    human, model : array of shape (n,)
        Influence of each text on the gap, sorted by content.
    human_prompt, model_prompt : array of int, shape (n,), or None
        Hash of the prompt each text answers; None where texts are independent.
    human_key : int
        A hash of the human texts, or of their features: equal for the same, in whatever order.
    """

    human: FloatArray
    model: FloatArray
    human_prompt: HashArray | None
    model_prompt: HashArray | None
    human_key: int

    @classmethod
    def sorted_by_content(
        cls,
        influence: FloatArray,
        is_human: BoolArray,
        keys: HashArray,
        prompts: HashArray | None,
    ) -> "Influence":
        """Bring the influences of all texts into an order that two comparisons share."""
        human, model = (
            rows[np.argsort(keys[rows], kind="stable")]
            for rows in (np.flatnonzero(is_human), np.flatnonzero(~is_human))
        )
        digest = hashlib.blake2b(keys[human].tobytes(), digest_size=8).digest()
        return cls(
            influence[human],
            influence[model],
            None if prompts is None else prompts[human],
            None if prompts is None else prompts[model],
            int.from_bytes(digest, "little"),
        )


def share_of_model(influence: Influence) -> float:
    """Return the share of the variance that the model's texts have."""
    model, human = float((influence.model**2).sum()), float((influence.human**2).sum())
    return model / (model + human) if model + human > 0 else 0.5


def correlation(first: Influence, second: Influence) -> float:
    """Return the correlation of two gaps through the human texts and prompts they share."""
    if first.human_key != second.human_key or len(first.human) != len(second.human):
        return 0.0
    one = np.concatenate([first.human, first.model, np.zeros(len(second.model))])
    two = np.concatenate([second.human, np.zeros(len(first.model)), second.model])
    groups = np.arange(len(one))
    if first.human_prompt is not None and first.model_prompt is not None:
        prompts = np.concatenate([first.human_prompt, first.model_prompt, second.model_prompt])
        groups = np.unique(prompts, return_inverse=True)[1]
    spread = np.sqrt(covariance(one, one, groups) * covariance(two, two, groups))
    if spread == 0:
        return 0.0
    return float(np.clip(covariance(one, two, groups) / spread, -1.0, 1.0))
