"""Find the words and phrases of texts, and which text has which."""

import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import IntegerArray
from mauve.measures.ngrams import find_ngrams
from mauve.measures.protocol import TokenTable
from mauve.measures.tokenizers import Words
from mauve.text.words import SPACELESS

LONGEST = 5  # words of a phrase
FEWEST = 5  # texts with a phrase; fewer cannot be significant
_LONGEST_WORD = 40  # characters; longer ones are addresses or keys
_SPACELESS = re.compile(f"[{SPACELESS}]")
_EMPHASIS = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")  # underscores at the ends of words


@dataclass(frozen=True)
class Presence:
    """Which text has which phrase, as a sparse matrix of ones.

    Attributes
    ----------
    columns : array of int32, shape (n_pairs,)
        The phrases of each text, text after text.
    starts : array of int, shape (n_texts + 1,)
        Text i has the phrases ``columns[starts[i]:starts[i + 1]]``.
    totals : array of int, shape (n_phrases,)
        Number of texts with each phrase.
    tokens : array of int32, shape (n_phrases, LONGEST)
        The words of each phrase by number, padded with -1.
    vocabulary : list of str

    Examples
    --------
    >>> presence = read_phrases(["Rain at night."] * 5 + ["At night!"] * 5)
    >>> [presence.text_of(i) for i in range(presence.n_phrases)]
    ['at', 'night', 'rain', 'at night', 'rain at', 'rain at night']
    >>> presence.counts(np.array([0, 9])).tolist()
    [2, 2, 1, 2, 1, 1]
    """

    columns: NDArray[np.int32] = field(repr=False)
    starts: IntegerArray = field(repr=False)
    totals: NDArray[np.intp] = field(repr=False)
    tokens: NDArray[np.int32] = field(repr=False)
    vocabulary: list[str] = field(repr=False)

    @property
    def n_texts(self) -> int:
        """Number of texts, those without a phrase included."""
        return len(self.starts) - 1

    @property
    def n_phrases(self) -> int:
        """Number of words and phrases in at least :data:`FEWEST` texts."""
        return len(self.tokens)

    def pairs(self, rows: IntegerArray) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Return all pairs of a text, by its position in `rows`, and a phrase it has."""
        first = self.starts[rows].astype(np.int64)
        lengths = self.starts[np.asarray(rows) + 1] - first
        ends = np.cumsum(lengths)
        places = np.arange(lengths.sum()) + np.repeat(first - ends + lengths, lengths)
        return np.repeat(np.arange(len(rows)), lengths), self.columns[places]

    def counts(self, rows: IntegerArray) -> NDArray[np.intp]:
        """Return how many of some texts have each phrase, as an array of shape (n_phrases,)."""
        if 2 * len(rows) > self.n_texts:  # counting the others is faster
            is_other = np.ones(self.n_texts, dtype=bool)
            is_other[rows] = False
            return np.asarray(self.totals - self.counts(np.flatnonzero(is_other)), dtype=np.intp)
        return np.bincount(self.pairs(rows)[1], minlength=self.n_phrases)

    def tokens_of(self, phrase: int) -> tuple[int, ...]:
        """Return the numbers of the words of a phrase."""
        return tuple(token for token in self.tokens[phrase].tolist() if token >= 0)

    def text_of(self, phrase: int) -> str:
        """Return a phrase as it is written, without spaces where the script has none."""
        words = [self.vocabulary[token] for token in self.tokens_of(phrase)]
        bare = [_SPACELESS.fullmatch(word) is not None for word in words]
        gaps = ["" if a and b else " " for a, b in pairwise(bare)]
        return words[0] + "".join(chain.from_iterable(zip(gaps, words[1:], strict=True)))


def read_phrases(texts: Sequence[str]) -> Presence:
    """Find the words and phrases that occur in enough of the texts.

    Parameters
    ----------
    texts : sequence of str

    Returns
    -------
    Presence
        Of words and phrases of up to :data:`LONGEST` words that occur in at least
        :data:`FEWEST` texts, shorter ones first, then in alphabetic order.

    Notes
    -----
    Words are those of :class:`mauve.measures.tokenizers.Words` in lower case; a Chinese or
    Japanese character is a word, and so is an emoji. A phrase does not extend across a
    punctuation mark or another symbol, nor across a run of more than 40 letters.
    """
    table, units, vocabulary = _word_runs(texts)
    phrases, spreads, rows = [np.empty((0, LONGEST), np.int32)], [], []
    if len(table):
        grams = find_ngrams(table, 1, units)
        for length in range(1, LONGEST + 1):
            counts = grams.counts()
            is_frequent = counts.spread >= FEWEST
            places = grams.places[np.flatnonzero(np.diff(grams.numbers, prepend=-1))[is_frequent]]
            tokens = np.full((len(places), LONGEST), -1, dtype=np.int32)
            tokens[:, :length] = table.ids[places[:, None] + np.arange(length)]
            phrases.append(tokens)
            spreads.append(counts.spread[is_frequent])
            rows.append(counts.units[np.repeat(is_frequent, counts.spread)])
            if length < LONGEST:
                grams = grams.longer(is_frequent)
    totals = np.concatenate([np.empty(0, np.intp), *spreads])
    indices = np.concatenate([np.empty(0, np.int32), *rows])
    shape = (len(texts), len(totals))
    ends = np.concatenate([[0], np.cumsum(totals)])
    ones = np.ones(len(indices), dtype=np.int8)
    matrix = scipy.sparse.csc_array((ones, indices, ends), shape=shape).tocsr()
    return Presence(
        matrix.indices.astype(np.int32, copy=False),
        matrix.indptr,
        totals,
        np.concatenate(phrases),
        vocabulary,
    )


def _word_runs(texts: Sequence[str]) -> tuple[TokenTable, NDArray[np.intp], list[str]]:
    """Return runs of frequent words, the text of each run, and the frequent words."""
    table, vocabulary = _tokens(texts)
    # Rarer words are in no phrase that is frequent enough.
    is_frequent = np.bincount(table.ids, minlength=len(vocabulary)) >= FEWEST
    is_frequent &= np.array([_is_word(token) for token in vocabulary], dtype=bool)
    in_run = is_frequent[table.ids]
    is_first = np.zeros(len(table.ids) + 1, dtype=bool)
    is_first[table.starts] = True
    is_first[1:] |= ~in_run
    firsts = np.flatnonzero(is_first[:-1][in_run])
    ids = (np.cumsum(is_frequent, dtype=np.int32) - 1)[table.ids[in_run]]
    words = [token for token, keep in zip(vocabulary, is_frequent, strict=True) if keep]
    runs = TokenTable(ids, np.append(firsts, len(ids)), len(words))
    return runs, table.texts[in_run][firsts], words


def _tokens(texts: Sequence[str]) -> tuple[TokenTable, list[str]]:
    """Return the tokens of texts by number, and the vocabulary."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    ids, starts = array("i"), array("q", [0])
    for text in texts:
        # One apostrophe for both kinds, since keyboards differ; "_so_" is the word "so".
        tokens = Words.split(_EMPHASIS.sub(" ", text.lower().replace("’", "'")))
        ids.extend(map(numbers.__getitem__, tokens))
        starts.append(len(ids))
    vocabulary = sorted(numbers)
    ranks = np.empty(len(vocabulary), dtype=np.int32)
    ranks[[numbers[token] for token in vocabulary]] = np.arange(len(vocabulary))
    table = TokenTable(ranks[np.array(ids, np.int32)], np.array(starts, np.int64), len(vocabulary))
    return table, vocabulary


def _is_word(token: str) -> bool:
    # The tokenizer takes a run of underscores for a word. Emoji have the category "So", and so has
    # the mark of a damaged character, which is no word.
    return len(token) <= _LONGEST_WORD and (
        any(map(str.isalnum, token))
        or (unicodedata.category(token[0]) == "So" and token[0] != "\ufffd")
    )
