"""Keep JSON and arrays in one file, written atomically, and read it without trusting it.

The file is a zip: JSON is compressed, arrays are not, so that an array cannot be larger than the
file. ``contents.json`` lists the checksum of every other member, and the comment of the zip is
its own. There is no pickle: reading a file runs nothing that is in it.
"""

import hashlib
import json
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from mauve.atomic import atomic_write, check_writable
from mauve.errors import InvalidParameterError

_CONTENTS = "contents.json"
_DATE = (1980, 1, 1, 0, 0, 0)  # the same data gives the same file
_CHUNK = 1 << 20
# Text is compressed by a factor of 2 to 10; what expands far more, to more than this, is no text.
_MOST_JSON, _MOST_EXPANDED = 1 << 28, 50


@dataclass(frozen=True)
class Archive:
    """What is in a file.

    Attributes
    ----------
    parts : dict from str to JSON value
    arrays : dict from str to array
        Of bools, integers or floats.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.mauve")
    ...     Archive({"names": ["a"]}, {"scores": np.array([0.9])}).write(path, "scores", 1)
    ...     archive = Archive.read(path, "scores", 1)
    >>> archive.parts, archive.arrays
    ({'names': ['a']}, {'scores': array([0.9])})
    """

    parts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    def write(self, path: Path, kind: str, format_version: int) -> None:
        """Write the file atomically.

        Parameters
        ----------
        path : Path
        kind : str
            What the file holds; :meth:`read` refuses another kind.
        format_version : int
            Version of its layout; :meth:`read` refuses a newer one.
        """
        check_writable(path)
        with atomic_write(path) as file, zipfile.ZipFile(file, "w") as archive:
            checksums = {}
            for name, part in self.parts.items():
                encoded = json.dumps(part, allow_nan=False).encode()
                checksums[f"{name}.json"] = _add(archive, f"{name}.json", encoded)
            for name, array in self.arrays.items():
                checksums[f"{name}.npy"] = _add(archive, f"{name}.npy", array)
            contents = {
                "kind": kind,
                "version": format_version,
                "written_by": f"mauve-eval {version('mauve-eval')}",
                "checksums": checksums,
            }
            archive.comment = _add(
                archive, _CONTENTS, json.dumps(contents, indent=1).encode()
            ).encode()

    @classmethod
    def read(
        cls, path: Path, kind: str, format_version: int, remedy: str = "save it again"
    ) -> "Archive":
        """Read a file, or raise an error that says in one sentence what is wrong with it."""
        with readable(path, kind, remedy), zipfile.ZipFile(path) as archive:
            members = {member.filename: member for member in archive.infolist()}
            if _CONTENTS not in members:
                raise InvalidParameterError(f"'{path}' must hold a {kind}. It is another zip file.")
            encoded = _read_json(archive, members[_CONTENTS])
            contents = json.loads(encoded)
            if contents["kind"] != kind:
                raise InvalidParameterError(
                    f"'{path}' must hold a {kind}. Got a {contents['kind']} instead."
                )
            if int(contents["version"]) != format_version:
                is_newer = int(contents["version"]) > format_version
                upgrade = "pip install --upgrade mauve-eval"
                raise InvalidParameterError(
                    f"'{path}' was written by {contents['written_by']} in format "
                    f"{contents['version']}, and this version reads format {format_version}: "
                    f"{upgrade if is_newer else 'make it again'}."
                )
            if _checksum(encoded).encode() != archive.comment:
                raise _ChangedError(_CONTENTS)
            checksums = contents["checksums"]
            if sorted([*checksums, _CONTENTS]) != sorted(archive.namelist()):
                raise _ChangedError("list of members")
            parts, arrays = {}, {}
            for name, checksum in checksums.items():
                stem, _, suffix = name.rpartition(".")
                if suffix == "json":
                    encoded = _read_json(archive, members[name])
                    parts[stem], computed = json.loads(encoded), _checksum(encoded)
                else:
                    arrays[stem], computed = _read_array(archive, members[name])
                if computed != checksum:
                    raise _ChangedError(name)
        return cls(parts, arrays)


class _ChangedError(Exception):
    """A member of the file is not what was written."""


@contextmanager
def readable(path: Path, kind: str, remedy: str = "save it again") -> Iterator[None]:
    """Turn all errors of a file that cannot be read into one sentence, which ends in a remedy.

    Examples
    --------
    >>> with readable(Path("run.mauve"), "saved comparison"):
    ...     {}["missing"]
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'run.mauve' must hold a saved comparison. It is damaged or \
was changed (KeyError: 'missing'): save it again.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidParameterError(
            f"'{path}' cannot be read ({reason}): check the path."
        ) from error
    except zipfile.BadZipFile as error:
        if not zipfile.is_zipfile(path):
            with path.open("rb") as file:
                is_cut = file.read(4) == b"PK\3\4"
            what = f"is cut short: {remedy}" if is_cut else "is a file of another kind"
            raise InvalidParameterError(f"'{path}' must hold a {kind}. It {what}.") from error
        raise _damaged(path, kind, error, remedy) from error
    except InvalidParameterError as error:
        if str(error).startswith(f"'{path}'"):
            raise
        raise _damaged(path, kind, error, remedy) from error  # a setting in it is out of its limits
    except _ChangedError as error:
        raise InvalidParameterError(
            f"'{path}' must hold a {kind} as it was saved. Its {error} was changed: {remedy}."
        ) from error
    except (
        # Whatever can be wrong in a file that somebody else may have written.
        ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, NotImplementedError,
        RecursionError, RuntimeError, SyntaxError, TypeError, ValueError, zlib.error,
        TokenError,  # NumPy parses the header of an array as Python
    ) as error:  # fmt: skip
        raise _damaged(path, kind, error, remedy) from error


def _damaged(path: Path, kind: str, error: Exception, remedy: str) -> InvalidParameterError:
    reason = f"{type(error).__name__}: {error}"[:200]
    return InvalidParameterError(
        f"'{path}' must hold a {kind}. It is damaged or was changed ({reason}): {remedy}."
    )


def _add(archive: zipfile.ZipFile, name: str, content: bytes | NDArray[Any]) -> str:
    """Add a member and return its checksum."""
    member = zipfile.ZipInfo(name, _DATE)
    is_array = isinstance(content, np.ndarray)
    member.compress_type = zipfile.ZIP_STORED if is_array else zipfile.ZIP_DEFLATED
    with archive.open(member, "w", force_zip64=True) as file:
        hashed = _Hashed(file)
        if isinstance(content, np.ndarray):
            np.lib.format.write_array(hashed, content, allow_pickle=False)
        else:
            hashed.write(content)
    return hashed.checksum()


def _read_json(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.file_size > max(_MOST_JSON, _MOST_EXPANDED * member.compress_size):
        raise ValueError(f"{member.filename} expands to {member.file_size:,} bytes")
    return archive.read(member)


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[NDArray[Any], str]:
    """Return an array and the checksum of its member."""
    name = member.filename
    if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
        raise ValueError(f"{name} is compressed")
    with archive.open(member) as file:
        hashed = _Hashed(file)
        if np.lib.format.read_magic(hashed) != (1, 0):
            raise ValueError(f"{name} has another format")
        shape, by_column, dtype = np.lib.format.read_array_header_1_0(hashed)
        if dtype.kind not in "biuf":
            raise ValueError(f"{name} holds {dtype}")
        # Before the memory is taken: the header can claim any shape.
        if math.prod(shape) * dtype.itemsize != member.file_size - hashed.n_bytes:
            raise ValueError(f"{name} has the shape {shape}")
        array = np.empty(shape, dtype, order="F" if by_column else "C")
        flat = array.reshape(-1, order="A").view(np.uint8)
        for start in range(0, len(flat), _CHUNK):
            part = flat[start : start + _CHUNK]
            part[:] = np.frombuffer(hashed.read(len(part)), np.uint8)
    return array, hashed.checksum()


class _Hashed:
    """A file that hashes what is read or written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.blake2b(digest_size=16)
        self.n_bytes = 0

    def write(self, data: Any) -> int:
        self._hash.update(data)
        return self._file.write(data)

    def read(self, n: int = -1) -> bytes:
        data = self._file.read(n)
        self._hash.update(data)
        self.n_bytes += len(data)
        return data

    def checksum(self) -> str:
        return self._hash.hexdigest()


def _checksum(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def plain(value: Any) -> Any:
    """Return a value for JSON: NumPy's numbers as Python's, and NaN, a missing value, as None.

    Examples
    --------
    >>> plain({"a": [np.int64(3), float("nan"), "x"]})
    {'a': [3, None, 'x']}
    """
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value
