"""Read TOML, and find the line on which each key of it stands."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mauve.errors import InvalidParameterError
from mauve.escape import escaped

#: The keys that lead to a value, and positions in lists.
KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class TomlDocument:
    """What a file holds, and where.

    Attributes
    ----------
    name : str
        The file, as messages name it.
    content : dict
    lines : dict from tuple of keys to int
        The line of each key and table, from 1 on.

    Examples
    --------
    >>> text = 'name = "a"' + chr(10) + "[models]" + chr(10) + 'small = "runs/small"'
    >>> document = parse_toml(text, "study.toml")
    >>> document.content["models"], document.line(("models", "small"))
    ({'small': 'runs/small'}, 3)
    """

    name: str
    content: dict[str, Any]
    lines: dict[KeyPath, int] = field(repr=False)

    def line(self, path: KeyPath) -> int:
        """Return the line of a key, or that of the table it would be in."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def where(self, path: KeyPath) -> str:
        """Return the beginning of a message about a key: the file and the line."""
        return f"'{escaped(self.name)}', line {self.line(path)}"

    def error(self, path: KeyPath, problem: str) -> InvalidParameterError:
        """Return an error about a key, with file and line."""
        return InvalidParameterError(f"{self.where(path)}: {problem}")


def parse_toml(text: str, name: str) -> TomlDocument:
    """Parse a document, or raise an error with the line of what is wrong.

    Parameters
    ----------
    text : str
    name : str
        The file, for messages.

    Examples
    --------
    >>> parse_toml('name = "a"' + chr(10) + "n = ", "study.toml")
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'study.toml', line 2: this is no TOML (Invalid value): \
write KEY = VALUE, with texts in quotes.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad_syntax(text, name, str(error)) from None
    return TomlDocument(name, content, _lines(text))


def _bad_syntax(text: str, name: str, message: str) -> InvalidParameterError:
    problem, _, place = message.rpartition(" (at ")
    parts = re.match(r"line (\d+)", place)
    line = int(parts[1]) if parts else len(text.rstrip("\n").split("\n"))
    if "overwrite" in problem or "twice" in problem:
        key = text.split("\n")[line - 1].partition("=")[0].strip()
        return InvalidParameterError(
            f"'{escaped(name)}', line {line}: '{escaped(key)}' stands in its table twice: give one "
            "of them another name, or remove it."
        )
    return InvalidParameterError(
        f"'{escaped(name)}', line {line}: this is no TOML ({escaped(problem or message)}): write "
        "KEY = VALUE, with texts in quotes."
    )


def _lines(text: str) -> dict[KeyPath, int]:
    """Return the line of every key: the first line that a key is known from.

    A value that takes several lines is known where it ends. So the document is parsed line by
    line, each time with one line more, and the keys that are new then stand where the last
    parse ended. Configs are short.
    """
    lines: dict[KeyPath, int] = {}
    source = text.split("\n")
    start = 0
    for end in range(1, len(source) + 1):
        if not source[end - 1].strip() or source[end - 1].lstrip().startswith("#"):
            if start == end - 1:
                start = end  # a comment before a key, not within a value
            continue
        try:
            content = tomllib.loads("\n".join(source[:end]))
        except tomllib.TOMLDecodeError:
            continue
        for path, value in _paths(content):
            if path not in lines:
                lines[path] = start + 1
                if isinstance(path[-1], int):
                    lines[path] = _item_line(source, start, end, value)
        start = end
    return lines


def _item_line(source: list[str], start: int, end: int, value: Any) -> int:
    """Return the line of an item of a list that takes several lines."""
    if isinstance(value, str | int | float) and end - start > 1:
        for number in range(start, end):
            if str(value) in source[number].partition("#")[0]:
                return number + 1
    return start + 1


def _paths(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the path and the value of everything in a document."""
    if path:
        yield path, value
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _paths(item, (*path, place))
