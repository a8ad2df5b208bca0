"""Read the records of each format of text files: lines, JSON, JSON lines, CSV, TSV, Parquet."""

import csv
import importlib
import itertools
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from mauve.calls import option
from mauve.errors import InvalidParameterError, MauveError, need_packages
from mauve.escape import escaped, listed_as, shortened
from mauve.text.fields import Fields, Record, head_of, not_a_record, type_name
from mauve.text.files import STREAM, Line
from mauve.text.inspect_logs import inspect_records, is_inspect_log
from mauve.text.metadata import UNREAD, repeated_names
from mauve.text.recognition import Row, log_columns, recognised_records

_PARQUET_ROWS = 1024  # rows of a Parquet file that are converted to Python objects at a time
_CSV_LOCK = threading.Lock()  # the longest field of a CSV file is a setting of the whole process


def plain_records(lines: Iterator[Line], fields: Fields) -> Iterator[Record]:
    """Read one text a line; blank lines are dropped at the end, and refused elsewhere."""
    blank: list[int] = []
    last = 0  # line that is not blank
    for number, line in lines:
        if line.isspace():
            blank.append(number)
            continue
        last = number
        yield Record(line.removesuffix("\n").removesuffix("\r"))
    inside = [number for number in blank if number < last]
    if inside:
        raise InvalidParameterError(
            f"{fields.file} must hold one text a line. Got blank lines instead, at "
            f"{listed_as('line', inside)}: remove them, or write JSON lines if these texts are "
            "empty."
        )


def json_line_records(lines: Iterator[Line], fields: Fields) -> Iterator[Record]:
    """Read a JSON object or string a line; blank lines at the end are dropped."""
    return recognised_records(_json_rows(lines, fields), fields)


def _json_rows(lines: Iterator[Line], fields: Fields) -> Iterator[Row]:
    blank: int | None = None
    for number, line in lines:
        if line.isspace():
            blank = blank or number
            continue
        if blank is not None:
            raise not_a_record(f"Line {blank} of {fields.file}", "a blank line")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            raise InvalidParameterError(
                f"Line {number} of {fields.file} must be a JSON object or string ({reason}). Write "
                "one JSON value a line, or one text a line in a .txt file."
            ) from error
        yield f"Line {number}", value


def json_records(lines: Iterator[Line], fields: Fields) -> Iterator[Record]:
    """Read a JSON list of strings or objects, an object that holds one, or JSON lines."""
    whole = list(lines)
    try:
        value = json.loads("".join(line for _, line in whole) or "[]")
    except (ValueError, RecursionError) as error:
        # Hugging Face datasets and others write JSON lines to files called .json.
        if whole and _parses(whole[0][1]):
            yield from json_line_records(iter(whole), fields)
            return
        reason = str(error)
        raise InvalidParameterError(
            f"{fields.file} must be JSON ({reason}). Write a list of texts or of objects, or JSON "
            "lines in a .jsonl file."
        ) from error
    if is_inspect_log(value):
        yield from inspect_records(value, fields)
        return
    items, inner = _items(value, fields)
    rows = ((f"Item {number}", item) for number, item in enumerate(items, 1))
    yield from recognised_records(rows, inner)


def _items(value: Any, fields: Fields) -> tuple[list[Any], Fields]:
    """Return the items of a JSON value that are texts or records, and the fields in them."""
    if isinstance(value, list):
        return value, fields
    if not isinstance(value, Mapping):
        raise InvalidParameterError(
            f"{fields.file} must be a JSON list of texts or of objects. Got {type_name(value)} "
            "instead: write a list."
        )
    lists = {name: part for name, part in value.items() if isinstance(part, list)}
    head = head_of(fields.text, lists)
    if head in lists and (head == fields.text or len(lists) > 1):
        if head != fields.text:  # LIST.FIELD
            rest = fields.text.removeprefix(f"{head}.")
            return lists[head], replace(fields, text=rest)
        n_texts = len(lists[head])
        for name in (each for each in fields.reserved if each in lists):
            if len(lists[name]) != n_texts:
                raise InvalidParameterError(
                    f"The list '{escaped(name)}' of {fields.file} must have a value for each of "
                    f"the {n_texts} texts. Got {len(lists[name])} instead: write as many, or "
                    "leave it out."
                )
        columns = {n: part for n, part in lists.items() if len(part) == n_texts}
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows], fields
    if len(lists) == 1:
        return next(iter(lists.values())), fields
    if lists:
        raise InvalidParameterError(
            f"{fields.file} must hold one list of texts or of objects. Got the lists "
            f"{', '.join(map(escaped, lists))} instead: pass "
            f"{option('field', 'LIST.FIELD')}."
        )
    return [value], fields


def csv_records(lines: Iterator[Line], fields: Fields, *, kind: str = "CSV") -> Iterator[Record]:
    """Read a header and a record a row; blank lines at the end are dropped."""
    separator = "\t" if kind == "TSV" else ","
    # strict: no half-read quotes
    rows = csv.reader((line for _, line in lines), delimiter=separator, strict=True)
    header: list[str] | None = None
    blank: int | None = None
    try:
        while (row := next_row(rows)) is not None:
            if not row:
                blank = blank or rows.line_num
                continue
            if blank is not None and header is not None:
                raise _wrong_width(blank, fields, header, [])
            if header is None:
                header, blank = row, None
                _check_header(header, fields)
                ambiguous = repeated_names(header, fields.reserved)
            elif len(row) != len(header):
                raise _wrong_width(rows.line_num, fields, header, row)
            else:
                values = dict(zip(header, row, strict=True))
                record = fields.record(values, f"Line {rows.line_num}")
                metadata = {name: value or None for name, value in record.metadata.items()}
                metadata |= dict.fromkeys(ambiguous, UNREAD)
                yield record._replace(metadata=metadata)
    except csv.Error as error:
        raise InvalidParameterError(
            f"Line {rows.line_num} of {fields.file} must be {kind} ({error}). Close the quotes and "
            "double those within a text, or write JSON lines."
        ) from error


def _check_header(header: list[str], fields: Fields) -> None:
    """Raise unless the first line names the columns: it may be a text, which would be lost."""
    if header != [fields.text] and len(header) == 1:
        first = escaped(shortened(header[0]))
        for separator in (";", "\t", "|"):
            if fields.text in header[0].split(separator):
                raise InvalidParameterError(
                    f"{fields.file} must have commas between its columns, or tabs in a .tsv file. "
                    f"Got the header '{first}' instead: write it with another separator."
                )
        raise InvalidParameterError(
            f"{fields.file} must have a first line that names its columns, one of them "
            f"'{escaped(fields.text)}'. Got the one column '{first}' instead: if that is a name, "
            f"pass it as {option('field', 'NAME')}; if it is a text, write the line "
            f"{escaped(fields.text)} above it."
        )
    fields.check_columns(header)


def _wrong_width(
    line: int, fields: Fields, header: list[str], row: list[str]
) -> InvalidParameterError:
    return InvalidParameterError(
        f"Line {line} of {fields.file} must have as many columns as the header, {len(header)}. "
        f"Got {len(row)} instead: put quotes around texts."
    )


def next_row(rows: Iterator[list[str]]) -> list[str] | None:
    """Return the next row, or None after the last, with fields of any length.

    The csv module allows 131,072 characters. That limit is lifted for one row at a time: reading
    that is given up halfway, by Ctrl-C, must not leave it lifted or others waiting.
    """
    with _CSV_LOCK:
        before = csv.field_size_limit(2**31 - 1)  # the largest that all systems take
        try:
            return next(rows, None)
        finally:
            csv.field_size_limit(before)


def stream_records(lines: Iterator[Line], fields: Fields) -> Iterator[Record]:
    """Read JSON lines, a JSON list or lines of text, whichever the first character says."""
    first = list(itertools.islice(lines, 1))  # a pipe cannot be read from its start again
    start = first[0][1].lstrip()[:1] if first else ""
    lines = itertools.chain(first, lines)
    if start == '"' or (start == "{" and _parses(first[0][1])):
        return json_line_records(lines, fields)
    if start not in ("{", "["):
        return plain_records(lines, fields)
    whole = list(lines)
    if _parses("".join(line for _, line in whole)):
        return json_records(iter(whole), fields)
    return (json_line_records if start == "{" else plain_records)(iter(whole), fields)


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


#: From the kind of a file to the function that reads its lines.
READERS: dict[str, Callable[[Iterator[Line], Fields], Iterator[Record]]] = {
    ".txt": plain_records,
    ".jsonl": json_line_records,
    ".ndjson": json_line_records,
    ".json": json_records,
    ".csv": csv_records,
    ".tsv": partial(csv_records, kind="TSV"),
    STREAM: stream_records,
}


def parquet_records(path: Path, fields: Fields) -> Iterator[Record]:
    """Read a record a row; needs pyarrow."""
    need_packages(fields.file, ["pyarrow"], "parquet")
    pyarrow = importlib.import_module("pyarrow")  # by name, as it ships no types
    parquet = importlib.import_module("pyarrow.parquet")
    row = 0
    try:
        with parquet.ParquetFile(path) as file:
            columns = file.schema_arrow.names
            logged = log_columns(columns, fields)
            if logged is not None:
                rows = _parquet_rows(file, logged)
                yield from recognised_records(rows, fields)
                return
            fields.check_columns(columns, [n for c in file.schema_arrow for n in _nested_names(c)])
            reserved = [head_of(name, columns) for name in fields.reserved]
            reserved = [name for name in dict.fromkeys(reserved) if name in columns]
            ambiguous = repeated_names(columns, fields.reserved)
            others = [column for column in file.schema_arrow if column.name not in reserved]
            metadata = [
                column.name
                for column in others
                if _holds_metadata(column.type) and column.name not in ambiguous
            ]
            unread = [column.name for column in others if column.name not in metadata]
            unread_values = dict.fromkeys(unread, UNREAD)
            for batch in file.iter_batches(batch_size=_PARQUET_ROWS, columns=reserved + metadata):
                for values in batch.to_pylist():
                    row += 1
                    yield fields.record(values | unread_values, f"Row {row}")
    except MauveError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidParameterError(
            f"{fields.file} could not be read as a .parquet file after row {row} ({reason}). It "
            "may be cut short: write it again."
        ) from error


def _parquet_rows(file: Any, columns: list[str]) -> Iterator[Row]:
    row = 0
    for batch in file.iter_batches(batch_size=_PARQUET_ROWS, columns=columns):
        for values in batch.to_pylist():
            row += 1
            yield f"Row {row}", values


def _nested_names(column: Any, prefix: str = "") -> list[str]:
    """Return the name of a column, or the names of the fields of its records."""
    types = importlib.import_module("pyarrow.types")
    name, kind = f"{prefix}{column.name}", column.type
    if types.is_list(kind) or types.is_large_list(kind):
        name, kind = f"{name}.0", kind.value_type
    if not types.is_struct(kind):
        return [name.removesuffix(".0")]
    return [inner for part in kind for inner in _nested_names(part, f"{name}.")]


def _holds_metadata(kind: Any) -> bool:
    """Whether values of a Parquet column may be strings, ints or bools, or are all missing."""
    types = importlib.import_module("pyarrow.types")
    if types.is_dictionary(kind):
        return _holds_metadata(kind.value_type)
    tests = (types.is_string, types.is_large_string, types.is_integer, types.is_boolean)
    return types.is_null(kind) or any(test(kind) for test in tests)
