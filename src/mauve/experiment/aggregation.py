"""Average the values of an experiment over random seeds, and mark the best setting."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mauve.experiment.results import GridRow, MeasureInfo
from mauve.measures.intervals import Measured


@dataclass(frozen=True)
class OverSeeds:
    """A measure of one setting over its random seeds.

    Attributes
    ----------
    mean : float
        May be infinite.
    deviation : float or None
        Standard deviation over seeds, with n - 1; None for one seed, as decoders have that
        draw nothing, and for an infinite mean.
    error : float
        Standard error of the mean as far as the texts of one seed tell: that of a seed divided
        by the root of the number of seeds.
    n_seeds : int
    gap : float or None
        |mean - T(P)| of a statistic; None for a comparison, or if T(P) is not known.
    """

    mean: float
    deviation: float | None
    error: float
    n_seeds: int
    gap: float | None = None

    def value(self, *, gap: bool = False) -> float | None:
        """Return the mean, or its gap."""
        return self.gap if gap else self.mean


def over_seeds(
    rows: Sequence[GridRow], measure: MeasureInfo, human: float | None = None
) -> OverSeeds | None:
    """Average a measure over the seeds of one setting; None if no seed has a value.

    Parameters
    ----------
    rows : sequence of GridRow
        One for each seed.
    measure : MeasureInfo
    human : float, optional
        T(P) of a statistic.

    Notes
    -----
    The gap is that of the mean, and not the mean of the gaps, which could not be near 0.

    Examples
    --------
    >>> from mauve.experiment.results import GridSetting
    >>> from mauve.measures.intervals import Measured
    >>> rows = [GridRow(GridSetting("web", "small", "ancestral", seed, 64),
    ...                 {"zipf": Measured(value, (0, 2), 0.1)})
    ...         for seed, value in enumerate((0.9, 1.1, 1.3))]
    >>> zipf = over_seeds(rows, MeasureInfo("zipf", "Zipf", "human", True), human=1.0)
    >>> round(zipf.mean, 3), round(zipf.deviation, 3), round(zipf.gap, 3)
    (1.1, 0.2, 0.1)
    """
    measured = defined(rows, measure)
    if not measured:
        return None
    values = np.array([each.value for each in measured])
    mean = float(values.mean())
    deviation = None
    if len(values) > 1 and np.isfinite(mean):
        deviation = float(values.std(ddof=1))
    gap = None
    if measure.is_statistic and human is not None and not mean == human == np.inf:
        gap = abs(mean - human)
    errors = np.array([each.standard_error for each in measured])
    error = float(np.sqrt((errors**2).sum()) / len(errors))
    return OverSeeds(mean, deviation, error, len(values), gap)


def defined(rows: Sequence[GridRow], measure: MeasureInfo) -> list[Measured]:
    """Return the values of the seeds that have one; no number is no value.

    Examples
    --------
    >>> from mauve.experiment.results import GridSetting
    >>> row = GridRow(GridSetting("web", "small", "greedy", 0, 64), {})
    >>> defined([row], MeasureInfo("zipf", "Zipf", "human", True))
    []
    """
    values = [row.values[measure.name] for row in rows if measure.name in row.values]
    return [value for value in values if not np.isnan(value.value)]


def badness(value: OverSeeds | None, measure: MeasureInfo) -> float:
    """Return how bad a value is; the smallest is the best, and infinity is no candidate.

    The value, its negative or its gap to human text, by the direction of the measure.

    Examples
    --------
    >>> badness(OverSeeds(0.9, None, 0.1, 1), MeasureInfo("mauve", "MAUVE", "higher", False))
    -0.9
    """
    if value is None:
        return np.inf
    if measure.direction == "human" and measure.is_statistic:
        return np.inf if value.gap is None else value.gap
    return -value.mean if measure.direction == "higher" else value.mean


def best_of(values: Sequence[OverSeeds | None], measure: MeasureInfo) -> list[bool]:
    """Return whether each value is the best; more than one if they tie, none of a single one.

    Examples
    --------
    >>> mauve = MeasureInfo("mauve", "MAUVE", "higher", False)
    >>> best_of([OverSeeds(0.9, None, 0.1, 1), OverSeeds(0.7, None, 0.1, 1), None], mauve)
    [True, False, False]
    """
    distances = [badness(value, measure) for value in values]
    candidates = [distance for distance in distances if np.isfinite(distance)]
    if len(candidates) < 2:
        return [False] * len(values)
    return [distance == min(candidates) for distance in distances]
