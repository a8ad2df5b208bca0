"""Take values out of the tables of a TOML document, each checked, with its line in messages."""

import difflib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from mauve.calls import Command, command_line
from mauve.errors import MauveError, MissingExtraError
from mauve.escape import escaped
from mauve.experiment.toml_lines import KeyPath, TomlDocument

T = TypeVar("T")

#: Messages of other modules name keys of the file, not flags or functions.
_AS_KEYS = Command("mauve experiment", {})


class TomlTable:
    """One table of a document, whose keys are taken one by one.

    Parameters
    ----------
    document : TomlDocument
    path : tuple of str
        The keys that lead to it.

    Examples
    --------
    >>> from mauve.experiment.toml_lines import parse_toml
    >>> table = TomlTable(parse_toml("n = 100" + chr(10) + "seed = [0]", "study.toml"))
    >>> table.integer("n", low=1)
    100
    >>> table.check_all_taken()
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'study.toml', line 2: 'seed' is not known here: \
remove it; known is n.
    """

    def __init__(self, document: TomlDocument, path: KeyPath = ()) -> None:
        self.document = document
        self.path = path
        self.values: dict[str, Any] = document.content
        for key in path:
            self.values = self.values[key]  # type: ignore[index]
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def names(self) -> list[str]:
        """Return the keys in the order of the file, as taken."""
        self._known += self.values
        return [*self.values]

    def line(self, key: str | None = None) -> int:
        """Return the line of a key, or of the table."""
        return self.document.line(self.path if key is None else (*self.path, key))

    def error(self, key: str | None, problem: str, place: int | None = None) -> MauveError:
        """Return an error about a key, an item of its list, or the table."""
        path = self.path if key is None else (*self.path, key)
        return self.document.error(path if place is None else (*path, place), problem)

    def bad(self, key: str, rule: str, value: object, remedy: str = "") -> MauveError:
        """Return an error about the value of a key."""
        name = escaped(".".join(map(str, (*self.path, key))))
        end = f": {remedy}" if remedy else ""
        return self.error(key, f"'{name}' must be {rule}. Got {value!r} instead{end}.")

    @contextmanager
    def at(self, key: str, place: int | None = None) -> Iterator[None]:
        """Put file and line before the errors of checks within the block."""
        try:
            with command_line(_AS_KEYS):
                yield
        except MissingExtraError:
            raise
        except MauveError as error:
            raise self.error(key, str(error), place) from error

    def take(self, key: str, default: Any = None) -> Any:
        """Return the value of a key as it is."""
        self._known.append(key)
        return self.values.get(key, default)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text that is not empty."""
        value = self.take(key, default)
        if value is None:
            name = escaped(".".join(map(str, (*self.path, key))))
            raise self.error(None, f"'{name}' is missing: add {escaped(key)} = \"...\" here.")
        if not isinstance(value, str) or not (value or value == default):
            raise self.bad(key, "a text in quotes", value)
        return value

    def optional_text(self, key: str) -> str | None:
        """Return a text, or None without the key."""
        return self.text(key) if key in self else self.take(key)

    def boolean(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.take(key, default)
        if not isinstance(value, bool):
            raise self.bad(key, "true or false, without quotes", value)
        return value

    def integer(self, key: str, default: int | None = None, *, low: int = 0) -> int:
        """Return an int of at least `low`."""
        value = self.take(key, default)
        if value is None:
            name = escaped(".".join(map(str, (*self.path, key))))
            raise self.error(None, f"'{name}' is missing: add {escaped(key)} = NUMBER here.")
        if not _is_int(value) or value < low:
            raise self.bad(key, f"an int of at least {low}", value)
        return int(value)

    def optional_integer(self, key: str, *, low: int = 0) -> int | None:
        """Return an int, or None without the key."""
        return self.integer(key, low=low) if key in self else self.take(key)

    def real(self, key: str, default: float) -> float:
        """Return a number."""
        value = self.take(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.bad(key, "a number", value)
        return float(value)

    def choice(self, key: str, choices: Collection[str], default: str) -> str:
        """Return one of some texts."""
        value = self.text(key, default)
        if value not in choices:
            near = difflib.get_close_matches(value, [*choices], 1)
            remedy = f"did you mean '{near[0]}'?" if near else ""
            raise self.bad(key, f"one of {', '.join(map(repr, choices))}", value, remedy)
        return value

    def items(
        self,
        key: str,
        default: list[Any] | None,
        is_valid: Callable[[Any], bool],
        rule: str,
    ) -> list[Any]:
        """Return a list of different values, none of them invalid; one value is a list of it."""
        value = self.take(key, default)
        if value is None:
            name = escaped(".".join(map(str, (*self.path, key))))
            raise self.error(None, f"'{name}' is missing: add {escaped(key)} = [...] here.")
        items = value if isinstance(value, list) else [value]
        if not items:
            raise self.bad(key, f"a list of {rule}", value, "write at least one")
        for place, item in enumerate(items):
            if not is_valid(item):
                name = escaped(".".join(map(str, (*self.path, key))))
                problem = f"'{name}' must be {rule}, or a list of them. Got {item!r} instead."
                raise self.error(key, problem, place)
            if item in items[:place]:
                problem = f"{item!r} stands in '{escaped(key)}' twice: remove one of them."
                raise self.error(key, problem, place)
        return items

    def texts(self, key: str, default: list[str] | None = None) -> list[str]:
        """Return a list of different texts."""
        return self.items(key, default, lambda item: isinstance(item, str) and bool(item), "texts")

    def integers(self, key: str, default: list[int] | None = None, *, low: int = 0) -> list[int]:
        """Return a list of different ints."""
        rule = f"ints of at least {low}"
        return self.items(key, default, lambda item: _is_int(item) and item >= low, rule)

    def table(self, key: str) -> "TomlTable":
        """Return a table within this one; an empty one if there is none."""
        value = self.take(key, {})
        if not isinstance(value, dict):
            heading = ".".join(map(str, (*self.path, key)))
            raise self.bad(key, f"a table, under the heading [{heading}]", value)
        return TomlTable(self.document, (*self.path, key)) if key in self else _empty(self, key)

    def check_all_taken(self) -> None:
        """Raise if there is a key that nothing took."""
        known = [*dict.fromkeys(self._known)]
        for key in self.values:
            if key in known:
                continue
            near = difflib.get_close_matches(key, known, 1)
            remedy = f"remove it; known is {', '.join(known)}."
            if near:
                remedy = f"did you mean '{near[0]}'?"
            name = escaped(".".join(map(str, (*self.path, key))))
            raise self.error(key, f"'{name}' is not known here: {remedy}")


def _empty(parent: TomlTable, key: str) -> TomlTable:
    """Return a table that is not in the file, whose messages have the line of its parent."""
    table = TomlTable(parent.document, parent.path)
    table.path = (*parent.path, key)
    table.values = {}
    return table


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
