"""Counts of texts in buckets, scores as if P = Q, and bootstrap draws."""

import numpy as np
import pytest
from drawn_pairs import draw_pair
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mauve.frontier.grid import curve_grid
from mauve.frontier.score import mean_divergences, score_of
from mauve.inference.intervals import covariance, deviance_influences
from mauve.inference.resampling import (
    LabelledPair,
    bootstrap_deviances,
    bootstrap_weights,
    null_scores,
)


def random_pair(rng, n_p, n_q, *, n_clusterings=3, k=4, prompts=None):
    """Return a pair with random labels in five blocks; `prompts` has the prompt of every text."""
    n = n_p + n_q
    groups = np.arange(n) if prompts is None else np.asarray(prompts)
    return LabelledPair(
        labels=rng.integers(k, size=(n_clusterings, n), dtype=np.int32),
        counted=rng.random((n_clusterings, n)) < 0.6,
        is_human=np.arange(n) < n_p,
        blocks=groups % 5,
        groups=groups,
        num_buckets=k,
    )


class TestCounts:
    @given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 30))
    @settings(deadline=None, max_examples=30)
    def test_weighted_counts_equal_a_loop(self, seed, n_p, n_q):
        rng = np.random.default_rng(seed)
        pair = random_pair(rng, n_p, n_q)
        weights = rng.integers(5, size=(4, n_p + n_q))
        expected = np.zeros((4, 3, 4), dtype=int)
        for draw in range(4):
            for clustering in range(3):
                for text in range(n_p + n_q):
                    if pair.counted[clustering, text]:
                        bucket = pair.labels[clustering, text]
                        expected[draw, clustering, bucket] += weights[draw, text]
        counts = pair.counts_of(weights)
        assert_array_equal(counts, expected)
        assert counts.dtype == np.int64

    def test_samples_are_counted_apart(self):
        pair = random_pair(np.random.default_rng(0), 20, 30)
        p_counts, q_counts = pair.counts()
        assert_array_equal(p_counts.sum(axis=1), pair.counted[:, :20].sum(axis=1))
        assert_array_equal(q_counts.sum(axis=1), pair.counted[:, 20:].sum(axis=1))

    def test_counting_all_leaves_no_text_out(self):
        pair = random_pair(np.random.default_rng(1), 20, 30).counting_all()
        p_counts, q_counts = pair.counts()
        assert_array_equal(p_counts.sum(axis=1), 20)
        assert_array_equal(q_counts.sum(axis=1), 30)


class TestBootstrapWeights:
    @given(st.integers(0, 2**32), st.integers(5, 30), st.integers(5, 30))
    @settings(deadline=None, max_examples=30)
    def test_every_block_keeps_its_number_of_texts_of_either_sample(self, seed, n_p, n_q):
        pair = random_pair(np.random.default_rng(seed), n_p, n_q)
        weights = bootstrap_weights(pair, 6, [seed])
        for block in range(5):
            for is_human in (True, False):
                inside = (pair.blocks == block) & (pair.is_human == is_human)
                assert_array_equal(weights[:, inside].sum(axis=1), inside.sum())

    def test_texts_of_one_prompt_are_drawn_together(self):
        prompts = np.tile(np.arange(40), 2)
        pair = random_pair(np.random.default_rng(0), 40, 40, prompts=prompts)
        weights = bootstrap_weights(pair, 10, [0])
        assert_array_equal(weights[:, :40], weights[:, 40:])
        for block in range(5):
            assert_array_equal(weights[:, :40][:, pair.blocks[:40] == block].sum(axis=1), 8)

    def test_human_draws_are_the_same_for_two_systems(self):
        rng = np.random.default_rng(1)
        small, large = random_pair(rng, 50, 40), random_pair(rng, 50, 75)
        assert_array_equal(
            bootstrap_weights(small, 8, [3, 1])[:, :50], bootstrap_weights(large, 8, [3, 1])[:, :50]
        )

    def test_each_seed_has_other_draws(self):
        pair = random_pair(np.random.default_rng(2), 30, 30)
        weights = bootstrap_weights(pair, 8, [0, 0])
        assert_array_equal(weights, bootstrap_weights(pair, 8, [0, 0]))
        assert np.any(weights != bootstrap_weights(pair, 8, [0, 50]))
        assert np.any(weights != bootstrap_weights(pair, 8, [1, 0]))

    def test_a_text_counts_once_on_average_with_the_variance_of_a_multinomial(self):
        """2000 draws of 200 texts, 20 in each stratum: mean 1 by construction, variance 0.95.

        The mean of 400,000 squares has a standard error below 0.004, so 0.02 is five of them.
        """
        pair = random_pair(np.random.default_rng(3), 100, 100)
        weights = bootstrap_weights(pair, 2000, [0])
        assert weights.mean() == 1
        assert_allclose(weights.var(), 1 - 1 / 20, atol=0.02)

    @pytest.mark.parametrize("n_draws", [1, 3])
    def test_shape_is_draws_by_texts(self, n_draws):
        pair = random_pair(np.random.default_rng(4), 6, 9)
        assert bootstrap_weights(pair, n_draws, [0]).shape == (n_draws, 15)


class TestPairs:
    def test_the_first_clusterings_are_the_same(self):
        pair = random_pair(np.random.default_rng(5), 20, 30, n_clusterings=6)
        few = pair.first(2)
        assert_array_equal(few.labels, pair.labels[:2])
        assert_array_equal(few.counts(), [counts[:2] for counts in pair.counts()])

    def test_texts_in_another_order_have_the_same_counts_and_prompts(self):
        rng = np.random.default_rng(6)
        pair = random_pair(rng, 20, 30, prompts=rng.integers(12, size=50))
        order = rng.permutation(50)
        moved = pair.at(order)
        assert_array_equal(moved.counts(), pair.counts())
        # Prompts are numbered in their order, so what stays is which texts share one.
        before = pair.groups[order]
        assert_array_equal(moved.groups[:, None] == moved.groups, before[:, None] == before)
        assert_array_equal(moved.blocks, pair.blocks[order])


class TestNullScores:
    def test_every_clustering_keeps_its_numbers_of_counted_texts(self):
        """Whatever is permuted, a bucket of all texts gives equal histograms, and a score of 1."""
        pair = random_pair(np.random.default_rng(7), 20, 30, k=1)
        assert_array_equal(null_scores(pair, "plugin", 5.0, 30, seed=0), 1)

    @pytest.mark.slow
    def test_mean_is_that_of_fresh_samples_of_one_source(self):
        """200 permutations, and 200 pairs of one source: means within five standard errors."""
        rng = np.random.default_rng(8)
        p = rng.dirichlet(np.full(6, 3.0))
        null = null_scores(draw_pair(rng, p, p, 40, 60), "plugin", 5.0, 200, 0)
        fresh = []
        for _ in range(200):
            pair = draw_pair(rng, p, p, 40, 60)
            divergences = mean_divergences(*pair.counts(), curve_grid(), "plugin")
            fresh.append(score_of(divergences, 5.0))
        error = np.hypot(np.std(fresh), null.std()) / np.sqrt(200)
        assert abs(np.mean(fresh) - null.mean()) < 5 * error

    def test_number_of_draws_and_seed_are_kept(self):
        pair = draw_pair(np.random.default_rng(2), [0.5, 0.5], [0.3, 0.7], 20, 20)
        null, again = (null_scores(pair, "jackknife", 5.0, 120, 7) for _ in range(2))
        assert null.shape == (120,)
        assert_array_equal(null, again)
        # Draws come in batches with generators of their own: fewer draws are a prefix.
        assert_array_equal(null_scores(pair, "jackknife", 5.0, 60, 7)[:50], null[:50])
        assert np.any(null_scores(pair, "jackknife", 5.0, 120, 8) != null)

    def test_lie_in_the_unit_interval_above_the_score_of_a_far_pair(self):
        pair = draw_pair(np.random.default_rng(3), [0.5, 0.5], [0.1, 0.9], 15, 25)
        null = null_scores(pair, "jackknife", 5.0, 50, 0)
        assert 0 < null.min() <= null.max() <= 1
        apart = draw_pair(np.random.default_rng(0), [1, 0], [0, 1], 30, 30)
        assert null_scores(apart, "jackknife", 5.0, 99, 0).min() > 0.3  # the score is 0.004

    def test_texts_of_a_prompt_change_samples_within_it(self):
        """Both texts of every prompt are in one bucket, so no permutation changes the counts."""
        prompts = np.tile(np.arange(40), 2)
        pair = LabelledPair(
            labels=(prompts % 4).astype(np.int32)[None],
            counted=np.ones((1, 80), dtype=bool),
            is_human=np.arange(80) < 40,
            blocks=np.zeros(80, dtype=np.int64),
            groups=prompts,
            num_buckets=4,
        )
        assert_array_equal(null_scores(pair, "plugin", 5.0, 30, seed=0), 1)


class TestBootstrap:
    def test_deviances_are_reproducible_and_spread_as_the_influences_say(self):
        """200 bootstrap deviances: their s.d. has a relative standard error of 5%."""
        rng = np.random.default_rng(0)
        p, q = rng.dirichlet(np.full(6, 3.0), size=2)
        pair = draw_pair(rng, p, q, 300, 300)
        deviances = bootstrap_deviances(pair, "jackknife", 5.0, 200, 0)
        assert_array_equal(deviances, bootstrap_deviances(pair, "jackknife", 5.0, 200, 0))
        influence = deviance_influences(pair, 5.0)
        error = np.sqrt(covariance(influence, influence, pair.groups))
        assert_allclose(deviances.std(), error, rtol=0.35)
