"""Cache features on disk, so that a text is embedded once.

One SQLite database serves all embedders. A row that cannot be read counts as missing, and if
nothing can be written, features are not cached and a warning says so.
"""

import hashlib
import os
import sqlite3
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mauve.embed.database import SharedDatabase, UnusableDatabaseError
from mauve.embed.protocol import Embedded
from mauve.errors import InvalidParameterError, MauveError, bad_parameter, check_int, warn_caller

_MIN_BYTES = 1 << 20  # nine times the size of a database without rows
_KEEP = 0.95  # share of the limit to keep when it is exceeded, as finding old rows takes time
_KEYS_AT_ONCE = 500  # SQLite before 3.32 takes 999 parameters at most
_CHECKSUM_BYTES = 8
_READING = struct.Struct("<q?")  # number of tokens, truncated

# Statements from each version of the tables to the next. Marking rows as used changes pages of
# entries, which hold hundreds of rows; a page of vectors holds about three.
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


@dataclass(frozen=True)
class CacheInfo:
    """Contents of a cache: bytes on disk, and numbers of texts by signature of embedder."""

    folder: Path
    n_bytes: int
    embedders: dict[str, int]

    @property
    def n_texts(self) -> int:
        """Number of texts; a text counts once for each embedder."""
        return sum(self.embedders.values())


def default_folder() -> Path:
    """Return ``$MAUVE_CACHE``, or ``mauve`` in the user's folder for caches.

    On Linux that is ``$XDG_CACHE_HOME/mauve`` or ``~/.cache/mauve``.
    """
    if os.environ.get("MAUVE_CACHE"):
        return Path(os.environ["MAUVE_CACHE"])
    import platformdirs

    try:
        folder = Path(platformdirs.user_cache_dir("mauve", appauthor=False, opinion=False))
    except RuntimeError:
        folder = Path("~")
    if not folder.is_absolute():  # what older releases of platformdirs return instead
        raise MauveError("There is no home folder. Set MAUVE_CACHE to a folder.")
    return folder


class FeatureCache:
    """Features of texts by embedder, in one file that several processes may share.

    Parameters
    ----------
    folder : Path, optional
        Created by the first lookup or write; by default :func:`default_folder`. It must not be
        shared by several machines, which do not see each other's locks.
    max_bytes : int
        Size of the database beyond which the least recently used rows are deleted. During a
        write, a log of the size of a batch is added.

    Notes
    -----
    The key of a row is a hash of the embedder's signature and the text; the text itself
    is not stored. A checksum of key and value stands with each row, and a row with another
    checksum counts as missing. Each call has its own connection, so threads may share a cache.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> row = Embedded(np.array([[0.5, 2]], np.float32), np.array([3]), np.array([False]))
    >>> with TemporaryDirectory() as folder:
    ...     cache = FeatureCache(Path(folder))
    ...     cache.store("lengths", ["a text"], row)
    ...     known, rows = cache.lookup("lengths", ["another", "a text"])
    >>> known.tolist(), rows.features.tolist()
    ([1], [[0.5, 2.0]])
    """

    def __init__(self, folder: Path | None = None, max_bytes: int = 10 << 30) -> None:
        self.folder = default_folder() if folder is None else Path(folder)
        self.max_bytes = check_int("max_bytes", max_bytes, _MIN_BYTES)
        self.path = self.folder / "features.sqlite3"
        self.database = SharedDatabase(self.path, _MIGRATIONS)
        self._given_up = False

    def lookup(self, signature: str, texts: Sequence[str]) -> tuple[NDArray[np.intp], Embedded]:
        """Return the positions of the texts that are cached, ascending, and their rows."""
        try:
            return self.database.run(lambda db: _select_rows(db, signature, texts), reading=True)
        except UnusableDatabaseError as error:
            self._give_up(error)
            return np.empty(0, np.intp), Embedded.empty(0, 0)

    def store(self, signature: str, texts: Sequence[str], rows: Embedded) -> None:
        """Write the rows of texts, all or none, and delete old rows beyond the limit."""
        if len(texts) != len(rows):
            raise bad_parameter("rows", f"{len(texts)}, one for each text", len(rows))
        if self._given_up:
            return
        try:
            self.database.run(lambda db: _insert_rows(db, signature, texts, rows, self.max_bytes))
        except UnusableDatabaseError as error:
            self._give_up(error)

    def info(self) -> CacheInfo:
        """Return the contents of the cache, without creating one."""
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidParameterError(
                f"'{self.folder}' must be a folder to hold the cache of features. It is a file: "
                "set $MAUVE_CACHE to another place."
            )
        counts = self.database.run(_count_texts, reading=True) if self.path.exists() else {}
        files = (self.path, self.database.damaged)  # SQLite removes its logs
        n_bytes = sum(file.stat().st_size for file in files if file.exists())
        return CacheInfo(self.folder, n_bytes, counts)

    def clear(self, signature: str | None = None) -> int:
        """Delete all rows, or those of one embedder, and return how many there were."""
        counts = self.info().embedders
        if signature is not None and signature not in counts:
            names = ", ".join(map(repr, counts)) or "none"
            raise InvalidParameterError(
                f"The embedder to clear must be one that the cache has features of: {names}. "
                f"Got {signature!r} instead."
            )
        try:
            if counts:
                self.database.run(lambda db: _delete_texts(db, signature))
        except UnusableDatabaseError:
            if signature is not None:
                raise
            self.database.delete()  # a full disk has no space for a transaction
        if signature is None:
            self.database.damaged.unlink(missing_ok=True)
        return sum(counts.values()) if signature is None else counts[signature]

    def _give_up(self, error: UnusableDatabaseError) -> None:
        if not self._given_up:
            self._given_up = True
            warn_caller(f"{error} Until then, features are computed and not kept.")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text_keys(signature: str, texts: Sequence[str]) -> Iterator[bytes]:
    # The signature is hashed first, so that no part of it can be taken for the text.
    start = hashlib.blake2b(hashlib.blake2b(_encoded(signature)).digest(), digest_size=16)
    for text in texts:
        key = start.copy()
        key.update(_encoded(text))
        yield key.digest()


def _checksum(key: bytes, body: bytes) -> bytes:
    return hashlib.blake2b(key + body, digest_size=_CHECKSUM_BYTES).digest()


def _select_rows(
    db: sqlite3.Connection, signature: str, texts: Sequence[str]
) -> tuple[NDArray[np.intp], Embedded]:
    """Return the positions of cached texts, ascending, and their rows; mark them as used."""
    n = len(texts)
    positions: dict[bytes, list[int]] = {}
    for i, key in enumerate(_text_keys(signature, texts)):
        positions.setdefault(key, []).append(i)
    rows = Embedded.empty(n, 0)
    known = np.zeros(n, np.bool_)
    used: list[int] = []
    keys = list(positions)
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        part = keys[start : start + _KEYS_AT_ONCE]
        marks = ", ".join("?" * len(part))
        query = f"SELECT key, id, value FROM entries JOIN vectors USING (id) WHERE key IN ({marks})"
        for key, id_, value in db.execute(query, part):
            at = positions.get(key)
            if at is None or not isinstance(value, bytes):  # damaged, as in the next case
                continue
            body = value[:-_CHECKSUM_BYTES]
            if value[-_CHECKSUM_BYTES:] != _checksum(key, body):
                continue
            vector = np.frombuffer(body[: -_READING.size], "<f4")
            if not used:
                rows = Embedded.empty(n, len(vector))
            if len(vector) == rows.features.shape[1]:
                rows.features[at] = vector
                rows.n_tokens[at], rows.truncated[at] = _READING.unpack(body[-_READING.size :])
                known[at] = True
                used.append(id_)
    if used:
        now = time.time_ns()
        with suppress(sqlite3.OperationalError), db:  # in a read-only folder rows are read only
            db.execute("BEGIN IMMEDIATE")
            db.executemany("UPDATE entries SET used = ? WHERE id = ?", ((now, i) for i in used))
    if known.all():
        return np.arange(n), rows
    return np.flatnonzero(known), rows.take(known)


def _insert_rows(
    db: sqlite3.Connection, signature: str, texts: Sequence[str], rows: Embedded, max_bytes: int
) -> None:
    """Add the rows of texts, and delete the oldest rows beyond `max_bytes`."""
    name = (_encoded(signature),)
    row_of = {key: i for i, key in enumerate(_text_keys(signature, texts))}
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
        # A key exists if its row was damaged or another process stored it meanwhile.
        db.executemany("DELETE FROM entries WHERE key = ?", ((key,) for key in row_of))
        db.executemany(
            """INSERT INTO entries (key, used, embedder)
            SELECT ?, ?, id FROM embedders WHERE signature = ?""",
            ((key, now, *name) for key in row_of),
        )
        db.executemany("INSERT INTO vectors SELECT id, ? FROM entries WHERE key = ?", values())
        _evict(db, max_bytes)


def _evict(db: sqlite3.Connection, max_bytes: int) -> None:
    """Delete the least recently used rows until the database fits."""
    size = """SELECT (page_count - freelist_count) * page_size
        FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"""
    oldest = "SELECT id FROM entries ORDER BY used, id LIMIT ?"
    n_deleted = 1
    while n_deleted and (n_bytes := db.execute(size).fetchone()[0]) > max_bytes:
        (n_entries,) = db.execute("SELECT count(*) FROM entries").fetchone()
        n_old = ceil(n_entries * (1 - _KEEP * max_bytes / n_bytes))
        n_deleted = db.execute(f"DELETE FROM entries WHERE id IN ({oldest})", (n_old,)).rowcount


def _count_texts(db: sqlite3.Connection) -> dict[str, int]:
    counts = db.execute(
        """SELECT coalesce(CAST(signature AS BLOB), x''), n FROM embedders
        JOIN (SELECT embedder, count(*) AS n FROM entries GROUP BY embedder)
        ON embedder = embedders.id ORDER BY n DESC, signature"""
    )
    return {signature.decode("utf-8", "backslashreplace"): int(n) for signature, n in counts}


def _delete_texts(db: sqlite3.Connection, signature: str | None) -> None:
    """Delete the rows of an embedder, or all."""
    which = "WHERE embedder = (SELECT id FROM embedders WHERE signature = ?)"
    if signature is None:
        db.execute("DELETE FROM entries")
    else:
        db.execute(f"DELETE FROM entries {which}", (_encoded(signature),))
