import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.measures.copying import copied_ngrams, copying_measure
from mauve.measures.estimate import Groups, ratio
from mauve.measures.protocol import MeasuredSample, TokenTable

ROWS = st.lists(st.lists(st.integers(0, 2), max_size=12), min_size=1, max_size=6)


def _plain(rows, training, n):
    known = {tuple(row[i : i + n]) for row in training for i in range(len(row) - n + 1)}
    return [sum(tuple(row[i : i + n]) in known for i in range(len(row) - n + 1)) for row in rows]


def _sample(rows, training, name="model"):
    groups = Groups(np.arange(len(rows)), len(rows))
    trained = MeasuredSample("training", groups, tokens=TokenTable.of(training, 1000))
    return MeasuredSample(name, groups, tokens=TokenTable.of(rows, 1000), training=trained)


def _value(rows, training, n):
    return copying_measure(n).estimate(_sample(rows, training), _sample(rows, training)).value


@pytest.mark.slow
@settings(deadline=None)  # each example clears two tables of 32 MB
@given(ROWS, ROWS, st.integers(1, 6))
def test_equal_to_a_set_of_tuples(rows, training, n):
    counts = copied_ngrams(TokenTable.of(rows, 3), TokenTable.of(training, 3), n)
    assert counts.tolist() == _plain(rows, training, n)


@pytest.mark.parametrize("bits", [1, 4])
def test_hashes_that_collide_change_nothing(bits):
    rng = np.random.default_rng(0)
    rows = [rng.integers(0, 5, size).tolist() for size in rng.integers(0, 30, 20)]
    training = [rng.integers(0, 5, size).tolist() for size in rng.integers(0, 30, 40)]
    for n in (1, 2, 3, 5):
        tables = TokenTable.of(rows, 5), TokenTable.of(training, 5)
        counts = copied_ngrams(*tables, n, hash_bits=bits, block_size=7)
        assert counts.tolist() == _plain(rows, training, n)


def test_long_ngrams_of_many_texts():
    rng = np.random.default_rng(1)
    training = [rng.integers(0, 900, 200).tolist() for _ in range(200)]
    rows = [rng.integers(0, 900, 50).tolist() for _ in range(30)]
    for i in range(0, 30, 3):  # a copy of every length from 0 to 45
        rows[i][: 5 * i // 3] = training[i][40 : 40 + 5 * i // 3]
    counts = copied_ngrams(TokenTable.of(rows, 900), TokenTable.of(training, 900), 8)
    assert counts.tolist() == [max(0, 5 * i // 3 - 7) if i % 3 == 0 else 0 for i in range(30)]


def test_texts_are_copies_of_themselves():
    rows = [[1, 2, 3, 4, 5], [1, 2], [7, 7, 7, 7]]
    assert _value(rows, rows, 3) == 1
    assert _value(rows, [row[::-1] for row in rows[:1]], 3) == 0


def test_no_copy_reaches_over_the_end_of_a_text():
    assert _value([[1, 2, 3, 4]], [[1, 2], [3, 4, 0, 0]], 3) == 0
    assert _value([[1, 2], [3, 4, 5]], [[1, 2, 3, 9]], 3) == 0


def test_grows_with_the_training_texts_and_falls_with_n():
    rng = np.random.default_rng(2)
    rows = [rng.integers(0, 6, 40).tolist() for _ in range(10)]
    training = [rng.integers(0, 6, 40).tolist() for _ in range(20)]
    by_size = [_value(rows, training[:k], 3) for k in (2, 5, 10, 20)]
    by_n = [_value(rows, training, n) for n in (1, 2, 3, 4, 5)]
    assert by_size == sorted(by_size)
    assert by_n == sorted(by_n, reverse=True)
    assert by_n[0] == 1


def test_estimate_is_a_ratio_over_texts():
    rows = [[1, 2, 3], [1, 2], [4, 5, 6, 7], [5]] * 3
    estimate = copying_measure(2).estimate(
        _sample(rows, [[1, 2, 9, 6, 7]]), _sample(rows, [[0, 0]])
    )
    expected = ratio(
        np.array([1.0, 1, 1, 0] * 3), np.array([2.0, 1, 3, 0] * 3), _sample(rows, []).groups
    )
    assert estimate.value == expected.value == 0.5
    np.testing.assert_array_equal(estimate.influences, expected.influences)


def test_named_after_n():
    assert copying_measure().name == "copying-8"
    assert copying_measure(3).needs == {"tokens", "training"}


def test_texts_that_are_too_short():
    rows, short = [[1, 2, 3, 4]] * 10, [[1, 2]] * 10
    with pytest.raises(InvalidParameterError, match="Got 'brief', whose longest has 2, instead"):
        copying_measure(4).estimate(_sample(short, rows, "brief"), _sample(rows, rows))
    with pytest.raises(InvalidParameterError, match="Got 'training', whose longest has 2"):
        copying_measure(4).estimate(_sample(rows, short), _sample(rows, rows))
    with pytest.raises(InvalidParameterError, match=r"of copying_measure .* Got 0"):
        copying_measure(0)
