"""Intervals and tests: exact where they can be, simulated with stated odds where not."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, norm

from mauve.frontier.curve import Divergences, area, curve_area
from mauve.frontier.estimators import jackknife_cells
from mauve.frontier.grid import curve_grid, quadrature_grid
from mauve.frontier.score import gap_of, mean_divergences, score_of
from mauve.inference.differences import ScorePair, holm
from mauve.inference.intervals import (
    covariance,
    equivalence_to_one,
    gap_influences,
    score_interval,
    texts_needed,
)
from mauve.inference.resampling import (
    LabelledPair,
    NullScores,
    bootstrap_gaps,
    permutation_scores,
)

GRID = quadrature_grid()
SCORES = st.floats(0.02, 1)
ERRORS = st.floats(1e-3, 0.5)
LEVELS = st.floats(0.5, 0.999)


def make_pair(rng, p, q, n_p, n_q, *, n_clusterings=1, counted_share=1.0):
    """Texts that fall into cells by the probabilities `p` and `q`, without prompts."""
    k, n = len(p), n_p + n_q
    labels = np.concatenate(
        [
            rng.choice(k, p=p, size=(n_clusterings, n_p)),
            rng.choice(k, p=q, size=(n_clusterings, n_q)),
        ],
        axis=1,
    )
    return LabelledPair(
        labels=labels.astype(np.int32),
        counted=rng.random((n_clusterings, n)) < counted_share,
        is_human=np.arange(n) < n_p,
        blocks=np.zeros(n, dtype=np.int64),
        groups=np.arange(n),
        n_buckets=k,
    )


def jackknife_score(pair):
    return score_of(mean_divergences(*pair.counts(), curve_grid(), "jackknife"), 5.0).item()


class TestGapInfluences:
    @pytest.mark.parametrize("counted_share", [1.0, 0.6])
    def test_influences_of_either_side_add_up_to_zero(self, counted_share):
        rng = np.random.default_rng(0)
        p, q = rng.dirichlet(np.ones(6), size=2)
        pair = make_pair(rng, p, q, 80, 120, n_clusterings=4, counted_share=counted_share)
        found = gap_influences(pair, 5.0)
        scale = np.abs(found).sum()
        assert abs(found[:80].sum()) < 1e-10 * scale
        assert abs(found[80:].sum()) < 1e-10 * scale

    def test_agrees_with_leaving_each_text_out(self):
        """Brute force: recount without the text, renormalise, order-2 jackknife, derivative.

        The derivative of the gap along the change of the divergences is taken by central
        differences at the plug-in curve, on the fine grid. Renormalising shifts all texts
        of a side alike up to 1/n, so the comparison is after centring and within 5%.
        """
        rng = np.random.default_rng(1)
        p, q = rng.dirichlet(np.ones(5), size=2)
        n_p, n_q, n_clusterings = 150, 100, 3
        pair = make_pair(rng, p, q, n_p, n_q, n_clusterings=n_clusterings)
        p_counts, q_counts = pair.counts()
        plugin = mean_divergences(p_counts, q_counts, GRID, "plugin")

        def jackknife(a, b):
            return jackknife_cells(a, b, a.sum(), b.sum(), GRID, 2).sum(axis=0)

        def gap(divergences):
            return float(gap_of(curve_area(divergences, GRID, 5.0)))

        def change(text):
            total = Divergences(*(np.zeros(len(GRID.weight_p)) for _ in range(3)))
            for labels, a, b in zip(pair.labels, p_counts, q_counts, strict=True):
                one = np.eye(5, dtype=int)[labels[text]]
                without = (a - one, b) if pair.is_human[text] else (a, b - one)
                total = total + (jackknife(a, b) - jackknife(*without))
            return (1 / n_clusterings) * total

        brute = np.array(
            [
                (gap(plugin + 1e-4 * change(i)) - gap(plugin - 1e-4 * change(i))) / 2e-4
                for i in range(n_p + n_q)
            ]
        )
        brute[:n_p] -= brute[:n_p].mean()
        brute[n_p:] -= brute[n_p:].mean()
        found = gap_influences(pair, 5.0)
        assert_allclose(found, brute, atol=0.05 * np.abs(brute).max())
        assert np.corrcoef(found, brute)[0, 1] > 0.999

    def test_a_text_that_is_not_counted_has_no_influence(self):
        rng = np.random.default_rng(2)
        pair = make_pair(rng, [0.2, 0.8], [0.6, 0.4], 50, 50, counted_share=0.5)
        found = gap_influences(pair, 5.0)
        assert np.all(found[~pair.counted[0]] == 0)
        assert np.all(found[pair.counted[0]] != 0)

    def test_equal_histograms_have_no_influence(self):
        pair = make_pair(np.random.default_rng(3), [0.5, 0.5], [0.5, 0.5], 20, 20)
        mirrored = LabelledPair(
            labels=np.tile(pair.labels[:, :20], 2),
            counted=pair.counted,
            is_human=pair.is_human,
            blocks=pair.blocks,
            groups=pair.groups,
            n_buckets=2,
        )
        assert_array_equal(gap_influences(mirrored, 5.0), 0)

    def test_spread_is_the_one_of_repeated_samples(self):
        """200 samples of 300 texts a side: the s.d. of their gaps against the mean estimate.

        The s.d. of 200 values has a relative standard error of 5%, so 25% is five of them.
        """
        rng = np.random.default_rng(4)
        p, q = np.full(8, 1 / 8), np.array([2, 2, 1, 1, 1, 1, 0.5, 0.5]) / 9
        gaps, errors = [], []
        for _ in range(200):
            pair = make_pair(rng, p, q, 300, 300)
            gaps.append(float(gap_of(jackknife_score(pair))))
            influence = gap_influences(pair, 5.0)
            errors.append(np.sqrt(covariance(influence, influence, pair.groups)))
        assert_allclose(np.mean(errors), np.std(gaps), rtol=0.25)


class TestCovariance:
    def test_groups_are_added_up_first(self):
        first, second = np.array([1.0, 2, 3, 4]), np.array([1.0, 0, -1, 0])
        # Sums 3 and 7 against 1 and -1, times 2/(2-1).
        assert covariance(first, second, np.array([0, 0, 5, 5])) == 2 * (3 - 7)

    def test_is_symmetric_and_bilinear(self):
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 30))
        groups = rng.integers(10, size=30)
        assert_allclose(covariance(a, b, groups), covariance(b, a, groups))
        assert_allclose(covariance(2 * a, b, groups), 2 * covariance(a, b, groups))


class TestPermutationTest:
    def test_hand_values(self):
        null = np.array([0.9, 0.8, 0.7, 0.6])
        assert NullScores(0.5, null, null).p_value == 1 / 5
        assert NullScores(0.7, null, null).p_value == 3 / 5
        assert NullScores(1.0, null, null).p_value == 1

    def test_far_pairs_get_the_least_p_value(self):
        pair = make_pair(np.random.default_rng(0), [1, 0], [0, 1], 30, 30)
        null = permutation_scores(pair, "jackknife", 5.0, 99, 0)
        assert null.p_value == 1 / 100

    def test_is_valid_if_p_equals_q(self):
        """300 pairs with P = Q: p ≤ 0.1 at most one time in ten.

        Bin(300, 0.1) exceeds the bound with a probability of 1e-5. Guards against a statistic
        that is not the one permuted, and against permutations that miss the observed one.
        """
        rng = np.random.default_rng(1)
        p = np.array([0.4, 0.3, 0.2, 0.1])
        values = []
        for seed in range(300):
            pair = make_pair(rng, p, p, 12, 15, n_clusterings=2)
            values.append(permutation_scores(pair, "plugin", 5.0, 19, seed).p_value)
        values = np.array(values)
        assert np.sum(values <= 0.1) <= binom.isf(1e-5, 300, 0.1)
        assert np.sum(values <= 0.05) <= binom.isf(1e-5, 300, 0.05)
        assert np.sum(values <= 0.5) >= binom.ppf(1e-5, 300, 0.25)  # and not always near one

    def test_number_of_draws_and_seed_are_kept(self):
        pair = make_pair(np.random.default_rng(2), [0.5, 0.5], [0.3, 0.7], 20, 20)
        one, two = (permutation_scores(pair, "jackknife", 5.0, 120, 7) for _ in range(2))
        assert one.plugin.shape == one.score.shape == (120,)
        assert_array_equal(one.plugin, two.plugin)
        assert_array_equal(one.score, two.score)
        # Draws come in batches with generators of their own: fewer draws are a prefix.
        few = permutation_scores(pair, "jackknife", 5.0, 60, 7)
        assert_array_equal(few.plugin[:50], one.plugin[:50])
        assert np.any(permutation_scores(pair, "jackknife", 5.0, 120, 8).plugin != one.plugin)

    def test_null_scores_lie_in_the_unit_interval(self):
        pair = make_pair(np.random.default_rng(3), [0.5, 0.5], [0.1, 0.9], 15, 25)
        null = permutation_scores(pair, "jackknife", 5.0, 50, 0)
        for scores in (null.plugin, null.score):
            assert 0 < scores.min() <= scores.max() <= 1


class TestBootstrap:
    def test_gaps_are_reproducible_and_spread_as_the_influences_say(self):
        """200 bootstrap gaps: their s.d. has a relative standard error of 5%."""
        rng = np.random.default_rng(0)
        p, q = rng.dirichlet(np.full(6, 3.0), size=2)
        pair = make_pair(rng, p, q, 300, 300)
        gaps = bootstrap_gaps(pair, "jackknife", 5.0, 200, 0)
        assert_array_equal(gaps, bootstrap_gaps(pair, "jackknife", 5.0, 200, 0))
        influence = gap_influences(pair, 5.0)
        error = np.sqrt(covariance(influence, influence, pair.groups))
        assert_allclose(gaps.std(), error, rtol=0.35)


class TestScoreInterval:
    @given(SCORES, ERRORS, LEVELS)
    def test_contains_the_score_and_stays_in_the_unit_interval(self, score, error, confidence):
        low, high = score_interval(score, error, confidence)
        assert 0 < low <= score * (1 + 1e-12)
        assert score * (1 - 1e-12) <= high <= 1

    @given(SCORES, ERRORS, st.tuples(LEVELS, LEVELS))
    def test_shrinks_with_the_confidence(self, score, error, levels):
        small, large = sorted(levels)
        inner, outer = score_interval(score, error, small), score_interval(score, error, large)
        assert outer[0] <= inner[0]
        assert inner[1] <= outer[1]

    def test_hand_value(self):
        # Gap 1 at a score of 1/e; 1.96 · 0.1 to either side.
        low, high = score_interval(np.exp(-1), 0.1, 0.95)
        reach = norm.ppf(0.975) * 0.1
        assert_allclose([low, high], np.exp([-((1 + reach) ** 2), -((1 - reach) ** 2)]))

    def test_no_error_no_width(self):
        assert_allclose(score_interval(0.7, 0.0, 0.95), (0.7, 0.7))

    def test_covers_the_truth_as_often_as_it_says(self):
        """400 samples of 250 texts a side in 10 cells, 95% intervals: at least 360 cover.

        At a coverage of 0.95 the probability of fewer is 1.4e-5; at one of 0.85 it is 0.997,
        so this fails where intervals are clearly too short.
        """
        rng = np.random.default_rng(5)
        p, q = rng.dirichlet(np.full(10, 3.0), size=2)
        truth, covered = float(area(p, q)), 0
        for _ in range(400):
            pair = make_pair(rng, p, q, 250, 250)
            influence = gap_influences(pair, 5.0)
            error = np.sqrt(covariance(influence, influence, pair.groups))
            low, high = score_interval(jackknife_score(pair), error, 0.95)
            covered += low <= truth <= high
        assert covered >= 360


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
        one = ScorePair(score, error, correlation)
        other = ScorePair(score[::-1], error[::-1], correlation)
        low, high = one.limits(level)
        assert_allclose(other.limits(level), (-high, -low), atol=1e-12)
        assert one.difference == -other.difference

    @given(st.tuples(SCORES, SCORES), st.tuples(ERRORS, ERRORS), st.floats(-1, 1))
    @settings(deadline=None, max_examples=30)
    def test_p_values_do_not_depend_on_who_is_first(self, score, error, correlation):
        assume(abs(score[0] - score[1]) > 1e-9)
        one = ScorePair(score, error, correlation)
        other = ScorePair(score[::-1], error[::-1], correlation)
        assert_allclose(one.p_value(), other.p_value(), rtol=1e-6, atol=1e-11)
        assert_allclose(
            one.equivalence_p_value(0.1), other.equivalence_p_value(0.1), rtol=1e-6, atol=1e-11
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
        """Far from 1 and for small errors both intervals are even: a plain z test."""
        pair = ScorePair((0.52, 0.5), (0.01, 0.01), 0.3)
        slope = 2 * 0.51 * gap_of(0.51)  # d score / d gap
        z = 0.02 / (slope * 0.01 * np.sqrt(2 * (1 - 0.3)))
        assert_allclose(pair.p_value(), 2 * norm.sf(z), rtol=0.05)

    def test_correlation_narrows_the_interval(self):
        widths = []
        for correlation in (0.0, 0.4, 0.8):
            low, high = ScorePair((0.8, 0.7), (0.05, 0.05), correlation).limits(0.95)
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


class TestTextsNeeded:
    def test_formula(self):
        z = norm.ppf(0.975) + norm.ppf(0.9)
        expected = np.ceil(500 * (z * 0.03 / 0.05) ** 2)
        assert texts_needed(500, 0.03, 0.05, power=0.9, confidence=0.95) == expected

    def test_half_the_difference_needs_four_times_the_texts(self):
        one = texts_needed(1000, 0.02, 0.02, power=0.8, confidence=0.95)
        assert abs(texts_needed(1000, 0.02, 0.01, power=0.8, confidence=0.95) - 4 * one) <= 4

    def test_does_not_depend_on_the_sample_behind_the_error(self):
        """Four times the texts have half the error: the same answer."""
        one = texts_needed(1000, 0.02, 0.02, power=0.8, confidence=0.95)
        assert texts_needed(4000, 0.01, 0.02, power=0.8, confidence=0.95) == one

    def test_a_sample_of_that_size_has_the_power(self):
        n = texts_needed(1000, 0.02, 0.02, power=0.8, confidence=0.95)
        error = 0.02 * np.sqrt(1000 / n)
        assert_allclose(norm.sf(norm.ppf(0.975) - 0.02 / error), 0.8, atol=1e-3)

    def test_at_least_two(self):
        assert texts_needed(1000, 0.0, 0.5, power=0.8, confidence=0.95) == 2


class TestEquivalenceToOne:
    def test_hand_value(self):
        # Score 1, margin 1 - exp(-0.04): the gap may be 0.2, which is two standard errors.
        assert_allclose(equivalence_to_one(1.0, 0.1, 1 - np.exp(-0.04)), norm.sf(2), rtol=1e-10)

    def test_half_at_the_margin_and_more_beyond(self):
        assert_allclose(equivalence_to_one(0.9, 0.05, margin=0.1), 0.5)
        assert equivalence_to_one(0.8, 0.05, margin=0.1) > 0.5

    def test_without_an_error_it_is_decided(self):
        assert equivalence_to_one(0.95, 0.0, margin=0.1) == 0
        assert equivalence_to_one(0.85, 0.0, margin=0.1) == 1
