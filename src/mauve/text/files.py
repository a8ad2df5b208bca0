"""Open files of text: their kind, their compression, and their lines in UTF-8."""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from mauve.calls import by_world
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed

#: Suffixes of files of text; all but the packed ones may be followed by that of a compression.
PACKED_SUFFIXES = (".parquet", ".eval")
TEXT_SUFFIXES = (".txt", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", *PACKED_SUFFIXES)
COMPRESSIONS = (".gz", ".bz2", ".xz")
#: The kind of a pipe and of standard input, which have no suffix.
STREAM = "stream"

Line = tuple[int, str]  # number from 1, and the line with its line break

_BOM = b"\xef\xbb\xbf"
_BOMS_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]+:/", re.IGNORECASE)  # Path makes one slash of two
_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_LONGEST = 200  # characters of a path in a message


def text_kind(path: str | Path) -> str | None:
    """Return the suffix of a file of text without its compression; None for other files.

    Examples
    --------
    >>> text_kind("human.JSONL.gz"), text_kind("human.npy"), text_kind("-")
    ('.jsonl', None, 'stream')
    """
    if is_stream(path):
        return STREAM
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    is_compressed = suffixes[-1:] != [] and suffixes[-1] in COMPRESSIONS
    kind = "".join(suffixes[-2:-1] if is_compressed else suffixes[-1:])
    return (
        kind if kind in TEXT_SUFFIXES and not (is_compressed and kind in PACKED_SUFFIXES) else None
    )


def is_stream(path: str | Path) -> bool:
    """Whether a path is standard input or a pipe, which can be read once and has no suffix."""
    if str(path) == "-":
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # there is none, or the name cannot be one
        return False
    # A descriptor may also lead to a file: /dev/stdin with "<", /dev/fd/63 in some shells.
    is_descriptor = str(path).startswith(("/dev/", "/proc/self/fd/"))
    return stat.S_ISFIFO(mode) or (is_descriptor and not stat.S_ISDIR(mode))


def check_path(path: str | Path) -> None:
    """Raise unless there is a file at `path` that is no folder.

    Examples
    --------
    >>> check_path("-")
    """
    if is_stream(path):
        return
    try:
        is_folder, is_there = os.path.isdir(path), os.path.exists(path)
    except ValueError:  # with a NUL in it
        is_folder = is_there = False
    name = str(path)
    quoted = f"'{escaped(name)}'" if len(name) <= _LONGEST else f"'{escaped(name[:_LONGEST])}...'"
    if is_folder:
        inside = [file.name for file in sorted(Path(path).iterdir()) if text_kind(file)]
        such_as = f", such as {escaped(str(Path(path, inside[0])))}" if inside else ""
        raise InvalidParameterError(
            f"{quoted} must be a file. It is a folder: pass a file for each sample{such_as}."
        )
    if not is_there and (address := _ADDRESS.match(name)):
        quoted = f"'{escaped(address[0])}/{escaped(name[address.end() :].lstrip('/'))}'"
        raise InvalidParameterError(
            f"{quoted} must be a file on this machine. Got an address instead: download it first."
        )
    if not is_there:
        instead = by_world(python=", or a list of texts", command="")
        raise InvalidParameterError(
            f"{quoted} must be the path of a file{instead}. No such file was found."
        )


@contextmanager
def open_text(path: str | Path, name: str) -> Iterator[BinaryIO]:
    """Open a file of text for reading, decompressed; `name` is how messages call it."""
    with ExitStack() as stack:
        if str(path) == "-":
            if sys.stdin is None:
                raise InvalidParameterError(
                    f"{name} is closed: pass a file, or pipe texts into the command."
                )
            file = sys.stdin.buffer
        else:
            try:
                file = stack.enter_context(open(path, "rb"))
            except OSError as error:
                raise InvalidParameterError(
                    f"{name} cannot be opened ({error.strerror}): it must be a file you may read."
                ) from error
        suffix = Path(path).suffix.lower()
        if is_stream(path):
            is_packed = isinstance(file, io.BufferedReader) and file.peek(2)[:2] == _GZIP
            suffix = ".gz" if is_packed else ""
        if suffix in _OPENERS:
            file = stack.enter_context(_OPENERS[suffix](file))
        yield file


def read_lines(file: BinaryIO, name: str) -> Iterator[Line]:
    """Yield number and text of each line, its line break included."""
    number = 0
    try:
        # Only b"\n" ends a line here, and no other character of UTF-8 contains that byte.
        for number, raw in enumerate(file, 1):
            line = raw.removeprefix(_BOM) if number == 1 else raw
            if number == 1 and line.startswith(_BOMS_UTF_16):
                raise InvalidParameterError(
                    f"{name} must be UTF-8. It is UTF-16: convert it, for instance with "
                    "iconv -f UTF-16 -t UTF-8 OLD > NEW."
                )
            if number == 1 and line.startswith(_GZIP):
                raise InvalidParameterError(
                    f"{name} must be text. It is compressed with gzip: name it with .gz at the end."
                )
            if b"\0" in line:
                raise InvalidParameterError(
                    f"Line {number} of {name} must be text. Got a NUL, byte {line.index(0) + 1} of "
                    "the line, instead: convert the file to UTF-8 if it is UTF-16, or write JSON "
                    "lines, which escape it."
                )
            text = line.decode("utf-8")
            if text:  # a file of nothing but a BOM has no line
                yield number, text
    except UnicodeDecodeError as error:
        raise InvalidParameterError(
            f"Line {number} of {name} must be UTF-8. Got the byte 0x{error.object[error.start]:02x}"
            f", byte {error.start + 1} of the line, instead: convert the file, for instance with "
            "iconv -f LATIN1 -t UTF-8 OLD > NEW if it is Latin-1."
        ) from error
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise InvalidParameterError(
            f"{name} could not be read after line {number} ({error}). It may be cut short: write "
            "it again."
        ) from error


def suffix_list() -> str:
    """Return the suffixes of files of text, for messages.

    Examples
    --------
    >>> suffix_list()
    '.txt, .jsonl, .ndjson, .json, .csv or .tsv, also with .gz, .bz2 or .xz, or .parquet or .eval'
    """
    *first, last = [suffix for suffix in TEXT_SUFFIXES if suffix not in PACKED_SUFFIXES]
    *packed, last_packed = COMPRESSIONS
    return (
        f"{listed(first)} or {last}, also with {listed(packed)} or {last_packed}, "
        f"or {' or '.join(PACKED_SUFFIXES)}"
    )
