"""Compute the divergence curve, the area under it and the frontier integral (paper, section 2).

There are three areas. :func:`area` is exact for two histograms. :func:`polygon_area` takes
estimated divergences, whose curve may have corners. :func:`discretised_area` is the estimate of
the paper, which :func:`mauve.compute_mauve` reports.
"""

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.calls import parameter
from mauve.errors import InvalidParameterError
from mauve.frontier.divergences import Divergences, kl_divergence, mixture_divergences
from mauve.frontier.grid import MixtureGrid, quadrature_grid


def divergence_curve(
    p: ArrayLike, q: ArrayLike, weights: ArrayLike, scaling: float = 5.0
) -> FloatArray:
    r"""Return the divergence curve at given values of λ (paper, equation 1).

    Parameters
    ----------
    p, q : array_like of shape (..., k)
        Probabilities.
    weights : array_like of shape (n_weights,)
        λ in [0, 1]. At 0 and 1 the limits are returned: 0 where a divergence is infinite.
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
            f"{parameter('weights')} must be numbers in [0, 1], "
            f"one axis, at least one. Got {weights!r} instead."
        )
    p_bucket = np.asarray(p, dtype=float)[..., None, :]
    q_bucket = np.asarray(q, dtype=float)[..., None, :]
    # Written so that p = q gives r = p to the last bit, and so a divergence of exactly 0.
    difference = p_bucket - q_bucket
    from_q = q_bucket + lam[:, None] * difference
    from_p = p_bucket - (1 - lam)[:, None] * difference
    r = np.where(lam[:, None] <= 0.5, from_q, from_p)
    return np.exp(-scaling * np.stack([kl_divergence(q_bucket, r), kl_divergence(p_bucket, r)], -1))


def area(p: ArrayLike, q: ArrayLike, scaling: float = 5.0) -> FloatArray:
    r"""Return MAUVE(P, Q), the exact area under the divergence curve.

    Parameters
    ----------
    p, q : array_like of shape (..., k)
        Probabilities over the same buckets.
    scaling : float
        The constant c of the paper.

    Returns
    -------
    array of shape (...)
        In (0, 1]; 1 if and only if the histograms are equal.

    Notes
    -----
    Disjoint supports give the lowest score, :math:`c\,B(c+1, c)`, which is
    :math:`1/\binom{2c}{c}` for an integer c. The error of the quadrature is below 1e-9.

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


def curve_area(divergences: Divergences, grid: MixtureGrid, scaling: float) -> FloatArray:
    r"""Return the area under the divergence curve, shape (...), by Gauss-Legendre quadrature.

    Parameters
    ----------
    divergences : Divergences
        Of two histograms, on `grid`.
    grid : MixtureGrid
        From :func:`mauve.frontier.grid.quadrature_grid`.
    scaling : float
        The constant c.

    Notes
    -----
    With :math:`x = e^{-c\,KL(Q|R_\lambda)}` and :math:`y = e^{-c\,KL(P|R_\lambda)}` the
    region under the curve is the rectangle below the point at λ = 1/2, the part to its
    right, :math:`\int y\,dx`, and the part above it, :math:`\int x\,dy`. Both integrands
    are :math:`c\,x\,y` times a slope that stays bounded at its end of the curve, so the
    limits KL(P|Q) and KL(Q|P), which may be infinite, are never evaluated.
    """
    product = np.exp(-scaling * (divergences.kl_p + divergences.kl_q))  # x y
    tails = scaling * (product * divergences.slope) @ grid.quadrature
    return np.asarray(product[..., grid.middle] + tails)


def polygon_area(kl_p: FloatArray, kl_q: FloatArray, scaling: float) -> FloatArray:
    r"""Return the area under the curve, linear in both divergences between grid points.

    Parameters
    ----------
    kl_p, kl_q : array of shape (..., n_points)
        Divergences ordered by λ: `kl_p` does not rise and `kl_q` does not fall.
    scaling : float
        The constant c.

    Returns
    -------
    array of shape (...)
        In (0, 1] and decreasing in c for any points.

    Notes
    -----
    Where both divergences are linear in λ, :math:`\int y\,dx` between two points is the change
    of :math:`c\,KL_Q` times the mean of an exponential, which has a closed form.

    Examples
    --------
    >>> float(polygon_area(np.zeros(3), np.zeros(3), 5.0))
    1.0
    """
    x, product = np.exp(-scaling * kl_q), np.exp(-scaling * (kl_p + kl_q))
    step = scaling * np.diff(kl_p + kl_q, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(np.abs(step) < 1e-7, 1 - step / 2, -np.expm1(-step) / step)
    inner = (scaling * np.diff(kl_q, axis=-1) * (product[..., :-1] * mean)).sum(axis=-1)
    return np.asarray(x[..., -1] + inner + np.exp(-scaling * kl_p[..., 0]) * (1 - x[..., 0]))


def discretised_area(curve: ArrayLike) -> FloatArray:
    """Return the area under the points of a curve by the trapezoid rule (paper, equation 4).

    Parameters
    ----------
    curve : array_like of shape (..., n_points, 2)
        Points ordered so that the first coordinate falls and the second rises, from the first
        axis to the second.

    Examples
    --------
    >>> float(discretised_area([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]))
    0.5
    """
    points = np.asarray(curve, dtype=float)
    x, y = points[..., 0], points[..., 1]
    width = x[..., :-1] - x[..., 1:]
    return np.asarray((width * (y[..., :-1] + y[..., 1:]) / 2).sum(axis=-1))


def frontier_integral(p: ArrayLike, q: ArrayLike) -> FloatArray:
    r"""Return the frontier integral, the mean error along the frontier, in [0, 1].

    Notes
    -----
    .. math:: FI = 2\int_0^1 \lambda\,KL(P|R_\lambda) + (1-\lambda)\,KL(Q|R_\lambda)\,d\lambda
              = \sum_j \frac{p_j+q_j}{2} - \frac{p_j q_j}{p_j-q_j}\log\frac{p_j}{q_j}

    with 0 for a bucket where both are equal.

    References
    ----------
    Liu et al., *Divergence Frontiers for Generative Models*, NeurIPS 2021.

    Examples
    --------
    >>> float(frontier_integral([1.0, 0.0], [0.0, 1.0]))
    1.0
    """
    p_bucket, q_bucket = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
    difference, total = p_bucket - q_bucket, p_bucket + q_bucket
    with np.errstate(divide="ignore", invalid="ignore"):
        direct = total / 2 - p_bucket * q_bucket / difference * np.log(p_bucket / q_bucket)
        ratio = np.where(total > 0, difference / total, 0.0)
    # Near p = q the two terms cancel; the series of (p-q)²/(p+q) keeps the digits.
    series = total * ratio**2 * (1 / 3 + ratio**2 / 15 + ratio**4 / 35)
    terms = np.where(np.abs(ratio) < 0.01, series, np.where(np.abs(ratio) == 1, total / 2, direct))
    return np.asarray(terms.sum(axis=-1))


def integral_from(divergences: Divergences, grid: MixtureGrid) -> FloatArray:
    """Return the frontier integral, shape (...), from divergences on a quadrature grid.

    Examples
    --------
    >>> grid = quadrature_grid()
    >>> disjoint = mixture_divergences([1.0, 0.0], [0.0, 1.0], grid)
    >>> round(float(integral_from(disjoint, grid)), 9)
    1.0
    """
    mixed = grid.weight_p * divergences.kl_p + grid.weight_q * divergences.kl_q
    return np.asarray(2 * mixed @ grid.quadrature)
