import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.measures.estimate import Groups
from mauve.measures.protocol import MeasuredSample, TokenTable
from mauve.measures.repetition import REPETITION, repeated_lengths

TOKENS = st.lists(st.integers(0, 2), max_size=12)
LONG = 1_000_000


def _plain(row):
    lengths = range(1, len(row) // 2 + 1)
    return next((p for p in lengths if row[-p:] == row[-2 * p : -p]), 0)


def _of_one(tokens):
    ids = np.asarray(tokens, dtype=np.int32)
    return int(repeated_lengths(TokenTable(ids, np.array([0, len(ids)]), 2000))[0])


def _fibonacci(size):
    before, word = [0], [0, 1]
    while len(word) < size:
        before, word = word, word + before
    return word[:size]


@pytest.mark.parametrize(
    ("row", "length"),
    [
        ([], 0),
        ([1], 0),
        ([1, 1], 1),
        ([1, 2], 0),
        ([1, 2, 3, 1, 2, 3], 3),  # half the text
        ([1, 2, 3, 4, 1, 2, 3], 0),  # one token short of it
        ([9, 1, 2, 1, 2], 2),
        ([1, 2, 1, 2, 9], 0),  # not at the end
        ([1, 2, 2, 1, 2, 2], 1),  # the shortest of two
        ([1, 2] * 10 + [1], 2),  # cut off in the middle of a phrase
        ([0, *range(1, 21), *range(1, 21)], 20),
        ([7, *range(1, 21), 7, *range(1, 21)], 21),
        ([*range(1, 21), 7, *range(1, 20), 19], 1),
    ],
)
def test_shortest_repeated_phrase(row, length):
    assert _of_one(row) == length
    # The same among other texts, the empty ones included.
    rows = [[], [5, 5], row, [], row, [6]]
    wanted = [0, 1, length, 0, length, 0]
    assert repeated_lengths(TokenTable.of(rows, 50)).tolist() == wanted


@given(st.lists(st.tuples(TOKENS, TOKENS, st.integers(0, 3), st.integers(0, 2)), max_size=8))
def test_equal_to_the_definition(parts):
    rows = [head + phrase * times + phrase[:n_more] for head, phrase, times, n_more in parts]
    lengths = repeated_lengths(TokenTable.of(rows, 3))
    assert lengths.tolist() == [_plain(row) for row in rows]


@pytest.mark.parametrize("size", range(1, 25))
def test_phrases_shorter_and_longer_than_the_depth(size):
    phrase = [3, *[0] * (size - 1)]  # one loop inside, but not at its end
    assert _of_one([1, 2, *phrase[::-1], *phrase[::-1]]) == size
    assert _of_one([1, *phrase[::-1], 2, *phrase[::-1]]) == 0


@pytest.mark.slow
def test_long_texts_take_linear_time():
    """A quadratic method would take hours here, not less than a second."""
    rng = np.random.default_rng(0)
    half = rng.integers(0, 1000, LONG // 2)
    ruler = [(i & -i).bit_length() for i in range(1, LONG)]  # abacabad..., without a repetition
    assert _of_one(np.zeros(LONG)) == 1
    assert _of_one(np.append(np.zeros(LONG), 1)) == 0
    assert _of_one(_fibonacci(LONG)) == _plain(_fibonacci(LONG)[-100:])
    assert _of_one(ruler) == 0
    assert _of_one([*ruler, 21, *ruler, 21]) == LONG
    assert _of_one(np.concatenate([half, half])) == LONG // 2
    assert _of_one(np.concatenate([half, [1001], half])) == 0


def test_share_of_texts():
    rows = [[1, 2, 2]] * 3 + [[2, 2, 1]] * 6 + [[]] * 3
    sample = MeasuredSample("model", Groups(np.arange(12), 12), tokens=TokenTable.of(rows, 3))
    estimate = REPETITION.estimate(sample, sample)
    assert estimate.value == 0.25
    # The textbook's standard error of a share.
    assert estimate.standard_error == pytest.approx(np.sqrt(0.25 * 0.75 / 11))


def test_grows_with_every_text_that_repeats():
    shares = []
    for n in range(11):
        rows = [[1, 2, 1, 2]] * n + [[1, 2, 3]] * (10 - n)
        sample = MeasuredSample("model", Groups(np.arange(10), 10), tokens=TokenTable.of(rows, 4))
        shares.append(REPETITION.estimate(sample, sample).value)
    assert shares == [n / 10 for n in range(11)]


def test_declared_as_a_share():
    assert REPETITION.is_share
    assert (REPETITION.low, REPETITION.high, REPETITION.direction) == (0, 1, "human")
