"""Learn buckets from the human texts and one system alone, and count the other texts.

Every clustering is learnt from a fixed number of texts, half of them human and half of the
system: mean, principal components and buckets. It counts all the texts that it was not learnt
from. So a score neither drifts with the number of texts nor depends on other systems.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, Features, HashArray, IntArray, Labels
from mauve.errors import UndefinedError
from mauve.quantize.classifier import LevelSets
from mauve.quantize.crossfit import checked_labels, checked_partition, pool_by_content
from mauve.quantize.kmeans import Centres
from mauve.quantize.learning import check_counted, learning_rows
from mauve.quantize.protocol import AnyQuantizer, PairQuantizer, Partition
from mauve.quantize.reduce import (
    OrderName,
    Reduction,
    reduce_few,
    row_chunks,
    scaled_rows,
)
from mauve.threads import load_linear_algebra, parallel_map

_ROWS = 512  # rows whose scores against the centres of all clusterings are held at once


@dataclass(frozen=True)
class SortedSample:
    """The features of one sample, sorted by content and scaled for the reduction.

    Attributes
    ----------
    scaled : array of float32, shape (n, d)
        Sorted by hash, so that results do not depend on the order of the texts.
    position : array of int, shape (n,)
        Row of `scaled` that holds each text.
    hashes : array of int, shape (n,)
        A hash of every text, in the order given.
    prompts : array of int, shape (n,), or None
        A hash of the prompt that each text answers, in the order given.
    order : {"norm-pca", "pca-norm"}
    """

    scaled: Features
    position: IntArray
    hashes: HashArray
    prompts: HashArray | None
    order: OrderName

    @classmethod
    def of(
        cls,
        features: NDArray[Any],
        hashes: HashArray | None = None,
        prompts: HashArray | None = None,
        order: OrderName = "norm-pca",
    ) -> "SortedSample":
        """Copy, sort and scale the features of a sample.

        Examples
        --------
        >>> SortedSample.of(np.eye(3)).scaled.shape
        (3, 3)
        """
        rows, hashes, position = pool_by_content([features], hashes)
        return cls(scaled_rows(rows, order), position, hashes, prompts, order)


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


@dataclass(frozen=True)
class PairClustering:
    """The buckets of human texts and of one system under several clusterings.

    Attributes
    ----------
    labels : array of int, shape (n_clusterings, n)
        Bucket of every text, human first.
    counted : array of bool, shape (n_clusterings, n)
        Texts that the clustering was not learnt from.
    partitions : tuple
        What assigns the rows of a :class:`SortedSample` to buckets, for each clustering.
    """

    labels: Labels
    counted: BoolArray
    partitions: tuple[Partition, ...]
    num_buckets: int

    def assign(self, sample: SortedSample) -> Labels:
        """Return the buckets of the texts of another sample, shape (n_clusterings, n)."""
        return RowAssigner(self.partitions, self.num_buckets)(sample.scaled)[:, sample.position]


def cluster_pair(
    human: SortedSample,
    system: SortedSample,
    *,
    quantizer: AnyQuantizer,
    num_buckets: int,
    n_learning: int,
    n_clusterings: int,
    seed: int,
    explained_variance: float = 0.9,
    on_done: Callable[[], None] = lambda: None,
) -> PairClustering:
    """Cluster human texts and those of one system, several times.

    Parameters
    ----------
    human, system : SortedSample
        Exchanging them does not change the buckets.
    quantizer : Quantizer or PairQuantizer
        Learns the buckets.
    num_buckets, n_clusterings : int
        Number of buckets k, and how often to cluster.
    n_learning : int
        Texts that each clustering is learnt from, half of each sample.
    seed : int
        Random seed.
    explained_variance : float in (0, 1]
        Share of the variance that the principal components keep.
    on_done : callable
        Called after each clustering, for a progress bar.

    Raises
    ------
    UndefinedError
        If the texts that are learnt from are all equal, in every clustering. In a clustering
        where they are, there is one bucket.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> rng = np.random.default_rng(0)
    >>> human, system = (SortedSample.of(rng.normal(size=(50, 3))) for _ in range(2))
    >>> clustering = cluster_pair(
    ...     human, system, quantizer=KMeans(), num_buckets=4, n_learning=32, n_clusterings=5,
    ...     seed=0)
    >>> clustering.labels.shape, clustering.counted.sum(axis=1).tolist()
    ((5, 100), [68, 68, 68, 68, 68])
    """
    samples = (human, system)
    undefined: list[UndefinedError] = []
    rows = [
        learning_rows(sample.hashes, n_learning // 2, n_clusterings, seed, sample.prompts)
        for sample in samples
    ]

    def learn(clustering: int) -> Partition:
        learnt = [of_sample[clustering] for of_sample in rows]
        hashes = np.concatenate(
            [sample.hashes[at] for sample, at in zip(samples, learnt, strict=True)]
        )
        is_human = np.repeat([True, False], [len(at) for at in learnt])
        # Sorted, so that nothing depends on which sample is called human.
        order = np.argsort(hashes, kind="stable")
        scaled = np.concatenate(
            [sample.scaled[sample.position[at]] for sample, at in zip(samples, learnt, strict=True)]
        )[order]
        rng = np.random.default_rng([seed, clustering])
        fitted: Partition
        if isinstance(quantizer, PairQuantizer):
            partition = quantizer.fit_pair(scaled, is_human[order], num_buckets, rng)
            fitted = checked_partition(partition, "fit_pair")
        else:
            try:
                reduced, reduction = reduce_few(scaled, explained_variance, human.order)
            except UndefinedError as error:
                undefined.append(error)
                fitted = OneBucket()
            else:
                partition = quantizer.fit(reduced, num_buckets, rng)
                fitted = ReducedPartition(reduction, checked_partition(partition))
        on_done()
        return fitted

    load_linear_algebra()
    partitions = tuple(parallel_map(learn, range(n_clusterings)))
    if len(undefined) == n_clusterings:
        raise undefined[0]
    assign = RowAssigner(partitions, num_buckets)
    labels = np.concatenate(
        [assign(sample.scaled)[:, sample.position] for sample in samples], axis=1
    )
    return PairClustering(labels, _counted(samples, rows), partitions, num_buckets)


def _counted(samples: Sequence[SortedSample], rows: Sequence[IntArray]) -> BoolArray:
    """Return the texts that clusterings count, shape (n_clusterings, n): those not learnt from.

    Texts of one prompt are alike, so those of a prompt that is learnt from are not counted
    either, whichever sample they are in.
    """
    counted = [
        np.ones((len(at), len(s.hashes)), dtype=bool) for s, at in zip(samples, rows, strict=True)
    ]
    for of_sample, at in zip(counted, rows, strict=True):
        np.put_along_axis(of_sample, at, False, axis=1)
    human, system = samples
    n_prompts = None
    if human.prompts is not None and system.prompts is not None:
        prompts = np.unique(np.concatenate([human.prompts, system.prompts]), return_inverse=True)[1]
        of_samples = np.split(prompts, [len(human.hashes)])
        n_prompts = int(prompts.max()) + 1
        for clustering in range(len(rows[0])):
            is_learnt = np.zeros(n_prompts, dtype=bool)
            for of_sample, at in zip(of_samples, rows, strict=True):
                is_learnt[of_sample[at[clustering]]] = True
            for of_sample, mask in zip(of_samples, counted, strict=True):
                mask[clustering] = ~is_learnt[of_sample]
    for mask in counted:
        check_counted(int(mask.sum(axis=1).min()), n_prompts)
    return np.concatenate(counted, axis=1)


class RowAssigner:
    """Assigns rows of a :class:`SortedSample` to the buckets of several clusterings at once.

    Parameters
    ----------
    partitions : sequence of Partition
        Of a :class:`PairClustering`.
    num_buckets : int
        Number of buckets k.
    """

    def __init__(self, partitions: Sequence[Partition], num_buckets: int) -> None:
        self._partitions, self._num_buckets = partitions, num_buckets
        self._levels = [part for part in partitions if isinstance(part, LevelSets)]
        self._affine = _all_affine(partitions)

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
            scores = scaled[rows] @ weights
            scores += offsets
            if self._levels:
                labels[:, rows] = [
                    part.at(values) for part, values in zip(self._levels, scores.T, strict=True)
                ]
                return
            by_clustering = scores.reshape(len(scores), len(partitions), -1)
            labels[:, rows] = by_clustering.argmax(axis=2).T

        parallel_map(assign, row_chunks(n, _ROWS))
        return labels


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
