import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.measures.distinct import distinct_measure, distinct_share
from mauve.measures.estimate import Groups, jackknife_influences
from mauve.measures.ngrams import find_ngrams
from mauve.measures.protocol import MeasuredSample, TokenTable


def _plain(rows, n):
    grams = [tuple(row[i : i + n]) for row in rows for i in range(len(row) - n + 1)]
    return len(set(grams)) / len(grams)


def _sample(rows, labels):
    labels = np.asarray(labels)
    return MeasuredSample(
        "model", Groups(labels, int(labels.max()) + 1), tokens=TokenTable.of(rows, 3300)
    )


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=9), min_size=1, max_size=6))
def test_equal_to_a_set_of_tuples(rows):
    assert distinct_share(find_ngrams(TokenTable.of(rows, 4), 3).counts()) == _plain(rows, 3)


def test_influences_are_those_of_doing_it_again_without_each_group():
    rng = np.random.default_rng(0)
    rows = [rng.integers(0, 4, size).tolist() for size in rng.integers(0, 12, 40)]
    labels = rng.integers(0, 6, 40)
    for n in (1, 2, 4):
        estimate = distinct_measure(n).estimate(_sample(rows, labels), _sample(rows, labels))
        assert estimate.value == _plain(rows, n)
        without = [
            _plain([row for row, label in zip(rows, labels, strict=True) if label != group], n)
            for group in range(6)
        ]
        np.testing.assert_allclose(
            estimate.influences,
            jackknife_influences(np.array(without), np.bincount(labels)),
            atol=1e-14,
        )


def test_all_different_is_1_and_one_text_again_and_again_is_its_share():
    labels = np.arange(10)
    apart = _sample([list(range(5 * i, 5 * i + 5)) for i in range(10)], labels)
    assert distinct_measure(4).estimate(apart, apart).value == 1
    same = _sample([[1, 2, 3, 4, 5]] * 10, labels)
    assert distinct_measure(4).estimate(same, same).value == pytest.approx(1 / 10)


def test_order_of_texts_does_not_matter():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (20, 8)).tolist()
    labels = np.arange(20) % 5
    back = _sample(rows[::-1], labels[::-1])
    ahead = _sample(rows, labels)
    first, second = (distinct_measure(2).estimate(sample, sample) for sample in (ahead, back))
    assert first.value == second.value
    np.testing.assert_array_equal(first.influences, second.influences)


def test_repetition_lowers_it():
    rows = [[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16]]
    again = [row[:4] * 2 for row in rows]
    shares = [distinct_share(find_ngrams(TokenTable.of(r, 20), 2).counts()) for r in (again, rows)]
    assert shares[0] < shares[1]


def test_standard_error_is_that_of_repeated_samples():
    # Guards against counting tokens as independent, though the words of a text belong together,
    # whose ratio is 0.32 here. 300 samples tell the ratio to 4%, and the jackknife may be above
    # 1 on average: a failure by chance comes less than once in 1,000 runs.
    rng = np.random.default_rng(2)
    labels = np.arange(60) % 30
    values, variances = [], []
    for _ in range(300):
        # Some texts say the same few words again and again.
        widths = rng.choice([3, 300], (60, 1))
        rows = (rng.integers(0, 3000, (60, 1)) + rng.integers(0, widths, (60, 20))).tolist()
        sample = _sample(rows, labels)
        estimate = distinct_measure(1).estimate(sample, sample)
        values.append(estimate.value)
        variances.append(estimate.standard_error**2)
    ratio = np.sqrt(np.mean(variances)) / np.std(values, ddof=1)
    assert 0.85 < ratio < 1.3


def test_texts_too_short_are_refused():
    sample = _sample([[1, 2, 3]] * 10, np.arange(10))
    match = "Distinct-4 of 'model' must be .* texts of at least 4 tokens.*texts of at most 3 tokens"
    with pytest.raises(InvalidParameterError, match=match):
        distinct_measure(4).estimate(sample, sample)


def test_n_below_1_is_refused():
    with pytest.raises(InvalidParameterError, match="'n' parameter of distinct"):
        distinct_measure(0)
