"""Words and phrases that some texts have more often than others."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray, IntegerArray
from mauve.explanation.phrases import Presence, read_phrases
from mauve.explanation.results import Phrase


def log_tails(count: IntegerArray, total: IntegerArray, n_group: int, n_texts: int) -> FloatArray:
    r"""Return an upper bound of the p-value of each count, as a logarithm.

    Parameters
    ----------
    count : array of int, shape (m,)
        Texts of the group that have each thing, at least as many as expected.
    total : array of int, shape (m,)
        Texts that have it.
    n_group, n_texts : int
        Texts of the group, and all texts.

    Notes
    -----
    The number X in a group drawn at random has a hypergeometric distribution. Beyond its mode
    the ratios of its terms fall, so that its upper tail is at most a geometric series,

    .. math:: P(X \ge y) \le \frac{P(X = y)}{1 - r}, \qquad
              r = \frac{P(X=y+1)}{P(X=y)} = \frac{(K-y)(n-y)}{(y+1)(N-K-n+y+1)}

    which is close where p is small, and where r is 1 or more the bound is 1.

    Examples
    --------
    >>> np.exp(log_tails(np.array([3, 2]), np.array([3, 3]), 5, 10)).round(4).tolist()
    [0.0833, 0.5208]
    """
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n_texts + 1)))])  # of factorials
    rest = n_texts - total - n_group + count  # texts outside that lack it
    log_term = (
        logs[total] - logs[count] - logs[total - count]
        + logs[n_texts - total] - logs[n_group - count] - logs[rest]
        - logs[n_texts] + logs[n_group] + logs[n_texts - n_group]
    )  # fmt: skip
    ratio = (total - count) * (n_group - count) / ((count + 1.0) * (rest + 1.0))
    with np.errstate(divide="ignore"):
        bound = log_term - np.log(np.maximum(1 - ratio, 0))
    return np.asarray(np.minimum(bound, 0.0))


def log_limit(total: IntegerArray, n_group: int, n_texts: int, level: float) -> float:
    """Return the logarithm of the p-value up to which something is no accident.

    Parameters
    ----------
    total : array of int, shape (m,)
        Texts that have each thing.
    n_group, n_texts : int
        Texts of the group, and all texts.
    level : float
        Chance that any of the m things is found in a group drawn at random.

    Notes
    -----
    The limit is level/k, with the least k such that at most k things could have a p-value of
    level/k or less: one that few texts have never can, and needs no share of the level.

    References
    ----------
    Tarone, *A modified Bonferroni method for discrete data*, Biometrics 1990.

    Examples
    --------
    >>> total = np.array([1, 2, 3, 9, 9])  # at best 1/2, 2/9, 1/12 and 1/2 of all groups
    >>> float(np.exp(log_limit(total, 5, 10, 0.1)).round(4))
    0.1
    """
    numbers = np.bincount(total)
    sizes = np.arange(len(numbers))
    best = log_tails(np.minimum(sizes, n_group), sizes, n_group, n_texts)
    order = np.argsort(best)
    reached = np.concatenate([[0], np.cumsum(numbers[order])])

    def is_enough(k: int) -> bool:
        return bool(reached[np.searchsorted(best[order], np.log(level / k), "right")] <= k)

    k = 1 + bisect_left(range(1, len(total) + 1), True, key=is_enough)
    return float(np.log(level / k))


_SAME = 0.8  # Jaccard index of the texts of two phrases that are taken for one
_EXPLAINED = 0.5  # share of a phrase's texts that have an overlapping one, listed before

Words = tuple[int, ...]
Pair = tuple[int, int]


def told_apart(phrases: Sequence[Words], presence: BoolArray, n: int) -> list[int]:
    """Return the positions of phrases that are not parts or shifted windows of others.

    Parameters
    ----------
    phrases : sequence of tuple of int
        Words of each phrase by number, the best phrase first.
    presence : array of bool, shape (n_phrases, n_texts)
        Which text has it.
    n : int
        Phrases at the most.

    Returns
    -------
    list of int
        Rising.

    Notes
    -----
    Two phrases are linked if one is the other without its first or last word, or if they are
    windows of one stretch that lie one word apart, and if they stand in nearly the same texts.
    Of all that are linked, directly or by others, the longest one stays, so that a template
    of any length gives one phrase. After that a phrase goes if it overlaps with one that is
    linked to a better phrase and stands in half of its texts.

    Examples
    --------
    >>> rain = [(1,), (1, 2), (2,), (2, 3)]  # "heavy", "heavy rain", "rain", "rain fell"
    >>> both, few = [True] * 6, [True] * 1 + [False] * 5
    >>> told_apart(rain, np.array([both, both, both, few]), 8)
    [1]
    """
    counts = presence.astype(np.float32)  # exact up to 16 million texts
    shared = counts @ counts.T
    groups, later = _linked(phrases, shared)
    members = defaultdict(list)
    for i, group in enumerate(groups):
        members[group].append(i)
    # Of windows of one stretch the leftmost reads best; max keeps the first of equals.
    leaders = {
        max(own, key=lambda i: (len(phrases[i]), i not in later)): own for own in members.values()
    }
    chosen: list[int] = []
    known: list[int] = []
    for i in sorted(leaders):
        near = [k for k in known if shared[i, k] >= _EXPLAINED * shared[i, i]]
        if not any(_overlap(phrases[i], phrases[k]) for k in near):
            chosen.append(i)
            known += leaders[i]
        if len(chosen) == n:
            break
    return chosen


def _linked(
    phrases: Sequence[Words], shared: NDArray[np.float32]
) -> tuple[NDArray[np.int32], set[int]]:
    """Return the group of linked phrases that each is in, and the windows with one to the left."""
    parts, shifts = _links(phrases)
    first, second = np.array([*parts, *shifts, (0, 0)]).T  # a phrase is linked to itself anyway
    either = shared[first, first] + shared[second, second] - shared[first, second]
    is_same = shared[first, second] >= _SAME * either
    links = (is_same[is_same], (first[is_same], second[is_same]))
    graph = scipy.sparse.coo_array(links, shape=shared.shape)
    _, groups = scipy.sparse.csgraph.connected_components(graph, directed=False)
    n = len(parts)
    return groups, {*second[n:-1][is_same[n:-1]].tolist()}


def _links(phrases: Sequence[Words]) -> tuple[list[Pair], list[Pair]]:
    """Return pairs of part and whole, and pairs of windows, the left one first."""
    positions = {phrase: i for i, phrase in enumerate(phrases)}
    by_beginning = defaultdict(list)
    for i, phrase in enumerate(phrases):
        by_beginning[phrase[:-1]].append(i)
    parts, shifts = [], []
    for i, phrase in enumerate(phrases):
        if len(phrase) > 1:
            found = (positions.get(part) for part in {phrase[1:], phrase[:-1]})
            parts += [(part, i) for part in found if part is not None]
            shifts += [(i, other) for other in by_beginning[phrase[1:]] if other != i]
    return parts, shifts


def _overlap(one: Words, other: Words) -> bool:
    """Whether one phrase holds the other, or ends in at least half of its words."""
    short, long = sorted((one, other), key=len)
    n = len(short)
    return any(long[i : i + n] == short for i in range(len(long) - n + 1)) or any(
        a[-k:] == b[:k] for k in range((n + 1) // 2, n) for a, b in ((one, other), (other, one))
    )


_PRIOR = 0.25  # texts of the prior for each text of a group
_LEVEL = 0.05  # chance of any phrase at all where both groups are alike
_CANDIDATES = 400  # phrases that are compared with each other
_NAME_WORDS = 3
_COMMON = 0.25  # share of other texts that have a word of grammar rather than of content


def log_odds(
    count: IntegerArray,
    n_texts: int,
    other_count: IntegerArray,
    n_others: int,
    prior: float = _PRIOR,
) -> tuple[FloatArray, FloatArray]:
    r"""Return how much more often texts of one group have a phrase, and its z.

    Parameters
    ----------
    count, other_count : array of shape (n_phrases,)
        Texts of either group that have the phrase, which neither all nor none have.
    n_texts, n_others : int
        Texts of either group.
    prior : float
        Weight of the prior: texts of its own for each text of a group.

    Returns
    -------
    log_ratio, z : array of shape (n_phrases,)

    Notes
    -----
    With y of n texts in a group and a share :math:`\bar p` of all texts of both groups, the
    odds of the group are those of a Beta posterior,

    .. math:: \omega = \frac{y + \alpha}{n + \alpha_0 - y - \alpha}, \qquad
              \alpha_0 = c n, \quad \alpha = \alpha_0 \bar p,

    and the log-odds ratio is :math:`\delta = \log\omega_1 - \log\omega_2` with a variance of
    :math:`\sum_g 1/(y_g + \alpha_g) + 1/(n_g + \alpha_{0g} - y_g - \alpha_g)`; z is
    :math:`\delta` over its root. The prior is informative: it pulls a phrase towards the share
    it has anyway, so that neither "the" nor a word of two texts comes out on top. It grows
    with the group, for with a few texts' worth of it a phrase that the other group never
    has would come far behind one that it has once or twice.

    References
    ----------
    Monroe, Colaresi and Quinn, *Fightin' words: lexical feature selection and evaluation for
    identifying the content of political conflict*, Political Analysis 2008, equations 15-22;
    here with texts in place of words as what is counted.

    Examples
    --------
    >>> ratio, z = log_odds(np.array([3]), 4, np.array([1]), 4, prior=1.0)
    >>> float(np.exp(ratio[0]).round(6)), float(z[0].round(6))  # 5/3 over 3/5
    (2.777778, 0.98921)
    """
    share = (count + other_count) / (n_texts + n_others)
    have, lack = count + prior * n_texts * share, n_texts - count + prior * n_texts * (1 - share)
    other_have = other_count + prior * n_others * share
    other_lack = n_others - other_count + prior * n_others * (1 - share)
    ratio = np.log(have / lack) - np.log(other_have / other_lack)
    return ratio, ratio / np.sqrt(1 / have + 1 / lack + 1 / other_have + 1 / other_lack)


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
    >>> [found.phrase for found in table.characteristic(np.arange(20), np.arange(20, 40))]
    ['it may rain at night']
    """

    presence: Presence = field(repr=False)

    @property
    def n_texts(self) -> int:
        """Texts of the table."""
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
            Phrases at the most.

        Returns
        -------
        tuple of Phrase
            By z, the greatest first. Of phrases that overlap and stand in nearly the same texts
            only the longest is there.

        Notes
        -----
        A phrase is listed only where a random group of as many texts would not have it as
        often: its p-value (:func:`~mauve.explanation.wording.log_tails`) must be below a
        limit for all phrases together. So groups that do not differ have no phrase at all in at
        least 95% of cases, whatever their sizes and however many phrases there are.
        """
        if not len(focus) or not len(others) or not self.presence.n_phrases:
            return ()
        texts, columns = self.presence.pairs(focus)
        own = np.bincount(columns, minlength=self.presence.n_phrases)
        other = self.presence.counts(others)
        found = _beyond_chance(own, len(focus), other, len(others))
        if not len(found):
            return ()
        _, z = log_odds(own[found], len(focus), other[found], len(others))
        best = np.argsort(-z, kind="stable")[:_CANDIDATES]
        found, z = found[best], z[best]
        position = np.full(self.presence.n_phrases, -1)
        position[found] = np.arange(len(found))
        placed = position[columns]
        presence = np.zeros((len(found), len(focus)), dtype=bool)
        presence[placed[placed >= 0], texts[placed >= 0]] = True
        phrases = [self.presence.tokens_of(phrase) for phrase in found]
        return tuple(
            Phrase(
                self.presence.text_of(found[i]),
                float(z[i]),
                float(own[found[i]] / len(focus)),
                float(other[found[i]] / len(others)),
            )
            for i in told_apart(phrases, presence, n)
        )


def _beyond_chance(
    own: IntegerArray, n_own: int, other: IntegerArray, n_other: int
) -> IntegerArray:
    """Return the phrases that one group has more often than a random one would."""
    both, n = own + other, n_own + n_other
    likely = np.flatnonzero(own * n_other > other * n_own)
    limit = log_limit(both[both > 0], n_own, n, _LEVEL)
    return likely[log_tails(own[likely], both[likely], n_own, n) <= limit]


def phrase_table(texts: Sequence[str]) -> PhraseTable:
    """Find the words and phrases of all texts, and which text has which.

    Parameters
    ----------
    texts : sequence of str
        Of all samples, one after another.

    Returns
    -------
    PhraseTable
        Of words and phrases of up to five words, in lower case, that stand in at least five
        texts. A phrase does not reach across a punctuation mark.

    Examples
    --------
    >>> phrase_table(["Rain at night.", "Night, at last!"] * 5).presence.n_phrases
    8
    """
    return PhraseTable(read_phrases(texts))


def cluster_name(words: Sequence[Phrase]) -> str | None:
    """Return what to call a cluster: its most characteristic words, or None.

    Words that many other texts have too, which are mostly words of grammar, name nothing;
    phrases of more than two words are left out where there are shorter ones.

    Examples
    --------
    >>> words = [Phrase("which", 20.0, 0.9, 0.5), Phrase("the old ship", 9.0, 0.5, 0.1)]
    >>> words += [Phrase("sea", 8.0, 0.5, 0.1), Phrase("grey sky", 7.0, 0.4, 0.1)]
    >>> cluster_name(words), cluster_name(words[:2]), cluster_name(words[:1])
    ('sea, grey sky', 'the old ship', None)
    """
    telling = [word for word in words if word.other_share <= _COMMON]
    short = [word for word in telling if word.phrase.count(" ") < 2] or telling[:1]
    return ", ".join(word.phrase for word in short[:_NAME_WORDS]) or None
