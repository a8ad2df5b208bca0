"""Assign texts to the buckets of many clusterings at once, wherever they stand among the texts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mauve.arrays import Features, FloatArray, Labels
from mauve.quantize.classifier import LevelSets
from mauve.quantize.crossfit import checked_labels
from mauve.quantize.kmeans import Centres
from mauve.quantize.protocol import Partition
from mauve.quantize.reduce import Reduction, row_chunks
from mauve.threads import parallel_map

_ROWS = 512  # rows whose scores against the centres of all clusterings are held at once
_MORE_ROWS = 8  # times as many, where a clustering has one score
_ROUNDING = 8 * float(np.finfo(np.float32).eps)  # of a product, for each root of its length
_SAME = 1e-6  # of that: rounding in double precision


@dataclass(frozen=True)
class ReducedPartition:
    """Fitted buckets with the reduction that was learnt from the same texts."""

    reduction: Reduction
    partition: Partition

    def assign(self, scaled: Features) -> Labels:
        """Return the bucket of every row of a :class:`SortedSample`."""
        return self.partition.assign(self.reduction.reduce(scaled))


@dataclass(frozen=True)
class OneBucket:
    """The buckets that equal texts are divided into: one, whatever the text."""

    def assign(self, scaled: Features) -> Labels:
        """Return bucket 0 for every row of a :class:`SortedSample`."""
        return np.zeros(len(scaled), dtype=np.int32)


class RowAssigner:
    """Assigns rows of a :class:`SortedSample` to the buckets of several clusterings at once.

    BLAS rounds a product differently at different places of a matrix. Where the two best scores
    of a text are nearer to each other than such rounding, both are computed again in double
    precision. So the bucket of a text depends neither on the order of the texts nor on the part
    of a sample that is assigned at once.

    Parameters
    ----------
    partitions : sequence of Partition
        Of a :class:`PairClustering`.
    num_buckets : int
        Number of buckets k.

    Examples
    --------
    >>> near = Centres(np.eye(2, dtype=np.float32), 0.0)
    >>> RowAssigner([near], 2)(np.float32([[1, 0], [0.6, 0.8]])).tolist()
    [[0, 1]]
    """

    def __init__(self, partitions: Sequence[Partition], num_buckets: int) -> None:
        self._partitions, self._num_buckets = partitions, num_buckets
        self._levels = [part for part in partitions if isinstance(part, LevelSets)]
        self._affine = _all_affine(partitions)
        if self._affine is not None:
            weights, offsets = self._affine
            shape = len(partitions), -1
            # Bucket by bucket, so that maxima over the buckets run along contiguous numbers.
            self._affine = (
                weights.reshape(len(weights), *shape).swapaxes(1, 2).reshape(weights.shape),
                offsets.reshape(shape).T.ravel(),
            )
            self._rounding = _ROUNDING * np.sqrt(len(weights)) * _lengths(weights.T).max()

    @property
    def n_clusterings(self) -> int:
        """Number of clusterings."""
        return len(self._partitions)

    def __call__(self, scaled: Features) -> Labels:
        """Return the buckets of all rows, shape (n_clusterings, n)."""
        n, partitions = len(scaled), self._partitions
        if self._affine is None:

            def assigned(partition: Partition) -> Labels:
                return checked_labels(partition.assign(scaled), n, self._num_buckets)

            return np.stack(parallel_map(assigned, partitions))
        weights, offsets = self._affine
        labels = np.empty((len(partitions), n), dtype=np.int32)

        def assign(rows: slice) -> None:
            part = scaled[rows]
            scores = part @ weights
            scores += offsets
            tolerance = self._rounding * _lengths(part)
            at_once = self._levels_of if self._levels else self._nearest
            labels[:, rows] = at_once(part, scores, tolerance)

        # Level sets have one score where centres have k.
        parallel_map(assign, row_chunks(n, _ROWS * (_MORE_ROWS if self._levels else 1)))
        return labels

    def _nearest(self, part: Features, scores: Features, tolerance: FloatArray) -> Labels:
        """Return the bucket with the largest score."""
        n, n_clusterings = len(part), len(self._partitions)
        by_bucket = scores.reshape(n, -1, n_clusterings)
        least = by_bucket.max(axis=1) - tolerance[:, None].astype(np.float32)
        at = np.flatnonzero(by_bucket >= least[:, None, :])
        row_and_bucket, clustering = np.divmod(at, n_clusterings)
        row, bucket = np.divmod(row_and_bucket, by_bucket.shape[1])
        labels = np.zeros((n_clusterings, n), dtype=np.int32)
        labels[clustering, row] = bucket
        if len(at) > labels.size:
            is_close = np.bincount(row * n_clusterings + clustering, minlength=labels.size) > 1
            is_close = is_close.reshape(n, n_clusterings)
            for number in np.flatnonzero(is_close.any(axis=0)):
                rows = np.flatnonzero(is_close[:, number])
                exact = self._exact(part[rows], slice(number, None, n_clusterings))
                is_best = exact >= exact.max(axis=1, keepdims=True) - _SAME * tolerance[rows, None]
                labels[number, rows] = is_best.argmax(axis=1)  # the first of equal centres
        return labels

    def _levels_of(self, part: Features, scores: Features, tolerance: FloatArray) -> Labels:
        """Return the level that each value is in."""
        labels = np.empty((len(self._levels), len(part)), dtype=np.int32)
        for clustering, levels in enumerate(self._levels):
            values = scores[:, clustering].astype(np.float64)
            ends = np.concatenate([[-np.inf], levels.limits, [np.inf]])
            label = levels.at(values)
            with np.errstate(invalid="ignore"):  # an infinite value is close to no limit
                above, below = values - ends[label], ends[label + 1] - values
                rows = np.flatnonzero(np.minimum(above, below) <= tolerance)
            labels[clustering] = label
            if len(rows):
                columns = slice(clustering, clustering + 1)
                labels[clustering, rows] = levels.at(self._exact(part[rows], columns)[:, 0])
        return labels

    def _exact(self, part: Features, columns: slice) -> FloatArray:
        """Return scores in double precision."""
        assert self._affine is not None
        weights, offsets = (array[..., columns].astype(np.float64) for array in self._affine)
        return np.asarray(part.astype(np.float64) @ weights + offsets)


def _lengths(rows: Features) -> FloatArray:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64)))


def _all_affine(partitions: Sequence[Partition]) -> tuple[Features, Features] | None:
    """Return weights (d, B * k) and offsets (B * k,) of all clusterings, if all have them.

    Level sets have one score each instead of k.
    """
    if all(isinstance(partition, LevelSets) for partition in partitions):
        levels = [part for part in partitions if isinstance(part, LevelSets)]
        weights = np.stack([part.weights for part in levels], axis=1).astype(np.float32)
        return weights, np.array([part.offset for part in levels], dtype=np.float32)
    parts = parallel_map(_affine, partitions)
    affine = [part for part in parts if part is not None]
    if len(affine) < len(parts):
        return None
    of_each = [*zip(*affine, strict=True)]
    return np.concatenate(of_each[0], axis=1), np.concatenate(of_each[1])


def _affine(partition: Partition) -> tuple[Features, Features] | None:
    r"""Return the weights (d, k) and offsets (k,) whose largest score is the nearest centre.

    With centred and projected features :math:`V^\top(x - \mu)` the nearest centre has the largest
    :math:`c^\top V^\top (x - \mu) - |c|^2/2`, an affine function of x. One matrix product then
    assigns a text in all clusterings, without projecting it forty times.
    """
    if isinstance(partition, Centres):
        return partition.centres.T, -_half_squares(partition.centres)
    if not isinstance(partition, ReducedPartition) or partition.reduction.order != "norm-pca":
        return None
    if not isinstance(partition.partition, Centres):
        return None
    centres = partition.partition.centres
    weights = partition.reduction.components @ centres.T
    offsets = partition.reduction.mean @ weights + _half_squares(centres)
    return weights, -offsets


def _half_squares(centres: Features) -> Features:
    return np.asarray(np.einsum("ij,ij->i", centres, centres) / 2)
