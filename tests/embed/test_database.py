"""A shared database may cost time, never a result, whatever happened to its file."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import cache_rows
import pytest
from cache_rows import TEXTS, is_sound, many, right_texts, rows_of, store

from mauve.embed.cache import FeatureCache
from mauve.embed.database import SharedDatabase
from mauve.errors import MauveError, MauveWarning

NOBODY = 65534


@pytest.fixture
def cache(tmp_path):
    return FeatureCache(tmp_path / "cache")


# Damage


@pytest.mark.parametrize("share", [0.001, 0.01, 0.3, 0.5, 0.9])
def test_truncated_file(cache, share):
    store(cache, TEXTS, d=1280)
    os.truncate(cache.path, int(cache.path.stat().st_size * share))
    with pytest.warns(MauveWarning, match="was damaged .* is now 'features.sqlite3.damaged'"):
        assert right_texts(cache, TEXTS, d=1280) == []
    assert (cache.folder / "features.sqlite3.damaged").exists()
    store(cache, TEXTS, d=1280)
    assert right_texts(cache, TEXTS, d=1280) == TEXTS
    assert is_sound(cache)


@pytest.mark.parametrize("lost", [1, 100, 5000])
def test_file_that_lost_its_last_bytes(cache, lost):
    store(cache, TEXTS, d=1280)
    os.truncate(cache.path, cache.path.stat().st_size - lost)
    assert 95 <= len(right_texts(cache, TEXTS, d=1280)) < 100  # SQLite takes them for zeros
    store(cache, TEXTS, d=1280)
    assert right_texts(cache, TEXTS, d=1280) == TEXTS


def test_empty_file(cache):
    store(cache, TEXTS)
    os.truncate(cache.path, 0)
    assert right_texts(cache, TEXTS) == []
    store(cache, TEXTS)
    assert right_texts(cache, TEXTS) == TEXTS


@pytest.mark.parametrize("call", ["lookup", "store", "info", "clear"])
def test_garbage_file(cache, call):
    cache.folder.mkdir()
    garbage = random.Random(0).randbytes(100_000)
    cache.path.write_bytes(garbage)
    arguments = {"lookup": ["hash", TEXTS], "store": ["hash", TEXTS, rows_of(TEXTS)]}
    with pytest.warns(MauveWarning, match="was damaged .file is not a database."):
        getattr(cache, call)(*arguments.get(call, []))
    damaged = cache.folder / "features.sqlite3.damaged"
    if call == "clear":
        assert not damaged.exists()  # that would be the larger part
    else:
        assert damaged.read_bytes() == garbage
    store(cache, TEXTS)
    assert right_texts(cache, TEXTS) == TEXTS


def test_the_log_of_a_damaged_database_does_not_reach_the_new_one(cache):
    store(cache, TEXTS)
    with closing(sqlite3.connect(cache.path)) as db:  # the log stays while this is open
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (100,)
        store(cache, ["later"])
        logged = Path(f"{cache.path}-wal").read_bytes()
    cache.path.write_bytes(b"garbage" * 1000)
    Path(f"{cache.path}-wal").write_bytes(logged)
    with pytest.warns(MauveWarning, match="was damaged"):
        assert right_texts(cache, [*TEXTS, "later"]) == []
    assert is_sound(cache)


def test_a_database_of_something_else(cache):
    cache.folder.mkdir()
    with closing(sqlite3.connect(cache.path)) as db:
        db.execute("CREATE TABLE entries (recipe TEXT)")
    with pytest.warns(MauveWarning, match="was damaged .table entries already exists"):
        store(cache, TEXTS)
    assert right_texts(cache, TEXTS) == TEXTS


def test_tables_that_are_not_described_in_utf8(cache):
    store(cache, TEXTS)
    content = cache.path.read_bytes()
    cache.path.write_bytes(content.replace(b"CREATE TABLE entries", b"CREATE TAB\xff\xff entries"))
    with pytest.warns(MauveWarning, match="was damaged"):
        assert right_texts(cache, TEXTS) == []


def test_flipped_byte_in_a_row_is_a_miss(cache):
    store(cache, TEXTS)
    content = cache.path.read_bytes()
    row = rows_of(TEXTS[7:8]).features.tobytes()
    flipped = row[:100] + bytes([row[100] ^ 1]) + row[101:]
    assert row in content
    cache.path.write_bytes(content.replace(row, flipped))
    assert right_texts(cache, TEXTS) == TEXTS[:7] + TEXTS[8:]
    store(cache, TEXTS[7:8])
    assert right_texts(cache, TEXTS) == TEXTS


def test_rows_that_changed_places_are_misses(cache):
    store(cache, TEXTS)
    with closing(sqlite3.connect(cache.path)) as db, db:
        db.execute("UPDATE vectors SET id = -id")
        db.execute("UPDATE vectors SET id = 101 + id")
    assert right_texts(cache, TEXTS) == []


@pytest.mark.parametrize("value", [None, 7, 1.5, b"", b"short", "text", "\udcff"])
def test_rows_of_any_type_are_misses(cache, value):
    store(cache, TEXTS[:2])
    with closing(sqlite3.connect(cache.path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '')")
    text = value == "\udcff"
    with closing(sqlite3.connect(cache.path)) as db, db:
        new = "CAST(? AS TEXT)" if text else "?"  # text that is not UTF-8
        db.execute(f"UPDATE vectors SET value = {new} WHERE id = 1", (b"\xff" if text else value,))
    assert right_texts(cache, TEXTS[:2]) == TEXTS[1:2]


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 64, 4096])
def test_damage_anywhere(tmp_path, length):
    whole = FeatureCache(tmp_path / "whole")
    store(whole, TEXTS[:60], d=600)
    store(whole, TEXTS[60:], d=600)
    content = whole.path.read_bytes()
    rng = random.Random(length)
    n_read = n_stuck = 0
    for i in range(50):
        cache = FeatureCache(tmp_path / str(i))
        cache.folder.mkdir()
        # Half of it in the first pages, where the tables are described.
        at = rng.randrange(len(content) if i % 2 else 40_000)
        part = bytes(byte ^ rng.randrange(1, 256) for byte in content[at : at + length])
        cache.path.write_bytes(content[:at] + part + content[at + length :])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MauveWarning)
            try:
                n_read += len(right_texts(cache, TEXTS, d=600)) > 0
                store(cache, TEXTS, d=600)
                # SQLite takes a page number that is far too high for a full disk.
                n_stuck += right_texts(cache, TEXTS, d=600) != TEXTS
                cache.clear()
                cache = FeatureCache(cache.folder)
                store(cache, TEXTS, d=600)
                assert right_texts(cache, TEXTS, d=600) == TEXTS
            except MauveError as error:  # where the version itself was hit
                assert "this release of mauve knows up to 1" in str(error)  # noqa: PT017
    assert n_read >= 10  # most of the file is rows
    assert n_stuck <= 2


def test_newer_version_is_an_error(cache):
    store(cache, TEXTS)
    with closing(sqlite3.connect(cache.path)) as db:
        db.execute("PRAGMA user_version = 2")
    content = cache.path.read_bytes()
    for call in (
        lambda: cache.lookup("hash", TEXTS),
        lambda: store(cache, TEXTS),
        cache.info,
        cache.clear,
    ):
        with pytest.raises(MauveError, match="has version 2, and this release of mauve knows up"):
            call()
    assert cache.path.read_bytes() == content


# Folders that cannot be written to, and full disks


@contextmanager
def nobody():
    """Be a user who may not do all, as root may."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def guarded():
    """Yield a cache with TEXTS in a folder that `nobody` owns and may only read."""
    with tempfile.TemporaryDirectory() as parent:  # pytest's own folders are closed to nobody
        os.chmod(parent, 0o755)
        cache = FeatureCache(Path(parent) / "cache")
        store(cache, TEXTS)
        if os.geteuid() == 0:
            os.chown(cache.folder, NOBODY, -1)
            os.chown(cache.path, NOBODY, -1)
        cache.folder.chmod(0o500)
        yield cache
        cache.folder.chmod(0o700)


@pytest.mark.parametrize("mode", [0o400, 0o600])
def test_read_only_folder_is_read(guarded, mode):
    guarded.path.chmod(mode)
    content = guarded.path.read_bytes()
    with nobody():
        assert right_texts(guarded, ["new", *TEXTS]) == TEXTS
        assert guarded.info().n_texts == 100
        with pytest.warns(MauveWarning, match="cannot be used .* are computed and not kept"):
            store(guarded, ["new"])
        store(guarded, ["newer"])  # said once
        assert right_texts(guarded, ["new", *TEXTS]) == TEXTS
        with pytest.raises(MauveError, match="cannot be used"):
            guarded.clear("hash")
        with pytest.raises(PermissionError, match=r"Permission denied: .*features\.sqlite3"):
            guarded.clear()
    assert guarded.path.read_bytes() == content
    assert os.listdir(guarded.folder) == ["features.sqlite3"]


def test_read_only_file_is_read(guarded):
    guarded.folder.chmod(0o700)
    guarded.path.chmod(0o400)
    with nobody():
        assert right_texts(guarded, ["new", *TEXTS]) == TEXTS
        with pytest.warns(MauveWarning, match="attempt to write a readonly database"):
            store(guarded, ["new"])
        assert right_texts(guarded, ["new", *TEXTS]) == TEXTS


def test_read_only_folder_with_a_damaged_database(guarded):
    guarded.path.write_bytes(b"garbage" * 1000)
    with nobody():
        with pytest.warns(MauveWarning, match="cannot be used .unable to open database file."):
            assert right_texts(guarded, TEXTS) == []
        store(guarded, TEXTS)
    assert guarded.path.read_bytes() == b"garbage" * 1000


def test_folder_that_cannot_be_made(guarded, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for folder in (guarded.folder / "new", tmp_path / "file" / "cache", Path("/proc/mauve")):
        cache = FeatureCache(folder)
        with nobody():
            with pytest.warns(MauveWarning, match="cannot be used"):
                assert right_texts(cache, TEXTS) == []
            store(cache, TEXTS)
            assert right_texts(cache, TEXTS) == []


def test_folder_that_cannot_be_entered(guarded):
    guarded.folder.chmod(0)
    with nobody():
        with pytest.warns(MauveWarning, match="cannot be used"):
            assert right_texts(guarded, TEXTS) == []
        store(guarded, TEXTS)


class SmallDisk(SharedDatabase):
    """A database that may have 40 pages, to SQLite the same as a full disk."""

    @contextmanager
    def connect(self):
        with super().connect() as db:
            db.execute("PRAGMA max_page_count = 40")
            yield db


def test_full_disk(tmp_path):
    cache = FeatureCache(tmp_path)
    cache.database = SmallDisk(cache.path, cache.database.migrations)
    store(cache, TEXTS)
    more = [f"more {i}" for i in range(1000)]
    with pytest.warns(MauveWarning, match="database or disk is full.*Make space"):
        store(cache, more, d=1280)
    store(cache, more, d=1280)  # said once
    assert right_texts(cache, TEXTS) == TEXTS
    assert right_texts(cache, more, d=1280) == []
    assert is_sound(cache)


@pytest.mark.slow
def test_files_that_may_not_grow(tmp_path):
    done = run("fill", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cannot be used (disk I/O error). Make space" in done.stdout
    cache = FeatureCache(tmp_path)
    assert 0 < len(right_texts(cache, many(20), d=1280)) < 2000
    assert is_sound(cache)


@pytest.mark.slow
def test_clear_needs_no_space(cache):
    store(cache, TEXTS)
    done = run("clear", cache.folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "100\n", "")
    assert list(cache.folder.iterdir()) == []


# Several at once


def test_threads(cache):
    def work(i):
        mine = TEXTS[i * 10 : i * 10 + 20]
        store(cache, mine)
        assert right_texts(cache, mine) == mine
        return len(right_texts(cache, TEXTS))

    with ThreadPoolExecutor(8) as pool:
        n_cached = list(pool.map(work, range(9)))
    assert max(n_cached) == 100
    assert is_sound(cache)


@pytest.mark.slow
def test_two_that_make_the_tables_at_once(cache, tmp_path):
    other = FeatureCache(tmp_path / "other")
    store(other, TEXTS)
    with closing(sqlite3.connect(other.path)) as db:
        tables = db.execute("SELECT sql FROM sqlite_schema WHERE sql NOT NULL").fetchall()
    cache.folder.mkdir()
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor() as pool:
            late = pool.submit(store, cache, TEXTS)  # finds no tables, and waits
            time.sleep(0.3)
            for (table,) in tables:
                db.execute(table)
            db.execute("PRAGMA user_version = 1")
            db.execute("COMMIT")
            late.result()
    assert right_texts(cache, TEXTS) == TEXTS


def test_threads_that_meet_a_damaged_database(cache):
    cache.folder.mkdir()
    cache.path.write_bytes(b"garbage" * 1000)

    def work(i):
        mine = TEXTS[i * 10 : i * 10 + 20]
        right_texts(cache, TEXTS)
        store(cache, mine)
        return right_texts(cache, mine) == mine

    with ThreadPoolExecutor(8) as pool, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        are_right = list(pool.map(work, range(9)))
    assert are_right == [True] * 9
    assert ["file is not a database" in str(warning.message) for warning in caught] == [True]
    assert right_texts(cache, TEXTS) == TEXTS
    assert is_sound(cache)


def test_a_file_that_is_deleted_meanwhile(cache):
    store(cache, TEXTS)
    with closing(sqlite3.connect(cache.path)) as db:
        db.execute("SELECT count(*) FROM entries").fetchone()
        for file in cache.folder.iterdir():
            file.unlink()
        store(cache, TEXTS[:10])
        assert right_texts(cache, TEXTS) == TEXTS[:10]
    assert right_texts(cache, TEXTS) == TEXTS[:10]


def run(*arguments):
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=120)


def command(*arguments):
    return [sys.executable, "-W", "error", cache_rows.__file__, *map(str, arguments)]


@pytest.mark.slow
def test_two_processes_write_and_read_at_once(tmp_path):
    processes = [
        subprocess.Popen(command("write", tmp_path, 1 << 30, first, 10), stderr=subprocess.PIPE)
        for first in (0, 0, 5)
    ]
    for process in processes:
        assert process.communicate(timeout=120)[1] == b""
        assert process.returncode == 0
    cache = FeatureCache(tmp_path)
    assert right_texts(cache, many(15), d=1280) == many(15)
    assert cache.info().n_texts == 1500
    assert is_sound(cache)


@pytest.mark.slow
@pytest.mark.parametrize("max_bytes", [1 << 30, 2 << 20], ids=["growing", "evicting"])
def test_kill_at_any_moment(tmp_path, max_bytes):
    cache = FeatureCache(tmp_path, max_bytes=max_bytes)
    first = 0
    for n_batches, delay in [(0, 0), (0, 0.002), (0, 0.01), (1, 0), (2, 0.005), (3, 0.02), (5, 0)]:
        arguments = ("write", tmp_path, max_bytes, first, 1000)
        process = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, text=True)
        with process:
            assert process.stdout.readline() == "ready\n"
            for _ in range(n_batches):
                written = int(process.stdout.readline())
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        texts = many(first + n_batches + 30)
        known = set(right_texts(cache, texts, d=1280))
        if max_bytes == 1 << 30:
            # What was written is there, and of each batch all or none.
            assert n_batches == 0 or known >= set(many(written + 1))
            assert len(known) % 100 == 0
        store(cache, ["after"], d=1280)
        assert right_texts(cache, ["after"], d=1280) == ["after"]
        assert is_sound(cache)
        first += n_batches
    assert len(known) > 200
