"""What can go wrong, and the one sentence that says so."""

from collections.abc import Collection
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any


class MauveError(Exception):
    """Base of every error this package raises on purpose."""


class InvalidParameterError(MauveError, ValueError):
    """A value that cannot be used; the message names it and the remedy."""


class MissingExtraError(MauveError, ImportError):
    """An optional part of the package is needed and not there."""


class ConvergenceError(MauveError, RuntimeError):
    """An iteration did not reach a usable result."""


class MauveWarning(UserWarning):
    """A number still means something, but less than the reader may think."""


def bad_parameter(caller: str, name: str, rule: str, value: object) -> InvalidParameterError:
    """Return the error of one template: who, which parameter, what it must be, what it was.

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
    """Raise unless all packages of an extra are installed.

    Parameters
    ----------
    what : str
        Who needs them, to begin the sentence with.
    packages : collection of str
        By the names under which they are imported.
    extra : str
        The extra of this package that brings them.
    instead : str
        What to do without it.

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
