"""Rows of the cache as SQL: keys, look-up, insertion, eviction."""

import hashlib
import sqlite3
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import ceil

import numpy as np
from numpy.typing import NDArray

from mauve.embed.protocol import Embedded

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
