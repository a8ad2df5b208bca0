"""A cache of features on disk, so that a text is embedded once.

One SQLite database for all embedders. What cannot be read is a miss, and what cannot be
written is given up with a warning. Only a database of a newer version is an error: it is
somebody's work, and neither to be read nor to be replaced.
"""

import hashlib
import os
import sqlite3
import struct
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mauve.embed.protocol import Embedded
from mauve.errors import InvalidParameterError, MauveError, MauveWarning, bad_parameter, check_int

_KEEP = 0.95  # of the limit, once it is passed: to find the oldest rows takes time
_KEYS_AT_ONCE = 500  # SQLite before 3.32 takes 999 parameters at most
_CHECKSUM = 8  # bytes
_READING = struct.Struct("<q?")  # number of tokens, truncated


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def text_keys(signature: str, texts: Sequence[str]) -> Iterator[bytes]:
    """Yield the key of each text under an embedder."""
    # The signature is hashed first, so that no part of it can be taken for the text.
    start = hashlib.blake2b(hashlib.blake2b(_encoded(signature)).digest(), digest_size=16)
    for text in texts:
        key = start.copy()
        key.update(_encoded(text))
        yield key.digest()


def _checksum(key: bytes, body: bytes) -> bytes:
    return hashlib.blake2b(key + body, digest_size=_CHECKSUM).digest()


def empty_rows(n: int, d: int) -> Embedded:
    """Return n rows of d features to be filled."""
    return Embedded(np.empty((n, d), np.float32), np.empty(n, np.int64), np.empty(n, np.bool_))


def select_rows(
    db: sqlite3.Connection, positions: dict[bytes, list[int]], n: int
) -> tuple[NDArray[np.intp], Embedded]:
    """Return the positions that are known, rising, and their rows; mark them as used."""
    rows = empty_rows(n, 0)
    known = np.zeros(n, np.bool_)
    used: list[int] = []
    keys = list(positions)
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        part = keys[start : start + _KEYS_AT_ONCE]
        marks = ", ".join("?" * len(part))
        query = f"SELECT key, id, value FROM entries JOIN vectors USING (id) WHERE key IN ({marks})"
        for key, id_, value in db.execute(query, part):
            at = positions.get(key)
            if at is None or not isinstance(value, bytes):  # damaged, as the next one is
                continue
            body = value[:-_CHECKSUM]
            if value[-_CHECKSUM:] != _checksum(key, body):
                continue
            vector = np.frombuffer(body[: -_READING.size], "<f4")
            if not used:
                rows = empty_rows(n, len(vector))
            if len(vector) == rows.features.shape[1]:
                rows.features[at] = vector
                rows.n_tokens[at], rows.truncated[at] = _READING.unpack(body[-_READING.size :])
                known[at] = True
                used.append(id_)
    if used:
        now = time.time_ns()
        with suppress(sqlite3.OperationalError), db:  # those who may not write may still read
            db.execute("BEGIN IMMEDIATE")
            db.executemany("UPDATE entries SET used = ? WHERE id = ?", ((now, i) for i in used))
    if known.all():
        return np.arange(n), rows
    found = Embedded(rows.features[known], rows.n_tokens[known], rows.truncated[known])
    return np.flatnonzero(known), found


def insert_rows(
    db: sqlite3.Connection, signature: str, texts: Sequence[str], rows: Embedded, max_bytes: int
) -> None:
    """Add the rows of texts, and delete the oldest where they are too many bytes."""
    name = (_encoded(signature),)
    row_of = {key: i for i, key in enumerate(text_keys(signature, texts))}
    features = np.asarray(rows.features, "<f4")
    now = time.time_ns()

    def values() -> Iterator[tuple[bytes, bytes]]:
        for key, i in row_of.items():
            reading = _READING.pack(int(rows.n_tokens[i]), bool(rows.truncated[i]))
            body = features[i].tobytes() + reading
            yield body + _checksum(key, body), key

    with db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT OR IGNORE INTO embedders (signature) VALUES (?)", name)
        # A key is there already where its row was damaged or another process was as quick.
        db.executemany("DELETE FROM entries WHERE key = ?", ((key,) for key in row_of))
        db.executemany(
            """INSERT INTO entries (key, used, embedder)
            SELECT ?, ?, id FROM embedders WHERE signature = ?""",
            ((key, now, *name) for key in row_of),
        )
        db.executemany("INSERT INTO vectors SELECT id, ? FROM entries WHERE key = ?", values())
        _evict(db, max_bytes)


def _evict(db: sqlite3.Connection, max_bytes: int) -> None:
    """Delete the rows that were not used for longest until the database fits."""
    size = """SELECT (page_count - freelist_count) * page_size
        FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"""
    oldest = "SELECT id FROM entries ORDER BY used, id LIMIT ?"
    n_deleted = 1
    while n_deleted and (n_bytes := db.execute(size).fetchone()[0]) > max_bytes:
        (n_entries,) = db.execute("SELECT count(*) FROM entries").fetchone()
        n_old = ceil(n_entries * (1 - _KEEP * max_bytes / n_bytes))
        n_deleted = db.execute(f"DELETE FROM entries WHERE id IN ({oldest})", (n_old,)).rowcount


def count_texts(db: sqlite3.Connection) -> dict[str, int]:
    """Return the number of texts by signature of embedder."""
    counts = db.execute(
        """SELECT coalesce(CAST(signature AS BLOB), x''), n FROM embedders
        JOIN (SELECT embedder, count(*) AS n FROM entries GROUP BY embedder)
        ON embedder = embedders.id ORDER BY n DESC, signature"""
    )
    return {signature.decode("utf-8", "backslashreplace"): int(n) for signature, n in counts}


def delete_texts(db: sqlite3.Connection, signature: str | None) -> None:
    """Delete the rows of an embedder, or all."""
    if signature is None:
        db.execute("DELETE FROM entries")
    else:
        which = "embedder = (SELECT id FROM embedders WHERE signature = ?)"
        db.execute(f"DELETE FROM entries WHERE {which}", (_encoded(signature),))


T = TypeVar("T")

_SMALLEST = 1 << 20  # bytes; nine times a database without rows
_PATIENCE = 60.0  # seconds to wait for another process, whose batches take one or two

# From each version of the tables to the next. A use changes entries, hundreds of which lie
# on a page; of vectors only three do.
_MIGRATIONS = (
    (
        "CREATE TABLE embedders (id INTEGER PRIMARY KEY, signature BLOB NOT NULL UNIQUE)",
        """CREATE TABLE entries (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,
            embedder INTEGER NOT NULL, used INTEGER NOT NULL)""",  # nanoseconds since 1970
        "CREATE TABLE vectors (id INTEGER PRIMARY KEY, value BLOB NOT NULL)",
        """CREATE TRIGGER vector_follows AFTER DELETE ON entries
            BEGIN DELETE FROM vectors WHERE id = old.id; END""",
    ),
)
_DAMAGE = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_ERROR,  # the statements here are sound, so a table is not
    sqlite3.SQLITE_CONSTRAINT,
}


@dataclass(frozen=True)
class CacheInfo:
    """What a cache holds: bytes on disk, and numbers of texts by signature of embedder."""

    folder: Path
    n_bytes: int
    embedders: dict[str, int]

    @property
    def n_texts(self) -> int:
        """Number of texts, one counted once for each embedder."""
        return sum(self.embedders.values())


class _UnusableCacheError(MauveError):
    """The database cannot be read or written, for no fault of its own."""


def default_folder(platform: str = sys.platform, environ: Mapping[str, str] = os.environ) -> Path:
    """Return ``$MAUVE_CACHE``, or ``mauve`` in the folder where the platform keeps caches.

    Examples
    --------
    >>> default_folder("linux", {"MAUVE_CACHE": "/scratch/me"}).as_posix()
    '/scratch/me'
    """
    if environ.get("MAUVE_CACHE"):
        return Path(environ["MAUVE_CACHE"])
    given = environ.get("XDG_CACHE_HOME", "")
    folders = {
        "win32": environ.get("LOCALAPPDATA") or "~/AppData/Local",
        "darwin": "~/Library/Caches",
        "other": given if os.path.isabs(given) else "~/.cache",  # as the standard has it
    }
    try:
        return Path(folders.get(platform, folders["other"]), "mauve").expanduser()
    except RuntimeError as error:
        raise MauveError("There is no home folder. Set MAUVE_CACHE to a folder.") from error


class FeatureCache:
    """Features of texts by embedder, in one file that any number of processes may share.

    Parameters
    ----------
    folder : Path, optional
        Made when it is first written to; by default :func:`default_folder`. It must not
        be shared by several machines, which do not see each other's locks.
    max_bytes : int
        Size of the database beyond which the rows that were not used for longest are
        deleted. While it is written to, a log of the size of a batch comes on top.

    Notes
    -----
    The key of a row is a hash of the embedder's signature and the text; the text itself
    is not kept. A checksum of key and value stands with each row, and a row that it does
    not fit is a miss. Each call has its own connection, so threads may share a cache.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> row = Embedded(np.array([[0.5, 2]], np.float32), np.array([3]), np.array([False]))
    >>> with TemporaryDirectory() as folder:
    ...     cache = FeatureCache(Path(folder))
    ...     cache.store("lengths", ["a text"], row)
    ...     known, found = cache.lookup("lengths", ["another", "a text"])
    >>> known.tolist(), found.features.tolist()
    ([1], [[0.5, 2.0]])
    """

    def __init__(self, folder: Path | None = None, max_bytes: int = 10 << 30) -> None:
        self.folder = default_folder() if folder is None else Path(folder)
        self.max_bytes = check_int("FeatureCache", "max_bytes", max_bytes, _SMALLEST)
        self.path = self.folder / "features.sqlite3"
        self._damaged = self.folder / "features.sqlite3.damaged"
        self._given_up = False

    def lookup(self, signature: str, texts: Sequence[str]) -> tuple[NDArray[np.intp], Embedded]:
        """Return the positions of the texts that are known, ascending, and their rows."""
        positions: dict[bytes, list[int]] = {}
        for i, key in enumerate(text_keys(signature, texts)):
            positions.setdefault(key, []).append(i)
        try:
            return self._do(lambda db: select_rows(db, positions, len(texts)), reading=True)
        except _UnusableCacheError as error:
            self._give_up(error)
            return np.empty(0, np.intp), empty_rows(0, 0)

    def store(self, signature: str, texts: Sequence[str], rows: Embedded) -> None:
        """Keep the rows of texts, all or none, and delete old ones where they are too many."""
        if len(texts) != len(rows):
            raise bad_parameter("store", "rows", f"{len(texts)}, one for each text", len(rows))
        if self._given_up:
            return
        try:
            self._do(lambda db: insert_rows(db, signature, texts, rows, self.max_bytes))
        except _UnusableCacheError as error:
            self._give_up(error)

    def info(self) -> CacheInfo:
        """Return what the cache holds; one that is not there is not made."""
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidParameterError(
                f"'{self.folder}' must be a folder to hold the cache of features. It is a file: "
                "set $MAUVE_CACHE to another place."
            )
        counts = self._do(count_texts, reading=True) if self.path.exists() else {}
        files = (self.path, self._damaged)  # logs do not stay
        n_bytes = sum(file.stat().st_size for file in files if file.exists())
        return CacheInfo(self.folder, n_bytes, counts)

    def clear(self, signature: str | None = None) -> int:
        """Delete all rows, or those of one embedder, and return how many there were."""
        known = self.info().embedders
        if signature is not None and signature not in known:
            names = ", ".join(map(repr, known)) or "none"
            raise InvalidParameterError(
                f"The embedder to clear must be one that the cache has features of: {names}. "
                f"Got {signature!r} instead."
            )
        try:
            if known:
                self._do(lambda db: delete_texts(db, signature))
        except _UnusableCacheError:
            if signature is not None:
                raise
            self._unlink("", "-wal", "-shm")  # a full disk has no space for a transaction
        if signature is not None:
            return known[signature]
        self._damaged.unlink(missing_ok=True)
        return sum(known.values())

    def _do(self, work: Callable[[sqlite3.Connection], T], *, reading: bool = False) -> T:
        try:
            return self._repaired(work)
        except (sqlite3.Error, OSError) as error:
            if reading and os.path.exists(self.path):
                # Where nothing may be written there is no place for locks. Should someone
                # else write at this moment, the checksums tell.
                address = f"{self.path.absolute().as_uri()}?immutable=1"
                with suppress(sqlite3.Error, UnicodeDecodeError), closing(_connect(address)) as db:
                    _check_version(db, self.path)
                    return work(db)
            raise _UnusableCacheError(
                f"The cache '{self.path}' cannot be used ({error}). Make space, delete the file, "
                "or set MAUVE_CACHE to a folder that you may write to."
            ) from error

    def _repaired(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do `work` with the database; where that is damaged, once more with a new one."""
        file = _identity(self.path)
        try:
            with self._opened() as db:
                return work(db)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # Without a code it is of a message that quotes what is not UTF-8.
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in _DAMAGE:
                raise
            self._set_aside(file, error)
        with self._opened() as db:
            return work(db)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # For its owner's eyes, as are the files that SQLite adds. One that is there must
        # not be opened here: when it is closed, the process loses SQLite's locks on it.
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(_connect(self.path.absolute().as_uri())) as db:
            if _check_version(db, self.path) < len(_MIGRATIONS):
                _migrate(db, self.path)
            db.execute("PRAGMA secure_delete = OFF")  # or deleting writes as much as it frees
            db.execute("PRAGMA synchronous = NORMAL")  # no power: a batch is lost, no more
            with suppress(sqlite3.OperationalError):  # locked: the next connection will do it
                db.execute("PRAGMA journal_mode = WAL")
            yield db

    def _set_aside(self, file: int | None, error: Exception) -> None:
        with closing(sqlite3.connect(f"{self.path}.lock", timeout=_PATIENCE)) as lock:
            lock.execute("BEGIN EXCLUSIVE")
            if file != _identity(self.path):
                return  # another process found the damage first
            self._unlink("-wal", "-shm")  # first: no log may be taken for that of the new one
            os.replace(self.path, self._damaged)
        message = (
            f"The cache '{self.path}' was damaged ({error}). It is now '{self._damaged.name}', "
            "and its features are computed again."
        )
        warnings.warn(message, MauveWarning, stacklevel=2)

    def _unlink(self, *endings: str) -> None:
        for ending in endings:
            Path(f"{self.path}{ending}").unlink(missing_ok=True)

    def _give_up(self, error: _UnusableCacheError) -> None:
        if not self._given_up:
            self._given_up = True
            message = f"{error} Until then, features are computed and not kept."
            warnings.warn(message, MauveWarning, stacklevel=2)


def _connect(address: str) -> sqlite3.Connection:
    db = sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)
    db.text_factory = bytes  # a damaged row may claim to be text, and not be UTF-8
    return db


def _identity(path: Path) -> int | None:
    with suppress(OSError):
        return path.stat().st_ino
    return None


def _check_version(db: sqlite3.Connection, path: Path) -> int:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version > len(_MIGRATIONS):
        raise MauveError(
            f"The cache '{path}' has version {version}, and this release of mauve knows up to "
            f"{len(_MIGRATIONS)}. Update mauve, delete the file, or set MAUVE_CACHE."
        )
    return version


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    db.execute("PRAGMA page_size = 16384")  # a third quicker to write than 4096
    db.execute("PRAGMA auto_vacuum = FULL")  # what is deleted leaves the file too
    with db:
        db.execute("BEGIN IMMEDIATE")
        # Asked again, as another process may have been first.
        for statements in _MIGRATIONS[_check_version(db, path) :]:
            for statement in statements:
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
