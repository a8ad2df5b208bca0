"""Long texts in windows that a model can read, every token scored once."""

from collections.abc import Iterator
from typing import NamedTuple

from mauve.errors import check_int


class Window(NamedTuple):
    """Tokens start to end - 1 are read, and of these first to end - 1 are scored."""

    start: int
    first: int
    end: int


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
