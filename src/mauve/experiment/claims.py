"""Claim steps, so that no two processes do one; the claim of a dead process is taken over."""

import json
import os
import platform
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mauve.errors import OutputError
from mauve.escape import escaped

#: Seconds between signs of life, and after how many without one a claim of another machine is
#: that of a dead process; on this machine its process is looked up.
HEARTBEAT, DEAD_AFTER = 5.0, 60.0


@dataclass(frozen=True)
class Owner:
    """The process that works on a step.

    Attributes
    ----------
    pid : int
    host : str
    token : str
        Tells two claims of one process apart.
    age : float
        Seconds since its last sign of life.
    """

    pid: int
    host: str
    token: str
    age: float

    @property
    def is_alive(self) -> bool:
        """Whether the process is still at work, as far as this one can see."""
        if self.host == platform.node():
            return self.age < DEAD_AFTER and _is_running(self.pid)
        return self.age < DEAD_AFTER

    def __str__(self) -> str:
        return f"process {self.pid} on {escaped(self.host)}"


@contextmanager
def claimed(path: Path, *, heartbeat: float = HEARTBEAT) -> Iterator[bool]:
    """Try to claim a step within the block, and yield whether this process has it.

    A claim is a file. While the block runs, a thread touches it. Two processes that do one step
    all the same, for instance after one was stopped for minutes, write the same files, each
    atomically: a claim saves work and guards nothing.

    Parameters
    ----------
    path : Path
    heartbeat : float
        Seconds between signs of life.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "step")
    ...     with claimed(path) as first, claimed(path) as second:
    ...         first, second, owner_of(path).pid == os.getpid()
    ...     owner_of(path) is None
    (True, False, True)
    True
    """
    token = secrets.token_hex(8)
    owner = owner_of(path)
    if owner is not None and not owner.is_alive:
        _remove(path, owner.token)
    if not _create(path, token):
        yield False
        return
    stopped = threading.Event()
    beat = threading.Thread(target=_beat, args=(path, stopped, heartbeat), daemon=True)
    beat.start()
    try:
        yield True
    finally:
        stopped.set()
        beat.join()
        _remove(path, token)


def owner_of(path: Path) -> Owner | None:
    """Return who has claimed a step; None if nobody has."""
    try:
        age = time.time() - path.stat().st_mtime
        content = json.loads(path.read_bytes())
        return Owner(int(content["pid"]), str(content["host"]), str(content["token"]), age)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        # Damaged, as of a full disk: nobody's, but maybe somebody is just writing it.
        with suppress(OSError):
            return Owner(-1, "an unknown machine", "", time.time() - path.stat().st_mtime)
        return None


def remove_dead(folder: Path) -> None:
    """Remove the claims of dead processes, such as those on steps that a config no longer has.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with claimed(Path(folder, "step")):
    ...         remove_dead(Path(folder))
    ...         [path.name for path in Path(folder).iterdir()]
    ['step']
    """
    for path in folder.iterdir():
        owner = owner_of(path)
        if owner is not None and not owner.is_alive:
            _remove(path, owner.token)


def _create(path: Path, token: str) -> bool:
    """Write a claim unless there is one; return whether it was written."""
    content = json.dumps({"pid": os.getpid(), "host": platform.node(), "token": token}).encode()
    unfinished = path.with_name(f".{path.name}-{token}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        try:
            os.link(unfinished, path)  # whole, and only if there is none
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            try:
                with path.open("xb") as file:
                    file.write(content)
            except FileExistsError:
                return False
        return True
    except OSError as error:
        raise OutputError(
            f"'{escaped(str(path))}' cannot be written ({error.strerror}): make space, or name a "
            "folder that you may write to."
        ) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _remove(path: Path, token: str) -> None:
    """Remove a claim, if it is still the one with that token."""
    owner = owner_of(path)
    if owner is not None and owner.token == token:
        # Another process may replace it just now; it then loses its claim, and no work.
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _beat(path: Path, stopped: threading.Event, seconds: float) -> None:
    while not stopped.wait(seconds):
        with suppress(OSError):
            os.utime(path)


def _is_running(pid: int) -> bool:
    if pid <= 0:
        return False
    if os.name == "nt":  # a signal would end the process there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
