"""Reduce the dimension of features by unit norm and principal components."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import Features, IntArray
from mauve.errors import UndefinedError, check_choice, check_real
from mauve.threads import parallel_map

#: Which step is first: "norm-pca" as in the authors' package, "pca-norm" as in the paper.
OrderName = Literal["norm-pca", "pca-norm"]
ORDERS: tuple[OrderName, ...] = get_args(OrderName)

_CHUNK = 2048  # rows at a time
_PARTIAL_ABOVE = 512  # dimensions above which it pays to compute leading components only


@dataclass(frozen=True)
class Reduction:
    """A fitted reduction, which can be applied to other texts.

    Attributes
    ----------
    unit : float
        With "pca-norm", the largest absolute feature, by which all are divided first; else 1.
    mean : array of float32, shape (d,)
    components : array of float32, shape (d, m)
    order : {"norm-pca", "pca-norm"}
    """

    unit: float
    mean: Features
    components: Features
    order: OrderName

    def apply(self, features: Features) -> Features:
        """Reduce features of shape (n, d), which are overwritten, to shape (n, m)."""
        return self.reduce(scaled_rows(features, self.order))

    def reduce(self, scaled: Features) -> Features:
        """Reduce what :func:`scaled_rows` returned, shape (n, d), to shape (n, m)."""
        return self._project(
            lambda rows: scaled[rows] / np.float32(self.unit) - self.mean, len(scaled)
        )

    def _project(self, centred: Callable[[slice], Features], n: int) -> Features:
        reduced = np.empty((n, self.components.shape[1]), dtype=np.float32)

        def project(rows: slice) -> None:
            np.dot(centred(rows), self.components, out=reduced[rows])

        parallel_map(project, row_chunks(n))
        if self.order == "pca-norm":
            _scale_to_unit_length(reduced)
        return reduced


def scaled_rows(features: Features, order: OrderName) -> Features:
    """Return features with the scale that the reduction expects; the array is overwritten.

    Examples
    --------
    >>> scaled_rows(np.array([[0.0, 4.0]], dtype=np.float32), "norm-pca").tolist()
    [[0.0, 1.0]]
    """
    if order == "norm-pca":
        _scale_to_unit_length(features)
    return features


def fit_reduction(scaled: Features, explained_variance: float, order: OrderName) -> Reduction:
    """Learn the reduction from the rows of some texts.

    Parameters
    ----------
    scaled : array of float32, shape (n, d)
        Result of :func:`scaled_rows`.
    explained_variance : float in (0, 1]
        Keep the fewest components that explain this share of the variance.
    order : {"norm-pca", "pca-norm"}

    Examples
    --------
    >>> line = np.outer(np.arange(1, 9), [3.0, 4.0]).astype(np.float32)
    >>> fit_reduction(line, 0.9, "pca-norm").components.shape
    (2, 1)
    """
    return _fit_in_place(scaled.copy(), slice(None), explained_variance, order)


def _fit_in_place(
    scaled: Features, fit_rows: IntArray | slice, explained_variance: float, order: OrderName
) -> Reduction:
    """Learn the reduction from some rows, and centre all of them."""
    unit, mean = _centre_in_place(scaled, fit_rows, order)
    components = _principal_components(scaled[fit_rows], float(mean @ mean), explained_variance)
    return Reduction(unit, mean, components, order)


def _centre_in_place(
    scaled: Features, fit_rows: IntArray | slice, order: OrderName
) -> tuple[float, Features]:
    """Subtract the mean of some rows from all; return the unit and the mean."""
    unit = 1.0
    if order == "pca-norm":
        unit = float(max(scaled.max(), -scaled.min())) or 1.0
        scaled /= np.float32(unit)
    mean = scaled[fit_rows].mean(axis=0, dtype=np.float64).astype(np.float32)
    scaled -= mean
    return unit, mean


def reduce_few(
    scaled: Features, explained_variance: float, order: OrderName
) -> tuple[Features, Reduction]:
    """Learn the reduction from some texts, and reduce them.

    Of fewer texts than dimensions, the reduced features follow from the products of the texts.

    Parameters
    ----------
    scaled, explained_variance, order
        As for :func:`fit_reduction`.

    Examples
    --------
    >>> line = np.outer(np.arange(1, 9), np.arange(3, 12)).astype(np.float32)
    >>> reduced, reduction = reduce_few(line, 0.9, "pca-norm")
    >>> reduced.shape, reduction.components.shape
    ((8, 1), (9, 1))
    """
    if len(scaled) >= scaled.shape[1]:
        reduction = fit_reduction(scaled, explained_variance, order)
        return reduction.reduce(scaled), reduction
    centred = scaled.copy()
    unit, mean = _centre_in_place(centred, slice(None), order)
    # In a map, so that BLAS runs on one thread.
    [(components, reduced)] = parallel_map(
        lambda rows: _components_of_few(rows, float(mean @ mean), explained_variance), [centred]
    )
    if order == "pca-norm":
        _scale_to_unit_length(reduced)
    return reduced, Reduction(unit, mean, components, order)


def reduce_features(
    features: Features,
    *,
    explained_variance: float = 0.9,
    order: OrderName = "norm-pca",
    fit_rows: IntArray | None = None,
) -> tuple[Features, Reduction]:
    """Normalise and project features on their principal components.

    Parameters
    ----------
    features : array of float32, shape (n, d)
        All texts of a comparison. The array is overwritten.
    explained_variance : float in (0, 1]
        Keep the fewest components that explain this share of the variance.
    order : {"norm-pca", "pca-norm"}
        Scale each text to unit length before the projection, or after it.
    fit_rows : array of int, optional
        Rows the components are fitted on; all by default.

    Returns
    -------
    reduced : array of float32, shape (n, m)
    reduction : Reduction
        Reduces other texts in the same way.

    Notes
    -----
    The components are eigenvectors of the d x d covariance. They span the same subspace as
    those of an SVD of the data, in a fraction of the time if n is larger than d.

    Examples
    --------
    >>> line = np.outer(np.arange(1, 9), [3.0, 4.0]).astype(np.float32)
    >>> reduced, _ = reduce_features(line, order="pca-norm")
    >>> reduced.shape  # one direction is enough
    (8, 1)
    """
    check_real("explained_variance", explained_variance, above=0, up_to=1)
    check_choice("order", order, ORDERS)
    scaled = scaled_rows(features, order)
    rows = slice(None) if fit_rows is None else fit_rows
    reduction = _fit_in_place(scaled, rows, explained_variance, order)
    return reduction._project(scaled.__getitem__, len(scaled)), reduction


def row_chunks(n: int, size: int = _CHUNK) -> Iterator[slice]:
    """Yield slices of up to `size` rows; the size is fixed, as sums of floats depend on it.

    Examples
    --------
    >>> [*row_chunks(5, 2)]
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def batched(items: Iterator[slice], size: int) -> Iterator[list[slice]]:
    """Yield lists of up to `size` items, as itertools.batched does from Python 3.12 on.

    Examples
    --------
    >>> [*batched(row_chunks(3, 1), 2)]
    [[slice(0, 1, None), slice(1, 2, None)], [slice(2, 3, None)]]
    """
    while batch := list(islice(items, size)):
        yield batch


def _scale_to_unit_length(features: Features) -> None:
    """Divide each row by its norm, in place; a row of zeros stays zero."""

    def scale(rows: slice) -> None:
        wide = features[rows].astype(np.float64)  # squares of 1e20 do not fit 32 bits
        norm = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        norm[norm == 0] = 1
        features[rows] = wide / norm[:, None]

    parallel_map(scale, row_chunks(len(features), 256))


def _principal_components(centred: Features, mean_square: float, share: float) -> Features:
    """Return the leading eigenvectors of the covariance as columns, shape (d, m)."""
    n, d = centred.shape
    if n < d:
        # In a map, so that BLAS runs on one thread.
        [(components, _)] = parallel_map(
            lambda rows: _components_of_few(rows, mean_square, share), [centred]
        )
        return components
    covariance = np.zeros((d, d), dtype=np.float64)
    for batch in batched(row_chunks(len(centred)), 2):  # limits the d x d parts held at once
        for part in parallel_map(lambda rows: centred[rows].T @ centred[rows], batch):
            covariance += part
    total = float(np.trace(covariance))
    check_variance(total, mean_square, len(centred))
    # Many dimensions: a quarter of the components in single precision is nearly always
    # enough, and takes a third of the time.
    attempts: list[tuple[int, type]] = [(d, np.float64)]
    if d > _PARTIAL_ABOVE:
        attempts.insert(0, (d // 4, np.float32))
    for leading, precision in attempts:
        values, vectors = _leading_eigenvectors(covariance.astype(precision, copy=False), leading)
        n_components = components_kept(values, total, share)
        if n_components < leading or leading == d:
            break
    return np.ascontiguousarray(vectors[:, ::-1][:, :n_components], dtype=np.float32)


def _components_of_few(
    centred: Features, mean_square: float, share: float
) -> tuple[Features, Features]:
    """Return the components of fewer texts than dimensions, and the texts projected on them.

    Both follow from the n x n products of texts.
    """
    products = (centred @ centred.T).astype(np.float64)
    total = float(np.trace(products))
    check_variance(total, mean_square, len(centred))
    values, vectors = np.linalg.eigh(products)  # lets other threads run, SciPy's does not
    n_components = components_kept(values, total, share)
    leading, root = vectors[:, ::-1][:, :n_components], np.sqrt(values[::-1][:n_components])
    components = np.ascontiguousarray(centred.T @ (leading / root).astype(np.float32))
    return components, np.ascontiguousarray(leading * root, dtype=np.float32)


def check_variance(total: float, mean_square: float, n_texts: int) -> None:
    """Raise if the texts do not vary, given the trace of their scatter."""
    if not total > 1e-12 * max(mean_square, 1e-30) * n_texts:
        raise UndefinedError(
            "The features must vary from text to text. Got the same for every text instead: check "
            "that the texts are not all equal, and the embedder."
        )


def components_kept(values: NDArray[np.floating], total: float, share: float) -> int:
    """Return how many of the leading components explain a share of the variance.

    Parameters
    ----------
    values : array of shape (m,)
        The largest eigenvalues, in ascending order.
    total : float
        Sum of all eigenvalues.
    share : float
        Of the variance; the result is m if all m components explain less.

    Examples
    --------
    >>> components_kept(np.array([1.0, 3.0, 6.0]), 10.0, 0.9)
    2
    """
    explained = np.cumsum(values[::-1], dtype=np.float64) / total
    # Rounding may keep the explained share below 1.
    needed = int(np.searchsorted(explained, share - 1e-7)) + 1
    return min(needed, len(values), int((values > 1e-10 * values[-1]).sum()))


def _leading_eigenvectors(
    matrix: NDArray[np.floating], leading: int
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return the largest eigenvalues in ascending order, and their eigenvectors as columns."""
    wanted = [len(matrix) - leading, len(matrix) - 1]

    def eigenvectors(
        m: NDArray[np.floating],
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        if leading == len(m):
            return np.linalg.eigh(m)  # lets other threads run, SciPy's does not
        found: tuple[NDArray[np.floating], NDArray[np.floating]] = scipy.linalg.eigh(
            m, subset_by_index=wanted, driver="evr", check_finite=False
        )
        return found

    [(values, vectors)] = parallel_map(eigenvectors, [matrix])  # with BLAS on one thread
    return values, vectors
