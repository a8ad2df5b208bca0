r"""Histograms in, divergence curve, its area and its relatives out (paper, section 2).

Everything follows from the two divergences to the mixture
:math:`R_\lambda = \lambda P + (1-\lambda) Q` and is vectorised over leading axes:
`p` and `q` have shape ``(..., k)`` and broadcast against each other.

The area needs no fine grid: it is split at λ = 1/2 so that each half is integrated
in the coordinate that is smooth there, and Gauss-Legendre nodes do the rest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import BoolArray, FloatArray
from mauve.errors import InvalidParameterError
from mauve.frontier.grid import MixtureGrid, quadrature_grid


@dataclass(frozen=True)
class Divergences:
    r"""Both divergences to the mixtures of a grid, and the slope the area needs.

    Attributes
    ----------
    kl_p, kl_q : array of shape (..., n_grid)
        :math:`KL(P|R_\lambda)`, the soft type II error, and :math:`KL(Q|R_\lambda)`,
        the soft type I error (paper, equation 2).
    slope : array of shape (..., n_grid)
        :math:`d\,KL(Q|R_\lambda)/d\lambda` up to λ = 1/2 and
        :math:`-d\,KL(P|R_\lambda)/d\lambda` beyond. Both are non-negative for
        distributions; the other one of the two follows from
        :math:`\lambda\,KL(P|R_\lambda)' + (1-\lambda)\,KL(Q|R_\lambda)' = 0`.
    """

    kl_p: FloatArray
    kl_q: FloatArray
    slope: FloatArray

    # So that an array on the left leaves the product to __rmul__.
    __array_ufunc__ = None

    def __add__(self, other: "Divergences") -> "Divergences":
        return Divergences(self.kl_p + other.kl_p, self.kl_q + other.kl_q, self.slope + other.slope)

    def __sub__(self, other: "Divergences") -> "Divergences":
        return self + -1.0 * other

    def __rmul__(self, factor: ArrayLike) -> "Divergences":
        scale = np.asarray(factor, dtype=float)
        return Divergences(scale * self.kl_p, scale * self.kl_q, scale * self.slope)

    def replaced(self, where: BoolArray, other: "Divergences") -> "Divergences":
        """Return the values of `other` where the mask says so, and these elsewhere."""
        return Divergences(
            np.where(where, other.kl_p, self.kl_p),
            np.where(where, other.kl_q, self.kl_q),
            np.where(where, other.slope, self.slope),
        )

    def sum(self, axis: int) -> "Divergences":
        """Add up along one of the leading axes, the cells' for instance."""
        return Divergences(
            self.kl_p.sum(axis=axis), self.kl_q.sum(axis=axis), self.slope.sum(axis=axis)
        )


def cell_divergences(p: ArrayLike, q: ArrayLike, grid: MixtureGrid) -> Divergences:
    """Return what each cell adds to the divergences; sum over the cells for the whole.

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
    >>> cells = cell_divergences([1.0, 0.0], [0.5, 0.5], quadrature_grid(1))
    >>> cells.kl_p[:, 1].round(4).tolist()  # at λ = 1/2: log(4/3) and 0
    [0.2877, 0.0]
    """
    p_cell, q_cell = np.broadcast_arrays(
        np.asarray(p, dtype=float)[..., None], np.asarray(q, dtype=float)[..., None]
    )
    gap = p_cell - q_cell
    low = grid.middle + 1
    # Written so that p = q gives r = p to the last bit, and so a divergence of exactly 0.
    r = np.concatenate(
        [q_cell + grid.weight_p[:low] * gap, p_cell - grid.weight_q[low:] * gap], axis=-1
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        log_r = np.log(r)
        # An empty cell adds nothing, whatever the mixture has there.
        kl_p = np.where(p_cell > 0, p_cell * (np.log(p_cell) - log_r), 0.0)
        kl_q = np.where(q_cell > 0, q_cell * (np.log(q_cell) - log_r), 0.0)
        slope = np.concatenate(
            [
                np.where(q_cell > 0, -q_cell * gap / r[..., :low], 0.0),
                np.where(p_cell > 0, p_cell * gap / r[..., low:], 0.0),
            ],
            axis=-1,
        )
    return Divergences(kl_p, kl_q, slope)


def mixture_divergences(p: ArrayLike, q: ArrayLike, grid: MixtureGrid) -> Divergences:
    """Return KL(P|R_λ) and KL(Q|R_λ) on a grid of λ (paper, equation 2).

    Examples
    --------
    >>> divergences = mixture_divergences([0.5, 0.5], [0.5, 0.5], quadrature_grid())
    >>> float(divergences.kl_p.max())
    0.0
    """
    return cell_divergences(p, q, grid).sum(axis=-2)


def curve_area(divergences: Divergences, grid: MixtureGrid, scaling: float) -> FloatArray:
    r"""Return the area under the divergence curve, shape (...), from divergences on `grid`.

    Notes
    -----
    With :math:`x = e^{-c\,KL(Q|R_\lambda)}` and :math:`y = e^{-c\,KL(P|R_\lambda)}` the
    region under the curve is the rectangle below the point at λ = 1/2, the part to its
    right, :math:`\int y\,dx`, and the part above it, :math:`\int x\,dy`. Both integrands
    are :math:`c\,x\,y` times a slope that stays bounded at its end of the curve, so the
    limits KL(P|Q) and KL(Q|P), which may be infinite, are never evaluated.
    """
    both = np.exp(-scaling * (divergences.kl_p + divergences.kl_q))
    tails = scaling * (both * divergences.slope) @ grid.quadrature
    return np.asarray(both[..., grid.middle] + tails)


def area(p: ArrayLike, q: ArrayLike, scaling: float = 5.0) -> FloatArray:
    r"""Return MAUVE(P, Q), the exact area under the divergence curve.

    Parameters
    ----------
    p, q : array_like of shape (..., k)
        Probabilities over the same cells.
    scaling : float
        The constant c of the paper.

    Returns
    -------
    array of shape (...)
        In (0, 1]; 1 if and only if the histograms are equal.

    Notes
    -----
    Disjoint supports give :math:`c\,B(c+1, c)`, which is :math:`1/\binom{2c}{c}` for a
    whole c: the least score there is. The error of the quadrature is below 1e-9.

    References
    ----------
    Pillutla et al., *MAUVE*, NeurIPS 2021, section 2.

    Examples
    --------
    >>> float(area([0.2, 0.8], [0.2, 0.8]))
    1.0
    >>> round(float(area([1.0, 0.0], [0.0, 1.0], scaling=5)) * 252, 9)
    1.0
    """
    grid = quadrature_grid()
    return np.minimum(curve_area(mixture_divergences(p, q, grid), grid, scaling), 1.0)


def divergence_curve(
    p: ArrayLike, q: ArrayLike, weights: ArrayLike, scaling: float = 5.0
) -> FloatArray:
    r"""Return the divergence curve at given values of λ (paper, equation 1).

    Parameters
    ----------
    p, q : array_like of shape (..., k)
        Probabilities.
    weights : array_like of shape (n_weights,)
        λ in [0, 1]; the end points are the limits, with an infinite divergence as 0.
    scaling : float
        The constant c.

    Returns
    -------
    array of shape (..., n_weights, 2)
        :math:`(e^{-c\,KL(Q|R_\lambda)}, e^{-c\,KL(P|R_\lambda)})`.

    Examples
    --------
    >>> divergence_curve([1.0, 0.0], [0.5, 0.5], [0.0, 0.5, 1.0], scaling=1).round(3).tolist()
    [[1.0, 0.5], [0.866, 0.75], [0.0, 1.0]]
    """
    lam = np.asarray(weights, dtype=float)
    if lam.ndim != 1 or lam.size == 0 or not np.all((lam >= 0) & (lam <= 1)):
        raise InvalidParameterError(
            "The 'weights' parameter of divergence_curve must be numbers in [0, 1], "
            f"one axis, at least one. Got {weights!r} instead."
        )
    p_cell = np.asarray(p, dtype=float)[..., None, :]
    q_cell = np.asarray(q, dtype=float)[..., None, :]
    # Written so that p = q gives r = p to the last bit, and so a divergence of exactly 0.
    gap = p_cell - q_cell
    from_q, from_p = q_cell + lam[:, None] * gap, p_cell - (1 - lam)[:, None] * gap
    r = np.where(lam[:, None] <= 0.5, from_q, from_p)
    return np.exp(-scaling * np.stack([kl_divergence(q_cell, r), kl_divergence(p_cell, r)], -1))


def kl_divergence(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return KL(P|Q) over the last axis: infinite where P has mass and Q has none.

    Examples
    --------
    >>> float(kl_divergence([0.5, 0.5], [1.0, 0.0]))
    inf
    """
    p_cell, q_cell = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p_cell > 0, p_cell * (np.log(p_cell) - np.log(q_cell)), 0.0)
    return np.asarray(np.maximum(terms.sum(axis=-1), 0.0))


def js_divergence(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return the Jensen-Shannon divergence, the mean of both errors at λ = 1/2.

    Examples
    --------
    >>> round(float(js_divergence([1.0, 0.0], [0.0, 1.0])), 6)  # log 2
    0.693147
    """
    p_cell, q_cell = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    middle = (p_cell + q_cell) / 2
    return np.asarray((kl_divergence(p_cell, middle) + kl_divergence(q_cell, middle)) / 2)


def frontier_integral(p: ArrayLike, q: ArrayLike) -> FloatArray:
    r"""Return the frontier integral, the mean error along the frontier, in [0, 1].

    Notes
    -----
    .. math:: FI = 2\int_0^1 \lambda\,KL(P|R_\lambda) + (1-\lambda)\,KL(Q|R_\lambda)\,d\lambda
              = \sum_j \frac{p_j+q_j}{2} - \frac{p_j q_j}{p_j-q_j}\log\frac{p_j}{q_j}

    with 0 for a cell where both are equal.

    References
    ----------
    Liu et al., *Divergence Frontiers for Generative Models*, NeurIPS 2021.

    Examples
    --------
    >>> float(frontier_integral([1.0, 0.0], [0.0, 1.0]))
    1.0
    """
    p_cell, q_cell = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
    gap, total = p_cell - q_cell, p_cell + q_cell
    with np.errstate(divide="ignore", invalid="ignore"):
        direct = total / 2 - p_cell * q_cell / gap * np.log(p_cell / q_cell)
    # Near p = q the two terms cancel: the series of (p-q)²/(p+q) keeps the digits.
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(total > 0, gap / total, 0.0)
    series = total * ratio**2 * (1 / 3 + ratio**2 / 15 + ratio**4 / 35)
    terms = np.where(np.abs(ratio) < 0.01, series, np.where(np.abs(ratio) == 1, total / 2, direct))
    return np.asarray(terms.sum(axis=-1))


def integral_from(divergences: Divergences, grid: MixtureGrid) -> FloatArray:
    """Return the frontier integral, shape (...), from divergences on a quadrature grid."""
    mixed = grid.weight_p * divergences.kl_p + grid.weight_q * divergences.kl_q
    return np.asarray(2 * mixed @ grid.quadrature)


def polygon_area(kl_p: FloatArray, kl_q: FloatArray, scaling: float) -> FloatArray:
    r"""Return the area under a curve given at points, straight in the two divergences between.

    Parameters
    ----------
    kl_p, kl_q : array of shape (..., n_points)
        Divergences ordered by λ: `kl_p` does not rise and `kl_q` does not fall.
    scaling : float
        The constant c.

    Returns
    -------
    array of shape (...)
        In (0, 1] and falling in c, whatever the points.

    Notes
    -----
    Where both divergences change evenly, :math:`\int y\,dx` over a piece is the change of
    :math:`c\,KL_Q` times the mean of an exponential, in closed form.

    Examples
    --------
    >>> float(polygon_area(np.zeros(3), np.zeros(3), 5.0))
    1.0
    """
    x, both = np.exp(-scaling * kl_q), np.exp(-scaling * (kl_p + kl_q))
    step = scaling * np.diff(kl_p + kl_q, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = both[..., :-1] * np.where(np.abs(step) < 1e-7, 1 - step / 2, -np.expm1(-step) / step)
    inner = (scaling * np.diff(kl_q, axis=-1) * mean).sum(axis=-1)
    return np.asarray(x[..., -1] + inner + np.exp(-scaling * kl_p[..., 0]) * (1 - x[..., 0]))


def discretised_area(curve: ArrayLike) -> FloatArray:
    """Return the area under a curve of points, closed to the axes, by the trapezoid rule.

    The paper's estimate, for :func:`mauve.compute_mauve`; :func:`area` is the exact one.

    Parameters
    ----------
    curve : array_like of shape (..., n_points, 2)
        Points ordered so that the first coordinate falls and the second rises.

    Examples
    --------
    >>> float(discretised_area([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]))
    0.5
    """
    points = np.asarray(curve, dtype=float)
    x, y = points[..., 0], points[..., 1]
    width = x[..., :-1] - x[..., 1:]
    return np.asarray((width * (y[..., :-1] + y[..., 1:]) / 2).sum(axis=-1))
