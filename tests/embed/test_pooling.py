"""Pooling of texts that stand one behind another, against NumPy text by text."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from mauve.embed.pooling import pool, token_log_probabilities

LENGTHS = [3, 1, 40, 7, 1]
STARTS = np.concatenate([[0], np.cumsum(LENGTHS)])
BY_HAND = {
    "last": lambda own: own[-1],
    "cls": lambda own: own[0],
    "mean": lambda own: own.mean(axis=0),
    "max": lambda own: own.max(axis=0),
}


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(0).normal(-2, 1, size=(sum(LENGTHS), 6)).astype(np.float32)


@pytest.mark.parametrize("pooling", BY_HAND)
def test_pooling_by_hand(states, pooling):
    found = pool(torch.from_numpy(states), torch.from_numpy(STARTS), pooling)
    texts = np.split(states, STARTS[1:-1])
    assert_allclose(found.numpy(), [BY_HAND[pooling](own) for own in texts], rtol=1e-6)


@pytest.mark.parametrize("pooling", BY_HAND)
@pytest.mark.parametrize(
    ("dtype", "wide"),
    [
        (torch.bfloat16, torch.float32),
        (torch.float16, torch.float32),
        (torch.float64, torch.float64),
    ],
)
def test_sixteen_bits_are_widened_before_they_are_added_up(states, pooling, dtype, wide):
    given = torch.from_numpy(states).to(dtype)
    starts = torch.from_numpy(STARTS)
    found = pool(given, starts, pooling)
    assert found.dtype == wide
    assert_array_equal(found.numpy(), pool(given.to(wide), starts, pooling).numpy())


@pytest.mark.parametrize("n_at_once", [1, 7, 52, 4096])
def test_log_probabilities_are_those_of_log_softmax(states, n_at_once):
    torch.manual_seed(0)
    head = torch.nn.Linear(6, 30)
    ids = torch.randint(30, (len(states),))
    given = torch.from_numpy(states)
    with torch.no_grad():
        found = token_log_probabilities(given, ids, head, n_at_once)
        every = torch.log_softmax(head(given), dim=1)
    expected = every[torch.arange(len(ids) - 1), ids[1:]]
    assert found.shape == ids.shape
    assert_allclose(found[1:].numpy(), expected.numpy(), atol=1e-5)  # of numbers about 4


def test_log_probability_of_a_single_token():
    head = torch.nn.Linear(2, 3)
    assert token_log_probabilities(torch.ones(1, 2), torch.tensor([1]), head).tolist() == [0.0]
