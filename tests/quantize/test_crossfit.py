"""Blocks, content keys and joint clusterings."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mauve.quantize.crossfit import (
    FITTED,
    N_BLOCKS,
    cluster_jointly,
    content_keys,
    mix_keys,
    pool_by_content,
)
from mauve.quantize.kmeans import KMeans


def cluster(samples, **settings):
    defaults = {"quantizer": KMeans(), "n_clusters": 6, "n_clusterings": 5, "seed": 0}
    return cluster_jointly(samples, **{**defaults, **settings})


class TestFitted:
    def test_has_every_pair_of_the_five_blocks_once(self):
        assert N_BLOCKS == 5
        assert sorted(tuple(sorted(pair)) for pair in FITTED) == list(combinations(range(5), 2))

    @pytest.mark.parametrize("n_clusterings", [5, 10])
    def test_every_block_is_fitted_on_equally_often(self, n_clusterings):
        used = np.bincount(np.ravel(FITTED[:n_clusterings]), minlength=5)
        assert_array_equal(used, 2 * n_clusterings // 5)


class TestContentKeys:
    def test_equal_rows_have_equal_keys(self):
        rows = np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32)
        assert_array_equal(content_keys(rows), content_keys(rows.copy()))
        assert_array_equal(content_keys(rows[::-1].copy()), content_keys(rows)[::-1])

    @pytest.mark.parametrize("d", [1, 2, 64])
    def test_no_two_of_100_000_random_rows_share_a_key(self, d):
        """Chance would give 3e-10 pairs among 64-bit keys. Rows that do coincide may."""
        rows = np.random.default_rng(1).normal(size=(100_000, d)).astype(np.float32)
        distinct = len(np.unique(rows, axis=0)) if d == 1 else len(rows)
        assert len(np.unique(content_keys(rows))) == distinct

    def test_rows_of_small_whole_numbers_do_not_collide(self):
        """Features such as counts have few bits set; 7⁶ of them all differ."""
        rows = np.stack(np.meshgrid(*[np.arange(7.0)] * 6), axis=-1).reshape(-1, 6)
        assert len(np.unique(content_keys(rows.astype(np.float32)))) == 7**6

    def test_columns_in_another_order_make_another_key(self):
        rows = np.array([[1, 2, 3], [3, 2, 1], [2, 1, 3]], dtype=np.float32)
        assert len(np.unique(content_keys(rows))) == 3

    def test_minus_zero_is_zero(self):
        rows = np.array([[0.0, 1.0], [-0.0, 1.0]], dtype=np.float32)
        assert len(np.unique(content_keys(rows))) == 1

    def test_the_smallest_change_changes_the_key(self):
        rows = np.random.default_rng(2).normal(size=(100, 5)).astype(np.float32)
        changed = rows.copy()
        changed[:, 3] = np.nextafter(changed[:, 3], np.float32(9))
        assert np.all(content_keys(rows) != content_keys(changed))


class TestMixKeys:
    def test_is_one_to_one(self):
        keys = np.arange(100_000, dtype=np.uint64)
        assert len(np.unique(mix_keys(keys, 3))) == 100_000

    def test_follows_the_seed(self):
        keys = np.arange(100, dtype=np.uint64)
        assert_array_equal(mix_keys(keys, 1), mix_keys(keys, 1))
        assert np.all(mix_keys(keys, 1) != mix_keys(keys, 2))

    def test_order_of_the_keys_is_scrambled(self):
        """Rank correlation of 10,000 keys before and after: s.d. 0.01, so 0.05 is five."""
        keys = np.arange(10_000, dtype=np.uint64)
        rank = np.argsort(np.argsort(mix_keys(keys, 0)))
        assert abs(np.corrcoef(np.arange(10_000), rank)[0, 1]) < 0.05


class TestPoolByContent:
    @given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 30))
    @settings(deadline=None, max_examples=30)
    def test_positions_lead_back_to_the_order_given(self, seed, n_p, n_q):
        rng = np.random.default_rng(seed)
        samples = [rng.integers(3, size=(n, 2)).astype(float) for n in (n_p, n_q)]
        features, keys, position = pool_by_content(samples)
        assert_array_equal(features[position], np.concatenate(samples))
        assert_array_equal(np.sort(position), np.arange(n_p + n_q))
        assert_array_equal(keys[np.argsort(position)], np.sort(keys))

    def test_pool_is_the_same_for_texts_in_any_order(self):
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(3000, 4)).astype(np.float32)
        one, _, _ = pool_by_content([rows[:1000], rows[1000:]])
        other, _, _ = pool_by_content([rng.permutation(rows)])
        assert_array_equal(one, other)

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


class TestClusterJointly:
    @pytest.mark.parametrize("n", [(10, 10), (23, 57), (100, 101)])
    def test_blocks_of_every_sample_are_balanced(self, n):
        rng = np.random.default_rng(0)
        found = cluster([rng.normal(size=(size, 3)) for size in n], n_clusters=2)
        for part in np.split(found.blocks, [n[0]]):
            assert np.ptp(np.bincount(part, minlength=5)) <= 1

    def test_every_text_is_held_out_equally_often(self):
        rng = np.random.default_rng(1)
        for n_clusterings in (5, 10, 15):
            found = cluster(list(rng.normal(size=(2, 50, 3))), n_clusterings=n_clusterings)
            assert_array_equal(found.held_out.sum(axis=0), 3 * n_clusterings // 5)

    def test_held_out_texts_are_those_of_the_other_three_blocks(self):
        rng = np.random.default_rng(2)
        found = cluster(list(rng.normal(size=(2, 40, 3))), n_clusterings=10)
        for clustering, pair in enumerate(FITTED):
            assert_array_equal(found.held_out[clustering], ~np.isin(found.blocks, pair))

    def test_labels_of_a_text_do_not_depend_on_the_order_of_rows(self):
        rng = np.random.default_rng(3)
        one, two = rng.normal(size=(60, 4)), rng.normal(size=(80, 4))
        before = cluster([one, two])
        first, second = rng.permutation(60), rng.permutation(80)
        after = cluster([one[first], two[second]])
        order = np.concatenate([first, 60 + second])
        assert_array_equal(after.labels, before.labels[:, order])
        assert_array_equal(after.held_out, before.held_out[:, order])
        assert_array_equal(after.blocks, before.blocks[order])

    def test_labels_do_not_depend_on_which_sample_comes_first(self):
        rng = np.random.default_rng(4)
        one, two = rng.normal(size=(60, 4)), rng.normal(size=(80, 4))
        before, after = cluster([one, two]), cluster([two, one])
        order = np.concatenate([np.arange(60, 140), np.arange(60)])
        assert_array_equal(after.labels, before.labels[:, order])

    def test_identical_samples_are_dealt_and_labelled_alike(self):
        sample = np.random.default_rng(5).normal(size=(70, 4))
        found = cluster([sample, sample.copy()])
        assert_array_equal(found.labels[:, :70], found.labels[:, 70:])
        assert_array_equal(found.held_out[:, :70], found.held_out[:, 70:])

    def test_copies_of_one_text_are_dealt_out_over_the_blocks(self):
        rng = np.random.default_rng(6)
        sample = np.repeat(rng.normal(size=(4, 3)), 25, axis=0)
        found = cluster([sample, rng.normal(size=(100, 3))])
        for copy in range(4):
            assert len(np.unique(found.blocks[25 * copy : 25 * copy + 25])) == 5

    def test_texts_of_one_prompt_stay_in_one_block(self):
        rng = np.random.default_rng(7)
        groups = np.tile(np.arange(50), 2)
        found = cluster(list(rng.normal(size=(2, 50, 3))), groups=groups)
        assert_array_equal(found.blocks[:50], found.blocks[50:])
        assert_array_equal(np.bincount(found.blocks), 20)

    def test_clusterings_do_not_depend_on_how_many_there_are(self):
        samples = list(np.random.default_rng(8).normal(size=(2, 60, 4)))
        assert_array_equal(
            cluster(samples, n_clusterings=10).labels[:5], cluster(samples, n_clusterings=5).labels
        )

    def test_follows_the_seed(self):
        samples = list(np.random.default_rng(9).normal(size=(2, 60, 4)))
        one = cluster(samples, seed=1)
        assert_array_equal(one.labels, cluster(samples, seed=1).labels)
        assert np.any(one.labels != cluster(samples, seed=2).labels)

    def test_blocks_follow_the_texts_and_not_the_seed(self):
        samples = list(np.random.default_rng(9).normal(size=(2, 60, 4)))
        one, two = (cluster(samples, seed=seed) for seed in (1, 2))
        assert_array_equal(one.blocks, two.blocks)

    def test_labels_are_cells(self):
        found = cluster(list(np.random.default_rng(11).normal(size=(2, 60, 4))))
        assert found.labels.shape == found.held_out.shape == (5, 120)
        assert found.labels.min() >= 0
        assert found.labels.max() < 6

    def test_other_texts_can_be_labelled(self):
        rng = np.random.default_rng(12)
        samples = list(rng.normal(size=(2, 60, 4)))
        found = cluster(samples)
        again = found.assign(np.concatenate(samples))
        assert again.shape == (5, 120)
        # The product of one row may round otherwise alone than among many.
        assert_allclose(np.mean(again == found.labels), 1, atol=0.02)
        fresh = rng.normal(size=(10, 4))
        before = fresh.copy()
        assert found.assign(fresh).shape == (5, 10)
        assert_array_equal(fresh, before)

    def test_progress_counts_up(self):
        seen = []
        cluster(list(np.random.default_rng(13).normal(size=(2, 30, 3))), on_done=seen.append)
        assert sorted(seen) == [1, 2, 3, 4, 5]
