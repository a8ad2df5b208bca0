"""Agreement of clusters with metadata: p-values and chance levels against closed forms."""

from itertools import combinations
from math import comb, log

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.explanation.agreement import dominances, summarize_field


class TestDominances:
    VALUES = ("a",) * 5 + ("b",) * 4 + ("c",) * 3
    CLUSTERS = np.array([1, 1, 1, 1, 2, 1, 2, 2, 3, 3, 3, 3])  # 4 a, 1 b | 1 a, 2 b | 1 b, 3 c

    def dominances(self, **options):
        return dominances("site", self.VALUES, self.CLUSTERS, 3, **options)

    def test_purity_and_entropy_by_hand(self):
        first, second, third = self.dominances()
        assert (first.field, first.n_texts, first.value, first.purity) == ("site", 5, "a", 0.8)
        assert first.entropy == pytest.approx(-0.8 * log(0.8) - 0.2 * log(0.2), rel=1e-12)
        assert (second.value, second.purity) == ("b", pytest.approx(2 / 3))
        assert (third.value, third.purity) == ("c", 0.75)

    def test_p_values_are_hypergeometric_tails_adjusted_by_holm(self):
        """Raw tails by SciPy; all nine pairs of cluster and value share the level."""
        counts = np.array([[4, 1, 0], [1, 2, 0], [0, 1, 3]])
        raw = scipy.stats.hypergeom.sf(counts - 1, 12, [5, 4, 3], [[5], [3], [4]])
        is_above = counts * 12 > np.outer([5, 3, 4], [5, 4, 3])
        raw = np.where(is_above, raw, 1).ravel()
        order = np.argsort(raw)
        steps = np.maximum.accumulate(raw[order] * np.arange(9, 0, -1))
        adjusted = np.empty(9)
        adjusted[order] = np.minimum(steps, 1)
        adjusted = adjusted.reshape(3, 3)
        for k, (value, dominance) in enumerate(zip("abc", self.dominances(), strict=True)):
            assert dominance.enriched == value
            assert dominance.p_value == pytest.approx(adjusted[k, k], rel=1e-9)
        # Three of four, of all three c: 9 of the 495 ways to choose four texts.
        assert raw[8] == pytest.approx(9 / comb(12, 4))
        assert self.dominances()[0].enriched_share == 0.8
        assert self.dominances()[0].overall_share == pytest.approx(5 / 12)

    def test_chance_levels_against_all_ways_to_draw(self):
        """Means over all 792 sets of five texts of twelve."""
        ways = [[self.VALUES[i] for i in way] for way in combinations(range(12), 5)]
        shares = [[way.count(value) / 5 for value in "abc"] for way in ways]
        purity = np.mean([max(way) for way in shares])
        entropy = np.mean([-sum(p * log(p) for p in way if p) for way in shares])
        by_seed = [self.dominances(seed=seed)[0] for seed in range(20)]
        # Twenty seeds, and five standard errors of their mean: about one run in a million.
        spread = np.std([max(way) for way in shares]) / np.sqrt(20 * 200)
        assert np.mean([dominance.chance_purity for dominance in by_seed]) == pytest.approx(
            purity, abs=5 * spread
        )
        spread = np.std([-sum(p * log(p) for p in way if p) for way in shares]) / np.sqrt(4000)
        assert np.mean([dominance.chance_entropy for dominance in by_seed]) == pytest.approx(
            entropy, abs=5 * spread
        )

    def test_seeds(self):
        assert self.dominances(seed=3) == self.dominances(seed=3)
        assert self.dominances(seed=3) != self.dominances(seed=4)

    def test_texts_without_a_value_do_not_count(self):
        values = [*self.VALUES, None, None]
        clusters = np.append(self.CLUSTERS, [1, 4])
        by_cluster = dominances("site", values, clusters, 4)
        assert by_cluster[:3] == self.dominances()
        assert by_cluster[3] is None

    def test_nothing_is_enriched_where_every_cluster_is_like_all(self):
        by_cluster = dominances("site", list("abab"), np.array([1, 1, 2, 2]), 2)
        for dominance in by_cluster:
            assert (dominance.enriched, dominance.p_value) == (None, 1.0)
            assert (dominance.enriched_share, dominance.overall_share) == (0.0, 0.0)

    def test_no_value_at_all(self):
        assert dominances("site", [None] * 3, np.array([1, 2, 2]), 2) == [None, None]

    @pytest.mark.slow
    def test_chance_seldom_passes_for_enrichment(self):
        """300 random fields, 4 clusters, 6 values: any p below 0.05 in at most 5% of them.

        The bound is the 99.9% quantile of a binomial with 300 trials and p = 0.05, 28.
        """
        rng = np.random.default_rng(0)
        clusters = np.repeat([1, 2, 3, 4], 30)
        hits = 0
        for _ in range(300):
            values = rng.choice(list("aaabbcdef"), size=120).tolist()
            by_cluster = dominances("site", values, clusters, 4)
            hits += min(dominance.p_value for dominance in by_cluster) < 0.05
        assert hits <= 28

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3)), min_size=1, max_size=20))
    def test_ranges(self, pairs):
        values, clusters = zip(*pairs, strict=True)
        for dominance in dominances("site", values, np.array(clusters), 3):
            if dominance is not None:
                assert 0 < dominance.purity <= 1
                assert 0 < dominance.chance_purity <= 1
                assert 0 <= dominance.entropy <= log(3) + 1e-12
                assert 0 <= dominance.p_value <= 1


class TestSummary:
    def test_purity_by_hand_and_p_value(self):
        values = ["a"] * 30 + ["b"] * 30 + [None] * 5
        clusters = np.repeat([1, 2, 1], [27, 33, 5])
        summary = summarize_field("site", values, clusters, np.zeros((2, 65), dtype=int))
        assert (summary.n_texts, summary.n_values) == (60, 2)
        assert summary.purity == pytest.approx(57 / 60)  # 27 a in one, 30 b and 3 a in the other
        assert summary.chance_purity < 0.65
        assert summary.p_value == pytest.approx(1 / 201)

    @pytest.mark.slow
    def test_p_value_is_uniform_by_chance(self):
        """At most 10% below 0.1 of 200 random fields: 99.9% quantile of the binomial is 34."""
        rng = np.random.default_rng(1)
        clusters, labels = np.repeat([1, 2, 3], 20), np.zeros((1, 60), dtype=int)
        p_values = [
            summarize_field(
                "site", rng.choice(list("abcd"), 60).tolist(), clusters, labels, n_permutations=39
            ).p_value
            for _ in range(200)
        ]
        assert sum(p <= 0.1 for p in p_values) <= 34

    def test_buckets_of_one_or_two_values(self):
        """Buckets of 20, 25 and 19 texts; then one of 64 with all values."""
        first = np.repeat([0, 4, 2], [20, 25, 19])
        values = ["a", "b"] * 10 + ["c", "d", "e", "f", "g"] * 5 + ["a"] * 19
        clusters = np.ones(64, dtype=int)
        single = summarize_field("site", values, clusters, first[None])
        assert (single.n_buckets, single.n_pure, single.chance_pure) == (2, 1, 0)
        double = summarize_field("site", values, clusters, np.stack([first, 0 * first]))
        assert (double.n_buckets, double.n_pure) == (1.5, 0.5)

    def test_buckets_that_would_be_pure_by_chance(self):
        values = ["a"] * 30 + ["b"] * 30
        buckets = np.repeat([[0, 1]], 30, axis=1)
        summary = summarize_field("site", values, buckets[0] + 1, buckets)
        assert (summary.n_buckets, summary.n_pure, summary.chance_pure) == (2, 2, 2)

    def test_chance_of_pure_buckets_against_the_closed_form(self):
        """A third value in one text of 40, buckets of 20: the bucket without it is pure, always."""
        values = ["a"] * 20 + ["b"] * 19 + ["c"]
        buckets = np.repeat([0, 1], 20)
        summary = summarize_field("site", values, buckets + 1, np.stack([buckets] * 3))
        assert summary.n_pure == 2  # a | b and c
        # The bucket with the third value is pure only if all others there are of one value.
        by_chance = 1 + (comb(20, 19) + comb(19, 19)) / comb(39, 19)
        assert summary.chance_pure == pytest.approx(by_chance, abs=0.01)

    def test_errors(self):
        labels = np.zeros((1, 2), dtype=int)
        with pytest.raises(InvalidParameterError, match=r"The field 's\\n' must have a value"):
            summarize_field("s\n", [None, None], np.array([1, 1]), labels)
        with pytest.raises(InvalidParameterError, match="n_permutations"):
            summarize_field("s", ["a", "b"], np.array([1, 1]), labels, n_permutations=0)
