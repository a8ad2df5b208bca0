"""The interface of embedders, and what they return."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, Features, IntArray
from mauve.calls import either
from mauve.progress import Progress

#: Poolings and number types of Transformers models; here, so that the command line can name
#: them without torch.
Pooling = Literal["last", "mean", "max", "cls", "surprisal"]
Dtype = Literal["auto", "float32", "float64", "bfloat16", "float16"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
#: Those of Transformers models that embed.
EMBEDDER_DTYPES = (*DTYPES, "float8")


@dataclass(frozen=True)
class Embedded:
    """Features of texts, and how the texts were read.

    Attributes
    ----------
    features : array of float32, shape (n, d)
    n_tokens : array of int, shape (n,)
        Tokens of each text after truncation; -1 if an embedder does not count them.
    truncated : array of bool, shape (n,)
        Whether a text was longer than the embedder reads.

    Examples
    --------
    >>> flags = np.array([False, True])
    >>> embedded = Embedded(np.zeros((2, 3), np.float32), np.array([5, 512]), flags)
    >>> len(embedded), embedded.n_truncated
    (2, 1)
    """

    features: Features
    n_tokens: IntArray
    truncated: BoolArray

    @classmethod
    def empty(cls, n: int, d: int) -> "Embedded":
        """Return n rows of d features to be filled."""
        return cls(np.empty((n, d), np.float32), np.empty(n, np.int64), np.empty(n, np.bool_))

    def __len__(self) -> int:
        return len(self.features)

    def take(self, rows: list[int] | NDArray[Any]) -> "Embedded":
        """Return some rows, by their positions or by a mask."""
        return Embedded(self.features[rows], self.n_tokens[rows], self.truncated[rows])

    def put(self, rows: list[int] | NDArray[Any], values: "Embedded") -> None:
        """Replace some rows, by their positions."""
        self.features[rows] = values.features
        self.n_tokens[rows] = values.n_tokens
        self.truncated[rows] = values.truncated

    @property
    def n_truncated(self) -> int:
        """Number of texts that were truncated."""
        return int(self.truncated.sum())


def embedder_parameter() -> str:
    """Return the name of the parameter by which the user chose an embedder, for messages."""
    return either("embedder", "featurize_model_name", "spec", "url", "model")


@runtime_checkable
class Embedder(Protocol):
    """The interface that `compare` needs of an embedder.

    An embedder may also have an attribute `reads`, a :class:`mauve.Reading`: the languages and
    lengths that it can read. Texts outside of them are answered with a warning, or an error if
    they are most of a sample. Without it, or where it is None, texts are not checked.

    Examples
    --------
    >>> from mauve.embed.reading import Reading
    >>> class Lengths:
    ...     signature = "lengths"
    ...     reads = Reading(languages=frozenset({"en", "de"}))
    ...     def embed(self, texts, on_progress=None):
    ...         n = np.array([len(text) for text in texts])
    ...         return Embedded(np.float32(n[:, None]), n, n < 0)
    >>> isinstance(Lengths(), Embedder)
    True
    """

    @property
    def signature(self) -> str:
        """The settings that two features must share to be comparable, without a "|".

        It is part of the signature of a score and of the keys of the cache, so it names the
        model, its revision or checksum, pooling, layer, length and number type.
        """

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts, none of them empty."""
