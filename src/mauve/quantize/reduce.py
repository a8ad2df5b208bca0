"""Features in, fewer dimensions out: unit norm and principal components."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from mauve.errors import InvalidParameterError, check_choice, check_real
from mauve.threads import parallel_map

Features = NDArray[np.float32]

#: What comes first: "norm-pca" as in the authors' package, "pca-norm" as in the paper.
ORDERS = ("norm-pca", "pca-norm")

_CHUNK = 2048  # rows at a time: fixed, because the sums of floats depend on it
_PARTIAL_ABOVE = 512  # dimensions from which it pays to ask for the leading part only


def reduce_features(
    features: Features,
    *,
    explained_variance: float = 0.9,
    order: str = "norm-pca",
    fit_rows: NDArray[np.int64] | None = None,
) -> Features:
    """Normalise and project features on their principal components.

    Parameters
    ----------
    features : array of float32, shape (n, d)
        All texts of a comparison. Overwritten: the caller owns it and needs it no more.
    explained_variance : float in (0, 1]
        Keep the fewest components that explain this share of the variance.
    order : {"norm-pca", "pca-norm"}
        Scale each text to unit length before the projection, or after it.
    fit_rows : array of int, optional
        Rows the components are fitted on; all by default.

    Returns
    -------
    array of float32, shape (n, m)

    Notes
    -----
    The components come from the d x d covariance, not from an SVD of the data: the same
    subspace for a small part of the time where n is larger than d.

    Examples
    --------
    >>> line = np.outer(np.arange(1, 9), [3.0, 4.0]).astype(np.float32)
    >>> reduce_features(line, order="pca-norm").shape  # one direction is enough
    (8, 1)
    """
    check_real("reduce_features", "explained_variance", explained_variance, above=0, up_to=1)
    check_choice("reduce_features", "order", order, ORDERS)
    if order == "norm-pca":
        _scale_rows_to_unit_length(features)
    fitted = features if fit_rows is None else features[fit_rows]
    mean = fitted.mean(axis=0, dtype=np.float64).astype(np.float32)
    components = _principal_components(fitted, mean, explained_variance)
    features -= mean
    reduced = np.empty((len(features), components.shape[1]), dtype=np.float32)

    def project(rows: slice) -> None:
        np.dot(features[rows], components, out=reduced[rows])

    parallel_map(project, _chunks(len(features)))
    if order == "pca-norm":
        _scale_rows_to_unit_length(reduced)
    return reduced


def _chunks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _CHUNK, n)) for start in range(0, n, _CHUNK))


def _scale_rows_to_unit_length(features: Features) -> None:
    """Divide each row by its norm, in place; a row of zeros stays as it is."""

    def scale(rows: slice) -> None:
        norm = np.sqrt(np.einsum("ij,ij->i", features[rows], features[rows]))
        norm[norm == 0] = 1
        features[rows] /= norm[:, None]

    parallel_map(scale, _chunks(len(features)))


def _principal_components(fitted: Features, mean: Features, share: float) -> Features:
    """Return the leading eigenvectors of the covariance as columns, shape (d, m)."""

    def scatter(rows: slice) -> Features:
        centred = fitted[rows] - mean
        return np.asarray(centred.T @ centred)

    d = fitted.shape[1]
    covariance = np.zeros((d, d), dtype=np.float64)
    for part in parallel_map(scatter, _chunks(len(fitted))):
        covariance += part
    total = float(np.trace(covariance))
    if not total > 1e-12 * max(float(mean @ mean), 1e-30) * len(fitted):
        raise InvalidParameterError(
            "The 'features' parameter of reduce_features must vary from text to text. "
            "Got the same features for every text instead: check the embedder."
        )
    for leading in (d // 4, d) if d > _PARTIAL_ABOVE else (d,):
        values, vectors = parallel_map(
            lambda top: eigh(
                covariance, subset_by_index=[d - top, d - 1], driver="evr", check_finite=False
            ),
            [leading],
        )[0]
        explained = np.cumsum(values[::-1]) / total
        # A share of 1 is reached when only rounding is left over.
        kept = int(np.searchsorted(explained, share - 1e-7)) + 1
        if kept <= leading:
            break
    kept = min(kept, int((values > 1e-10 * values[-1]).sum()))
    return np.ascontiguousarray(vectors[:, ::-1][:, :kept], dtype=np.float32)
