"""Blocks and joint clusterings."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mauve.errors import InvalidParameterError
from mauve.quantize.crossfit import FITTED, N_BLOCKS, cluster_jointly, pool_by_content
from mauve.quantize.kmeans import KMeans


def cluster(samples, **settings):
    defaults = {"quantizer": KMeans(), "num_buckets": 6, "n_clusterings": 5, "seed": 0}
    return cluster_jointly(samples, **{**defaults, **settings})


class TestFitted:
    def test_has_every_pair_of_the_five_blocks_once(self):
        assert N_BLOCKS == 5
        assert sorted(tuple(sorted(pair)) for pair in FITTED) == list(combinations(range(5), 2))

    @pytest.mark.parametrize("n_clusterings", [5, 10])
    def test_every_block_is_fitted_on_equally_often(self, n_clusterings):
        used = np.bincount(np.ravel(FITTED[:n_clusterings]), minlength=5)
        assert_array_equal(used, 2 * n_clusterings // 5)


class TestClusterJointly:
    @pytest.mark.parametrize("n", [(10, 10), (23, 57), (100, 101)])
    def test_blocks_of_every_sample_are_balanced(self, n):
        rng = np.random.default_rng(0)
        clustering = cluster([rng.normal(size=(size, 3)) for size in n], num_buckets=2)
        for part in np.split(clustering.blocks, [n[0]]):
            assert np.ptp(np.bincount(part, minlength=5)) <= 1

    def test_every_text_is_held_out_equally_often(self):
        rng = np.random.default_rng(1)
        for n_clusterings in (5, 10, 15):
            clustering = cluster(list(rng.normal(size=(2, 50, 3))), n_clusterings=n_clusterings)
            assert_array_equal(clustering.held_out.sum(axis=0), 3 * n_clusterings // 5)

    def test_held_out_texts_are_those_of_the_other_three_blocks(self):
        rng = np.random.default_rng(2)
        clustering = cluster(list(rng.normal(size=(2, 40, 3))), n_clusterings=10)
        for held_out, pair in zip(clustering.held_out, FITTED, strict=True):
            assert_array_equal(held_out, ~np.isin(clustering.blocks, pair))

    def test_labels_of_a_text_do_not_depend_on_the_order_of_rows(self):
        rng = np.random.default_rng(3)
        human, system = rng.normal(size=(60, 4)), rng.normal(size=(80, 4))
        before = cluster([human, system])
        first, second = rng.permutation(60), rng.permutation(80)
        after = cluster([human[first], system[second]])
        order = np.concatenate([first, 60 + second])
        assert_array_equal(after.labels, before.labels[:, order])
        assert_array_equal(after.held_out, before.held_out[:, order])
        assert_array_equal(after.blocks, before.blocks[order])

    def test_labels_do_not_depend_on_which_sample_comes_first(self):
        rng = np.random.default_rng(4)
        human, system = rng.normal(size=(60, 4)), rng.normal(size=(80, 4))
        before, after = cluster([human, system]), cluster([system, human])
        order = np.concatenate([np.arange(60, 140), np.arange(60)])
        assert_array_equal(after.labels, before.labels[:, order])

    def test_identical_samples_get_the_same_blocks_and_labels(self):
        sample = np.random.default_rng(5).normal(size=(70, 4))
        clustering = cluster([sample, sample.copy()])
        assert_array_equal(clustering.labels[:, :70], clustering.labels[:, 70:])
        assert_array_equal(clustering.held_out[:, :70], clustering.held_out[:, 70:])

    def test_copies_of_one_text_are_spread_over_the_blocks(self):
        rng = np.random.default_rng(6)
        sample = np.repeat(rng.normal(size=(4, 3)), 25, axis=0)
        clustering = cluster([sample, rng.normal(size=(100, 3))])
        for copy in range(4):
            assert len(np.unique(clustering.blocks[25 * copy : 25 * copy + 25])) == 5

    def test_texts_of_one_prompt_stay_in_one_block(self):
        rng = np.random.default_rng(7)
        groups = np.tile(np.arange(50), 2)
        clustering = cluster(list(rng.normal(size=(2, 50, 3))), groups=groups)
        assert_array_equal(clustering.blocks[:50], clustering.blocks[50:])
        assert_array_equal(np.bincount(clustering.blocks), 20)

    def test_clusterings_do_not_depend_on_how_many_there_are(self):
        samples = list(np.random.default_rng(8).normal(size=(2, 60, 4)))
        assert_array_equal(
            cluster(samples, n_clusterings=10).labels[:5], cluster(samples, n_clusterings=5).labels
        )

    def test_depends_on_the_seed(self):
        samples = list(np.random.default_rng(9).normal(size=(2, 60, 4)))
        first = cluster(samples, seed=1)
        assert_array_equal(first.labels, cluster(samples, seed=1).labels)
        assert np.any(first.labels != cluster(samples, seed=2).labels)

    def test_blocks_depend_on_the_texts_and_not_on_the_seed(self):
        samples = list(np.random.default_rng(9).normal(size=(2, 60, 4)))
        first, second = (cluster(samples, seed=seed) for seed in (1, 2))
        assert_array_equal(first.blocks, second.blocks)

    def test_labels_are_buckets(self):
        clustering = cluster(list(np.random.default_rng(11).normal(size=(2, 60, 4))))
        assert clustering.labels.shape == clustering.held_out.shape == (5, 120)
        assert clustering.labels.min() >= 0
        assert clustering.labels.max() < 6

    def test_other_texts_can_be_labelled(self):
        rng = np.random.default_rng(12)
        samples = list(rng.normal(size=(2, 60, 4)))
        clustering = cluster(samples)
        again = clustering.assign(np.concatenate(samples))
        assert again.shape == (5, 120)
        # The product of one row may round otherwise alone than among many.
        assert_allclose(np.mean(again == clustering.labels), 1, atol=0.02)
        fresh = rng.normal(size=(10, 4))
        before = fresh.copy()
        assert clustering.assign(fresh).shape == (5, 10)
        assert_array_equal(fresh, before)

    def test_progress_counts_up(self):
        done = []
        cluster(list(np.random.default_rng(13).normal(size=(2, 30, 3))), on_done=done.append)
        assert sorted(done) == [1, 2, 3, 4, 5]

    def test_torch_can_compute_the_components(self):
        samples = list(np.random.default_rng(14).normal(size=(2, 60, 4)))
        by_numpy, by_torch = (cluster(samples, device=device) for device in (None, "cpu"))
        assert by_torch.reduced.shape == by_numpy.reduced.shape
        assert_array_equal(by_torch.blocks, by_numpy.blocks)

    def test_more_buckets_than_fitted_texts_are_refused(self):
        samples = list(np.random.default_rng(15).normal(size=(2, 30, 3)))
        with pytest.raises(InvalidParameterError, match=r"at most 24, the texts .* Got 25"):
            cluster(samples, num_buckets=25)

    @pytest.mark.parametrize("labels", [np.full(60, 6), np.full(60, -1), np.zeros(60), np.zeros(3)])
    def test_labels_that_are_not_buckets_are_refused(self, labels):
        class Wrong:
            signature = "wrong"

            def fit(self, features, num_buckets, rng):
                return self

            def assign(self, features):
                return labels

        samples = list(np.random.default_rng(16).normal(size=(2, 30, 3)))
        with pytest.raises(InvalidParameterError, match=r"each of 60 texts .* in \[0, 6\)\. Got"):
            cluster(samples, quantizer=Wrong())

    def test_too_few_prompts_are_refused(self):
        samples = list(np.random.default_rng(17).normal(size=(2, 30, 3)))
        groups = np.tile(np.arange(30) % 3, 2)
        with pytest.raises(InvalidParameterError, match=r"Got 3 different prompts.* more prompts"):
            cluster(samples, groups=groups)


class TestPoolByContent:
    @given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 30))
    @settings(deadline=None, max_examples=30)
    def test_positions_restore_the_order_of_the_samples(self, seed, n_p, n_q):
        rng = np.random.default_rng(seed)
        samples = [rng.integers(3, size=(n, 2)).astype(float) for n in (n_p, n_q)]
        features, hashes, position = pool_by_content(samples)
        assert_array_equal(features[position], np.concatenate(samples))
        assert_array_equal(np.sort(position), np.arange(n_p + n_q))
        assert_array_equal(hashes[np.argsort(position)], np.sort(hashes))

    def test_pool_is_the_same_for_texts_in_any_order(self):
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(3000, 4)).astype(np.float32)
        pooled, _, _ = pool_by_content([rows[:1000], rows[1000:]])
        permuted, _, _ = pool_by_content([rng.permutation(rows)])
        assert_array_equal(pooled, permuted)

    @pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32, ">f4"])
    def test_any_type_becomes_float32(self, dtype):
        rows = np.arange(20).reshape(10, 2).astype(dtype)
        features, _, position = pool_by_content([rows])
        assert features.dtype == np.float32
        assert_array_equal(features[position], rows.astype(np.float32))

    def test_samples_are_left_as_they_were(self):
        rows = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
        before = rows.copy()
        features, _, _ = pool_by_content([rows])
        features[:] = 0
        assert_array_equal(rows, before)
