"""Define a measure, and the sample it is computed from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray, HashArray, IntArray
from mauve.errors import InvalidParameterError, UndefinedError, bad_parameter
from mauve.lm.probabilities import TokenProbabilities
from mauve.measures.estimate import Estimate, Groups

#: Which values are good: high, low, or near the value of human text.
Direction = Literal["higher", "lower", "human"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

#: Parts of a :class:`MeasuredSample` that a measure may need.
Need = Literal[
    "texts", "tokens", "features", "log_probabilities", "prompted_log_probabilities",
    "bare_log_probabilities", "model", "training",
]  # fmt: skip

#: Which definition of a measure: None for that of its paper, "authors" for that of their code.
Variant = Literal["authors"] | None
VARIANT_NAMES = ("authors",)

#: Number of texts below which a sample may well lack those that decide a value, such as loops.
RARE_TEXTS = 400

T = TypeVar("T")


@dataclass(frozen=True)
class TokenTable:
    """Token ids of several texts, concatenated.

    Attributes
    ----------
    ids : array of int32, shape (n_tokens,)
    starts : array of int64, shape (n_texts + 1,)
        Text i is ``ids[starts[i]:starts[i + 1]]``.
    vocabulary_size : int
        Every id is below it. A token has the same id in all samples of one call.

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
        """Build a table from one row of token ids for each text."""
        lengths = [len(row) for row in rows]
        ids = np.fromiter((token for row in rows for token in row), np.int32, sum(lengths))
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(ids, starts, vocabulary_size)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> IntArray:
        """Number of tokens of each text, as an array of shape (n_texts,)."""
        return np.diff(self.starts)

    @property
    def texts(self) -> NDArray[np.intp]:
        """Index of the text of each token, as an array of shape (n_tokens,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def ordered(self, order: NDArray[np.intp]) -> "TokenTable":
        """Return the table with its texts in another order."""
        lengths = self.lengths[order]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(self.starts[:-1][order] - starts[:-1], lengths)
        return TokenTable(self.ids[places], starts, self.vocabulary_size)

    def row(self, text: int) -> NDArray[np.int32]:
        """Return the token ids of one text."""
        return self.ids[self.starts[text] : self.starts[text + 1]]


@dataclass(frozen=True)
class MeasuredSample:
    """Human texts or those of a system, with the parts that the selected measures need.

    Parts that no selected measure needs are None.

    Attributes
    ----------
    name : str
        Name of the sample in messages.
    groups : Groups
        The group of every text, for intervals.
    hashes : array of int, shape (n,)
        A hash of every text, or of its features if there is no text. Random choices depend on
        it and on the random seed, not on the order of the texts.
    texts : list of str
    prompts : list of str
        Context that a language model reads before each text.
    tokens : TokenTable
    features : array of shape (n, d)
    log_probabilities : list of array of shape (n_tokens,)
        Log-probability of every token of every text under an external language model.
    prompted_log_probabilities : list of array of shape (n_tokens,)
        The same after the prompt of each text.
    bare_log_probabilities : list of array of shape (n_tokens - 1,)
        The same without a prompt and without a beginning-of-text token.
    model : TokenProbabilities
        Probabilities of the human tokens under the model that wrote this sample.
    training : MeasuredSample
        Texts that the system was trained on. Its groups are not used.
    seed : int
        Random seed.
    """

    name: str
    groups: Groups
    hashes: HashArray | None = field(default=None, repr=False)
    texts: list[str] | None = field(default=None, repr=False)
    prompts: list[str] | None = field(default=None, repr=False)
    tokens: TokenTable | None = field(default=None, repr=False)
    features: NDArray[Any] | None = field(default=None, repr=False)
    log_probabilities: list[FloatArray] | None = field(default=None, repr=False)
    prompted_log_probabilities: list[FloatArray] | None = field(default=None, repr=False)
    bare_log_probabilities: list[FloatArray] | None = field(default=None, repr=False)
    model: TokenProbabilities | None = field(default=None, repr=False)
    training: "MeasuredSample | None" = field(default=None, repr=False)
    seed: int = 0


@dataclass(frozen=True)
class Measure:
    """A comparison measure.

    Attributes
    ----------
    name : str
        Name that selects the measure.
    title : str
        Title of its column.
    summary : str
        Description in a few words.
    direction : {"higher", "lower", "human"}
        Which values are good; "human" for values near that of human text.
    needs : frozenset of str
        Parts of a :class:`MeasuredSample` it is computed from.
    estimate : callable
        Computes the estimate from a sample and the human sample. A statistic is defined for one
        sample alone; for human text it is called with the human sample twice. None for MAUVE
        itself, which :func:`mauve.compare` computes.
    is_statistic : bool
        Whether the measure is a statistic T, with a value T(P) of human text beside T(Q).
    low, high : float
        The smallest and the largest possible value.
    is_share : bool
        Whether the value is a share of texts; its interval is Wilson's.
    grows_with : {"texts", "tokens"}, optional
        Quantity that the value of one source depends on, so that samples must have about
        equally many to be comparable.
    extra : str
        The extra of this package that it needs, if any.
    narrow_below : int
        Number of texts below which its interval was found too narrow; 0 if it was not.
    """

    name: str
    title: str
    direction: Direction
    needs: frozenset[Need]
    estimate: Callable[[MeasuredSample, MeasuredSample], Estimate] | None = field(repr=False)
    is_statistic: bool
    low: float = -np.inf
    high: float = np.inf
    is_share: bool = False
    grows_with: Literal["texts", "tokens"] | None = None
    summary: str = ""
    extra: str = ""
    narrow_below: int = 0


def needed(part: T | None, name: str) -> T:
    """Return a part of a sample, or raise if the sample was built without it.

    Examples
    --------
    >>> sample = MeasuredSample("human", Groups(np.arange(2), 2), texts=["One.", "Two."])
    >>> needed(sample.texts, "texts")
    ['One.', 'Two.']
    """
    if part is None:
        raise InvalidParameterError(
            f"The measure needs the {name} of a sample. Got None instead: pass {name}= to "
            "MeasuredSample."
        )
    return part


def check_two_samples(system: NDArray[Any], human: NDArray[Any]) -> None:
    """Raise unless both samples are features of at least two texts."""
    for name, features in (("system", system), ("human", human)):
        if np.ndim(features) != 2 or len(features) < 2:
            rule = "an array of shape (n, d) with n of at least 2"
            raise bad_parameter(name, rule, np.shape(features))


def human_token_probabilities(system: MeasuredSample) -> TokenProbabilities:
    """Return the probabilities of human tokens under a system's model, at least one of them."""
    model = needed(system.model, "model")
    if not len(model.probability):
        raise UndefinedError(
            f"The model of {system.name!r} must score at least one human token that has another "
            "before it. Got none instead: give longer human texts, or their prompts."
        )
    return model
