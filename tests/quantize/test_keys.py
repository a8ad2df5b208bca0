"""Hashes of features, and samples sorted by them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mauve.hashes import count_distinct, feature_hashes, scramble_hashes
from mauve.quantize.crossfit import pool_by_content


class TestContentKeys:
    def test_equal_rows_have_equal_keys(self):
        rows = np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32)
        assert_array_equal(feature_hashes(rows), feature_hashes(rows.copy()))
        assert_array_equal(feature_hashes(rows[::-1].copy()), feature_hashes(rows)[::-1])

    @pytest.mark.parametrize("d", [1, 2, 64])
    def test_no_two_of_100_000_random_rows_share_a_key(self, d):
        """Chance would give 3e-10 pairs among 64-bit keys. Rows that do coincide may."""
        rows = np.random.default_rng(1).normal(size=(100_000, d)).astype(np.float32)
        distinct = len(np.unique(rows, axis=0)) if d == 1 else len(rows)
        assert len(np.unique(feature_hashes(rows))) == distinct

    def test_rows_of_small_whole_numbers_do_not_collide(self):
        """Features such as counts have few bits set; 7⁶ of them all differ."""
        rows = np.stack(np.meshgrid(*[np.arange(7.0)] * 6), axis=-1).reshape(-1, 6)
        assert len(np.unique(feature_hashes(rows.astype(np.float32)))) == 7**6

    def test_columns_in_another_order_make_another_key(self):
        rows = np.array([[1, 2, 3], [3, 2, 1], [2, 1, 3]], dtype=np.float32)
        assert len(np.unique(feature_hashes(rows))) == 3

    def test_minus_zero_is_zero(self):
        rows = np.array([[0.0, 1.0], [-0.0, 1.0]], dtype=np.float32)
        assert len(np.unique(feature_hashes(rows))) == 1

    def test_the_smallest_change_changes_the_key(self):
        rows = np.random.default_rng(2).normal(size=(100, 5)).astype(np.float32)
        changed = rows.copy()
        changed[:, 3] = np.nextafter(changed[:, 3], np.float32(9))
        assert np.all(feature_hashes(rows) != feature_hashes(changed))


class TestMixKeys:
    def test_is_one_to_one(self):
        keys = np.arange(100_000, dtype=np.uint64)
        assert len(np.unique(scramble_hashes(keys, 3))) == 100_000

    def test_depends_on_the_seed(self):
        keys = np.arange(100, dtype=np.uint64)
        assert_array_equal(scramble_hashes(keys, 1), scramble_hashes(keys, 1))
        assert np.all(scramble_hashes(keys, 1) != scramble_hashes(keys, 2))

    def test_order_of_the_keys_is_scrambled(self):
        """Rank correlation of 10,000 keys before and after: s.d. 0.01, so 0.05 is five."""
        keys = np.arange(10_000, dtype=np.uint64)
        rank = np.argsort(np.argsort(scramble_hashes(keys, 0)))
        assert abs(np.corrcoef(np.arange(10_000), rank)[0, 1]) < 0.05


class TestPoolByContent:
    @given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 30))
    @settings(deadline=None, max_examples=30)
    def test_positions_restore_the_order_of_the_samples(self, seed, n_p, n_q):
        rng = np.random.default_rng(seed)
        samples = [rng.integers(3, size=(n, 2)).astype(float) for n in (n_p, n_q)]
        features, keys, position = pool_by_content(samples)
        assert_array_equal(features[position], np.concatenate(samples))
        assert_array_equal(np.sort(position), np.arange(n_p + n_q))
        assert_array_equal(keys[np.argsort(position)], np.sort(keys))

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


class TestCountDistinct:
    def test_counts_each_row_once(self):
        rows = np.random.default_rng(3).normal(size=(700, 4)).astype(np.float32)
        assert count_distinct(np.concatenate([rows, rows, rows[:10]])) == 700

    def test_of_no_rows_is_zero(self):
        assert count_distinct(np.empty((0, 4), dtype=np.float32)) == 0
