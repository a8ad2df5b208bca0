"""A cache may cost time, never a result: what is read is right, whatever happened before.

Run as a program, this file writes to a cache until it is stopped; see the end.
"""

import hashlib
import os
import pwd
import random
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mauve.embed.cache import CacheInfo, FeatureCache, default_folder
from mauve.embed.protocol import Embedded
from mauve.errors import InvalidParameterError, MauveError, MauveWarning

ODD_TEXTS = ["", "\0", "a\0b", "é", "e\u0301", "😀", "\ud83d\ude00", "\ud83d", "\udfff\ud800", " a"]
NOBODY = 65534


def rows_of(texts, d=64):
    """Return rows that any process finds again from the texts alone."""
    digests = [hashlib.shake_128(t.encode("utf-8", "surrogatepass")).digest(2 * d) for t in texts]
    features = np.frombuffer(b"".join(digests), "<u2").reshape(len(texts), d)
    n_tokens = np.array([len(text) for text in texts], np.int64)
    return Embedded(features.astype(np.float32) / 7, n_tokens, n_tokens % 2 == 1)


def store(cache, texts, d=64, signature="hash"):
    cache.store(signature, texts, rows_of(texts, d))


def found_right(cache, texts, d=64, signature="hash"):
    """Return the texts that are found, after a look at every number found."""
    known, found = cache.lookup(signature, texts)
    expected = rows_of([texts[i] for i in known], d)
    if len(known):  # of none, the cache does not know how many features they would have
        np.testing.assert_array_equal(found.features, expected.features)
    np.testing.assert_array_equal(found.n_tokens, expected.n_tokens)
    np.testing.assert_array_equal(found.truncated, expected.truncated)
    return [texts[i] for i in known]


def sound(cache):
    with closing(sqlite3.connect(cache.path)) as db:
        return db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.fixture
def cache(tmp_path):
    return FeatureCache(tmp_path / "cache")


TEXTS = [f"text {i}" for i in range(100)]


# What is kept


def test_rows_come_back_in_the_order_of_the_texts(cache):
    store(cache, TEXTS)
    mixed = ["new", *TEXTS[::-3], "newer"]
    known, found = FeatureCache(cache.folder).lookup("hash", mixed)
    assert known.tolist() == list(range(1, len(mixed) - 1))
    assert (found.features.dtype, found.n_tokens.dtype) == (np.float32, np.int64)
    assert found_right(cache, mixed) == TEXTS[::-3]


def test_nothing_known(cache):
    known, found = cache.lookup("hash", TEXTS)
    assert (len(known), len(found)) == (0, 0)
    assert len(cache.lookup("hash", [])[0]) == 0


@given(
    signature=st.text(st.characters(), max_size=5),
    texts=st.lists(st.text(st.characters(), max_size=5), min_size=1, max_size=6, unique=True),
    data=st.data(),
)
@example(signature="s", texts=ODD_TEXTS, data=None)
@settings(max_examples=40, deadline=None)
def test_round_trip(signature, texts, data):
    n = len(texts)
    rows = rows_of(texts)
    if data is not None:
        floats = st.floats(width=32)  # NaN and infinity too: to tell is not the cache's task
        rows = Embedded(
            data.draw(arrays(np.float32, (n, data.draw(st.integers(1, 5))), elements=floats)),
            data.draw(arrays(np.int64, n)),
            data.draw(arrays(np.bool_, n)),
        )
    with tempfile.TemporaryDirectory() as folder:
        cache = FeatureCache(Path(folder))
        cache.store(signature, texts, rows)
        known, found = cache.lookup(signature, texts)
        assert len(cache.lookup(signature + "x", texts)[0]) == 0
    assert known.tolist() == list(range(n))
    assert found.features.tobytes() == rows.features.tobytes()  # NaN is equal to itself here
    assert found.n_tokens.tolist() == rows.n_tokens.tolist()
    assert found.truncated.tolist() == rows.truncated.tolist()


def test_signature_and_text_do_not_run_together(cache):
    store(cache, ["bc"], signature="a")
    assert found_right(cache, ["c"], signature="ab") == []
    assert found_right(cache, ["abc"], signature="") == []


def test_equal_texts(cache):
    store(cache, ["a", "b", "a"])
    assert cache.info().n_texts == 2
    assert found_right(cache, ["a", "c", "a", "b"]) == ["a", "a", "b"]


def test_the_last_row_of_a_text_counts(cache):
    cache.store("hash", TEXTS, rows_of(TEXTS[::-1]))
    store(cache, TEXTS)
    assert found_right(cache, TEXTS) == TEXTS
    with closing(sqlite3.connect(cache.path)) as db:
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (100,)


@pytest.mark.parametrize("kind", ["float64", ">f4", "float16"])
def test_other_number_types_are_kept_as_float32(cache, kind):
    features = np.asfortranarray([[0.5, -2], [1, 3]], dtype=kind)
    cache.store("s", ["a", "b"], Embedded(features, np.array([-1, -1]), np.array([False, True])))
    found = cache.lookup("s", ["a", "b"])[1]
    assert found.features.dtype == np.float32
    assert found.features.tolist() == [[0.5, -2], [1, 3]]
    assert found.n_tokens.tolist() == [-1, -1]


def test_rows_of_another_width_are_not_found(cache):
    store(cache, ["a"], d=3)
    store(cache, ["b"], d=4)
    known, found = cache.lookup("hash", ["a", "b"])
    assert (len(known), len(found)) == (1, 1)


def test_wrong_number_of_rows(cache):
    with pytest.raises(InvalidParameterError, match=r"must be 2, one for each text\. Got 1 inst"):
        cache.store("hash", ["a", "b"], rows_of(["a"]))


# Where it is


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {"MAUVE_CACHE": "/m", "XDG_CACHE_HOME": "/x"}, "/m"),
        ("linux", {"MAUVE_CACHE": "", "XDG_CACHE_HOME": "/x"}, "/x/mauve"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "~/.cache/mauve"),
        ("linux", {}, "~/.cache/mauve"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "~/Library/Caches/mauve"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/mauve"),
        ("win32", {}, "~/AppData/Local/mauve"),
    ],
)
def test_default_folder(platform, environ, folder):
    assert default_folder(platform, environ) == Path(folder).expanduser()


def test_no_home_folder(monkeypatch):
    def unknown(uid):
        raise KeyError(uid)  # as for a user number that a container was given

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(MauveError, match=r"no home folder\. Set MAUVE_CACHE"):
        default_folder("linux", {})
    assert default_folder("linux", {"XDG_CACHE_HOME": "/x"}) == Path("/x/mauve")


def test_folder_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "elsewhere"))
    store(FeatureCache(), TEXTS)
    assert found_right(FeatureCache(tmp_path / "elsewhere"), TEXTS) == TEXTS


def test_nobody_else_may_read_it(tmp_path):
    cache = FeatureCache(tmp_path / "deep" / "cache")
    store(cache, TEXTS)
    with closing(sqlite3.connect(cache.path)) as db:
        db.execute("SELECT count(*) FROM entries").fetchone()  # the log is there as long
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in cache.folder.iterdir()}
    names = {"features.sqlite3", "features.sqlite3-wal", "features.sqlite3-shm"}
    assert modes == dict.fromkeys(names, 0o600)
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


def test_odd_folder_names(tmp_path):
    cache = FeatureCache(tmp_path / "a b?mode=ro#%41é")
    store(cache, TEXTS)
    assert found_right(cache, TEXTS) == TEXTS
    assert [file.name for file in cache.folder.iterdir()] == ["features.sqlite3"]


# Information and clearing


def test_info_of_no_cache_makes_none(cache):
    assert cache.info() == CacheInfo(cache.folder, 0, {})
    assert cache.clear() == 0
    assert not cache.folder.exists()


def test_info_and_clear(cache):
    store(cache, TEXTS, signature="a")
    store(cache, TEXTS[:10], signature="b")
    info = cache.info()
    assert info.embedders == {"a": 100, "b": 10}
    assert info.n_texts == 110
    assert info.n_bytes == cache.path.stat().st_size
    assert cache.clear("a") == 100
    assert cache.info().embedders == {"b": 10}
    assert found_right(cache, TEXTS, signature="a") == []
    assert found_right(cache, TEXTS, signature="b") == TEXTS[:10]
    assert cache.clear() == 10
    assert cache.info().n_texts == 0
    store(cache, TEXTS, signature="a")
    assert found_right(cache, TEXTS, signature="a") == TEXTS


def test_clearing_shrinks_the_file(cache):
    store(cache, TEXTS, signature="a")
    small = cache.path.stat().st_size
    store(cache, TEXTS, d=20_000, signature="b")
    assert cache.path.stat().st_size > 8_000_000
    cache.clear("b")
    assert cache.path.stat().st_size <= 2 * small


def test_clear_of_an_unknown_embedder(cache):
    store(cache, TEXTS)
    with pytest.raises(
        InvalidParameterError, match=r"has features of: 'hash'\. Got 'hush' instead"
    ):
        cache.clear("hush")


# Its size


def test_rows_not_used_for_longest_go_first(tmp_path):
    cache = FeatureCache(tmp_path, max_bytes=2 << 20)
    batches = [[f"{batch} {i}" for i in range(50)] for batch in range(10)]
    for batch in batches[:6]:
        store(cache, batch, d=1280)  # 50 rows take a quarter of a MiB
    assert found_right(cache, batches[0], d=1280) == batches[0]
    for batch in batches[6:]:
        store(cache, batch, d=1280)
        assert cache.path.stat().st_size <= 2 << 20
        assert found_right(cache, batch, d=1280) == batch
    assert found_right(cache, batches[0], d=1280) == batches[0]
    assert found_right(cache, batches[1], d=1280) == []
    assert sound(cache)


def test_a_lower_limit_shrinks_the_file(tmp_path):
    texts = [f"text {i}" for i in range(1000)]
    store(FeatureCache(tmp_path), texts, d=1280)
    cache = FeatureCache(tmp_path, max_bytes=1 << 20)
    assert cache.path.stat().st_size > 5 << 20
    store(cache, ["one more"], d=1280)
    assert (1 << 20) * 0.9 < cache.path.stat().st_size <= 1 << 20
    assert found_right(cache, ["one more"], d=1280) == ["one more"]


def test_a_batch_larger_than_the_limit(tmp_path):
    cache = FeatureCache(tmp_path, max_bytes=1 << 20)
    texts = [f"text {i}" for i in range(1000)]
    store(cache, texts, d=1280)
    assert cache.path.stat().st_size <= 1 << 20
    assert 100 < len(found_right(cache, texts, d=1280)) < 210


@pytest.mark.parametrize("max_bytes", [0, 1.5e9, (1 << 20) - 1, "1"])
def test_a_limit_that_is_none(tmp_path, max_bytes):
    with pytest.raises(InvalidParameterError, match="'max_bytes' parameter of FeatureCache"):
        FeatureCache(tmp_path, max_bytes=max_bytes)


# Damage


@pytest.mark.parametrize("share", [0.001, 0.01, 0.3, 0.5, 0.9])
def test_truncated_file(cache, share):
    store(cache, TEXTS, d=1280)
    os.truncate(cache.path, int(cache.path.stat().st_size * share))
    with pytest.warns(MauveWarning, match="was damaged .* is now 'features.sqlite3.damaged'"):
        assert found_right(cache, TEXTS, d=1280) == []
    assert (cache.folder / "features.sqlite3.damaged").exists()
    store(cache, TEXTS, d=1280)
    assert found_right(cache, TEXTS, d=1280) == TEXTS
    assert sound(cache)


@pytest.mark.parametrize("lost", [1, 100, 5000])
def test_file_that_lost_its_last_bytes(cache, lost):
    store(cache, TEXTS, d=1280)
    os.truncate(cache.path, cache.path.stat().st_size - lost)
    assert 95 <= len(found_right(cache, TEXTS, d=1280)) < 100  # SQLite takes them for zeros
    store(cache, TEXTS, d=1280)
    assert found_right(cache, TEXTS, d=1280) == TEXTS


def test_empty_file(cache):
    store(cache, TEXTS)
    os.truncate(cache.path, 0)
    assert found_right(cache, TEXTS) == []
    store(cache, TEXTS)
    assert found_right(cache, TEXTS) == TEXTS


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
    assert found_right(cache, TEXTS) == TEXTS


def test_the_log_of_a_damaged_database_does_not_reach_the_new_one(cache):
    store(cache, TEXTS)
    with closing(sqlite3.connect(cache.path)) as db:  # the log stays while this is open
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (100,)
        store(cache, ["later"])
        logged = Path(f"{cache.path}-wal").read_bytes()
    cache.path.write_bytes(b"garbage" * 1000)
    Path(f"{cache.path}-wal").write_bytes(logged)
    with pytest.warns(MauveWarning, match="was damaged"):
        assert found_right(cache, [*TEXTS, "later"]) == []
    assert sound(cache)


def test_a_database_of_something_else(cache):
    cache.folder.mkdir()
    with closing(sqlite3.connect(cache.path)) as db:
        db.execute("CREATE TABLE entries (recipe TEXT)")
    with pytest.warns(MauveWarning, match="was damaged .table entries already exists"):
        store(cache, TEXTS)
    assert found_right(cache, TEXTS) == TEXTS


def test_tables_that_are_not_described_in_utf8(cache):
    store(cache, TEXTS)
    content = cache.path.read_bytes()
    cache.path.write_bytes(content.replace(b"CREATE TABLE entries", b"CREATE TAB\xff\xff entries"))
    with pytest.warns(MauveWarning, match="was damaged"):
        assert found_right(cache, TEXTS) == []


def test_flipped_byte_in_a_row_is_a_miss(cache):
    store(cache, TEXTS)
    content = cache.path.read_bytes()
    row = rows_of(TEXTS[7:8]).features.tobytes()
    flipped = row[:100] + bytes([row[100] ^ 1]) + row[101:]
    assert row in content
    cache.path.write_bytes(content.replace(row, flipped))
    assert found_right(cache, TEXTS) == TEXTS[:7] + TEXTS[8:]
    store(cache, TEXTS[7:8])
    assert found_right(cache, TEXTS) == TEXTS


def test_rows_that_changed_places_are_misses(cache):
    store(cache, TEXTS)
    with closing(sqlite3.connect(cache.path)) as db, db:
        db.execute("UPDATE vectors SET id = -id")
        db.execute("UPDATE vectors SET id = 101 + id")
    assert found_right(cache, TEXTS) == []


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
    assert found_right(cache, TEXTS[:2]) == TEXTS[1:2]


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
                n_read += len(found_right(cache, TEXTS, d=600)) > 0
                store(cache, TEXTS, d=600)
                # SQLite takes a page number that is far too high for a full disk.
                n_stuck += found_right(cache, TEXTS, d=600) != TEXTS
                cache.clear()
                cache = FeatureCache(cache.folder)
                store(cache, TEXTS, d=600)
                assert found_right(cache, TEXTS, d=600) == TEXTS
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
        assert found_right(guarded, ["new", *TEXTS]) == TEXTS
        assert guarded.info().n_texts == 100
        with pytest.warns(MauveWarning, match="cannot be used .* are computed and not kept"):
            store(guarded, ["new"])
        store(guarded, ["newer"])  # said once
        assert found_right(guarded, ["new", *TEXTS]) == TEXTS
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
        assert found_right(guarded, ["new", *TEXTS]) == TEXTS
        with pytest.warns(MauveWarning, match="attempt to write a readonly database"):
            store(guarded, ["new"])
        assert found_right(guarded, ["new", *TEXTS]) == TEXTS


def test_read_only_folder_with_a_damaged_database(guarded):
    guarded.path.write_bytes(b"garbage" * 1000)
    with nobody():
        with pytest.warns(MauveWarning, match="cannot be used .unable to open database file."):
            assert found_right(guarded, TEXTS) == []
        store(guarded, TEXTS)
    assert guarded.path.read_bytes() == b"garbage" * 1000


def test_folder_that_cannot_be_made(guarded, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for folder in (guarded.folder / "new", tmp_path / "file" / "cache", Path("/proc/mauve")):
        cache = FeatureCache(folder)
        with nobody():
            with pytest.warns(MauveWarning, match="cannot be used"):
                assert found_right(cache, TEXTS) == []
            store(cache, TEXTS)
            assert found_right(cache, TEXTS) == []


def test_folder_that_cannot_be_entered(guarded):
    guarded.folder.chmod(0)
    with nobody():
        with pytest.warns(MauveWarning, match="cannot be used"):
            assert found_right(guarded, TEXTS) == []
        store(guarded, TEXTS)


class SmallDisk(FeatureCache):
    """A cache whose database may have 40 pages, to SQLite the same as a full disk."""

    @contextmanager
    def _opened(self):
        with super()._opened() as db:
            db.execute("PRAGMA max_page_count = 40")
            yield db


def test_full_disk(tmp_path):
    cache = SmallDisk(tmp_path)
    store(cache, TEXTS)
    more = [f"more {i}" for i in range(1000)]
    with pytest.warns(MauveWarning, match="database or disk is full.*Make space"):
        store(cache, more, d=1280)
    store(cache, more, d=1280)  # said once
    assert found_right(cache, TEXTS) == TEXTS
    assert found_right(cache, more, d=1280) == []
    assert sound(cache)


def test_files_that_may_not_grow(tmp_path):
    done = run("fill", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cannot be used (disk I/O error). Make space" in done.stdout
    cache = FeatureCache(tmp_path)
    assert 0 < len(found_right(cache, many(20), d=1280)) < 2000
    assert sound(cache)


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
        assert found_right(cache, mine) == mine
        return len(found_right(cache, TEXTS))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(9)))
    assert max(found) == 100
    assert sound(cache)


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
    assert found_right(cache, TEXTS) == TEXTS


def test_threads_that_meet_a_damaged_database(cache):
    cache.folder.mkdir()
    cache.path.write_bytes(b"garbage" * 1000)

    def work(i):
        mine = TEXTS[i * 10 : i * 10 + 20]
        found_right(cache, TEXTS)
        store(cache, mine)
        return found_right(cache, mine) == mine

    with ThreadPoolExecutor(8) as pool, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = list(pool.map(work, range(9)))
    assert found == [True] * 9
    assert ["file is not a database" in str(warning.message) for warning in caught] == [True]
    assert found_right(cache, TEXTS) == TEXTS
    assert sound(cache)


def test_a_file_that_is_deleted_meanwhile(cache):
    store(cache, TEXTS)
    with closing(sqlite3.connect(cache.path)) as db:
        db.execute("SELECT count(*) FROM entries").fetchone()
        for file in cache.folder.iterdir():
            file.unlink()
        store(cache, TEXTS[:10])
        assert found_right(cache, TEXTS) == TEXTS[:10]
    assert found_right(cache, TEXTS) == TEXTS[:10]


def run(*arguments):
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=120)


def command(*arguments):
    return [sys.executable, "-W", "error", __file__, *map(str, arguments)]


def many(n_batches):
    return [f"{batch} {i}" for batch in range(n_batches) for i in range(100)]


def test_two_processes_write_and_read_at_once(tmp_path):
    processes = [
        subprocess.Popen(command("write", tmp_path, 1 << 30, first, 10), stderr=subprocess.PIPE)
        for first in (0, 0, 5)
    ]
    for process in processes:
        assert process.communicate(timeout=120)[1] == b""
        assert process.returncode == 0
    cache = FeatureCache(tmp_path)
    assert found_right(cache, many(15), d=1280) == many(15)
    assert cache.info().n_texts == 1500
    assert sound(cache)


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
        known = set(found_right(cache, texts, d=1280))
        if max_bytes == 1 << 30:
            # What was written is there, and of each batch all or none.
            assert n_batches == 0 or known >= set(many(written + 1))
            assert len(known) % 100 == 0
        store(cache, ["after"], d=1280)
        assert found_right(cache, ["after"], d=1280) == ["after"]
        assert sound(cache)
        first += n_batches
    assert len(known) > 200


def main(mode, folder, max_bytes=1 << 30, first=0, n_batches=20):
    cache = FeatureCache(Path(folder), int(max_bytes))
    if mode == "clear":
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        print(cache.clear())  # noqa: T201
        return
    if mode == "fill":
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_: print(message)  # noqa: T201
    print("ready", flush=True)  # noqa: T201
    for batch in range(int(first), int(first) + int(n_batches)):
        texts = [f"{batch} {i}" for i in range(100)]
        store(cache, texts, d=1280)
        print(batch, flush=True)  # noqa: T201
        found = found_right(cache, many(batch + 1)[-500:], d=1280)
        assert mode == "fill" or found[-100:] == texts


if __name__ == "__main__":
    main(*sys.argv[1:])
