"""Find the words and phrases that one group of texts has more often than another.

A phrase is listed if a random group of texts would not have it as often. Phrases are ranked
by their log-odds ratio, and of phrases that overlap in the same texts the longest is listed.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import BoolArray, IntegerArray
from mauve.explanation.enrichment import log_limit, log_odds, log_tails
from mauve.explanation.findings import Phrase
from mauve.explanation.phrases import Presence, read_phrases

_LEVEL = 0.05  # chance of any phrase at all where both groups are alike
_CANDIDATES = 400  # phrases that are compared with each other
_SAME = 0.8  # Jaccard index of the texts of two phrases that are taken for one
_COVERED = 0.5  # share of a phrase's texts that have an overlapping phrase listed before it
_NAME_WORDS = 3
_COMMON = 0.25  # share of other texts that have a function word rather than a content word

_Words = tuple[int, ...]  # of a phrase, by number
_Pair = tuple[int, int]  # positions of two phrases


def distinct_phrases(phrases: Sequence[_Words], presence: BoolArray, n: int) -> list[int]:
    """Return the positions of phrases that are not parts or shifted windows of others.

    Parameters
    ----------
    phrases : sequence of tuple of int
        Words of each phrase by number, the best phrase first.
    presence : array of bool, shape (n_phrases, n_texts)
        Whether a text has a phrase.
    n : int
        Phrases at most.

    Returns
    -------
    list of int
        In ascending order.

    Notes
    -----
    Two phrases are linked if they occur in nearly the same texts, and one is the other without
    its first or last word, or they are windows of one sequence of words that lie one word
    apart. Of phrases that are linked, directly or through others, the longest stays, so that
    a template of any length gives one phrase. Then a phrase is dropped if it overlaps with one
    linked to a better phrase, and half of its texts have that one too.

    Examples
    --------
    >>> rain = [(1,), (1, 2), (2,), (2, 3)]  # "heavy", "heavy rain", "rain", "rain fell"
    >>> every, few = [True] * 6, [True] * 1 + [False] * 5
    >>> distinct_phrases(rain, np.array([every, every, every, few]), 8)
    [1]
    """
    counts = presence.astype(np.float32)  # exact up to 16 million texts
    shared = counts @ counts.T
    groups, shifted = _linked(phrases, shared)
    by_group = defaultdict(list)
    for i, group in enumerate(groups):
        by_group[group].append(i)
    # Of windows of one sequence the leftmost reads best; max returns the first of equals.
    leaders = {
        max(members, key=lambda i: (len(phrases[i]), i not in shifted)): members
        for members in by_group.values()
    }
    chosen: list[int] = []
    covered: list[int] = []
    for i in sorted(leaders):
        near = [k for k in covered if shared[i, k] >= _COVERED * shared[i, i]]
        if not any(_overlap(phrases[i], phrases[k]) for k in near):
            chosen.append(i)
            covered += leaders[i]
        if len(chosen) == n:
            break
    return chosen


def _linked(
    phrases: Sequence[_Words], shared: NDArray[np.float32]
) -> tuple[NDArray[np.int32], set[int]]:
    """Return the group of linked phrases that each is in, and windows with another on the left."""
    parts, shifts = _links(phrases)
    first, second = np.array([*parts, *shifts, (0, 0)]).T  # (0, 0) so that it is never empty
    union = shared[first, first] + shared[second, second] - shared[first, second]
    is_same = shared[first, second] >= _SAME * union
    links = (is_same[is_same], (first[is_same], second[is_same]))
    graph = scipy.sparse.coo_array(links, shape=shared.shape)
    _, groups = scipy.sparse.csgraph.connected_components(graph, directed=False)
    n = len(parts)
    return groups, {*second[n:-1][is_same[n:-1]].tolist()}


def _links(phrases: Sequence[_Words]) -> tuple[list[_Pair], list[_Pair]]:
    """Return pairs of a part and its whole, and pairs of windows, the left one first."""
    positions = {phrase: i for i, phrase in enumerate(phrases)}
    by_beginning = defaultdict(list)
    for i, phrase in enumerate(phrases):
        by_beginning[phrase[:-1]].append(i)
    parts, shifts = [], []
    for i, phrase in enumerate(phrases):
        if len(phrase) > 1:
            shorter = (positions.get(part) for part in {phrase[1:], phrase[:-1]})
            parts += [(part, i) for part in shorter if part is not None]
            shifts += [(i, other) for other in by_beginning[phrase[1:]] if other != i]
    return parts, shifts


def _overlap(first: _Words, second: _Words) -> bool:
    """Whether a phrase contains the other, or ends in the first half of its words or more."""
    short, long = sorted((first, second), key=len)
    n = len(short)
    return any(long[i : i + n] == short for i in range(len(long) - n + 1)) or any(
        a[-k:] == b[:k]
        for k in range((n + 1) // 2, n)
        for a, b in ((first, second), (second, first))
    )


@dataclass(frozen=True)
class PhraseTable:
    """Which text has which phrase.

    Attributes
    ----------
    presence : Presence

    Examples
    --------
    >>> weather, food = ["It may rain at night."] * 20, ["Salt the soup at night."] * 20
    >>> table = phrase_table(weather + food)
    >>> [word.phrase for word in table.characteristic(np.arange(20), np.arange(20, 40))]
    ['it may rain at night']
    """

    presence: Presence = field(repr=False)

    @property
    def n_texts(self) -> int:
        """Number of texts."""
        return self.presence.n_texts

    def characteristic(
        self, focus: IntegerArray, others: IntegerArray, n: int = 8
    ) -> tuple[Phrase, ...]:
        r"""Return the phrases that texts of one group have more often than those of another.

        Parameters
        ----------
        focus, others : array of int
            Rows of the texts of two groups, from 0; none is in both.
        n : int
            Phrases at most.

        Returns
        -------
        tuple of Phrase
            By z, the greatest first. Of phrases that overlap and occur in nearly the same texts
            only the longest is listed.

        Notes
        -----
        A phrase is listed if its p-value (:func:`~mauve.explanation.enrichment.log_tails`) is
        below a limit that allows for all phrases
        (:func:`~mauve.explanation.enrichment.log_limit`). So groups that do not differ have no
        phrase at all in at least 95% of cases, whatever their sizes and the number of phrases.
        """
        return tuple(phrase for _, phrase in self.ranked(focus, others, n))

    def ranked(
        self, focus: IntegerArray, others: IntegerArray, n: int = 8
    ) -> list[tuple[int, Phrase]]:
        """Return the same with the number of each phrase in :attr:`presence`."""
        if not len(focus) or not len(others) or not self.presence.n_phrases:
            return []
        n_phrases = self.presence.n_phrases
        texts, columns = self.presence.pairs(focus)
        count = np.bincount(columns, minlength=n_phrases)
        other_count = self.presence.counts(others)
        candidates = _significant(count, len(focus), other_count, len(others))
        if not len(candidates):
            return []
        _, z = log_odds(count[candidates], len(focus), other_count[candidates], len(others))
        best = np.argsort(-z, kind="stable")[:_CANDIDATES]
        candidates, z = candidates[best], z[best]
        position = np.full(n_phrases, -1)
        position[candidates] = np.arange(len(candidates))
        places = position[columns]
        presence = np.zeros((len(candidates), len(focus)), dtype=bool)
        presence[places[places >= 0], texts[places >= 0]] = True
        phrases = [self.presence.tokens_of(phrase) for phrase in candidates]
        return [
            (
                int(candidates[i]),
                Phrase(
                    self.presence.text_of(candidates[i]),
                    float(z[i]),
                    float(count[candidates[i]] / len(focus)),
                    float(other_count[candidates[i]] / len(others)),
                    len(focus),
                    len(others),
                ),
            )
            for i in distinct_phrases(phrases, presence, n)
        ]


def _significant(
    count: IntegerArray, n_texts: int, other_count: IntegerArray, n_others: int
) -> IntegerArray:
    """Return the phrases that one group has more often than a random group would."""
    total, n = count + other_count, n_texts + n_others
    more = np.flatnonzero(count * n_others > other_count * n_texts)
    limit = log_limit(total[total > 0], n_texts, n, _LEVEL)
    return more[log_tails(count[more], total[more], n_texts, n) <= limit]


def phrase_table(texts: Sequence[str]) -> PhraseTable:
    """Find the words and phrases of all texts, and which text has which.

    Parameters
    ----------
    texts : sequence of str
        Of all samples, one after another.

    Returns
    -------
    PhraseTable
        Of words and phrases of up to five words, in lower case, that occur in at least five
        texts. A phrase does not extend across a punctuation mark.

    Examples
    --------
    >>> phrase_table(["Rain at night.", "Night, at last!"] * 5).presence.n_phrases
    8
    """
    return PhraseTable(read_phrases(texts))


def cluster_name(words: Sequence[Phrase]) -> str | None:
    """Return a name for a cluster, its most characteristic words, or None.

    Words that many other texts have too, mostly function words, are left out, and so are
    phrases of more than two words where there are shorter ones.

    Examples
    --------
    >>> words = [Phrase("which", 20.0, 0.9, 0.5), Phrase("the old ship", 9.0, 0.5, 0.1)]
    >>> words += [Phrase("sea", 8.0, 0.5, 0.1), Phrase("grey sky", 7.0, 0.4, 0.1)]
    >>> cluster_name(words), cluster_name(words[:2]), cluster_name(words[:1])
    ('sea, grey sky', 'the old ship', None)
    """
    content = [word for word in words if word.other_share <= _COMMON]
    short = [word for word in content if word.phrase.count(" ") < 2] or content[:1]
    return ", ".join(word.phrase for word in short[:_NAME_WORDS]) or None
