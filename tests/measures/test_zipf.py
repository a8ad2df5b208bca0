import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import linregress

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups, deal_texts, jackknife_influences
from mauve.measures.protocol import MeasuredSample, TokenTable
from mauve.measures.zipf import ZIPF, zipf_coefficient


def _sample(rows, labels, vocabulary_size=1000, name="model"):
    labels = np.asarray(labels)
    groups = Groups(labels, int(labels.max()) + 1)
    return MeasuredSample(name, groups, tokens=TokenTable.of(rows, vocabulary_size))


def _regression(frequencies, top):
    """As the code of Holtzman et al. describes it: SciPy's line through the first ranks."""
    top_frequencies = sorted(frequencies, reverse=True)[:top]
    return -linregress(
        np.log(np.arange(1, len(top_frequencies) + 1)), np.log(top_frequencies)
    ).slope


@pytest.mark.parametrize("slope", [0.5, 1.0, 1.7])
def test_closed_form_of_a_power_law(slope):
    frequencies = np.round(1e12 / np.arange(1, 8001.0) ** slope).astype(np.int64)
    assert zipf_coefficient(frequencies) == pytest.approx(slope, abs=1e-4)  # for the rounding


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=60), st.integers(2, 70))
def test_equal_to_a_regression(frequencies, top):
    coefficient = zipf_coefficient(np.array(frequencies), top)
    assert coefficient == pytest.approx(_regression(frequencies, top), abs=1e-10)


def test_only_the_most_frequent_types_count():
    frequencies = np.r_[np.arange(6000, 1000, -1), np.ones(9000, dtype=np.int64)]
    assert zipf_coefficient(frequencies) == zipf_coefficient(frequencies[:5000])
    assert zipf_coefficient(frequencies, top=14000) > zipf_coefficient(frequencies)


def test_neither_order_nor_scale_nor_absent_types_matter():
    frequencies = np.array([90, 20, 7, 7, 3, 1])
    mixed = np.array([0, 7, 3, 90, 0, 1, 20, 7])
    assert zipf_coefficient(mixed) == zipf_coefficient(frequencies)
    assert zipf_coefficient(frequencies * 10) == pytest.approx(zipf_coefficient(frequencies))


def test_equal_frequencies_have_no_slope():
    assert zipf_coefficient(np.full(77, 5)) == pytest.approx(0, abs=1e-12)


def test_grows_as_tokens_concentrate():
    coefficients = [zipf_coefficient(np.array([k, 10, 5, 3, 2])) for k in (10, 20, 40, 80)]
    assert coefficients == sorted(coefficients)
    assert len(set(coefficients)) == 4


def test_influences_are_those_of_doing_it_again_without_each_group():
    rng = np.random.default_rng(0)
    rows = [(rng.zipf(1.5, size) % 300).tolist() for size in rng.integers(0, 60, 40)]
    labels = rng.permutation(np.arange(40) % 8)
    sample = _sample(rows, labels, 400)
    estimate = ZIPF.estimate(sample, sample)

    def plain(some_rows):
        tokens = np.array([token for row in some_rows for token in row])
        return _regression(np.unique(tokens, return_counts=True)[1], 5000)

    assert estimate.value == pytest.approx(plain(rows))
    pairs = [*zip(rows, labels, strict=True)]
    without = [plain([row for row, label in pairs if label != g]) for g in range(8)]
    np.testing.assert_allclose(
        estimate.influences, jackknife_influences(np.array(without)), atol=1e-12
    )


def test_order_of_texts_and_numbering_do_not_matter():
    rng = np.random.default_rng(1)
    rows = [rng.integers(0, 50, 30) ** 2 // 60 for _ in range(30)]
    keys = rng.integers(0, 2**62, 30).astype(np.uint64)
    order, names = rng.permutation(30), rng.permutation(500)
    ahead = MeasuredSample("model", deal_texts(keys), tokens=TokenTable.of(rows, 50))
    mixed = TokenTable.of([names[rows[i]] for i in order], 500)
    shuffled = MeasuredSample("model", deal_texts(keys[order]), tokens=mixed)
    a, b = ZIPF.estimate(ahead, ahead), ZIPF.estimate(shuffled, shuffled)
    assert a.value == b.value
    np.testing.assert_array_equal(a.influences, b.influences)


def test_a_group_without_texts_has_no_influence():
    rows, labels = [[0, 1, 1]] * 6 + [[0, 0, 2]] * 6, np.repeat([0, 1, 3, 4], 3)
    estimate = ZIPF.estimate(_sample(rows, labels), _sample(rows, labels))
    assert estimate.influences[2] == 0
    assert estimate.influences[0] != 0


def test_standard_error_is_not_too_small():
    """Guards against an interval of too few or too many groups.

    The jackknife's standard error is between 1.0 and 1.4 times the true one here; the mean of
    40 is estimated to 3 %, the standard deviation of 40 values to 11 %. A ratio outside
    [0.7, 2] is 4 standard deviations away: a false alarm in 10,000 runs.
    """
    rng = np.random.default_rng(3)
    estimates = []
    for _ in range(40):
        rows = [rng.zipf(1.4, 40) % 3000 for _ in range(100)]
        rows = [np.tile(row[:4], 10) if rng.random() < 0.3 else row for row in rows]
        sample = _sample(rows, np.arange(100) % 50, 3000)
        estimates.append(ZIPF.estimate(sample, sample))
    spread = np.std([e.value for e in estimates], ddof=1)
    assert 0.7 < np.mean([e.standard_error for e in estimates]) / spread < 2


def test_too_few_types():
    with pytest.raises(InvalidParameterError, match=r"at least 2 types .* Got 1 instead"):
        zipf_coefficient(np.array([0, 9, 0]))
    for rows in ([[4]] * 12, [[]] * 12, [[4, 4]] * 11 + [[4, 5]]):
        sample = _sample(rows, np.arange(12), name="loops")
        with pytest.raises(InvalidParameterError, match="Zipf coefficient of 'loops'"):
            ZIPF.estimate(sample, sample)
