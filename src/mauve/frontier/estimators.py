r"""Estimate the divergences from counts: plug-in, smoothed, or bias-corrected by a jackknife.

The plug-in estimate of a divergence is too large, because two samples of the same
distribution never have the same histogram. A jackknife removes the leading terms of
that bias. Leaving out a text changes one bucket, so the plug-in and the jackknife estimates
are sums over buckets of a term that depends on the bucket's two counts alone: no loop over
texts, and one table serves all the histograms of a resampling.
"""

import threading
from functools import cache
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray, IntArray
from mauve.frontier.divergences import Divergences, bucket_terms, mixture_divergences
from mauve.frontier.grid import MixtureGrid
from mauve.frontier.histogram import smooth
from mauve.threads import parallel_map

#: Every estimator of `compare`, the bias-corrected one first; the others smooth the counts.
EstimatorName = Literal[
    "jackknife", "plugin", "laplace", "krichevsky-trofimov", "braess-sauer", "good-turing"
]
ESTIMATORS: tuple[EstimatorName, ...] = get_args(EstimatorName)

#: Order of the jackknife behind the score: how many terms of the bias it removes.
JACKKNIFE_ORDER = 3

_SECOND_ORDER_ABOVE = 100  # texts of one sample in a bucket
_FIRST_ORDER_ABOVE = 20_000
_PAIRS_AT_ONCE, _TERMS_AT_ONCE = 64, 1 << 14  # whose terms stay in the processor's cache
_VALUES_AT_ONCE = 1 << 18  # of the divergences of smoothed histograms


def estimate_divergences(
    p_counts: IntArray,
    q_counts: IntArray,
    grid: MixtureGrid,
    estimator: str,
    tables: "TermTables | None" = None,
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
        Shares work between calls with the same totals and grid.

    Returns
    -------
    Divergences
        Arrays of shape (rows, n_grid).

    Examples
    --------
    >>> from mauve.frontier.grid import quadrature_grid
    >>> counts = np.array([[5, 5]])
    >>> float(estimate_divergences(counts, counts, quadrature_grid(8), "plugin").kl_p.max())
    0.0
    """
    result = Divergences(*(np.empty((len(p_counts), len(grid.weight_p))) for _ in range(3)))

    def put(rows: IntArray | slice, part: Divergences) -> None:
        result.kl_p[rows], result.kl_q[rows], result.slope[rows] = part.kl_p, part.kl_q, part.slope

    if estimator not in ("jackknife", "plugin"):
        # A smoothed probability depends on the whole row, so there is no table to look up.
        step = max(1, _VALUES_AT_ONCE // (p_counts.shape[1] * len(grid.weight_p)))
        for start in range(0, len(p_counts), step):
            rows = slice(start, start + step)
            p, q = smooth(p_counts[rows], estimator), smooth(q_counts[rows], estimator)
            put(rows, mixture_divergences(p, q, grid))
        return result
    tables = tables or TermTables()
    totals = np.stack([p_counts.sum(axis=1), q_counts.sum(axis=1)], axis=1)
    for n_p, n_q in np.unique(totals, axis=0).tolist():
        same = np.flatnonzero((totals == (n_p, n_q)).all(axis=1))
        p_pairs, q_pairs, occurrences = _count_pairs(p_counts[same], q_counts[same])
        sums = occurrences @ tables.terms(p_pairs, q_pairs, n_p, n_q, grid, estimator)
        put(same, Divergences(*np.split(sums, 3, axis=1)))
    return result


def _count_pairs(
    p_counts: IntArray, q_counts: IntArray
) -> tuple[IntArray, IntArray, "scipy.sparse.csr_array"]:
    """Return the distinct pairs of counts, and how often each row has each of them.

    The pairs are sorted, so a sum does not depend on the order of the buckets.
    """
    rows, k = p_counts.shape
    step = int(q_counts.max(initial=0)) + 1
    codes, inverse = _unique_codes(p_counts * step + q_counts)
    columns = np.sort(inverse.reshape(rows, k), axis=1)
    occurrences = scipy.sparse.csr_array(
        (np.ones(rows * k), columns.ravel(), np.arange(rows + 1) * k),
        shape=(rows, len(codes)),
    )
    return codes // step, codes % step, occurrences


def _unique_codes(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Like np.unique with its inverse, without the sort where a lookup table is small."""
    span = int(codes.max(initial=0)) + 1
    if span > max(codes.size, 1 << 16):
        values, inverse = np.unique(codes, return_inverse=True)
        return values, inverse.reshape(codes.shape)
    present = np.zeros(span, dtype=bool)
    present[codes] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[codes]


class TermTables:
    """Terms of buckets by their two counts, kept from one batch of histograms to the next.

    The histograms of a resampling have few distinct pairs of counts, and nearly the same
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
            Distinct pairs, sorted.
        n_p, n_q : int
            Texts of each sample.
        grid : MixtureGrid
        estimator : {"jackknife", "plugin"}
        """
        key = (estimator, n_p, n_q, len(grid.weight_p))
        codes = p_counts * (n_q + 1) + q_counts
        with self._lock:
            empty = np.empty(0, np.int64), np.empty((0, 3 * len(grid.weight_p)))
            known, table = self._tables.get(key, empty)
            new = np.setdiff1d(codes, known, assume_unique=True)
            if len(new):
                computed = _terms(new // (n_q + 1), new % (n_q + 1), n_p, n_q, grid, estimator)
                known, table = np.concatenate([known, new]), np.concatenate([table, computed])
                order = np.argsort(known)
                known, table = known[order], table[order]
                self._tables[key] = known, table
        return np.asarray(table[np.searchsorted(known, codes)])


def _terms(
    p_counts: IntArray, q_counts: IntArray, n_p: int, n_q: int, grid: MixtureGrid, estimator: str
) -> FloatArray:
    order = JACKKNIFE_ORDER if estimator == "jackknife" else 0

    step = max(_PAIRS_AT_ONCE, _TERMS_AT_ONCE // len(grid.weight_p))

    def part(start: int) -> FloatArray:
        rows = slice(start, start + step)
        terms = _jackknife(p_counts[rows], q_counts[rows], n_p, n_q, grid, order)
        return terms.reshape(len(terms), -1)

    return np.concatenate(parallel_map(part, range(0, len(p_counts), step)))


def jackknife_terms(
    p_counts: ArrayLike,
    q_counts: ArrayLike,
    n_p: int,
    n_q: int,
    grid: MixtureGrid,
    order: int = JACKKNIFE_ORDER,
) -> Divergences:
    r"""Return the term that each bucket adds to the jackknife estimate of the divergences.

    Parameters
    ----------
    p_counts, q_counts : array_like of int, shape (..., k)
        Human texts and model texts in each bucket.
    n_p, n_q : int
        Texts of each sample.
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
    Let :math:`f(a, b)` be the plug-in term of a bucket. The divergences are homogeneous in the
    two histograms, so the delete-one jackknife of both samples is the sum over the buckets of

    .. math:: Lf(a, b) = a\,[f(a, b) - f(a-1, b)] + b\,[f(a, b) - f(a, b-1)],

    up to terms that vanish as one over the sample size for any number of buckets. It
    cancels the bias of order 1/n. The jackknife of order m cancels those up to
    :math:`1/n^m` and is :math:`L(L+1)\cdots(L+m-1)f/m!` (Schucany, Gray and Owen 1971).
    Buckets hold a handful of texts each, so the first order alone is not enough;
    ``docs/method.md`` has the figures.

    Examples
    --------
    >>> from mauve.frontier.grid import quadrature_grid
    >>> plugin = jackknife_terms([30, 20], [20, 30], 50, 50, quadrature_grid(1), order=0)
    >>> corrected = jackknife_terms([30, 20], [20, 30], 50, 50, quadrature_grid(1))
    >>> [float(terms.kl_p[:, 1].sum().round(4)) for terms in (plugin, corrected)]
    [0.0201, 0.01]
    """
    return Divergences.of(_jackknife(p_counts, q_counts, n_p, n_q, grid, order))


def _jackknife(
    p_counts: ArrayLike, q_counts: ArrayLike, n_p: int, n_q: int, grid: MixtureGrid, order: int
) -> FloatArray:
    """Return :func:`jackknife_terms` as one array, shape (..., k, 3, n_grid)."""
    a, b = np.asarray(p_counts, dtype=float), np.asarray(q_counts, dtype=float)
    # The m-th order multiplies rounding errors by the m-th power of the count. In large
    # buckets the first orders leave hardly any bias.
    largest = np.maximum(a, b)
    orders = np.full(a.shape, order)
    for lower, limit in ((2, _SECOND_ORDER_ABOVE), (1, _FIRST_ORDER_ABOVE)):
        orders[largest > limit] = min(lower, order)
    if np.all(orders == orders.flat[:1]):
        return _terms_of_order(a, b, n_p, n_q, grid, int(orders.max(initial=0)))
    result = np.empty((*a.shape, 3, len(grid.weight_p)))
    for each in np.unique(orders):
        rows = orders == each
        result[rows] = _terms_of_order(a[rows], b[rows], n_p, n_q, grid, int(each))
    return result


def _terms_of_order(
    a: FloatArray, b: FloatArray, n_p: int, n_q: int, grid: MixtureGrid, order: int
) -> FloatArray:
    @cache
    def term(without_p: int, without_q: int, level: int) -> FloatArray:
        p_left, q_left = np.maximum(a - without_p, 0), np.maximum(b - without_q, 0)
        if level == 0:
            return bucket_terms(p_left / n_p, q_left / n_q, grid)
        whole = term(without_p, without_q, level - 1)
        next_level = whole - term(without_p + 1, without_q, level - 1)
        next_level *= p_left[..., None, None]
        change_q = whole - term(without_p, without_q + 1, level - 1)
        change_q *= q_left[..., None, None]
        next_level += change_q
        if level > 1:
            next_level += (level - 1) * whole
            next_level *= 1 / level
        return next_level

    return term(0, 0, order)
