"""The divergence curve, areas and frontier integral, against the definitions of the paper."""

from itertools import pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from random_histograms import histograms, plain_kl
from scipy.integrate import quad
from scipy.special import beta

from mauve.errors import InvalidParameterError
from mauve.frontier.curve import (
    area,
    curve_area,
    discretised_area,
    divergence_curve,
    frontier_integral,
    integral_from,
    polygon_area,
)
from mauve.frontier.divergences import mixture_divergences
from mauve.frontier.grid import INFLUENCE_ORDER, curve_grid, quadrature_grid

SCALINGS = st.floats(0.1, 50)


def area_by_points(p, q, scaling):
    """The area from points of the curve alone, no derivative, no Gauss nodes.

    A trapezoid rule between 40,000 and 80,000 points, equally spaced in log(λ/(1-λ)), and
    one Richardson step. The curve ends level with the left axis.
    """

    def trapezoid(n_points):
        u = np.linspace(-40, 40, n_points)[:, None]
        r = p / (1 + np.exp(-u)) + q / (1 + np.exp(u))
        with np.errstate(divide="ignore", invalid="ignore"):
            kl_p = np.where(p > 0, p * np.log(p / r), 0).sum(axis=1)
            kl_q = np.where(q > 0, q * np.log(q / r), 0).sum(axis=1)
        x, y = np.exp(-scaling * kl_q), np.exp(-scaling * kl_p)
        return np.sum((x[:-1] - x[1:]) * (y[:-1] + y[1:])) / 2 + x[-1] * y[-1]

    coarse, fine = trapezoid(40_001), trapezoid(80_001)
    return fine + (fine - coarse) / 3


class TestArea:
    @given(histograms(n=1, max_buckets=40), SCALINGS)
    @settings(deadline=None)
    def test_identical_histograms_score_exactly_one(self, drawn, scaling):
        (p,) = drawn
        assert area(p, p.copy(), scaling) == 1.0

    @pytest.mark.parametrize("scaling", [1, 2, 3, 5, 8, 10, 20, 30])
    def test_disjoint_supports_give_the_inverse_binomial(self, scaling):
        p, q = np.array([0.3, 0.7, 0, 0, 0]), np.array([0, 0, 0.5, 0.1, 0.4])
        assert_allclose(area(p, q, scaling) * comb(2 * scaling, scaling), 1, rtol=1e-9)

    @pytest.mark.parametrize("scaling", [0.1, 0.5, 2.5, 50.0])
    def test_disjoint_supports_give_a_beta_function(self, scaling):
        least = scaling * beta(scaling + 1, scaling)
        assert_allclose(area([1, 0], [0, 1], scaling), least, rtol=1e-9)

    @pytest.mark.slow
    @given(histograms(), SCALINGS)
    @settings(deadline=None, max_examples=25)
    def test_agrees_with_a_trapezoid_of_80_000_points(self, pair, scaling):
        p, q = pair
        assert_allclose(area(p, q, scaling), area_by_points(p, q, scaling), rtol=0, atol=1e-9)

    @pytest.mark.parametrize("scaling", [0.1, 1, 5, 50])
    @pytest.mark.parametrize(
        ("p", "q"),
        [
            ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]),
            ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5]),
            ([1.0, 0.0], [0.5, 0.5]),
            ([1 - 1e-9, 1e-9], [1e-9, 1 - 1e-9]),
            ([0.5, 0.5 - 1e-9, 1e-9], [0.4, 0.6, 0.0]),
            ([0.9, 0.1], [0.9 + 1e-9, 0.1 - 1e-9]),
        ],
    )
    def test_agrees_with_adaptive_quadrature_of_the_definition(self, p, q, scaling):
        """The part right of λ = 1/2 is ∫ y dx, the part above it ∫ x dy."""
        p, q = np.array(p), np.array(q)

        def point(u):
            r = p / (1 + np.exp(-u)) + q / (1 + np.exp(u))
            return np.exp(-scaling * plain_kl(q, r)), np.exp(-scaling * plain_kl(p, r))

        def right(u):  # y dx/du, at λ < 1/2
            weight_p, weight_q = 1 / (1 + np.exp(-u)), 1 / (1 + np.exp(u))
            r = weight_p * p + weight_q * q
            x, y = point(u)
            used = q > 0
            rise = np.sum(q[used] * (q - p)[used] / r[used])
            return y * scaling * x * rise * weight_p * weight_q

        def above(u):  # x dy/du, at λ > 1/2
            weight_p, weight_q = 1 / (1 + np.exp(-u)), 1 / (1 + np.exp(u))
            r = weight_p * p + weight_q * q
            x, y = point(u)
            used = p > 0
            rise = np.sum(p[used] * (p - q)[used] / r[used])
            return x * scaling * y * rise * weight_p * weight_q

        edges = [0, 1, 2, 4, 8, 16, 40]
        exact = np.prod(point(0.0))
        for low, high in pairwise(edges):
            exact += quad(right, -high, -low, epsabs=1e-12)[0]
            exact += quad(above, low, high, epsabs=1e-12)[0]
        assert_allclose(area(p, q, scaling), exact, rtol=0, atol=1e-9)

    @given(histograms(), SCALINGS)
    @settings(deadline=None)
    def test_lies_between_the_least_score_and_one(self, pair, scaling):
        least = scaling * beta(scaling + 1, scaling)
        assert least * (1 - 1e-8) <= area(*pair, scaling) <= 1

    @pytest.mark.slow
    @given(histograms(empty=False), SCALINGS)
    @settings(deadline=None)
    def test_is_one_only_for_equal_histograms(self, pair, scaling):
        p, q = pair
        assume(np.abs(p - q).sum() > 1e-2)
        assert area(p, q, scaling) < 1

    @pytest.mark.slow
    @given(histograms(), SCALINGS)
    @settings(deadline=None)
    def test_is_symmetric(self, pair, scaling):
        p, q = pair
        assert_allclose(area(p, q, scaling), area(q, p, scaling), rtol=1e-12)

    @pytest.mark.slow
    @given(histograms(), SCALINGS, st.randoms(use_true_random=False))
    @settings(deadline=None)
    def test_does_not_depend_on_the_order_of_buckets(self, pair, scaling, random):
        p, q = pair
        order = list(range(len(p)))
        random.shuffle(order)
        assert_allclose(area(p[order], q[order], scaling), area(p, q, scaling), rtol=1e-12)

    @pytest.mark.slow
    @given(histograms(), st.lists(SCALINGS, min_size=2, max_size=4))
    @settings(deadline=None)
    def test_falls_as_the_scaling_grows(self, pair, scalings):
        areas = [float(area(*pair, c)) for c in sorted(scalings)]
        assert all(big >= small - 1e-12 for big, small in pairwise(areas))

    @given(histograms(), SCALINGS)
    @settings(deadline=None)
    def test_merging_two_buckets_never_lowers_it(self, pair, scaling):
        """Coarser buckets hide differences: both divergences fall for every λ."""
        p, q = pair
        assume(len(p) > 1)
        merged = [np.append(h[2:], h[0] + h[1]) for h in (p, q)]
        assert area(*merged, scaling) >= area(p, q, scaling) - 1e-10

    @pytest.mark.slow
    @given(histograms(), SCALINGS, st.floats(0.01, 0.99))
    @settings(deadline=None)
    def test_splitting_a_bucket_alike_in_both_changes_nothing(self, pair, scaling, share):
        p, q = pair
        split = [np.concatenate([[share * h[0], (1 - share) * h[0]], h[1:]]) for h in (p, q)]
        assert_allclose(area(*split, scaling), area(p, q, scaling), rtol=1e-10)

    def test_many_pairs_at_once_equal_a_loop(self):
        rng = np.random.default_rng(0)
        p, q = rng.dirichlet(np.ones(7), size=(3, 4)), rng.dirichlet(np.ones(7), size=(3, 4))
        one_by_one = [[float(area(p[i, j], q[i, j])) for j in range(4)] for i in range(3)]
        assert area(p, q).shape == (3, 4)
        assert_allclose(area(p, q), one_by_one, rtol=1e-14)

    def test_one_histogram_broadcasts_against_many(self):
        rng = np.random.default_rng(1)
        p, q = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5), size=6)
        assert_allclose(area(p, q), area(np.tile(p, (6, 1)), q), rtol=1e-15)

    def test_coarse_grid_of_the_influences_is_right_to_5e_6(self):
        rng = np.random.default_rng(2)
        p, q = (rng.dirichlet(np.full(50, 0.3), size=200) for _ in range(2))
        grid = quadrature_grid(INFLUENCE_ORDER)
        coarse = curve_area(mixture_divergences(p, q, grid), grid, 5.0)
        assert_allclose(coarse, area(p, q, 5.0), rtol=0, atol=5e-6)


class TestPolygonArea:
    @pytest.mark.slow
    @given(histograms(), SCALINGS)
    @settings(deadline=None, max_examples=50)
    def test_is_exact_for_its_polygon(self, pair, scaling):
        """A trapezoid rule between 2000 points on every straight piece in the divergences."""
        divergences = mixture_divergences(*pair, curve_grid(4))
        kl_p, kl_q = divergences.kl_p, divergences.kl_q
        at = np.linspace(0, len(kl_p) - 1, 2000 * (len(kl_p) - 1) + 1)
        x, y = (np.exp(-scaling * np.interp(at, np.arange(len(kl_p)), kl)) for kl in (kl_q, kl_p))
        expected = np.sum((x[:-1] - x[1:]) * (y[:-1] + y[1:])) / 2
        expected += x[-1] + y[0] * (1 - x[0])  # level to the left axis, straight down at 1
        assert_allclose(polygon_area(kl_p, kl_q, scaling), expected, atol=1e-5)

    @given(histograms(), SCALINGS)
    @settings(deadline=None, max_examples=50)
    def test_approaches_the_area_from_a_fine_grid(self, pair, scaling):
        """Second order: 1024 points up to λ = 1/2, and the extrapolation from half of them."""
        divergences = mixture_divergences(*pair, curve_grid(1024))
        fine = polygon_area(divergences.kl_p, divergences.kl_q, scaling)
        coarse = polygon_area(divergences.kl_p[1::2], divergences.kl_q[1::2], scaling)
        exact = area(*pair, scaling)
        assert_allclose(fine, exact, atol=2e-5)
        assert_allclose(fine + (fine - coarse) / 3, exact, atol=1e-8)

    @given(
        st.lists(st.floats(0, 1), min_size=2, max_size=8),
        st.lists(st.floats(0, 1), min_size=2, max_size=8),
        SCALINGS,
    )
    def test_lies_in_the_unit_interval_whatever_the_points(self, falling, rising, scaling):
        n = min(len(falling), len(rising))
        kl_p, kl_q = np.sort(falling[:n])[::-1], np.sort(rising[:n])
        assert 0 < polygon_area(kl_p, kl_q, scaling) <= 1 + 1e-12

    def test_two_points_by_hand(self):
        # From (x, y) = (1, e⁻¹) to (e⁻¹, 1) with xy = e⁻¹ between: ∫ dx/(e x) = 1/e, and 1/e
        # to the left of it.
        assert_allclose(polygon_area(np.array([1.0, 0]), np.array([0, 1.0]), 1.0), 2 / np.e)

    def test_many_curves_at_once_equal_a_loop(self):
        rng = np.random.default_rng(0)
        p, q = rng.dirichlet(np.ones(5), size=(2, 3))
        divergences = mixture_divergences(p, q, curve_grid(8))
        together = polygon_area(divergences.kl_p, divergences.kl_q, 5.0)
        each = [polygon_area(divergences.kl_p[i], divergences.kl_q[i], 5.0) for i in range(3)]
        assert_allclose(together, each, rtol=1e-14)


class TestDivergenceCurve:
    @given(histograms(), SCALINGS)
    @settings(deadline=None)
    def test_ends_hold_the_kl_divergences_and_the_middle_the_js(self, pair, scaling):
        p, q = pair
        start, middle, end = divergence_curve(p, q, [0, 0.5, 1], scaling)
        assert_allclose(start, [1, np.exp(-scaling * plain_kl(p, q))], atol=1e-13)
        assert_allclose(end, [np.exp(-scaling * plain_kl(q, p)), 1], atol=1e-13)
        mixture = (p + q) / 2
        js = (plain_kl(p, mixture) + plain_kl(q, mixture)) / 2
        assert_allclose(-np.log(middle).mean() / scaling, js, atol=1e-12)

    def test_a_bucket_of_p_that_q_lacks_puts_the_start_on_the_axis(self):
        curve = divergence_curve([0.5, 0.5], [1, 0], [0, 1], scaling=2)
        assert_allclose(curve, [[1, 0], [0.25, 1]], atol=1e-15)

    @given(histograms(), SCALINGS)
    @settings(deadline=None)
    def test_runs_up_and_to_the_left(self, pair, scaling):
        curve = divergence_curve(*pair, np.linspace(0, 1, 33), scaling)
        assert np.all(np.diff(curve[:, 0]) <= 1e-13)
        assert np.all(np.diff(curve[:, 1]) >= -1e-13)
        assert curve.min() >= 0
        assert curve.max() <= 1

    def test_many_pairs_at_once_equal_a_loop(self):
        rng = np.random.default_rng(5)
        p, q = rng.dirichlet(np.ones(4), size=(2, 3))
        together = divergence_curve(p, q, [0.2, 0.9])
        assert together.shape == (3, 2, 2)
        for i in range(3):
            assert_allclose(together[i], divergence_curve(p[i], q[i], [0.2, 0.9]), rtol=1e-14)

    @pytest.mark.parametrize("weights", [[-0.1], [1.1], [], [[0.5]], [float("nan")], 0.5])
    def test_weights_outside_the_unit_interval_are_refused(self, weights):
        with pytest.raises(
            InvalidParameterError, match=r"'weights' .* must be numbers in \[0, 1\]"
        ):
            divergence_curve([0.5, 0.5], [0.5, 0.5], weights)

    def test_trapezoid_on_a_fine_grid_approaches_the_exact_area(self):
        rng = np.random.default_rng(6)
        p, q = rng.dirichlet(np.ones(10), size=2)
        curve = divergence_curve(p, q, np.linspace(0, 1, 20_001))
        closed = np.concatenate([[[1, 0]], curve, [[0, 1]]])
        assert_allclose(discretised_area(closed), area(p, q), atol=1e-7)


class TestFrontierIntegral:
    @given(histograms())
    @settings(deadline=None, max_examples=40)
    def test_closed_form_equals_the_integral(self, pair):
        p, q = pair

        def error(lam):
            r = lam * p + (1 - lam) * q
            return lam * plain_kl(p, r) + (1 - lam) * plain_kl(q, r)

        # λ and 1-λ times a logarithm: split where the integrand bends.
        edges = [0, 1e-6, 1e-3, 0.5, 1 - 1e-3, 1 - 1e-6, 1]
        exact = sum(quad(error, a, b, epsabs=1e-12)[0] for a, b in pairwise(edges))
        assert_allclose(frontier_integral(p, q), 2 * exact, atol=1e-9)

    @given(histograms())
    @settings(deadline=None)
    def test_quadrature_grid_gives_the_same(self, pair):
        grid = quadrature_grid()
        integral = integral_from(mixture_divergences(*pair, grid), grid)
        assert_allclose(integral, frontier_integral(*pair), atol=1e-9)

    @given(histograms())
    @settings(deadline=None)
    def test_is_symmetric_and_between_zero_and_one(self, pair):
        p, q = pair
        assert_allclose(frontier_integral(p, q), frontier_integral(q, p), rtol=1e-12, atol=1e-14)
        assert 0 <= frontier_integral(p, q) <= 1 + 1e-15

    def test_zero_for_equal_histograms_and_one_for_disjoint(self):
        assert frontier_integral([0.2, 0.8, 0], [0.2, 0.8, 0]) == 0
        assert frontier_integral([0.5, 0.5, 0], [0, 0, 1]) == 1

    @pytest.mark.parametrize("ratio", [1e-8, 0.0099, 0.00999, 0.01, 0.0101])
    def test_series_and_direct_formula_meet(self, ratio):
        """Below and above the switch at |p-q|/(p+q) = 0.01 against the leading terms.

        With ε the ratio, a bucket adds (p+q)(ε²/3 + ε⁴/15 + ε⁶/35 + …).
        """
        p, q = np.array([1 + ratio, 1 - ratio]) / 2, np.array([1 - ratio, 1 + ratio]) / 2
        exact = 2 * (ratio**2 / 3 + ratio**4 / 15 + ratio**6 / 35)
        assert_allclose(frontier_integral(p, q), exact, rtol=2e-10, atol=1e-18)


def test_area_of_three_points_by_hand():
    # Trapezoids of widths 0.2, 0.5 and 0.3 and mean heights 0.2, 0.6 and 0.9.
    curve = [[1, 0], [0.8, 0.4], [0.3, 0.8], [0, 1]]
    assert_allclose(discretised_area(curve), 0.2 * 0.2 + 0.5 * 0.6 + 0.3 * 0.9)
