"""Choose the values of λ at which the divergences to the mixtures are computed.

A grid has as many values below λ = 1/2 as above it, and 1/2 itself in the middle.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from mauve.arrays import FloatArray

#: Nodes below λ = 1/2, and as many above; the error of the area is below 1e-11.
EXACT_ORDER = 32
#: Error below 1e-6, for the influence of every text.
INFLUENCE_ORDER = 8
#: Points up to λ = 1/2, and as many from there, for curves with corners; error below 1e-5.
CURVE_POINTS = 128
#: Error below 3e-4, for the thousands of scores of a resampling.
RESAMPLING_POINTS = 16


@dataclass(frozen=True)
class MixtureGrid:
    """Values of λ; those of 1-λ are stored too, so that neither end loses digits.

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
    r"""Return `order` nodes below λ = 1/2, as many above, and 1/2 itself.

    Notes
    -----
    The nodes are Gauss-Legendre in :math:`s` with :math:`\lambda = s^4/2`. The
    substitution crowds them at the end points, where the divergences behave like
    :math:`\lambda^a \log \lambda` when a bucket has no text of one sample.

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
    weight_p = np.concatenate([half, [0.5], 1 - half[::-1]])
    weight_q = np.concatenate([1 - half, [0.5], half[::-1]])
    quadrature = np.concatenate([half_weight, [0.0], half_weight[::-1]])
    for array in (weight_p, weight_q, quadrature):
        array.flags.writeable = False  # the grid is cached and shared
    return MixtureGrid(weight_p, weight_q, quadrature)


@cache
def curve_grid(points: int = CURVE_POINTS) -> MixtureGrid:
    r"""Return `points` values of λ up to 1/2 and their mirror images, for curves with corners.

    They are :math:`\lambda = s^4/2` at evenly spaced :math:`s`, which crowds them at the
    ends. The weights of the quadrature are zero.

    Examples
    --------
    >>> curve_grid(2).weight_p.tolist()
    [0.03125, 0.5, 0.96875]
    """
    half = (np.arange(1, points + 1) / points) ** 4 / 2
    weight_p = np.concatenate([half, 1 - half[-2::-1]])
    weight_q = np.concatenate([1 - half, half[-2::-1]])
    for array in (weight_p, weight_q):
        array.flags.writeable = False
    return MixtureGrid(weight_p, weight_q, np.zeros_like(weight_p))
