"""Whether a group of texts has something more often than a random group would."""

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.integer]


def log_tails(count: Ints, total: Ints, n_group: int, n_texts: int) -> Array:
    r"""Return an upper bound of the p-value of each count, as a logarithm.

    Parameters
    ----------
    count : array of int, shape (m,)
        Texts of the group that have each thing, at least as many as expected.
    total : array of int, shape (m,)
        Texts that have it.
    n_group, n_texts : int
        Texts of the group, and all texts.

    Notes
    -----
    The number X in a group drawn at random has a hypergeometric distribution. Beyond its mode
    the ratios of its terms fall, so that its upper tail is at most a geometric series,

    .. math:: P(X \ge y) \le \frac{P(X = y)}{1 - r}, \qquad
              r = \frac{P(X=y+1)}{P(X=y)} = \frac{(K-y)(n-y)}{(y+1)(N-K-n+y+1)}

    which is close where p is small, and where r is 1 or more the bound is 1.

    Examples
    --------
    >>> np.exp(log_tails(np.array([3, 2]), np.array([3, 3]), 5, 10)).round(4).tolist()
    [0.0833, 0.5208]
    """
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n_texts + 1)))])  # of factorials
    rest = n_texts - total - n_group + count  # texts outside that lack it
    log_term = (
        logs[total] - logs[count] - logs[total - count]
        + logs[n_texts - total] - logs[n_group - count] - logs[rest]
        - logs[n_texts] + logs[n_group] + logs[n_texts - n_group]
    )  # fmt: skip
    ratio = (total - count) * (n_group - count) / ((count + 1.0) * (rest + 1.0))
    with np.errstate(divide="ignore"):
        bound = log_term - np.log(np.maximum(1 - ratio, 0))
    return np.asarray(np.minimum(bound, 0.0))


def log_limit(total: Ints, n_group: int, n_texts: int, level: float) -> float:
    """Return the logarithm of the p-value up to which something is no accident.

    Parameters
    ----------
    total : array of int, shape (m,)
        Texts that have each thing.
    n_group, n_texts : int
        Texts of the group, and all texts.
    level : float
        Chance that any of the m things is found in a group drawn at random.

    Notes
    -----
    The limit is level/k, with the least k such that at most k things could have a p-value of
    level/k or less: one that few texts have never can, and needs no share of the level.

    References
    ----------
    Tarone, *A modified Bonferroni method for discrete data*, Biometrics 1990.

    Examples
    --------
    >>> total = np.array([1, 2, 3, 9, 9])  # at best 1/2, 2/9, 1/12 and 1/2 of all groups
    >>> float(np.exp(log_limit(total, 5, 10, 0.1)).round(4))
    0.1
    """
    numbers = np.bincount(total)
    sizes = np.arange(len(numbers))
    best = log_tails(np.minimum(sizes, n_group), sizes, n_group, n_texts)
    order = np.argsort(best)
    reached = np.concatenate([[0], np.cumsum(numbers[order])])

    def is_enough(k: int) -> bool:
        return bool(reached[np.searchsorted(best[order], np.log(level / k), "right")] <= k)

    k = 1 + bisect_left(range(1, len(total) + 1), True, key=is_enough)
    return float(np.log(level / k))
