"""Long texts in windows that a model can read, every token scored once."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mauve.errors import check_int


class Window(NamedTuple):
    """Tokens start to end - 1 are read, and of these first to end - 1 are scored."""

    start: int
    first: int
    end: int


def check_window(
    caller: str, max_length: int | None, stride: int | None, context: int
) -> tuple[int, int]:
    """Return how many tokens to read at once and how many a window adds: all, and half.

    Examples
    --------
    >>> check_window("read", None, None, 512), check_window("read", 100, 20, 512)
    ((512, 256), (100, 20))
    """
    length = context
    if max_length is not None:
        length = check_int(caller, "max_length", max_length, 2, context)
    if stride is None:
        return length, length // 2
    return length, check_int(caller, "stride", stride, 1, length - 1)


def windows_of(
    ids: Sequence[Sequence[int]], firsts: Sequence[int], context: int, stride: int
) -> list[tuple[int, Window]]:
    """Return the windows of several texts, each with the number of its text.

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


def windows(n_tokens: int, context: int, stride: int, first: int = 1) -> Iterator[Window]:
    """Yield the windows of a text.

    Parameters
    ----------
    n_tokens : int
        Tokens of the text, with what stands before it.
    context : int
        Tokens that the model reads at once.
    stride : int
        Tokens that a window adds to the one before, less than the context. The smaller, the
        more each token has before it, and the more there is to compute.
    first : int
        The first token to score: those before it are context only. It has at least one
        before it.

    Yields
    ------
    Window
        Every token from `first` on is scored in one of them, with at least
        ``context - stride`` tokens before it, or all there are in the first window.

    Examples
    --------
    >>> [tuple(window) for window in windows(10, context=6, stride=3)]
    [(0, 1, 6), (3, 6, 9), (4, 9, 10)]
    >>> [*windows(10, context=6, stride=3, first=8)]
    [Window(start=4, first=8, end=10)]
    """
    check_int("windows", "context", context, 2)
    check_int("windows", "stride", stride, 1, context - 1)
    check_int("windows", "first", first, 1)
    # A long prompt need not be read from its beginning.
    end = min(n_tokens, max(context, first + stride))
    while first < n_tokens:
        yield Window(max(0, end - context), first, end)
        first, end = end, min(n_tokens, end + stride)
