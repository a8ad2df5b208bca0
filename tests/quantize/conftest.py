"""A limit on threads, for the tests of quantizers that run in torch."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Limit BLAS and torch to one thread: they would wait for other tests that run at once."""
    with threadpool_limits(limits=1):
        yield
