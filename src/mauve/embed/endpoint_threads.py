"""Send many requests to an endpoint on several connections, and yield answers as they arrive."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from queue import SimpleQueue
from typing import TypeVar

from mauve.calls import in_this_call
from mauve.embed.endpoint_client import EndpointClient

T = TypeVar("T")
R = TypeVar("R")


def answers(
    items: Sequence[T],
    send: Callable[[EndpointClient, T], R],
    make_client: Callable[[], EndpointClient],
    *,
    n_connections: int,
    stop: threading.Event,
) -> Generator[R]:
    """Yield what `send` returns for each item, in the order in which answers arrive.

    Parameters
    ----------
    items : sequence
    send : callable
        Sends the request, or the requests, of one item; called on several threads.
    make_client : callable
        Returns the client of one thread.
    n_connections : int
        Number of threads.
    stop : threading.Event
        When it is set, no further request begins. It is set when this ends, also by an error:
        the first one of any thread is raised.

    Notes
    -----
    The threads are daemons: Python waits for those of concurrent.futures even after Ctrl-C.
    """
    pending = deque(items)
    done: SimpleQueue[tuple[R] | BaseException] = SimpleQueue()

    def next_item() -> tuple[T] | None:
        with suppress(IndexError):
            return (pending.popleft(),)
        return None

    def work(_: int) -> None:
        try:
            with closing(make_client()) as client:
                while not stop.is_set() and (item := next_item()) is not None:
                    done.put((send(client, item[0]),))
        except BaseException as error:  # raised again in the thread of the caller
            done.put(error)

    worker = in_this_call(work)
    try:
        for i in range(min(n_connections, len(items))):
            threading.Thread(target=worker, args=[i], daemon=True).start()
        for _ in items:
            result = done.get()
            if isinstance(result, BaseException):
                raise result
            yield result[0]
    finally:
        stop.set()
