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
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mauve.threads import parallel_map

Features = NDArray[np.float32]
Labels = NDArray[np.int32]
Keys = NDArray[np.uint64]

N_BLOCKS = 5

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


@dataclass(frozen=True)
class Labelling:
    """The cells of all texts under several clusterings.

    Attributes
    ----------
    labels : array of int, shape (n_clusterings, n)
    held_out : array of bool, shape (n_clusterings, n)
        Texts that the clustering was not fitted on.
    """

    labels: Labels
    held_out: NDArray[np.bool_]


def content_keys(features: Features) -> Keys:
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
    n, d = features.shape
    weights = np.random.default_rng(d).integers(1 << 63, size=d, dtype=np.uint64) * 2 + 1
    keys = np.empty(n, dtype=np.uint64)
    for start in range(0, n, 1024):
        # Adding zero turns -0.0 into 0.0, which has other bits.
        bits = (features[start : start + 1024] + np.float32(0)).view(np.uint32)
        keys[start : start + 1024] = bits.astype(np.uint64) @ weights
    return mix_keys(keys, 0)


def mix_keys(keys: Keys, seed: int) -> Keys:
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


def deal_into_blocks(keys: Keys) -> NDArray[np.int64]:
    """Deal items into the five blocks by the rank of their key, in turn.

    Equal keys get the same block, so a prompt is never torn apart; identical samples
    are dealt alike.

    Examples
    --------
    >>> deal_into_blocks(np.array([30, 10, 20, 10], dtype=np.uint64)).tolist()
    [2, 0, 1, 0]
    """
    return np.unique(keys, return_inverse=True)[1] % N_BLOCKS


def crossfit_labels(
    features: Features,
    blocks: NDArray[np.int64],
    quantizer: Quantizer,
    n_clusters: int,
    rngs: Sequence[np.random.Generator],
    on_done: Callable[[], None] = lambda: None,
) -> Labelling:
    """Fit one clustering per generator, each on its two blocks, and label all texts with it.

    Parameters
    ----------
    features : array of float32, shape (n, m)
        All texts of a comparison, reduced.
    blocks : array of int, shape (n,)
        Block of every text, from :func:`deal_into_blocks`.
    quantizer : Quantizer
        What learns the cells.
    n_clusters : int
        Number of cells k.
    rngs : sequence of Generator
        One for each clustering, so that none depends on how many there are.
    on_done : callable
        Called after each clustering, for a progress bar.
    """

    def label(clustering: int) -> tuple[Labels, NDArray[np.bool_]]:
        fitted = np.isin(blocks, FITTED[clustering % len(FITTED)])
        partition = quantizer.fit(features[fitted], n_clusters, rngs[clustering])
        labels = partition.assign(features)
        on_done()
        return labels, ~fitted

    results = parallel_map(label, range(len(rngs)))
    return Labelling(np.stack([r[0] for r in results]), np.stack([r[1] for r in results]))
