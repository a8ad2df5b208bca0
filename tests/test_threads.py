"""Results that do not depend on the number of threads."""

import threading
import time

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from mauve.threads import available_threads, parallel_map


def blas_threads():
    """Return the number of threads of every BLAS, without those of OpenMP, which torch has."""
    pools = ThreadpoolController().info()
    return [pool["num_threads"] for pool in pools if pool["user_api"] == "blas"]


class TestAvailableThreads:
    def test_is_at_least_one(self):
        assert available_threads() >= 1

    def test_never_more_than_blas_may_use(self):
        with threadpool_limits(limits=1):
            assert available_threads() == 1


class TestParallelMap:
    def test_results_come_in_the_order_of_the_items(self):
        assert parallel_map(lambda x: x * x, range(100)) == [x * x for x in range(100)]

    def test_any_iterable_and_none_at_all(self):
        assert parallel_map(str, (x for x in "abc")) == ["a", "b", "c"]
        assert parallel_map(str, []) == []

    def test_errors_reach_the_caller(self):
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            parallel_map(lambda x: 1 / x, [1, 0])

    def test_blas_runs_on_one_thread_inside_and_as_before_outside(self):
        np.ones((2, 2)) @ np.ones((2, 2))
        before = blas_threads()
        inside = parallel_map(lambda _: blas_threads(), range(3))
        assert before
        assert all(set(threads) == {1} for threads in inside)
        assert blas_threads() == before

    def test_blas_is_as_before_after_an_error(self):
        before = blas_threads()
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            parallel_map(lambda x: 1 / x, [0])
        assert blas_threads() == before

    def test_two_maps_at_once_leave_blas_as_it_was(self):
        """As two threads of a web service that compare at the same time."""
        before, inside = blas_threads(), []

        def work(_):
            time.sleep(0.01)
            inside.append(set(blas_threads()))

        callers = [
            threading.Thread(target=parallel_map, args=(work, range(size))) for size in (3, 8)
        ]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert inside == [{1}] * 11
        assert blas_threads() == before

    def test_a_map_within_a_map_does_not_start_more_threads(self):
        names = parallel_map(
            lambda _: set(parallel_map(lambda _: threading.current_thread().name, range(4))),
            range(4),
        )
        assert all(len(inner) == 1 for inner in names)

    def test_products_have_the_same_bits_on_one_thread_and_on_all(self):
        rng = np.random.default_rng(0)
        parts = [rng.normal(size=(300, 200)).astype(np.float32) for _ in range(6)]

        def products():
            return parallel_map(lambda part: part.T @ part, parts)

        on_all = products()
        with threadpool_limits(limits=1):
            on_one = products()
        for single, parallel in zip(on_one, on_all, strict=True):
            assert single.tobytes() == parallel.tobytes()
