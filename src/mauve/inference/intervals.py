r"""Make intervals and tests from the influence of each text on the score.

A text's influence is the change that leaving it out makes, summed over the clusterings.
Texts are independent (or the prompts they answer are), so the squares of the influences
add up to the variance, and the influences of two systems on the same human texts give the
correlation of their scores.

Influences and standard errors are those of the deviance, :math:`\sqrt{-\log \text{score}}`
(:func:`mauve.frontier.score.deviance_of`), whose errors are about symmetric.
"""

import numpy as np
import scipy

from mauve.arrays import FloatArray, IntArray
from mauve.frontier.curve import curve_area
from mauve.frontier.divergences import Divergences
from mauve.frontier.estimators import estimate_divergences, jackknife_terms
from mauve.frontier.grid import INFLUENCE_ORDER, MixtureGrid, quadrature_grid
from mauve.frontier.score import deviance_of, mean_divergences, score_at
from mauve.inference.resampling import LabelledPair

_LINEAR_SHARE = 0.2  # of the variance between clusterings
_MANY_CLUSTERINGS = 30
_THIRD_ORDER_WEIGHT = 0.7  # with many clusterings; the second order has the remaining weight


def deviance_influences(pair: LabelledPair, scaling: float) -> FloatArray:
    r"""Return each text's influence on the deviance, shape (n,); their sum is about zero.

    Notes
    -----
    The area changes with the divergences by
    :math:`\delta A = -c^2\int xy\,[KL_Q'\,\delta KL_P - KL_P'\,\delta KL_Q]\,d\lambda`.
    Leaving out a text changes the divergences through its bucket, and by a part that
    is the same for all texts of its sample, which the centring removes. The derivative is
    taken at the plug-in curve: its direction hardly differs from that of the corrected
    one, and it exists where the corrected divergences are zero.
    """
    tables = influence_tables(*pair.counts(), scaling)
    influences = np.zeros(len(pair.is_human))
    side = (~pair.is_human).astype(np.int64)
    for labels, counted, table in zip(pair.labels, pair.counted, tables, strict=True):
        influences += np.where(counted, table[labels, side], 0.0)
    return influences / len(pair.labels)


def influence_tables(p_counts: IntArray, q_counts: IntArray, scaling: float) -> FloatArray:
    """Return the influence of a counted text by its bucket, shape (n_clusterings, k, 2).

    The last axis is the sample of the text, human first. The influence of a text is the mean of
    its values over all clusterings, with zero for those that do not count it.

    Parameters
    ----------
    p_counts, q_counts : array of int, shape (n_clusterings, k)
    scaling : float

    Examples
    --------
    >>> p_counts, q_counts = np.array([[[30, 10]], [[20, 20]]])
    >>> tables = influence_tables(p_counts, q_counts, scaling=5)
    >>> bool(abs(p_counts[0] @ tables[0, :, 0]) < 1e-12)  # they sum to zero in each sample
    True
    """
    grid = quadrature_grid(INFLUENCE_ORDER)
    orders = influence_orders(len(p_counts))
    plugin = mean_divergences(p_counts, q_counts, grid, "plugin")
    gradient = _deviance_gradient(plugin, grid, scaling)
    tables: dict[tuple[int, int], _DevianceTerms] = {}
    by_bucket = np.empty((*p_counts.shape, 2))
    for clustering, (a, b) in enumerate(zip(p_counts, q_counts, strict=True)):
        n_p, n_q = int(a.sum()), int(b.sum())
        if (n_p, n_q) not in tables:
            same = (p_counts.sum(axis=1) == n_p) & (q_counts.sum(axis=1) == n_q)
            tables[n_p, n_q] = _DevianceTerms(
                p_counts[same], q_counts[same], orders, gradient, grid
            )
        terms = tables[n_p, n_q]
        whole = terms(a, b)
        of_human = whole - terms(np.maximum(a - 1, 0), b)
        of_model = whole - terms(a, np.maximum(b - 1, 0))
        by_bucket[clustering, :, 0] = of_human - (a / n_p) @ of_human
        by_bucket[clustering, :, 1] = of_model - (b / n_q) @ of_model
    return by_bucket


def clustering_deviances(
    p_counts: IntArray, q_counts: IntArray, share_learnt: float, estimator: str, scaling: float
) -> FloatArray:
    r"""Return how far the deviance of each clustering is from their mean, shape (n_clusterings,).

    They are scaled so that their squares add up to the variance that comes from the texts that
    clusterings are learnt from; to first order, as the influences are.

    Parameters
    ----------
    p_counts, q_counts : array of int, shape (n_clusterings, k)
    share_learnt : float
        Share of the texts that a clustering does not count.
    estimator : str
    scaling : float

    Notes
    -----
    With B clusterings whose deviances have the variance V, the mean has the variance V / B if
    the texts that they are learnt from are drawn anew for each. They are drawn from the same
    samples, of which a clustering learns from a share π: what is linear in the texts does not
    average out, and adds :math:`\rho V \pi / (1 - \pi)`. ``docs/method.md`` measures ρ.
    """
    grid = quadrature_grid(INFLUENCE_ORDER)
    gradient = _deviance_gradient(
        mean_divergences(p_counts, q_counts, grid, "plugin"), grid, scaling
    )
    each = estimate_divergences(p_counts, q_counts, grid, estimator)
    deviances = each.kl_p @ gradient[0] + each.kl_q @ gradient[1]
    n = len(deviances)
    of_mean = 1 / n + _LINEAR_SHARE * share_learnt / max(1 - share_learnt, 1e-12)
    return np.asarray((deviances - deviances.mean()) * np.sqrt(of_mean / max(n - 1, 1)))


def influence_orders(n_clusterings: int) -> dict[int, float]:
    """Return the orders of the jackknife that influences are computed with, and their weights.

    An influence holds the noise of the text's buckets, and more of it for a jackknife of higher
    order. Averaged over many clusterings it adds what the first order leaves out of the
    variance; over few it would add too much. docs/method.md has the figures.

    Examples
    --------
    >>> influence_orders(10)
    {2: 1.0}
    """
    if n_clusterings < _MANY_CLUSTERINGS:
        return {2: 1.0}
    return {2: 1 - _THIRD_ORDER_WEIGHT, 3: _THIRD_ORDER_WEIGHT}


def _deviance_gradient(plugin: Divergences, grid: MixtureGrid, scaling: float) -> FloatArray:
    """Return the derivative of the deviance by kl_p and kl_q at each λ, shape (2, n_grid)."""
    below = grid.weight_p <= 0.5
    slope_q = np.where(below, plugin.slope, plugin.slope * grid.weight_p / grid.weight_q)
    slope_p = np.where(below, plugin.slope * grid.weight_q / grid.weight_p, plugin.slope)
    product = np.exp(-scaling * (plugin.kl_p + plugin.kl_q))
    of_area = -(scaling**2) * grid.quadrature * product * np.stack([slope_q, slope_p])
    area = curve_area(plugin, grid, scaling)
    deviance = deviance_of(area)
    # Equal histograms: no text changes the deviance to first order.
    return np.asarray(-of_area / (2 * area * deviance)) if deviance > 0 else np.zeros_like(of_area)


class _DevianceTerms:
    """Terms that buckets add to the deviance, to first order, by their two counts.

    Many buckets of many clusterings have the same counts, so each pair is computed once.

    Parameters
    ----------
    p_counts, q_counts : array of int, shape (n_clusterings, k)
        Of clusterings that count the same numbers of texts.
    orders : dict from int to float
        Weights of the orders of the jackknife.
    gradient : array of shape (2, n_grid)
        Of the deviance by the divergences.
    grid : MixtureGrid
        Values of λ.
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
        pairs = (a, b), (np.maximum(a - 1, 0), b), (a, np.maximum(b - 1, 0))
        self._codes = np.unique(np.concatenate([x * self._step + y for x, y in pairs]))
        a, b = self._codes // self._step, self._codes % self._step
        n_p, n_q = int(p_counts[0].sum()), int(q_counts[0].sum())
        self._terms = np.zeros(len(a))
        for order, weight in orders.items():
            terms = jackknife_terms(a, b, n_p, n_q, grid, order)
            self._terms += weight * (terms.kl_p @ gradient[0] + terms.kl_q @ gradient[1])

    def __call__(self, p_counts: IntArray, q_counts: IntArray) -> FloatArray:
        codes = p_counts * self._step + q_counts
        return np.asarray(self._terms[np.searchsorted(self._codes, codes)])


def covariance(first: FloatArray, second: FloatArray, groups: IntArray) -> float:
    """Return the covariance of two sums of influences, independent across groups.

    Examples
    --------
    >>> influences = np.array([1.0, -1.0, 1.0, -1.0])
    >>> round(covariance(influences, influences, np.arange(4)), 4)
    5.3333
    """
    present = np.bincount(groups) > 0
    a = np.bincount(groups, weights=first)[present]
    b = np.bincount(groups, weights=second)[present]
    return float((a * b).sum() * len(a) / max(len(a) - 1, 1))


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors a two-sided interval reaches to either end.

    Examples
    --------
    >>> round(normal_quantile(0.95), 2)
    1.96
    """
    return float(scipy.special.ndtri(0.5 + confidence / 2))


def score_interval(score: float, deviance_error: float, confidence: float) -> tuple[float, float]:
    """Return the interval of a score from the standard error of its deviance.

    Examples
    --------
    >>> [round(end, 3) for end in score_interval(0.9, 0.05, 0.95)]
    [0.836, 0.95]
    """
    reach = normal_quantile(confidence) * deviance_error
    deviance = float(deviance_of(score))
    return float(score_at(deviance + reach)), float(score_at(deviance - reach))


def score_error(score: float, deviance_error: float) -> float:
    """Return the standard error of a score, downwards: a score of 1 cannot be higher.

    Examples
    --------
    >>> round(score_error(0.9, 0.05), 3)
    0.031
    """
    return score - float(score_at(float(deviance_of(score)) + deviance_error))


def difference_interval(
    values: tuple[float, float],
    lower: tuple[float | FloatArray, float | FloatArray],
    upper: tuple[float | FloatArray, float | FloatArray],
    correlation: float,
) -> tuple[FloatArray, FloatArray]:
    r"""Return the interval of a difference from the intervals of its two parts.

    Parameters
    ----------
    values : tuple of float
        The difference is the first minus the second.
    lower, upper : tuple of float or array
        Ends of the interval of each value. Arrays give one interval for each element.
    correlation : float
        Of the errors of the two values.

    Returns
    -------
    low, high : array
        Ends of the interval of the difference.

    Notes
    -----
    The method of variance estimates recovery, which keeps skewed intervals skewed: the lower
    end is :math:`d - \sqrt{l_1^2 + u_2^2 - 2\rho\,l_1 u_2}`, with the distance :math:`l_1` of
    the first value to its lower end and :math:`u_2` of the second to its upper end.

    References
    ----------
    Zou and Donner, *Construction of confidence limits about effect measures*, Statistics in
    Medicine 2008.

    Examples
    --------
    >>> low, high = difference_interval((0.9, 0.5), (0.6, 0.2), (1.0, 0.9), correlation=0.0)
    >>> round(float(low), 2), round(float(high), 3)
    (-0.1, 0.716)
    """

    def reach(of_first: float | FloatArray, of_second: float | FloatArray) -> FloatArray:
        square = of_first**2 + of_second**2 - 2 * correlation * of_first * of_second
        return np.sqrt(np.fmax(square, 0.0))  # fmax: an infinite value has no interval

    difference = values[0] - values[1]
    return (
        np.asarray(difference - reach(values[0] - lower[0], upper[1] - values[1])),
        np.asarray(difference + reach(upper[0] - values[0], values[1] - lower[1])),
    )


def texts_needed(
    n_texts: int, error: float, difference: float, *, power: float, confidence: float
) -> int:
    """Return how many texts per sample detect a difference.

    Parameters
    ----------
    n_texts : int
        Texts per sample behind `error`, which falls with their square root.
    error : float
        Standard error of the difference.
    difference : float
        The difference to detect, above 0.
    power : float in (0, 1)
        Probability of detecting it.
    confidence : float in (0, 1)
        One minus the level of the two-sided test.

    Examples
    --------
    >>> texts_needed(1000, 0.02, 0.02, power=0.8, confidence=0.95)
    7849
    """
    distance = normal_quantile(confidence) + scipy.special.ndtri(power)
    return max(2, int(np.ceil(n_texts * (distance * error / difference) ** 2)))


def equivalence_to_one(score: float, deviance_error: float, margin: float) -> float:
    """Return the p-value of the test that a score is above 1 - margin.

    Examples
    --------
    >>> equivalence_to_one(0.99, 0.02, margin=0.1) < 0.001
    True
    """
    slack = float(deviance_of(1 - margin) - deviance_of(score))
    if deviance_error == 0:
        return 0.0 if slack > 0 else 1.0
    return float(scipy.special.ndtr(-slack / deviance_error))
