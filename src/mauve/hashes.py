"""Hash texts and features to 64 bits.

Everything random about a text follows from its hash, so results depend neither on the order of
the texts nor on the sample that is called human.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import HashArray, IntArray

_CHUNK = 1024  # rows hashed at a time: a mapped file may be larger than memory
_STEP = np.uint64(0x9E3779B97F4A7C15)  # between the keys of the copies of a text


def text_hashes(texts: Sequence[str]) -> HashArray:
    """Hash each text.

    Examples
    --------
    >>> first, second, third = text_hashes(["a", "b", "a"])
    >>> bool(first == third), bool(first == second)
    (True, False)
    """
    digests = (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def feature_hashes(features: NDArray[Any]) -> HashArray:
    """Hash each row of `features`, shape (n, d), as 32-bit numbers.

    Examples
    --------
    >>> hashes = feature_hashes(np.array([[1, 2], [3, 4], [1, 2]]))
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """
    n, d = features.shape
    weights = np.random.default_rng(d).integers(1 << 63, size=d, dtype=np.uint64) * 2 + 1
    hashes = np.empty(n, dtype=np.uint64)
    for start in range(0, n, _CHUNK):
        rows = np.ascontiguousarray(features[start : start + _CHUNK], dtype=np.float32)
        # Adding zero turns -0.0 into 0.0, which has other bits.
        bits = (rows + np.float32(0)).view(np.uint32)
        hashes[start : start + _CHUNK] = bits.astype(np.uint64) @ weights
    return scramble_hashes(hashes, 0)


def digest_hashes(hashes: HashArray, prompts: HashArray | None = None, *, n_bytes: int = 4) -> str:
    """Return a checksum of the texts of a sample that does not depend on their order.

    Parameters
    ----------
    hashes : array of int, shape (n,)
        A hash of every text.
    prompts : array of int, shape (n,), optional
        A hash of the prompt that each text answers.
    n_bytes : int
        Length of the checksum, which is written in twice as many hexadecimal digits.

    Examples
    --------
    >>> one, other = text_hashes(["a", "b"]), text_hashes(["b", "a"])
    >>> digest_hashes(one) == digest_hashes(other), len(digest_hashes(one))
    (True, 8)
    >>> digest_hashes(one, prompts=one) == digest_hashes(one, prompts=other)
    False
    """
    columns = [hashes] if prompts is None else [hashes, prompts]
    rows = np.stack(columns)[:, np.lexsort(columns[::-1])].astype("<u8")
    return hashlib.blake2b(rows.tobytes(), digest_size=n_bytes).hexdigest()


def scramble_hashes(hashes: HashArray, seed: int | list[int]) -> HashArray:
    """Scramble hashes with a random seed (the finaliser of SplitMix64).

    Examples
    --------
    >>> same = np.zeros(2, dtype=np.uint64)
    >>> len(set(scramble_hashes(same, 1)) | set(scramble_hashes(same, 2)))
    2
    """
    salt = np.random.default_rng(seed).integers(1 << 63, dtype=np.uint64)
    z = hashes ^ np.uint64(salt)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def text_keys(hashes: HashArray, prompts: HashArray | None = None) -> HashArray:
    """Return a key for every text, by which texts are put into a random order.

    Copies of a text have different keys: a source that repeats itself must be drawn like any
    other.

    Parameters
    ----------
    hashes : array of int, shape (n,)
        A hash of every text.
    prompts : array of int, shape (n,), optional
        A hash of the prompt that each text answers, where copies are not of one prompt.

    Examples
    --------
    >>> keys = text_keys(np.array([7, 7, 3], dtype=np.uint64))
    >>> int(keys[0]), len(np.unique(keys))
    (7, 3)
    """
    if prompts is not None:
        hashes = hashes ^ scramble_hashes(prompts, 1)
    order = np.argsort(hashes, kind="stable")
    is_first = np.diff(hashes[order], prepend=~hashes[order[:1]]) != 0
    start = np.maximum.accumulate(np.where(is_first, np.arange(len(hashes)), 0))
    keys = np.empty_like(hashes)
    keys[order] = copy_keys(hashes[order], np.arange(len(hashes)) - start)
    return keys


def copy_keys(hashes: HashArray, copies: IntArray) -> HashArray:
    """Return the keys of texts of which so many copies come before.

    Examples
    --------
    >>> hashes = np.array([7, 7], dtype=np.uint64)
    >>> bool((copy_keys(hashes, np.arange(2)) == text_keys(hashes)).all())
    True
    """
    return hashes + copies.astype(np.uint64) * _STEP


def count_distinct(features: NDArray[Any]) -> int:
    """Return how many rows of `features`, shape (n, d), differ.

    Examples
    --------
    >>> count_distinct(np.array([[1, 2], [3, 4], [1, 2]]))
    2
    """
    return len(np.unique(feature_hashes(features)))
