"""Reduce the dimension of features by unit norm and principal components."""

from collections.abc import Iterator
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

_CHUNK = 2048  # rows at a time: fixed, because the sums of floats depend on it
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
        if self.order == "norm-pca":
            _scale_rows_to_unit_length(features)
        else:
            features /= np.float32(self.unit)
        features -= self.mean
        return self._project(features)

    def _project(self, centred: Features) -> Features:
        reduced = np.empty((len(centred), self.components.shape[1]), dtype=np.float32)

        def project(rows: slice) -> None:
            np.dot(centred[rows], self.components, out=reduced[rows])

        parallel_map(project, _chunks(len(centred)))
        if self.order == "pca-norm":
            _scale_rows_to_unit_length(reduced)
        return reduced


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
    unit = 1.0
    if order == "norm-pca":
        _scale_rows_to_unit_length(features)
    else:
        unit = float(max(features.max(), -features.min())) or 1.0
        features /= np.float32(unit)
    rows = slice(None) if fit_rows is None else fit_rows
    mean = features[rows].mean(axis=0, dtype=np.float64).astype(np.float32)
    features -= mean
    components = _principal_components(features[rows], float(mean @ mean), explained_variance)
    reduction = Reduction(unit, mean, components, order)
    return reduction._project(features), reduction


def _chunks(n: int, size: int = _CHUNK) -> Iterator[slice]:
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _batched(items: Iterator[slice], size: int) -> Iterator[list[slice]]:
    """Yield lists of up to `size` items, as itertools.batched does from Python 3.12 on."""
    while batch := list(islice(items, size)):
        yield batch


def _scale_rows_to_unit_length(features: Features) -> None:
    """Divide each row by its norm, in place; a row of zeros stays zero."""

    def scale(rows: slice) -> None:
        wide = features[rows].astype(np.float64)  # squares of 1e20 do not fit 32 bits
        norm = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        norm[norm == 0] = 1
        features[rows] = wide / norm[:, None]

    parallel_map(scale, _chunks(len(features), 256))


def _principal_components(centred: Features, mean_square: float, share: float) -> Features:
    """Return the leading eigenvectors of the covariance as columns, shape (d, m)."""
    d = centred.shape[1]
    covariance = np.zeros((d, d), dtype=np.float64)
    for batch in _batched(_chunks(len(centred)), 2):  # limits the d x d parts held at once
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
    [(values, vectors)] = parallel_map(
        lambda m: scipy.linalg.eigh(m, subset_by_index=wanted, driver="evr", check_finite=False),
        [matrix],
    )
    return values, vectors
