"""Read texts from .txt, .jsonl, .csv and .parquet files and from standard input."""

import csv
import gzip
import importlib
import itertools
import json
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from mauve.calls import option
from mauve.errors import InvalidParameterError, MauveError, need_packages
from mauve.escape import escaped, listed
from mauve.text.metadata import UNREAD, MetadataColumns, repeated_names

#: Suffixes of files of text; all but the last may be followed by ``.gz``.
TEXT_SUFFIXES = (".txt", ".jsonl", ".csv", ".parquet")

_BOM = b"\xef\xbb\xbf"
_PARQUET_ROWS = 1024  # rows of a Parquet file that are converted to Python objects at a time


@dataclass(frozen=True)
class TextFile:
    """The texts of one file, in the order of the file.

    Attributes
    ----------
    texts : list of str
    prompts : list of str or None
        The prompt of each text; None unless every record has one.
    ids : list of str or None
        The id of each record; None unless every record has one.
    metadata : dict of str to list
        Every other field whose values are strings of up to 200 characters, ints or bools: one
        value for each text, None where its record has none.
    unread : tuple of str
        Fields that are not read: those with floats, lists or long texts, columns of the same
        name, and fields beyond the first hundred.
    """

    texts: list[str]
    prompts: list[str] | None = None
    ids: list[str] | None = None
    metadata: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    unread: tuple[str, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.texts)


_Line = tuple[int, str]  # number from 1, and the line with its line break
_Record = tuple[str, str | None, str | None, Mapping[str, Any]]  # text, prompt, id, metadata


@dataclass(frozen=True)
class _Fields:
    """Names of the fields of text and prompt, and the name of the file in messages."""

    file: str
    text: str
    prompt: str

    @property
    def reserved(self) -> tuple[str, ...]:
        """The fields that are not metadata."""
        return self.text, self.prompt, "id"

    def record(self, values: Mapping[str, Any], where: str) -> _Record:
        if self.text not in values:
            raise InvalidParameterError(
                f"{where} of {self.file} must have the field '{escaped(self.text)}'. "
                f"Got {listed(list(values)) or 'none'} instead: pass "
                f"{option('field', 'NAME')}, or rename it."
            )
        for name in (self.text, self.prompt):
            value = values.get(name)
            if not isinstance(value, str) and (name == self.text or value is not None):
                raise InvalidParameterError(
                    f"The field '{escaped(name)}' in {where.lower()} of {self.file} must be a "
                    f"string. Got {_type_name(value)} instead: write it as a string."
                )
        id_ = values.get("id")
        # 1 and "1" are the same id; a bool or a float is no id.
        if id_ is not None and (isinstance(id_, bool) or not isinstance(id_, str | int)):
            raise InvalidParameterError(
                f"The field 'id' in {where.lower()} of {self.file} must be a string or an int. "
                f"Got {_type_name(id_)} instead: write it as a string."
            )
        metadata = {name: value for name, value in values.items() if name not in self.reserved}
        id_text = None if id_ is None else str(id_)
        return values[self.text], values.get(self.prompt), id_text, metadata


def read_texts(path: str | Path, *, field: str = "text", prompt_field: str = "prompt") -> TextFile:
    r"""Read all texts of a file, unchanged.

    Parameters
    ----------
    path : str or Path
        ``.txt`` holds one text a line; ``.jsonl`` a JSON object or a JSON string a line;
        ``.csv`` a header and a row a text; ``.parquet`` a row a text (needs the
        ``parquet`` extra). All but the last may be compressed, with ``.gz`` after the
        suffix. ``-`` is standard input: JSON lines where its first character is ``{`` or
        ``"``, else one text a line.
    field, prompt_field : str
        Fields of a JSON object, or columns, that hold text and prompt. The field ``id``
        holds a string or an int; all other fields are metadata.

    Returns
    -------
    TextFile

    Raises
    ------
    InvalidParameterError
        If the file is missing, empty, damaged or not in UTF-8, or if a line holds no text.
    MissingExtraError
        For a Parquet file if pyarrow is not installed.

    Notes
    -----
    No text is dropped or changed. A blank line in a ``.txt`` file is refused, since it may be
    an empty text or no text at all; in the other formats a text may be empty. An empty field
    of a CSV file counts as missing metadata.

    Files are read line by line, so that only their texts are kept in memory.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "human.jsonl")
    ...     _ = path.write_text('{"text": " and so on.", "prompt": "Once"}\n')
    ...     read_texts(path)
    TextFile(texts=[' and so on.'], prompts=['Once'], ids=None)
    """
    if str(path) == "-":
        fields = _Fields("'-' (standard input)", field, prompt_field)
        lines = _lines(sys.stdin.buffer, fields.file)
        first = list(itertools.islice(lines, 1))  # a pipe cannot be read from its start again
        is_json = any(line.startswith(("{", '"')) for _, line in first)
        read = _json_records if is_json else _plain_records
        return _collect(read(itertools.chain(first, lines), fields), fields.file)
    path = Path(path)
    fields = _Fields(f"'{escaped(str(path))}'", field, prompt_field)
    kind = _kind(path, fields.file)
    if kind == ".parquet":
        return _collect(_parquet_records(path, fields), fields.file)
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            return _collect(_READERS[kind](_lines(file, fields.file), fields), fields.file)
    except OSError as error:  # errors while reading are handled by _lines
        raise InvalidParameterError(
            f"{fields.file} cannot be opened ({error.strerror}): it must be a file you may read."
        ) from error


def _kind(path: Path, file: str) -> str:
    """Return the suffix without ``.gz``, or raise if there is no such file or reader."""
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except (OSError, ValueError):  # too long for a file name, or with a NUL in it
        is_folder = is_there = False
    if is_folder:
        raise InvalidParameterError(f"{file} must be a file of texts. It is a folder.")
    if not is_there:
        start = file if len(file) <= 200 else f"{file[:200]}...'"
        raise InvalidParameterError(
            f"{start} must be the path of a file of texts. No such file was found."
        )
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = "".join(suffixes[-2:] if suffixes[-1:] == [".gz"] else suffixes[-1:])
    plain = kind.removesuffix(".gz")
    if plain not in TEXT_SUFFIXES or kind == ".parquet.gz":
        raise InvalidParameterError(
            f"{file} must end in {', '.join(TEXT_SUFFIXES[:-1])}, each also with .gz, or in "
            f"{TEXT_SUFFIXES[-1]}. Got '{escaped(kind or path.name)}' instead."
        )
    return plain


def _lines(file: BinaryIO | gzip.GzipFile, name: str) -> Iterator[_Line]:
    """Yield number and text of each line, its line break included."""
    number = 0
    try:
        # Only b"\n" ends a line here, and no other character of UTF-8 contains that byte.
        for number, raw in enumerate(file, 1):
            text = (raw.removeprefix(_BOM) if number == 1 else raw).decode("utf-8")
            if text:  # a file of nothing but a BOM has no line
                yield number, text
    except UnicodeDecodeError as error:
        raise InvalidParameterError(
            f"Line {number} of {name} must be UTF-8 ({error.reason} at byte {error.start + 1} of "
            "the line). Convert the file to UTF-8."
        ) from error
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidParameterError(
            f"{name} could not be read after line {number} ({error}). It may be cut short: write "
            "it again."
        ) from error


def _plain_records(lines: Iterator[_Line], fields: _Fields) -> Iterator[_Record]:
    blank = []
    for number, line in lines:
        if line.isspace():
            blank.append(str(number))
        yield line.removesuffix("\n").removesuffix("\r"), None, None, {}
    if blank:
        raise InvalidParameterError(
            f"{fields.file} must hold one text a line. Got blank lines instead, at line "
            f"{listed(blank)}: remove them, or write JSON lines if these texts are empty."
        )


def _json_records(lines: Iterator[_Line], fields: _Fields) -> Iterator[_Record]:
    for number, line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            raise InvalidParameterError(
                f"Line {number} of {fields.file} must be a JSON object or string ({reason}). Write "
                "one JSON value a line, or one text a line in a .txt file."
            ) from error
        if isinstance(value, str):
            yield value, None, None, {}
        elif isinstance(value, dict):
            yield fields.record(value, f"Line {number}")
        else:
            raise InvalidParameterError(
                f"Line {number} of {fields.file} must be a JSON object or string. "
                f"Got {_type_name(value)} instead: write one text a line."
            )


def _csv_records(lines: Iterator[_Line], fields: _Fields) -> Iterator[_Record]:
    rows = csv.reader((line for _, line in lines), strict=True)  # strict: no half-read quotes
    header: list[str] | None = None
    try:
        for row in rows:
            if header is None:
                header = row
                _check_columns(header, fields)
                ambiguous = repeated_names(header, fields.reserved)
            elif len(row) != len(header):
                raise InvalidParameterError(
                    f"Line {rows.line_num} of {fields.file} must have as many columns as the "
                    f"header, {len(header)}. Got {len(row)} instead: put quotes around texts."
                )
            else:
                values = dict(zip(header, row, strict=True))
                text, prompt, id_, metadata = fields.record(values, f"Line {rows.line_num}")
                metadata = {name: value or None for name, value in metadata.items()}
                yield text, prompt, id_, metadata | dict.fromkeys(ambiguous, UNREAD)
    except csv.Error as error:
        raise InvalidParameterError(
            f"Line {rows.line_num} of {fields.file} must be CSV ({error}). Close the quotes and "
            "double those within a text, or write JSON lines."
        ) from error


_READERS = {".txt": _plain_records, ".jsonl": _json_records, ".csv": _csv_records}


def _parquet_records(path: Path, fields: _Fields) -> Iterator[_Record]:
    need_packages(fields.file, ["pyarrow"], "parquet")
    pyarrow = importlib.import_module("pyarrow")  # by name, as it ships no types
    parquet = importlib.import_module("pyarrow.parquet")
    row = 0
    try:
        with parquet.ParquetFile(path) as file:
            columns = file.schema_arrow.names
            _check_columns(columns, fields)
            reserved = [name for name in fields.reserved if name in columns]
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


def _holds_metadata(kind: Any) -> bool:
    """Whether values of a Parquet column may be strings, ints or bools, or are all missing."""
    types = importlib.import_module("pyarrow.types")
    if types.is_dictionary(kind):
        return _holds_metadata(kind.value_type)
    tests = (types.is_string, types.is_large_string, types.is_integer, types.is_boolean)
    return types.is_null(kind) or any(test(kind) for test in tests)


def _check_columns(columns: Sequence[str], fields: _Fields) -> None:
    if columns.count(fields.text) != 1:
        raise InvalidParameterError(
            f"{fields.file} must have one column '{escaped(fields.text)}'. "
            f"Got {listed(columns)} instead: pass field=NAME, or rename a column."
        )


def _collect(records: Iterator[_Record], file: str) -> TextFile:
    texts: list[str] = []
    prompts: list[str] = []
    ids: list[str] = []
    columns = MetadataColumns()
    for row, (text, prompt, id_, metadata) in enumerate(records):
        texts.append(text)
        prompts += [] if prompt is None else [prompt]
        ids += [] if id_ is None else [id_]
        columns.add(row, metadata)
    if not texts:
        raise InvalidParameterError(f"{file} holds no texts. It must hold at least one.")
    return TextFile(
        texts,
        prompts if len(prompts) == len(texts) else None,
        ids if len(ids) == len(texts) else None,
        columns.filled(len(texts)),
        tuple(columns.unread),
    )


def _type_name(value: object) -> str:
    return "null" if value is None else type(value).__name__
