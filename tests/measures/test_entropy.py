from collections import Counter

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.measures.entropy import entropy_bits, entropy_measure
from mauve.measures.estimate import Groups, jackknife_influences
from mauve.measures.protocol import MeasuredSample, TokenTable


def _plain(rows, n):
    grams = Counter(tuple(row[i : i + n]) for row in rows for i in range(len(row) - n + 1))
    return scipy.stats.entropy(list(grams.values()), base=2)


def _sample(rows, labels):
    labels = np.asarray(labels)
    return MeasuredSample(
        "model", Groups(labels, int(labels.max()) + 1), tokens=TokenTable.of(rows, 100)
    )


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20).filter(any))
def test_equal_to_scipy(counts):
    expected = scipy.stats.entropy(counts, base=2)
    assert entropy_bits(np.array(counts)) == pytest.approx(expected, abs=1e-12)


def test_influences_are_those_of_doing_it_again_without_each_group():
    rng = np.random.default_rng(0)
    rows = [rng.integers(0, 4, size).tolist() for size in rng.integers(0, 12, 40)]
    labels = rng.integers(0, 6, 40)
    for n in (1, 2, 4):
        estimate = entropy_measure(n).estimate(_sample(rows, labels), _sample(rows, labels))
        assert estimate.value == pytest.approx(_plain(rows, n))
        without = [
            _plain([row for row, label in zip(rows, labels, strict=True) if label != group], n)
            for group in range(6)
        ]
        np.testing.assert_allclose(
            estimate.influences,
            jackknife_influences(np.array(without), np.bincount(labels)),
            atol=1e-12,
        )


def test_n_grams_used_equally_often_have_the_logarithm_of_their_number():
    sample = _sample([[i, i] for i in range(16)], np.arange(16))
    assert entropy_measure(2).estimate(sample, sample).value == pytest.approx(4)


def test_one_n_gram_has_none():
    sample = _sample([[1, 1, 1]] * 10, np.arange(10))
    estimate = entropy_measure(2).estimate(sample, sample)
    assert estimate.value == 0
    assert estimate.standard_error == 0


def test_uneven_use_lowers_it():
    assert entropy_bits(np.array([5, 3, 2])) > entropy_bits(np.array([6, 3, 1]))


def test_order_of_texts_does_not_matter():
    rows = np.random.default_rng(1).integers(0, 3, (20, 8)).tolist()
    labels = np.arange(20) % 5
    ahead, back = _sample(rows, labels), _sample(rows[::-1], labels[::-1])
    first, second = (entropy_measure(2).estimate(sample, sample) for sample in (ahead, back))
    assert first.value == second.value
    np.testing.assert_allclose(first.influences, second.influences, atol=1e-13)


def test_texts_too_short_are_refused():
    sample = _sample([[1]] * 10, np.arange(10))
    with pytest.raises(InvalidParameterError, match=r"'model' must be .* of at least 2 tokens"):
        entropy_measure(2).estimate(sample, sample)


def test_n_below_1_is_refused():
    with pytest.raises(InvalidParameterError, match="'n' parameter of entropy"):
        entropy_measure(0)
