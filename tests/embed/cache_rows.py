"""Rows for the tests of the cache, and a program that writes them until it is stopped."""

import hashlib
import resource
import sqlite3
import sys
import warnings
from contextlib import closing
from pathlib import Path

import numpy as np

from mauve.embed.cache import FeatureCache
from mauve.embed.protocol import Embedded

TEXTS = [f"text {i}" for i in range(100)]


def rows_of(texts, d=64):
    """Return rows that any process can compute from the texts alone."""
    digests = [hashlib.shake_128(t.encode("utf-8", "surrogatepass")).digest(2 * d) for t in texts]
    features = np.frombuffer(b"".join(digests), "<u2").reshape(len(texts), d)
    n_tokens = np.array([len(text) for text in texts], np.int64)
    return Embedded(features.astype(np.float32) / 7, n_tokens, n_tokens % 2 == 1)


def store(cache, texts, d=64, signature="hash"):
    cache.store(signature, texts, rows_of(texts, d))


def right_texts(cache, texts, d=64, signature="hash"):
    """Return the texts that are cached, after a check of every number of their rows."""
    known, rows = cache.lookup(signature, texts)
    expected = rows_of([texts[i] for i in known], d)
    if len(known):  # of none, the cache does not know how many features they would have
        np.testing.assert_array_equal(rows.features, expected.features)
    np.testing.assert_array_equal(rows.n_tokens, expected.n_tokens)
    np.testing.assert_array_equal(rows.truncated, expected.truncated)
    return [texts[i] for i in known]


def is_sound(cache):
    with closing(sqlite3.connect(cache.path)) as db:
        return db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def many(n_batches):
    return [f"{batch} {i}" for batch in range(n_batches) for i in range(100)]


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
        cached = right_texts(cache, many(batch + 1)[-500:], d=1280)
        assert mode == "fill" or cached[-100:] == texts


if __name__ == "__main__":
    main(*sys.argv[1:])
