"""Vocabulary overlap: how far a sample and people have the same words in their texts.

Overlaps of plain word lists or word shares say more about the size of samples than about
their words: two halves of one human sample overlap less the smaller they are, for most words
are rare. Here a few texts are drawn from each sample and their words compared with those of
as many texts drawn once more from the *same* sample. The expectation over all such draws
has a closed form whose estimate is free of that bias: the overlap of human text with other
human text is 1, from as few texts as from many.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray, IntArray
from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Estimate, Groups, moves_without
from mauve.measures.protocol import Measure, Side, TokenTable

#: Texts in a draw; eight are left of ten, the fewest of a sample, without the largest group.
_DRAWN = 4


@dataclass(frozen=True)
class Usage:
    """Which words a few texts of a sample have.

    Attributes
    ----------
    presence : array of shape (n_types,)
        Probability that a draw of texts has each type.
    recurrence : float
        Expected number of types that two draws from the sample, without a text in common,
        both have.
    """

    presence: FloatArray
    recurrence: float

    @classmethod
    def of(cls, frequencies: IntArray, n_texts: int, drawn: int = _DRAWN) -> "Usage":
        """Make it of the number of texts that have each type.

        Parameters
        ----------
        frequencies : array of int, shape (n_types,)
        n_texts : int
            Of the sample, at least twice `drawn`.
        drawn : int

        Examples
        --------
        >>> usage = Usage.of(np.array([4, 2]), n_texts=4, drawn=1)
        >>> usage.presence.tolist(), round(usage.recurrence, 3)  # 1 + 1/2 * 1/3
        ([1.0, 0.5], 1.167)
        """
        absence = _absence(frequencies, n_texts, drawn)
        both = 1 - 2 * absence + _absence(frequencies, n_texts, 2 * drawn)
        # A type of one text is in no two draws; rounding must not say otherwise.
        return cls(1 - absence, float(both[frequencies > 1].sum()))

    def overlap(self, other: "Usage") -> float:
        r"""Return the normalised expected number of types shared with another sample.

        Notes
        -----
        With :math:`a_w` and :math:`b_w` the probabilities that m texts of either sample have
        type w,

        .. math:: O = \frac{2 \sum_w a_w b_w}{\sum_w a_w^2 + \sum_w b_w^2}

        is 1 if they are the same for all types, 0 if no type is in both, and in between
        otherwise. Of n texts :math:`d_w` have type w. Then
        :math:`1 - \binom{n - d_w}{m} / \binom{n}{m}` is an unbiased estimate of :math:`a_w`,
        and :math:`1 - 2 \binom{n - d_w}{m} / \binom{n}{m} + \binom{n - d_w}{2m} /
        \binom{n}{2m}` one of :math:`a_w^2`.

        References
        ----------
        Grassle and Smith, *A similarity measure sensitive to the contribution of rare species
        and its use in investigation of variation in marine benthic communities*, Oecologia
        25, 1976 (NESS; there individuals are drawn, here texts). For m = 1 it is the index of
        Morisita, *Measuring of interspecific association*, 1959.

        Examples
        --------
        >>> one = Usage(np.array([0.5, 0.5, 0.0]), 0.5)
        >>> round(one.overlap(Usage(np.array([0.0, 0.5, 0.5]), 0.5)), 3)
        0.5
        """
        return 2 * float(self.presence @ other.presence) / (self.recurrence + other.recurrence)


def _absence(frequencies: IntArray, n_texts: int, drawn: int) -> FloatArray:
    """Return the probability that no text of a draw without replacement has each type."""
    # Of each possible frequency, since far fewer are possible than there are types.
    without = n_texts - np.arange(n_texts + 1)
    steps = np.arange(drawn)[:, None]
    found = np.prod(np.maximum(without - steps, 0) / (n_texts - steps), axis=0)
    return np.asarray(found[frequencies])


def usage_by_group(
    table: TokenTable, groups: Groups, types: NDArray[np.intp]
) -> tuple[Usage, list[Usage]]:
    """Return the usage of a sample, and the usages without each of its groups.

    Parameters
    ----------
    table : TokenTable
    groups : Groups
        Twice :data:`_DRAWN` texts must be left without any of them.
    types : array of int, shape (n_types,)
        The tokens to look for, rising; no text has others.

    Examples
    --------
    >>> table = TokenTable.of([[0, 1, 0]] * 20, 2)
    >>> usage, without = usage_by_group(table, Groups(np.arange(20) % 2, 2), np.arange(2))
    >>> usage.presence.tolist(), len(without)
    ([1.0, 1.0], 2)
    """
    once = np.unique(table.texts * np.int64(table.vocabulary_size) + table.ids)
    label = groups.labels[once // table.vocabulary_size]
    token = once % table.vocabulary_size
    limit = int(types[-1]) + 1 if len(types) else 0
    every = np.bincount(token, minlength=limit)
    without = []
    for group, size in enumerate(groups.sizes):
        gone = np.bincount(token[label == group], minlength=limit)
        without.append(Usage.of((every - gone)[types], len(table) - int(size)))
    return Usage.of(every[types], len(table)), without


def jackknife_bias(value: float, without: FloatArray, sizes: NDArray[np.intp]) -> float:
    r"""Return the bias of a value of the order of 1 / n, by the jackknife.

    Parameters
    ----------
    value : float
    without : array of shape (n_groups,)
        The same without each group.
    sizes : array of int, shape (n_groups,)
        Texts of each group.

    Notes
    -----
    :math:`\sum_g (1 - n_g / n) (\hat\theta_{(-g)} - \hat\theta)`, for groups of
    :math:`n_g` of n texts.

    References
    ----------
    Busing, Meijer and Van der Leeden, *Delete-m jackknife for unequal m*, Statistics and
    Computing 9, 1999.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 6.0])
    >>> without = np.array([np.delete(x, i).var() for i in range(3)])
    >>> bias = jackknife_bias(x.var(), without, np.ones(3, dtype=int))
    >>> bool(np.isclose(x.var() - bias, x.var(ddof=1)))
    True
    """
    return float(((1 - sizes / sizes.sum()) * (without - value)).sum())


def _estimate(own: Side, human: Side) -> Estimate:
    assert own.tokens is not None
    assert human.tokens is not None
    _check_groups(own)
    _check_groups(human)
    size = max(own.tokens.vocabulary_size, human.tokens.vocabulary_size)
    is_used = sum(np.bincount(side.ids, minlength=size) for side in (own.tokens, human.tokens))
    types = np.flatnonzero(is_used)
    mine, mine_without = usage_by_group(own.tokens, own.groups, types)
    people, people_without = usage_by_group(human.tokens, human.groups, types)
    for side, usages in ((own, mine_without), (human, people_without)):
        if min(usage.recurrence for usage in usages) <= 0:
            raise InvalidParameterError(
                f"'{side.name}' must have words that recur in another of its texts for the "
                f"overlap of vocabularies. Got {len(side.groups.labels)} texts with hardly any "
                "instead: give more or longer texts."
            )
    value = mine.overlap(people)
    by_own = np.array([usage.overlap(people) for usage in mine_without])
    by_human = np.array([mine.overlap(usage) for usage in people_without])
    sizes, human_sizes = own.groups.sizes, human.groups.sizes
    if own.groups.by_prompt:
        # Texts of one prompt share words that texts of one sample, on other prompts, do not.
        pairs = zip(mine_without, people_without, strict=True)
        joint = np.array([one.overlap(other) for one, other in pairs])
        bias = jackknife_bias(value, joint, sizes + human_sizes)
    else:
        bias = jackknife_bias(value, by_own, sizes) + jackknife_bias(value, by_human, human_sizes)
    return Estimate(
        min(1.0, max(0.0, value - bias)),
        moves_without(by_own, sizes),
        moves_without(by_human, human_sizes),
        by_prompt=own.groups.by_prompt,
    )


def _check_groups(side: Side) -> None:
    left = int(len(side.groups.labels) - side.groups.sizes.max())
    if left < 2 * _DRAWN:
        raise InvalidParameterError(
            f"'{side.name}' must have at least {2 * _DRAWN} texts outside each of its groups for "
            f"the overlap of vocabularies. Got {left} instead: give more texts or more prompts."
        )


VOCABULARY = Measure(
    name="vocabulary",
    title="Vocabulary",
    summary="overlap of the words of a few texts, 1 for the same source",
    direction="higher",
    needs=frozenset({"tokens"}),
    estimate=_estimate,
    is_statistic=False,
    low=0.0,
    high=1.0,
)
