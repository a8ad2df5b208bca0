"""Take text, prompt, id and metadata out of one record, by the names of its fields."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar, NamedTuple

from mauve.calls import option
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed, shortened

#: The field that holds the text unless another one is named.
TEXT_FIELD = "text"

_MISSING = object()
_DEPTH = 3  # levels of nested fields that a message lists
_ITEMS = 3  # items of a list that a message lists


class Record(NamedTuple):
    """A text with what is known about it; `has_fields` is False for a bare string."""

    text: str
    prompt: str | None = None
    id: str | None = None
    metadata: Mapping[str, Any] = {}
    has_fields: bool = False


@dataclass(frozen=True)
class Fields:
    """Names of the fields of text and prompt, and the name of the file in messages.

    Attributes
    ----------
    file : str
        The file, or the sample, as messages name it: quoted.
    text, prompt : str
        ``a.b.0`` is item 0 of the field ``b`` within the field ``a``, unless a field has that
        very name.
    role : str or None
        Whose messages of a conversation are the texts; by default those of the assistant.

    Examples
    --------
    >>> fields = Fields("'a.jsonl'", "turns.0.said")
    >>> fields.record({"turns": [{"said": "Hello."}], "site": "a.org"}, "Line 1")
    Record(text='Hello.', prompt=None, id=None, metadata={'site': 'a.org'}, has_fields=True)
    """

    #: Whether logs of evaluation tools and conversations are recognised.
    reads_logs: ClassVar[bool] = True

    file: str
    text: str = TEXT_FIELD
    prompt: str = "prompt"
    role: str | None = None

    @property
    def is_default(self) -> bool:
        """Whether nobody named the field of the text."""
        return self.text == TEXT_FIELD

    @property
    def reserved(self) -> tuple[str, ...]:
        """The fields that are not metadata."""
        return self.text, self.prompt, "id"

    def record(self, values: Mapping[str, Any], where: str) -> Record:
        """Return what a record holds, or raise an error that says `where` it stands."""
        text, prompt = (value_at(values, name) for name in (self.text, self.prompt))
        if text is _MISSING:
            raise InvalidParameterError(
                f"{where} of {self.file} must have the field '{escaped(self.text)}'. "
                f"Got {listed([*field_names(values)]) or 'none'} instead: pass "
                f"{option('field', 'NAME')}, or rename it."
            )
        prompt = None if prompt is _MISSING else prompt
        for name, value in ((self.text, text), (self.prompt, prompt)):
            if not isinstance(value, str) and (name == self.text or value is not None):
                remedy = self._remedy(name, value)
                raise InvalidParameterError(
                    f"The field '{escaped(name)}' in {where[0].lower() + where[1:]} of {self.file} "
                    f"must be a string. Got {type_name(value)} instead: {remedy}."
                )
        id_ = values.get("id")
        # 1 and "1" are the same id; a bool or a float is no id.
        if id_ is not None and (isinstance(id_, bool) or not isinstance(id_, str | int)):
            raise InvalidParameterError(
                f"The field 'id' in {where[0].lower() + where[1:]} of {self.file} must be a string "
                f"or an int. Got {type_name(id_)} instead: write it as a string."
            )
        taken: Collection[str] = self.reserved
        if "." in self.text or "." in self.prompt:
            taken = {head_of(name, values) for name in self.reserved}
        metadata = {name: value for name, value in values.items() if name not in taken}
        return Record(str(text), prompt, None if id_ is None else str(id_), metadata, True)

    def _remedy(self, name: str, value: Any) -> str:
        nested = [*_string_paths(value, name, _DEPTH)] if name == self.text else []
        if nested:
            return f"pass {option('field', escaped(nested[0]))}"
        is_missing = type_name(value) in ("null", "NaN")
        return "remove it, or write a text" if is_missing else "write it as a string"

    def check_columns(self, columns: Sequence[str], names: Sequence[str] = ()) -> None:
        """Raise unless one column holds the texts; `names` are those a message lists."""
        if columns.count(head_of(self.text, columns)) != 1:
            shown = columns if self.text in columns else names or columns
            got = [shortened(column) for column in shown]
            # The first line of a CSV file without header holds texts.
            is_text = any(map(str.__ne__, got, shown))
            raise InvalidParameterError(
                f"{self.file} must have one column '{escaped(self.text)}'. "
                f"Got {listed(got) or 'none'} instead: pass {option('field', 'NAME')}, "
                + ("or write a line with the names above." if is_text else "or rename a column.")
            )


def json_record(value: Any, fields: Fields, where: str) -> Record:
    """Return the record of a JSON object or string, or raise.

    Examples
    --------
    >>> json_record({"text": "one", "id": 3}, Fields("'human'"), "Position 0").id
    '3'
    """
    if isinstance(value, str):
        return Record(value)
    if isinstance(value, Mapping):
        return fields.record(value, where)
    raise not_a_record(f"{where} of {fields.file}", type_name(value))


def not_a_record(where: str, got: str) -> InvalidParameterError:
    """Return the error of what is neither a JSON object nor a string."""
    return InvalidParameterError(
        f"{where} must be a JSON object or string. Got {got} instead: remove it, or write a text."
    )


def has_value(values: Mapping[str, Any], path: str) -> bool:
    """Whether a record has a field, or one nested in it.

    Examples
    --------
    >>> has_value({"turns": [{"said": "Hello."}]}, "turns.0.said")
    True
    """
    return value_at(values, path) is not _MISSING


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """Return the value of a field, or of one nested in it; a marker if there is none."""
    if path in values:
        return values[path]
    value: Any = values
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list | tuple) and _is_index(part, len(value)):
            value = value[int(part)]
        else:
            return _MISSING
    return value


def head_of(path: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    """Return the name among `names` that a path starts from.

    Examples
    --------
    >>> head_of("a.b", ["a", "c"]), head_of("a.b", ["a", "a.b"])
    ('a', 'a.b')
    """
    return path if path in names else path.partition(".")[0]


def field_names(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of a record; of nested ones those that hold strings.

    Examples
    --------
    >>> [*field_names({"id": 1, "turns": [{"said": "Hello.", "n": 2}, {"said": "Bye."}]})]
    ['id', 'turns.0.said', 'turns.1.said']
    """
    for name, value in values.items():
        nested = [*_string_paths(value, str(name), _DEPTH)]
        yield from nested or [str(name)]


def type_name(value: object) -> str:
    """Return the type of a value as JSON users know it, and NaN as what it stands for.

    Examples
    --------
    >>> type_name(None), type_name(1), type_name(float("nan"))
    ('null', 'int', 'NaN')
    """
    if value is None:
        return "null"
    return "NaN" if isinstance(value, float) and isnan(value) else type(value).__name__


def _string_paths(value: Any, path: str, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield path
    elif depth and isinstance(value, Mapping):
        for name, part in value.items():
            yield from _string_paths(part, f"{path}.{name}", depth - 1)
    elif depth and isinstance(value, list | tuple):
        for i, part in enumerate(value[:_ITEMS]):
            yield from _string_paths(part, f"{path}.{i}", depth - 1)


def _is_index(part: str, length: int) -> bool:
    """Whether a part of a path counts items, from the end if it is negative."""
    return part.removeprefix("-").isdecimal() and -length <= int(part) < length
