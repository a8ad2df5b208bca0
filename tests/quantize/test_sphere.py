"""The integral points of the sphere of radius √50 and the nearest of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mauve.quantize.sphere import integral_points, nearest_points

BRUTE_FORCE = [u for u in product(range(-8, 9), repeat=4) if sum(c * c for c in u) == 50]


def nearest_by_hand(direction):
    """All points at the smallest distance, in integers: exact."""
    dots = np.array(BRUTE_FORCE) @ np.array([int(value) for value in direction])
    return np.flatnonzero(dots == dots.max()).tolist()


def test_points_are_those_found_by_brute_force():
    assert len(BRUTE_FORCE) == 744
    assert_array_equal(integral_points(), BRUTE_FORCE)  # both in lexicographic order


def test_points_cannot_be_changed_by_a_caller():
    with pytest.raises(ValueError, match="read-only"):
        integral_points()[0, 0] = 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("length", [1e-3, 1 / 50**0.5, 1.0, 1e3])
def test_every_point_is_its_own_nearest(dtype, length):
    points = (integral_points() * length).astype(dtype)
    assert_array_equal(nearest_points(points), np.arange(744))


def test_random_directions_against_distances():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5000, 4))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    distance = np.linalg.norm(x[:, None] - integral_points() / 50**0.5, axis=-1)
    assert_array_equal(nearest_points(x), distance.argmin(axis=1))


def test_axes_and_diagonals():
    corners = np.array(list(product([-1, 0, 1], repeat=4)), dtype=np.float32)
    corners = corners[np.any(corners != 0, axis=1)]
    for corner, label in zip(corners, nearest_points(corners), strict=True):
        assert label == nearest_by_hand(corner)[0]


@given(st.tuples(*[st.integers(-1000, 1000)] * 4))
def test_integer_directions_against_integer_arithmetic(direction):
    """Integers have many ties; the first of the nearest points wins."""
    [label] = nearest_points(np.array([direction], dtype=np.float32))
    assert label == nearest_by_hand(direction)[0]


def test_directions_between_two_points():
    """The sum of two neighbours is equally near to both; a nudge decides."""
    points = integral_points().astype(np.int64)
    rng = np.random.default_rng(1)
    for first in rng.choice(744, 20, replace=False):
        dots = points @ points[first]
        second = int(np.flatnonzero(dots == np.unique(dots)[-2])[0])
        middle = points[first] + points[second]
        tied = nearest_by_hand(middle)
        assert {int(first), second} <= set(tied)
        assert nearest_points(middle[None].astype(np.float32))[0] == tied[0]
        for label in (int(first), second):
            nudged = (middle * 2.0**12 + points[label]).astype(np.float32)
            assert nearest_points(nudged[None])[0] == nearest_by_hand(nudged)[0] == label


def test_long_inputs_are_cut_without_a_seam():
    x = np.random.default_rng(2).normal(size=(2050, 4))
    whole = nearest_points(x)
    assert whole.dtype == np.int32
    assert_array_equal(whole, [nearest_points(row[None])[0] for row in x])


def test_nothing_in_nothing_out():
    assert nearest_points(np.empty((0, 4))).shape == (0,)
