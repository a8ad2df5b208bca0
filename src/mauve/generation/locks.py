"""Lock files against other processes; the lock ends with the process, however it ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mauve.errors import OutputError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 62  # a byte beyond any file: Windows lets nobody read what is locked


def lock(descriptor: int, path: Path, work: str) -> None:
    """Lock an open file until it is closed, or raise if another process holds the lock.

    Parameters
    ----------
    descriptor : int
        Of a file that is open for writing.
    path : Path
        What the message names: the file, or the folder it is in.
    work : str
        What is done with `path`, such as "written".

    Examples
    --------
    >>> from tempfile import TemporaryFile
    >>> with TemporaryFile() as file:
    ...     lock(file.fileno(), Path("seed-0.jsonl"), "written")
    """
    try:
        if sys.platform == "win32":
            import os

            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if not isinstance(error, BlockingIOError | PermissionError):
            raise OutputError(
                f"'{path}' cannot be locked ({error.strerror}): use a folder on a disk of this "
                "machine."
            ) from error
        raise OutputError(
            f"'{path}' is being {work} by another process: wait until it has ended, or name "
            "another folder."
        ) from None


@contextmanager
def locked_folder(folder: Path, work: str) -> Iterator[None]:
    """Hold the lock of a folder, a file ``.lock`` in it, within the block.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, locked_folder(Path(folder), "evaluated"):
    ...     [path.name for path in Path(folder).iterdir()]
    ['.lock']
    """
    path = folder / ".lock"
    try:
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise OutputError(
            f"'{folder}' cannot be written ({error.strerror}): name a folder that you may write to."
        ) from error
    with file:
        lock(file.fileno(), folder, work)
        yield
