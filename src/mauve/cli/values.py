"""Parse and check the values of options and arguments."""

import os
from collections.abc import Callable, Collection
from pathlib import Path

import typer

from mauve.escape import escaped
from mauve.text.read import TEXT_SUFFIXES

_SUFFIXES = (
    ".npy", ".npy.gz", ".safetensors",
    *TEXT_SUFFIXES, *(f"{suffix}.gz" for suffix in TEXT_SUFFIXES),
)  # fmt: skip


def one_of(choices: Collection[str]) -> Callable[[str | None], str | None]:
    """Return a callback that rejects all values but `choices` and None."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(
                f"must be one of {', '.join(choices)}. Got '{escaped(value)}' instead."
            )
        return value

    return check


def number(
    rule: str, is_valid: Callable[[float], bool], why: str = ""
) -> Callable[[float | None], float | None]:
    """Return a callback that rejects all numbers but those for which `is_valid` holds."""
    reason = f": {why}" if why else ""

    def check(value: float | None) -> float | None:
        if value is not None and not is_valid(value):
            raise typer.BadParameter(f"must be {rule}. Got {value:.12g} instead{reason}.")
        return value

    return check


between_0_and_1 = number("between 0 and 1, both excluded", lambda x: 0 < x < 1)


def at_least(low: int, why: str) -> Callable[[int | None], int | None]:
    """Return a callback that rejects ints below `low`, and gives the reason."""

    def check(value: int | None) -> int | None:
        if value is not None and value < low:
            raise typer.BadParameter(f"must be at least {low}. Got {value} instead: {why}.")
        return value

    return check


def number_or_auto(value: str) -> int | str:
    """Return a whole number, or 'auto' unchanged.

    Examples
    --------
    >>> number_or_auto("20"), number_or_auto("auto")
    (20, 'auto')
    """
    if value == "auto":
        return value
    try:
        return int(value)
    except ValueError:
        raise typer.BadParameter(
            f"must be a whole number or 'auto'. Got '{escaped(value)}' instead."
        ) from None


def path_ending_in(*suffixes: str) -> Callable[[Path | None], Path | None]:
    """Return a callback that rejects all paths but those with one of `suffixes`."""

    def check(path: Path | None) -> Path | None:
        if path is not None and path.suffix.lower() not in suffixes:
            known = " or ".join(filter(None, [", ".join(suffixes[:-1]), suffixes[-1]]))
            raise typer.BadParameter(f"'{escaped(str(path))}' must end in {known}.")
        return path

    return check


def name_and_path(argument: str) -> tuple[str, Path]:
    """Split ``NAME=FILE``; without a name, the system is named after its file.

    Examples
    --------
    >>> name_and_path("runs/gpt2.v1.npy.gz")[0]
    'gpt2.v1'
    >>> name, path = name_and_path("small=runs/gpt2.npy")
    >>> name, path.as_posix()
    ('small', 'runs/gpt2.npy')
    """
    name, equals, file = argument.partition("=")
    if equals and not os.path.isfile(argument):  # a file may be called lr=0.1.npy
        if not name or not file:
            raise typer.BadParameter(
                f"'{escaped(argument)}' must be a file or NAME=FILE, with neither empty."
            )
        return name, Path(file)
    path = Path(argument)
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if path.name.endswith(suffix) and path.name != suffix:
            return path.name.removesuffix(suffix), path
    return path.name or argument, path


def named_systems(arguments: list[str]) -> dict[str, Path]:
    """Return the path of every system by its name; raise if two have the same name."""
    systems: dict[str, Path] = {}
    for argument in arguments:
        name, path = name_and_path(argument)
        if name in systems:
            raise typer.BadParameter(
                f"two systems are called '{escaped(name)}'. Give one of them another name: "
                f"NAME={escaped(str(path))}"
            )
        systems[name] = path
    return systems


def check_systems(arguments: list[str]) -> list[str]:
    """Raise unless all systems have names that differ."""
    named_systems(arguments)
    return arguments


def named_models(arguments: list[str] | None) -> dict[str, str]:
    """Return the language model and decoder of each system by its name.

    Examples
    --------
    >>> named_models(["small=gpt2@nucleus:0.95"])
    {'small': 'gpt2@nucleus:0.95'}
    """
    models: dict[str, str] = {}
    for argument in arguments or []:
        name, equals, model = argument.partition("=")
        if not equals or not name or not model:
            raise typer.BadParameter(
                f"--model must be NAME=MODEL@DECODER. Got '{escaped(argument)}' instead."
            )
        if name in models:
            raise typer.BadParameter(f"--model must name '{escaped(name)}' once.")
        models[name] = model
    return models
