"""Influences, intervals and tests: exact where possible, else simulated with stated odds."""

import numpy as np
import pytest
from drawn_pairs import draw_pair
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from mauve.frontier.curve import area, curve_area
from mauve.frontier.divergences import Divergences
from mauve.frontier.estimators import jackknife_terms
from mauve.frontier.grid import curve_grid, quadrature_grid
from mauve.frontier.score import deviance_of, mean_divergences, score_of
from mauve.inference.intervals import (
    clustering_deviances,
    covariance,
    deviance_influences,
    difference_interval,
    equivalence_to_one,
    normal_quantile,
    score_error,
    score_interval,
    texts_needed,
)
from mauve.inference.resampling import LabelledPair

GRID = quadrature_grid()
SCORES = st.floats(0.02, 1)
ERRORS = st.floats(1e-3, 0.5)
LEVELS = st.floats(0.5, 0.999)


def jackknife_score(pair):
    return score_of(mean_divergences(*pair.counts(), curve_grid(), "jackknife"), 5.0).item()


def deviances_of(pair, estimator):
    learnt = 1 - float(pair.counted.mean())
    return clustering_deviances(*pair.counts(), learnt, estimator, 5.0)


class TestDevianceInfluences:
    @pytest.mark.parametrize("counted_share", [1.0, 0.6])
    def test_influences_of_either_sample_add_up_to_zero(self, counted_share):
        rng = np.random.default_rng(0)
        p, q = rng.dirichlet(np.ones(6), size=2)
        pair = draw_pair(rng, p, q, 80, 120, n_clusterings=4, counted_share=counted_share)
        influences = deviance_influences(pair, 5.0)
        scale = np.abs(influences).sum()
        assert abs(influences[:80].sum()) < 1e-10 * scale
        assert abs(influences[80:].sum()) < 1e-10 * scale

    @pytest.mark.slow
    def test_agrees_with_leaving_each_text_out(self):
        """Brute force: recount without the text, renormalise, order-2 jackknife, derivative.

        The derivative of the deviance along the change of the divergences is taken by central
        differences at the plug-in curve, on the fine grid. Renormalising shifts all texts
        of a sample alike up to 1/n, so the comparison is after centring and within 5%.
        """
        rng = np.random.default_rng(1)
        p, q = rng.dirichlet(np.ones(5), size=2)
        n_p, n_q, n_clusterings = 150, 100, 3
        pair = draw_pair(rng, p, q, n_p, n_q, n_clusterings=n_clusterings)
        p_counts, q_counts = pair.counts()
        plugin = mean_divergences(p_counts, q_counts, GRID, "plugin")

        def jackknife(a, b):
            return jackknife_terms(a, b, a.sum(), b.sum(), GRID, 2).sum(axis=0)

        def deviance(divergences):
            return float(deviance_of(curve_area(divergences, GRID, 5.0)))

        def change(text):
            total = Divergences(*(np.zeros(len(GRID.weight_p)) for _ in range(3)))
            for labels, a, b in zip(pair.labels, p_counts, q_counts, strict=True):
                bucket = np.eye(5, dtype=int)[labels[text]]
                without = (a - bucket, b) if pair.is_human[text] else (a, b - bucket)
                total = total + (jackknife(a, b) - jackknife(*without))
            return (1 / n_clusterings) * total

        brute = np.array(
            [
                (deviance(plugin + 1e-4 * change(i)) - deviance(plugin - 1e-4 * change(i))) / 2e-4
                for i in range(n_p + n_q)
            ]
        )
        brute[:n_p] -= brute[:n_p].mean()
        brute[n_p:] -= brute[n_p:].mean()
        influences = deviance_influences(pair, 5.0)
        assert_allclose(influences, brute, atol=0.05 * np.abs(brute).max())
        assert np.corrcoef(influences, brute)[0, 1] > 0.999

    def test_a_text_that_is_not_counted_has_no_influence(self):
        rng = np.random.default_rng(2)
        pair = draw_pair(rng, [0.2, 0.8], [0.6, 0.4], 50, 50, counted_share=0.5)
        influences = deviance_influences(pair, 5.0)
        assert np.all(influences[~pair.counted[0]] == 0)
        assert np.all(influences[pair.counted[0]] != 0)

    def test_equal_histograms_have_no_influence(self):
        pair = draw_pair(np.random.default_rng(3), [0.5, 0.5], [0.5, 0.5], 20, 20)
        mirrored = LabelledPair(
            labels=np.tile(pair.labels[:, :20], 2),
            counted=pair.counted,
            is_human=pair.is_human,
            blocks=pair.blocks,
            groups=pair.groups,
            num_buckets=2,
        )
        assert_array_equal(deviance_influences(mirrored, 5.0), 0)

    @pytest.mark.slow
    def test_spread_is_the_one_of_repeated_samples(self):
        """200 pairs of 300 texts each: the s.d. of their deviances against the mean estimate.

        The s.d. of 200 values has a relative standard error of 5%, so 25% is five of them.
        """
        rng = np.random.default_rng(4)
        p, q = np.full(8, 1 / 8), np.array([2, 2, 1, 1, 1, 1, 0.5, 0.5]) / 9
        deviances, errors = [], []
        for _ in range(200):
            pair = draw_pair(rng, p, q, 300, 300)
            deviances.append(float(deviance_of(jackknife_score(pair))))
            influence = deviance_influences(pair, 5.0)
            errors.append(np.sqrt(covariance(influence, influence, pair.groups)))
        assert_allclose(np.mean(errors), np.std(deviances), rtol=0.25)


class TestClusteringDeviances:
    @staticmethod
    def pair(n_clusterings, counted_share, seed=0):
        rng = np.random.default_rng(seed)
        p, q = rng.dirichlet(np.full(6, 2.0), size=2)
        return draw_pair(
            rng, p, q, 200, 300, n_clusterings=n_clusterings, counted_share=counted_share
        )

    def test_are_deviations_from_their_mean(self):
        deviances = deviances_of(self.pair(7, 0.8), "jackknife")
        assert deviances.shape == (7,)
        assert abs(deviances.sum()) < 1e-12
        assert np.all(deviances != 0)

    def test_are_zero_for_clusterings_that_agree(self):
        one = self.pair(1, 1.0)
        same = LabelledPair(
            np.repeat(one.labels, 5, axis=0), np.repeat(one.counted, 5, axis=0),
            one.is_human, one.blocks, one.groups, one.num_buckets,
        )  # fmt: skip
        assert_allclose(deviances_of(same, "jackknife"), 0, atol=1e-12)
        assert_array_equal(deviances_of(one, "jackknife"), [0])

    def test_squares_add_up_to_the_variance_of_the_mean_if_all_texts_are_counted(self):
        """To first order: deviances of the clusterings, each on its own, by the score."""
        pair = self.pair(12, 1.0)
        alone = []
        for i in range(12):
            counts = (of_sample[i : i + 1] for of_sample in pair.counts())
            divergences = mean_divergences(*counts, curve_grid(), "jackknife")
            alone.append(deviance_of(score_of(divergences, 5.0)).item())
        deviances = deviances_of(pair, "jackknife")
        assert_allclose(deviances @ deviances, np.var(alone, ddof=1) / 12, rtol=0.2)
        assert np.corrcoef(alone, deviances)[0, 1] > 0.98

    def test_a_larger_share_that_is_learnt_from_adds_variance(self):
        """Clusterings that learn from most of the texts learn from the same ones."""
        few, many = (
            np.square(deviances_of(self.pair(40, share), "plugin")).sum() for share in (0.95, 0.5)
        )
        assert many > few

    def test_no_counted_text_makes_no_infinity(self):
        pair = self.pair(3, 0.02)
        assert np.isfinite(deviances_of(pair, "plugin")).all()


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
        # Deviance 1 at a score of 1/e; 1.96 · 0.1 to either side.
        low, high = score_interval(np.exp(-1), 0.1, 0.95)
        reach = norm.ppf(0.975) * 0.1
        assert_allclose([low, high], np.exp([-((1 + reach) ** 2), -((1 - reach) ** 2)]))

    def test_no_error_no_width(self):
        assert_allclose(score_interval(0.7, 0.0, 0.95), (0.7, 0.7))

    @pytest.mark.slow
    def test_covers_the_truth_as_often_as_it_says(self):
        """400 pairs of 250 texts each in 10 buckets, 95% intervals: at least 360 cover.

        At a coverage of 0.95 the probability of fewer is 1.4e-5; at one of 0.85 it is 0.997,
        so this fails where intervals are clearly too short.
        """
        rng = np.random.default_rng(5)
        p, q = rng.dirichlet(np.full(10, 3.0), size=2)
        truth, covered = float(area(p, q)), 0
        for _ in range(400):
            pair = draw_pair(rng, p, q, 250, 250)
            influence = deviance_influences(pair, 5.0)
            error = np.sqrt(covariance(influence, influence, pair.groups))
            low, high = score_interval(jackknife_score(pair), error, 0.95)
            covered += low <= truth <= high
        assert covered >= 360


class TestScoreError:
    def test_is_the_lower_half_of_an_interval_of_one_standard_error(self):
        low, _ = score_interval(0.7, 0.05, 1 - 2 * norm.sf(1))
        assert_allclose(score_error(0.7, 0.05), 0.7 - low)

    def test_a_score_of_one_has_an_error(self):
        assert_allclose(score_error(1.0, 0.1), 1 - np.exp(-0.01))

    def test_no_error_of_the_deviance_no_error_of_the_score(self):
        assert_allclose(score_error(0.7, 0.0), 0, atol=1e-15)


class TestDifferenceInterval:
    @given(
        st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1), st.floats(0.01, 1), st.floats(-1, 1)
    )
    @settings(deadline=None)
    def test_symmetric_intervals_give_the_normal_one(self, x, y, reach_x, reach_y, correlation):
        low, high = difference_interval(
            (x, y), (x - reach_x, y - reach_y), (x + reach_x, y + reach_y), correlation
        )
        square = reach_x**2 + reach_y**2 - 2 * correlation * reach_x * reach_y
        # The root of a square near zero loses half of its digits.
        assert_allclose(high - (x - y), np.sqrt(max(square, 0)), atol=1e-7)
        assert_allclose((x - y) - low, np.sqrt(max(square, 0)), atol=1e-7)

    def test_skewed_intervals_by_hand(self):
        # 0.3 below the first and 0.4 above the second, then 0.12 and 0.05.
        low, high = difference_interval((0.9, 0.5), (0.6, 0.45), (1.02, 0.9), 0.0)
        assert_allclose([low, high], [0.4 - 0.5, 0.4 + 0.13])

    def test_arrays_give_one_interval_each(self):
        lower, upper = np.array([0.6, 0.7]), np.array([0.9, 0.8])
        low, high = difference_interval((0.75, 0.5), (lower, 0.4), (upper, 0.6), 0.3)
        for i in range(2):
            single = difference_interval((0.75, 0.5), (lower[i], 0.4), (upper[i], 0.6), 0.3)
            assert_array_equal((low[i], high[i]), single)

    def test_an_infinite_value_has_no_width(self):
        infinite = float("inf")
        low, high = difference_interval((infinite, 2.0), (infinite, 1.0), (infinite, 3.0), 0.0)
        assert low == high == infinite


def test_normal_quantile_leaves_out_both_tails():
    for confidence in (0.5, 0.9, 0.999):
        assert_allclose(2 * norm.sf(normal_quantile(confidence)), 1 - confidence, rtol=1e-10)


class TestTextsNeeded:
    def test_formula(self):
        z = norm.ppf(0.975) + norm.ppf(0.9)
        expected = np.ceil(500 * (z * 0.03 / 0.05) ** 2)
        assert texts_needed(500, 0.03, 0.05, power=0.9, confidence=0.95) == expected

    def test_half_the_difference_needs_four_times_the_texts(self):
        n = texts_needed(1000, 0.02, 0.02, power=0.8, confidence=0.95)
        assert abs(texts_needed(1000, 0.02, 0.01, power=0.8, confidence=0.95) - 4 * n) <= 4

    def test_does_not_depend_on_the_sample_behind_the_error(self):
        """Four times the texts have half the error: the same answer."""
        n = texts_needed(1000, 0.02, 0.02, power=0.8, confidence=0.95)
        assert texts_needed(4000, 0.01, 0.02, power=0.8, confidence=0.95) == n

    def test_a_sample_of_that_size_has_the_power(self):
        n = texts_needed(1000, 0.02, 0.02, power=0.8, confidence=0.95)
        error = 0.02 * np.sqrt(1000 / n)
        assert_allclose(norm.sf(norm.ppf(0.975) - 0.02 / error), 0.8, atol=1e-3)

    def test_at_least_two(self):
        assert texts_needed(1000, 0.0, 0.5, power=0.8, confidence=0.95) == 2


class TestEquivalenceToOne:
    def test_hand_value(self):
        # Score 1, margin 1 - exp(-0.04): the deviance may be 0.2, which is two standard errors.
        assert_allclose(equivalence_to_one(1.0, 0.1, 1 - np.exp(-0.04)), norm.sf(2), rtol=1e-10)

    def test_half_at_the_margin_and_more_beyond(self):
        assert_allclose(equivalence_to_one(0.9, 0.05, margin=0.1), 0.5)
        assert equivalence_to_one(0.8, 0.05, margin=0.1) > 0.5

    def test_without_an_error_it_is_decided(self):
        assert equivalence_to_one(0.95, 0.0, margin=0.1) == 0
        assert equivalence_to_one(0.85, 0.0, margin=0.1) == 1
