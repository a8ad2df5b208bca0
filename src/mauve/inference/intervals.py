r"""How far a score can be trusted: intervals, tests, ceilings, sample sizes.

A text's influence is the change of the score that leaving it out makes, summed over
the clusterings. Texts are independent (or the prompts they answer are), so the squares
of the influences add up to the variance of the score, and the influences of two
systems on the same human texts give the correlation of their scores.

Intervals are made on the scale of the gap, the square root of minus the logarithm of
the score (:func:`mauve.frontier.score.gap_of`), where errors are even.
"""

import numpy as np
import scipy

from mauve.arrays import FloatArray, IntArray
from mauve.frontier.curve import Divergences, curve_area
from mauve.frontier.estimators import jackknife_cells
from mauve.frontier.grid import RESAMPLING_ORDER, MixtureGrid, quadrature_grid
from mauve.frontier.score import gap_of, mean_divergences, score_at
from mauve.inference.resampling import LabelledPair

_MANY_CLUSTERINGS = 30
_THIRD_ORDER = 0.7  # its weight in the influences over many clusterings; the rest is the second


def gap_influences(pair: LabelledPair, scaling: float) -> FloatArray:
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
        p_counts: IntArray,
        q_counts: IntArray,
        orders: dict[int, float],
        gradient: FloatArray,
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

    def __call__(self, p_counts: IntArray, q_counts: IntArray) -> FloatArray:
        wanted = p_counts * self._step + q_counts
        return np.asarray(self._terms[np.searchsorted(self._codes, wanted)])


def _gap_gradient(whole: Divergences, grid: MixtureGrid, scaling: float) -> FloatArray:
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


def covariance(first: FloatArray, second: FloatArray, groups: IntArray) -> float:
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
