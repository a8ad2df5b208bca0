import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups
from mauve.measures.neighbours import (
    centred,
    halves,
    nearest_two,
    shared_influences,
    squared_distances,
)
from mauve.measures.protocol import MeasuredSample


def make_side(name, features):
    return MeasuredSample(name, Groups(np.arange(len(features)), len(features)), features=features)


def all_distances(rows, columns):
    return np.concatenate([found for _, found in squared_distances(rows, columns)])


def test_distances_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(1100, 5)), rng.normal(size=(30, 5))  # more than two blocks
    expected = ((rows[:, None] - columns) ** 2).sum(axis=2)
    np.testing.assert_allclose(all_distances(rows, columns), expected, rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e4), st.floats(-1e4, 1e4))
def test_equal_features_are_at_distance_zero(seed, scale, shift):
    rng = np.random.default_rng(seed)
    features = (scale * rng.normal(size=(20, 100)) + shift).astype(np.float32)
    own, human = centred(make_side("a", features), make_side("b", features[::-1]))
    found = all_distances(own, human[::-1])
    assert np.all(np.diag(found) == 0)
    assert np.all(found[~np.eye(20, dtype=bool)] > 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int16])
def test_features_of_any_type(dtype):
    features = np.arange(1, 41).reshape(20, 2).astype(dtype)
    own, human = centred(make_side("a", features), make_side("b", features + dtype(1)))
    assert own.dtype == human.dtype == np.float64
    assert abs(own.sum() + human.sum()) < 1e-9


def test_features_that_are_all_equal_are_refused():
    same = np.ones((10, 3))
    with pytest.raises(InvalidParameterError, match="'model' and 'human' must differ"):
        centred(make_side("model", same), make_side("human", same))


def test_one_sample_may_be_all_equal():
    own, _ = centred(make_side("model", np.ones((10, 3))), make_side("human", np.eye(10, 3)))
    assert np.all(own == own[0])


def test_nearest_and_nearest_of_another_group():
    others, groups = np.array([[1.0], [2.0], [-4.0]]), Groups(np.array([0, 0, 1]), 2)
    nearest, second, group = nearest_two(np.array([[0.0], [-3.0]]), others, groups)
    assert nearest.tolist() == [1, 1]
    assert second.tolist() == [16, 16]
    assert group.tolist() == [0, 1]


def test_shared_moves_keep_what_both_halves_say():
    # Squares add up to the sum of products; chance that differs between halves has none.
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 50)) + 3
    moves = shared_influences(first, second)
    assert (moves**2).sum() == pytest.approx((first * second).sum())
    assert shared_influences(np.zeros(3), np.zeros(3)).tolist() == [0, 0, 0]
    assert np.all(shared_influences(np.array([1.0, -1.0]), np.array([-1.0, 1.0])) == 0)


def test_a_group_is_in_one_half():
    groups = Groups(np.array([3, 0, 3, 2]), 4)
    assert halves(groups).tolist() == [True, False, True, False]
