r"""How far a score can be trusted: intervals, tests, ceilings, sample sizes.

A text's influence is the change of the score that leaving it out makes, summed over
the clusterings. Texts are independent (or the prompts they answer are), so the squares
of the influences add up to the variance of the score, and the influences of two
systems on the same human texts give the correlation of their scores.

Intervals are made on the scale of the gap, the square root of minus the logarithm of
the score (:func:`mauve.score.gap_of`), where errors are even.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.estimate import TermTables, jackknife_cells
from mauve.frontier import Divergences, curve_area
from mauve.grid import (
    RESAMPLING_ORDER,
    RESAMPLING_POINTS,
    Array,
    MixtureGrid,
    curve_grid,
    quadrature_grid,
)
from mauve.resample import LabelledPair, bootstrap_weights, permuted_sides
from mauve.score import gap_of, mean_divergences, score_at, score_of
from mauve.threads import parallel_map

_BATCH = 25  # draws at a time: memory does not grow with their number
_MANY_CLUSTERINGS = 30
_THIRD_ORDER = 0.7  # its weight in the influences over many clusterings; the rest is the second


def gap_influences(pair: LabelledPair, scaling: float) -> Array:
    r"""Return each text's influence on the gap, shape (n,); they add up to about zero.

    Notes
    -----
    The area changes with the divergences by
    :math:`\delta A = -c^2\int xy\,[KL_Q'\,\delta KL_P - KL_P'\,\delta KL_Q]\,d\lambda`.
    Leaving out a text changes the divergences through its own cell, and by a part that
    is the same for all texts of its side, which the centring removes. The derivative is
    taken at the plug-in curve: its direction hardly differs from that of the corrected
    one, and it exists where the corrected divergences are zero.
    """
    grid = quadrature_grid(RESAMPLING_ORDER)
    orders = influence_orders(len(pair.labels))
    p_counts, q_counts = pair.counts()
    gradient = _gap_gradient(mean_divergences(p_counts, q_counts, grid, "plugin"), grid, scaling)
    known: dict[tuple[int, int], _GapTerms] = {}
    influence = np.zeros(len(pair.is_human))
    for labels, counted, a, b in zip(pair.labels, pair.counted, p_counts, q_counts, strict=True):
        n_p, n_q = int(a.sum()), int(b.sum())
        if (n_p, n_q) not in known:
            same = (p_counts.sum(axis=1) == n_p) & (q_counts.sum(axis=1) == n_q)
            known[n_p, n_q] = _GapTerms(p_counts[same], q_counts[same], orders, gradient, grid)
        terms = known[n_p, n_q]
        here = terms(a, b)
        of_human = here - terms(np.maximum(a - 1, 0), b)
        of_model = here - terms(a, np.maximum(b - 1, 0))
        of_human -= (a / n_p) @ of_human
        of_model -= (b / n_q) @ of_model
        effect = np.where(pair.is_human, of_human[labels], of_model[labels])
        influence += np.where(counted, effect, 0.0)
    return influence / len(pair.labels)


def influence_orders(n_clusterings: int) -> dict[int, float]:
    """Return the weights of the jackknives, by their order, that influences are taken of.

    An influence holds the noise of the text's cells, and more of it for a jackknife of higher
    order. Averaged over many clusterings it adds what the first order leaves out of the
    variance; over few it would add too much. docs/method.md has the figures.

    Examples
    --------
    >>> influence_orders(10)
    {2: 1.0}
    """
    if n_clusterings < _MANY_CLUSTERINGS:
        return {2: 1.0}
    return {2: 1 - _THIRD_ORDER, 3: _THIRD_ORDER}


class _GapTerms:
    """What cells add to the gap, to first order, by their two counts.

    Many cells of many clusterings have the same counts, so each pair is computed once.

    Parameters
    ----------
    p_counts, q_counts : array of int, shape (n_clusterings, k)
        Of clusterings that count the same numbers of texts.
    orders : dict from int to float
        Weights of the jackknives.
    gradient : array of shape (2, n_grid)
        Of the gap by the divergences.
    """

    def __init__(
        self,
        p_counts: NDArray[np.int64],
        q_counts: NDArray[np.int64],
        orders: dict[int, float],
        gradient: Array,
        grid: MixtureGrid,
    ) -> None:
        self._step = int(q_counts.max()) + 1
        a, b = p_counts.ravel(), q_counts.ravel()
        fewer = (np.maximum(a - 1, 0), b), (a, np.maximum(b - 1, 0))
        self._codes = np.unique(np.concatenate([x * self._step + y for x, y in ((a, b), *fewer)]))
        a, b = self._codes // self._step, self._codes % self._step
        n_p, n_q = int(p_counts[0].sum()), int(q_counts[0].sum())
        self._terms = np.zeros(len(a))
        for order, weight in orders.items():
            cells = jackknife_cells(a, b, n_p, n_q, grid, order)
            self._terms += weight * (cells.kl_p @ gradient[0] + cells.kl_q @ gradient[1])

    def __call__(self, p_counts: NDArray[np.int64], q_counts: NDArray[np.int64]) -> Array:
        wanted = p_counts * self._step + q_counts
        return np.asarray(self._terms[np.searchsorted(self._codes, wanted)])


def _gap_gradient(whole: Divergences, grid: MixtureGrid, scaling: float) -> Array:
    """Return the derivative of the gap by kl_p and kl_q at each λ, shape (2, n_grid)."""
    below = grid.weight_p <= 0.5
    slope_q = np.where(below, whole.slope, whole.slope * grid.weight_p / grid.weight_q)
    slope_p = np.where(below, whole.slope * grid.weight_q / grid.weight_p, whole.slope)
    both = np.exp(-scaling * (whole.kl_p + whole.kl_q))
    of_area = -(scaling**2) * grid.quadrature * both * np.stack([slope_q, slope_p])
    area = curve_area(whole, grid, scaling)
    gap = gap_of(area)
    # Equal histograms: no text moves the gap to first order.
    return np.asarray(-of_area / (2 * area * gap)) if gap > 0 else np.zeros_like(of_area)


def covariance(first: Array, second: Array, groups: NDArray[np.int64]) -> float:
    """Return the covariance of two sums of influences, independent across groups.

    Examples
    --------
    >>> one = np.array([1.0, -1.0, 1.0, -1.0])
    >>> round(covariance(one, one, np.arange(4)), 4)
    5.3333
    """
    present = np.bincount(groups) > 0
    a = np.bincount(groups, weights=first)[present]
    b = np.bincount(groups, weights=second)[present]
    return float((a * b).sum() * len(a) / max(len(a) - 1, 1))


@dataclass(frozen=True)
class NullScores:
    """Scores of the same texts with their sides permuted, as if P = Q.

    Attributes
    ----------
    observed : float
        Plug-in score of the sides as they are, computed like those of the draws.
    plugin : array of shape (n_draws,)
        Plug-in score over all texts, the test statistic.
    score : array of shape (n_draws,)
        The estimator's score.
    """

    observed: float
    plugin: Array
    score: Array

    @property
    def p_value(self) -> float:
        """Share of the plug-in scores, the observed one among them, that are as low.

        Exact: if P = Q, it is at most α with a probability of at most α.
        """
        # Permutations that give back the same histograms may differ in the last bits.
        as_low = np.sum(self.plugin <= self.observed + 1e-9)
        return float((1 + as_low) / (1 + len(self.plugin)))


def permutation_scores(
    pair: LabelledPair, estimator: str, scaling: float, n_draws: int, seed: int
) -> NullScores:
    """Score `n_draws` permutations of the sides."""
    grid = curve_grid(RESAMPLING_POINTS)
    everything = pair.counting_all()
    tables, ones = TermTables(), np.ones((1, len(pair.is_human)))
    totals, totals_counted = everything.counts_of(ones), pair.counts_of(ones)

    def score_batch(start: int) -> tuple[Array, Array]:
        rng = np.random.default_rng([seed, start])
        sides = permuted_sides(pair, min(_BATCH, n_draws - start), rng)
        p_all = everything.counts_of(sides)
        plugin = mean_divergences(p_all, totals - p_all, grid, "plugin", tables)
        p_some = pair.counts_of(sides)
        chosen = mean_divergences(p_some, totals_counted - p_some, grid, estimator, tables)
        return score_of(plugin, scaling), score_of(chosen, scaling)

    batches = parallel_map(score_batch, range(0, n_draws, _BATCH))
    plugin, score = (np.concatenate(part) for part in zip(*batches, strict=True))
    observed = score_of(mean_divergences(*everything.counts(), grid, "plugin"), scaling)
    return NullScores(float(observed), plugin, score)


def bootstrap_gaps(
    pair: LabelledPair, estimator: str, scaling: float, n_draws: int, seed: int
) -> Array:
    """Return the gaps of `n_draws` bootstrap samples of the texts."""
    grid, tables = curve_grid(RESAMPLING_POINTS), TermTables()

    def gap_batch(start: int) -> Array:
        weights = bootstrap_weights(pair, min(_BATCH, n_draws - start), [seed, start])
        p_counts = pair.counts_of(weights * pair.is_human)
        q_counts = pair.counts_of(weights * ~pair.is_human)
        found = mean_divergences(p_counts, q_counts, grid, estimator, tables)
        return gap_of(score_of(found, scaling))

    return np.concatenate(parallel_map(gap_batch, range(0, n_draws, _BATCH)))


def score_interval(score: float, gap_error: float, confidence: float) -> tuple[float, float]:
    """Return the interval of a score from the standard error of its gap.

    Examples
    --------
    >>> [round(end, 3) for end in score_interval(0.9, 0.05, 0.95)]
    [0.836, 0.95]
    """
    reach = float(scipy.special.ndtri(0.5 + confidence / 2)) * gap_error
    gap = float(gap_of(score))
    return float(score_at(gap + reach)), float(score_at(gap - reach))


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


def _joint_reach(own: Array, other: Array, correlation: float) -> Array:
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


def texts_needed(
    n_texts: int, error: float, difference: float, *, power: float, confidence: float
) -> int:
    """Return how many texts a side show a difference, given its standard error at `n_texts`.

    Parameters
    ----------
    n_texts : int
        Texts a side behind `error`, which falls with their square root.
    error : float
        Standard error of the difference.
    difference : float
        What is to be seen, above 0.
    power : float in (0, 1)
        Probability of seeing it.
    confidence : float in (0, 1)
        One minus the level of the two-sided test.

    Examples
    --------
    >>> texts_needed(1000, 0.02, 0.02, power=0.8, confidence=0.95)
    7849
    """
    distance = scipy.special.ndtri(0.5 + confidence / 2) + scipy.special.ndtri(power)
    return max(2, int(np.ceil(n_texts * (distance * error / difference) ** 2)))


def equivalence_to_one(score: float, gap_error: float, margin: float) -> float:
    """Return the p-value of the test that a score is above 1 - margin.

    Examples
    --------
    >>> equivalence_to_one(0.99, 0.02, margin=0.1) < 0.001
    True
    """
    slack = float(gap_of(1 - margin) - gap_of(score))
    if gap_error == 0:
        return 0.0 if slack > 0 else 1.0
    return float(scipy.special.ndtr(-slack / gap_error))
