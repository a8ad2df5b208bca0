"""Tokens are drawn with their probabilities, and never where the probability is 0."""

import numpy as np
import pytest
import slow_writing
import torch
from scipy.stats import chi2

from mauve.lm.choosing import draw_rows


def test_frequencies_are_the_probabilities():
    """Pearson's chi-squared; fails by chance for one in a million seeds."""
    probabilities = 1 / np.arange(1, 301)
    probabilities[::7] = 0
    probabilities /= probabilities.sum()
    n = 100_000
    keys = torch.from_numpy(np.random.default_rng(0).integers(1 << 63, size=n))
    rows = torch.from_numpy(probabilities).expand(n, -1)
    tokens = torch.cat([draw_rows(rows[:1000], part) for part in keys.split(1000)])
    counts = np.bincount(tokens.numpy(), minlength=300)
    possible = probabilities > 0
    assert not counts[~possible].any()
    expected = n * probabilities[possible]  # 45 and more
    statistic = ((counts[possible] - expected) ** 2 / expected).sum()
    assert statistic < chi2.isf(1e-6, possible.sum() - 1)


def test_numbers_of_one_key_and_of_neighbouring_keys_are_independent():
    """Two tokens of equal probability; fails by chance for one in a million seeds."""
    keys = torch.arange(40_000)
    tokens = draw_rows(torch.full((40_000, 2), 0.5), keys).numpy()
    for counts in (np.bincount(tokens), np.bincount(2 * tokens[::2] + tokens[1::2])):
        expected = counts.sum() / len(counts)
        statistic = ((counts - expected) ** 2 / expected).sum()
        assert statistic < chi2.isf(1e-6, len(counts) - 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_is_the_largest_ratio(dtype):
    rng = np.random.default_rng(0)
    rows = rng.random((50, 20))
    keys = rng.integers(1 << 63, size=50)
    drawn = draw_rows(torch.from_numpy(rows).to(dtype), torch.from_numpy(keys))
    for row, key, token in zip(rows, keys.tolist(), drawn.tolist(), strict=True):
        ratios = [p / slow_writing.exponential(key, i) for i, p in enumerate(row)]
        assert token == np.argmax(ratios)


def test_a_row_depends_on_its_key_alone():
    rows, keys = torch.rand(6, 30), torch.arange(6)
    drawn = draw_rows(rows, keys)
    assert torch.equal(draw_rows(rows[3:4], keys[3:4]), drawn[3:4])


def test_the_only_token_with_a_probability_is_drawn():
    rows = torch.eye(40) * 1e-30
    assert draw_rows(rows, torch.arange(40)).tolist() == list(range(40))
