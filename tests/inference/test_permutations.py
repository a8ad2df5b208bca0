"""Permutations of texts: what they must keep, and what they must exchange."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mauve.inference.permutations import ExchangeableUnits, bundled


def units_of(n_p, n_q, *, prompts=None, n_blocks=5):
    """Return the units of human texts and of others in blocks; `prompts` has those of all."""
    groups = np.arange(n_p + n_q) if prompts is None else np.asarray(prompts)
    return ExchangeableUnits.of(np.arange(n_p + n_q) < n_p, groups, groups % n_blocks)


class TestTexts:
    @given(st.integers(0, 2**32), st.integers(1, 25), st.integers(1, 25))
    @settings(deadline=None, max_examples=30)
    def test_every_block_keeps_its_number_of_human_texts(self, seed, n_p, n_q):
        drawn = units_of(n_p, n_q).draw_texts(7, np.random.default_rng(seed))
        blocks, is_human = np.arange(n_p + n_q) % 5, np.arange(n_p + n_q) < n_p
        for block in range(5):
            inside = blocks == block
            assert_array_equal(drawn[:, inside].sum(axis=1), is_human[inside].sum())

    def test_all_assignments_of_a_small_block_come_up_equally_often(self):
        """Two of four texts are human: six assignments, 600 draws, 100 each expected.

        The chi-square statistic has five degrees of freedom; above 32 with probability 6e-6.
        """
        drawn = units_of(2, 2, n_blocks=1).draw_texts(600, np.random.default_rng(3))
        _, times = np.unique(drawn, axis=0, return_counts=True)
        assert len(times) == 6
        assert ((times - 100) ** 2 / 100).sum() < 32

    def test_same_generator_same_draws(self):
        units = units_of(15, 20)
        drawn, again = (units.draw_texts(9, np.random.default_rng(7)) for _ in range(2))
        assert_array_equal(drawn, again)

    def test_blocks_with_one_sample_only_stay_as_they_are(self):
        units = units_of(3, 3, prompts=[0, 0, 0, 1, 1, 1])
        drawn = units.draw_texts(5, np.random.default_rng(9))
        assert_array_equal(drawn, np.tile([True] * 3 + [False] * 3, (5, 1)))

    def test_units_are_drawn_as_their_texts_are(self):
        units = units_of(6, 6, prompts=np.repeat(np.arange(4), 3), n_blocks=1)
        of_units = units.draw(8, np.random.default_rng(1))
        of_texts = units.draw_texts(8, np.random.default_rng(1))
        assert_array_equal(of_texts, of_units[:, units.unit])
        assert of_texts.flags.c_contiguous


class TestPrompts:
    @given(st.integers(0, 2**32), st.integers(1, 12))
    @settings(deadline=None, max_examples=30)
    def test_every_prompt_that_both_samples_answer_keeps_its_numbers(self, seed, n_prompts):
        rng = np.random.default_rng(seed)
        prompts, is_human = rng.integers(n_prompts, size=40), np.arange(40) < 18
        drawn = units_of(18, 22, prompts=prompts).draw_texts(7, rng)
        for prompt in np.unique(prompts):
            inside = prompts == prompt
            if 0 < is_human[inside].sum() < inside.sum():
                assert_array_equal(drawn[:, inside].sum(axis=1), is_human[inside].sum())
        assert_array_equal(drawn.sum(axis=1), 18)

    def test_prompts_are_swapped_independently_with_probability_one_half(self):
        """100 prompts of one human and one model text, 400 draws: 40,000 fair coins.

        The mean is within 0.0125 of 1/2, five standard errors: false alarm 6e-7.
        """
        units = units_of(100, 100, prompts=np.tile(np.arange(100), 2))
        drawn = units.draw_texts(400, np.random.default_rng(5))
        swapped = ~drawn[:, :100]
        assert_array_equal(swapped, drawn[:, 100:])
        assert abs(swapped.mean() - 0.5) < 0.0125
        assert len(np.unique(swapped, axis=0)) == 400

    def test_several_texts_of_a_prompt_of_one_sample_move_together(self):
        units = units_of(18, 18, prompts=np.repeat(np.arange(12), 3), n_blocks=1)
        drawn = units.draw_texts(50, np.random.default_rng(1)).reshape(50, 12, 3)
        assert (drawn == drawn[:, :, :1]).all()
        assert (drawn[:, :, 0].sum(axis=1) == 6).all()
        assert len(np.unique(drawn[:, :, 0], axis=0)) > 20

    def test_they_move_only_in_exchange_for_prompts_of_as_many_texts(self):
        prompts = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
        drawn = units_of(8, 8, prompts=prompts, n_blocks=1).draw_texts(50, np.random.default_rng(1))
        assert drawn[:, :4].all()  # nothing else has four texts
        assert not drawn[:, 4:].all(axis=0).any()


class TestBundled:
    @pytest.mark.parametrize(("n_p", "n_q", "most"), [(7, 9, 10), (100, 250, 10), (33, 31, 4)])
    def test_bundles_are_of_one_sample_and_of_equal_sizes_but_for_the_last(self, n_p, n_q, most):
        is_human = np.random.default_rng(0).permutation(np.arange(n_p + n_q) < n_p)
        bundles = bundled(is_human, most)
        assert_array_equal(np.unique(bundles), np.arange(bundles.max() + 1))
        size = max(1, min(n_p, n_q) // most)
        for sample in (is_human, ~is_human):
            sizes = np.unique(bundles[sample], return_counts=True)[1]
            assert_array_equal(sizes[:-1], size)
            assert 0 < sizes[-1] <= size
        assert not np.intersect1d(bundles[is_human], bundles[~is_human]).size

    def test_texts_stay_in_their_order(self):
        is_human = np.arange(40) % 2 == 0
        bundles = bundled(is_human, 5)
        assert (np.diff(bundles[is_human]) >= 0).all()
        assert (np.diff(bundles[~is_human]) >= 0).all()

    def test_few_texts_are_not_bundled(self):
        assert len(np.unique(bundled(np.arange(50) < 20, 20))) == 50

    @pytest.mark.parametrize(("n_q", "last"), [(105, 0.5), (210, 1.0)])
    def test_are_exchanged_for_bundles_of_as_many_texts(self, n_q, last):
        """The last bundle of human texts has five: others of five alone can take its place."""
        is_human = np.arange(105 + n_q) < 105
        blocks = np.zeros(105 + n_q, dtype=np.int64)
        units = ExchangeableUnits.of(is_human, bundled(is_human, 10), blocks)
        drawn = units.draw_texts(200, np.random.default_rng(0))
        share = drawn.mean(axis=0)
        assert_array_equal(drawn.sum(axis=1), 105)
        assert_array_equal(share[100:105], share[100])
        # Means of 200 draws, more than five standard errors apart: false alarm 1e-5.
        assert abs(share[100] - last) < 0.2
        assert np.abs(share[:100] - 100 / (100 + n_q // 10 * 10)).max() < 0.2
