"""Texts of different lengths in batches of about the same number of tokens."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows = NDArray[np.int64]


def token_batches(lengths: ArrayLike, budget: int) -> Iterator[Rows]:
    """Yield the rows of each batch, the longest texts first.

    Parameters
    ----------
    lengths : array_like of int, shape (n,)
        Tokens of each text.
    budget : int
        Tokens of a batch at most, padding to its longest text included; a longer text is
        a batch of its own.

    Notes
    -----
    Sorted by length, texts of a batch need little padding. The longest come first, so that
    a batch that does not fit the memory is met at once, and not after an hour.

    Examples
    --------
    >>> [rows.tolist() for rows in token_batches([5, 1, 4, 2, 9], budget=10)]
    [[4], [0, 2], [3, 1]]
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")
    start = 0
    while start < len(order):
        rows = max(1, budget // max(1, int(sizes[order[start]])))
        yield order[start : start + rows]
        start += rows


def encodable(texts: Sequence[str]) -> list[str]:
    r"""Replace lone surrogates, which no tokenizer takes, by U+FFFD as decoders do.

    Examples
    --------
    >>> encodable(["caf\ud800", "naïve"])
    ['caf�', 'naïve']
    """
    return [
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for text in texts
    ]


def padded(rows: Sequence[Sequence[int]], pad: int, at_least: int = 1) -> NDArray[np.int64]:
    """Return rows of tokens as one array, filled up on the right to one width.

    Examples
    --------
    >>> padded([[1, 2, 3], [4]], pad=0).tolist()
    [[1, 2, 3], [4, 0, 0]]
    """
    width = max(at_least, *map(len, rows))
    table = np.full((len(rows), width), pad, dtype=np.int64)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table
