"""Quadratic forms of features that see whether two samples differ, for all permutations at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import BoolArray, Features, FloatArray, HashArray, IntArray
from mauve.hashes import scramble_hashes, text_keys
from mauve.inference.permutations import ExchangeableUnits, bundled
from mauve.quantize.assigning import RowAssigner
from mauve.quantize.kmeans import Centres, KMeans
from mauve.quantize.reduce import row_chunks
from mauve.threads import load_linear_algebra, parallel_map

_LEAST_PENALTY = 1e-7  # of the trace of a scatter, whose sums in single precision are off by less
_SAME = 1e-3  # distances, of the largest, that are rounding errors
_N_LANDMARKS = 128  # texts that stand for all in the kernels
_ROWS = 1024  # texts at a time
# Features are rounded to so many parts of one, so that single precision holds their sums.
_LINEAR_PARTS, _KERNEL_PARTS = 1 << 12, (1 << 24) // _ROWS
_N_SCATTER = 4096  # texts whose scatter the classifiers learn
_SCATTER_ROWS = 2048  # of them at a time
_MOST_UNITS = 500  # bundles of texts of a sample; below twice as many texts, one text each
_WEAK, _STRONG = 0.1, 1.0  # penalties of the linear and of the kernel classifier
_N_CLUSTERINGS, _N_LEARNING, _N_BUCKETS = 10, 200, 25  # of the counts
_SINGULAR = 1e-5  # eigenvalues of a kernel, of the largest, that single precision does not hold


class PooledFeatures:
    """Features of two samples, read in parts and in an order that does not depend on theirs.

    Parameters
    ----------
    samples : sequence of two arrays of shape (n, d)
    hashes : sequence of two arrays of int, shape (n,)
        A hash of every text.
    groups : array of int, shape (n,), optional
        Texts of both samples, one after the other, with the same number answer one prompt.
    """

    def __init__(
        self,
        samples: Sequence[NDArray[Any]],
        hashes: Sequence[HashArray],
        groups: IntArray | None = None,
    ) -> None:
        self._samples = samples
        n_first = len(samples[0])
        prompts = [None, None] if groups is None else np.split(groups.astype(np.uint64), [n_first])
        of_samples = [text_keys(part, of) for part, of in zip(hashes, prompts, strict=True)]
        keys = scramble_hashes(np.concatenate(of_samples), 0)
        order = np.argsort(keys, kind="stable")
        is_first = order < n_first
        bundles = bundled(is_first, _MOST_UNITS) if groups is None else groups[order]
        units = ExchangeableUnits.of(is_first, bundles, np.zeros(len(order), dtype=np.int64))
        by_unit = np.argsort(units.unit, kind="stable")
        self.units = units
        self._order = order[by_unit]
        #: Unit of each text, ascending.
        self.unit = units.unit[by_unit]
        # Both are chosen without regard to the samples, as an exact test must.
        at_random = np.argsort(keys[self._order], kind="stable")
        different = np.sort(
            np.unique(np.concatenate(hashes)[self._order[at_random]], return_index=True)[1]
        )
        #: Different texts that stand for all in the kernels.
        self.landmarks = at_random[different[:_N_LANDMARKS]]
        #: Texts that buckets are learnt from, those of each clustering in turn.
        self.learning = at_random[: _N_CLUSTERINGS * _N_LEARNING]
        #: Texts whose scatter stands for that of all.
        self.in_scatter = np.zeros(len(order), dtype=bool)
        self.in_scatter[at_random[:_N_SCATTER]] = True

    def __len__(self) -> int:
        return len(self._order)

    @property
    def n_first(self) -> int:
        """Number of texts of the first sample."""
        return len(self._samples[0])

    def at(self, rows: IntArray | slice) -> Features:
        """Return the features of some texts."""
        texts = self._order[rows]
        is_first = texts < self.n_first
        features = np.empty((len(texts), self._samples[0].shape[1]), dtype=np.float32)
        features[is_first] = self._samples[0][texts[is_first]]
        features[~is_first] = self._samples[1][texts[~is_first] - self.n_first]
        return features


def quadratic_forms(pooled: PooledFeatures, is_human: BoolArray) -> FloatArray:
    r"""Return the statistics of all draws, shape (5, n_draws).

    Notes
    -----
    With features :math:`\phi` of the texts, their sum :math:`w` over the human texts, less what it
    would be with the mean of all texts, and the scatter :math:`S` of all texts, the margin of a
    ridge classifier is :math:`w^\top (S + \alpha)^{-1} w` up to constants, and the mean discrepancy
    is :math:`w^\top w`. Only :math:`w` depends on the permutation.
    """
    load_linear_algebra()
    scale = _Scale.of(pooled)
    # Products are computed in maps, so that BLAS runs on one thread.
    [kernels] = parallel_map(lambda rows: _Kernels(scale, pooled.at(rows)), [pooled.landmarks])
    buckets = _Buckets(pooled.at(pooled.learning))
    bases = parallel_map(_inverse_root, kernels.of_landmarks)
    basis = bases[0].astype(np.float32)
    n, n_linear, n_kernel = len(pooled), len(scale.mean), kernels.n_landmarks
    width = n_linear + 3 * n_kernel + buckets.width
    sums, totals = np.zeros((width, len(is_human))), np.zeros(width)
    n_scatter = int(pooled.in_scatter.sum())
    linear_scatter = np.empty((n_scatter, n_linear), dtype=np.float32)
    kernel_scatter = np.empty((n_scatter, bases[0].shape[1]), dtype=np.float32)
    place = np.cumsum(pooled.in_scatter) - 1
    widths = n_linear, 3 * n_kernel, buckets.width
    of_one = np.repeat(np.array([_LINEAR_PARTS, _KERNEL_PARTS, 1], dtype=np.float32), widths)

    adding = Lock()

    def add(rows: slice) -> None:
        raw = pooled.at(rows)
        columns = np.empty((len(raw), width), dtype=np.float32)
        linear, kernel, members = np.split(columns, [n_linear, width - buckets.width], axis=1)
        scale(raw, out=linear)
        unit = _unit_rows(raw)
        kernels(linear, unit, out=kernel)
        buckets(unit, out=members)
        chosen = np.flatnonzero(pooled.in_scatter[rows])
        linear_scatter[place[rows][chosen]] = linear[chosen]
        # Projected before they are multiplied: the basis would enlarge rounding errors.
        kernel_scatter[place[rows][chosen]] = kernel[chosen, :n_kernel] @ basis
        units, starts = np.unique(pooled.unit[rows], return_index=True)
        columns = _sums_of_rows(columns, starts)
        # With sums of whole numbers, which are exact in any order, permutations that give the same
        # samples have the same statistics.
        columns *= of_one
        np.rint(columns, out=columns)
        of_rows = columns.T @ is_human[:, units].T.astype(np.float32)
        with adding:
            np.add(sums, of_rows, out=sums)
            np.add(totals, columns.sum(axis=0, dtype=np.float64), out=totals)

    parallel_map(add, row_chunks(n, _ROWS))
    sums /= of_one[:, None]
    totals /= of_one
    sums -= totals[:, None] * (pooled.n_first / n)
    linear_sums, *kernel_sums, counts = np.split(sums, n_linear + n_kernel * np.arange(4))
    projected = parallel_map(
        lambda parts: parts[0].T @ parts[1], zip(bases, kernel_sums, strict=True)
    )
    margins = parallel_map(
        lambda margin: _ridge_norms(*margin),
        [
            (_scatter(linear_scatter, n), _WEAK, linear_sums, n),
            (_scatter(kernel_scatter, n), _STRONG, projected[0], n),
        ],
    )
    in_bucket = np.maximum(totals[width - buckets.width :, None], 1)
    discrepancies = [*projected[1:], counts / np.sqrt(in_bucket)]
    return np.stack([*margins, *(np.einsum("ij,ij->j", part, part) for part in discrepancies)])


def _sums_of_rows(columns: Features, starts: IntArray) -> Features:
    """Return the sums of rows from each start to the next, shape (n_starts, width)."""
    n = len(columns)
    if len(starts) == n:
        return columns
    # np.add.reduceat goes along the columns, which takes twenty times as long.
    ones, row_ends = np.ones(n, dtype=np.float32), np.append(starts, n)
    adding = scipy.sparse.csr_array((ones, np.arange(n), row_ends), shape=(len(starts), n))
    return np.asarray(adding @ columns)


def _scatter(features: Features, n: int) -> FloatArray:
    """Return the products of features around their mean, summed over n texts such as these."""
    parts = row_chunks(len(features), _SCATTER_ROWS)
    products = parallel_map(lambda rows: features[rows].T @ features[rows], parts)
    scatter = np.sum(products, axis=0, dtype=np.float64)
    total = features.sum(axis=0, dtype=np.float64)
    scatter -= np.outer(total, total / len(features))
    scatter *= n / len(features)
    return np.asarray(scatter)


def _ridge_norms(scatter: FloatArray, penalty: float, sums: FloatArray, n_texts: int) -> FloatArray:
    r"""Return :math:`w^\top (S + \alpha)^{-1} w` for every column w of `sums`, shape (n_draws,).

    The penalty is in units of the mean eigenvalue of the n x n products of texts, and added to
    `scatter`.
    """
    weight = max(penalty / n_texts, _LEAST_PENALTY) * max(float(np.trace(scatter)), 1e-12)
    scatter.flat[:: len(scatter) + 1] += weight
    # Through its transpose, which is the same, LAPACK reads it without a copy.
    root = scipy.linalg.cholesky(scatter.T, lower=False, overwrite_a=True, check_finite=False)
    # Single precision: all draws are rounded alike, so the test stays exact.
    solved = scipy.linalg.solve_triangular(
        root.astype(np.float32), sums.astype(np.float32), trans="T", check_finite=False
    )
    return np.asarray(np.einsum("ij,ij->j", solved, solved), dtype=np.float64)


def _inverse_root(kernel: FloatArray) -> FloatArray:
    """Return the map from kernels with all landmarks to independent features, shape (L, r)."""
    values, vectors = np.linalg.eigh(kernel)
    kept = values > _SINGULAR * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


@dataclass(frozen=True)
class _Scale:
    """Mean of every feature over both samples, and one over its standard deviation."""

    mean: Features
    factor: Features

    @classmethod
    def of(cls, pooled: PooledFeatures) -> "_Scale":
        n = len(pooled)

        def moments(rows: slice) -> tuple[FloatArray, FloatArray]:
            shifted = pooled.at(rows) - origin
            squares = np.einsum("ij,ij->j", shifted, shifted, dtype=np.float64)
            return shifted.sum(axis=0, dtype=np.float64), squares

        origin = pooled.at(slice(1))[0]
        parts = parallel_map(moments, row_chunks(n, _ROWS))
        sums, squares = (np.sum(part, axis=0) for part in zip(*parts, strict=True))
        mean = sums / n
        deviation = np.sqrt(np.maximum(squares / n - mean**2, 0.0))
        # Features that do not vary have no effect.
        deviation[deviation <= 1e-7 * np.abs(mean + origin)] = np.inf
        return cls((mean + origin).astype(np.float32), (1 / deviation).astype(np.float32))

    def __call__(self, raw: Features, out: Features | None = None) -> Features:
        scaled = np.subtract(raw, self.mean, out=out)
        scaled *= self.factor
        return scaled


class _Kernels:
    """Kernels between texts and landmarks: Gaussian and Laplace, and a narrow Gaussian."""

    def __init__(self, scale: _Scale, landmarks: Features) -> None:
        self._linear, self._unit = scale(landmarks), _unit_rows(landmarks)
        self.n_landmarks = len(landmarks)
        distances = self._distances(self._linear, self._unit)
        self._widths = [_typical(distance) for distance in distances]
        columns = self(self._linear, self._unit).astype(np.float64)
        self.of_landmarks = [(part + part.T) / 2 for part in np.split(columns, 3, axis=1)]

    def __call__(self, linear: Features, unit: Features, out: Features | None = None) -> Features:
        """Return the kernels of texts with all landmarks, shape (n, 3 * n_landmarks)."""
        of_linear, of_unit = self._distances(linear, unit)
        of_linear /= np.float32(self._widths[0])
        of_unit /= np.float32(self._widths[1] / 2)
        if out is None:
            out = np.empty((len(linear), 3 * self.n_landmarks), dtype=np.float32)
        gaussian, laplace, narrow = np.split(out, 3, axis=1)
        np.exp(of_linear**2 / -2, out=gaussian)
        np.exp(-of_linear, out=laplace)
        np.exp(of_unit**2 / -2, out=narrow)
        return out

    def _distances(self, linear: Features, unit: Features) -> tuple[Features, Features]:
        return _distances(linear, self._linear), _distances(unit, self._unit)


def _typical(distances: Features) -> float:
    """Return the median distance of landmarks that differ; different texts may have one place."""
    apart = distances[distances > _SAME * distances.max()]
    return float(np.median(apart)) if len(apart) else 1.0


class _Buckets:
    """Buckets of k-means that are learnt from both samples without knowing them."""

    def __init__(self, raw: Features) -> None:
        learning = _unit_rows(raw)
        # Not from principal components, as for the score: they hardly change which buckets texts
        # are in, and would take most of the time.
        self._num_buckets = min(_N_BUCKETS, max(len(learning) // 8, 2))
        partitions = parallel_map(
            lambda clustering: self._learn(learning, clustering), range(_N_CLUSTERINGS)
        )
        self._assign = RowAssigner(partitions, self._num_buckets)
        self.width = len(partitions) * self._num_buckets

    def _learn(self, learning: Features, clustering: int) -> Centres:
        at = np.arange(clustering * _N_LEARNING, (clustering + 1) * _N_LEARNING) % len(learning)
        rng = np.random.default_rng(clustering)
        return KMeans(max_iter=20).fit(learning[np.unique(at)], self._num_buckets, rng)

    def __call__(self, unit: Features, out: Features) -> None:
        """Write which buckets texts are in, shape (n, width), one for each clustering."""
        labels = self._assign(unit)
        columns = labels + self._num_buckets * np.arange(len(labels))[:, None]
        out[:] = 0.0
        out[np.arange(len(out)), columns] = 1.0


def _unit_rows(raw: Features) -> Features:
    length = np.sqrt(np.einsum("ij,ij->i", raw, raw, dtype=np.float64))
    length[length == 0] = 1.0
    return np.asarray(raw * (1 / length).astype(np.float32)[:, None])


def _distances(rows: Features, others: Features) -> Features:
    distances = rows @ others.T
    distances *= -2
    distances += np.einsum("ij,ij->i", rows, rows)[:, None]
    distances += np.einsum("ij,ij->i", others, others)
    np.maximum(distances, 0.0, out=distances)
    return np.asarray(np.sqrt(distances, out=distances))
