"""Errors, warnings, and checks of parameters with one template for messages."""

import sys
import warnings
from collections.abc import Collection
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any, TypeVar, cast

import numpy as np

from mauve.calls import is_internal, parameter

S = TypeVar("S", bound=str)


class MauveError(Exception):
    """Base class of all errors that this package raises."""


class InvalidParameterError(MauveError, ValueError):
    """A parameter or an input is invalid; the message names the value and the remedy."""


class UndefinedError(InvalidParameterError):
    """A measure has no value for some texts; the message names them and the remedy.

    :func:`mauve.measure` shows such a value as ``--``, with a warning, and computes all others.
    """


class OutputError(MauveError, OSError):
    """A file, or standard output, cannot be written; the message names it."""


class MissingExtraError(MauveError, ImportError):
    """A package of an optional extra is not installed."""


class ConvergenceError(MauveError, RuntimeError):
    """An iteration did not converge."""


class MauveWarning(UserWarning):
    """Warns that a result may be unreliable."""


def warn_caller(message: str) -> None:
    """Issue a MauveWarning that points at the line outside of this package that called it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and (
        # These run cached properties and context managers of this package.
        is_internal(frame) or frame.f_globals.get("__name__") in ("functools", "contextlib")
    ):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, MauveWarning, stacklevel=level + 1)


def bad_parameter(name: str, rule: str, value: object, why: str = "") -> InvalidParameterError:
    """Return an error that names the function, the parameter, the rule and the value.

    The function is the one that the user called and that has a parameter of that name; on the
    command line the error names the flag (see :mod:`mauve.calls`).

    Parameters
    ----------
    name : str
        Name of the parameter.
    rule : str
        What it must be.
    value : object
        What it is.
    why : str
        Reason of the rule, or a remedy.

    Examples
    --------
    >>> def compare(scaling):
    ...     raise bad_parameter("scaling", "a real number above 0", scaling)
    >>> compare(-1)
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'scaling' must be a real number above 0. Got -1 instead.
    """
    reason = f": {why}" if why else ""
    return InvalidParameterError(
        f"{parameter(name)} must be {rule}. Got {value!r} instead{reason}."
    )


def check_int(name: str, value: Any, low: int, high: int | None = None, why: str = "") -> int:
    """Return `value` as an int in [low, high], or raise.

    `why` is the reason of the upper limit, or of the lower one if there is no other.

    Examples
    --------
    >>> check_int("seed", 3, 0)
    3
    """
    rule = f"an int of at least {low}" if high is None else f"an int in [{low}, {high}]"
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise bad_parameter(name, rule, value)
    number = int(value)
    if number < low or (high is not None and number > high):
        gives_reason = high is None or number > high
        raise bad_parameter(name, rule, value, why if gives_reason else "")
    return number


def check_real(
    name: str, value: Any, above: float, up_to: float = float("inf"), why: str = ""
) -> float:
    """Return `value` as a finite float in (above, up_to], or raise; `why` says why `up_to`.

    Examples
    --------
    >>> check_real("scaling", 5, above=0)
    5.0
    """
    rule = f"a real number above {above:g}"
    if up_to != float("inf"):
        rule += f" and at most {up_to:g}"
    number = _real(name, value, rule)
    # NaN fails the first comparison, so it needs no test of its own.
    if not (above < number <= up_to) or number == float("inf"):
        raise bad_parameter(name, rule, value, why if number > up_to else "")
    return number


def check_share(name: str, value: Any, why: str = "") -> float:
    """Return `value` as a float between 0 and 1, both excluded, or raise.

    Examples
    --------
    >>> check_share("confidence", 0.95)
    0.95
    """
    rule = "a real number between 0 and 1, both excluded"
    number = _real(name, value, rule)
    if not 0 < number < 1:
        raise bad_parameter(name, rule, value, why)
    return number


def _real(name: str, value: Any, rule: str) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise bad_parameter(name, rule, value)
    return float(value)


def check_bool(name: str, value: Any) -> bool:
    """Return `value` as a bool, or raise: "false" would count as True.

    Examples
    --------
    >>> check_bool("strip", True)
    True
    """
    if not isinstance(value, bool | np.bool_):
        raise bad_parameter(name, "True or False", value)
    return bool(value)


def check_choice(name: str, value: Any, choices: Collection[S]) -> S:
    """Return `value` if it is one of `choices`, or raise.

    Examples
    --------
    >>> check_choice("estimator", "plugin", ["jackknife", "plugin"])
    'plugin'
    """
    if not isinstance(value, str) or value not in choices:
        rule = "one of " + ", ".join(repr(choice) for choice in choices)
        raise bad_parameter(name, rule, value)
    return cast(S, str(value))  # not a NumPy string


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
