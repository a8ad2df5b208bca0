"""Files that are whole or not there at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mauve.errors import InvalidParameterError


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when all of it is written.

    Whatever happens before leaves `path` as it was. Several processes may write the
    same file; one of them wins.
    """
    # Not a folder for temporary files: only within one file system is a rename atomic.
    unfinished = path.resolve().with_name(f".mauve-{secrets.token_hex(8)}.tmp")
    try:
        with unfinished.open("xb") as file:
            yield file
        os.replace(unfinished, path.resolve())
    finally:
        unfinished.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise unless a file can be written to `path`."""
    if path.is_dir():
        raise InvalidParameterError(f"'{path}' must be a file. It is a folder.")
    if path.exists() and not path.is_file():  # a device, which a rename would replace
        raise InvalidParameterError(f"'{path}' must be a file. It is a device or a pipe.")
    probe = path.resolve().with_name(f".mauve-{secrets.token_hex(8)}.tmp")
    try:
        probe.open("xb").close()
        probe.unlink()
    except OSError as error:
        raise InvalidParameterError(
            f"'{path}' cannot be written ({error.strerror}): "
            f"'{path.parent}' must be a folder that you may write to."
        ) from error
