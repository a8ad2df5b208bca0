"""Fit quantizers on some of the texts and count the others.

A clustering is tighter around the texts it was fitted on than around new ones, so its
histograms separate two samples a little better (or worse) than they would with new
texts, however large the samples. Counting only texts that the clustering has not seen
removes that error.

The texts are assigned to five blocks; a clustering is fitted on two of them and counted
on the other three. There are ten such pairs. All ten, or the first five, count every
text equally often.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, Features, HashArray, IntArray, Labels
from mauve.calls import parameter
from mauve.errors import InvalidParameterError
from mauve.hashes import feature_hashes, scramble_hashes
from mauve.quantize.protocol import Partition, Quantizer, fixed_num_buckets
from mauve.quantize.reduce import OrderName, Reduction, reduce_features
from mauve.threads import parallel_map

_CHUNK = 1024  # rows copied at a time
N_BLOCKS = 5

#: Blocks that each clustering is fitted on: neighbours on a ring first, then the others.
FITTED = tuple((block, (block + step) % N_BLOCKS) for step in (1, 2) for block in range(N_BLOCKS))


@dataclass(frozen=True)
class JointClustering:
    """The buckets of all texts of a comparison under several clusterings.

    Attributes
    ----------
    labels : array of int, shape (n_clusterings, n)
        Bucket of every text, sample after sample.
    held_out : array of bool, shape (n_clusterings, n)
        Texts that the clustering was not fitted on.
    blocks : array of int, shape (n,)
        Block of each text.
    reduction : Reduction
    partitions : tuple of Partition
        The fitted clusterings.
    reduced : array of float32, shape (n, m)
        The features that were clustered, sorted by hash.
    position : array of int, shape (n,)
        Row of `reduced` that holds each text.
    """

    labels: Labels
    held_out: BoolArray
    blocks: IntArray
    reduction: Reduction
    partitions: tuple[Partition, ...]
    reduced: Features
    position: IntArray

    def assign(self, features: NDArray[Any]) -> Labels:
        """Return the buckets of other texts, shape (n_clusterings, n)."""
        reduced = self.reduction.apply(np.array(features, dtype=np.float32))
        return np.stack(parallel_map(lambda partition: partition.assign(reduced), self.partitions))


def cluster_jointly(
    samples: Sequence[NDArray[Any]],
    *,
    quantizer: Quantizer,
    num_buckets: int,
    n_clusterings: int,
    seed: int,
    hashes: HashArray | None = None,
    groups: IntArray | None = None,
    explained_variance: float = 0.9,
    order: OrderName = "norm-pca",
    device: str | None = None,
    on_done: Callable[[int], None] = lambda done: None,
) -> JointClustering:
    """Cluster the texts of all samples together, several times.

    The texts are sorted by content first, so the buckets depend neither on their order nor
    on which sample is called human.

    Parameters
    ----------
    samples : sequence of array of shape (n, d)
        Features of every sample, human first.
    quantizer : Quantizer
        Learns the buckets.
    num_buckets, n_clusterings : int
        Number of buckets k, and how often to cluster.
    seed : int
        Random seed.
    hashes : array of int, shape (n,), optional
        A hash of each text, which decides its block; by default that of its features.
    groups : array of int, shape (n,), optional
        Texts with the same number answer one prompt and stay in one block.
    explained_variance, order
        See :func:`mauve.quantize.reduce.reduce_features`.
    device : str, optional
        Torch device that computes the principal components; by default NumPy does.
    on_done : callable
        Called with the number of clusterings done, for a progress bar.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> rng = np.random.default_rng(0)
    >>> samples = [rng.normal(size=(50, 3)), rng.normal(size=(50, 3))]
    >>> clustering = cluster_jointly(
    ...     samples, quantizer=KMeans(), num_buckets=4, n_clusterings=5, seed=0
    ... )
    >>> clustering.labels.shape, clustering.held_out.sum(axis=1).tolist()
    ((5, 100), [60, 60, 60, 60, 60])
    """
    features, hashes, position = pool_by_content(samples, hashes)
    blocks = _assign_blocks(hashes, groups, [len(sample) for sample in samples])
    sorted_blocks = np.empty_like(blocks)  # in the order of the features
    sorted_blocks[position] = blocks
    if device is None:
        reduced, reduction = reduce_features(
            features, explained_variance=explained_variance, order=order
        )
    else:
        from mauve.quantize.gpu import reduce_on_device  # needs torch

        reduced, reduction = reduce_on_device(
            features, explained_variance=explained_variance, order=order, device=device
        )
    del features
    fewest = min(int(np.isin(blocks, pair).sum()) for pair in FITTED)
    # Quantizers that fix the number of buckets check the number of texts in `fit`.
    if fewest < num_buckets and fixed_num_buckets(quantizer) is None:
        raise InvalidParameterError(
            f"{parameter('num_buckets')} must be at most {fewest}, the texts that a "
            f"clustering is fitted on. Got {num_buckets} instead."
        )
    done = iter(range(1, n_clusterings + 1))

    def cluster(clustering: int) -> tuple[Partition, Labels, BoolArray]:
        fitted = np.isin(sorted_blocks, FITTED[clustering % len(FITTED)])
        rng = np.random.default_rng([seed, clustering])
        partition = checked_partition(quantizer.fit(reduced[fitted], num_buckets, rng))
        labels = checked_labels(partition.assign(reduced), len(reduced), num_buckets)
        on_done(next(done))
        return partition, labels[position], ~fitted[position]

    partitions, labels, held_out = zip(*parallel_map(cluster, range(n_clusterings)), strict=True)
    return JointClustering(
        np.stack(labels),
        np.stack(held_out),
        blocks,
        reduction,
        tuple(partitions),
        reduced,
        position,
    )


def checked_partition(fitted: Any, method: str = "fit") -> Partition:
    """Return what a method of a quantizer returned, or raise if it cannot assign texts.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> rows = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    >>> centres = KMeans().fit(rows, 2, np.random.default_rng(0))
    >>> checked_partition(centres) is centres
    True
    """
    if not isinstance(fitted, Partition):
        raise InvalidParameterError(
            f"{parameter('quantizer')} must have a method '{method}' that returns an object with a "
            f"method 'assign'. Got {type(fitted).__name__} instead: return it."
        )
    return fitted


def checked_labels(labels: NDArray[Any], n: int, num_buckets: int) -> Labels:
    """Return the labels of a quantizer as int32, or raise if they are not buckets of n texts.

    Examples
    --------
    >>> checked_labels(np.array([0, 1, 1]), 3, num_buckets=2).dtype
    dtype('int32')
    """
    labels = np.asarray(labels)
    one_each = labels.shape == (n,) and labels.dtype.kind in "iu"
    if not one_each or labels.min() < 0 or labels.max() >= num_buckets:
        raise InvalidParameterError(
            f"{parameter('quantizer')} must assign each of {n} texts a whole number "
            f"in [0, {num_buckets}). Got the shape {labels.shape} and the type {labels.dtype}"
            + (f", from {labels.min()} to {labels.max()}, instead." if one_each else " instead.")
        )
    return labels.astype(np.int32, copy=False)


def _assign_blocks(hashes: HashArray, groups: IntArray | None, sizes: list[int]) -> IntArray:
    """Assign the texts of each sample to blocks in turn; texts of one prompt stay together.

    The hashes are random already. The random seed is not used, so that a score varies little
    between seeds.
    """
    ends = np.cumsum(sizes)[:-1]
    if groups is None:
        # By rank in the sample: identical samples get the same blocks, copies of a text several.
        ranks = (np.argsort(np.argsort(part, kind="stable")) for part in np.split(hashes, ends))
        return np.concatenate([rank % N_BLOCKS for rank in ranks])
    scrambled = scramble_hashes(groups.astype(np.uint64), 0)
    blocks = np.unique(scrambled, return_inverse=True)[1] % N_BLOCKS
    fewest = min(np.bincount(part, minlength=N_BLOCKS).min() for part in np.split(blocks, ends))
    if fewest < 2:
        raise InvalidParameterError(
            f"{parameter('prompts')} must spread the texts of every sample over "
            f"{N_BLOCKS} blocks of at least 2. Got {len(np.unique(groups))} different prompts, "
            f"with {fewest} texts in one block: use more prompts, or none."
        )
    return np.asarray(blocks)


def pool_by_content(
    samples: Sequence[NDArray[Any]], hashes: HashArray | None = None
) -> tuple[Features, HashArray, IntArray]:
    """Concatenate the rows of all samples and sort them by hash.

    Parameters
    ----------
    samples : sequence of array of shape (n, d)
    hashes : array of int, shape (n_all,), optional
        Hash of every row; :func:`mauve.hashes.feature_hashes` by default.

    Returns
    -------
    features : array of float32, shape (n_all, d)
        A copy, sorted by hash.
    hashes : array of int, shape (n_all,)
        Hash of every row, in the order of the samples.
    position : array of int, shape (n_all,)
        Row of `features` that each text went to: ``features[position]`` has the order of the
        samples.

    Examples
    --------
    >>> human, system = np.eye(2, dtype=np.float32), np.ones((1, 2), dtype=np.float32)
    >>> features, _, position = pool_by_content([human, system])
    >>> features[position].tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    n_all = sum(len(sample) for sample in samples)
    if hashes is None:
        hashes = np.concatenate([feature_hashes(sample) for sample in samples])
    position = np.empty(n_all, dtype=np.int64)
    position[np.argsort(hashes, kind="stable")] = np.arange(n_all)
    features = np.empty((n_all, samples[0].shape[1]), dtype=np.float32)
    done = 0
    for sample in samples:  # each row straight to its place: no second copy of all rows
        for start in range(0, len(sample), _CHUNK):
            chunk = sample[start : start + _CHUNK]
            features[position[done : done + len(chunk)]] = chunk
            done += len(chunk)
    return features, hashes, position
