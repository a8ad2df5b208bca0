"""Count n-grams of many texts exactly, by sorting.

The start positions of all n-grams are kept in the order of their n-grams. Those of length n + 1
follow from those of length n by one stable sort by the preceding token, as in a radix sort. So
each length takes linear time, and no n-gram is hashed or packed into a key that could overflow.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, IntArray, IntegerArray
from mauve.errors import UndefinedError
from mauve.measures.protocol import MeasuredSample, TokenTable, needed

_DIGIT = 16  # bits of a digit of the radix sort


@dataclass(frozen=True)
class Counts:
    """Counts of each n-gram of one length in each unit: pairs of an n-gram and a unit.

    Pairs with a count of 0 are left out.

    Attributes
    ----------
    firsts : array of int, shape (n_grams,)
        Index of the first pair of each n-gram.
    units : array of int, shape (n_pairs,)
        Ascending within an n-gram.
    counts : array of int, shape (n_pairs,)
    """

    firsts: IntArray
    units: NDArray[np.int32]
    counts: IntArray

    @property
    def spread(self) -> IntArray:
        """Number of units that have each n-gram, as an array of shape (n_grams,)."""
        return np.diff(self.firsts, append=len(self.units))

    @property
    def grams(self) -> IntArray:
        """Number of the n-gram of each pair, as an array of shape (n_pairs,)."""
        return np.repeat(np.arange(len(self.firsts)), self.spread)

    @property
    def totals(self) -> IntArray:
        """Count of each n-gram in all units together, as an array of shape (n_grams,)."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray(np.diff(ends[np.append(self.firsts, len(self.units))]), dtype=np.int64)


@dataclass(frozen=True)
class Ngrams:
    """All n-grams of one length of a table, with equal n-grams adjacent.

    Attributes
    ----------
    table : TokenTable
    units : array of int32, shape (n_tokens,)
        The unit of each token: its text, or a group of texts.
    places : array of int, shape (n,)
        Position in the table where each n-gram begins, ordered by n-gram, then by unit.
    numbers : array of int, shape (n,)
        Number of each n-gram, ascending from 0; equal n-grams have the same number.

    Examples
    --------
    >>> table = TokenTable.of([[5, 6, 5, 6], [6, 5]], 7)
    >>> pairs = find_ngrams(table, 2)
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
        >>> pairs = find_ngrams(TokenTable.of([[5, 6, 5, 6], [6, 5]], 7), 2).counts()
        >>> pairs.grams.tolist(), pairs.units.tolist(), pairs.counts.tolist()
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
            Whether to extend each n-gram by the token before it; all by default.

        Examples
        --------
        >>> words = find_ngrams(TokenTable.of([[5, 6, 5, 6], [6, 5]], 7), 1)
        >>> words.longer().numbers.tolist()
        [0, 0, 1, 1]
        >>> words.longer(np.array([False, True])).places.tolist()  # those that end in 6
        [0, 2]
        """
        is_start = np.zeros(len(self.table.ids) + 1, dtype=bool)
        is_start[self.table.starts] = True
        extends = ~is_start[self.places]
        if keep is not None:
            extends &= keep[self.numbers]
        return self._sorted(self.places[extends] - 1, self.numbers[extends])

    def _sorted(
        self, places: NDArray[np.signedinteger], numbers: NDArray[np.signedinteger]
    ) -> "Ngrams":
        """Sort places, which are in the order of `numbers`, by their token; renumber n-grams."""
        tokens = self.table.ids[places]
        order = _stable_order(tokens, self.table.vocabulary_size)
        is_new = _changes(tokens[order]) | _changes(numbers[order])
        fresh = np.cumsum(is_new, dtype=places.dtype) - 1
        return Ngrams(self.table, self.units, places[order], fresh)


def find_ngrams(table: TokenTable, n: int, units: IntegerArray | None = None) -> Ngrams:
    """Return all n-grams of one length; none spans two texts.

    Parameters
    ----------
    table : TokenTable
    n : int
        Number of tokens of an n-gram.
    units : array of int, shape (n_texts,), optional
        Unit of each text, from 0; n-grams are counted in units. By default each text is one.

    Examples
    --------
    >>> table = TokenTable.of([[1, 1, 1], [1, 1], [0]], 2)
    >>> find_ngrams(table, 2).counts().counts.tolist()
    [2, 1]
    >>> find_ngrams(table, 2, np.array([0, 0, 0])).counts().counts.tolist()
    [3]
    """
    size = len(table.ids)
    labels = np.arange(len(table)) if units is None else units
    token_units = np.repeat(labels.astype(np.int32), table.lengths)
    narrow = np.dtype(np.int32 if size < 2**31 else np.int64)
    # Places stay in the order of units within equal n-grams, since every sort is stable.
    places = np.arange(size) if units is None else _stable_order(token_units, int(labels.max()) + 1)
    empty = Ngrams(table, token_units, places.astype(narrow), np.zeros(size, dtype=narrow))
    grams = empty._sorted(empty.places, empty.numbers)
    for _ in range(n - 1):
        grams = grams.longer()
    return grams


def count_by_group(sample: MeasuredSample, n: int, title: str) -> Counts:
    """Count the n-grams of a sample in each of its groups; at least two must have some.

    Parameters
    ----------
    sample : MeasuredSample
    n : int
        Number of tokens of an n-gram.
    title : str
        Name of the measure in the message.

    Raises
    ------
    UndefinedError
        If no n-gram would be left without one of the groups.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> groups = Groups(np.array([0, 1, 0]), 2)
    >>> sample = MeasuredSample("human", groups, tokens=TokenTable.of([[0], [0], [0]], 1))
    >>> count_by_group(sample, 1, "Distinct-1").counts.tolist()
    [2, 1]
    """
    tokens = needed(sample.tokens, "tokens")
    counts = find_ngrams(tokens, n, sample.groups.labels).counts()
    if len(np.unique(counts.units)) < 2:
        longest = int(tokens.lengths.max())
        raise UndefinedError(
            f"{title} of '{sample.name}' must be computed from texts of at least {n} tokens, also "
            f"without any one group of texts. Got texts of at most {longest} tokens in "
            f"{sample.groups.count} groups instead: give more or longer texts."
        )
    return counts


def _stable_order(values: IntegerArray, limit: int) -> NDArray[np.intp]:
    """Return the stable order of integers in [0, limit).

    Sorts digit by digit, since NumPy sorts 16-bit integers in linear time.
    """
    order = np.argsort(values.astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, (limit - 1).bit_length(), _DIGIT):
        digit = (values[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
    return order


def _changes(values: IntegerArray) -> BoolArray:
    """Return whether each value differs from the previous one; True for the first."""
    differs = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs
