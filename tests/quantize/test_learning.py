"""Texts that each clustering is learnt from: a draw that is even, and the same in any order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mauve.errors import InvalidParameterError
from mauve.quantize.learning import check_counted, learning_rows


def random_hashes(seed, n):
    return np.random.default_rng(seed).integers(1 << 63, size=n, dtype=np.uint64)


def times_learnt(rows, n):
    return np.bincount(rows.ravel(), minlength=n)


class TestLearningRows:
    @given(st.integers(0, 2**32), st.integers(4, 80), st.integers(1, 40), st.integers(1, 30))
    @settings(deadline=None, max_examples=50)
    def test_no_text_is_learnt_twice_in_one_clustering(self, seed, n, n_rows, n_clusterings):
        n_rows = min(n_rows, n)
        rows = learning_rows(random_hashes(seed, n), n_rows, n_clusterings, seed)
        assert rows.shape == (n_clusterings, n_rows)
        assert rows.min() >= 0
        assert rows.max() < n
        for of_clustering in rows:
            assert len(np.unique(of_clustering)) == n_rows

    @pytest.mark.parametrize(("n", "n_rows", "n_clusterings"), [(200, 100, 40), (90, 30, 12)])
    def test_every_text_is_learnt_equally_often_if_blocks_use_all(self, n, n_rows, n_clusterings):
        rows = learning_rows(random_hashes(0, n), n_rows, n_clusterings, seed=1)
        assert_array_equal(times_learnt(rows, n), n_rows * n_clusterings // n)

    @pytest.mark.parametrize(("n", "n_rows"), [(250, 100), (1000, 100), (130, 65), (199, 96)])
    def test_a_deal_learns_from_a_text_at_most_once(self, n, n_rows):
        n_blocks = n // n_rows
        rows = learning_rows(random_hashes(1, n), n_rows, 4 * n_blocks, seed=2)
        for deal in np.split(rows, 4):
            assert times_learnt(deal, n).max() == 1

    def test_texts_that_a_deal_leaves_out_are_others_each_time(self):
        """100 of 250 texts are left out of each of 40 deals, so each text 16 ± 3.1 times.

        All 250 are from 1 to 32 but once in 50,000 seeds.
        """
        rows = learning_rows(random_hashes(2, 250), 150, 40, seed=3)
        left_out = 40 - times_learnt(rows, 250)
        assert left_out.sum() == 40 * 100
        assert left_out.min() >= 1
        assert left_out.max() <= 32

    def test_does_not_depend_on_the_order_of_texts(self):
        hashes = random_hashes(3, 70)
        order = np.random.default_rng(4).permutation(70)
        before, after = (learning_rows(h, 20, 7, seed=0) for h in (hashes, hashes[order]))
        assert_array_equal(order[after], before)

    def test_more_clusterings_add_to_the_first_ones(self):
        hashes = random_hashes(5, 70)
        assert_array_equal(learning_rows(hashes, 20, 12, 0)[:5], learning_rows(hashes, 20, 5, 0))

    def test_depends_on_the_seed(self):
        hashes = random_hashes(6, 70)
        assert_array_equal(learning_rows(hashes, 20, 5, 1), learning_rows(hashes, 20, 5, 1))
        assert np.any(learning_rows(hashes, 20, 5, 1) != learning_rows(hashes, 20, 5, 2))

    def test_copies_of_a_text_are_spread_over_the_blocks(self):
        """20 copies of each of ten texts, dealt into two blocks: hypergeometric, 10 ± 2.1.

        All are from 2 to 18 but once in 5,000 seeds.
        """
        hashes = np.repeat(random_hashes(7, 10), 20)
        rows = learning_rows(hashes, 100, 2, seed=0)
        for of_clustering in rows:
            copies = np.bincount(of_clustering // 20, minlength=10)
            assert copies.min() >= 2
            assert copies.max() <= 18

    def test_copies_are_drawn_alike_in_any_order(self):
        hashes = np.repeat(random_hashes(8, 10), 5)
        order = np.random.default_rng(9).permutation(50)
        before, after = (learning_rows(h, 20, 4, seed=0) for h in (hashes, hashes[order]))
        assert_array_equal(hashes[order][after], hashes[before])


class TestPrompts:
    @pytest.mark.parametrize("n_rows", [12, 25])
    def test_texts_of_one_prompt_are_learnt_together_but_for_those_at_the_ends(self, n_rows):
        prompts = np.repeat(random_hashes(10, 20), 4)
        rows = learning_rows(random_hashes(11, 80), n_rows, 9, seed=0, prompts=prompts)
        for of_clustering in rows:
            _, n_texts = np.unique(prompts[of_clustering], return_counts=True)
            assert (n_texts < 4).sum() <= 2

    def test_whole_prompts_stay_whole(self):
        prompts = np.repeat(random_hashes(12, 20), 4)
        rows = learning_rows(random_hashes(13, 80), 20, 8, seed=0, prompts=prompts)
        for of_clustering in rows:
            assert len(np.unique(prompts[of_clustering])) == 5
        assert_array_equal(times_learnt(rows, 80), 2)

    def test_two_samples_of_the_same_prompts_learn_from_the_same_ones(self):
        """So that texts of few prompts are lost to both."""
        prompts, rng = random_hashes(14, 60), np.random.default_rng(0)
        order = rng.permutation(60)
        human = learning_rows(random_hashes(15, 60), 20, 6, seed=0, prompts=prompts)
        system = learning_rows(random_hashes(16, 60), 20, 6, seed=0, prompts=prompts[order])
        assert_array_equal(prompts[order][system], prompts[human])

    def test_copies_of_a_text_under_several_prompts_are_drawn_alike_in_any_order(self):
        rng = np.random.default_rng(17)
        hashes = random_hashes(18, 6)[rng.integers(6, size=90)]
        prompts = random_hashes(19, 25)[rng.integers(25, size=90)]
        order = rng.permutation(90)
        before = learning_rows(hashes, 31, 6, seed=0, prompts=prompts)
        after = learning_rows(hashes[order], 31, 6, seed=0, prompts=prompts[order])
        assert_array_equal(hashes[order][after], hashes[before])
        assert_array_equal(prompts[order][after], prompts[before])


def test_too_few_counted_texts_are_refused_with_a_remedy():
    check_counted(2, 5)
    with pytest.raises(InvalidParameterError, match=r"Got 5 different prompts .* more prompts, or"):
        check_counted(1, 5)
