"""Statistics of phrases: closed forms by hand, and SciPy's tails."""

from math import log, sqrt

import numpy as np
import pytest
import scipy

from mauve.explanation.enrichment import log_limit, log_odds, log_tails


class TestLogOdds:
    def test_by_hand(self):
        """6 of 10 texts against 2 of 30: a prior of a quarter gives 2.5 and 7.5 texts at 1/5."""
        ratio, z = log_odds(np.array([6]), 10, np.array([2]), 30)
        have, lack = 6 + 0.5, 4 + 2
        other_have, other_lack = 2 + 1.5, 28 + 6
        expected = log(have / lack) - log(other_have / other_lack)
        assert ratio[0] == pytest.approx(expected, rel=1e-12)
        spread = sqrt(1 / have + 1 / lack + 1 / other_have + 1 / other_lack)
        assert z[0] == pytest.approx(expected / spread, rel=1e-12)

    def test_without_a_prior_it_is_the_plain_log_odds_ratio(self):
        ratio, z = log_odds(np.array([6]), 10, np.array([2]), 30, prior=0)
        assert ratio[0] == pytest.approx(log(6 / 4 * 28 / 2), rel=1e-12)
        assert z[0] == pytest.approx(ratio[0] / sqrt(1 / 6 + 1 / 4 + 1 / 2 + 1 / 28), rel=1e-12)

    def test_equal_shares_have_none(self):
        ratio, z = log_odds(np.array([5, 1]), 10, np.array([15, 3]), 30)
        assert ratio == pytest.approx([0, 0], abs=1e-12)
        assert z == pytest.approx([0, 0], abs=1e-12)

    def test_swapping_the_groups_changes_the_sign(self):
        one, z = log_odds(np.array([6]), 10, np.array([2]), 30)
        other, other_z = log_odds(np.array([2]), 30, np.array([6]), 10)
        assert one == pytest.approx(-other)
        assert z == pytest.approx(-other_z)

    def test_all_against_none_is_finite_and_above_all_against_some(self):
        _, z = log_odds(np.array([20, 20, 1]), 20, np.array([0, 5, 0]), 20)
        assert np.isfinite(z).all()
        assert z[0] > z[1] > z[2]


class TestChance:
    def test_bound_of_the_tail(self):
        """Never below SciPy's tail, and within a tenth of it where that is below 0.001."""
        rng = np.random.default_rng(0)
        n, total = 400, rng.integers(1, 200, 500)
        count = rng.hypergeometric(total, n - total, 60) + rng.integers(0, 20, 500)
        count = np.minimum(count, np.minimum(total, 60))
        exact = scipy.stats.hypergeom.sf(count - 1, n, total, 60)
        bounds = np.exp(log_tails(count, total, 60, n))
        assert (bounds >= exact * (1 - 1e-9)).all()
        small = exact < 1e-3
        assert small.sum() > 50
        assert (bounds[small] <= exact[small] * 1.1).all()

    def test_limit_counts_only_what_could_reach_it(self):
        """In 10 of 20 texts, at best 1/C(20, 10); in one, at best 1/2, whatever the number."""
        total = np.array([1] * 1000 + [10] * 7)
        assert np.exp(log_limit(total, 10, 20, 0.05)) == pytest.approx(0.05 / 7)
        assert np.exp(log_limit(np.array([1]), 10, 20, 0.05)) == pytest.approx(0.05)

    def test_limit_is_bonferroni_where_all_could_reach_it(self):
        total = np.full(100, 10)  # 1/C(20, 10) is below 0.05/100
        assert np.exp(log_limit(total, 10, 20, 0.05)) == pytest.approx(0.05 / 100)
