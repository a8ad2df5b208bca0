"""Exact n-grams of many texts by sorting: equal ones side by side, without a loop over tokens.

The places of all n-grams are kept in the order of their n-grams. Those of length n + 1 follow
from those of length n by one stable sort by the token in front, as in a radix sort, so each
length takes linear time and no n-gram is ever hashed or packed into a key that could overflow.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, IntArray, IntegerArray
from mauve.measures.protocol import TokenTable

_DIGIT = 16


@dataclass(frozen=True)
class Counts:
    """How often each n-gram of one length occurs in each unit, zeros left out.

    Attributes
    ----------
    firsts : array of int, shape (n_grams,)
        Where the pairs of each n-gram begin.
    units : array of int, shape (n_pairs,)
        Rising within an n-gram.
    counts : array of int, shape (n_pairs,)
    """

    firsts: IntArray
    units: NDArray[np.int32]
    counts: IntArray

    @property
    def spread(self) -> IntArray:
        """In how many units each n-gram occurs, as an array of shape (n_grams,)."""
        return np.diff(self.firsts, append=len(self.units))

    @property
    def grams(self) -> IntArray:
        """The n-gram of each pair, as an array of shape (n_pairs,)."""
        return np.repeat(np.arange(len(self.firsts)), self.spread)

    @property
    def totals(self) -> IntArray:
        """How often each n-gram occurs in all units, as an array of shape (n_grams,)."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray(np.diff(ends[np.append(self.firsts, len(self.units))]), dtype=np.int64)


@dataclass(frozen=True)
class Ngrams:
    """All n-grams of one length of a table, equal ones side by side.

    Attributes
    ----------
    table : TokenTable
    units : array of int32, shape (n_tokens,)
        The unit that each token is in: its text, or a group of texts.
    places : array of int, shape (n,)
        Where in the table each n-gram begins, in the order of n-grams, then of units.
    numbers : array of int, shape (n,)
        The number of each n-gram, rising from 0; equal ones have the same.

    Examples
    --------
    >>> table = TokenTable.of([[5, 6, 5, 6], [6, 5]], 7)
    >>> pairs = ngrams(table, 2)
    >>> [table.ids[place : place + 2].tolist() for place in pairs.places]
    [[5, 6], [5, 6], [6, 5], [6, 5]]
    >>> pairs.numbers.tolist()
    [0, 0, 1, 1]
    """

    table: TokenTable
    units: NDArray[np.int32]
    places: NDArray[np.signedinteger]
    numbers: NDArray[np.signedinteger]

    def counts(self) -> Counts:
        """Count each n-gram in each unit.

        Examples
        --------
        >>> found = ngrams(TokenTable.of([[5, 6, 5, 6], [6, 5]], 7), 2).counts()
        >>> found.grams.tolist(), found.units.tolist(), found.counts.tolist()
        ([0, 1, 1], [0, 0, 1], [2, 1, 1])
        """
        units = self.units[self.places]
        is_new = _changes(self.numbers)
        pairs = np.flatnonzero(is_new | _changes(units))
        return Counts(
            np.flatnonzero(is_new[pairs]), units[pairs], np.diff(pairs, append=len(units))
        )

    def longer(self, keep: BoolArray | None = None) -> "Ngrams":
        """Return the n-grams one token longer.

        Parameters
        ----------
        keep : array of bool, shape (n_grams,), optional
            Whether to go on with those that end in each n-gram.

        Examples
        --------
        >>> words = ngrams(TokenTable.of([[5, 6, 5, 6], [6, 5]], 7), 1)
        >>> words.longer().numbers.tolist()
        [0, 0, 1, 1]
        >>> words.longer(np.array([False, True])).places.tolist()  # only those that end in 6
        [0, 2]
        """
        is_start = np.zeros(len(self.table.ids) + 1, dtype=bool)
        is_start[self.table.starts] = True
        found = ~is_start[self.places]
        if keep is not None:
            found &= keep[self.numbers]
        return self._sorted(self.places[found] - 1, self.numbers[found])

    def _sorted(
        self, places: NDArray[np.signedinteger], numbers: NDArray[np.signedinteger]
    ) -> "Ngrams":
        """Sort places in the order of `numbers` by the token there, and number them afresh."""
        tokens = self.table.ids[places]
        order = _stable_order(tokens, self.table.vocabulary_size)
        is_new = _changes(tokens[order]) | _changes(numbers[order])
        fresh = np.cumsum(is_new, dtype=places.dtype) - 1
        return Ngrams(self.table, self.units, places[order], fresh)


def ngrams(table: TokenTable, n: int, units: IntegerArray | None = None) -> Ngrams:
    """Find all n-grams of one length; none reaches from one text into the next.

    Parameters
    ----------
    table : TokenTable
    n : int
        Number of tokens of each.
    units : array of int, shape (n_texts,), optional
        From 0, what to count n-grams in; each text is a unit of its own by default.

    Examples
    --------
    >>> table = TokenTable.of([[1, 1, 1], [1, 1], [0]], 2)
    >>> ngrams(table, 2).counts().counts.tolist()
    [2, 1]
    >>> ngrams(table, 2, np.array([0, 0, 0])).counts().counts.tolist()
    [3]
    """
    size = len(table.ids)
    labels = np.arange(len(table)) if units is None else units
    own = np.repeat(labels.astype(np.int32), table.lengths)
    narrow = np.dtype(np.int32 if size < 2**31 else np.int64)
    # Places stay in the order of units within equal n-grams, since every sort is stable.
    places = np.arange(size) if units is None else _stable_order(own, int(labels.max()) + 1)
    every = Ngrams(table, own, places.astype(narrow), np.zeros(size, dtype=narrow))
    found = every._sorted(every.places, every.numbers)
    for _ in range(n - 1):
        found = found.longer()
    return found


def _stable_order(values: IntegerArray, limit: int) -> NDArray[np.intp]:
    """Sort integers in [0, limit) digit by digit: NumPy sorts 16 bits in linear time."""
    order = np.argsort(values.astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, (limit - 1).bit_length(), _DIGIT):
        digit = (values[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
    return order


def _changes(values: IntegerArray) -> BoolArray:
    """Whether each value differs from the one before; the first one does."""
    found = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found
