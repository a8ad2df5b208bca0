import numpy as np
import pytest

from mauve.measures.estimate import Groups
from mauve.measures.neighbours import balls_around, membership


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
    found = membership(points, half, centres, balls_around(centres, groups, k))
    distances = ((points[:, None] - centres) ** 2).sum(axis=2)
    assert np.array_equal(found.count, (distances <= radii_of(centres, k)).sum(axis=1))
    for group in range(n_groups):
        left = groups.labels != group
        counts = (distances[:, left] <= radii_of(centres[left], k)).sum(axis=1)
        for part, rows in enumerate((~half, half)):
            assert found.mean_without[part, group] == pytest.approx(counts[rows].mean())
            assert found.share_without[part, group] == pytest.approx((counts[rows] > 0).mean())


def test_groups_of_near_texts_outlast_the_list_of_neighbours():
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
    found = membership(points, np.array([True, False]), features[:6], balls_of_first(balls, 6))
    assert found.count.tolist() == [6, 0]


def balls_of_first(balls, n):
    return type(balls)(
        balls.reach[:n],
        Groups(balls.groups.labels[:n], balls.groups.count),
        balls.nearby[:n],
        balls.reach_without[:n],
    )
