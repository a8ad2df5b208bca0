"""What writes texts: the protocol of writers, their options, and the texts they return.

:func:`mauve.lm.writers.get_writer` returns the writer of a name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from mauve.calls import option, parameter
from mauve.errors import InvalidParameterError, bad_parameter, check_int
from mauve.lm.decoding import Decoding
from mauve.progress import Progress


@dataclass(frozen=True)
class Written:
    """One text that a model wrote.

    Attributes
    ----------
    text : str
        The continuation, without the prompt.
    n_tokens : int
        Tokens that were written, without the one that ended the text.
    ended : bool
        Whether it ended by itself and not at the greatest number of tokens.
    """

    text: str
    n_tokens: int
    ended: bool


@dataclass(frozen=True)
class WritingOptions:
    """How long texts are, and the random seed.

    Parameters
    ----------
    max_tokens : int
        New tokens of a text at most.
    min_tokens : int
        Tokens before which a text does not end by itself.
    seed : int
        Random seed; see :meth:`Writer.write`.

    Examples
    --------
    >>> WritingOptions(max_tokens=100)
    WritingOptions(max_tokens=100, min_tokens=0, seed=0)
    """

    max_tokens: int
    min_tokens: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        check_int("max_tokens", self.max_tokens, 1)
        why = "a text ends at max_tokens"
        check_int("min_tokens", self.min_tokens, 0, self.max_tokens, why)
        check_int("seed", self.seed, 0)


@runtime_checkable
class Writer(Protocol):
    """A language model that continues prompts."""

    @property
    def signature(self) -> str:
        """The model with its checksum or commit, and what else changes texts, without a "|"."""

    @property
    def context(self) -> int | None:
        """Most tokens of a prompt and its continuation; None without a limit."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, or raise a MauveError where there is no tokenizer."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""

    def write(
        self,
        prompts: Sequence[str],
        decoding: Decoding,
        options: WritingOptions,
        *,
        first: int = 0,
        on_progress: Progress | None = None,
    ) -> Iterator[tuple[int, Written]]:
        """Yield the position of a prompt and its continuation, as texts are finished.

        The order is any. Text i draws its random numbers from (options.seed, first + i)
        alone, so that neither the batch size nor a later start changes it. A decoder that this
        writer does not have is an error without prompts too: so it is found before the first text.

        Parameters
        ----------
        prompts : sequence of str
        decoding : Decoding
            See :func:`mauve.lm.decoding.parse_decoder`.
        options : WritingOptions
        first : int
            Position of the first prompt in the whole job.
        on_progress : callable, optional
            Called with "writing", the texts done and their number.
        """


def check_prompts(prompts: Sequence[str]) -> list[str]:
    """Return the prompts as a list, or raise if they are one string.

    Examples
    --------
    >>> check_prompts(("one", ""))
    ['one', '']
    """
    if isinstance(prompts, str) or not all(isinstance(prompt, str) for prompt in prompts):
        raise bad_parameter("prompts", "a list of strings", _shortened(prompts))
    return list(prompts)


def check_lengths(lengths: Sequence[int], context: int | None, max_tokens: int) -> None:
    """Raise if a prompt and its continuation are longer than what the model reads.

    Parameters
    ----------
    lengths : sequence of int
        Tokens of each prompt.
    context : int or None
        Tokens that the model reads at most.
    max_tokens : int

    Examples
    --------
    >>> check_lengths([10, 30], context=40, max_tokens=20)
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'prompts' must leave room for max_tokens=20: prompt and \
continuation have at most 40 tokens in this model. Got a prompt of 30 tokens at position 1 \
instead: use max_tokens=10, or shorter prompts.
    """
    if context is None:
        return
    for position, length in enumerate(lengths):
        if length + max_tokens <= context:
            continue
        room = context - max(lengths)
        remedy = (
            f"use {option('max_tokens', room)}, or shorter prompts"
            if room > 0
            else ("use shorter prompts")
        )
        raise InvalidParameterError(
            f"{parameter('prompts')} must leave room for {option('max_tokens', max_tokens)}: "
            f"prompt and continuation have at most {context} tokens in this model. Got a prompt "
            f"of {length} tokens at position {position} instead: {remedy}."
        )


def _shortened(prompts: object) -> object:
    return prompts[:40] if isinstance(prompts, str) else type(prompts).__name__
