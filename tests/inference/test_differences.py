"""Differences of two scores: intervals, p-values and their correction."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from mauve.frontier.score import deviance_of
from mauve.inference.differences import Influence, ScorePair, correlation, holm, share_of_model

SCORES = st.floats(0.02, 1)
ERRORS = st.floats(1e-3, 0.5)
LEVELS = st.floats(0.5, 0.999)


def consistent(pair):
    """Whether p < 0.05 just where the 95% interval leaves out zero, but for rounding."""
    low, high = pair.limits(0.95)
    p_value = pair.p_value()
    near = abs(p_value - 0.05) < 1e-4 or min(abs(low), abs(high)) < 1e-4
    return near or (p_value < 0.05) == (not low <= 0 <= high)


class TestScorePair:
    @given(st.tuples(SCORES, SCORES), st.tuples(ERRORS, ERRORS), st.floats(-1, 1))
    @settings(deadline=None)
    def test_p_value_agrees_with_the_interval(self, score, error, correlation):
        assert consistent(ScorePair(score, error, correlation))

    @pytest.mark.parametrize(
        ("score", "error", "correlation"),
        [
            ((0.81, 0.85), (0.11, 0.03), 0.99),
            ((0.956516, 0.475766), (0.076015, 0.410091), 0.5),
            ((0.979188, 0.999188), (0.120846, 0.032669), 0.3),
        ],
    )
    def test_p_value_agrees_with_an_interval_that_shrinks_again(self, score, error, correlation):
        """Cut off at 1, the reach of one score stops growing while that of the other goes on."""
        assert consistent(ScorePair(score, error, correlation))

    def test_scores_that_differ_in_the_last_bit_have_a_p_value_of_one(self):
        pair = ScorePair((0.13194467266426874, 0.1319446726642687), (0.0004, 0.02), 0.5)
        assert_allclose(pair.p_value(), 1, atol=1e-6)

    @given(st.tuples(SCORES, SCORES), st.tuples(ERRORS, ERRORS), st.floats(-1, 1), LEVELS)
    @settings(deadline=None)
    def test_swapping_the_systems_changes_the_sign(self, score, error, correlation, level):
        pair = ScorePair(score, error, correlation)
        swapped = ScorePair(score[::-1], error[::-1], correlation)
        low, high = pair.limits(level)
        assert_allclose(swapped.limits(level), (-high, -low), atol=1e-12)
        assert pair.difference == -swapped.difference

    @given(st.tuples(SCORES, SCORES), st.tuples(ERRORS, ERRORS), st.floats(-1, 1))
    @settings(deadline=None, max_examples=30)
    def test_p_values_do_not_depend_on_who_is_first(self, score, error, correlation):
        assume(abs(score[0] - score[1]) > 1e-9)
        pair = ScorePair(score, error, correlation)
        swapped = ScorePair(score[::-1], error[::-1], correlation)
        assert_allclose(pair.p_value(), swapped.p_value(), rtol=1e-6, atol=1e-11)
        assert_allclose(
            pair.equivalence_p_value(0.1), swapped.equivalence_p_value(0.1), rtol=1e-6, atol=1e-11
        )

    @given(st.tuples(SCORES, SCORES), st.tuples(ERRORS, ERRORS), st.floats(-1, 1), LEVELS)
    @settings(deadline=None)
    def test_limits_contain_the_difference(self, score, error, correlation, level):
        pair = ScorePair(score, error, correlation)
        low, high = pair.limits(level)
        assert low - 1e-12 <= pair.difference <= high + 1e-12

    @given(st.tuples(SCORES, SCORES), st.tuples(ERRORS, ERRORS), st.floats(0.01, 0.5))
    @settings(deadline=None)
    def test_equivalence_agrees_with_the_90_percent_interval(self, score, error, margin):
        """Two one-sided tests at 5% reject where the 90% interval lies within the margin."""
        pair = ScorePair(score, error, 0.0)
        low, high = pair.limits(0.9)
        p_value = pair.equivalence_p_value(margin)
        assume(abs(p_value - 0.05) > 1e-6)
        assert (p_value < 0.05) == (-margin < low and high < margin)

    def test_equal_scores_have_a_p_value_of_one(self):
        assert ScorePair((0.8, 0.8), (0.05, 0.02), 0.5).p_value() == 1

    def test_a_difference_beyond_the_margin_is_no_equivalence(self):
        assert ScorePair((0.9, 0.5), (0.05, 0.05), 0.0).equivalence_p_value(0.1) == 1

    def test_small_errors_give_the_normal_test(self):
        """Far from 1 and for small errors both intervals are symmetric: a plain z test."""
        pair = ScorePair((0.52, 0.5), (0.01, 0.01), 0.3)
        slope = 2 * 0.51 * deviance_of(0.51)  # d score / d deviance
        z = 0.02 / (slope * 0.01 * np.sqrt(2 * (1 - 0.3)))
        assert_allclose(pair.p_value(), 2 * norm.sf(z), rtol=0.05)

    def test_correlation_narrows_the_interval(self):
        widths = []
        for shared in (0.0, 0.4, 0.8):
            low, high = ScorePair((0.8, 0.7), (0.05, 0.05), shared).limits(0.95)
            widths.append(high - low)
        assert widths[0] > widths[1] > widths[2]


class TestHolm:
    def test_hand_values(self):
        assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
        assert_allclose(holm([0.2]), [0.2])
        assert_allclose(holm([0.6, 0.5]), [1, 1])
        assert_allclose(holm([0.02, 0.02, 0.001, 0.5]), [0.06, 0.06, 0.004, 0.5])
        assert holm([]) == []

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
    def test_lies_between_the_value_and_bonferroni_and_keeps_the_order(self, values):
        adjusted = holm(values)
        for value, new in zip(values, adjusted, strict=True):
            assert value <= new <= min(1.0, value * len(values))
        order = np.argsort(values, kind="stable")
        assert np.all(np.diff(np.array(adjusted)[order]) >= 0)

    @given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.randoms(use_true_random=False))
    def test_does_not_depend_on_the_order(self, values, random):
        order = list(range(len(values)))
        random.shuffle(order)
        assert_array_equal(holm([values[i] for i in order]), np.array(holm(values))[order])


def influence_of(human, model, *, hashes=None, prompts=None, by_clustering=(0, 0)):
    """Influences of texts with these hashes, by default their positions."""
    n = len(human) + len(model)
    return Influence.sorted_by_content(
        np.array([*human, *model], dtype=float),
        np.arange(n) < len(human),
        np.arange(n, dtype=np.uint64) if hashes is None else np.array(hashes, dtype=np.uint64),
        None if prompts is None else np.array(prompts, dtype=np.uint64),
        np.array(by_clustering, dtype=float),
    )


class TestInfluence:
    def test_does_not_depend_on_the_order_of_texts(self):
        influence = influence_of([1, 2], [3, 4], hashes=[7, 5, 2, 9])
        reordered = influence_of([2, 1], [4, 3], hashes=[5, 7, 9, 2])
        assert influence.human.tolist() == reordered.human.tolist() == [2, 1]
        assert influence.model.tolist() == reordered.model.tolist() == [3, 4]
        assert influence.human_hash == reordered.human_hash

    def test_other_human_texts_have_another_hash(self):
        hashes = [influence_of([1, 2], [3], hashes=[first, 5, 2]).human_hash for first in (7, 8)]
        assert hashes[0] != hashes[1]

    def test_prompts_follow_their_texts(self):
        influence = influence_of([1, 2], [3, 4], hashes=[7, 5, 9, 2], prompts=[10, 11, 12, 13])
        assert influence.human_prompt.tolist() == [11, 10]
        assert influence.model_prompt.tolist() == [13, 12]


class TestCorrelation:
    def test_equal_influences_of_human_texts_alone_are_fully_correlated(self):
        first, second = (influence_of([1, -1, 2, -2], [0, 0]) for _ in range(2))
        assert_allclose(correlation(first, second), 1)

    def test_only_shared_texts_count(self):
        """Human squares 4 of 4 + 4 each: a correlation of one half."""
        first = influence_of([1, -1, 1, -1], [1, -1, 1, -1])
        second = influence_of([1, -1, 1, -1], [-1, 1, -1, 1])
        assert_allclose(correlation(first, second), 0.5)

    def test_model_texts_count_where_both_systems_answer_the_same_prompts(self):
        """Sums over the prompts are 2, -2, 2, -2 and 2, 0, 0, -2."""
        prompts = [1, 2, 3, 4] * 2
        first = influence_of([1, -1, 1, -1], [1, -1, 1, -1], prompts=prompts)
        second = influence_of([1, -1, 1, -1], [1, 1, -1, -1], prompts=prompts)
        assert_allclose(correlation(first, second), 8 / np.sqrt(16 * 8))

    def test_clusterings_count_as_pairs(self):
        """Squares of clusterings add up to 10 for each, their products to 0."""
        human, of_none = [1, -1, 1, -1], [0, 0]
        first = influence_of(human, of_none, by_clustering=[2, -2, 1, -1])
        second = influence_of(human, of_none, by_clustering=[1, -1, -2, 2])
        human_part = 4 * 8 / 7  # four human texts and four of the systems
        assert_allclose(correlation(first, first), 1)
        assert_allclose(correlation(first, second), human_part / (human_part + 10))

    def test_clusterings_of_other_numbers_are_not_paired(self):
        human, of_none = [1, -1, 1, -1], [0, 0]
        first = influence_of(human, of_none, by_clustering=[2, -2])
        second = influence_of(human, of_none, by_clustering=[2, -2, 0])
        human_part = 4 * 8 / 7  # four human texts and four of the systems
        assert_allclose(correlation(first, second), human_part / (human_part + 8))

    def test_is_zero_for_other_human_texts(self):
        first = influence_of([1, -1], [1, -1], hashes=[1, 2, 3, 4])
        second = influence_of([1, -1], [1, -1], hashes=[1, 5, 3, 4])
        assert correlation(first, second) == 0

    def test_is_zero_without_any_influence(self):
        first, second = influence_of([0, 0], [0, 0]), influence_of([1, -1], [1, -1])
        assert correlation(first, second) == 0


class TestShareOfModel:
    def test_hand_values(self):
        assert share_of_model(influence_of([1, -1], [3, -3])) == 18 / 20
        assert share_of_model(influence_of([1, -1], [0, 0])) == 0

    def test_is_one_half_without_any_influence(self):
        assert share_of_model(influence_of([0, 0], [0, 0])) == 0.5
