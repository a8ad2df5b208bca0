"""Protocols of language models, and the windows in which they read long texts."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from mauve.arrays import FloatArray
from mauve.errors import bad_parameter, check_int, need_packages
from mauve.progress import Progress


@runtime_checkable
class TokenScorer(Protocol):
    """A language model that returns the log-probabilities of the tokens of texts."""

    @property
    def signature(self) -> str:
        """The settings that two scores must share to be comparable, without a "|"."""

    def log_probabilities(
        self,
        texts: Sequence[str],
        on_progress: Progress | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[FloatArray]:
        """Return the natural log-probability of every token of each text.

        Each is conditioned on the tokens before it, as many as the model reads at once. The
        first token is conditioned on the beginning-of-text token. A model without such a
        token does not score the first token: a text then has one log-probability less than
        it has tokens, and an empty text has none.

        Parameters
        ----------
        texts : sequence of str
        on_progress : callable, optional
        prompts : sequence of str, optional
            Read before each text as context, and not scored. Prompts and texts are tokenised
            separately, so a text has the same tokens after any prompt.

        Returns
        -------
        list of array of float, shape (n_tokens,)
        """


class CausalModel(Protocol):
    """A language model that predicts the next token: tokens are ints, texts are strings."""

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens; they are 0 to vocabulary_size - 1."""

    @property
    def end(self) -> int:
        """The token that ends a text."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""

    def next(self, contexts: Sequence[Sequence[int]]) -> FloatArray:
        """Return the probabilities of the token that comes after each context.

        A context is a text from its beginning and may be empty. During generation each call
        has the contexts of the previous call in the same order, one token longer, without
        those that ended; a model may cache what it computed for them.

        Returns
        -------
        array of float, shape (len(contexts), vocabulary_size)
            A new one, which the caller may change.
        """


class Window(NamedTuple):
    """A part of a text: tokens start to end - 1 are read, first to end - 1 are scored."""

    start: int
    first: int
    end: int


def windows(n_tokens: int, context: int, stride: int, first: int = 1) -> Iterator[Window]:
    """Yield the windows of a text.

    Parameters
    ----------
    n_tokens : int
        Tokens of the text, the prompt and the beginning-of-text token included.
    context : int
        Tokens that the model reads at once.
    stride : int
        Tokens that a window adds to the previous one, less than `context`. With a smaller
        stride tokens have more context, and the model has more to compute.
    first : int
        The first token to score, at least 1: the tokens before it are context only.

    Yields
    ------
    Window
        Every token from `first` on is scored in exactly one window. It has at least
        ``context - stride`` tokens before it, or all tokens of the text in the first window.

    Examples
    --------
    >>> [tuple(window) for window in windows(10, context=6, stride=3)]
    [(0, 1, 6), (3, 6, 9), (4, 9, 10)]
    >>> [*windows(10, context=6, stride=3, first=8)]
    [Window(start=4, first=8, end=10)]
    """
    check_int("context", context, 2)
    check_int("stride", stride, 1, context - 1)
    check_int("first", first, 1)
    # A long prompt need not be read from its beginning.
    end = min(n_tokens, max(context, first + stride))
    while first < n_tokens:
        yield Window(max(0, end - context), first, end)
        first, end = end, min(n_tokens, end + stride)


def windows_of(
    ids: Sequence[Sequence[int]], firsts: Sequence[int], context: int, stride: int
) -> list[tuple[int, Window]]:
    """Return the windows of several texts, each with the position of its text.

    Examples
    --------
    >>> windows_of([[0, 5, 6], [0]], [1, 1], context=6, stride=3)
    [(0, Window(start=0, first=1, end=3))]
    """
    return [
        (i, window)
        for i, (row, first) in enumerate(zip(ids, firsts, strict=True))
        for window in windows(len(row), context, stride, first)
    ]


def check_window(max_length: int | None, stride: int | None, context: int) -> tuple[int, int]:
    """Return the checked window length and stride; by default `context` and half the length.

    Examples
    --------
    >>> check_window(None, None, 512), check_window(100, 20, 512)
    ((512, 256), (100, 20))
    """
    length = context
    if max_length is not None:
        length = check_int("max_length", max_length, 2, context)
    if stride is None:
        return length, length // 2
    return length, check_int("stride", stride, 1, length - 1)


def checked_prompts(texts: Sequence[str], prompts: Sequence[str] | None) -> list[str]:
    """Return the prompt of each text, by default an empty one, or raise.

    Examples
    --------
    >>> checked_prompts(["one", "two"], None)
    ['', '']
    """
    if isinstance(texts, str):
        raise bad_parameter("texts", "a list of strings", texts[:40])
    if prompts is None:
        return [""] * len(texts)
    if isinstance(prompts, str) or len(prompts) != len(texts):
        got = prompts[:40] if isinstance(prompts, str) else f"{len(prompts)} prompts"
        raise bad_parameter("prompts", f"a list of {len(texts)}, one for each text", got)
    return list(prompts)


def need_transformers(model: str) -> None:
    """Raise an error unless the packages that run Transformers models are installed."""
    need_packages(f"The language model {model!r}", ["transformers", "torch"], "transformers")
