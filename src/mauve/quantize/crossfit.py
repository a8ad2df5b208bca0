"""Quantizers fitted on some of the texts and counted on the others.

A clustering is tighter around the texts it was fitted on than around new ones, so its
histograms tell the two sides apart a little better (or worse) than they would new
texts, however large the sample. Counting only texts that the clustering has not seen
removes that error.

The texts are dealt into five blocks; a clustering is fitted on two of them and counted
on the other three. There are ten such choices. All ten, or the first five, count every
text equally often.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, Features, HashArray, IntArray, Labels
from mauve.errors import InvalidParameterError
from mauve.quantize.reduce import Reduction, reduce_features
from mauve.threads import parallel_map

N_BLOCKS = 5

_CHUNK = 1024  # rows copied or hashed at a time

#: Blocks that each clustering is fitted on: neighbours on a ring first, then the rest.
FITTED = tuple((block, (block + step) % N_BLOCKS) for step in (1, 2) for block in range(N_BLOCKS))


class Partition(Protocol):
    """A fitted quantizer."""

    def assign(self, features: Features) -> Labels:
        """Return the cell of every row of `features`, shape (n, m)."""


class Quantizer(Protocol):
    """Anything that can learn cells from features."""

    @property
    def signature(self) -> str:
        """The settings that two scores must share to be comparable."""

    def fit(self, features: Features, n_clusters: int, rng: np.random.Generator) -> Partition:
        """Learn `n_clusters` cells from `features`, shape (n, m)."""


def fixed_num_buckets(quantizer: Quantizer) -> int | None:
    """Return the number of cells that a quantizer makes in any case; None if it is told one.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> fixed_num_buckets(KMeans()) is None
    True
    """
    cells: int | None = getattr(quantizer, "num_buckets", None)
    return cells


@dataclass(frozen=True)
class JointClustering:
    """The cells of all texts of a comparison under several clusterings.

    Attributes
    ----------
    labels : array of int, shape (n_clusterings, n)
        Cell of every text, sample after sample, in the order given.
    held_out : array of bool, shape (n_clusterings, n)
        Texts that the clustering was not fitted on.
    blocks : array of int, shape (n,)
        Block that each text was dealt into.
    keys : array of int, shape (n,)
        Hash of each text, or of its features where there is no text.
    reduction : Reduction
    partitions : tuple of Partition
        The fitted clusterings.
    reduced : array of float32, shape (n, m)
        The features that were clustered, sorted by key.
    position : array of int, shape (n,)
        Where in `reduced` each text lies.
    """

    labels: Labels
    held_out: BoolArray
    blocks: IntArray
    keys: HashArray
    reduction: Reduction
    partitions: tuple[Partition, ...]
    reduced: Features
    position: IntArray

    def assign(self, features: NDArray[Any]) -> Labels:
        """Return the cells of other texts, shape (n_clusterings, n)."""
        reduced = self.reduction.apply(np.array(features, dtype=np.float32))
        return np.stack(parallel_map(lambda partition: partition.assign(reduced), self.partitions))


def cluster_jointly(
    samples: Sequence[NDArray[Any]],
    *,
    quantizer: Quantizer,
    n_clusters: int,
    n_clusterings: int,
    seed: int,
    keys: HashArray | None = None,
    groups: IntArray | None = None,
    explained_variance: float = 0.9,
    order: str = "norm-pca",
    device: str | None = None,
    on_done: Callable[[int], None] = lambda done: None,
) -> JointClustering:
    """Cluster the texts of all samples together, several times.

    The texts are brought into the order of their content first, so the clusters depend
    neither on the order in which they came nor on which sample is called human.

    Parameters
    ----------
    samples : sequence of array of shape (n, d)
        Features of every sample, human first.
    quantizer : Quantizer
        What learns the cells.
    n_clusters, n_clusterings : int
        Number of cells k, and how often to cluster.
    seed : int
        Everything random follows from it.
    keys : array of int, shape (n,), optional
        A hash of each text, from which everything random about it follows; by default that
        of its features.
    groups : array of int, shape (n,), optional
        Texts with the same number answer one prompt and stay in one block.
    explained_variance, order
        See :func:`mauve.quantize.reduce.reduce_features`.
    device : str, optional
        Torch device to find the principal components on; the CPU, by NumPy, by default.
    on_done : callable
        Called with the number of clusterings done, for a progress bar.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> rng = np.random.default_rng(0)
    >>> samples = [rng.normal(size=(50, 3)), rng.normal(size=(50, 3))]
    >>> found = cluster_jointly(samples, quantizer=KMeans(), n_clusters=4, n_clusterings=5, seed=0)
    >>> found.labels.shape, found.held_out.sum(axis=1).tolist()
    ((5, 100), [60, 60, 60, 60, 60])
    """
    features, keys, position = pool_by_content(samples, keys)
    dealt = _deal(keys, groups, [len(sample) for sample in samples])
    blocks = np.empty_like(dealt)
    blocks[position] = dealt
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
    if fewest < n_clusters and fixed_num_buckets(quantizer) is None:  # others check for themselves
        raise InvalidParameterError(
            f"The 'num_buckets' parameter of compare must be at most {fewest}, the texts that a "
            f"clustering is fitted on. Got {n_clusters} instead."
        )
    done = iter(range(1, n_clusterings + 1))

    def cluster(clustering: int) -> tuple[Partition, Labels, BoolArray]:
        fitted = np.isin(blocks, FITTED[clustering % len(FITTED)])
        rng = np.random.default_rng([seed, clustering])
        partition = quantizer.fit(reduced[fitted], n_clusters, rng)
        labels = _checked_labels(partition.assign(reduced), len(reduced), n_clusters)
        on_done(next(done))
        return partition, labels[position], ~fitted[position]

    partitions, labels, held_out = zip(*parallel_map(cluster, range(n_clusterings)), strict=True)
    return JointClustering(
        np.stack(labels), np.stack(held_out), dealt, keys, reduction, tuple(partitions), reduced,
        position,
    )  # fmt: skip


def _checked_labels(labels: NDArray[Any], n: int, n_clusters: int) -> Labels:
    found = np.asarray(labels)
    whole = found.shape == (n,) and found.dtype.kind in "iu"
    if not whole or found.min() < 0 or found.max() >= n_clusters:
        raise InvalidParameterError(
            f"The 'quantizer' parameter of compare must assign each of {n} texts a whole number "
            f"in [0, {n_clusters}). Got the shape {found.shape} and the type {found.dtype}"
            + (f", from {found.min()} to {found.max()}, instead." if whole else " instead.")
        )
    return found.astype(np.int32, copy=False)


def _deal(keys: HashArray, groups: IntArray | None, sizes: list[int]) -> IntArray:
    """Deal the texts of each sample into blocks in turn; texts of one prompt stay together.

    The keys are random already. The seed has no part in it, so that a score moves little
    from one seed to another.
    """
    ends = np.cumsum(sizes)[:-1]
    if groups is None:
        # By rank within the sample: identical samples are dealt alike, copies of one text apart.
        parts = np.split(keys, ends)
        return np.concatenate([np.argsort(np.argsort(p, kind="stable")) % N_BLOCKS for p in parts])
    scrambled = mix_keys(groups.astype(np.uint64), 0)
    blocks = np.unique(scrambled, return_inverse=True)[1] % N_BLOCKS
    fewest = min(np.bincount(p, minlength=N_BLOCKS).min() for p in np.split(blocks, ends))
    if fewest < 2:
        raise InvalidParameterError(
            f"The 'prompts' parameter of compare must spread the texts of every sample over "
            f"{N_BLOCKS} blocks of at least 2. Got {len(np.unique(groups))} different prompts, "
            f"with {fewest} texts in one block: use more prompts, or none."
        )
    return np.asarray(blocks)


def content_keys(features: Features) -> HashArray:
    """Hash each row of `features`, shape (n, d), to 64 bits.

    Everything random about a text follows from its key, so the result does not depend
    on the order in which texts come, or on which side they stand.

    Examples
    --------
    >>> rows = np.array([[1, 2], [3, 4], [1, 2]], dtype=np.float32)
    >>> keys = content_keys(rows)
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    d = features.shape[1]
    weights = np.random.default_rng(d).integers(1 << 63, size=d, dtype=np.uint64) * 2 + 1
    # Adding zero turns -0.0 into 0.0, which has other bits.
    bits = (features + np.float32(0)).view(np.uint32)
    return mix_keys(bits.astype(np.uint64) @ weights, 0)


def pool_by_content(
    samples: Sequence[NDArray[Any]], keys: HashArray | None = None
) -> tuple[Features, HashArray, IntArray]:
    """Bring the rows of all samples together, in the order of their content keys.

    Parameters
    ----------
    samples : sequence of array of shape (n, d)
    keys : array of int, shape (n_all,), optional
        Key of every row; :func:`content_keys` by default.

    Returns
    -------
    features : array of float32, shape (n_all, d)
        A copy, sorted by key.
    keys : array of int, shape (n_all,)
        Key of every row, in the order given.
    position : array of int, shape (n_all,)
        Where in `features` each row went: ``features[position]`` is the order given.

    Examples
    --------
    >>> one, two = np.eye(2, dtype=np.float32), np.ones((1, 2), dtype=np.float32)
    >>> features, _, position = pool_by_content([one, two])
    >>> features[position].tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    n_all = sum(len(sample) for sample in samples)
    chunks = [
        sample[start : start + _CHUNK]
        for sample in samples
        for start in range(0, len(sample), _CHUNK)
    ]
    if keys is None:
        keys = np.concatenate([content_keys(_float32(chunk)) for chunk in chunks])
    position = np.empty(n_all, dtype=np.int64)
    position[np.argsort(keys, kind="stable")] = np.arange(n_all)
    features = np.empty((n_all, samples[0].shape[1]), dtype=np.float32)
    start = 0
    for chunk in chunks:  # row by row to its place: no second copy of the whole
        features[position[start : start + len(chunk)]] = chunk
        start += len(chunk)
    return features, keys, position


def _float32(chunk: NDArray[Any]) -> Features:
    return np.ascontiguousarray(chunk, dtype=np.float32)


def mix_keys(keys: HashArray, seed: int) -> HashArray:
    """Scramble keys with a seed (the finaliser of SplitMix64).

    Examples
    --------
    >>> same = np.zeros(2, dtype=np.uint64)
    >>> len(set(mix_keys(same, 1)) | set(mix_keys(same, 2)))
    2
    """
    salt = np.random.default_rng(seed).integers(1 << 63, dtype=np.uint64)
    z = keys ^ np.uint64(salt)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
