"""Errors, warnings, and checks of parameters with one template for messages."""

import sys
import warnings
from collections.abc import Collection
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any


class MauveError(Exception):
    """Base class of all errors that this package raises."""


class InvalidParameterError(MauveError, ValueError):
    """A parameter or an input is invalid; the message names the value and the remedy."""


class MissingExtraError(MauveError, ImportError):
    """A package of an optional extra is not installed."""


class ConvergenceError(MauveError, RuntimeError):
    """An iteration did not converge."""


class MauveWarning(UserWarning):
    """Warns that a result may be unreliable."""


def warn_caller(message: str) -> None:
    """Issue a MauveWarning that points at the line outside of this package that called it."""
    level, frame = 1, sys._getframe(1)
    internal = ("mauve", "functools")  # functools runs cached properties
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in internal:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, MauveWarning, stacklevel=level + 1)


def bad_parameter(caller: str, name: str, rule: str, value: object) -> InvalidParameterError:
    """Return an error that names the function, the parameter, the rule and the value.

    Examples
    --------
    >>> print(bad_parameter("compare", "scaling", "a real number above 0", -1))
    The 'scaling' parameter of compare must be a real number above 0. Got -1 instead.
    """
    return InvalidParameterError(
        f"The '{name}' parameter of {caller} must be {rule}. Got {value!r} instead."
    )


def check_int(caller: str, name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` as an int in [low, high], or raise.

    Examples
    --------
    >>> check_int("compare", "seed", 3, 0)
    3
    """
    rule = f"an int of at least {low}" if high is None else f"an int in [{low}, {high}]"
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise bad_parameter(caller, name, rule, value)
    number = int(value)
    if number < low or (high is not None and number > high):
        raise bad_parameter(caller, name, rule, value)
    return number


def check_real(
    caller: str, name: str, value: Any, above: float, up_to: float = float("inf")
) -> float:
    """Return `value` as a finite float in (above, up_to], or raise.

    Examples
    --------
    >>> check_real("compare", "scaling", 5, above=0)
    5.0
    """
    rule = f"a real number above {above:g}"
    if up_to != float("inf"):
        rule += f" and at most {up_to:g}"
    if not isinstance(value, Real) or isinstance(value, bool):
        raise bad_parameter(caller, name, rule, value)
    number = float(value)
    # NaN fails the first comparison, so it needs no test of its own.
    if not (above < number <= up_to) or number == float("inf"):
        raise bad_parameter(caller, name, rule, value)
    return number


def check_choice(caller: str, name: str, value: Any, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`, or raise.

    Examples
    --------
    >>> check_choice("compare", "estimator", "plugin", ["jackknife", "plugin"])
    'plugin'
    """
    if value not in choices:
        rule = "one of " + ", ".join(repr(choice) for choice in choices)
        raise bad_parameter(caller, name, rule, value)
    return str(value)


def need_packages(what: str, packages: Collection[str], extra: str, instead: str = "") -> None:
    """Raise a MissingExtraError unless all packages of an extra are installed.

    Parameters
    ----------
    what : str
        Subject of the message: the feature that needs them.
    packages : collection of str
        Names under which they are imported.
    extra : str
        The extra of this package that installs them.
    instead : str
        What to do without the extra.

    Examples
    --------
    >>> need_packages("The embedder 'gpt2'", ["numpy"], "transformers")
    """
    for package in packages:
        if find_spec(package) is None:
            remedy = f", or {instead}" if instead else ""
            raise MissingExtraError(
                f"{what} needs {package}, which is not installed: "
                f'pip install "mauve-eval[{extra}]"{remedy}.'
            )
