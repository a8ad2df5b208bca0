"""Compute confidence intervals of measured values and of their gaps to human text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mauve.inference.intervals import difference_interval
from mauve.measures.estimate import Estimate, Groups
from mauve.measures.protocol import Measure


@dataclass(frozen=True)
class Measured:
    """The value of one measure for one sample, with its interval.

    Attributes
    ----------
    value : float
        T(Q) of a statistic, or D(P, Q) of a comparison; may be infinite.
    interval : tuple of float
        Confidence interval of the value.
    standard_error : float
    gap : float or None
        ``|T(Q) - T(P)|`` of a statistic; None for a comparison, for human text itself, and where
        both are infinite.
    gap_interval : tuple of float or None
        Confidence interval of the gap.
    gap_error : float or None
        Standard error of the difference T(Q) - T(P).
    """

    value: float
    interval: tuple[float, float]
    standard_error: float
    gap: float | None = None
    gap_interval: tuple[float, float] | None = None
    gap_error: float | None = None

    def as_gap(self) -> "Measured":
        """Return the gap in place of the value, or the same object if there is no gap."""
        if self.gap is None or self.gap_interval is None or self.gap_error is None:
            return self
        return Measured(self.gap, self.gap_interval, self.gap_error)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects; infinite ones are None and marked."""
        numbers: dict[str, Any] = {
            "value": _finite(self.value),
            "interval": [_finite(end) for end in self.interval],
            "standard_error": _finite(self.standard_error),
        }
        if np.isinf(self.value):
            numbers["infinite"] = True
        if self.gap is not None and self.gap_interval is not None:
            numbers["gap"] = _finite(self.gap)
            numbers["gap_interval"] = [_finite(end) for end in self.gap_interval]
            numbers["gap_error"] = None if self.gap_error is None else _finite(self.gap_error)
        return numbers


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None


def measured(
    estimate: Estimate,
    human: Estimate | None,
    measure: Measure,
    confidence: float,
    groups: Groups,
    human_groups: Groups,
) -> Measured:
    """Compute the intervals of an estimate and, for a statistic, of its gap to human text.

    Parameters
    ----------
    estimate : Estimate
        Estimate for a system, or for human text.
    human : Estimate or None
        Estimate for human text, if a statistic is estimated for a system.
    measure : Measure
    confidence : float
    groups, human_groups : Groups
        Groups of the texts of the system, and of the human texts.

    Examples
    --------
    >>> from mauve.measures.zipf import ZIPF
    >>> groups = Groups(np.arange(2), 2)
    >>> system, human = (Estimate(value, np.zeros(2)) for value in (1.5, 1.0))
    >>> measured(system, human, ZIPF, 0.95, groups, groups).gap
    0.5
    """
    samples = [groups] if measure.is_statistic else [groups, human_groups]
    interval = _interval(estimate, measure, confidence, samples)
    if human is None or (np.isinf(estimate.value) and estimate.value == human.value):
        return Measured(estimate.value, interval, estimate.standard_error)
    human_interval = _interval(human, measure, confidence, [human_groups])
    low, high = _difference(estimate, interval, human, human_interval)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return Measured(
        estimate.value,
        interval,
        estimate.standard_error,
        abs(estimate.value - human.value),
        (nearest, max(abs(low), abs(high))),
        estimate.gap_to(human).standard_error,
    )


def _interval(
    estimate: Estimate, measure: Measure, confidence: float, samples: Sequence[Groups]
) -> tuple[float, float]:
    if not np.isfinite(estimate.value):
        return estimate.value, estimate.value
    return estimate.interval(
        confidence,
        low=measure.low,
        high=measure.high,
        n=samples[0].n_independent if measure.is_share else None,
        n_groups=min(groups.n_used for groups in samples),
    )


def _difference(
    first: Estimate,
    first_interval: tuple[float, float],
    second: Estimate,
    second_interval: tuple[float, float],
) -> tuple[float, float]:
    """Return the interval of a difference from the intervals of its two parts."""
    correlation = 0.0
    errors = first.standard_error * second.standard_error
    if first.by_prompt and errors > 0:
        covariance = (first.influences * second.influences).sum()
        correlation = float(np.clip(covariance / errors, -1, 1))
    low, high = difference_interval(
        (first.value, second.value),
        (first_interval[0], second_interval[0]),
        (first_interval[1], second_interval[1]),
        correlation,
    )
    return float(low), float(high)
