"""Spearman's correlation: another library, all permutations, and the coverage of its interval."""

import numpy as np
import pytest
import scipy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mauve.errors import InvalidParameterError
from mauve.inference.rank_correlation import (
    draws_from_intervals,
    rank_correlation,
    spearman,
    spearman_p_value,
)

# Table 6 of the paper: MAUVE and how human-like, for 8 settings of GPT-2.
MAUVE = [0.589, 0.878, 0.373, 0.915, 0.845, 0.936, 0.882, 0.940]
HUMAN = [-27.52, -15.78, -30.77, -3.43, -6.93, 12.55, 8.97, 15.66]


def test_it_is_that_of_the_paper():
    assert round(rank_correlation(MAUVE, HUMAN).rho, 3) == 0.952


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=12),
)
@settings(max_examples=50, deadline=None)
def test_ties_are_as_in_scipy(pairs):
    x, y = np.array(pairs, dtype=float).T
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    assert_allclose(spearman(x, y), scipy.stats.spearmanr(x, y).statistic, atol=1e-12)


def test_exact_p_value_is_that_of_scipys_permutations():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 6))
    exact = scipy.stats.permutation_test(
        (x,), lambda order: spearman(order, y), permutation_type="pairings", vectorized=False
    )
    assert_allclose(spearman_p_value(x, y), exact.pvalue)


def test_p_value_of_many_settings_is_scipys():
    x, y = np.random.default_rng(1).normal(size=(2, 20))
    assert_allclose(spearman_p_value(x, y), scipy.stats.spearmanr(x, y).pvalue)


def test_an_increasing_transformation_changes_nothing():
    assert rank_correlation(np.exp(MAUVE), HUMAN) == rank_correlation(MAUVE, HUMAN)


def test_the_order_of_the_measures_changes_only_the_draws():
    one, other = rank_correlation(MAUVE, HUMAN), rank_correlation(HUMAN, MAUVE)
    assert (one.rho, one.p_value, one.interval) == (other.rho, other.p_value, other.interval)


def test_errors_of_either_side_widen_the_interval():
    x, y = np.random.default_rng(4).multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], size=12).T
    noise = np.random.default_rng(0).normal(size=(1000, 12))
    exact = rank_correlation(x, y)
    for draws in ({"first_draws": x + 0.5 * noise}, {"second_draws": y + 0.5 * noise}):
        noisy = rank_correlation(x, y, **draws)
        assert noisy.rho == exact.rho
        assert noisy.interval[0] <= exact.interval[0]
        assert noisy.interval[1] >= exact.interval[1]
        assert np.ptp(noisy.interval) > np.ptp(exact.interval) + 0.01


def test_perfect_agreement_of_few_settings_is_not_certain():
    correlation = rank_correlation([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    low, high = correlation.interval
    assert correlation.rho == high == 1
    assert low < 0.9
    mirrored = rank_correlation([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])
    assert_allclose(mirrored.interval, (-high, -low))


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_intervals_cover_the_correlation_of_the_true_values(noise):
    """12 settings of a normal distribution with correlation .6, observed with errors.

    150 cases at 95%: fewer than 130 hold the truth with a probability below 1e-4.
    """
    rng = np.random.default_rng(3)
    truth, hits = 6 / np.pi * np.arcsin(0.6 / 2), 0
    for case in range(150):
        x, y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=12).T
        x, y = (values + noise * rng.normal(size=12) for values in (x, y))
        draws = [values + noise * rng.normal(size=(400, 12)) for values in (x, y)]
        low, high = rank_correlation(
            x, y, first_draws=draws[0], second_draws=draws[1], n_bootstrap=400, seed=case
        ).interval
        hits += low <= truth <= high
    assert hits >= 130


def test_draws_have_the_intervals_they_are_made_from():
    draws = draws_from_intervals([0.9, 0.2], [(0.7, 0.95), (0.1, 0.3)], n_draws=20000)
    # The s.d. of a quantile near the ends is about 0.3% of the interval.
    assert_allclose(np.quantile(draws, 0.025, axis=0), [0.7, 0.1], atol=0.01)
    assert_allclose(np.quantile(draws, 0.975, axis=0), [0.95, 0.3], atol=0.01)
    assert_allclose((draws < [0.9, 0.2]).mean(axis=0), 0.5, atol=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2, 3], [1, 2, 3]), "at least 4 values"),
        (([1, 2, 3, 4], [1, 2, 3, 4, 5]), "as many values as 'first', 4"),
        (([1, 2, 3, np.nan], [1, 2, 3, 4]), "finite values"),
        (([1, 1, 1, 1], [1, 2, 3, 4]), "values of which some differ"),
    ],
)
def test_what_has_no_ranks_is_refused(arguments, message):
    with pytest.raises(InvalidParameterError, match=message):
        rank_correlation(*arguments)


def test_draws_that_do_not_fit_are_refused():
    with pytest.raises(InvalidParameterError, match=r"shape \(n_draws, 8\)"):
        rank_correlation(MAUVE, HUMAN, first_draws=[[1, 2]])
    with pytest.raises(InvalidParameterError, match="draws in which settings differ"):
        rank_correlation(MAUVE, HUMAN, first_draws=np.ones((3, 8)))
    with pytest.raises(InvalidParameterError, match="hold their values; value 1 is"):
        draws_from_intervals([0.9, 0.2], [(0.7, 0.95), (0.3, 0.4)])
