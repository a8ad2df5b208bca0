"""Open a SQLite database that several processes share, and replace it if it is damaged."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from mauve.errors import MauveError, warn_caller

T = TypeVar("T")

_LOCK_SECONDS = 60.0  # to wait for another process, whose batches take one or two seconds
_DAMAGE = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_ERROR,  # the statements of this package are correct, so a table is not
    sqlite3.SQLITE_CONSTRAINT,
}


class UnusableDatabaseError(MauveError):
    """The database cannot be read or written, though it is not damaged."""


class SharedDatabase:
    """A cache in one SQLite file, which several threads and processes may use.

    Parameters
    ----------
    path : Path
        The file; it and its folder are created by the first call.
    migrations : sequence of sequence of str
        SQL statements from each version of the tables to the next. A database with more
        versions than that is an error, as it must be neither read nor replaced.

    Attributes
    ----------
    damaged : Path
        Path that a damaged file is renamed to.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = SharedDatabase(Path(folder, "a.sqlite3"), [["CREATE TABLE a (b INTEGER)"]])
    ...     database.run(lambda db: db.execute("SELECT count(*) FROM a").fetchone())
    (0,)
    """

    def __init__(self, path: Path, migrations: Sequence[Sequence[str]]) -> None:
        self.path = path
        self.damaged = path.with_name(f"{path.name}.damaged")
        self.migrations = migrations

    def run(self, work: Callable[[sqlite3.Connection], T], *, reading: bool = False) -> T:
        """Return the result of `work` on an open database.

        Raises
        ------
        UnusableDatabaseError
            If the file cannot be read, or not be written and `reading` is False.
        """
        try:
            return self._run_or_replace(work)
        except (sqlite3.Error, OSError) as error:
            if reading and os.path.exists(self.path):
                # A read-only folder has no place for locks. If another process writes at this
                # moment, the checksums reveal it.
                address = f"{self.path.absolute().as_uri()}?immutable=1"
                with suppress(sqlite3.Error, UnicodeDecodeError), closing(_connect(address)) as db:
                    self._check_version(db)
                    return work(db)
            raise UnusableDatabaseError(
                f"The cache '{self.path}' cannot be used ({error}). Make space, delete the file, "
                "or set MAUVE_CACHE to a folder that you may write to."
            ) from error

    def _run_or_replace(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Call `work` with the database; if that is damaged, once more with a new one."""
        file = _inode(self.path)
        try:
            with self.connect() as db:
                return work(db)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # An error without a code quotes text that is not UTF-8.
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in _DAMAGE:
                raise
            self._set_aside(file, error)
        with self.connect() as db:
            return work(db)

    def _set_aside(self, file: int | None, error: Exception) -> None:
        """Rename the damaged database, unless another process has done so."""
        with closing(sqlite3.connect(f"{self.path}.lock", timeout=_LOCK_SECONDS)) as lock:
            lock.execute("BEGIN EXCLUSIVE")
            if file != _inode(self.path):
                return
            self._unlink_logs()  # first, or the new database would read an old log
            os.replace(self.path, self.damaged)
        warn_caller(
            f"The cache '{self.path}' was damaged ({error}). It is now '{self.damaged.name}', "
            "and its features are computed again."
        )

    @contextmanager
    def connect(self) -> Iterator[sqlite3.Connection]:
        """Open the database, created or migrated if necessary."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Readable by its owner alone, as are the files that SQLite adds. An existing file must
        # not be opened here: closing it would release the locks of SQLite in this process.
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(_connect(self.path.absolute().as_uri())) as db:
            if self._check_version(db) < len(self.migrations):
                self._migrate(db)
            db.execute("PRAGMA secure_delete = OFF")  # or deleting writes as much as it frees
            db.execute("PRAGMA synchronous = NORMAL")  # a power cut loses one batch at most
            with suppress(sqlite3.OperationalError):  # locked: the next connection will do it
                db.execute("PRAGMA journal_mode = WAL")
            yield db

    def delete(self) -> None:
        """Delete the file, without the space that a transaction takes."""
        self.path.unlink(missing_ok=True)
        self._unlink_logs()

    def _unlink_logs(self) -> None:
        """Delete the logs of SQLite beside the file."""
        for ending in ("-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)

    def _check_version(self, db: sqlite3.Connection) -> int:
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        if version > len(self.migrations):
            raise MauveError(
                f"The cache '{self.path}' has version {version}, and this release of mauve knows "
                f"up to {len(self.migrations)}. Update mauve, delete the file, or set MAUVE_CACHE."
            )
        return version

    def _migrate(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA page_size = 16384")  # a third quicker to write than 4096
        db.execute("PRAGMA auto_vacuum = FULL")  # deleting rows shrinks the file
        with db:
            db.execute("BEGIN IMMEDIATE")
            # The version is read again, as another process may have been first.
            for statements in self.migrations[self._check_version(db) :]:
                for statement in statements:
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {len(self.migrations)}")


def _connect(address: str) -> sqlite3.Connection:
    db = sqlite3.connect(address, timeout=_LOCK_SECONDS, isolation_level=None, uri=True)
    db.text_factory = bytes  # a damaged row may be marked as text without being UTF-8
    return db


def _inode(path: Path) -> int | None:
    with suppress(OSError):
        return path.stat().st_ino
    return None
