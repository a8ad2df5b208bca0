"""Keep all random states while other work draws from them, or sets them; needs torch."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def kept_random_states() -> Iterator[None]:
    """Put the random states of Python, NumPy and torch, on all devices, back after the block.

    Examples
    --------
    >>> torch.manual_seed(0).initial_seed()
    0
    >>> with kept_random_states():
    ...     torch.manual_seed(1), torch.rand(3).shape
    ...     _ = random.random()
    (<torch._C.Generator object at ...>, torch.Size([3]))
    """
    python, cpu = random.getstate(), torch.get_rng_state()
    numpy = np.random.get_state()  # noqa: NPY002 - what other libraries draw from
    # Asking a GPU that is not in use yet would start it.
    gpus = torch.cuda.get_rng_state_all() if _uses_gpu() else []
    apple = torch.mps.get_rng_state() if torch.backends.mps.is_available() else None
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        torch.set_rng_state(cpu)
        if gpus:
            torch.cuda.set_rng_state_all(gpus)
        if apple is not None:
            torch.mps.set_rng_state(apple)


def _uses_gpu() -> bool:
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]
