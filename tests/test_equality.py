"""Exact equality and hashes of objects that hold arrays."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from mauve.equality import ExactEquality, is_equal


@dataclass(frozen=True, eq=False)
class Curve(ExactEquality):
    name: str
    points: np.ndarray
    prompts: np.ndarray | None = None
    texts: list | None = None


CURVE = Curve("a", np.arange(4.0), None, ["x"])


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "b"},
        {"points": np.arange(4.0) + np.array([0, 0, 0, 1e-15])},
        {"points": np.arange(5.0)},
        {"points": np.arange(4.0)[None]},
        {"points": None},
        {"prompts": np.arange(4)},
        {"texts": ["y"]},
    ],
)
def test_any_difference_counts(changed):
    assert replace(CURVE, **changed) != CURVE


def test_copies_are_equal_and_have_one_hash():
    copy = Curve("a", np.arange(4.0), None, ["x"])
    assert copy == CURVE
    assert hash(copy) == hash(CURVE)
    assert len({copy, CURVE, replace(CURVE, points=np.zeros(4))}) == 2


def test_other_types_are_not_equal():
    class Line(Curve):
        pass

    assert Line("a", np.arange(4.0), None, ["x"]) != CURVE
    assert CURVE != "a"


def test_arrays_are_not_equal_to_lists():
    assert not is_equal(np.arange(2), [0, 1])
    assert is_equal([0, 1], [0, 1])


def test_what_is_undefined_is_equal_to_itself():
    undefined = np.array([1.0, np.nan])
    assert is_equal(undefined, undefined.copy())
    assert not is_equal(undefined, np.array([np.nan, 1.0]))
    assert not is_equal(undefined, np.array([1.0, 2.0]))
    assert is_equal(np.array(["a", None], dtype=object), np.array(["a", None], dtype=object))
