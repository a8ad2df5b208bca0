"""Count the texts in each bucket and turn counts into histograms (paper, equation 3)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray, IntArray
from mauve.calls import parameter
from mauve.errors import InvalidParameterError, check_choice


def count_labels(labels: ArrayLike, num_buckets: int) -> IntArray:
    """Count the texts in each bucket, along the last axis.

    Parameters
    ----------
    labels : array_like of int, shape (..., n)
        Bucket of every text, in [0, num_buckets).
    num_buckets : int
        Number of buckets k.

    Returns
    -------
    array of int, shape (..., num_buckets)

    Examples
    --------
    >>> count_labels([[0, 2, 2], [1, 1, 1]], 3).tolist()
    [[1, 0, 2], [0, 3, 0]]
    """
    buckets = np.asarray(labels)
    if buckets.size and (buckets.min() < 0 or buckets.max() >= num_buckets):
        raise InvalidParameterError(
            f"{parameter('labels')} must lie in [0, {num_buckets}). "
            f"Got labels from {buckets.min()} to {buckets.max()} instead."
        )
    rows = buckets.reshape(-1, buckets.shape[-1]).astype(np.int64, copy=False)
    offset = np.arange(len(rows))[:, None] * num_buckets
    counts = np.bincount((rows + offset).ravel(), minlength=len(rows) * num_buckets)
    return counts.reshape(*buckets.shape[:-1], num_buckets)


def no_smoothing(counts: ArrayLike) -> FloatArray:
    """Return the relative frequencies (paper, equation 3).

    Examples
    --------
    >>> no_smoothing([1, 3]).tolist()
    [0.25, 0.75]
    """
    c = np.asarray(counts, dtype=float)
    return np.asarray(c / c.sum(axis=-1, keepdims=True))


def laplace(counts: ArrayLike) -> FloatArray:
    """Add one to every bucket.

    Examples
    --------
    >>> laplace([0, 2]).tolist()
    [0.25, 0.75]
    """
    return no_smoothing(np.asarray(counts) + 1.0)


def krichevsky_trofimov(counts: ArrayLike) -> FloatArray:
    """Add one half to every bucket.

    Examples
    --------
    >>> krichevsky_trofimov([0, 3]).tolist()
    [0.125, 0.875]
    """
    return no_smoothing(np.asarray(counts) + 0.5)


def braess_sauer(counts: ArrayLike) -> FloatArray:
    """Add 1/2 to an empty bucket, 1 to one with one text, 3/4 to one with more.

    References
    ----------
    Braess and Sauer, *Bernstein polynomials and learning theory*, 2004.

    Examples
    --------
    >>> braess_sauer([0, 1, 2]).round(4).tolist()
    [0.0952, 0.381, 0.5238]
    """
    c = np.asarray(counts)
    return no_smoothing(c + np.where(c == 0, 0.5, np.where(c == 1, 1.0, 0.75)))


def good_turing(counts: ArrayLike) -> FloatArray:
    r"""Give a bucket with t texts the mass of the buckets with t+1 texts.

    Notes
    -----
    With :math:`\phi_t` the number of buckets with t texts, the weight of such a bucket is
    t where :math:`t > \phi_{t+1}` and :math:`(\phi_{t+1}+1)(t+1)/\phi_t` elsewhere,
    normalised to one. This modified Good-Turing estimator is positive everywhere.

    References
    ----------
    Orlitsky and Suresh, *Competitive distribution estimation: why is Good-Turing good*,
    NeurIPS 2015.

    Examples
    --------
    >>> good_turing([0, 0, 1, 5]).round(3).tolist()
    [0.125, 0.125, 0.125, 0.625]
    """
    c = np.asarray(counts, dtype=np.int64)
    rows = c.reshape(-1, c.shape[-1])
    n_values = int(c.max(initial=0)) + 2
    phi = count_labels(rows, n_values).astype(float)  # (rows, values of t)
    phi_t = np.take_along_axis(phi, rows, axis=1)
    phi_next = np.take_along_axis(phi, rows + 1, axis=1)
    weight = np.where(rows > phi_next, rows, (phi_next + 1) * (rows + 1) / phi_t)
    return no_smoothing(weight.reshape(c.shape))


#: Estimators of probabilities by the name that `smooth` takes.
SMOOTHINGS: dict[str, Callable[[ArrayLike], FloatArray]] = {
    "none": no_smoothing,
    "laplace": laplace,
    "krichevsky-trofimov": krichevsky_trofimov,
    "braess-sauer": braess_sauer,
    "good-turing": good_turing,
}


def smooth(counts: ArrayLike, smoothing: str = "none") -> FloatArray:
    """Turn counts of shape (..., k) into probabilities of the same shape.

    Parameters
    ----------
    counts : array_like of shape (..., k)
        Texts in each bucket; every row needs at least one.
    smoothing : {"none", "laplace", "krichevsky-trofimov", "braess-sauer", "good-turing"}
        Which estimator of the probabilities to use.

    Examples
    --------
    >>> smooth([2, 0], "krichevsky-trofimov").round(3).tolist()
    [0.833, 0.167]
    """
    c = np.asarray(counts)
    check_choice("smoothing", smoothing, SMOOTHINGS)
    if c.size == 0 or c.min() < 0 or not np.all(c.sum(axis=-1) > 0):
        raise InvalidParameterError(
            f"{parameter('counts')} must be counts with at least one text in every "
            "row. Got an empty, negative or all-zero row instead."
        )
    return SMOOTHINGS[smoothing](c)
