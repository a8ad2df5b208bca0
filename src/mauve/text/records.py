"""Yield the records of a file of any format."""

from collections.abc import Iterator
from pathlib import Path

from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.text.fields import Fields, Record
from mauve.text.files import check_path, open_text, read_lines, suffix_list, text_kind
from mauve.text.formats import READERS, parquet_records
from mauve.text.inspect_logs import inspect_archive_records

_WITHOUT_ROLES = (".txt", ".csv", ".tsv", ".eval")


def file_name(path: str | Path) -> str:
    """Return a path as messages name it.

    Examples
    --------
    >>> file_name("a.txt"), file_name("-")
    ("'a.txt'", "'-' (standard input)")
    """
    return "'-' (standard input)" if str(path) == "-" else f"'{escaped(str(path))}'"


def file_records(path: str | Path, fields: Fields) -> Iterator[Record]:
    """Yield the records of a file, with all their fields, as :func:`read_texts` reads them."""
    check_path(path)
    kind = text_kind(path)
    if kind is None:
        suffixes = "".join(Path(path).suffixes[-2:]) or Path(path).name
        raise InvalidParameterError(
            f"{fields.file} must end in {suffix_list()}. Got '{escaped(suffixes)}' instead."
        )
    if fields.role is not None and kind in _WITHOUT_ROLES:
        raise InvalidParameterError(
            f"{fields.file} has no roles, which are of messages in JSON or Parquet: leave out "
            f"role={escaped(fields.role)}."
        )
    if kind == ".parquet":
        yield from parquet_records(Path(path), fields)
        return
    if kind == ".eval":
        yield from inspect_archive_records(Path(path), fields)
        return
    with open_text(path, fields.file) as file:
        yield from READERS[kind](read_lines(file, fields.file), fields)
