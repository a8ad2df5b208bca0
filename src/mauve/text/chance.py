"""Whether two samples of texts differ by more than chance.

SciPy's own tests live in ``scipy.stats``, which takes longer to import than all checks of
form take to run; what is needed here is a few lines of its special functions.
"""

import numpy as np
import scipy

from mauve.arrays import FloatArray, IntArray


def fisher(k_human: int, n_human: int, k_model: int, n_model: int) -> float:
    r"""Return the two-sided p-value of Fisher's exact test of two shares.

    Parameters
    ----------
    k_human, n_human, k_model, n_model : int
        `k` of the `n` texts of a side have the property.

    Notes
    -----
    Given k = k_human + k_model, the count on the human side is hypergeometric if both
    sides have the property equally often; the p-value is the probability of all counts
    that are no more probable than the one found.

    Examples
    --------
    >>> round(fisher(0, 10, 8, 10), 5)
    0.00071
    """
    k = k_human + k_model
    possible = np.arange(max(0, k - n_model), min(k, n_human) + 1)
    logs = (
        _log_binomial(n_human, possible)
        + _log_binomial(n_model, k - possible)
        - _log_binomial(n_human + n_model, k)
    )
    # The slack keeps the mirror image of what was found, which rounding may set apart.
    no_more_probable = logs <= logs[k_human - possible[0]] + 1e-7
    return min(1.0, float(np.exp(logs[no_more_probable]).sum()))


def smirnov(human: IntArray, model: IntArray) -> tuple[float, float, float]:
    r"""Return where two distributions differ most, by how much, and the p-value.

    Parameters
    ----------
    human, model : array of int, shape (n,) and (m,)

    Returns
    -------
    where, distance, p_value : float
        The distance is the share of `human` up to `where` less that of `model`, so it
        has a sign. The p-value is Smirnov's for large samples; it is too large, never too
        small, where values are tied or samples are small.

    Examples
    --------
    >>> smirnov(np.arange(50), np.arange(50) + 25)[:2]
    (24.0, 0.5)
    """
    values = np.union1d(human, model)
    distances = np.searchsorted(np.sort(human), values, side="right") / len(human)
    distances -= np.searchsorted(np.sort(model), values, side="right") / len(model)
    most = int(np.argmax(np.abs(distances)))
    n_effective = len(human) * len(model) / (len(human) + len(model))
    p_value = float(scipy.special.kolmogorov(np.sqrt(n_effective) * abs(distances[most])))
    return float(values[most]), float(distances[most]), p_value


def copies_among(counts: IntArray, n: int) -> float:
    r"""Return how many of `n` texts, drawn by lot, are copies of another one drawn.

    Large samples hold more copies than small ones of the same source, so two sides are
    compared at the same `n`.

    Parameters
    ----------
    counts : array of int, shape (number of different texts,)
        How often each text stands in the sample.
    n : int
        Texts to draw, at most all.

    Notes
    -----
    `n` less the expected number of different texts, :math:`\sum_i 1 - \binom{N - c_i}{n}
    / \binom{N}{n}`.

    Examples
    --------
    >>> copies_among(np.array([3, 1, 1]), 5)
    2.0
    >>> round(copies_among(np.array([3, 1, 1]), 2), 3)  # 3 of 10 pairs
    0.3
    """
    total = int(counts.sum())
    absent = np.exp(_log_binomial(total - counts, n) - _log_binomial(total, n))
    return float(n - (1 - absent).sum())


def shared_by_chance(human: IntArray, model: IntArray) -> float:
    r"""Return the p-value of as many texts on both sides as there are.

    Parameters
    ----------
    human, model : array of int, shape (number of different texts,)
        How often each text stands on either side.

    Notes
    -----
    If both sides are one source, which side a text is on is drawn by lot, and c equal
    texts fall on one side only with the probability :math:`[\binom{n}{c} +
    \binom{m}{c}] / \binom{n+m}{c}`. How many of the texts that stand twice or more are
    on both sides is then a sum of nearly independent events. A binomial with the same
    mean has no smaller upper tail (Hoeffding 1956), and gives the p-value.

    So equal answers to a simple question are no sign of a leak, and texts that are human
    once and the model's once, time after time, are.

    Examples
    --------
    >>> shared_by_chance(np.ones(1000, int), np.repeat([1, 0], [20, 980])) < 1e-5
    True
    >>> shared_by_chance(np.array([500]), np.array([300]))  # all say the same
    1.0
    """
    n_human, n_model, times = int(human.sum()), int(model.sum()), human + model
    several = times[times > 1]
    if len(several) == 0:
        return 1.0
    all_ways = _log_binomial(n_human + n_model, several)
    apart = sum(np.exp(_log_binomial(n, several) - all_ways) for n in (n_human, n_model))
    found = np.count_nonzero((human > 0) & (model > 0))
    return float(scipy.special.bdtrc(found - 1, len(several), np.clip(1 - np.mean(apart), 0, 1)))


def _log_binomial(n: IntArray | int, k: IntArray | int) -> FloatArray:
    """Return the logarithm of n over k, minus infinity where k > n."""
    return np.asarray(
        scipy.special.gammaln(np.add(n, 1))
        - scipy.special.gammaln(np.add(k, 1))
        - scipy.special.gammaln(np.subtract(n, k) + 1)
    )
