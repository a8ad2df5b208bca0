r"""Counts in, estimates of the divergences out: plug-in, smoothed, bias-corrected.

The plug-in estimate of a divergence is too large, because two samples of the same
distribution never have the same histogram. A jackknife removes the leading terms of
that bias. Leaving out a text changes one cell, so every estimate here is a sum over
cells of a term that depends on the cell's two counts alone: no loop over texts, and
one table serves all the histograms of a resampling.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from mauve.frontier import Divergences, cell_divergences, mixture_divergences
from mauve.grid import MixtureGrid
from mauve.histogram import SMOOTHINGS, smooth

Counts = NDArray[np.int64]

#: Every estimator of `compare`, the corrected one first.
ESTIMATORS = ("jackknife", "plugin", *(name for name in SMOOTHINGS if name != "none"))

JACKKNIFE_ORDER = 3

_LARGE, _LARGER = 500, 20_000  # texts of a side in a cell


def jackknife_cells(
    p_counts: ArrayLike,
    q_counts: ArrayLike,
    n_p: int,
    n_q: int,
    grid: MixtureGrid,
    order: int = JACKKNIFE_ORDER,
) -> Divergences:
    r"""Return what each cell adds to the jackknife estimate of the divergences.

    Parameters
    ----------
    p_counts, q_counts : array_like of int, shape (..., k)
        Texts of either side in each cell.
    n_p, n_q : int
        Texts of either side in all.
    grid : MixtureGrid
        Values of λ.
    order : int
        Terms of the bias, in powers of one over the sample size, that are removed;
        0 is the plug-in estimate.

    Returns
    -------
    Divergences
        Arrays of shape (..., k, n_grid).

    Notes
    -----
    Let :math:`f(a, b)` be a cell's term. The divergences are homogeneous in the two
    histograms, so the delete-one jackknife of both samples is the sum over the cells of

    .. math:: Lf(a, b) = a\,[f(a, b) - f(a-1, b)] + b\,[f(a, b) - f(a, b-1)],

    up to terms that vanish as one over the sample size whatever the number of cells. It
    cancels the bias of order 1/n. The jackknife of order m cancels those up to
    :math:`1/n^m` and is :math:`L(L+1)\cdots(L+m-1)f/m!` (Schucany, Gray and Owen 1971).
    Cells hold a handful of texts each, so the first order alone is not enough:
    ``docs/method.md`` has the figures.

    Examples
    --------
    >>> from mauve.grid import quadrature_grid
    >>> plugin = jackknife_cells([30, 20], [20, 30], 50, 50, quadrature_grid(1), order=0)
    >>> corrected = jackknife_cells([30, 20], [20, 30], 50, 50, quadrature_grid(1))
    >>> [float(cells.kl_p[:, 1].sum().round(4)) for cells in (plugin, corrected)]
    [0.0201, 0.01]
    """
    a, b = np.asarray(p_counts, dtype=float), np.asarray(q_counts, dtype=float)

    @cache
    def term(without_p: int, without_q: int, level: int) -> Divergences:
        p_left, q_left = np.maximum(a - without_p, 0), np.maximum(b - without_q, 0)
        if level == 0:
            return cell_divergences(p_left / n_p, q_left / n_q, grid)
        here = term(without_p, without_q, level - 1)
        change_p = here - term(without_p + 1, without_q, level - 1)
        change_q = here - term(without_p, without_q + 1, level - 1)
        lowered = p_left[..., None] * change_p + q_left[..., None] * change_q
        next_level: Divergences = (1 / level) * (lowered + (level - 1) * here)
        return next_level

    result = term(0, 0, order)
    # The m-th order multiplies rounding errors by the m-th power of the count. In large
    # cells the first orders leave no bias to speak of.
    for lower, limit in ((2, _LARGE), (1, _LARGER)):
        large = np.maximum(a, b)[..., None] > limit
        if order > lower and large.any():
            result = result.replaced(large, term(0, 0, lower))
    return result


def estimate_divergences(
    p_counts: Counts, q_counts: Counts, grid: MixtureGrid, estimator: str
) -> Divergences:
    """Estimate both divergences on a grid of λ for every row of counts.

    Parameters
    ----------
    p_counts, q_counts : array of int, shape (rows, k)
        Rows may differ in their totals.
    grid : MixtureGrid
        Values of λ.
    estimator : str
        One of :data:`ESTIMATORS`.

    Returns
    -------
    Divergences
        Arrays of shape (rows, n_grid).

    Examples
    --------
    >>> import numpy as np
    >>> from mauve.grid import quadrature_grid
    >>> same = np.array([[5, 5]])
    >>> float(estimate_divergences(same, same, quadrature_grid(8), "plugin").kl_p.max())
    0.0
    """
    if estimator not in ("jackknife", "plugin"):
        return mixture_divergences(smooth(p_counts, estimator), smooth(q_counts, estimator), grid)
    totals = np.stack([p_counts.sum(axis=1), q_counts.sum(axis=1)], axis=1)
    result = Divergences(*(np.empty((len(totals), len(grid.weight_p))) for _ in range(3)))
    for n_p, n_q in np.unique(totals, axis=0):
        rows = np.flatnonzero((totals == (n_p, n_q)).all(axis=1))

        def of_cells(a: Counts, b: Counts, n: int = n_p, m: int = n_q) -> Divergences:
            if estimator == "plugin":
                return cell_divergences(a / n, b / m, grid)
            return jackknife_cells(a, b, n, m, grid)

        part = _sum_over_cells(p_counts[rows], q_counts[rows], of_cells)
        result.kl_p[rows], result.kl_q[rows], result.slope[rows] = part.kl_p, part.kl_q, part.slope
    return result


def _sum_over_cells(
    p_counts: Counts, q_counts: Counts, of_cells: Callable[[Counts, Counts], Divergences]
) -> Divergences:
    """Sum a term of the two counts over the cells, computing it once per pair of counts.

    The pairs are sorted, so the sum does not depend on the order of the cells.
    """
    rows, k = p_counts.shape
    step = int(q_counts.max(initial=0)) + 1
    pairs, where = _unique_codes(p_counts * step + q_counts)
    cells = of_cells(pairs // step, pairs % step)
    table = np.concatenate([cells.kl_p, cells.kl_q, cells.slope], axis=1)
    positions = np.sort(where.reshape(rows, k), axis=1)
    chooser = csr_array(
        (np.ones(rows * k), positions.ravel(), np.arange(rows + 1) * k),
        shape=(rows, len(pairs)),
    )
    return Divergences(*np.split(chooser @ table, 3, axis=1))


def _unique_codes(codes: Counts) -> tuple[Counts, Counts]:
    """Like np.unique with its inverse, without the sort where a lookup table is small."""
    span = int(codes.max(initial=0)) + 1
    if span > max(codes.size, 1 << 16):
        values, inverse = np.unique(codes, return_inverse=True)
        return values, inverse.reshape(codes.shape)
    seen = np.zeros(span, dtype=bool)
    seen[codes] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[codes]
