"""One template for all errors: who, which parameter, what it must be, what it was."""

import numpy as np
import pytest

import mauve
from mauve.errors import (
    ConvergenceError,
    InvalidParameterError,
    MauveError,
    MauveWarning,
    MissingExtraError,
    bad_parameter,
    check_choice,
    check_int,
    check_real,
    warn_caller,
)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InvalidParameterError, ValueError),
        (MissingExtraError, ImportError),
        (ConvergenceError, RuntimeError),
    ],
)
def test_every_error_is_a_mauve_error_and_the_builtin_one(error, builtin):
    assert issubclass(error, MauveError)
    assert issubclass(error, builtin)


def test_warning_is_a_user_warning():
    assert issubclass(MauveWarning, UserWarning)


def test_template_names_caller_parameter_rule_and_value():
    with pytest.raises(InvalidParameterError) as caught:
        mauve.compare(np.eye(20), np.eye(20), seed=-1)
    assert str(caught.value) == (
        "The 'seed' parameter of compare must be an int of at least 0. Got -1 instead."
    )


def test_template_has_room_for_a_reason():
    error = bad_parameter("n", "even", 3, "each pair needs two")
    assert str(error) == "'n' must be even. Got 3 instead: each pair needs two."


class TestCheckInt:
    @pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
    def test_returns_a_plain_int(self, value):
        checked = check_int("x", value, 0)
        assert checked == 3
        assert type(checked) is int

    @pytest.mark.parametrize("value", [3.0, "3", True, np.bool_(True), None, 3 + 0j, [3]])
    def test_only_whole_numbers(self, value):
        with pytest.raises(InvalidParameterError, match="'x' must be an int of at least"):
            check_int("x", value, 0)

    @pytest.mark.parametrize("value", [1, 6])
    def test_only_within_the_bounds(self, value):
        with pytest.raises(
            InvalidParameterError, match=rf"an int in \[2, 5\]\. Got {value} instead"
        ):
            check_int("x", value, 2, 5)

    @pytest.mark.parametrize("value", [2, 5])
    def test_bounds_are_within(self, value):
        assert check_int("x", value, 2, 5) == value


class TestCheckReal:
    @pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2)])
    def test_returns_a_plain_float(self, value):
        checked = check_real("x", value, above=0)
        assert checked == 2
        assert type(checked) is float

    @pytest.mark.parametrize(
        "value", [0, -1.5, float("nan"), float("inf"), "2", None, True, 1 + 0j, np.array([1.0])]
    )
    def test_only_finite_numbers_above_the_bound(self, value):
        with pytest.raises(InvalidParameterError, match=r"a real number above 0\. Got"):
            check_real("x", value, above=0)

    def test_upper_bound_is_within_and_named(self):
        assert check_real("x", 1, above=0, up_to=1) == 1
        with pytest.raises(InvalidParameterError, match=r"above 0 and at most 1\. Got 1\.5"):
            check_real("x", 1.5, above=0, up_to=1)


class TestCheckChoice:
    def test_returns_the_choice(self):
        assert check_choice("x", "b", ["a", "b"]) == "b"

    @pytest.mark.parametrize("value", ["c", None, 1, ["a"]])
    def test_names_the_choices(self, value):
        with pytest.raises(InvalidParameterError, match=r"must be one of 'a', 'b'\. Got"):
            check_choice("x", value, ("a", "b"))


def test_warnings_point_at_the_first_line_outside_of_the_package():
    with pytest.warns(MauveWarning, match="beware") as caught:
        warn_caller("beware")
    assert caught[0].filename == __file__
