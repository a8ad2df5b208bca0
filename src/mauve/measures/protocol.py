"""What a measure is, and what it is computed from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray, HashArray, IntArray
from mauve.lm.probabilities import TokenProbabilities as TokenProbabilities
from mauve.measures.estimate import Estimate, Groups

#: Which values are good: high ones, low ones, or those near the value of human text.
Direction = Literal["higher", "lower", "human"]

#: Parts of a :class:`Side` that a measure may need.
Need = Literal["texts", "tokens", "features", "log_probabilities", "model", "training"]


@dataclass(frozen=True)
class TokenTable:
    """Texts as numbers of tokens, one behind another.

    Attributes
    ----------
    ids : array of int32, shape (n_tokens,)
    starts : array of int64, shape (n_texts + 1,)
        Text i is ``ids[starts[i]:starts[i + 1]]``.
    vocabulary_size : int
        Tokens are numbers below it; the same token has one number in all samples of a call.

    Examples
    --------
    >>> table = TokenTable.of([[0, 1], [], [1]], 2)
    >>> len(table), table.lengths.tolist(), table.row(0).tolist()
    (3, [2, 0, 1], [0, 1])
    >>> table.ordered(np.array([2, 0, 1])).ids.tolist()
    [1, 0, 1]
    """

    ids: NDArray[np.int32]
    starts: IntArray
    vocabulary_size: int

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], vocabulary_size: int) -> "TokenTable":
        """Make a table of rows of tokens."""
        lengths = [len(row) for row in rows]
        ids = np.fromiter((token for row in rows for token in row), np.int32, sum(lengths))
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(ids, starts, vocabulary_size)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> IntArray:
        """Tokens of each text."""
        return np.diff(self.starts)

    @property
    def texts(self) -> NDArray[np.intp]:
        """The text that each token is in, as an array of shape (n_tokens,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def ordered(self, order: NDArray[np.intp]) -> "TokenTable":
        """Return the table with its texts in another order."""
        lengths = self.lengths[order]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(self.starts[:-1][order] - starts[:-1], lengths)
        return TokenTable(self.ids[places], starts, self.vocabulary_size)

    def row(self, text: int) -> NDArray[np.int32]:
        """Return the tokens of one text."""
        return self.ids[self.starts[text] : self.starts[text + 1]]


@dataclass(frozen=True)
class Side:
    """One sample of texts, and what the chosen measures need of it; the rest is None.

    Attributes
    ----------
    name : str
        What messages call it.
    groups : Groups
        The group of every text, for intervals.
    keys : array of int, shape (n,)
        A hash of every text, or of its features where there is no text, from which everything
        random about it follows.
    texts : list of str
    prompts : list of str
        What a language model reads before each text.
    tokens : TokenTable
    features : array of shape (n, d)
    log_probabilities : list of array of shape (n_tokens,)
        Of every token of every text under an external language model.
    model : TokenProbabilities
        Of the human texts under the model that wrote this sample.
    training : Side
        What the system was trained on; not for intervals, so without groups that matter.
    seed : int
    """

    name: str
    groups: Groups
    keys: HashArray | None = field(default=None, repr=False)
    texts: list[str] | None = field(default=None, repr=False)
    prompts: list[str] | None = field(default=None, repr=False)
    tokens: TokenTable | None = field(default=None, repr=False)
    features: NDArray[Any] | None = field(default=None, repr=False)
    log_probabilities: list[FloatArray] | None = field(default=None, repr=False)
    model: TokenProbabilities | None = field(default=None, repr=False)
    training: "Side | None" = field(default=None, repr=False)
    seed: int = 0


@dataclass(frozen=True)
class Measure:
    """A comparison measure.

    Attributes
    ----------
    name : str
        By which it is asked for.
    title : str
        What stands over its column.
    summary : str
        What it is, in a few words.
    direction : {"higher", "lower", "human"}
        Which values are good; "human" for those near that of human text.
    needs : frozenset of str
        Parts of a :class:`Side` it is computed from.
    estimate : callable
        From a sample and the human one. A statistic, which is defined for one sample alone,
        is asked for the human texts too, with them as both. None for MAUVE itself, which
        clusters all systems together.
    is_statistic : bool
        Whether human text has a value of its own, T(P), beside T(Q).
    low, high : float
        The least and the greatest value there can be.
    is_share : bool
        Whether the value is a share of texts, whose interval is Wilson's.
    grows_with : {"texts", "tokens"}, optional
        What the value of one and the same source changes with, so that samples must have
        about as many.
    extra : str
        The extra of this package that it needs, if any.
    """

    name: str
    title: str
    direction: Direction
    needs: frozenset[Need]
    estimate: Callable[[Side, Side], Estimate] | None = field(repr=False)
    is_statistic: bool
    low: float = -np.inf
    high: float = np.inf
    is_share: bool = False
    grows_with: Literal["texts", "tokens"] | None = None
    summary: str = ""
    extra: str = ""
