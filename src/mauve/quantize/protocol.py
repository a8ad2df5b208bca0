"""Protocols of quantizers, before and after they are fitted."""

from typing import Protocol, runtime_checkable

import numpy as np

from mauve.arrays import BoolArray, Features, Labels


@runtime_checkable
class Partition(Protocol):
    """A fitted quantizer."""

    def assign(self, features: Features) -> Labels:
        """Return the bucket of every row of `features`, shape (n, m)."""


@runtime_checkable
class Quantizer(Protocol):
    """Learns buckets from features.

    A quantizer that has an attribute ``num_buckets`` always makes that many. One that has an
    attribute ``on_epoch`` calls it with the epochs done and their total ``epochs``.
    """

    @property
    def signature(self) -> str:
        """The settings that two scores must share to be comparable."""

    def fit(self, features: Features, num_buckets: int, rng: np.random.Generator) -> Partition:
        """Learn `num_buckets` buckets from `features`, shape (n, m)."""


@runtime_checkable
class PairQuantizer(Protocol):
    """Learns buckets from features of two samples, knowing which text is of which.

    It sees features that are scaled, but not projected on principal components.
    """

    @property
    def signature(self) -> str:
        """The settings that two scores must share to be comparable."""

    def fit_pair(
        self, features: Features, is_human: BoolArray, num_buckets: int, rng: np.random.Generator
    ) -> Partition:
        """Learn `num_buckets` buckets from `features`, shape (n, d)."""


#: What `compare` can divide features by.
AnyQuantizer = Quantizer | PairQuantizer


def fixed_num_buckets(quantizer: AnyQuantizer) -> int | None:
    """Return the number of buckets that a quantizer always makes; None if it can be chosen.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> fixed_num_buckets(KMeans()) is None
    True
    """
    num_buckets: int | None = getattr(quantizer, "num_buckets", None)
    return num_buckets
