"""Estimates of the divergences: the jackknife against its definition and the truth."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import poisson

from mauve.frontier.curve import cell_divergences, kl_divergence, mixture_divergences
from mauve.frontier.estimators import (
    ESTIMATORS,
    JACKKNIFE_ORDER,
    _unique_codes,
    estimate_divergences,
    jackknife_cells,
)
from mauve.frontier.grid import quadrature_grid
from mauve.frontier.histogram import smooth

PARTS = ("kl_p", "kl_q", "slope")
GRID = quadrature_grid(4)


@st.composite
def count_pairs(draw, high=12, max_cells=6):
    k = draw(st.integers(1, max_cells))
    row = st.lists(st.integers(0, high), min_size=k, max_size=k).filter(any)
    return np.array(draw(row)), np.array(draw(row))


def by_operator(f, order):
    """L(L+1)…(L+order-1) f / order!, with Lf(a,b) = a[f(a,b)-f(a-1,b)] + b[f(a,b)-f(a,b-1)]."""

    def raised(g, shift):
        def new(a, b):
            from_p = a * (g(a, b) - g(a - 1, b)) if a else 0.0
            from_q = b * (g(a, b) - g(a, b - 1)) if b else 0.0
            return from_p + from_q + shift * g(a, b)

        return new

    result = f
    for shift in reversed(range(order)):
        result = raised(result, shift)
    return lambda a, b: result(a, b) / factorial(order)


class TestJackknifeCells:
    @given(count_pairs())
    @settings(deadline=None)
    def test_order_zero_is_the_plug_in(self, pair):
        a, b = pair
        found = jackknife_cells(a, b, a.sum(), b.sum(), GRID, order=0)
        expected = cell_divergences(a / a.sum(), b / b.sum(), GRID)
        for part in PARTS:
            assert_array_equal(getattr(found, part), getattr(expected, part))

    @pytest.mark.parametrize("order", [1, 2, 3, 4])
    @given(a=st.integers(0, 12), b=st.integers(0, 12), more=st.tuples(*[st.integers(1, 9)] * 2))
    @settings(deadline=None, max_examples=30)
    def test_every_order_is_the_power_of_the_operator(self, order, a, b, more):
        n_p, n_q = a + more[0], b + more[1]
        found = jackknife_cells([a], [b], n_p, n_q, GRID, order)
        for i, (lam, rest) in enumerate(zip(GRID.weight_p, GRID.weight_q, strict=True)):

            def of_p(x, y, lam=lam, rest=rest):
                p, q = x / n_p, y / n_q
                return p * np.log(p / (lam * p + rest * q)) if p else 0.0

            def of_q(x, y, lam=lam, rest=rest):
                p, q = x / n_p, y / n_q
                return q * np.log(q / (lam * p + rest * q)) if q else 0.0

            assert_allclose(found.kl_p[0, i], by_operator(of_p, order)(a, b), atol=1e-10)
            assert_allclose(found.kl_q[0, i], by_operator(of_q, order)(a, b), atol=1e-10)

    @pytest.mark.parametrize("n", [100, 400, 1600])
    def test_order_one_is_the_delete_one_jackknife_up_to_one_over_n(self, n):
        """Brute force: leave out one text of either side, renormalise, count again.

        T + Σ (n-1)/n (T - T₋ᵢ) over both samples; the closed form differs by less than 1/n.
        """
        rng = np.random.default_rng(n)
        a, b = rng.multinomial(n, rng.dirichlet(np.ones(8), size=2))
        r = quadrature_grid(1)  # λ = 1/2 in the middle

        def plug_in(a, b):
            p, q = a / a.sum(), b / b.sum()
            return float(kl_divergence(p, (p + q) / 2))

        whole = brute = plug_in(a, b)
        for cell in range(8):
            one = np.eye(8, dtype=int)[cell]
            if a[cell]:
                brute += a[cell] * (n - 1) / n * (whole - plug_in(a - one, b))
            if b[cell]:
                brute += b[cell] * (n - 1) / n * (whole - plug_in(a, b - one))
        closed = jackknife_cells(a, b, n, n, r, order=1).kl_p[:, r.middle].sum()
        assert_allclose(closed, brute, atol=1 / n)
        assert abs(closed - brute) < 0.3 * abs(whole - brute)

    def test_a_cell_without_texts_adds_nothing(self):
        found = jackknife_cells([0, 3], [0, 5], 3, 5, GRID)
        for part in PARTS:
            assert_array_equal(getattr(found, part)[0], 0)

    @pytest.mark.parametrize("mean", [(5, 5), (5, 10), (10, 5), (8, 20), (20, 20), (12, 6)])
    def test_order_three_removes_the_bias_of_poisson_counts(self, mean):
        """Expectation over both counts, by summing over their probabilities.

        Texts fall into cells independently, so a cell's counts are Poisson and nothing is
        left to chance here. A cell with 5 texts or more a side is estimated by the third
        order with less than 15% of the plug-in's bias and of the first order's, or less
        than 0.003 texts.
        """
        mu, nu = mean
        counts = np.arange(90)
        a, b = (grid.ravel() for grid in np.meshgrid(counts, counts, indexing="ij"))
        weight = poisson.pmf(a, mu) * poisson.pmf(b, nu)
        grid = quadrature_grid(1)
        truth = cell_divergences([mu], [nu], grid).kl_p[0, grid.middle]

        def bias(order):
            cells = jackknife_cells(a, b, 1, 1, grid, order)
            return abs(weight @ cells.kl_p[:, grid.middle] - truth)

        assert bias(3) < max(0.15 * bias(0), 0.003)
        assert bias(3) < max(0.5 * bias(1), 0.003)

    def test_third_order_has_a_hundredth_of_the_bias_at_ten_texts_a_cell(self):
        counts = np.arange(60)
        a, b = (grid.ravel() for grid in np.meshgrid(counts, counts, indexing="ij"))
        weight = poisson.pmf(a, 10) * poisson.pmf(b, 10)
        grid = quadrature_grid(1)
        bias = [
            abs(weight @ jackknife_cells(a, b, 1, 1, grid, order).kl_p[:, grid.middle])
            for order in (0, 3)
        ]
        assert bias[1] < bias[0] / 100

    @pytest.mark.parametrize("texts", [300, 1_000, 3_000, 30_000, 3_000_000])
    def test_large_cells_keep_their_digits(self, texts):
        """Third differences of counts in the thousands would be nothing but rounding.

        The first order is stable and all but unbiased here; three cells have a bias of
        about 3/n, which separates the corrected estimate from the plug-in.
        """
        a, b = np.array([5, 3, 2]) * texts, np.array([4, 4, 2]) * texts
        n = 10 * texts
        found, first, plug_in = (
            jackknife_cells(a, b, n, n, GRID, order).kl_p.sum(axis=0)
            for order in (JACKKNIFE_ORDER, 1, 0)
        )
        assert_allclose(found, plug_in, atol=4 / n)
        assert_allclose(found, first, atol=0.1 / n)


class TestEstimateDivergences:
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    def test_rows_with_different_totals_equal_each_row_alone(self, estimator):
        rng = np.random.default_rng(0)
        a, b = rng.poisson([[2], [5], [5], [9]], size=(2, 4, 7)) + 1
        together = estimate_divergences(a, b, GRID, estimator)
        for row in range(4):
            alone = estimate_divergences(a[row : row + 1], b[row : row + 1], GRID, estimator)
            for part in PARTS:
                assert_array_equal(getattr(together, part)[row], getattr(alone, part)[0])

    @pytest.mark.parametrize("estimator", ["jackknife", "plugin"])
    @given(pair=count_pairs(max_cells=8), random=st.randoms(use_true_random=False))
    @settings(deadline=None)
    def test_permuted_cells_give_the_same_bits(self, estimator, pair, random):
        a, b = pair
        order = list(range(len(a)))
        random.shuffle(order)
        before = estimate_divergences(a[None], b[None], GRID, estimator)
        after = estimate_divergences(a[None, order], b[None, order], GRID, estimator)
        for part in PARTS:
            assert_array_equal(getattr(before, part), getattr(after, part))

    @given(count_pairs())
    @settings(deadline=None)
    def test_plugin_is_the_divergence_of_the_frequencies(self, pair):
        a, b = pair
        found = estimate_divergences(a[None], b[None], GRID, "plugin")
        expected = mixture_divergences(a / a.sum(), b / b.sum(), GRID)
        for part in PARTS:
            assert_allclose(getattr(found, part)[0], getattr(expected, part), atol=1e-13)

    @given(count_pairs())
    @settings(deadline=None)
    def test_jackknife_is_the_sum_over_cells(self, pair):
        a, b = pair
        found = estimate_divergences(a[None], b[None], GRID, "jackknife")
        cells = jackknife_cells(a, b, a.sum(), b.sum(), GRID, JACKKNIFE_ORDER)
        for part in PARTS:
            whole = getattr(cells, part).sum(axis=0)
            assert_allclose(getattr(found, part)[0], whole, atol=1e-11)

    @pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if "-" in e or e == "laplace"])
    def test_smoothed_estimators_smooth_first(self, estimator):
        rng = np.random.default_rng(1)
        a, b = rng.poisson(3, size=(2, 5, 9)) + 1
        found = estimate_divergences(a, b, GRID, estimator)
        expected = mixture_divergences(smooth(a, estimator), smooth(b, estimator), GRID)
        assert_array_equal(found.kl_p, expected.kl_p)

    @given(count_pairs())
    @settings(deadline=None)
    def test_swapping_the_sides_mirrors_the_result(self, pair):
        a, b = pair
        one = estimate_divergences(a[None], b[None], GRID, "jackknife")
        other = estimate_divergences(b[None], a[None], GRID, "jackknife")
        assert_allclose(one.kl_p, other.kl_q[:, ::-1], atol=1e-11)
        assert_allclose(one.slope[:, : GRID.middle], other.slope[:, : GRID.middle : -1], atol=1e-9)

    def test_pairs_of_counts_too_many_for_a_lookup_are_sorted(self):
        """Codes run to 300 · 70,001, beyond any lookup table of this size."""
        rng = np.random.default_rng(2)
        a, b = rng.integers(300, size=(3, 20)) + 1, rng.integers(70_000, size=(3, 20)) + 1
        found = estimate_divergences(a, b, GRID, "plugin")
        for row in range(3):
            expected = mixture_divergences(a[row] / a[row].sum(), b[row] / b[row].sum(), GRID)
            assert_allclose(found.kl_p[row], expected.kl_p, rtol=1e-12, atol=1e-15)


class TestUniqueCodes:
    @pytest.mark.parametrize("high", [1, 50, 65_536, 65_537, 10**12])
    def test_both_paths_equal_numpy(self, high):
        codes = np.random.default_rng(3).integers(high, size=(40, 30))
        values, where = _unique_codes(codes)
        assert_array_equal(values, np.unique(codes))
        assert_array_equal(values[where], codes)
