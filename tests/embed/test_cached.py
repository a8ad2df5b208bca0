"""An embedder with a cache returns the same features and embeds each text once."""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.embed.cache import FeatureCache
from mauve.embed.cached import CachedEmbedder
from mauve.embed.protocol import Embedded, Embedder
from mauve.errors import InvalidParameterError, MauveWarning

TEXTS = [f"text {i} " + "x" * (i % 7) for i in range(50)]


class HashEmbedder:
    """Turns the bytes of texts into features, and records the texts of each call."""

    def __init__(self, d=16, steps=1):
        self.d = d
        self.steps = steps
        self.calls = []

    @property
    def signature(self):
        return "hash"

    def embed(self, texts, on_progress=None):
        self.calls.append(list(texts))
        raw = [hashlib.shake_128(t.encode("utf-8", "surrogatepass")).digest(self.d) for t in texts]
        features = np.frombuffer(b"".join(raw), np.uint8).reshape(len(texts), self.d)
        for step in range(self.steps if on_progress else 0):
            on_progress("hashing", step + 1, self.steps)
        n_tokens = np.array([len(text) for text in texts], np.int64)
        return Embedded(features.astype(np.float32) / 3, n_tokens, n_tokens > 10)

    @property
    def texts(self):
        return [text for call in self.calls for text in call]


class Fixed:
    """Returns what it was given, whatever the texts."""

    signature = "fixed"

    def __init__(self, features, n_tokens=None, truncated=None):
        n = len(features)
        self.rows = Embedded(
            np.asarray(features),
            np.zeros(n, np.int64) if n_tokens is None else np.asarray(n_tokens),
            np.zeros(n, np.bool_) if truncated is None else np.asarray(truncated),
        )

    def embed(self, texts, on_progress=None):
        return self.rows


def same(embedded, texts, d=16):
    expected = HashEmbedder(d).embed(texts)
    np.testing.assert_array_equal(embedded.features, expected.features)
    np.testing.assert_array_equal(embedded.n_tokens, expected.n_tokens)
    np.testing.assert_array_equal(embedded.truncated, expected.truncated)
    return embedded.features.dtype == np.float32


@pytest.fixture
def cache(tmp_path):
    return FeatureCache(tmp_path / "cache")


def test_it_is_an_embedder_with_the_same_signature(cache):
    embedder = CachedEmbedder(HashEmbedder(), cache)
    assert isinstance(embedder, Embedder)
    assert embedder.signature == "hash"


def test_a_text_is_embedded_once(cache):
    inner = HashEmbedder()
    assert same(CachedEmbedder(inner, cache).embed(TEXTS[:30]), TEXTS[:30])
    assert sorted(inner.texts) == sorted(TEXTS[:30])
    mixed = TEXTS[::-1] + TEXTS[20:40]
    assert same(CachedEmbedder(inner, cache).embed(mixed), mixed)
    assert sorted(inner.texts) == sorted(TEXTS)
    assert same(CachedEmbedder(inner, cache).embed(mixed), mixed)
    assert sorted(inner.texts) == sorted(TEXTS)
    assert cache.info().embedders == {"hash": 50}


@pytest.mark.slow
@given(st.lists(st.lists(st.text(st.characters(), max_size=3), min_size=1), min_size=1, max_size=3))
@settings(max_examples=25, deadline=None)
def test_any_texts_in_any_order(calls):
    with tempfile.TemporaryDirectory() as folder:
        inner = HashEmbedder()
        embedder = CachedEmbedder(inner, FeatureCache(Path(folder)), chunk_size=2)
        for texts in calls:
            assert same(embedder.embed(texts), texts)
        distinct = {text for texts in calls for text in texts}
        assert sorted(inner.texts) == sorted(distinct)


def test_longest_texts_go_first_in_chunks(cache):
    inner = HashEmbedder()
    CachedEmbedder(inner, cache, chunk_size=20).embed(TEXTS)
    assert [len(call) for call in inner.calls] == [16, 20, 14]
    lengths = [len(text) for text in inner.texts]
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("steps", [0, 1, 4, 20])
def test_progress_counts_texts(cache, steps):
    CachedEmbedder(HashEmbedder(), cache).embed(TEXTS[:10])
    seen = []
    embedder = CachedEmbedder(HashEmbedder(steps=steps), cache, chunk_size=20)
    embedder.embed([*TEXTS, *TEXTS[45:]], lambda *report: seen.append(report))
    done = [done for _, done, _ in seen]
    assert seen[0] == ("embedding", 15, 55)  # 10 are known, 5 come twice
    assert seen[-1] == ("embedding", 55, 55)
    assert [what for what, _, _ in seen].count("hashing") == 3 * steps
    assert done == sorted(done)
    assert {31, 51, 55} <= set(done)
    assert {total for _, _, total in seen} == {55}


def test_progress_where_all_is_known(cache):
    embedder = CachedEmbedder(HashEmbedder(), cache)
    embedder.embed(TEXTS)
    seen = []
    embedder.embed(TEXTS, lambda *report: seen.append(report))
    assert seen == [("embedding", 50, 50)]


def test_other_number_types_become_those_promised(cache):
    embedder = CachedEmbedder(Fixed(np.array([[0.1, 2.0]]), [3], [1]), cache)
    for _ in range(2):
        embedded = embedder.embed(["a"])
        assert (embedded.features.dtype, embedded.truncated.dtype) == (np.float32, np.bool_)
        assert embedded.features.tolist() == [[np.float32(0.1), 2.0]]


@pytest.mark.parametrize(
    ("features", "more", "message"),
    [
        ([[1.0]], {}, r"the shapes \(1, 1\), \(1,\) and \(1,\) for 2 texts instead"),
        ([[1.0]] * 3, {}, "must return one row of features"),
        ([1.0, 2.0], {}, r"the shapes \(2,\), "),
        ([[1.0]] * 2, {"n_tokens": [1]}, "one number of tokens"),
        ([[1.0]] * 2, {"n_tokens": 1}, "one number of tokens"),
        ([[1.0]] * 2, {"truncated": [True] * 3}, "and one flag for each text"),
        ([[1.0], [np.nan]], {}, "NaN, infinity or a larger number for 1 of 2 texts"),
        ([[-np.inf], [np.nan]], {}, "The embedder 'fixed' must return finite numbers"),
        ([[1e39], [0.0]], {}, "larger number for 1 of 2 texts"),
    ],
)
def test_bad_features_are_not_kept(cache, features, more, message):
    with pytest.raises(InvalidParameterError, match=message):
        CachedEmbedder(Fixed(features, **more), cache).embed(["a", "b"])
    assert cache.info().n_texts == 0


def test_an_embedder_that_changed_under_its_signature(cache):
    CachedEmbedder(HashEmbedder(d=3), cache).embed(["a"])
    changed = CachedEmbedder(HashEmbedder(d=4), cache)
    with pytest.raises(InvalidParameterError, match=r"return 3 features .* as it did before"):
        changed.embed(["a", "b"])
    cache.clear("hash")
    assert same(changed.embed(["a", "b"]), ["a", "b"], d=4)


def test_chunk_size_is_checked(cache):
    with pytest.raises(InvalidParameterError, match="'chunk_size' parameter of CachedEmbedder"):
        CachedEmbedder(HashEmbedder(), cache, chunk_size=0)


def test_what_was_embedded_before_an_error_is_kept(cache):
    class Failing(HashEmbedder):
        def embed(self, texts, on_progress=None):
            if len(self.calls) == 2:
                raise ConnectionError("lost")
            return super().embed(texts, on_progress)

    with pytest.raises(ConnectionError, match="lost"):
        CachedEmbedder(Failing(), cache, chunk_size=10).embed(TEXTS)
    inner = HashEmbedder()
    assert same(CachedEmbedder(inner, cache).embed(TEXTS), TEXTS)
    assert len(inner.texts) == 30


@pytest.mark.slow
def test_a_killed_run_keeps_its_chunks(cache):
    command = [sys.executable, __file__, str(cache.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.wait(timeout=120)
    assert process.returncode == -signal.SIGKILL
    inner = HashEmbedder()
    assert same(CachedEmbedder(inner, cache).embed(TEXTS), TEXTS)
    assert len(inner.texts) == 20


def test_a_cache_that_cannot_be_used_costs_nothing_but_a_warning(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    embedder = CachedEmbedder(HashEmbedder(), FeatureCache(tmp_path / "file"), chunk_size=10)
    with pytest.warns(MauveWarning, match="cannot be used") as caught:
        embedded = embedder.embed(TEXTS)
    assert len(caught) == 1
    assert same(embedded, TEXTS)
    assert same(embedder.embed(TEXTS), TEXTS)


def test_a_damaged_cache_is_computed_again(cache):
    embedder = CachedEmbedder(HashEmbedder(), cache)
    embedder.embed(TEXTS)
    cache.path.write_bytes(b"garbage" * 1000)
    with pytest.warns(MauveWarning, match="was damaged"):
        assert same(embedder.embed(TEXTS), TEXTS)
    assert same(embedder.embed(TEXTS), TEXTS)
    assert len(embedder.embedder.texts) == 2 * len(TEXTS)


@pytest.mark.parametrize("seconds", [0.02, 0.1])
def test_chunks_take_the_time_they_should(cache, seconds):
    inner = Slow()
    CachedEmbedder(inner, cache, chunk_seconds=seconds).embed([f"text {i}" for i in range(150)])
    sizes = [len(call) for call in inner.calls]
    # At 2 ms a text, which a busy machine makes slower, chunks have at most 10 or 50 texts after
    # the first.
    assert sizes[0] == 16
    assert max(sizes[1:]) <= seconds / Slow.seconds


def test_chunks_are_made_of_whole_batches(cache):
    inner = Slow()
    inner.batch_size = 24
    CachedEmbedder(inner, cache, chunk_seconds=0.05).embed([f"text {i}" for i in range(100)])
    assert [len(call) for call in inner.calls] == [24, 24, 24, 24, 4]


@pytest.mark.parametrize("batch_size", [None, 0, "auto"])
def test_a_batch_size_that_is_no_number_of_texts_is_ignored(cache, batch_size):
    inner = HashEmbedder()
    inner.batch_size = batch_size
    assert same(CachedEmbedder(inner, cache).embed(TEXTS), TEXTS)


def test_chunk_seconds_are_checked(cache):
    with pytest.raises(InvalidParameterError, match="'chunk_seconds' parameter of CachedEmbedder"):
        CachedEmbedder(HashEmbedder(), cache, chunk_seconds=0)


@pytest.mark.slow
def test_a_run_killed_at_any_time_loses_the_work_of_one_chunk(cache):
    texts = [f"text {i}" for i in range(2000)]  # 4 s of work
    with _embedding(cache, "0.2") as process:
        for _ in range(60):  # until a second of work is done
            process.stdout.readline()
        process.kill()
    assert process.returncode == -signal.SIGKILL
    inner = HashEmbedder()
    assert same(CachedEmbedder(inner, cache).embed(texts), texts)
    n_reported = 60 * Slow.step  # all of them are kept, but for one chunk of 0.2 s
    assert 0 < len(inner.texts) <= len(texts) - n_reported + 0.2 / Slow.seconds


@pytest.mark.slow
def test_two_processes_share_a_cache_while_they_embed(cache):
    texts = [f"text {i}" for i in range(2000)]
    processes = [_embedding(cache, "0.1") for _ in range(2)]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    inner = HashEmbedder()
    assert same(CachedEmbedder(inner, cache).embed(texts), texts)
    assert inner.texts == []


def _embedding(cache, chunk_seconds):
    command = [sys.executable, __file__, str(cache.folder), chunk_seconds]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class Slow(HashEmbedder):
    """Takes two milliseconds a text, and prints a line after every few."""

    seconds = 0.002
    step = 10

    def embed(self, texts, on_progress=None):
        for i in range(len(texts)):
            time.sleep(self.seconds)
            if on_progress is not None and (i + 1) % self.step == 0:
                sys.stdout.write(f"{i + 1}\n")
                sys.stdout.flush()
        return super().embed(texts, on_progress)


class Killed(HashEmbedder):
    """Ends its process in the fourth call."""

    def embed(self, texts, on_progress=None):
        if len(self.calls) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts, on_progress)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    if len(sys.argv) == 2:
        CachedEmbedder(Killed(), FeatureCache(folder), chunk_size=10).embed(TEXTS)
    else:
        embedder = CachedEmbedder(Slow(), FeatureCache(folder), chunk_seconds=float(sys.argv[2]))
        embedder.embed([f"text {i}" for i in range(2000)], lambda *_: None)
