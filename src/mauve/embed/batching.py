"""Form batches of tokens, and run them on all devices within the memory.

torch is imported inside the functions that need it: the bundled model runs without it.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import IntArray
from mauve.calls import in_this_call

Worker = TypeVar("Worker")
Fetched = TypeVar("Fetched")
Fetched_co = TypeVar("Fetched_co", covariant=True)


def encodable(texts: Sequence[str]) -> list[str]:
    r"""Replace lone surrogates, which no tokenizer accepts, by U+FFFD as decoders do.

    Examples
    --------
    >>> encodable(["caf\ud800", "naïve"])
    ['caf�', 'naïve']
    """
    return [
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for text in texts
    ]


def encodable_parts(texts: Sequence[str], size: int = 4096) -> Iterator[list[str]]:
    """Yield texts for a tokenizer, `size` at a time, with lone surrogates replaced.

    Examples
    --------
    >>> list(encodable_parts(["one", "two", "three"], size=2))
    [['one', 'two'], ['three']]
    """
    for start in range(0, len(texts), size):
        yield encodable(texts[start : start + size])


def padded(rows: Sequence[Sequence[int]], pad: int, at_least: int = 1) -> IntArray:
    """Return rows of tokens as one array, padded on the right to the longest row.

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


def token_batches(lengths: ArrayLike, budget: int) -> Iterator[IntArray]:
    """Yield the rows of each batch, the longest texts first.

    Parameters
    ----------
    lengths : array_like of int, shape (n,)
        Tokens of each text.
    budget : int
        Most tokens of a batch, padding to its longest text included; a longer text is a
        batch of its own.

    Notes
    -----
    Sorted by length, texts of a batch need little padding. The longest come first, so that
    a batch that does not fit the memory fails at the start and not after an hour.

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


class OnDevice(Protocol[Fetched_co]):
    """The result of a batch on its device, possibly still being computed."""

    def on_host(self) -> Fetched_co:
        """Wait for the result and copy it to the host."""


def run_batches(
    lengths: IntArray,
    workers: Sequence[Worker],
    forward: Callable[[Worker, IntArray], OnDevice[Fetched]],
    keep: Callable[[IntArray, Fetched], None],
    *,
    budget: int,
    too_long: Callable[[int], Exception],
) -> int:
    """Run rows of tokens in batches on all workers at once.

    A batch that does not fit the memory is split, and so are all batches after it.

    Parameters
    ----------
    lengths : array of int, shape (n,)
        Tokens of each row.
    workers : sequence
        A model on each device.
    forward : callable
        Starts a batch on a worker, given the rows of the batch.
    keep : callable
        Called with the rows of each batch and its result, one batch at a time.
    budget : int
        Most tokens of a batch.
    too_long : callable
        Returns the error to raise if a single row of this length does not fit the memory.

    Returns
    -------
    int
        The budget that fits the memory.

    Examples
    --------
    >>> class Sums(list):
    ...     def on_host(self): return sum(self)
    >>> run_batches(np.array([3, 1]), [None], lambda _, rows: Sums(rows),
    ...           lambda rows, total: print(rows, total), budget=3, too_long=ValueError)
    [0] 0
    [1] 1
    3
    """
    pending = deque(token_batches(lengths, budget))
    lock = threading.Lock()

    def fetch(rows: IntArray, result: OnDevice[Fetched]) -> None:
        on_host = result.on_host()
        with lock:
            keep(rows, on_host)

    def back_off(rows: IntArray, error: Exception) -> None:
        """Halve the batches of all rows that are left."""
        nonlocal budget
        if len(rows) == 1:
            raise too_long(int(lengths[rows[0]])) from error
        _empty_gpu_cache()
        with lock:
            half = max(1, len(rows) * int(lengths[rows].max()) // 2)
            budget = min(half, budget)  # another device may have less memory
            left = np.concatenate([rows, *pending])
            pending.clear()
            pending.extend(left[part] for part in token_batches(lengths[left], budget))

    def work(worker: Worker) -> None:
        # The next batch is started before the result of the last one is fetched.
        last: tuple[IntArray, OnDevice[Fetched]] | None = None
        while True:
            with lock:
                rows = pending.popleft() if pending else None
            if rows is None:
                break
            try:
                result = forward(worker, rows)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    with lock:
                        pending.clear()  # stops the other devices
                    raise
                back_off(rows, error)
                continue
            if last is not None:
                fetch(*last)
            last = rows, result
        if last is not None:
            fetch(*last)

    if len(workers) == 1:
        work(workers[0])
    else:
        with ThreadPoolExecutor(len(workers)) as pool:
            list(pool.map(in_this_call(work), workers))
    return budget


def is_out_of_memory(error: Exception) -> bool:
    """Return whether an error is about memory; torch has several such errors."""
    import torch

    if isinstance(error, (torch.cuda.OutOfMemoryError, MemoryError)):
        return True
    phrases = ("out of memory", "can't allocate memory", "not enough memory")
    return any(phrase in str(error).lower() for phrase in phrases)


def _empty_gpu_cache() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
