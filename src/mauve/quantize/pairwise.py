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
from mauve.quantize.assigning import OneBucket, ReducedPartition, RowAssigner
from mauve.quantize.crossfit import checked_partition, pool_by_content
from mauve.quantize.learning import check_counted, learning_rows
from mauve.quantize.protocol import AnyQuantizer, PairQuantizer, Partition
from mauve.quantize.reduce import OrderName, reduce_few, scaled_rows
from mauve.threads import load_linear_algebra, parallel_map


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
    rows = [
        learning_rows(sample.hashes, n_learning // 2, n_clusterings, seed, sample.prompts)
        for sample in samples
    ]

    def learning_texts(clustering: int) -> LearningTexts:
        learnt = [of_sample[clustering] for of_sample in rows]
        return LearningTexts.of(
            [sample.hashes[at] for sample, at in zip(samples, learnt, strict=True)],
            [
                sample.scaled[sample.position[at]]
                for sample, at in zip(samples, learnt, strict=True)
            ],
        )

    partitions = learn_partitions(
        learning_texts,
        quantizer=quantizer,
        num_buckets=num_buckets,
        n_clusterings=n_clusterings,
        seed=seed,
        explained_variance=explained_variance,
        order=human.order,
        on_done=on_done,
    )
    assign = RowAssigner(partitions, num_buckets)
    labels = np.concatenate(
        [assign(sample.scaled)[:, sample.position] for sample in samples], axis=1
    )
    return PairClustering(labels, _counted(samples, rows), partitions, num_buckets)


@dataclass(frozen=True)
class LearningTexts:
    """The texts that one clustering is learnt from.

    Attributes
    ----------
    scaled : array of float32, shape (n, d)
        As :class:`SortedSample` has them, in an order that depends on neither which sample is
        called human nor on the order of the texts.
    is_human : array of bool, shape (n,)
    """

    scaled: Features
    is_human: BoolArray

    @classmethod
    def of(cls, hashes: Sequence[HashArray], scaled: Sequence[Features]) -> "LearningTexts":
        """Join the texts of the human sample and of the system.

        Examples
        --------
        >>> hashes = np.array([[3, 1], [2, 4]], dtype=np.uint64)
        >>> LearningTexts.of(hashes, np.ones((2, 2, 1), np.float32)).is_human.tolist()
        [True, False, True, False]
        """
        is_human = np.repeat([True, False], [len(part) for part in hashes])
        order = np.argsort(np.concatenate(hashes), kind="stable")
        return cls(np.concatenate(scaled)[order], is_human[order])


def learn_partitions(
    learning_texts: Callable[[int], LearningTexts],
    *,
    quantizer: AnyQuantizer,
    num_buckets: int,
    n_clusterings: int,
    seed: int,
    explained_variance: float = 0.9,
    order: OrderName = "norm-pca",
    on_done: Callable[[], None] = lambda: None,
) -> tuple[Partition, ...]:
    """Learn the buckets of all clusterings; see :func:`cluster_pair`.

    Parameters
    ----------
    learning_texts : function from the number of a clustering to LearningTexts
    quantizer, num_buckets, n_clusterings, seed, explained_variance, on_done
        As for :func:`cluster_pair`.
    order : {"norm-pca", "pca-norm"}
    """
    undefined: list[UndefinedError] = []

    def learn(clustering: int) -> Partition:
        texts = learning_texts(clustering)
        rng = np.random.default_rng([seed, clustering])
        fitted: Partition
        if isinstance(quantizer, PairQuantizer):
            partition = quantizer.fit_pair(texts.scaled, texts.is_human, num_buckets, rng)
            fitted = checked_partition(partition, "fit_pair")
        else:
            try:
                reduced, reduction = reduce_few(texts.scaled, explained_variance, order)
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
    return partitions


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
