"""Draw the texts that buckets are learnt from, and those that are tested, by their hashes alone."""

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from mauve.arrays import BoolArray, HashArray, IntArray
from mauve.engine.shards import Shard
from mauve.hashes import copy_keys, scramble_hashes, text_keys
from mauve.quantize.learning import deal, first_to_deal

_TEST_SALT = 1  # apart from the salts of the texts that are learnt from


@dataclass(frozen=True)
class Learning:
    """How many texts of a sample each of several clusterings is learnt from."""

    n_rows: int
    n_clusterings: int


@dataclass(frozen=True)
class DrawnTexts:
    """The texts of one sample that were drawn.

    Attributes
    ----------
    hashes : array of int, shape (m,)
        Copies of a text have one hash.
    keys : array of int, shape (m,)
        Key of each text, ascending; see :func:`mauve.hashes.text_keys`.
    learning : dict from Learning to array of int, shape (n_clusterings, n_rows)
        Positions among the drawn texts that each clustering is learnt from.
    tested : array of int
        Positions of those whose features are tested.
    digest : str
        Checksum of all texts of the sample, as :func:`mauve.hashes.digest_hashes` makes it.
    n_texts : int
        Number of texts of the sample.
    """

    hashes: HashArray
    keys: HashArray
    learning: dict[Learning, IntArray]
    tested: IntArray
    digest: str
    n_texts: int


@dataclass
class _Candidates:
    """Keys that may be drawn, of the hashes seen so far."""

    keys: HashArray = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    hashes: HashArray = field(default_factory=lambda: np.empty(0, dtype=np.uint64))

    def join(self, keys: HashArray, hashes: HashArray) -> None:
        self.keys = np.concatenate([self.keys, keys])
        self.hashes = np.concatenate([self.hashes, hashes])

    def keep(self, positions: IntArray) -> None:
        self.keys, self.hashes = self.keys[positions], self.hashes[positions]


def draw_texts(
    shards: Sequence[Shard],
    n_texts: int,
    learnings: Sequence[Learning],
    n_tested: int,
    seed: int,
    hashes_at_once: int = 1 << 22,
) -> DrawnTexts:
    """Draw texts of a sample; those learnt from are the ones that a comparison in memory draws.

    Parameters
    ----------
    shards : sequence of Shard
        Each holds sorted ``hashes``.
    n_texts : int
        Number of all texts.
    learnings : sequence of Learning
    n_tested : int
        Number of texts to test, or all if there are fewer.
    seed : int
        Random seed.
    hashes_at_once : int
        Bounds the memory.
    """
    digest = hashlib.blake2b(digest_size=4)
    of_learning = {learning: _Candidates() for learning in dict.fromkeys(learnings)}
    of_test = _Candidates()
    for hashes in sorted_hashes(shards, n_texts, hashes_at_once):
        digest.update(hashes.astype("<u8").tobytes())
        keys = text_keys(hashes)
        for learning, drawn in of_learning.items():
            drawn.join(keys, hashes)
            shape = learning.n_rows, learning.n_clusterings
            drawn.keep(first_to_deal(drawn.keys, *shape, n_texts, seed))
        of_test.join(keys, hashes)
        if len(of_test.keys) > n_tested:
            order = np.argpartition(scramble_hashes(of_test.keys, [seed, 0, _TEST_SALT]), n_tested)
            of_test.keep(np.sort(order[:n_tested]))
    parts = [*of_learning.values(), of_test]
    keys, first = np.unique(np.concatenate([part.keys for part in parts]), return_index=True)
    hashes = np.concatenate([part.hashes for part in parts])[first]

    def positions(drawn: _Candidates) -> IntArray:
        return np.searchsorted(keys, drawn.keys)

    return DrawnTexts(
        hashes,
        keys,
        {
            learning: positions(drawn)[
                deal(drawn.keys, learning.n_rows, learning.n_clusterings, seed)
            ]
            for learning, drawn in of_learning.items()
        },
        positions(of_test),
        digest.hexdigest(),
        n_texts,
    )


def sorted_hashes(
    shards: Sequence[Shard], n_texts: int, at_once: int = 1 << 22
) -> Iterator[HashArray]:
    """Yield the hashes of all shards in ascending order, range by range; copies are together.

    Parameters
    ----------
    shards : sequence of Shard
        Each holds sorted ``hashes``, which are about uniform.
    n_texts : int
        Number of all hashes.
    at_once : int
        Hashes to hold at once, about; all shards are read once for each range.
    """
    for columns in sorted_columns(shards, ["hashes"], n_texts, at_once):
        yield columns["hashes"]


def sorted_columns(
    shards: Sequence[Shard], names: Sequence[str], n_texts: int, at_once: int
) -> Iterator[dict[str, HashArray]]:
    """Yield ``hashes`` as :func:`sorted_hashes` does, and other arrays of the shards beside them.

    Copies are in the order of the shards.
    """
    n_ranges = max(1, -(-n_texts // at_once))
    ends = [(part << 64) // n_ranges for part in range(n_ranges + 1)]
    for low, high in itertools.pairwise(ends):
        found = _sorted_range(shards, names, low, high)
        if len(found["hashes"]):
            yield found


def _sorted_range(
    shards: Sequence[Shard], names: Sequence[str], low: int, high: int
) -> dict[str, HashArray]:
    """Return the hashes from `low` on and below `high`, and what is beside them, in order."""
    parts: dict[str, list[HashArray]] = {name: [] for name in names}
    for shard in shards:
        arrays, _ = shard.read()
        hashes = arrays["hashes"]
        start = np.searchsorted(hashes, np.uint64(low))
        stop = len(hashes) if high == 1 << 64 else np.searchsorted(hashes, np.uint64(high))
        for name, part in parts.items():
            part.append(arrays[name][start:stop])
    joined = {name: np.concatenate(part) for name, part in parts.items()}
    if len(joined) == 1:
        joined["hashes"].sort(kind="stable")
        return joined
    order = np.argsort(joined["hashes"], kind="stable")
    return {name: column[order] for name, column in joined.items()}


class Locator:
    """Finds the drawn texts in the shards of a sample, whose shards are passed in their order."""

    def __init__(self, hashes: HashArray, keys: HashArray) -> None:
        self._hashes = np.unique(hashes)
        self._seen = np.zeros(len(self._hashes), dtype=np.int64)
        self._by_key = np.argsort(keys)
        self._keys = keys[self._by_key]
        #: Number of drawn texts that are not found yet.
        self.n_missing = len(keys)

    def find(self, hashes: HashArray, order: IntArray) -> tuple[IntArray, IntArray]:
        """Return the rows of a shard that hold drawn texts, and which ones they are.

        Parameters
        ----------
        hashes : array of int, shape (n,)
            Of the shard, sorted; copies in the order of their rows.
        order : array of int, shape (n,)
            The row of each hash.

        Returns
        -------
        rows, drawn : arrays of int
            Rows of the shard, ascending, and the position of each among the drawn texts.
        """
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        hits = np.flatnonzero(self._hashes[at] == hashes)
        which = at[hits]
        first = np.searchsorted(which, which)  # of the copies of a text in this shard
        copies = self._seen[which] + np.arange(len(which)) - first
        np.add.at(self._seen, which, 1)
        keys = copy_keys(hashes[hits], copies)
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        is_drawn: BoolArray = self._keys[found] == keys
        rows, drawn = order[hits[is_drawn]], self._by_key[found[is_drawn]]
        self.n_missing -= len(rows)
        by_row = np.argsort(rows)
        return rows[by_row].astype(np.int64), drawn[by_row]
