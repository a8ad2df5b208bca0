"""One threading runtime at a time, and results that do not depend on how many threads.

BLAS libraries split a matrix product differently for different numbers of threads, so
their results differ in the last bit, and a k-means that sees another last bit may end
in other clusters. Here BLAS always runs on one thread, and the work is shared out over
Python threads (NumPy releases the interpreter lock) in pieces whose shape does not
depend on their number.
"""

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")


def available_threads() -> int:
    """Return how many threads the work may use.

    The number of cores this process may run on, or fewer where BLAS was told so
    (``OMP_NUM_THREADS``, ``threadpoolctl.threadpool_limits``).

    Examples
    --------
    >>> available_threads() >= 1
    True
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pools = ThreadpoolController().select(user_api="blas").info()
    blas = [pool["num_threads"] for pool in pools]
    return max(1, min([cores or 1, *map(int, blas)]))


def parallel_map(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Apply `work` to every item on the available threads, BLAS bound to one in each.

    Results come in the order of the items and do not depend on the number of threads. An
    error or Ctrl-C drops what has not begun.

    Examples
    --------
    >>> parallel_map(lambda x: x * x, [1, 2, 3])
    [1, 4, 9]
    """
    if getattr(_here, "is_worker", False):  # a map within a map: the cores are busy already
        return [work(item) for item in items]
    with _one_at_a_time:
        threads = available_threads()
        with ThreadpoolController().limit(limits=1, user_api="blas"):
            if threads == 1:
                return [work(item) for item in items]
            with ThreadPoolExecutor(threads, initializer=_become_worker) as pool:
                try:
                    return list(pool.map(work, items))
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise


_here = threading.local()

# The limit on BLAS is the process's: two maps at once would undo each other's. Each uses
# all cores, so nothing is lost by taking turns.
_one_at_a_time = threading.RLock()


def _become_worker() -> None:
    _here.is_worker = True
