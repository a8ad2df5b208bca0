"""Estimates of the divergences: the jackknife against its definition and the truth."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from random_histograms import count_pairs
from scipy.stats import poisson

from mauve.frontier.divergences import bucket_divergences, kl_divergence, mixture_divergences
from mauve.frontier.estimators import (
    ESTIMATORS,
    JACKKNIFE_ORDER,
    estimate_divergences,
    jackknife_terms,
)
from mauve.frontier.grid import quadrature_grid
from mauve.frontier.histogram import smooth

PARTS = ("kl_p", "kl_q", "slope")
GRID = quadrature_grid(4)


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


class TestJackknifeTerms:
    @given(count_pairs())
    @settings(deadline=None)
    def test_order_zero_is_the_plug_in(self, pair):
        a, b = pair
        terms = jackknife_terms(a, b, a.sum(), b.sum(), GRID, order=0)
        expected = bucket_divergences(a / a.sum(), b / b.sum(), GRID)
        for part in PARTS:
            assert_array_equal(getattr(terms, part), getattr(expected, part))

    @pytest.mark.slow
    @pytest.mark.parametrize("order", [1, 2, 3, 4])
    @given(a=st.integers(0, 12), b=st.integers(0, 12), more=st.tuples(*[st.integers(1, 9)] * 2))
    @settings(deadline=None, max_examples=30)
    def test_every_order_is_the_power_of_the_operator(self, order, a, b, more):
        n_p, n_q = a + more[0], b + more[1]
        terms = jackknife_terms([a], [b], n_p, n_q, GRID, order)
        for i, (lam, weight_q) in enumerate(zip(GRID.weight_p, GRID.weight_q, strict=True)):

            def of_p(x, y, lam=lam, weight_q=weight_q):
                p, q = x / n_p, y / n_q
                return p * np.log(p / (lam * p + weight_q * q)) if p else 0.0

            def of_q(x, y, lam=lam, weight_q=weight_q):
                p, q = x / n_p, y / n_q
                return q * np.log(q / (lam * p + weight_q * q)) if q else 0.0

            assert_allclose(terms.kl_p[0, i], by_operator(of_p, order)(a, b), atol=1e-10)
            assert_allclose(terms.kl_q[0, i], by_operator(of_q, order)(a, b), atol=1e-10)

    @pytest.mark.parametrize("n", [100, 400, 1600])
    def test_order_one_is_the_delete_one_jackknife_up_to_one_over_n(self, n):
        """Brute force: leave out one text of either sample, renormalise, count again.

        T + Σ (n-1)/n (T - T₋ᵢ) over both samples; the closed form differs by less than 1/n.
        """
        rng = np.random.default_rng(n)
        a, b = rng.multinomial(n, rng.dirichlet(np.ones(8), size=2))
        r = quadrature_grid(1)  # λ = 1/2 in the middle

        def plug_in(a, b):
            p, q = a / a.sum(), b / b.sum()
            return float(kl_divergence(p, (p + q) / 2))

        whole = brute = plug_in(a, b)
        for bucket in range(8):
            text = np.eye(8, dtype=int)[bucket]
            if a[bucket]:
                brute += a[bucket] * (n - 1) / n * (whole - plug_in(a - text, b))
            if b[bucket]:
                brute += b[bucket] * (n - 1) / n * (whole - plug_in(a, b - text))
        closed = jackknife_terms(a, b, n, n, r, order=1).kl_p[:, r.middle].sum()
        assert_allclose(closed, brute, atol=1 / n)
        assert abs(closed - brute) < 0.3 * abs(whole - brute)

    def test_a_bucket_without_texts_adds_nothing(self):
        terms = jackknife_terms([0, 3], [0, 5], 3, 5, GRID)
        for part in PARTS:
            assert_array_equal(getattr(terms, part)[0], 0)

    @pytest.mark.parametrize("mean", [(5, 5), (5, 10), (10, 5), (8, 20), (20, 20), (12, 6)])
    def test_order_three_removes_the_bias_of_poisson_counts(self, mean):
        """Expectation over both counts, by summing over their probabilities.

        Texts fall into buckets independently, so the counts of a bucket are Poisson, and nothing
        is random here. A bucket with 5 texts or more of each sample is estimated by the third
        order with less than 15% of the plug-in's bias and of the first order's, or less
        than 0.003 texts.
        """
        mu, nu = mean
        counts = np.arange(90)
        a, b = (grid.ravel() for grid in np.meshgrid(counts, counts, indexing="ij"))
        weight = poisson.pmf(a, mu) * poisson.pmf(b, nu)
        grid = quadrature_grid(1)
        truth = bucket_divergences([mu], [nu], grid).kl_p[0, grid.middle]

        def bias(order):
            terms = jackknife_terms(a, b, 1, 1, grid, order)
            return abs(weight @ terms.kl_p[:, grid.middle] - truth)

        assert bias(3) < max(0.15 * bias(0), 0.003)
        assert bias(3) < max(0.5 * bias(1), 0.003)

    def test_third_order_has_a_hundredth_of_the_bias_at_ten_texts_a_bucket(self):
        counts = np.arange(60)
        a, b = (grid.ravel() for grid in np.meshgrid(counts, counts, indexing="ij"))
        weight = poisson.pmf(a, 10) * poisson.pmf(b, 10)
        grid = quadrature_grid(1)
        bias = [
            abs(weight @ jackknife_terms(a, b, 1, 1, grid, order).kl_p[:, grid.middle])
            for order in (0, 3)
        ]
        assert bias[1] < bias[0] / 100

    @pytest.mark.parametrize("texts", [300, 1_000, 3_000, 30_000, 3_000_000])
    def test_large_buckets_keep_their_digits(self, texts):
        """Third differences of counts in the thousands would be nothing but rounding.

        The first order is stable and all but unbiased here; three buckets have a bias of
        about 3/n, which separates the corrected estimate from the plug-in.
        """
        a, b = np.array([5, 3, 2]) * texts, np.array([4, 4, 2]) * texts
        n = 10 * texts
        default, first, plug_in = (
            jackknife_terms(a, b, n, n, GRID, order).kl_p.sum(axis=0)
            for order in (JACKKNIFE_ORDER, 1, 0)
        )
        assert_allclose(default, plug_in, atol=4 / n)
        assert_allclose(default, first, atol=0.1 / n)


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

    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ["jackknife", "plugin"])
    @given(pair=count_pairs(), random=st.randoms(use_true_random=False))
    @settings(deadline=None)
    def test_permuted_buckets_give_the_same_bits(self, estimator, pair, random):
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
        estimate = estimate_divergences(a[None], b[None], GRID, "plugin")
        expected = mixture_divergences(a / a.sum(), b / b.sum(), GRID)
        for part in PARTS:
            assert_allclose(getattr(estimate, part)[0], getattr(expected, part), atol=1e-13)

    @pytest.mark.slow
    @given(count_pairs())
    @settings(deadline=None)
    def test_jackknife_is_the_sum_over_buckets(self, pair):
        a, b = pair
        estimate = estimate_divergences(a[None], b[None], GRID, "jackknife")
        terms = jackknife_terms(a, b, a.sum(), b.sum(), GRID, JACKKNIFE_ORDER)
        for part in PARTS:
            whole = getattr(terms, part).sum(axis=0)
            assert_allclose(getattr(estimate, part)[0], whole, atol=1e-11)

    @pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if "-" in e or e == "laplace"])
    def test_smoothed_estimators_smooth_first(self, estimator):
        rng = np.random.default_rng(1)
        a, b = rng.poisson(3, size=(2, 5, 9)) + 1
        estimate = estimate_divergences(a, b, GRID, estimator)
        expected = mixture_divergences(smooth(a, estimator), smooth(b, estimator), GRID)
        assert_array_equal(estimate.kl_p, expected.kl_p)

    @pytest.mark.slow
    @given(count_pairs())
    @settings(deadline=None)
    def test_swapping_the_samples_mirrors_the_result(self, pair):
        a, b = pair
        given_order = estimate_divergences(a[None], b[None], GRID, "jackknife")
        swapped = estimate_divergences(b[None], a[None], GRID, "jackknife")
        assert_allclose(given_order.kl_p, swapped.kl_q[:, ::-1], atol=1e-11)
        below, above = slice(GRID.middle), slice(None, GRID.middle, -1)
        assert_allclose(given_order.slope[:, below], swapped.slope[:, above], atol=1e-9)

    @pytest.mark.parametrize("high", [1, 50, 255, 256, 10**6])
    def test_few_and_many_pairs_of_counts_equal_the_plain_sum(self, high):
        """Pairs have codes up to high², which need a sort beyond 65,536 and a lookup below."""
        a, b = np.random.default_rng(3).integers(high, size=(2, 40, 30)) + 1
        estimate = estimate_divergences(a, b, GRID, "plugin")
        p, q = (counts / counts.sum(axis=1, keepdims=True) for counts in (a, b))
        for part in PARTS:
            expected = getattr(mixture_divergences(p, q, GRID), part)
            assert_allclose(getattr(estimate, part), expected, rtol=1e-10, atol=1e-14)
