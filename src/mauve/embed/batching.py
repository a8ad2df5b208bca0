"""Batches shared out over devices, and made smaller where the memory runs out."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import ArrayLike

from mauve.arrays import IntArray


def token_batches(lengths: ArrayLike, budget: int) -> Iterator[IntArray]:
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


def padded(rows: Sequence[Sequence[int]], pad: int, at_least: int = 1) -> IntArray:
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


Worker = TypeVar("Worker")
Fetched = TypeVar("Fetched")
Fetched_co = TypeVar("Fetched_co", covariant=True)


class OnDevice(Protocol[Fetched_co]):
    """What a batch gives, still on the device: work may go on while it is computed."""

    def on_host(self) -> Fetched_co:
        """Wait for it, and fetch it."""


def share_out(
    lengths: IntArray,
    workers: Sequence[Worker],
    forward: Callable[[Worker, IntArray], OnDevice[Fetched]],
    keep: Callable[[IntArray, Fetched], None],
    *,
    budget: int,
    too_long: Callable[[int], Exception],
) -> int:
    """Run rows of tokens in batches, on all workers at once.

    Parameters
    ----------
    lengths : array of int, shape (n,)
        Tokens of each row.
    workers : sequence
        A model on each device.
    forward : callable
        Starts a batch on a worker, given which rows are in it.
    keep : callable
        Gets the rows of each batch and what came of it, one batch at a time.
    budget : int
        Tokens of a batch at most.
    too_long : callable
        Makes the error to raise where one row alone does not fit the memory, of its length.

    Returns
    -------
    int
        The budget that fits the memory.

    Examples
    --------
    >>> class Sums(list):
    ...     def on_host(self): return sum(self)
    >>> share_out(np.array([3, 1]), [None], lambda _, rows: Sums(rows),
    ...           lambda rows, found: print(rows, found), budget=3, too_long=ValueError)
    [0] 0
    [1] 1
    3
    """
    pending = deque(token_batches(lengths, budget))
    lock = threading.Lock()

    def keep_one(rows: IntArray, found: OnDevice[Fetched]) -> None:
        on_host = found.on_host()
        with lock:
            keep(rows, on_host)

    def back_off(rows: IntArray, error: Exception) -> None:
        """Halve the batches for what is left."""
        nonlocal budget
        if len(rows) == 1:
            raise too_long(int(lengths[rows[0]])) from error
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        with lock:
            half = max(1, len(rows) * int(lengths[rows].max()) // 2)
            budget = min(half, budget)  # another device may be at less
            left = np.concatenate([rows, *pending])
            pending.clear()
            pending.extend(left[part] for part in token_batches(lengths[left], budget))

    def work(worker: Worker) -> None:
        # One batch is on its way while the one before is fetched.
        last: tuple[IntArray, OnDevice[Fetched]] | None = None
        while True:
            with lock:
                rows = pending.popleft() if pending else None
            if rows is None:
                break
            try:
                found = forward(worker, rows)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    with lock:
                        pending.clear()  # the other devices need not finish
                    raise
                back_off(rows, error)
                continue
            if last is not None:
                keep_one(*last)
            last = rows, found
        if last is not None:
            keep_one(*last)

    if len(workers) == 1:
        work(workers[0])
    else:
        with ThreadPoolExecutor(len(workers)) as pool:
            list(pool.map(work, workers))
    return budget


def is_out_of_memory(error: Exception) -> bool:
    """Return whether an error is about memory; torch has several of the kind."""
    said = str(error).lower()
    told = ("out of memory", "can't allocate memory", "not enough memory")
    kinds = (torch.cuda.OutOfMemoryError, MemoryError)
    return isinstance(error, kinds) or any(words in said for words in told)
