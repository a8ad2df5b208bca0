"""Tokens are chosen by the running perplexity, in NumPy and torch alike."""

import numpy as np
import torch
from numpy.testing import assert_array_equal

from mauve.lm.adversarial import closest, n_random_tokens, random_tokens
from mauve.lm.decoding import Adversarial


def test_closest_against_the_definition():
    rng = np.random.default_rng(0)
    surprise = rng.exponential(4, size=(30, 50))
    surprise[:, 7] = np.inf
    total, n = rng.exponential(30, size=(30, 1)), rng.integers(0, 9, size=(30, 1))
    expected = [
        min(range(50), key=lambda v: abs(np.exp((t + row[v]) / (count + 1)) - 20))
        for row, [t], [count] in zip(surprise, total, n, strict=True)
    ]
    assert_array_equal(closest(surprise, total, n, 20), expected)
    in_torch = closest(*map(torch.from_numpy, (surprise, total, n)), 20)
    assert in_torch.tolist() == expected
    assert 7 not in expected


def test_the_share_is_rounded_up():
    lengths = (1, 6, 7, 20, 100, 1024)
    assert [n_random_tokens(Adversarial(), n) for n in lengths] == [1, 1, 2, 3, 15, 154]


def test_random_tokens_are_uniform():
    """Each count is within five standard errors; fails by chance for three in 10^6 seeds."""
    possible = np.array([2, 3, 5, 7, 11])
    drawn = random_tokens(50_000, possible, np.random.default_rng(0))
    counts = np.array([(drawn == token).sum() for token in possible])
    assert counts.sum() == 50_000
    assert abs(counts - 10_000).max() < 5 * np.sqrt(50_000 * 0.2 * 0.8)
