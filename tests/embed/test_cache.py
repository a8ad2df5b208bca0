"""Rows come back as they were stored, and old ones go when the cache is full."""

import pwd
import sqlite3
import stat
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from cache_rows import TEXTS, is_sound, right_texts, rows_of, store
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mauve.embed.cache import CacheInfo, FeatureCache, default_folder
from mauve.embed.protocol import Embedded
from mauve.errors import InvalidParameterError, MauveError

ODD_TEXTS = ["", "\0", "a\0b", "é", "e\u0301", "😀", "\ud83d\ude00", "\ud83d", "\udfff\ud800", " a"]


@pytest.fixture
def cache(tmp_path):
    return FeatureCache(tmp_path / "cache")


# Rows


def test_rows_come_back_in_the_order_of_the_texts(cache):
    store(cache, TEXTS)
    mixed = ["new", *TEXTS[::-3], "newer"]
    known, rows = FeatureCache(cache.folder).lookup("hash", mixed)
    assert known.tolist() == list(range(1, len(mixed) - 1))
    assert (rows.features.dtype, rows.n_tokens.dtype) == (np.float32, np.int64)
    assert right_texts(cache, mixed) == TEXTS[::-3]


def test_nothing_known(cache):
    known, rows = cache.lookup("hash", TEXTS)
    assert (len(known), len(rows)) == (0, 0)
    assert len(cache.lookup("hash", [])[0]) == 0


@pytest.mark.slow
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
        known, cached = cache.lookup(signature, texts)
        assert len(cache.lookup(signature + "x", texts)[0]) == 0
    assert known.tolist() == list(range(n))
    assert cached.features.tobytes() == rows.features.tobytes()  # NaN is equal to itself here
    assert cached.n_tokens.tolist() == rows.n_tokens.tolist()
    assert cached.truncated.tolist() == rows.truncated.tolist()


def test_signature_and_text_do_not_run_together(cache):
    store(cache, ["bc"], signature="a")
    assert right_texts(cache, ["c"], signature="ab") == []
    assert right_texts(cache, ["abc"], signature="") == []


def test_equal_texts(cache):
    store(cache, ["a", "b", "a"])
    assert cache.info().n_texts == 2
    assert right_texts(cache, ["a", "c", "a", "b"]) == ["a", "a", "b"]


def test_the_last_row_of_a_text_counts(cache):
    cache.store("hash", TEXTS, rows_of(TEXTS[::-1]))
    store(cache, TEXTS)
    assert right_texts(cache, TEXTS) == TEXTS
    with closing(sqlite3.connect(cache.path)) as db:
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (100,)


@pytest.mark.parametrize("kind", ["float64", ">f4", "float16"])
def test_other_number_types_are_kept_as_float32(cache, kind):
    features = np.asfortranarray([[0.5, -2], [1, 3]], dtype=kind)
    cache.store("s", ["a", "b"], Embedded(features, np.array([-1, -1]), np.array([False, True])))
    rows = cache.lookup("s", ["a", "b"])[1]
    assert rows.features.dtype == np.float32
    assert rows.features.tolist() == [[0.5, -2], [1, 3]]
    assert rows.n_tokens.tolist() == [-1, -1]


def test_rows_of_another_width_are_missing(cache):
    store(cache, ["a"], d=3)
    store(cache, ["b"], d=4)
    known, rows = cache.lookup("hash", ["a", "b"])
    assert (len(known), len(rows)) == (1, 1)


def test_wrong_number_of_rows(cache):
    with pytest.raises(InvalidParameterError, match=r"must be 2, one for each text\. Got 1 inst"):
        cache.store("hash", ["a", "b"], rows_of(["a"]))


# Folder


@pytest.fixture
def user(monkeypatch):
    """Return a function that sets variables of the environment, for a user without others."""
    for name in ("MAUVE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    return lambda **variables: [monkeypatch.setenv(*item) for item in variables.items()]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep caches elsewhere")
@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"MAUVE_CACHE": "/m", "XDG_CACHE_HOME": "/x"}, "/m"),
        ({"MAUVE_CACHE": "", "XDG_CACHE_HOME": "/x"}, "/x/mauve"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/mauve"),
        ({}, "/home/me/.cache/mauve"),
    ],
)
def test_default_folder(user, environ, folder):
    user(**environ)
    assert default_folder() == Path(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems look elsewhere for a home")
def test_no_home_folder(user, monkeypatch):
    def unknown(uid):
        raise KeyError(uid)  # as for a user number that a container was given

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(MauveError, match=r"no home folder\. Set MAUVE_CACHE"):
        default_folder()
    user(XDG_CACHE_HOME="/x")
    assert default_folder() == Path("/x/mauve")


def test_folder_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "elsewhere"))
    store(FeatureCache(), TEXTS)
    assert right_texts(FeatureCache(tmp_path / "elsewhere"), TEXTS) == TEXTS


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
    assert right_texts(cache, TEXTS) == TEXTS
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
    assert right_texts(cache, TEXTS, signature="a") == []
    assert right_texts(cache, TEXTS, signature="b") == TEXTS[:10]
    assert cache.clear() == 10
    assert cache.info().n_texts == 0
    store(cache, TEXTS, signature="a")
    assert right_texts(cache, TEXTS, signature="a") == TEXTS


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


# Size


def test_rows_not_used_for_longest_go_first(tmp_path):
    cache = FeatureCache(tmp_path, max_bytes=2 << 20)
    batches = [[f"{batch} {i}" for i in range(50)] for batch in range(10)]
    for batch in batches[:6]:
        store(cache, batch, d=1280)  # 50 rows take a quarter of a MiB
    assert right_texts(cache, batches[0], d=1280) == batches[0]
    for batch in batches[6:]:
        store(cache, batch, d=1280)
        assert cache.path.stat().st_size <= 2 << 20
        assert right_texts(cache, batch, d=1280) == batch
    assert right_texts(cache, batches[0], d=1280) == batches[0]
    assert right_texts(cache, batches[1], d=1280) == []
    assert is_sound(cache)


def test_a_lower_limit_shrinks_the_file(tmp_path):
    texts = [f"text {i}" for i in range(1000)]
    store(FeatureCache(tmp_path), texts, d=1280)
    cache = FeatureCache(tmp_path, max_bytes=1 << 20)
    assert cache.path.stat().st_size > 5 << 20
    store(cache, ["one more"], d=1280)
    assert (1 << 20) * 0.9 < cache.path.stat().st_size <= 1 << 20
    assert right_texts(cache, ["one more"], d=1280) == ["one more"]


def test_a_batch_larger_than_the_limit(tmp_path):
    cache = FeatureCache(tmp_path, max_bytes=1 << 20)
    texts = [f"text {i}" for i in range(1000)]
    store(cache, texts, d=1280)
    assert cache.path.stat().st_size <= 1 << 20
    assert 100 < len(right_texts(cache, texts, d=1280)) < 210


@pytest.mark.parametrize("max_bytes", [0, 1.5e9, (1 << 20) - 1, "1"])
def test_a_limit_that_is_none(tmp_path, max_bytes):
    with pytest.raises(InvalidParameterError, match="'max_bytes' parameter of FeatureCache"):
        FeatureCache(tmp_path, max_bytes=max_bytes)
