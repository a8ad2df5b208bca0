"""Parse and check the values of options and arguments."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import typer

from mauve.cli.terminal import warnings_as_lines
from mauve.engine.sources import is_many, is_wild
from mauve.escape import escaped
from mauve.generation.settings import model_name
from mauve.quantize.registry import QUANTIZERS, quantizer_names
from mauve.text.files import COMPRESSIONS, TEXT_SUFFIXES

_SUFFIXES = (
    ".npy", ".npy.gz", ".safetensors",
    *(f"{kind}{packed}" for kind in TEXT_SUFFIXES for packed in ("", *COMPRESSIONS)),
)  # fmt: skip


class InputFile(NamedTuple):
    """A file to read, and the field that holds its texts, if the argument names one."""

    path: Path
    field: str | None = None


def one_of(choices: Collection[str]) -> Callable[[str | None], str | None]:
    """Return a callback that rejects all values but `choices` and None."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(
                f"must be one of {', '.join(choices)}. Got '{escaped(value)}' instead."
            )
        return value

    return check


def quantizer_name(value: str) -> str:
    """Return the name of a quantizer, or raise; those of other distributions are looked up last.

    Examples
    --------
    >>> quantizer_name("kmeans")
    'kmeans'
    """
    if value not in QUANTIZERS:
        with warnings_as_lines():  # where one of another package cannot be used
            names = quantizer_names()
        one_of(names)(value)
    return value


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


def number_or(*words: str) -> Callable[[str], int | str]:
    """Return a parser of whole numbers that leaves some words unchanged.

    Examples
    --------
    >>> number_or("auto")("20"), number_or("auto")("auto")
    (20, 'auto')
    """

    def parse(value: str) -> int | str:
        if value in words:
            return value
        try:
            return int(value)
        except ValueError:
            allowed = " or ".join(filter(None, [", ".join(map(repr, words[:-1])), repr(words[-1])]))
            separator = " or" if len(words) == 1 else ","
            raise typer.BadParameter(
                f"must be a whole number{separator} {allowed}. Got '{escaped(value)}' instead."
            ) from None

    return parse


def path_ending_in(*suffixes: str) -> Callable[[Path | None], Path | None]:
    """Return a callback that rejects all paths but those with one of `suffixes`."""

    def check(path: Path | None) -> Path | None:
        if path is not None and path.suffix.lower() not in suffixes:
            known = " or ".join(filter(None, [", ".join(suffixes[:-1]), suffixes[-1]]))
            raise typer.BadParameter(f"'{escaped(str(path))}' must end in {known}.")
        return path

    return check


def input_file(argument: str) -> InputFile:
    """Split ``FILE:FIELD``; a file with colons in its name is a file, as is ``hf:NAME``.

    Examples
    --------
    >>> input_file("runs/gpt2.jsonl:story").field
    'story'
    >>> input_file("-:choices.0.text").field, input_file("C:/runs/gpt2.jsonl").field
    ('choices.0.text', None)
    >>> input_file("hf:a/b?split=test&field=story").field is None
    True
    """
    if os.path.exists(argument) or parsed_options(argument) is not None:
        return InputFile(Path(argument))
    ends = [i for i, letter in enumerate(argument) if letter == ":"][::-1]
    is_there = (end for end in ends if argument[:end] == "-" or os.path.exists(argument[:end]))
    # The error about a missing file is to name the file alone.
    is_named = (end for end in ends if argument[:end].lower().endswith(_SUFFIXES))
    end = next(is_there, None) or next(is_named, None)
    if end is None:
        return InputFile(Path(argument))
    if end + 1 == len(argument):
        raise typer.BadParameter(
            f"'{escaped(argument)}' must be a file or FILE:FIELD, with neither empty."
        )
    return InputFile(Path(argument[:end]), argument[end + 1 :])


def parsed_options(argument: str) -> str | None:
    """Return a source without the options behind it; None for a file without any.

    Examples
    --------
    >>> parsed_options("a.jsonl?role=user"), parsed_options("hf:a/b"), parsed_options("a.jsonl")
    ('a.jsonl', 'hf:a/b', None)
    """
    path, mark, options = argument.partition("?")
    is_dataset = path.startswith("hf:") or "=hf:" in path
    if os.path.exists(argument) or not (is_dataset or (mark and "=" in options)):
        return None
    return path


def named_file(argument: str) -> tuple[str, InputFile]:
    """Split ``NAME=FILE:FIELD``; without a name, the system is named after its file.

    Examples
    --------
    >>> named_file("runs/gpt2.v1.npy.gz")[0]
    'gpt2.v1'
    >>> name, (path, field) = named_file("small=runs/gpt2.jsonl:story")
    >>> name, path.as_posix(), field
    ('small', 'runs/gpt2.jsonl', 'story')
    >>> named_file("chats.jsonl?role=user")[0], named_file("hf:a/stories?split=test")[0]
    ('chats', 'stories')
    >>> named_file("people=chats.jsonl?role=user")[0]
    'people'
    """
    if (plain := parsed_options(argument)) is not None:
        name, equals, rest = plain.partition("=")
        if equals and name and rest:
            return name, input_file(argument.partition("=")[2])
        return named_file(plain.removeprefix("hf:").rstrip("/"))[0], InputFile(Path(argument))
    name, equals, file = argument.partition("=")
    if equals and not os.path.exists(input_file(argument).path):  # it may be called lr=0.1.npy
        if not name or not file:
            raise typer.BadParameter(
                f"'{escaped(argument)}' must be a file or NAME=FILE, with neither empty."
            )
        return name, input_file(file)
    source = input_file(argument)
    path = source.path
    if is_many(str(path)):
        return _name_of_many(str(path)) or argument, source
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if path.name.lower().endswith(suffix) and len(path.name) > len(suffix):
            return path.name[: -len(suffix)], source
    return path.name or argument, source


def _name_of_many(path: str) -> str:
    """Return the name of a pattern, folder or dataset: the last part of it without wild cards.

    Examples
    --------
    >>> _name_of_many("runs/gpt2/*.jsonl.gz"), _name_of_many("hf:org/stories?split=test")
    ('gpt2', 'stories')
    """
    plain = path.partition(":")[2].partition("?")[0] if path.startswith("hf:") else path
    parts = [part for part in Path(plain).parts if not is_wild(part)]
    return parts[-1] if parts else ""


def named_systems(arguments: list[str]) -> dict[str, InputFile]:
    """Return the file of every system by its name; raise if two have the same name."""
    systems: dict[str, InputFile] = {}
    for argument in arguments:
        name, source = named_file(argument)
        if name in systems:
            raise typer.BadParameter(
                f"two systems are called '{escaped(name)}'. Give one of them another name: "
                f"NAME={escaped(argument)}"
            )
        systems[name] = source
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


def named_writer(argument: str) -> tuple[str | None, str]:
    """Split ``NAME=MODEL``; a model may have an equals sign in its own name.

    Examples
    --------
    >>> named_writer("small=gpt2"), named_writer("runs/lr=0.1"), named_writer("gpt2")
    (('small', 'gpt2'), (None, 'runs/lr=0.1'), (None, 'gpt2'))
    """
    name, equals, model = argument.partition("=")
    # A name has no part of a path or address; an existing folder is a folder.
    if not equals or os.path.exists(argument) or any(mark in name for mark in "/\\:?"):
        return None, argument
    if not name or not model:
        raise typer.BadParameter(
            f"'{escaped(argument)}' must be a model or NAME=MODEL, with neither empty."
        )
    return name, model


def check_writers(arguments: list[str]) -> list[str]:
    """Raise unless all models have names that differ."""
    writers_by_name(arguments)
    return arguments


def parse_seed_list(value: str) -> str:
    """Return whole numbers with commas between them as they are, or raise.

    Examples
    --------
    >>> parse_seed_list("0,1")
    '0,1'
    """
    if not all(part.strip().isdecimal() for part in value.split(",")):
        raise typer.BadParameter(
            f"must be whole numbers with commas between them. Got '{escaped(value)}' instead."
        )
    return value


def writers_by_name(arguments: list[str]) -> dict[str, str]:
    """Return the models by their names, or raise.

    Examples
    --------
    >>> writers_by_name(["small=gpt2", "bundled"])
    {'small': 'gpt2', 'bundled': 'bundled'}
    """
    models: dict[str, str] = {}
    for argument in arguments:
        given, model = named_writer(argument)
        name = model_name(model) if given is None else given
        if name in models:
            raise typer.BadParameter(
                f"two models are called '{escaped(name)}'. Give one of them another name: "
                f"NAME={escaped(model)}"
            )
        models[name] = model
    return models
