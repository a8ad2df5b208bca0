"""The values of λ at which divergences to the mixtures are taken."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from mauve.arrays import FloatArray

EXACT_ORDER = 32  # nodes on either side of λ = 1/2: the area is right to 1e-11
RESAMPLING_ORDER = 8  # right to 1e-6, for the thousands of areas of a resampling
CURVE_POINTS = 128  # on either side of λ = 1/2, for curves with corners: right to 1e-5
RESAMPLING_POINTS = 16  # right to 3e-4


@dataclass(frozen=True)
class MixtureGrid:
    """Values of λ, with those of 1-λ kept apart so that neither end loses digits.

    Attributes
    ----------
    weight_p : array of shape (n_grid,)
        λ, the weight of P in the mixture, increasing.
    weight_q : array of shape (n_grid,)
        1-λ.
    quadrature : array of shape (n_grid,)
        Weights that integrate a function of λ over (0, 1); zero at λ = 1/2.
    """

    weight_p: FloatArray
    weight_q: FloatArray
    quadrature: FloatArray

    @property
    def middle(self) -> int:
        """Position of λ = 1/2."""
        return len(self.weight_p) // 2


@cache
def quadrature_grid(order: int = EXACT_ORDER) -> MixtureGrid:
    r"""Return `order` nodes on either side of λ = 1/2, and 1/2 itself.

    Notes
    -----
    The nodes are Gauss-Legendre in :math:`s` with :math:`\lambda = s^4/2`. The
    substitution crowds them at the end points, where the divergences behave like
    :math:`\lambda^a \log \lambda` when a cell is empty on one side.

    Examples
    --------
    >>> grid = quadrature_grid(8)
    >>> float((grid.quadrature * grid.weight_p**2).sum().round(12))  # 1/3
    0.333333333333
    """
    node, weight = np.polynomial.legendre.leggauss(order)
    s = (node + 1) / 2
    half = s**4 / 2
    half_weight = s**3 * weight  # dλ = 2 s³ ds, ds = d(node) / 2
    low = np.concatenate([half, [0.5], 1 - half[::-1]])
    high = np.concatenate([1 - half, [0.5], half[::-1]])
    quadrature = np.concatenate([half_weight, [0.0], half_weight[::-1]])
    for array in (low, high, quadrature):
        array.flags.writeable = False  # the grid is cached and shared
    return MixtureGrid(low, high, quadrature)


@cache
def curve_grid(points: int = CURVE_POINTS) -> MixtureGrid:
    r"""Return `points` values of λ up to 1/2 and their mirror images, for drawing a curve.

    They are :math:`\lambda = s^4/2` at evenly spaced :math:`s`, which crowds them at the
    ends; there are no weights of a quadrature.

    Examples
    --------
    >>> curve_grid(2).weight_p.tolist()
    [0.03125, 0.5, 0.96875]
    """
    half = (np.arange(1, points + 1) / points) ** 4 / 2
    low = np.concatenate([half, 1 - half[-2::-1]])
    high = np.concatenate([1 - half, half[-2::-1]])
    for array in (low, high):
        array.flags.writeable = False
    return MixtureGrid(low, high, np.zeros_like(low))
