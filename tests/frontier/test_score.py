"""From counts of several clusterings to one score."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from random_histograms import count_pairs

from mauve.frontier.curve import area
from mauve.frontier.divergences import Divergences
from mauve.frontier.estimators import ESTIMATORS, estimate_divergences
from mauve.frontier.grid import RESAMPLING_POINTS, curve_grid
from mauve.frontier.score import deviance_of, mean_divergences, monotone, score_at, score_of

GRID = curve_grid()
SCALINGS = st.sampled_from([0.1, 1.0, 5.0, 50.0])


def score(a, b, estimator="jackknife", scaling=5.0):
    divergences = mean_divergences(np.atleast_2d(a), np.atleast_2d(b), GRID, estimator)
    return score_of(divergences, scaling).item()


class TestScore:
    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    @given(pair=count_pairs(high=30, max_buckets=30), scaling=SCALINGS)
    @settings(deadline=None, max_examples=30)
    def test_identical_counts_score_exactly_one(self, estimator, pair, scaling):
        assert score(pair[0], pair[0].copy(), estimator, scaling) == 1.0

    @pytest.mark.parametrize("counts", [[2, 2], [2] * 50, [5] * 20, [1, 2, 3, 4, 5], [3000, 10]])
    def test_small_and_large_identical_counts_score_exactly_one(self, counts):
        """Buckets with two texts of each sample have a third-order correction of the wrong sign."""
        assert score(counts, counts) == 1.0

    @pytest.mark.parametrize("scaling", [1, 2, 5, 10])
    @pytest.mark.parametrize("n", [1, 2, 3, 10, 100])
    def test_disjoint_counts_give_the_inverse_binomial(self, n, scaling):
        a, b = [n, 0, 2 * n, 0], [0, 3 * n, 0, n]
        least = 1 / comb(2 * scaling, scaling)
        assert_allclose(score(a, b, "jackknife", scaling), least, rtol=1e-5, atol=1e-9)

    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    @given(pair=count_pairs(), scaling=SCALINGS)
    @settings(deadline=None, max_examples=40)
    def test_lies_in_the_unit_interval(self, estimator, pair, scaling):
        assert 0 < score(*pair, estimator, scaling) <= 1

    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    @given(pair=count_pairs(), scaling=SCALINGS)
    @settings(deadline=None, max_examples=30)
    def test_is_symmetric(self, estimator, pair, scaling):
        a, b = pair
        swapped = score(b, a, estimator, scaling)
        assert_allclose(score(a, b, estimator, scaling), swapped, rtol=1e-8)

    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ["jackknife", "plugin"])
    @given(pair=count_pairs(), random=st.randoms(use_true_random=False))
    @settings(deadline=None, max_examples=40)
    def test_does_not_depend_on_the_order_of_buckets(self, estimator, pair, random):
        a, b = pair
        order = list(range(len(a)))
        random.shuffle(order)
        assert score(a[order], b[order], estimator) == score(a, b, estimator)

    @pytest.mark.slow
    @given(count_pairs())
    @settings(deadline=None)
    def test_falls_as_the_scaling_grows(self, pair):
        scores = [score(*pair, scaling=c) for c in (0.5, 1, 2, 5, 10, 20)]
        assert np.all(np.diff(scores) <= 1e-10)

    @given(count_pairs())
    @settings(deadline=None)
    def test_plugin_is_the_exact_area(self, pair):
        a, b = pair
        assert_allclose(score(a, b, "plugin"), area(a / a.sum(), b / b.sum()), atol=1e-6)

    @given(count_pairs())
    @settings(deadline=None)
    def test_coarse_grid_of_the_resampling_is_right_to_3e_4(self, pair):
        a, b = pair
        grid = curve_grid(RESAMPLING_POINTS)
        coarse = score_of(mean_divergences(a[None], b[None], grid, "plugin"), 5.0)
        assert_allclose(coarse, area(a / a.sum(), b / b.sum()), atol=3e-4)

    def test_jackknife_comes_closer_to_the_truth_than_the_plugin(self):
        """Mean over 300 pairs of samples of 1000 texts each in 100 buckets.

        The mean of the jackknife score has a standard error of 0.0011 and a bias of about
        -0.004 here, so 0.015 is ten standard errors away. The plug-in is off by 0.09.
        """
        rng = np.random.default_rng(0)
        p, q = rng.dirichlet(np.full(100, 2.0), size=2)
        q = (p + q) / 2
        truth = float(area(p, q))
        a, b = rng.multinomial(1000, p, size=300), rng.multinomial(1000, q, size=300)
        mean = {
            name: score_of(mean_divergences(a[:, None], b[:, None], GRID, name), 5.0).mean()
            for name in ("jackknife", "plugin")
        }
        assert abs(mean["jackknife"] - truth) < 0.015
        assert truth - mean["plugin"] > 0.05


class TestMeanDivergences:
    def test_averages_over_clusterings(self):
        rng = np.random.default_rng(1)
        a, b = rng.poisson(4, size=(2, 3, 5, 6)) + 1
        mean = mean_divergences(a, b, GRID, "plugin")
        assert mean.kl_p.shape == (3, len(GRID.weight_p))
        for i in range(3):
            each = estimate_divergences(a[i], b[i], GRID, "plugin")
            assert_allclose(mean.kl_p[i], each.kl_p.mean(axis=0), rtol=1e-12, atol=1e-15)
            assert_allclose(mean.slope[i], each.slope.mean(axis=0), rtol=1e-12, atol=1e-15)

    @pytest.mark.slow
    def test_corrected_divergences_are_never_above_the_plug_in(self):
        """The mean of the jackknife where it is lower, that of the plug-in elsewhere."""
        rng = np.random.default_rng(3)
        a, b = rng.poisson(2, size=(2, 40, 5, 6)) + np.eye(6, dtype=int)[0]
        corrected = mean_divergences(a, b, GRID, "jackknife")
        shape = (40, 5, len(GRID.weight_p))
        for part in ("kl_p", "kl_q"):
            lower = np.inf
            for name in ("jackknife", "plugin"):
                each = estimate_divergences(a.reshape(-1, 6), b.reshape(-1, 6), GRID, name)
                lower = np.minimum(lower, getattr(each, part).reshape(shape).mean(axis=1))
            assert_allclose(getattr(corrected, part), lower, rtol=1e-12, atol=1e-14)

    def test_order_of_clusterings_does_not_matter(self):
        rng = np.random.default_rng(2)
        a, b = rng.poisson(4, size=(2, 5, 6)) + 1
        mean = mean_divergences(a, b, GRID, "jackknife")
        reversed_mean = mean_divergences(a[::-1], b[::-1], GRID, "jackknife")
        assert_allclose(mean.kl_q, reversed_mean.kl_q, rtol=1e-12)


class TestMonotone:
    @given(count_pairs(high=4))
    @settings(deadline=None)
    def test_makes_divergences_rise_from_zero_and_fall_to_it(self, pair):
        raw = estimate_divergences(pair[0][None], pair[1][None], GRID, "jackknife")
        kl_p, kl_q = monotone(raw)
        assert np.all(np.diff(kl_q) >= 0)
        assert np.all(np.diff(kl_p) <= 0)
        assert min(kl_p.min(), kl_q.min()) >= 0
        assert np.all(kl_p >= raw.kl_p)
        assert np.all(kl_q >= raw.kl_q)

    @given(count_pairs(high=4))
    @settings(deadline=None)
    def test_twice_is_once(self, pair):
        raw = estimate_divergences(pair[0][None], pair[1][None], GRID, "jackknife")
        kl_p, kl_q = monotone(raw)
        again = monotone(Divergences(kl_p, kl_q, raw.slope))
        assert_array_equal(again[0], kl_p)
        assert_array_equal(again[1], kl_q)

    def test_true_divergences_stay_as_they_are(self):
        rng = np.random.default_rng(3)
        a, b = rng.poisson(20, size=(2, 1, 10)) + 1
        raw = estimate_divergences(a, b, GRID, "plugin")
        kl_p, kl_q = monotone(raw)
        assert_allclose(kl_p, raw.kl_p, atol=1e-15)
        assert_allclose(kl_q, raw.kl_q, atol=1e-15)

    def test_divergences_below_zero_score_one(self):
        n = len(GRID.weight_p)
        below = Divergences(np.full(n, -0.1), np.full(n, -0.2), np.full(n, 0.3))
        assert score_of(below, 5.0) == 1.0

    @pytest.mark.slow
    def test_score_is_the_area_under_the_reported_curve(self):
        """The result's `divergence_curve` is "the curve whose area is `mauve`".

        Between its points the curve may lie anywhere in a box, so the area lies between the
        lower and the upper sum.
        """
        rng = np.random.default_rng(0)
        for _ in range(200):
            a, b = rng.poisson(3, size=(2, 1, 16)) + 1
            raw = mean_divergences(a, b, GRID, "jackknife")
            kl_p, kl_q = monotone(raw)
            x = np.concatenate([[1], np.exp(-5 * kl_q), [0]])
            y = np.concatenate([[0], np.exp(-5 * kl_p), [1]])
            width = -np.diff(x)
            area_under = score_of(raw, 5.0).item()
            assert width @ y[:-1] - 1e-6 <= area_under <= width @ y[1:] + 1e-6


class TestDeviance:
    @given(st.floats(1e-6, 1))
    def test_score_at_inverts_deviance_of(self, value):
        assert_allclose(score_at(deviance_of(value)), value, rtol=1e-12)

    def test_hand_values(self):
        assert deviance_of(1.0) == 0
        assert_allclose(deviance_of(np.exp(-4)), 2)
        assert_allclose(score_at(2.0), np.exp(-4))
        assert score_at(-3.0) == 1

    @given(st.floats(1e-6, 1), st.floats(1e-6, 1))
    def test_a_larger_score_has_a_smaller_deviance(self, first, second):
        low, high = sorted([first, second])
        assert deviance_of(low) >= deviance_of(high)
