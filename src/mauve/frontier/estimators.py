r"""IntArray in, estimates of the divergences out: plug-in, smoothed, bias-corrected.

The plug-in estimate of a divergence is too large, because two samples of the same
distribution never have the same histogram. A jackknife removes the leading terms of
that bias. Leaving out a text changes one cell, so every estimate here is a sum over
cells of a term that depends on the cell's two counts alone: no loop over texts, and
one table serves all the histograms of a resampling.
"""

import threading
from functools import cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray, IntArray
from mauve.frontier.curve import Divergences, cell_divergences, mixture_divergences
from mauve.frontier.grid import MixtureGrid
from mauve.frontier.histogram import SMOOTHINGS, smooth

#: Every estimator of `compare`, the corrected one first.
ESTIMATORS = ("jackknife", "plugin", *(name for name in SMOOTHINGS if name != "none"))

JACKKNIFE_ORDER = 3

_LARGE, _LARGER = 500, 20_000  # texts of a side in a cell
_PAIRS = 64  # pairs of counts whose terms are computed at once
_CELLS = 1 << 18  # numbers of a smoothed histogram that are held at once


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
    >>> from mauve.frontier.grid import quadrature_grid
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


class TermTables:
    """Terms of cells by their two counts, kept from one batch of histograms to the next.

    The histograms of a resampling have few different pairs of counts, and nearly the same
    ones in every batch. Safe to share between threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: dict[tuple[str, int, int, int], tuple[IntArray, FloatArray]] = {}

    def terms(
        self, p_counts: IntArray, q_counts: IntArray, n_p: int, n_q: int, grid: MixtureGrid,
        estimator: str,
    ) -> FloatArray:  # fmt: skip
        """Return the terms of pairs of counts, shape (pairs, 3 * n_grid).

        Parameters
        ----------
        p_counts, q_counts : array of int, shape (pairs,)
            Different pairs, in rising order.
        n_p, n_q, grid, estimator
            As for the estimate.
        """
        key = (estimator, n_p, n_q, len(grid.weight_p))
        wanted = p_counts * (n_q + 1) + q_counts
        with self._lock:
            nothing = np.empty(0, np.int64), np.empty((0, 3 * len(grid.weight_p)))
            known, table = self._tables.get(key, nothing)
            new = np.setdiff1d(wanted, known, assume_unique=True)
            if len(new):
                fresh = _terms(new // (n_q + 1), new % (n_q + 1), n_p, n_q, grid, estimator)
                known, table = np.concatenate([known, new]), np.concatenate([table, fresh])
                order = np.argsort(known)
                known, table = known[order], table[order]
                self._tables[key] = known, table
        return np.asarray(table[np.searchsorted(known, wanted)])


def _terms(
    p_counts: IntArray, q_counts: IntArray, n_p: int, n_q: int, grid: MixtureGrid, estimator: str
) -> FloatArray:
    order = JACKKNIFE_ORDER if estimator == "jackknife" else 0
    parts = []
    for start in range(0, len(p_counts), _PAIRS):  # by parts that stay in the cache
        rows = slice(start, start + _PAIRS)
        cells = jackknife_cells(p_counts[rows], q_counts[rows], n_p, n_q, grid, order)
        parts.append(np.concatenate([cells.kl_p, cells.kl_q, cells.slope], axis=1))
    return np.concatenate(parts)


def estimate_divergences(
    p_counts: IntArray,
    q_counts: IntArray,
    grid: MixtureGrid,
    estimator: str,
    tables: TermTables | None = None,
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
    tables : TermTables, optional
        Where many calls with the same totals and grid share their work.

    Returns
    -------
    Divergences
        Arrays of shape (rows, n_grid).

    Examples
    --------
    >>> import numpy as np
    >>> from mauve.frontier.grid import quadrature_grid
    >>> same = np.array([[5, 5]])
    >>> float(estimate_divergences(same, same, quadrature_grid(8), "plugin").kl_p.max())
    0.0
    """
    result = Divergences(*(np.empty((len(p_counts), len(grid.weight_p))) for _ in range(3)))

    def put(rows: IntArray | slice, part: Divergences) -> None:
        result.kl_p[rows], result.kl_q[rows], result.slope[rows] = part.kl_p, part.kl_q, part.slope

    if estimator not in ("jackknife", "plugin"):
        # A smoothed cell depends on the whole row, so there is no table to look up.
        step = max(1, _CELLS // (p_counts.shape[1] * len(grid.weight_p)))
        for start in range(0, len(p_counts), step):
            rows = slice(start, start + step)
            p, q = smooth(p_counts[rows], estimator), smooth(q_counts[rows], estimator)
            put(rows, mixture_divergences(p, q, grid))
        return result
    tables = tables or TermTables()
    totals = np.stack([p_counts.sum(axis=1), q_counts.sum(axis=1)], axis=1)
    for n_p, n_q in np.unique(totals, axis=0).tolist():
        same = np.flatnonzero((totals == (n_p, n_q)).all(axis=1))
        p_pairs, q_pairs, chooser = _count_pairs(p_counts[same], q_counts[same])
        terms = chooser @ tables.terms(p_pairs, q_pairs, n_p, n_q, grid, estimator)
        put(same, Divergences(*np.split(terms, 3, axis=1)))
    return result


def _count_pairs(
    p_counts: IntArray, q_counts: IntArray
) -> tuple[IntArray, IntArray, "scipy.sparse.csr_array"]:
    """Return the different pairs of counts, and a matrix that adds up what each row has.

    The pairs are sorted, so a sum does not depend on the order of the cells.
    """
    rows, k = p_counts.shape
    step = int(q_counts.max(initial=0)) + 1
    pairs, where = _unique_codes(p_counts * step + q_counts)
    positions = np.sort(where.reshape(rows, k), axis=1)
    chooser = scipy.sparse.csr_array(
        (np.ones(rows * k), positions.ravel(), np.arange(rows + 1) * k),
        shape=(rows, len(pairs)),
    )
    return pairs // step, pairs % step, chooser


def _unique_codes(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Like np.unique with its inverse, without the sort where a lookup table is small."""
    span = int(codes.max(initial=0)) + 1
    if span > max(codes.size, 1 << 16):
        values, inverse = np.unique(codes, return_inverse=True)
        return values, inverse.reshape(codes.shape)
    seen = np.zeros(span, dtype=bool)
    seen[codes] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[codes]
