"""Every text is in one batch within the budget, and batches are halved if they do not fit."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.calls import Command, command_line, parameter
from mauve.embed.batching import encodable, padded, run_batches, token_batches


@given(lengths=st.lists(st.integers(0, 600), max_size=80), budget=st.integers(1, 2000))
def test_every_row_once_within_the_budget_and_the_longest_first(lengths, budget):
    batches = list(token_batches(lengths, budget))
    assert sorted(np.concatenate([[], *batches]).tolist()) == list(range(len(lengths)))
    assert all(len(batch) for batch in batches)
    for batch in batches:
        longest = max(lengths[i] for i in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget
    in_order = [lengths[i] for batch in batches for i in batch]
    assert in_order == sorted(lengths, reverse=True)


@given(lengths=st.lists(st.integers(1, 600), min_size=1, max_size=80), budget=st.integers(1, 2000))
def test_batches_are_as_large_as_they_may_be(lengths, budget):
    batches = list(token_batches(lengths, budget))
    for batch in batches[:-1]:
        assert (len(batch) + 1) * max(lengths[i] for i in batch) > budget


def test_texts_of_one_length_stay_in_order():
    assert [b.tolist() for b in token_batches([3] * 5, budget=6)] == [[0, 1], [2, 3], [4]]


@given(st.lists(st.lists(st.integers(0, 9), min_size=1), min_size=1))
def test_rows_are_filled_up_on_the_right(rows):
    table = padded(rows, pad=-1)
    assert table.shape == (len(rows), max(map(len, rows)))
    for filled, row in zip(table.tolist(), rows, strict=True):
        assert filled == row + [-1] * (table.shape[1] - len(row))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udfff", "\ufffd"),
        ("\udcff\udcfe", "\ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),  # two halves of one character
        ("naïve\x00😀", "naïve\x00😀"),
    ],
)
def test_lone_surrogates_are_replaced(text, expected):
    assert encodable([text]) == [expected]


@given(st.text(st.characters(codec="utf-8")))
def test_what_can_be_encoded_is_left_alone(text):
    assert encodable([text]) == [text]


class OnHost(list):
    def on_host(self):
        return [*self]


def does_not_fit(n):
    return ValueError(f"{n} tokens do not fit")


def run(lengths, room, workers=(0,), budget=64, too_long=does_not_fit):
    """Run rows on workers with room for so many tokens at a time; return rows and budget."""
    lengths = np.array(lengths, dtype=np.int64)
    seen = []

    def forward(_, rows):
        if lengths[rows].max() * len(rows) > room:
            raise RuntimeError("CUDA out of memory. Tried to allocate")
        return OnHost(lengths[rows].tolist())

    def keep(rows, fetched):
        assert fetched == lengths[rows].tolist()
        seen.extend(rows.tolist())

    left = run_batches(lengths, workers, forward, keep, budget=budget, too_long=too_long)
    return sorted(seen), left


@pytest.mark.parametrize("workers", [(0,), (0, 1, 2)])
@pytest.mark.parametrize("room", [9, 20, 1000])
def test_every_row_runs_once(workers, room):
    lengths = np.random.default_rng(0).integers(1, 10, size=200)
    seen, budget = run(lengths, room, workers)
    assert seen == [*range(200)]
    assert (budget == 64) == (room == 1000)


def test_a_row_that_does_not_fit_alone():
    with pytest.raises(ValueError, match="30 tokens do not fit"):
        run([5, 30, 4], room=20)


@pytest.mark.parametrize("workers", [(0,), (0, 1)])
def test_errors_of_all_devices_name_the_flag(workers):
    with (
        command_line(Command("mauve embed", {"max_length": "--max-length"})),
        pytest.raises(ValueError, match=r"^--max-length$"),
    ):
        run([30], room=20, workers=workers, too_long=lambda _: ValueError(parameter("max_length")))


@pytest.mark.parametrize("workers", [(0,), (0, 1)])
def test_other_errors_are_not_hidden(workers):
    lock = threading.Lock()

    def forward(_, rows):
        with lock:
            raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        run_batches(
            np.ones(9, dtype=np.int64), workers, forward, lambda *_: None, budget=1,
            too_long=ValueError,
        )  # fmt: skip
