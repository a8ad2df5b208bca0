import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups
from mauve.measures.neighbours import (
    balls_around,
    centred,
    halves,
    membership,
    nearest_two,
    shared_influences,
    squared_distances,
)
from mauve.measures.protocol import MeasuredSample


def make_sample(name, features):
    return MeasuredSample(name, Groups(np.arange(len(features)), len(features)), features=features)


def all_distances(rows, columns):
    return np.concatenate([distances for _, distances in squared_distances(rows, columns)])


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
    system, human = centred(make_sample("a", features), make_sample("b", features[::-1]))
    distances = all_distances(system, human[::-1])
    assert np.all(np.diag(distances) == 0)
    assert np.all(distances[~np.eye(20, dtype=bool)] > 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int16])
def test_features_of_any_type(dtype):
    features = np.arange(1, 41).reshape(20, 2).astype(dtype)
    system, human = centred(make_sample("a", features), make_sample("b", features + dtype(1)))
    assert system.dtype == human.dtype == np.float64
    assert abs(system.sum() + human.sum()) < 1e-9


def test_features_that_are_all_equal_are_refused():
    same = np.ones((10, 3))
    with pytest.raises(InvalidParameterError, match="'model' and 'human' must differ"):
        centred(make_sample("model", same), make_sample("human", same))


def test_one_sample_may_be_all_equal():
    system, _ = centred(make_sample("model", np.ones((10, 3))), make_sample("human", np.eye(10, 3)))
    assert np.all(system == system[0])


def test_nearest_and_nearest_of_another_group():
    others, groups = np.array([[1.0], [2.0], [-4.0]]), Groups(np.array([0, 0, 1]), 2)
    nearest, second, group = nearest_two(np.array([[0.0], [-3.0]]), others, groups)
    assert nearest.tolist() == [1, 1]
    assert second.tolist() == [16, 16]
    assert group.tolist() == [0, 1]


def test_shared_influences_keep_what_both_halves_say():
    # Squares add up to the sum of products; chance that differs between halves has none.
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 50)) + 3
    influences = shared_influences(first, second)
    assert (influences**2).sum() == pytest.approx((first * second).sum())
    assert shared_influences(np.zeros(3), np.zeros(3)).tolist() == [0, 0, 0]
    assert np.all(shared_influences(np.array([1.0, -1.0]), np.array([-1.0, 1.0])) == 0)


def test_a_group_is_in_one_half():
    groups = Groups(np.array([3, 0, 3, 2]), 4)
    assert halves(groups).tolist() == [True, False, True, False]


def radii_of(features, k):
    distances = ((features[:, None] - features) ** 2).sum(axis=2)
    return np.sort(distances, axis=1)[:, k]  # the first is the text itself


@pytest.mark.parametrize("n_groups", [2, 7, 60])
def test_counts_without_a_group_are_those_of_the_rest(n_groups):
    # What the jackknife needs, against the same counted again from the texts that are left.
    rng = np.random.default_rng(n_groups)
    centres, points, k = rng.normal(size=(60, 2)), rng.normal(size=(50, 2)), 5
    groups = Groups(rng.permutation(60) % n_groups, n_groups)
    half = np.arange(50) < 20
    members = membership(points, half, centres, balls_around(centres, groups, k))
    distances = ((points[:, None] - centres) ** 2).sum(axis=2)
    assert np.array_equal(members.count, (distances <= radii_of(centres, k)).sum(axis=1))
    for group in range(n_groups):
        left = groups.labels != group
        counts = (distances[:, left] <= radii_of(centres[left], k)).sum(axis=1)
        for part, rows in enumerate((~half, half)):
            assert members.mean_without[part, group] == pytest.approx(counts[rows].mean())
            assert members.share_without[part, group] == pytest.approx((counts[rows] > 0).mean())


def test_a_group_may_fill_the_list_of_neighbours():
    # Forty texts of a group at one place: the fifth neighbour outside it is beyond the list.
    rng = np.random.default_rng(0)
    features = np.concatenate([rng.normal(size=(40, 2)) * 1e-3, rng.normal(size=(10, 2)) + 5])
    groups = Groups(np.array([0] * 39 + [1] + [2] * 10), 3)
    balls = balls_around(features, groups, 5)
    assert balls.nearby[39].tolist() == [0, -1, -1, -1, -1]
    expected = np.sort(((features[40:] - features[39]) ** 2).sum(axis=1))[4]
    assert balls.reach_without[39, 0] == pytest.approx(expected)


def test_copies_have_a_ball_of_radius_zero_that_holds_copies():
    features = np.concatenate([np.zeros((6, 3)), np.eye(3) + 4])
    balls = balls_around(features, Groups(np.arange(9), 9), 5)
    assert np.all(balls.reach[:6] == 0)
    points = np.array([[0.0, 0, 0], [0.1, 0, 0]])
    members = membership(points, np.array([True, False]), features[:6], balls_of_first(balls, 6))
    assert members.count.tolist() == [6, 0]


def balls_of_first(balls, n):
    return type(balls)(
        balls.reach[:n],
        Groups(balls.groups.labels[:n], balls.groups.count),
        balls.nearby[:n],
        balls.reach_without[:n],
    )
