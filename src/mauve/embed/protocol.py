"""What an embedder is: texts in, one row of features for each out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, IntArray

#: How a Transformers model's tokens become one row, and in which numbers it may compute; here,
#: so that the command line can name them without torch.
POOLINGS = ("last", "mean", "max", "cls", "surprisal")
DTYPES = ("auto", "float32", "float64", "bfloat16", "float16")

#: Called with what is being done, how many steps are done, and how many there are.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Embedded:
    """Features of texts, and how the texts were read.

    Attributes
    ----------
    features : array of float32, shape (n, d)
    n_tokens : array of int, shape (n,)
        Tokens each text was read as, after truncation; -1 where an embedder does not say.
    truncated : array of bool, shape (n,)
        Texts that were longer than the embedder reads.

    Examples
    --------
    >>> found = Embedded(np.zeros((2, 3), np.float32), np.array([5, 512]), np.array([False, True]))
    >>> len(found), found.n_truncated
    (2, 1)
    """

    features: NDArray[np.float32]
    n_tokens: IntArray
    truncated: BoolArray

    def __len__(self) -> int:
        return len(self.features)

    @property
    def n_truncated(self) -> int:
        """Number of texts that were cut."""
        return int(self.truncated.sum())


@runtime_checkable
class Embedder(Protocol):
    """What `compare` needs of an embedder; everything in this package has it."""

    @property
    def signature(self) -> str:
        """What must be equal for two features to be comparable, without a '|' in it.

        It is part of the signature of a score and the key of the cache, so it names the
        model, its revision or checksum, pooling, layer, length and class of number type.
        """

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts, which are not empty."""
