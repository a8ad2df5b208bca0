"""Run work on threads so that results do not depend on the number of threads.

BLAS libraries split a matrix product differently for different numbers of threads, so
their results differ in the last bit, and k-means may then end in other buckets. Here BLAS
always runs on one thread, and the work is divided among Python threads (NumPy releases the
interpreter lock) in pieces whose shape does not depend on the number of threads.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from threadpoolctl import ThreadpoolController

from mauve.calls import in_this_call

T = TypeVar("T")
R = TypeVar("R")

_this_thread = threading.local()
_known_controller: tuple[int, ThreadpoolController] | None = None

# The limit on BLAS holds for the process: two maps at once would undo each other's limit. Each
# uses all cores, so nothing is lost by taking turns.
_one_at_a_time = threading.RLock()


def _controller() -> ThreadpoolController:
    """Return what limits BLAS; looking for libraries takes a millisecond, so once per import."""
    global _known_controller
    n_modules = len(sys.modules)
    if _known_controller is None or _known_controller[0] != n_modules:
        _known_controller = n_modules, ThreadpoolController()
    return _known_controller[1]


def available_threads() -> int:
    """Return how many threads work may use.

    This is the number of cores that the process may run on, or the number of threads that BLAS
    is limited to (``OMP_NUM_THREADS``, ``threadpoolctl.threadpool_limits``) if that is smaller.

    Examples
    --------
    >>> available_threads() >= 1
    True
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pools = _controller().select(user_api="blas").info()
    blas = [pool["num_threads"] for pool in pools]
    return max(1, min([cores or 1, *map(int, blas)]))


def load_linear_algebra() -> None:
    """Load SciPy's linear algebra, which has a BLAS of its own.

    Loaded within :func:`parallel_map`, it would not be limited to one thread.

    Examples
    --------
    >>> load_linear_algebra()
    """
    import scipy.linalg  # noqa: F401


def parallel_map(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Apply `work` to every item on the available threads, with BLAS limited to one thread.

    Results come in the order of the items and do not depend on the number of threads. After an
    error or Ctrl-C, no further items are started.

    Examples
    --------
    >>> parallel_map(lambda x: x * x, [1, 2, 3])
    [1, 4, 9]
    """
    if getattr(_this_thread, "is_worker", False):  # a map within a map: all cores are busy
        return [work(item) for item in items]
    with _one_at_a_time:
        threads = available_threads()
        with _controller().limit(limits=1, user_api="blas"):
            if threads == 1:
                _become_worker()
                try:
                    return [work(item) for item in items]
                finally:
                    _this_thread.is_worker = False
            with ThreadPoolExecutor(threads, initializer=_become_worker) as pool:
                try:
                    return list(pool.map(in_this_call(work), items))
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise


def _become_worker() -> None:
    _this_thread.is_worker = True
