"""Collect the metadata of records: their fields beside text, prompt and id."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

#: Stands for values that are not read.
UNREAD = object()

_MAX_CHARACTERS = 200  # longer strings are texts, not metadata
_MAX_FIELDS = 100  # with more, names are keys or counts of something


class MetadataColumns:
    """The metadata of records, one list of values for each field.

    A field is dropped at its first value that is neither a string of up to 200 characters nor an
    int, a bool or None. Fields beyond the first hundred are dropped too.

    Attributes
    ----------
    unread : dict of str to None
        Fields that were dropped, in their order.

    Examples
    --------
    >>> columns = MetadataColumns()
    >>> columns.add(0, {"site": "a.org", "score": 0.5})
    >>> columns.add(2, {"site": "b.org", "year": 1999})
    >>> columns.filled(4), list(columns.unread)
    ({'site': ['a.org', None, 'b.org', None], 'year': [None, None, 1999, None]}, ['score'])
    """

    def __init__(self) -> None:
        self.unread: dict[str, None] = {}
        self._columns: dict[str, list[Any]] = {}
        self._strings: dict[str, str] = {}  # equal strings of many records are stored once

    def add(self, row: int, values: Mapping[str, Any]) -> None:
        """Add the values of the record at position `row`."""
        for name, value in values.items():
            if name in self.unread:
                continue
            is_new = name not in self._columns
            if not is_metadata(value) or (is_new and len(self._columns) == _MAX_FIELDS):
                self._columns.pop(name, None)
                self.unread[name] = None
                continue
            if isinstance(value, str):
                value = self._strings.setdefault(value, value)
            column = self._columns.setdefault(name, [])
            column.extend([None] * (row - len(column)))
            column.append(value)

    def filled(self, n_rows: int) -> dict[str, list[Any]]:
        """Return all fields, with None where the last records have no value."""
        return {
            name: column + [None] * (n_rows - len(column)) for name, column in self._columns.items()
        }


def is_metadata(value: object) -> bool:
    """Whether a value is metadata: a string of up to 200 characters, an int, a bool or None.

    Examples
    --------
    >>> is_metadata("a.org"), is_metadata(0.5)
    (True, False)
    """
    if isinstance(value, str):
        return len(value) <= _MAX_CHARACTERS
    return value is None or isinstance(value, int)  # bools are ints


def repeated_names(columns: Sequence[str], besides: Collection[str]) -> list[str]:
    """Return the names that several columns have, in their order, except those in `besides`.

    Examples
    --------
    >>> repeated_names(["text", "site", "site", "id", "id"], ["id"])
    ['site']
    """
    return [name for name, n in Counter(columns).items() if n > 1 and name not in besides]
