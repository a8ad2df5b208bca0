"""Share work between the processes of a distributed training; one process is the usual case."""

from collections.abc import Callable
from typing import TypeVar

import torch.distributed as dist

from mauve.errors import MauveError

T = TypeVar("T")


def rank_and_count() -> tuple[int, int]:
    """Return the number of this process, from 0 on, and how many there are.

    Examples
    --------
    >>> rank_and_count()
    (0, 1)
    """
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank(), dist.get_world_size()
    return 0, 1


def gathered(work: Callable[[], dict[int, T]]) -> dict[int, T]:
    """Do a part of some work in every process, and return all parts, by their keys, in each.

    An error in one process is raised in all of them, as the others would wait for it for ever.

    Examples
    --------
    >>> gathered(lambda: {0: "a text"})
    {0: 'a text'}
    """
    _, n_processes = rank_and_count()
    if n_processes == 1:
        return work()
    own, failure = _outcome(work)
    outcomes: list[tuple[dict[int, T] | None, str | None]] = [(None, None)] * n_processes
    dist.all_gather_object(outcomes, (own, None if failure is None else _said(failure)))
    _raise_any(failure, [message for _, message in outcomes])
    return {key: part for parts, _ in outcomes for key, part in (parts or {}).items()}


def on_main(work: Callable[[], T]) -> T:
    """Do some work in the main process alone, and return its result, or its error, in each.

    Examples
    --------
    >>> on_main(lambda: 0.5)
    0.5
    """
    rank, n_processes = rank_and_count()
    if n_processes == 1:
        return work()
    shared: list[tuple[T | None, str | None]] = [(None, None)]
    failure = None
    if rank == 0:
        result, failure = _outcome(work)
        shared = [(result, None if failure is None else _said(failure))]
    dist.broadcast_object_list(shared, src=0)
    [(value, message)] = shared
    _raise_any(failure, [message])
    return value  # type: ignore[return-value]  # None is a value of T then


def _outcome(work: Callable[[], T]) -> tuple[T | None, Exception | None]:
    try:
        return work(), None
    except Exception as error:
        return None, error


def _said(error: Exception) -> str:
    # Not the error itself: some cannot be sent.
    return str(error) if isinstance(error, MauveError) else f"{type(error).__name__}: {error}"


def _raise_any(failure: Exception | None, messages: list[str | None]) -> None:
    if failure is not None:
        raise failure
    for rank, message in enumerate(messages):
        if message is not None:
            raise MauveError(f"Process {rank} failed: {message}")
