"""Batches are shared out once each, and halved where they do not fit."""

import threading

import numpy as np
import pytest

from mauve.embed.batching import share_out


class Kept(list):
    def on_host(self):
        return [*self]


def run(lengths, room, workers=(0,), budget=64):
    """Run rows on workers with room for so many tokens at a time; return rows and budget."""
    lengths = np.array(lengths, dtype=np.int64)
    seen = []

    def forward(_, rows):
        if lengths[rows].max() * len(rows) > room:
            raise RuntimeError("CUDA out of memory. Tried to allocate")
        return Kept(lengths[rows].tolist())

    def keep(rows, found):
        assert found == lengths[rows].tolist()
        seen.extend(rows.tolist())

    left = share_out(
        lengths, workers, forward, keep, budget=budget,
        too_long=lambda n: ValueError(f"{n} tokens do not fit"),
    )  # fmt: skip
    return sorted(seen), left


@pytest.mark.parametrize("workers", [(0,), (0, 1, 2)])
@pytest.mark.parametrize("room", [9, 20, 1000])
def test_every_row_once(workers, room):
    lengths = np.random.default_rng(0).integers(1, 10, size=200)
    seen, budget = run(lengths, room, workers)
    assert seen == [*range(200)]
    assert (budget == 64) == (room == 1000)


def test_a_row_that_does_not_fit_alone():
    with pytest.raises(ValueError, match="30 tokens do not fit"):
        run([5, 30, 4], room=20)


@pytest.mark.parametrize("workers", [(0,), (0, 1)])
def test_other_errors_are_not_hidden(workers):
    lock = threading.Lock()

    def forward(_, rows):
        with lock:
            raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        share_out(
            np.ones(9, dtype=np.int64), workers, forward, lambda *_: None, budget=1,
            too_long=ValueError,
        )  # fmt: skip
