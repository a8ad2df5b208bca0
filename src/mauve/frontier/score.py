"""Turn the counts of several clusterings into one divergence curve and its score.

The flow: :func:`mean_divergences` estimates the divergences and averages them over the
clusterings, :func:`monotone` makes a curve of them, :func:`score_of` takes the area under it.
:func:`deviance_of` maps a score to the scale on which intervals and tests are made.
"""

import numpy as np

from mauve.arrays import FloatArray, IntArray
from mauve.frontier.curve import polygon_area
from mauve.frontier.divergences import Divergences
from mauve.frontier.estimators import TermTables, estimate_divergences
from mauve.frontier.grid import MixtureGrid


def mean_divergences(
    p_counts: IntArray,
    q_counts: IntArray,
    grid: MixtureGrid,
    estimator: str,
    tables: TermTables | None = None,
) -> Divergences:
    """Estimate the divergences and average them over the clusterings.

    Parameters
    ----------
    p_counts, q_counts : array of int, shape (..., n_clusterings, k)
    grid : MixtureGrid
        Values of λ.
    estimator : str
        One of :data:`mauve.frontier.estimators.ESTIMATORS`.
    tables : TermTables, optional
        Shares work between calls.

    Returns
    -------
    Divergences
        Arrays of shape (..., n_grid).

    Examples
    --------
    >>> from mauve.frontier.grid import quadrature_grid
    >>> counts = np.array([[4, 4], [8, 0]])  # two clusterings of eight texts
    >>> float(mean_divergences(counts, counts, quadrature_grid(8), "plugin").kl_p.max())
    0.0
    """
    *outer, n_clusterings, k = p_counts.shape
    shape = (*outer, n_clusterings, len(grid.weight_p))

    def mean_of(estimator: str) -> Divergences:
        each = estimate_divergences(
            p_counts.reshape(-1, k), q_counts.reshape(-1, k), grid, estimator, tables
        )
        return Divergences(
            *(part.reshape(shape).mean(axis=-2) for part in (each.kl_p, each.kl_q, each.slope))
        )

    if estimator != "jackknife":
        return mean_of(estimator)
    return _clip_to_plugin(mean_of("jackknife"), mean_of("plugin"), grid)


def _clip_to_plugin(corrected: Divergences, plugin: Divergences, grid: MixtureGrid) -> Divergences:
    """Clip corrected divergences to the plug-in estimate, an upper bound.

    With two or three texts in a bucket the correction may have the wrong sign, and equal
    histograms must keep divergences of zero.
    """
    slope_is_of_q = np.arange(len(grid.weight_p)) <= grid.middle
    clipped = np.where(slope_is_of_q, corrected.kl_q > plugin.kl_q, corrected.kl_p > plugin.kl_p)
    return Divergences(
        np.minimum(corrected.kl_p, plugin.kl_p),
        np.minimum(corrected.kl_q, plugin.kl_q),
        np.where(clipped, plugin.slope, corrected.slope),
    )


def monotone(divergences: Divergences) -> tuple[FloatArray, FloatArray]:
    """Return kl_p and kl_q made non-negative and monotone in λ.

    KL(Q|R_λ) rises with λ from 0 and KL(P|R_λ) falls to 0. A bias-corrected estimate may
    break that where the divergence is small against its error. Each value is raised to the
    largest one between it and the end where the divergence is 0.

    Examples
    --------
    >>> raw = Divergences(np.array([0.1, 0.2, -0.1]), np.array([0.0, 0.3, 0.2]), np.ones(3))
    >>> kl_p, kl_q = monotone(raw)
    >>> kl_p.tolist(), kl_q.tolist()
    ([0.2, 0.2, 0.0], [0.0, 0.3, 0.3])
    """
    kl_q = np.maximum(np.maximum.accumulate(divergences.kl_q, axis=-1), 0.0)
    kl_p = np.maximum(np.maximum.accumulate(divergences.kl_p[..., ::-1], axis=-1), 0.0)[..., ::-1]
    return kl_p, kl_q


def score_of(divergences: Divergences, scaling: float) -> FloatArray:
    """Return the area under the curve of estimated divergences, in (0, 1], shape (...).

    Parameters
    ----------
    divergences : Divergences
        On a :func:`mauve.frontier.grid.curve_grid` with an even number of points.
    scaling : float
        The constant c.

    Notes
    -----
    The estimated curve may have corners, so no quadrature of high order applies. The area is
    that of the polygon through the points, extrapolated from all points and every second one.

    Examples
    --------
    >>> from mauve.frontier.curve import area
    >>> from mauve.frontier.divergences import mixture_divergences
    >>> from mauve.frontier.grid import curve_grid
    >>> p, q = [0.2, 0.8], [0.6, 0.4]
    >>> score = score_of(mixture_divergences(p, q, curve_grid()), 5.0)
    >>> abs(float(score - area(p, q, 5.0))) < 1e-7
    True
    """
    kl_p, kl_q = monotone(divergences)
    fine = polygon_area(kl_p, kl_q, scaling)
    coarse = polygon_area(kl_p[..., 1::2], kl_q[..., 1::2], scaling)
    return np.minimum(fine + (fine - coarse) / 3, 1.0)


def deviance_of(score: float | FloatArray) -> FloatArray:
    r"""Return the deviance :math:`\sqrt{-\log \text{score}}`, 0 for a score of 1.

    Intervals and tests are made on this scale and mapped back by :func:`score_at`. The area
    under the curve falls short of 1 by a *product* of the two divergences, so near 1 the score
    is quadratic in them and its errors are skewed. The deviance is linear in the divergences,
    and its errors are about symmetric.

    Examples
    --------
    >>> float(deviance_of(1.0)), round(float(deviance_of(0.5)), 4)
    (0.0, 0.8326)
    """
    return np.sqrt(np.maximum(-np.log(score), 0.0))


def score_at(deviance: float | FloatArray) -> FloatArray:
    """Return the score of a deviance; a deviance below 0 counts as 0.

    Examples
    --------
    >>> float(score_at(0.0)), float(score_at(-1.0))
    (1.0, 1.0)
    """
    return np.asarray(np.exp(-(np.maximum(deviance, 0.0) ** 2)))
