"""Counts of several clusterings in, one divergence curve and its score out."""

import numpy as np
from numpy.typing import NDArray

from mauve.estimate import estimate_divergences
from mauve.frontier import Array, Divergences, MixtureGrid, curve_area


def mean_divergences(
    p_counts: NDArray[np.int64], q_counts: NDArray[np.int64], grid: MixtureGrid, estimator: str
) -> Divergences:
    """Estimate the divergences and average them over the clusterings.

    Parameters
    ----------
    p_counts, q_counts : array of int, shape (..., n_clusterings, k)
    grid : MixtureGrid
        Values of λ.
    estimator : str
        One of :data:`mauve.estimate.ESTIMATORS`.

    Returns
    -------
    Divergences
        Arrays of shape (..., n_grid).

    Examples
    --------
    >>> from mauve.frontier import quadrature_grid
    >>> counts = np.array([[4, 4], [8, 0]])  # two clusterings of eight texts
    >>> float(mean_divergences(counts, counts, quadrature_grid(8), "plugin").kl_p.max())
    0.0
    """
    *outer, n_clusterings, k = p_counts.shape
    every = estimate_divergences(p_counts.reshape(-1, k), q_counts.reshape(-1, k), grid, estimator)
    shape = (*outer, n_clusterings, len(grid.weight_p))
    return Divergences(
        *(part.reshape(shape).mean(axis=-2) for part in (every.kl_p, every.kl_q, every.slope))
    )


def monotone(divergences: Divergences, grid: MixtureGrid) -> Divergences:
    """Make estimated divergences behave as divergences do.

    KL(Q|R_λ) rises with λ from 0 and KL(P|R_λ) falls to 0. An estimate that subtracts a
    bias may break that where the divergence is small against its error; it is raised to
    the largest value before it.

    Examples
    --------
    >>> from mauve.frontier import quadrature_grid
    >>> grid = quadrature_grid(1)
    >>> raw = Divergences(np.array([0.1, 0.2, -0.1]), np.array([0.0, 0.3, 0.2]), np.ones(3))
    >>> fixed = monotone(raw, grid)
    >>> fixed.kl_p.tolist(), fixed.kl_q.tolist()
    ([0.2, 0.2, 0.0], [0.0, 0.3, 0.3])
    """
    kl_q = np.maximum(np.maximum.accumulate(divergences.kl_q, axis=-1), 0.0)
    kl_p = np.maximum(np.maximum.accumulate(divergences.kl_p[..., ::-1], axis=-1), 0.0)[..., ::-1]
    below = np.arange(len(grid.weight_p)) <= grid.middle
    moved = np.where(below, kl_q != divergences.kl_q, kl_p != divergences.kl_p)
    slope = np.where(moved, 0.0, np.maximum(divergences.slope, 0.0))
    return Divergences(kl_p, kl_q, slope)


def score_of(divergences: Divergences, grid: MixtureGrid, scaling: float) -> Array:
    """Return the area under the curve of estimated divergences, in (0, 1], shape (...)."""
    return np.minimum(curve_area(monotone(divergences, grid), grid, scaling), 1.0)


def gap_of(score: float | Array) -> Array:
    r"""Return :math:`\sqrt{-\log \text{score}}`, the scale on which intervals are made.

    The area under the curve falls short of 1 by a *product* of the two divergences, so
    near 1 the score is quadratic in them and its errors are lopsided. The gap is linear
    in the divergences, and 0 for a score of 1.

    Examples
    --------
    >>> float(gap_of(1.0)), round(float(gap_of(0.5)), 4)
    (0.0, 0.8326)
    """
    return np.sqrt(np.maximum(-np.log(score), 0.0))


def score_at(gap: float | Array) -> Array:
    """Return the score of a gap; a gap below 0 is one of 0.

    Examples
    --------
    >>> float(score_at(0.0)), float(score_at(-1.0))
    (1.0, 1.0)
    """
    return np.exp(-(np.maximum(gap, 0.0) ** 2))
