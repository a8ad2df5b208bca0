"""Permutations and bootstrap draws: what they must keep, and what they must share."""

import dataclasses

import numpy as np
import pytest
from drawn_pairs import draw_pair
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from mauve.inference.intervals import covariance, deviance_influences
from mauve.inference.resampling import (
    LabelledPair,
    NullScores,
    bootstrap_deviances,
    bootstrap_weights,
    permutation_scores,
    permuted_samples,
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


class TestPermutedSamples:
    @given(st.integers(0, 2**32), st.integers(1, 25), st.integers(1, 25))
    @settings(deadline=None, max_examples=30)
    def test_every_block_keeps_its_number_of_human_texts(self, seed, n_p, n_q):
        rng = np.random.default_rng(seed)
        pair = random_pair(rng, n_p, n_q)
        drawn = permuted_samples(pair, 7, rng)
        for block in range(5):
            inside = pair.blocks == block
            assert_array_equal(drawn[:, inside].sum(axis=1), pair.is_human[inside].sum())

    @given(st.integers(0, 2**32), st.integers(1, 12))
    @settings(deadline=None, max_examples=30)
    def test_every_prompt_that_both_samples_answer_keeps_its_numbers(self, seed, n_prompts):
        rng = np.random.default_rng(seed)
        prompts = rng.integers(n_prompts, size=40)
        pair = random_pair(rng, 18, 22, prompts=prompts)
        drawn = permuted_samples(pair, 7, rng)
        for prompt in np.unique(prompts):
            inside = prompts == prompt
            if 0 < pair.is_human[inside].sum() < inside.sum():
                assert_array_equal(drawn[:, inside].sum(axis=1), pair.is_human[inside].sum())
        assert_array_equal(drawn.sum(axis=1), 18)

    def test_all_assignments_of_a_small_block_come_up_equally_often(self):
        """Two of four texts are human: six assignments, 600 draws, 100 each expected.

        The chi-square statistic has five degrees of freedom; above 32 with probability 6e-6.
        """
        pair = random_pair(np.random.default_rng(2), 2, 2, prompts=[0, 5, 10, 15])
        drawn = permuted_samples(pair, 600, np.random.default_rng(3))
        _, times = np.unique(drawn, axis=0, return_counts=True)
        assert len(times) == 6
        assert ((times - 100) ** 2 / 100).sum() < 32

    def test_prompts_are_swapped_independently_with_probability_one_half(self):
        """100 prompts of one human and one model text, 400 draws: 40,000 fair coins.

        The mean is within 0.0125 of 1/2, five standard errors: false alarm 6e-7.
        """
        pair = random_pair(np.random.default_rng(4), 100, 100, prompts=np.tile(np.arange(100), 2))
        drawn = permuted_samples(pair, 400, np.random.default_rng(5))
        swapped = ~drawn[:, :100]
        assert_array_equal(swapped, drawn[:, 100:])
        assert abs(swapped.mean() - 0.5) < 0.0125
        assert len(np.unique(swapped, axis=0)) == 400

    def test_same_generator_same_draws(self):
        pair = random_pair(np.random.default_rng(6), 15, 20)
        drawn, again = (permuted_samples(pair, 9, np.random.default_rng(7)) for _ in range(2))
        assert_array_equal(drawn, again)

    def test_blocks_with_one_sample_only_stay_as_they_are(self):
        pair = random_pair(np.random.default_rng(8), 3, 3, prompts=[0, 0, 0, 1, 1, 1])
        drawn = permuted_samples(pair, 5, np.random.default_rng(9))
        assert_array_equal(drawn, np.tile(pair.is_human, (5, 1)))


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


class TestPromptsOfOneSample:
    """Several texts for a prompt that only one sample answers."""

    @staticmethod
    def pair(n_prompts, n_texts, rng):
        """Draw texts of one source: a prompt decides the bucket of its texts, but for noise."""
        groups = np.repeat(np.arange(2 * n_prompts), n_texts)
        bucket = rng.integers(4, size=2 * n_prompts)[groups]
        noise = rng.random(len(groups)) < 0.2
        labels = np.where(noise, rng.integers(4, size=len(groups)), bucket).astype(np.int32)
        return LabelledPair(
            labels=labels[None],
            counted=np.ones((1, len(groups)), bool),
            is_human=groups < n_prompts,
            blocks=np.zeros(len(groups), np.int64),
            groups=groups,
            num_buckets=4,
        )

    def test_move_together(self):
        pair = self.pair(6, 3, np.random.default_rng(0))
        drawn = permuted_samples(pair, 50, np.random.default_rng(1)).reshape(50, 12, 3)
        assert (drawn == drawn[:, :, :1]).all()
        assert (drawn[:, :, 0].sum(axis=1) == 6).all()
        assert len(np.unique(drawn[:, :, 0], axis=0)) > 20

    def test_only_with_prompts_of_as_many_texts(self):
        pair = self.pair(4, 2, np.random.default_rng(0))
        odd = dataclasses.replace(
            pair, groups=np.r_[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
        )
        drawn = permuted_samples(odd, 50, np.random.default_rng(1))
        assert drawn[:, :4].all()  # nothing else has four texts

    @pytest.mark.slow
    def test_a_true_p_equals_q_is_rejected_as_often_as_it_says(self):
        # 400 cases at 10%: 40 ± 6 are expected; below 65 but once in 30,000 runs. Permuting
        # the texts one by one rejects most cases.
        rejected = 0
        for case in range(400):
            rng = np.random.default_rng(case)
            null = permutation_scores(self.pair(20, 5, rng), "plugin", 5.0, 99, seed=case)
            rejected += null.p_value <= 0.1
        assert rejected < 65


class TestPermutationTest:
    def test_hand_values(self):
        null = np.array([0.9, 0.8, 0.7, 0.6])
        assert NullScores(0.5, null, null).p_value == 1 / 5
        assert NullScores(0.7, null, null).p_value == 3 / 5
        assert NullScores(1.0, null, null).p_value == 1

    def test_far_pairs_get_the_least_p_value(self):
        pair = draw_pair(np.random.default_rng(0), [1, 0], [0, 1], 30, 30)
        null = permutation_scores(pair, "jackknife", 5.0, 99, 0)
        assert null.p_value == 1 / 100

    @pytest.mark.slow
    def test_is_valid_if_p_equals_q(self):
        """300 pairs with P = Q: p ≤ 0.1 at most one time in ten.

        Bin(300, 0.1) exceeds the bound with a probability of 1e-5. Guards against a statistic
        that is not the one permuted, and against permutations that miss the observed one.
        """
        rng = np.random.default_rng(1)
        p = np.array([0.4, 0.3, 0.2, 0.1])
        values = []
        for seed in range(300):
            pair = draw_pair(rng, p, p, 12, 15, n_clusterings=2)
            values.append(permutation_scores(pair, "plugin", 5.0, 19, seed).p_value)
        values = np.array(values)
        assert np.sum(values <= 0.1) <= binom.isf(1e-5, 300, 0.1)
        assert np.sum(values <= 0.05) <= binom.isf(1e-5, 300, 0.05)
        assert np.sum(values <= 0.5) >= binom.ppf(1e-5, 300, 0.25)  # and not always near one

    def test_number_of_draws_and_seed_are_kept(self):
        pair = draw_pair(np.random.default_rng(2), [0.5, 0.5], [0.3, 0.7], 20, 20)
        null, again = (permutation_scores(pair, "jackknife", 5.0, 120, 7) for _ in range(2))
        assert null.plugin.shape == null.score.shape == (120,)
        assert_array_equal(null.plugin, again.plugin)
        assert_array_equal(null.score, again.score)
        # Draws come in batches with generators of their own: fewer draws are a prefix.
        few = permutation_scores(pair, "jackknife", 5.0, 60, 7)
        assert_array_equal(few.plugin[:50], null.plugin[:50])
        assert np.any(permutation_scores(pair, "jackknife", 5.0, 120, 8).plugin != null.plugin)

    def test_null_scores_lie_in_the_unit_interval(self):
        pair = draw_pair(np.random.default_rng(3), [0.5, 0.5], [0.1, 0.9], 15, 25)
        null = permutation_scores(pair, "jackknife", 5.0, 50, 0)
        for scores in (null.plugin, null.score):
            assert 0 < scores.min() <= scores.max() <= 1


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
