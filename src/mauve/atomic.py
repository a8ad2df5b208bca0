"""Write files atomically: the whole file or nothing."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mauve.errors import InvalidParameterError, OutputError
from mauve.escape import escaped


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` when the block ends without an error.

    An error in the block leaves `path` unchanged and no temporary file. If several processes
    write the same file, the last one to finish wins.

    Raises
    ------
    OutputError
        If the file cannot be written, for instance because the disk is full.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.txt")
    ...     with atomic_write(path) as file:
    ...         _ = file.write(b"0.9")
    ...     path.read_bytes()
    b'0.9'
    """
    unfinished = _temporary(path)
    try:
        with unfinished.open("xb") as file:
            yield file
        os.replace(unfinished, path.resolve())
    except OSError as error:
        # The system names no file where writing fails; another file is another problem.
        if error.filename not in (None, str(unfinished)) or isinstance(error, OutputError):
            raise
        raise OutputError(
            f"'{path}' cannot be written ({error.strerror or 'the disk may be full'}): make "
            "space, or name a file in another folder."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise unless a file can be written to `path`.

    Examples
    --------
    >>> check_writable(Path("scores.txt"))
    """
    if path.is_dir():
        raise InvalidParameterError(f"'{path}' must be a file. It is a folder.")
    if path.exists() and not path.is_file():  # a device, which a rename would replace
        raise InvalidParameterError(f"'{path}' must be a file. It is a device or a pipe.")
    probe = _temporary(path)
    try:
        probe.open("xb").close()
        probe.unlink()
    except OSError as error:
        raise InvalidParameterError(
            f"'{path}' cannot be written ({error.strerror}): "
            f"'{path.parent}' must be a folder that you may write to."
        ) from error


def make_folder(folder: Path) -> None:
    """Make a folder for results if it is not there, or raise.

    Examples
    --------
    >>> make_folder(Path("."))
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"'{escaped(str(folder))}' cannot be made ({error.strerror}): name a folder that you "
            "may write to."
        ) from error


def _temporary(path: Path) -> Path:
    # In the same folder, as a rename is atomic only within one file system.
    return path.resolve().with_name(f".mauve-{secrets.token_hex(8)}.tmp")
