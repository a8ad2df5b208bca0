"""Hash features, so that results do not depend on the order in which texts are passed."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import Features, HashArray, IntArray

_CHUNK = 1024  # rows copied or hashed at a time


def content_keys(features: Features) -> HashArray:
    """Hash each row of `features`, shape (n, d), to 64 bits.

    Random choices about a text depend on its key alone, so results depend neither on the
    order of the texts nor on which sample is called human.

    Examples
    --------
    >>> rows = np.array([[1, 2], [3, 4], [1, 2]], dtype=np.float32)
    >>> keys = content_keys(rows)
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    d = features.shape[1]
    weights = np.random.default_rng(d).integers(1 << 63, size=d, dtype=np.uint64) * 2 + 1
    # Adding zero turns -0.0 into 0.0, which has other bits.
    bits = (features + np.float32(0)).view(np.uint32)
    return mix_keys(bits.astype(np.uint64) @ weights, 0)


def mix_keys(keys: HashArray, seed: int) -> HashArray:
    """Scramble keys with a random seed (the finaliser of SplitMix64).

    Examples
    --------
    >>> same = np.zeros(2, dtype=np.uint64)
    >>> len(set(mix_keys(same, 1)) | set(mix_keys(same, 2)))
    2
    """
    salt = np.random.default_rng(seed).integers(1 << 63, dtype=np.uint64)
    z = keys ^ np.uint64(salt)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def count_distinct(features: Features) -> int:
    """Return how many rows of `features`, shape (n, d), differ.

    Examples
    --------
    >>> count_distinct(np.array([[1, 2], [3, 4], [1, 2]], dtype=np.float32))
    2
    """
    keys = [content_keys(_float32(chunk)) for chunk in _chunks(features)]
    return len(np.unique(np.concatenate(keys))) if keys else 0


def pool_by_content(
    samples: Sequence[NDArray[Any]], keys: HashArray | None = None
) -> tuple[Features, HashArray, IntArray]:
    """Concatenate the rows of all samples and sort them by content key.

    Parameters
    ----------
    samples : sequence of array of shape (n, d)
    keys : array of int, shape (n_all,), optional
        Key of every row; :func:`content_keys` by default.

    Returns
    -------
    features : array of float32, shape (n_all, d)
        A copy, sorted by key.
    keys : array of int, shape (n_all,)
        Key of every row, in the order of the samples.
    position : array of int, shape (n_all,)
        Row of `features` that each text went to: ``features[position]`` has the order of the
        samples.

    Examples
    --------
    >>> human, system = np.eye(2, dtype=np.float32), np.ones((1, 2), dtype=np.float32)
    >>> features, _, position = pool_by_content([human, system])
    >>> features[position].tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    n_all = sum(len(sample) for sample in samples)
    chunks = [chunk for sample in samples for chunk in _chunks(sample)]
    if keys is None:
        keys = np.concatenate([content_keys(_float32(chunk)) for chunk in chunks])
    position = np.empty(n_all, dtype=np.int64)
    position[np.argsort(keys, kind="stable")] = np.arange(n_all)
    features = np.empty((n_all, samples[0].shape[1]), dtype=np.float32)
    start = 0
    for chunk in chunks:  # each row straight to its place: no second copy of all rows
        features[position[start : start + len(chunk)]] = chunk
        start += len(chunk)
    return features, keys, position


def _chunks(rows: NDArray[Any]) -> Iterator[NDArray[Any]]:
    return (rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK))


def _float32(chunk: NDArray[Any]) -> Features:
    return np.ascontiguousarray(chunk, dtype=np.float32)
