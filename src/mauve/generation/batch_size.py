"""Choose how many blocks a device trains on at once, so that the batch stays what it is."""

import os
from collections.abc import Callable
from typing import Any

from mauve.calls import option, parameter
from mauve.errors import InvalidParameterError, check_int

_MOST_ON_CPU = 8  # a CPU gains nothing from more
_UNKNOWN_MEMORY = 2 << 30  # bytes, where the system does not say


def blocks_per_device(
    batch: int, n_devices: int, batch_size: int | None, fits: Callable[[int], bool]
) -> int:
    """Return the blocks that a device reads at once: the most that fit its memory.

    A step of training has `batch` blocks, whatever the devices: each device reads its share in
    as many parts as it takes, and their gradients are added.

    Parameters
    ----------
    batch : int
        Blocks of a step.
    n_devices : int
    batch_size : int or None
        What the user asked for.
    fits : callable
        Whether a number of blocks fits a device. It is asked in descending order.

    Examples
    --------
    >>> blocks_per_device(32, 2, None, lambda n: n <= 7)
    4
    """
    share, rest = divmod(batch, n_devices)
    if rest:
        raise InvalidParameterError(
            f"{parameter('batch')} must be a multiple of the number of devices. Got {batch} for "
            f"{n_devices} devices instead: use {option('batch', (share + 1) * n_devices)}."
        )
    divisors = [n for n in range(share, 0, -1) if share % n == 0]
    if batch_size is not None:
        check_int("batch_size", batch_size, 1)
        if batch_size not in divisors:
            raise InvalidParameterError(
                f"{parameter('batch_size')} must divide the {share} blocks of a step on each "
                f"device. Got {batch_size} instead: use "
                f"{', '.join(map(str, divisors[::-1]))}, or another {option('batch')}."
            )
        return batch_size
    fitting = next((n for n in divisors if fits(n)), None)
    if fitting is None:
        raise InvalidParameterError(
            f"{parameter('block_size')} must be such that one block fits the memory of the "
            "device, and none does: use a smaller one, or a smaller model."
        )
    return fitting


def fits_device(model: Any, block_size: int, *, bf16: bool) -> Callable[[int], bool]:
    """Return a function that says whether a number of blocks can be trained on at once.

    On a GPU one step is tried; on a CPU, where a process that takes too much is killed, the
    memory is estimated.
    """
    import torch

    if torch.cuda.is_available() and next(model.parameters()).device.type == "cuda":
        return lambda n: _runs(model, n, block_size, bf16)
    per_block = block_size * _bytes_per_token(model.config.get_text_config(), block_size)
    most = max(1, _free_memory() // 4 // per_block)
    return lambda n: n <= min(_MOST_ON_CPU, most)


def _runs(model: Any, n_blocks: int, block_size: int, bf16: bool) -> bool:
    """Try one step on a GPU, with room for what Adam keeps of every weight."""
    import torch

    device = next(model.parameters()).device
    ids = torch.zeros((n_blocks, block_size), dtype=torch.int64, device=device)
    n_weights = sum(weight.numel() for weight in model.parameters())
    kept = None
    try:
        kept = torch.empty(2 * n_weights, dtype=torch.float32, device=device)
        with torch.autocast("cuda", torch.bfloat16, enabled=bf16):
            model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
    except torch.OutOfMemoryError:
        return False
    finally:
        del kept
        model.zero_grad(set_to_none=True)
        torch.cuda.empty_cache()
    return True


def _bytes_per_token(config: Any, block_size: int) -> int:
    # Kept for the way back in every layer: about 24 rows of the width, and attention to all
    # tokens of the block; then logits, their softmax and its gradient.
    rows = 24 * config.hidden_size + 2 * config.num_attention_heads * block_size
    return int(4 * (config.num_hidden_layers * rows + 3 * config.vocab_size))


def _free_memory() -> int:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not on Windows and macOS
        return _UNKNOWN_MEMORY
