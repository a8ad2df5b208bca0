"""Correlate the rankings of two measures, with an interval that carries the errors of both."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.errors import bad_parameter, check_int, check_share

_LEAST = 4  # settings: fewer can be ranked in so few ways that nothing follows
_MOST_EXACT = 8  # settings of which all permutations are counted: 40,320
_ROUNDING = 1e-9  # of a correlation
_MAX_REDRAWS = 100


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rank correlation of two measures over the same settings.

    Attributes
    ----------
    rho : float
        From -1 to 1.
    interval : tuple of float
        Confidence interval of the correlation of the settings' true values, over settings such
        as these.
    p_value : float
        Two-sided, of no association.
    n : int
        Number of settings.
    confidence : float
    """

    rho: float
    interval: tuple[float, float]
    p_value: float
    n: int
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
        return asdict(self) | {"interval": list(self.interval)}


def rank_correlation(
    first: ArrayLike,
    second: ArrayLike,
    *,
    first_draws: ArrayLike | None = None,
    second_draws: ArrayLike | None = None,
    confidence: float = 0.95,
    n_bootstrap: int = 2000,
    seed: int = 0,
) -> RankCorrelation:
    r"""Compute Spearman's rank correlation with its p-value and interval.

    Parameters
    ----------
    first, second : array_like of shape (n,)
        Values of two measures for the same settings.
    first_draws, second_draws : array_like of shape (n_draws, n), optional
        What the values could have been, given their errors: bootstrap draws, or those of
        :func:`draws_from_intervals`. Without them, values are taken as exact.
    confidence : float
    n_bootstrap : int
    seed : int

    Returns
    -------
    RankCorrelation

    Raises
    ------
    InvalidParameterError
        If there are fewer than four settings, or all values of a measure are equal.

    Notes
    -----
    The correlation is that of the ranks; tied values have their mean rank. The p-value is exact
    for up to eight settings, by all permutations; for more it follows from

    .. math:: t = \rho \sqrt{(n - 2) / (1 - \rho^2)}

    with :math:`n - 2` degrees of freedom. Each bootstrap replicate draws settings with
    replacement, and for each its values from their draws; replicates of a single setting have
    no ranks and are drawn again. Errors weaken a correlation; they do so once in the values and
    once more in the replicates, so the interval is the bias-corrected percentile one [1]_, which
    moves it back by as much. That may make it narrower than without the errors, so it holds the
    interval of the values as they are, too. Where the values agree perfectly, so do most
    replicates: there the interval also reaches as far as that of Bonett and Wright [2]_ for
    :math:`\pm(1 - 1/n^2)`.

    References
    ----------
    .. [1] Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 14.3.
    .. [2] Bonett and Wright, Sample size requirements for estimating Pearson, Kendall and
       Spearman correlations, Psychometrika 65, 2000.

    Examples
    --------
    >>> scores, human = [0.59, 0.88, 0.37, 0.92, 0.85, 0.94], [-28, -16, -31, -3, -7, 13]
    >>> correlation = rank_correlation(scores, human)
    >>> round(correlation.rho, 3), round(correlation.p_value, 4)
    (0.943, 0.0167)
    """
    x, y = _values("first", first), _values("second", second)
    if len(x) != len(y):
        rule = f"as many values as 'first', {len(x)}"
        raise bad_parameter("second", rule, len(y))
    check_share("confidence", confidence)
    check_int("n_bootstrap", n_bootstrap, 100)
    check_int("seed", seed, 0)
    rho = float(spearman(x, y))
    sides = [
        (x[None], y[None]),
        (_draws("first_draws", first_draws, x), _draws("second_draws", second_draws, y)),
    ]
    intervals = [
        _bias_corrected(rho, _replicates(*draws, n_bootstrap, seed), confidence) for draws in sides
    ]
    interval = min(low for low, _ in intervals), max(high for _, high in intervals)
    if abs(rho) > 1 - _ROUNDING:
        wide = _bonett_wright(np.sign(rho) * (1 - 1 / len(x) ** 2), len(x), confidence)
        interval = min(interval[0], wide[0], rho), max(interval[1], wide[1], rho)
    return RankCorrelation(rho, interval, spearman_p_value(x, y), len(x), float(confidence))


def spearman(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the correlation of the ranks along the last axis; NaN where all values are equal.

    Examples
    --------
    >>> round(float(spearman(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]))), 3)
    0.5
    """
    ranks = [scipy.stats.rankdata(values, axis=-1) for values in (first, second)]
    x, y = (r - r.mean(axis=-1, keepdims=True) for r in ranks)
    scale = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        rho: FloatArray = np.clip((x * y).sum(axis=-1) / scale, -1, 1)
    return rho


def spearman_p_value(first: FloatArray, second: FloatArray) -> float:
    """Return the two-sided p-value of no association; see :func:`rank_correlation`.

    Examples
    --------
    >>> spearman_p_value(np.arange(5.0), np.arange(5.0)) == 2 / 120
    True
    """
    n, rho = len(first), float(spearman(first, second))
    if n <= _MOST_EXACT:
        orders = np.array(list(permutations(range(n))))
        permuted = spearman(np.broadcast_to(first, orders.shape), second[orders])
        return float((np.abs(permuted) >= abs(rho) - _ROUNDING).mean())
    if abs(rho) > 1 - _ROUNDING:
        return 0.0
    t = rho * np.sqrt((n - 2) / (1 - rho**2))
    return float(2 * scipy.stats.t.sf(abs(t), n - 2))


def draws_from_intervals(
    values: Sequence[float],
    intervals: Sequence[tuple[float, float]],
    *,
    confidence: float = 0.95,
    n_draws: int = 2000,
    seed: int = 0,
) -> FloatArray:
    """Draw what values could have been from their confidence intervals.

    Parameters
    ----------
    values : sequence of float
    intervals : sequence of tuple of float
        Each holds its value.
    confidence : float
        Level of the intervals.
    n_draws : int
    seed : int

    Returns
    -------
    array of shape (n_draws, n)
        Normal on each side of the value, with the width that the interval has on that side.

    Examples
    --------
    >>> draws = draws_from_intervals([0.9, 0.5], [(0.8, 0.95), (0.5, 0.5)])
    >>> draws.shape, bool((draws[:, 1] == 0.5).all())
    ((2000, 2), True)
    """
    middle = _values("values", values, least=1)
    ends = np.asarray(intervals, dtype=float).reshape(-1, 2)
    if len(ends) != len(middle):
        raise bad_parameter("intervals", f"one for each value, {len(middle)}", len(ends))
    reach = np.stack([middle - ends[:, 0], ends[:, 1] - middle])
    if not np.isfinite(reach).all() or (reach < -_ROUNDING).any():
        wrong = int(np.flatnonzero(~(np.isfinite(reach) & (reach >= -_ROUNDING)).all(axis=0))[0])
        rule = f"finite and hold their values; value {wrong} is {middle[wrong]:g}"
        raise bad_parameter("intervals", rule, tuple(ends[wrong].tolist()))
    deviates = np.random.default_rng(seed).normal(size=(n_draws, len(middle)))
    widths = np.maximum(reach, 0) / scipy.stats.norm.ppf((1 + confidence) / 2)
    draws: FloatArray = middle + deviates * np.where(deviates < 0, widths[0], widths[1])
    return draws


def _values(name: str, values: ArrayLike, least: int = _LEAST) -> FloatArray:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or len(array) < least:
        why = "a correlation needs them" if least == _LEAST else ""
        raise bad_parameter(name, f"at least {least} values", array.tolist(), why)
    if not np.isfinite(array).all():
        raise bad_parameter(name, "finite values", array.tolist(), "leave out the others")
    if least == _LEAST and np.ptp(array) == 0:
        raise bad_parameter(name, "values of which some differ", array.tolist())
    return array


def _draws(name: str, draws: ArrayLike | None, values: FloatArray) -> FloatArray:
    if draws is None:
        return values[None]
    array = np.asarray(draws, dtype=float)
    if array.ndim != 2 or array.shape[1] != len(values) or not len(array):
        raise bad_parameter(name, f"an array of shape (n_draws, {len(values)})", array.shape)
    if not np.isfinite(array).all():
        raise bad_parameter(name, "finite values", "NaN or infinity")
    return array


def _replicates(first: FloatArray, second: FloatArray, n_bootstrap: int, seed: int) -> FloatArray:
    """Return correlations of settings drawn with replacement, with values from their draws."""
    rng = np.random.default_rng(seed)
    n = first.shape[1]
    kept: list[FloatArray] = []
    for _ in range(_MAX_REDRAWS):
        settings = rng.integers(n, size=(n_bootstrap, n))
        # A row of the draws is one draw of all settings: they may depend on each other.
        sides = (draws[rng.integers(len(draws), size=(n_bootstrap, 1)), settings]
                 for draws in (first, second))  # fmt: skip
        drawn = spearman(*sides)
        kept.append(drawn[np.isfinite(drawn)])
        if sum(map(len, kept)) >= n_bootstrap:
            break
    replicates: FloatArray = np.concatenate(kept)[:n_bootstrap]
    if not len(replicates):
        for name, draws in (("first_draws", first), ("second_draws", second)):
            if (np.ptp(draws, axis=1) == 0).all():
                raise bad_parameter(name, "draws in which settings differ", "equal ones")
    return replicates


def _bias_corrected(rho: float, replicates: FloatArray, confidence: float) -> tuple[float, float]:
    below = (replicates < rho - _ROUNDING).mean()
    equal = (np.abs(replicates - rho) <= _ROUNDING).mean()
    least = 1 / len(replicates)
    shift = scipy.stats.norm.ppf(np.clip(below + equal / 2, least, 1 - least))
    reach = scipy.stats.norm.ppf((1 + confidence) / 2)
    low, high = np.quantile(replicates, scipy.stats.norm.cdf(2 * shift + np.array([-reach, reach])))
    # Errors so large that no replicate is near the estimate would leave it outside.
    return min(float(low), rho), max(float(high), rho)


def _bonett_wright(rho: float, n: int, confidence: float) -> tuple[float, float]:
    error = np.sqrt((1 + rho**2 / 2) / (n - 3))
    reach = scipy.stats.norm.ppf((1 + confidence) / 2) * error
    low, high = np.tanh(np.arctanh(rho) + np.array([-reach, reach]))
    return float(low), float(high)
