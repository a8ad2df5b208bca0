"""Tests of two samples: against SciPy, by counting, and by random assignment."""

from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mauve.text.chance import copies_among, fisher, shared_by_chance, smirnov

N_TEXTS = st.integers(1, 300)


class TestFisher:
    @given(N_TEXTS, N_TEXTS, st.floats(0, 1), st.floats(0, 1))
    def test_is_that_of_scipy(self, n, m, p, q):
        k, j = round(p * n), round(q * m)
        expected = scipy.stats.fisher_exact([[k, n - k], [j, m - j]]).pvalue
        # Sums of up to 300 terms, each from logarithms of about 1,000 good to 1e-16.
        assert_allclose(fisher(k, n, j, m), expected, rtol=1e-9, atol=1e-12)

    def test_large_samples_do_not_overflow(self):
        assert fisher(500_000, 10**6, 500_000, 10**6) == pytest.approx(1)
        assert fisher(0, 10**6, 10**6, 10**6) == 0

    def test_one_text_among_few_against_none_among_many_is_no_sign(self):
        """The normal approximation has p = 1e-12 here; the exact value is 100 / 5,100."""
        assert fisher(0, 5000, 1, 100) == pytest.approx(100 / 5100)


class TestSmirnov:
    @given(st.lists(st.integers(0, 30), min_size=2), st.lists(st.integers(0, 30), min_size=2))
    def test_is_kolmogorovs_tail_of_the_distance_of_scipy(self, x, y):
        distance = scipy.stats.ks_2samp(x, y, method="asymp").statistic
        n_effective = len(x) * len(y) / (len(x) + len(y))
        expected = scipy.stats.kstwobign.sf(np.sqrt(n_effective) * distance)
        assert_allclose(smirnov(np.array(x), np.array(y)), expected, rtol=1e-12)

    def test_p_value_is_close_to_the_exact_one(self):
        rng = np.random.default_rng(0)
        x, y = rng.integers(0, 10**6, 400), rng.integers(0, 10**6, 300) + 150_000
        exact = scipy.stats.ks_2samp(x, y, method="exact").pvalue
        assert exact < smirnov(x, y) < 2 * exact  # never too small


class TestCopies:
    @pytest.mark.parametrize("counts", [[3, 2, 1], [1, 1, 1, 1], [6], [2, 2, 2]])
    @pytest.mark.parametrize("n", [1, 2, 4])
    def test_is_the_mean_over_all_draws(self, counts, n):
        texts = np.repeat(np.arange(len(counts)), counts).tolist()
        draws = [n - len(set(draw)) for draw in combinations(texts, min(n, len(texts)))]
        assert_allclose(copies_among(np.array(counts), n), np.mean(draws), atol=1e-12)

    def test_all_texts_are_counted(self):
        assert_allclose(copies_among(np.array([5, 3, 1]), 9), 6)


class TestShared:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("several", "n", "m"),
        [([2] * 40, 300, 300), ([2, 3, 9] * 10, 400, 200), ([2] * 60, 900, 90)],
    )
    def test_is_near_the_tail_of_random_assignments_and_not_below(self, several, n, m):
        """10,000 assignments; at a tail of 0.02 their error is 0.0014 (one s.d.)."""
        rng = np.random.default_rng(0)
        texts = np.repeat(np.arange(len(several)), several)
        texts = np.concatenate([texts, len(several) + np.arange(n + m - len(texts))])
        shared = []
        for _ in range(10_000):
            is_human = np.arange(len(texts)) < n
            rng.shuffle(is_human)
            p = np.bincount(texts[is_human], minlength=texts[-1] + 1)
            q = np.bincount(texts[~is_human], minlength=texts[-1] + 1)
            shared.append(np.count_nonzero((p > 0) & (q > 0)))
        level = int(np.quantile(shared, 0.98))
        tail = np.mean(np.array(shared) >= level)
        # Counts with exactly `level` texts in both samples: so many of those that stand several
        # times have one copy in the system's sample, all others are in one sample.
        p = [c - (i < level) for i, c in enumerate(several)]
        q = [int(i < level) for i in range(len(several))]
        p_once, q_once = n - sum(p), m - sum(q)
        p, q = p + [1] * p_once + [0] * q_once, q + [0] * p_once + [1] * q_once
        assert tail - 0.005 < shared_by_chance(np.array(p), np.array(q)) < 3 * tail

    def test_no_text_twice(self):
        assert shared_by_chance(np.array([1, 0]), np.array([0, 1])) == 1

    def test_texts_that_are_all_in_both_samples(self):
        once = np.ones(100, dtype=int)
        assert shared_by_chance(once, once) < 1e-20

    def test_copies_within_a_sample_are_no_sign(self):
        p, q = np.repeat([[2, 0], [0, 2]], 50, axis=1)
        assert shared_by_chance(p, q) > 0.999
