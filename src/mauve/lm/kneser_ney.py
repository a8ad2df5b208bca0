"""Counts of n-grams in, smoothed probabilities out: interpolated Kneser–Ney on integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from mauve.arrays import BoolArray, FloatArray, IntArray

_FALLBACK = 0.5


def discount(counts: IntArray) -> float:
    r"""Return what Kneser–Ney takes off each count of an n-gram.

    Parameters
    ----------
    counts : array of int
        Counts of all n-grams of one length, those never seen left out.

    Notes
    -----
    :math:`D = n_1 / (n_1 + 2 n_2)`, where :math:`n_t` n-grams have the count t (Ney,
    Essen and Kneser 1994). Where one of them is zero D would be 0, which leaves nothing to
    unseen words, or 1, which leaves nothing to words seen once: it is 1/2 there.

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
    """The contexts of one length that were seen, and the words that followed them.

    A context is known by the row of the context one word shorter, without its first word,
    and by that first word: key = row * base + word. An n-gram is known by the row of its
    context and its last word in the same way.

    Attributes
    ----------
    contexts : array of int, shape (n_contexts,)
        Keys of the contexts, rising; the place of a context is its row.
    grams : array of int, shape (n_grams,)
        Keys of the n-grams, rising.
    words : array of int, shape (n_grams,)
        Last word of each n-gram.
    weight : array of float, shape (n_grams,)
        Discounted share of each n-gram among those of its context.
    start : array of int, shape (n_contexts + 1,)
        The n-grams of row i are those from start[i] to start[i + 1].
    backoff : array of float, shape (n_contexts,)
        What the discounts leave to the shorter context.
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
        Contexts of length 1, 2, ..., up to the longest that was seen.

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
    D is that of :func:`discount`, one for each length. A context never seen
    leaves everything to the shorter one.

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
            Words in [0, n_words), at least one in all.
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
        """Return the probability of every word after `context`, a document so far.

        Returns
        -------
        array of float, shape (n_words,)
            A new array, positive everywhere, with sum 1.
        """
        found = self.unigram.copy()
        row = 0
        latest_first = [*reversed(context[-len(self.levels) - 1 :]), self.n_words]
        for level, word in zip(self.levels, latest_first, strict=False):
            key = row * self._base + word
            row = int(level.contexts.searchsorted(key))
            if row == len(level.contexts) or level.contexts[row] != key:
                break
            part = slice(level.start[row], level.start[row + 1])
            found *= level.backoff[row]
            found[level.words[part]] += level.weight[part]
        return found

    def score(self, document: Sequence[int]) -> FloatArray:
        """Return the probability of each word of a document after those before it.

        The same numbers as those of `distribution`, for all words of a document at once.
        """
        stream = np.array([self.n_words, *document], dtype=np.int64)
        at = np.arange(1, len(stream))
        found = np.append(0.0, self.unigram[stream[1:]])  # the first belongs to no word
        row = np.zeros(len(at), np.int64)
        for length, level in enumerate(self.levels, start=1):
            reaches = at >= length
            at, row = at[reaches], row[reaches]
            row, seen = _places(level.contexts, row * self._base + stream[at - length])
            at, row = at[seen], row[seen]
            gram, seen = _places(level.grams, row * self._base + stream[at])
            found[at] *= level.backoff[row]
            found[at[seen]] += level.weight[gram[seen]]
        return found[1:]


def _count(
    documents: Sequence[Sequence[int]], order: int, before: int
) -> list[tuple[IntArray, IntArray, IntArray]]:
    """Return contexts, n-grams and their counts c for each length, as keys of a `Level`."""
    base = before + 1
    lengths = np.array([len(document) + 1 for document in documents])
    stream = np.concatenate([[before, *document] for document in documents], dtype=np.int64)
    place = np.arange(len(stream)) - np.repeat(np.cumsum(lengths) - lengths, lengths)

    at = np.flatnonzero(place)  # the words, without the symbol before each document
    row = np.zeros_like(at)  # of the context of each word
    gram = np.zeros_like(at)  # that each word is the last of
    contexts = np.zeros(1, np.int64)
    counted: list[tuple[IntArray, IntArray, IntArray]] = []
    for length in range(order):
        reaches = place[at] >= length
        at, row, inside = at[reaches], row[reaches], gram[reaches]
        if not len(at):
            break
        if length:
            contexts, row = np.unique(row * base + stream[at - length], return_inverse=True)
        grams, first, gram, counts = np.unique(
            row * base + stream[at], return_index=True, return_inverse=True, return_counts=True
        )
        if counted:
            # Each distinct n-gram is one more word seen before the n-gram inside it; one
            # with none before it stands at the start of a document and keeps its count.
            contexts_inside, grams_inside, raw = counted[-1]
            preceded = np.bincount(inside[first], minlength=len(raw))
            counted[-1] = (contexts_inside, grams_inside, np.where(preceded, preceded, raw))
        counted.append((contexts, grams, counts))
    return counted


def _places(rising: IntArray, keys: IntArray) -> tuple[IntArray, BoolArray]:
    """Return where each key stands in an array that is not empty, and whether it does."""
    place = np.minimum(np.searchsorted(rising, keys), len(rising) - 1)
    return place, rising[place] == keys
