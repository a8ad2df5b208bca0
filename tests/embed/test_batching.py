"""Every text is in one batch, and no batch is larger than allowed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.embed.batching import encodable, padded, token_batches


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
