"""Words and phrases that some texts have more often than others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mauve.explanation.enrichment import log_limit, log_tails
from mauve.explanation.overlapping import told_apart
from mauve.explanation.phrases import Presence, read_phrases
from mauve.explanation.results import Phrase

Array = NDArray[np.float64]
Ints = NDArray[np.integer]

_PRIOR = 0.25  # texts of the prior for each text of a group
_LEVEL = 0.05  # chance of any phrase at all where both groups are alike
_CANDIDATES = 400  # phrases that are compared with each other
_NAME_WORDS = 3
_COMMON = 0.25  # share of other texts that have a word of grammar rather than of content


def log_odds(
    count: Ints, n_texts: int, other_count: Ints, n_others: int, prior: float = _PRIOR
) -> tuple[Array, Array]:
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

    def characteristic(self, focus: Ints, others: Ints, n: int = 8) -> tuple[Phrase, ...]:
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
        often: its p-value (:func:`~mauve.explanation.enrichment.log_tails`) must be below a
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


def _beyond_chance(own: Ints, n_own: int, other: Ints, n_other: int) -> Ints:
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
