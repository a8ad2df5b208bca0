r"""Compute the KL divergences of two histograms to their mixtures (paper, equation 2).

The mixture of weight λ is :math:`R_\lambda = \lambda P + (1-\lambda) Q`. All functions are
vectorised over leading axes: `p` and `q` have shape ``(..., k)`` and broadcast.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.frontier.grid import MixtureGrid


def kl_divergence(p: ArrayLike, q: ArrayLike) -> FloatArray:
    r"""Return KL(P|Q) over the last axis (paper, equation 2).

    Notes
    -----
    .. math:: KL(P|Q) = \sum_j p_j \log\frac{p_j}{q_j},

    which is infinite where P has mass and Q has none.

    Examples
    --------
    >>> float(kl_divergence([0.5, 0.5], [1.0, 0.0]))
    inf
    """
    p_bucket, q_bucket = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p_bucket > 0, p_bucket * (np.log(p_bucket) - np.log(q_bucket)), 0.0)
    return np.asarray(np.maximum(terms.sum(axis=-1), 0.0))


@dataclass(frozen=True)
class Divergences:
    r"""Both divergences to the mixtures of a grid, and the slope that the area needs.

    Attributes
    ----------
    kl_p, kl_q : array of shape (..., n_grid)
        :math:`KL(P|R_\lambda)`, the soft type II error, and :math:`KL(Q|R_\lambda)`,
        the soft type I error.
    slope : array of shape (..., n_grid)
        :math:`d\,KL(Q|R_\lambda)/d\lambda` up to λ = 1/2 and
        :math:`-d\,KL(P|R_\lambda)/d\lambda` beyond. Both are non-negative for
        distributions. The other derivative follows from
        :math:`\lambda\,KL(P|R_\lambda)' + (1-\lambda)\,KL(Q|R_\lambda)' = 0`.
    """

    kl_p: FloatArray
    kl_q: FloatArray
    slope: FloatArray

    # NumPy must leave `array * divergences` to __rmul__.
    __array_ufunc__ = None

    @classmethod
    def of(cls, stacked: FloatArray) -> "Divergences":
        """Split an array of shape (..., 3, n_grid)."""
        return cls(stacked[..., 0, :], stacked[..., 1, :], stacked[..., 2, :])

    def __add__(self, other: "Divergences") -> "Divergences":
        return Divergences(self.kl_p + other.kl_p, self.kl_q + other.kl_q, self.slope + other.slope)

    def __sub__(self, other: "Divergences") -> "Divergences":
        return self + -1.0 * other

    def __rmul__(self, factor: ArrayLike) -> "Divergences":
        scale = np.asarray(factor, dtype=float)
        return Divergences(scale * self.kl_p, scale * self.kl_q, scale * self.slope)

    def sum(self, axis: int) -> "Divergences":
        """Sum over one of the leading axes, such as that of the buckets."""
        return Divergences(
            self.kl_p.sum(axis=axis), self.kl_q.sum(axis=axis), self.slope.sum(axis=axis)
        )


def bucket_divergences(p: ArrayLike, q: ArrayLike, grid: MixtureGrid) -> Divergences:
    """Return the term that each bucket adds to the divergences.

    Parameters
    ----------
    p, q : array_like of shape (..., k)
        Probabilities.
    grid : MixtureGrid
        Values of λ.

    Returns
    -------
    Divergences
        Arrays of shape (..., k, n_grid).

    Examples
    --------
    >>> from mauve.frontier.grid import quadrature_grid
    >>> terms = bucket_divergences([1.0, 0.0], [0.5, 0.5], quadrature_grid(1))
    >>> terms.kl_p[:, 1].round(4).tolist()  # at λ = 1/2: log(4/3) and 0
    [0.2877, 0.0]
    """
    return Divergences.of(bucket_terms(p, q, grid))


def bucket_terms(p: ArrayLike, q: ArrayLike, grid: MixtureGrid) -> FloatArray:
    """Return :func:`bucket_divergences` as one array, shape (..., k, 3, n_grid).

    Scores of resampled texts spend most of their time here, so it works in place.
    """
    p_bucket, q_bucket = np.broadcast_arrays(
        np.asarray(p, dtype=float)[..., None], np.asarray(q, dtype=float)[..., None]
    )
    difference = p_bucket - q_bucket
    low = grid.middle + 1
    terms = np.empty((*p_bucket.shape[:-1], 3, len(grid.weight_p)))
    kl_p, kl_q, slope = (terms[..., i, :] for i in range(3))
    # Written so that p = q gives r = p to the last bit, and so a divergence of exactly 0.
    r = np.empty(kl_p.shape)
    np.multiply(grid.weight_p[:low], difference, out=r[..., :low])
    r[..., :low] += q_bucket
    np.multiply(-grid.weight_q[low:], difference, out=r[..., low:])
    r[..., low:] += p_bucket
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(-q_bucket * difference, r[..., :low], out=slope[..., :low])
        np.divide(p_bucket * difference, r[..., low:], out=slope[..., low:])
        log_r = np.log(r, out=r)
        for kl, share in ((kl_p, p_bucket), (kl_q, q_bucket)):
            np.subtract(np.log(share), log_r, out=kl)
            kl *= share
    # An empty bucket adds nothing, whatever the mixture has there.
    p_empty, q_empty = p_bucket[..., 0] <= 0, q_bucket[..., 0] <= 0
    kl_p[p_empty] = 0.0
    kl_q[q_empty] = 0.0
    slope[q_empty, :low] = 0.0
    slope[p_empty, low:] = 0.0
    return terms


def mixture_divergences(p: ArrayLike, q: ArrayLike, grid: MixtureGrid) -> Divergences:
    """Return KL(P|R_λ) and KL(Q|R_λ) on a grid of λ (paper, equation 2).

    Parameters
    ----------
    p, q : array_like of shape (..., k)
        Probabilities.
    grid : MixtureGrid
        Values of λ.

    Returns
    -------
    Divergences
        Arrays of shape (..., n_grid).

    Examples
    --------
    >>> from mauve.frontier.grid import quadrature_grid
    >>> divergences = mixture_divergences([0.5, 0.5], [0.5, 0.5], quadrature_grid())
    >>> float(divergences.kl_p.max())
    0.0
    """
    return bucket_divergences(p, q, grid).sum(axis=-2)
