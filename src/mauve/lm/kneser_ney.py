"""Estimate n-gram models of integers with interpolated Kneser–Ney smoothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from mauve.arrays import BoolArray, FloatArray, IntArray

_FALLBACK = 0.5  # discount where the counts do not determine one


def discount(counts: IntArray) -> float:
    r"""Return the discount that Kneser–Ney subtracts from each count of an n-gram.

    Parameters
    ----------
    counts : array of int
        Counts of all observed n-grams of one length.

    Notes
    -----
    :math:`D = n_1 / (n_1 + 2 n_2)`, where :math:`n_t` n-grams have the count t (Ney,
    Essen and Kneser 1994). Where one of the two is zero, D would be 0, which leaves no mass
    for unseen words, or 1, which leaves none for words seen once. D is 1/2 there.

    References
    ----------
    Ney, Essen and Kneser, *On structuring probabilistic dependences in stochastic language
    modelling*, Computer Speech and Language 8, 1994.

    Examples
    --------
    >>> discount(np.array([1, 1, 1, 2, 5]))
    0.6
    >>> discount(np.array([1, 1, 1]))
    0.5
    """
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else _FALLBACK


@dataclass(frozen=True, eq=False)
class Level:
    """The observed contexts of one length, and the words that followed them.

    The key of a context is row * base + word, where word is its first word and row is that of
    the context without its first word. The key of an n-gram is row * base + word, where row is
    that of its context and word its last word.

    Attributes
    ----------
    contexts : array of int, shape (n_contexts,)
        Keys of the contexts, ascending; the index of a context is its row.
    grams : array of int, shape (n_grams,)
        Keys of the n-grams, ascending.
    words : array of int, shape (n_grams,)
        Last word of each n-gram.
    weight : array of float, shape (n_grams,)
        Discounted share of each n-gram among those of its context.
    start : array of int, shape (n_contexts + 1,)
        The n-grams of row i are those from start[i] to start[i + 1].
    backoff : array of float, shape (n_contexts,)
        Probability mass that the discounts leave to the shorter context.
    """

    contexts: IntArray
    grams: IntArray
    words: IntArray
    weight: FloatArray
    start: IntArray
    backoff: FloatArray

    @classmethod
    def from_counts(cls, contexts: IntArray, grams: IntArray, counts: IntArray, base: int) -> Self:
        """Discount the counts of n-grams, each within its context."""
        row = grams // base
        start = np.searchsorted(row, np.arange(len(contexts) + 1))
        total = np.bincount(row, weights=counts)
        d = discount(counts)
        weight = (counts - d) / total[row]
        return cls(contexts, grams, grams % base, weight, start, d * np.diff(start) / total)


@dataclass(frozen=True, eq=False)
class KneserNey:
    r"""An n-gram model of sequences of the integers 0 to n_words - 1.

    Attributes
    ----------
    n_words : int
    unigram : array of float, shape (n_words,)
        Probability of each word without a context.
    levels : tuple of Level
        Contexts of length 1, 2, ..., up to the longest observed one.

    Notes
    -----
    For a context h, and h' the same without its first word,

    .. math::
        P(w | h) = \frac{\max(c(hw) - D, 0)}{\sum_v c(hv)}
            + \frac{D \, N_{1+}(h \cdot)}{\sum_v c(hv)} P(w | h'),

    down to the uniform distribution over all n_words below the unigrams (Chen and Goodman
    1999). Here :math:`N_{1+}(h \cdot)` is the number of distinct words seen
    after h. For the longest n-grams c is the count; for shorter ones it is
    :math:`N_{1+}(\cdot hw)`, the number of distinct words seen before hw. An n-gram at the
    very start of a document has nothing before it and keeps its count (Heafield et al. 2013).
    D is that of :func:`discount`, one for each length. For an unseen context
    :math:`P(w | h) = P(w | h')`.

    References
    ----------
    Chen and Goodman, *An empirical study of smoothing techniques for language modeling*,
    Computer Speech and Language 13, 1999.

    Heafield, Pouzyrevsky, Clark and Koehn, *Scalable modified Kneser-Ney language model
    estimation*, ACL 2013.

    Examples
    --------
    >>> model = KneserNey.estimate([[1, 2, 1, 0], [1, 2, 0]], order=2, n_words=4)
    >>> model.distribution([]).round(3).tolist()  # word 1 opened both documents
    [0.084, 0.869, 0.041, 0.006]
    """

    n_words: int
    unigram: FloatArray
    levels: tuple[Level, ...]

    @property
    def _base(self) -> int:
        return self.n_words + 1  # the words, and the symbol before each document

    @classmethod
    def estimate(cls, documents: Sequence[Sequence[int]], order: int, n_words: int) -> Self:
        """Count the n-grams of up to `order` words and discount them.

        Parameters
        ----------
        documents : sequence of sequences of int
            Words in [0, n_words), at least one word in total.
        order : int
            Words of the longest n-grams.
        n_words : int
            Size of the vocabulary, words that never occur included.
        """
        base = n_words + 1
        counted = _count(documents, order, before=n_words)
        lowest, *levels = (Level.from_counts(*length, base) for length in counted)
        unigram = np.full(n_words, lowest.backoff[0] / n_words)
        unigram[lowest.words] += lowest.weight
        return cls(n_words, unigram, tuple(levels))

    def distribution(self, context: Sequence[int]) -> FloatArray:
        """Return the probability of every word after `context`, the beginning of a document.

        Returns
        -------
        array of float, shape (n_words,)
            A new array, positive everywhere, with sum 1.
        """
        parts = []  # the words seen after each length of context, and their weight
        backoff = 1.0
        row = 0
        latest_first = [*reversed(context[-len(self.levels) - 1 :]), self.n_words]
        for level, word in zip(self.levels, latest_first, strict=False):
            key = row * self._base + word
            row = int(level.contexts.searchsorted(key))
            if row == len(level.contexts) or level.contexts[row] != key:
                break
            part = slice(level.start[row], level.start[row + 1])
            backoff *= level.backoff[row]
            parts.append((level.words[part], level.weight[part] / backoff))
        # One pass over all words; the others are few.
        probabilities = self.unigram * backoff
        for words, weight in parts:
            probabilities[words] += weight * backoff
        return probabilities

    def score(self, document: Sequence[int]) -> FloatArray:
        """Return the probability of each word of a document given the words before it.

        These are the numbers of `distribution`, computed for all words at once.
        """
        stream = np.array([self.n_words, *document], dtype=np.int64)
        at = np.arange(1, len(stream))
        # The first belongs to the symbol before the document.
        probabilities = np.append(0.0, self.unigram[stream[1:]])
        row = np.zeros(len(at), np.int64)
        for length, level in enumerate(self.levels, start=1):
            is_long_enough = at >= length
            at, row = at[is_long_enough], row[is_long_enough]
            row, seen = _find(level.contexts, row * self._base + stream[at - length])
            at, row = at[seen], row[seen]
            gram, seen = _find(level.grams, row * self._base + stream[at])
            probabilities[at] *= level.backoff[row]
            probabilities[at[seen]] += level.weight[gram[seen]]
        return probabilities[1:]


def _count(
    documents: Sequence[Sequence[int]], order: int, before: int
) -> list[tuple[IntArray, IntArray, IntArray]]:
    """Return contexts, n-grams and their counts c for each length, as keys of a `Level`."""
    base = before + 1
    lengths = np.array([len(document) + 1 for document in documents])
    stream = np.concatenate([[before, *document] for document in documents], dtype=np.int64)
    position = np.arange(len(stream)) - np.repeat(np.cumsum(lengths) - lengths, lengths)

    at = np.flatnonzero(position)  # the words, without the symbol before each document
    row = np.zeros_like(at)  # row of the context before each word
    gram = np.zeros_like(at)  # index of the n-gram that ends in each word
    contexts = np.zeros(1, np.int64)
    counted: list[tuple[IntArray, IntArray, IntArray]] = []
    for length in range(order):
        is_long_enough = position[at] >= length
        at, row, inside = at[is_long_enough], row[is_long_enough], gram[is_long_enough]
        if not len(at):
            break
        if length:
            contexts, row = np.unique(row * base + stream[at - length], return_inverse=True)
        grams, first, gram, counts = np.unique(
            row * base + stream[at], return_index=True, return_inverse=True, return_counts=True
        )
        if counted:
            # Each distinct n-gram is one more word seen before the n-gram inside it. An n-gram
            # that nothing precedes stands at the start of a document and keeps its count.
            contexts_inside, grams_inside, raw = counted[-1]
            preceded = np.bincount(inside[first], minlength=len(raw))
            counted[-1] = (contexts_inside, grams_inside, np.where(preceded, preceded, raw))
        counted.append((contexts, grams, counts))
    return counted


def _find(ascending: IntArray, keys: IntArray) -> tuple[IntArray, BoolArray]:
    """Return the index of each key in an array that is not empty, and whether it is there."""
    index = np.minimum(np.searchsorted(ascending, keys), len(ascending) - 1)
    return index, ascending[index] == keys
