"""What records say of their texts beside text, prompt and name."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

#: Stands for values that are not read.
UNREAD = object()

_LONGEST_VALUE = 200  # characters; what is longer is another text
_MOST_FIELDS = 100  # with more, names are keys or counts of something


class Columns:
    """The metadata of records, one list of values for each field.

    A field is left out as soon as it has a value that is no string of up to 200 characters, no
    int, no bool and not None, and so are any beyond the first hundred.

    Attributes
    ----------
    unread : dict of str to None
        Fields that are left out, in their order.

    Examples
    --------
    >>> columns = Columns()
    >>> columns.add(0, {"site": "a.org", "score": 0.5})
    >>> columns.add(2, {"site": "b.org", "year": 1999})
    >>> columns.filled(4), list(columns.unread)
    ({'site': ['a.org', None, 'b.org', None], 'year': [None, None, 1999, None]}, ['score'])
    """

    def __init__(self) -> None:
        self.unread: dict[str, None] = {}
        self._found: dict[str, list[Any]] = {}
        self._shared: dict[str, str] = {}  # a value of many texts is kept once

    def add(self, row: int, values: Mapping[str, Any]) -> None:
        """Take in the values of a record, by its position."""
        for name, value in values.items():
            if name in self.unread:
                continue
            is_new = name not in self._found
            if not _is_metadata(value) or (is_new and len(self._found) == _MOST_FIELDS):
                self._found.pop(name, None)
                self.unread[name] = None
                continue
            own = self._found.setdefault(name, [])
            own.extend([None] * (row - len(own)))
            own.append(self._shared.setdefault(value, value) if isinstance(value, str) else value)

    def filled(self, n_rows: int) -> dict[str, list[Any]]:
        """Return all fields, with None where the last records have no value."""
        return {name: own + [None] * (n_rows - len(own)) for name, own in self._found.items()}


def _is_metadata(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_VALUE
    return value is None or isinstance(value, int)  # bools are ints


def repeated(columns: Sequence[str], besides: Collection[str]) -> list[str]:
    """Return the names that several columns have, in their order, `besides` some others.

    Examples
    --------
    >>> repeated(["text", "site", "site", "id", "id"], ["id"])
    ['site']
    """
    return [name for name, n in Counter(columns).items() if n > 1 and name not in besides]
