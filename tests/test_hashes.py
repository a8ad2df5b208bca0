"""Hashes of texts and features."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mauve.hashes import count_distinct, feature_hashes, scramble_hashes, text_hashes, text_keys


class TestFeatureHashes:
    def test_equal_rows_have_equal_hashes(self):
        rows = np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32)
        assert_array_equal(feature_hashes(rows), feature_hashes(rows.copy()))
        assert_array_equal(feature_hashes(rows[::-1].copy()), feature_hashes(rows)[::-1])

    @pytest.mark.parametrize("d", [1, 2, 64])
    def test_no_two_of_100_000_random_rows_share_a_hash(self, d):
        """Chance would give 3e-10 pairs among 64-bit hashes. Rows that do coincide may."""
        rows = np.random.default_rng(1).normal(size=(100_000, d)).astype(np.float32)
        distinct = len(np.unique(rows, axis=0)) if d == 1 else len(rows)
        assert len(np.unique(feature_hashes(rows))) == distinct

    def test_rows_of_small_whole_numbers_do_not_collide(self):
        """Features such as counts have few bits set; 7⁶ of them all differ."""
        rows = np.stack(np.meshgrid(*[np.arange(7.0)] * 6), axis=-1).reshape(-1, 6)
        assert len(np.unique(feature_hashes(rows.astype(np.float32)))) == 7**6

    def test_columns_in_another_order_make_another_hash(self):
        rows = np.array([[1, 2, 3], [3, 2, 1], [2, 1, 3]], dtype=np.float32)
        assert len(np.unique(feature_hashes(rows))) == 3

    def test_minus_zero_is_zero(self):
        rows = np.array([[0.0, 1.0], [-0.0, 1.0]], dtype=np.float32)
        assert len(np.unique(feature_hashes(rows))) == 1

    def test_the_smallest_change_changes_the_hash(self):
        rows = np.random.default_rng(2).normal(size=(100, 5)).astype(np.float32)
        changed = rows.copy()
        changed[:, 3] = np.nextafter(changed[:, 3], np.float32(9))
        assert np.all(feature_hashes(rows) != feature_hashes(changed))


class TestScrambleHashes:
    def test_is_one_to_one(self):
        hashes = np.arange(100_000, dtype=np.uint64)
        assert len(np.unique(scramble_hashes(hashes, 3))) == 100_000

    def test_depends_on_the_seed(self):
        hashes = np.arange(100, dtype=np.uint64)
        assert_array_equal(scramble_hashes(hashes, 1), scramble_hashes(hashes, 1))
        assert np.all(scramble_hashes(hashes, 1) != scramble_hashes(hashes, 2))

    def test_a_seed_may_have_several_parts(self):
        hashes = np.arange(100, dtype=np.uint64)
        assert np.all(scramble_hashes(hashes, [1, 0]) != scramble_hashes(hashes, [1, 1]))
        assert_array_equal(scramble_hashes(hashes, [1, 0]), scramble_hashes(hashes, [1, 0]))

    def test_order_of_the_hashes_is_scrambled(self):
        """Rank correlation of 10,000 hashes before and after: s.d. 0.01, so 0.05 is five."""
        hashes = np.arange(10_000, dtype=np.uint64)
        rank = np.argsort(np.argsort(scramble_hashes(hashes, 0)))
        assert abs(np.corrcoef(np.arange(10_000), rank)[0, 1]) < 0.05


class TestTextKeys:
    def test_copies_have_different_keys_the_first_its_hash(self):
        hashes = np.array([7, 3, 7, 7, 3], dtype=np.uint64)
        keys = text_keys(hashes)
        assert_array_equal(keys[:2], hashes[:2])
        assert len(np.unique(keys)) == 5

    def test_are_the_same_set_in_any_order(self):
        rng = np.random.default_rng(4)
        hashes = rng.integers(40, size=300).astype(np.uint64)
        order = rng.permutation(300)
        assert_array_equal(np.sort(text_keys(hashes)), np.sort(text_keys(hashes[order])))

    def test_copies_under_different_prompts_have_keys_of_their_own(self):
        """So that the key of a text does not depend on where it stands among its copies."""
        hashes = np.array([7, 7, 7, 3], dtype=np.uint64)
        prompts = np.array([1, 2, 3, 1], dtype=np.uint64)
        keys = text_keys(hashes, prompts)
        assert len(np.unique(keys)) == 4
        order = [2, 0, 3, 1]
        assert_array_equal(text_keys(hashes[order], prompts[order]), keys[order])

    def test_of_no_texts(self):
        assert text_keys(np.array([], dtype=np.uint64)).shape == (0,)


class TestCountDistinct:
    def test_counts_each_row_once(self):
        rows = np.random.default_rng(3).normal(size=(700, 4)).astype(np.float32)
        assert count_distinct(np.concatenate([rows, rows, rows[:10]])) == 700

    def test_of_no_rows_is_zero(self):
        assert count_distinct(np.empty((0, 4), dtype=np.float32)) == 0


class TestTextHashes:
    def test_are_equal_where_texts_are(self):
        hashes = text_hashes(["a", "b", "a", "", "\ud800"])
        assert hashes.dtype == np.uint64
        assert len(np.unique(hashes)) == 4
        assert hashes[0] == hashes[2]

    def test_of_no_texts(self):
        assert text_hashes([]).shape == (0,)
