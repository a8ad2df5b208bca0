"""Parts of fine-tuning: blocks, batches, processes and random states."""

import random

import numpy as np
import pytest
import torch
from small_language import tiny_model, word_tokenizer

import mauve
from mauve.generation.batch_size import blocks_per_device, fits_device
from mauve.generation.blocks import make_blocks, text_digest
from mauve.generation.processes import gathered, on_main
from mauve.generation.random_states import kept_random_states
from mauve.generation.sharded import check_whole


def made(rows, validation=0.0, block_size=4):
    return make_blocks(
        rows, word_tokenizer(), block_size=block_size, validation=validation, seed=0,
        on_progress=lambda *_: None,
    )  # fmt: skip


def test_texts_are_joined_and_cut():
    text = made(["a bird", "cat", "dog eats finds"])  # 1 2 0, 3 0, 4 5 6 0
    assert text.blocks.tolist() == [[1, 2, 0, 3], [0, 4, 5, 6]]
    assert (text.n_texts, text.n_tail, len(text.validation)) == (3, 1, 0)


def test_held_out_texts_are_whole():
    rows = [
        word
        for word in ["a", "bird", "cat", "dog", "eats", "finds", "green", "house"]
        for _ in range(5)
    ]
    text = made(rows, validation=0.25)
    assert (text.n_texts, text.n_validation_texts) == (30, 10)
    tokens = [*text.blocks.ravel(), *text.validation.ravel()]
    assert text.validation.shape == (5, 4)
    assert text.blocks.shape == (15, 4)
    # Every word stands five times, each with an end.
    assert np.bincount(tokens).tolist() == [40, *[5] * 8]


def test_little_validation_text_is_one_short_block():
    text = made(["a bird cat"] * 8, validation=0.1, block_size=16)
    assert text.validation.tolist() == [[1, 2, 3, 0]]


def test_digest_sees_order_and_borders():
    digests = {text_digest(rows) for rows in (["ab", "c"], ["a", "bc"], ["c", "ab"], ["abc"])}
    assert len(digests) == 4


@pytest.mark.parametrize(
    ("batch", "n_devices", "most", "wanted"),
    [(32, 1, 100, 32), (32, 1, 10, 8), (32, 4, 100, 8), (12, 2, 5, 3), (7, 1, 6, 1)],
)
def test_batch_is_divided_evenly(batch, n_devices, most, wanted):
    assert blocks_per_device(batch, n_devices, None, lambda n: n <= most) == wanted


def test_batches_that_cannot_be():
    with pytest.raises(mauve.InvalidParameterError, match="batch=33"):
        blocks_per_device(32, 3, None, lambda n: True)
    with pytest.raises(mauve.InvalidParameterError, match="one block fits the memory"):
        blocks_per_device(32, 1, None, lambda n: False)


def test_a_cpu_reads_few_blocks_at_once():
    fits = fits_device(tiny_model(), 32, bf16=False)
    assert fits(1)
    assert not fits(9)


def test_random_states_are_put_back():
    def states():
        numpy = np.random.get_state()[1].tolist()  # noqa: NPY002
        return random.getstate(), numpy, torch.get_rng_state().tolist()

    before = states()
    with kept_random_states():
        torch.rand(2)
        random.seed(1)
        np.random.rand(2)  # noqa: NPY002
        changed = states()
    assert all(a != b for a, b in zip(before, changed, strict=True))
    assert states() == before


def test_one_process_raises_its_own_errors():
    def fail():
        raise mauve.MauveError("no")

    with pytest.raises(mauve.MauveError, match="no"):
        gathered(fail)
    with pytest.raises(mauve.MauveError, match="no"):
        on_main(fail)


def test_split_models_are_refused():
    from torch.distributed import destroy_process_group, init_process_group
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import distribute_module

    class Trainer:
        is_fsdp_enabled = False
        model = tiny_model()

    check_whole(Trainer())
    init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        Trainer.model = distribute_module(tiny_model(), init_device_mesh("cpu", (1,)))
        with pytest.raises(mauve.InvalidParameterError, match="DTensor"):
            check_whole(Trainer())
    finally:
        destroy_process_group()
