"""Divergences to the mixtures, against the definitions of the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from random_histograms import histograms, plain_kl

from mauve.frontier.divergences import bucket_divergences, kl_divergence, mixture_divergences
from mauve.frontier.grid import quadrature_grid

WEIGHTS = st.floats(0, 1)


class TestKullbackLeibler:
    @given(histograms())
    @settings(deadline=None)
    def test_equals_the_definition(self, pair):
        assert_allclose(kl_divergence(*pair), plain_kl(*pair), atol=1e-14)

    @pytest.mark.slow
    @given(histograms(n=3, empty=False), WEIGHTS)
    @settings(deadline=None)
    def test_lemma_of_appendix_a(self, three, lam):
        """λ KL(P|S) + (1-λ) KL(Q|S) = λ KL(P|R) + (1-λ) KL(Q|R) + KL(R|S)."""
        p, q, s = three
        r = lam * p + (1 - lam) * q
        to_s = lam * kl_divergence(p, s) + (1 - lam) * kl_divergence(q, s)
        to_r = lam * kl_divergence(p, r) + (1 - lam) * kl_divergence(q, r)
        assert_allclose(to_s, to_r + kl_divergence(r, s), atol=1e-12)

    @pytest.mark.slow
    @given(histograms(n=3), WEIGHTS, st.floats(0, 1))
    @settings(deadline=None)
    def test_mixtures_are_pareto_optimal(self, three, lam, step):
        """No distribution is closer to P and to Q at once (paper, proposition of A.1).

        The rival is any distribution, or a point on the way from the mixture to it.
        """
        p, q, other = three
        r = lam * p + (1 - lam) * q
        rival = (1 - step) * r + step * other
        closer_to_p = kl_divergence(p, rival) < kl_divergence(p, r) - 1e-12
        closer_to_q = kl_divergence(q, rival) < kl_divergence(q, r) - 1e-12
        assert not (closer_to_p and closer_to_q)


class TestDivergences:
    @pytest.mark.slow
    @given(histograms())
    @settings(deadline=None)
    def test_equal_the_definition_at_every_lambda(self, pair):
        p, q = pair
        grid = quadrature_grid(8)
        divergences = mixture_divergences(p, q, grid)
        for i, (weight_p, weight_q) in enumerate(zip(grid.weight_p, grid.weight_q, strict=True)):
            r = weight_p * p + weight_q * q
            assert_allclose(divergences.kl_p[i], plain_kl(p, r), atol=1e-13)
            assert_allclose(divergences.kl_q[i], plain_kl(q, r), atol=1e-13)

    @pytest.mark.slow
    @given(histograms())
    @settings(deadline=None)
    def test_slope_is_the_derivative(self, pair):
        """Against central differences of KL(Q|R_λ) below 1/2 and -KL(P|R_λ) beyond."""
        p, q = pair
        grid = quadrature_grid(8)
        slope = mixture_divergences(p, q, grid).slope
        inner = np.flatnonzero((grid.weight_p > 0.02) & (grid.weight_q > 0.02))
        for i in inner:
            lam, h = grid.weight_p[i], 1e-5
            histogram, sign = (q, 1) if i <= grid.middle else (p, -1)
            ends = [plain_kl(histogram, t * p + (1 - t) * q) for t in (lam - h, lam + h)]
            assert_allclose(slope[i], sign * (ends[1] - ends[0]) / (2 * h), atol=1e-5)

    @given(histograms())
    @settings(deadline=None)
    def test_one_rises_and_the_other_falls(self, pair):
        divergences = mixture_divergences(*pair, quadrature_grid(8))
        assert np.all(np.diff(divergences.kl_q) >= -1e-14)
        assert np.all(np.diff(divergences.kl_p) <= 1e-14)
        assert np.all(divergences.slope >= -1e-14)

    def test_sum_over_buckets_is_the_whole(self):
        rng = np.random.default_rng(3)
        p, q = rng.dirichlet(np.ones(6), size=2)
        grid = quadrature_grid(8)
        terms, whole = bucket_divergences(p, q, grid), mixture_divergences(p, q, grid)
        assert terms.kl_p.shape == (6, 17)
        for part in ("kl_p", "kl_q", "slope"):
            assert_allclose(getattr(terms, part).sum(axis=0), getattr(whole, part), rtol=1e-13)

    def test_arithmetic_works_part_by_part(self):
        rng = np.random.default_rng(4)
        grid = quadrature_grid(2)
        x, y = (mixture_divergences(*rng.dirichlet(np.ones(4), size=2), grid) for _ in range(2))
        combined = 2.0 * x - np.array([1.0, 2, 3, 4, 5]) * y + y
        for part in ("kl_p", "kl_q", "slope"):
            a, b = getattr(x, part), getattr(y, part)
            assert_allclose(getattr(combined, part), 2 * a - np.arange(1, 6) * b + b, atol=1e-15)
