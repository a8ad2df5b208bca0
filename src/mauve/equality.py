"""Compare results exactly, arrays included."""

from dataclasses import fields
from typing import Any

import numpy as np


class ExactEquality:
    """Base of frozen dataclasses that hold arrays: equal if all fields are, to the last bit.

    Use it with ``@dataclass(frozen=True, eq=False)``: the ``==`` of a dataclass cannot compare
    arrays. Objects are hashable, by the fields that are.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Curve(ExactEquality):
    ...     name: str
    ...     points: np.ndarray
    >>> Curve("a", np.zeros(3)) == Curve("a", np.zeros(3)), Curve("a", np.zeros(3)) == "a"
    (True, False)
    >>> len({Curve("a", np.zeros(3)), Curve("a", np.zeros(3)), Curve("a", np.ones(3))})
    2
    """

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(is_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        # Arrays and lists have no hash; what differs in these alone shares one.
        return hash(tuple(value for value in values if not isinstance(value, np.ndarray | list)))


def is_equal(first: Any, second: Any) -> bool:
    """Return whether two values are equal; arrays also need the same shape.

    NaN in an array stands for what is not defined, and is equal to itself.

    Examples
    --------
    >>> is_equal(np.arange(3), np.arange(3)), is_equal(np.arange(3), np.arange(4))
    (True, False)
    >>> is_equal(np.array([1, np.nan]), np.array([1, np.nan]))
    True
    >>> is_equal(None, np.arange(3)), is_equal("a", "a")
    (False, True)
    """
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        both = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
        return both and np.array_equal(first, second, equal_nan=_has_nan(first, second))
    return bool(first == second)


def _has_nan(*arrays: np.ndarray) -> bool:
    """Return whether all arrays are of a type that has NaN: others cannot be searched for it."""
    return all(array.dtype.kind in "fc" for array in arrays)
