"""Compute the overlap of the vocabularies of a system and of human text.

The overlap of word lists or of word frequencies depends on the size of the samples: most words
are rare, so two halves of one human sample overlap less the smaller they are. Here a few texts
are drawn from each sample, and their common words are compared with those of two such draws from
the *same* sample. The expectation over all draws has a closed form with an unbiased estimate:
the overlap of human text with other human text is 1 for small and for large samples.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray, IntArray
from mauve.errors import UndefinedError
from mauve.measures.estimate import Estimate, Groups, jackknife_influences
from mauve.measures.protocol import Measure, MeasuredSample, TokenTable, needed

#: Texts in a draw. Two draws need eight texts, which remain of the smallest sample, of ten texts,
#: without any group.
_DRAWN = 4


@dataclass(frozen=True)
class Usage:
    """Which types (different tokens) a draw of a few texts of a sample has.

    Attributes
    ----------
    presence : array of shape (n_types,)
        Probability that a draw has each type.
    recurrence : float
        Expected number of types common to two draws from the sample without a common text.
    """

    presence: FloatArray
    recurrence: float

    @classmethod
    def of(cls, frequencies: IntArray, n_texts: int, drawn: int = _DRAWN) -> "Usage":
        """Compute it from the number of texts that have each type.

        Parameters
        ----------
        frequencies : array of int, shape (n_types,)
        n_texts : int
            Texts of the sample, at least twice `drawn`.
        drawn : int
            Texts in a draw.

        Examples
        --------
        >>> usage = Usage.of(np.array([4, 2]), n_texts=4, drawn=1)
        >>> usage.presence.tolist(), round(usage.recurrence, 3)  # 1 + 1/2 * 1/3
        ([1.0, 0.5], 1.167)
        """
        absence = _absence(frequencies, n_texts, drawn)
        both = 1 - 2 * absence + _absence(frequencies, n_texts, 2 * drawn)
        # A type of one text cannot be in both draws; avoid rounding errors.
        return cls(1 - absence, float(both[frequencies > 1].sum()))

    def overlap(self, other: "Usage") -> float:
        r"""Return the normalised expected number of types shared with another sample.

        Notes
        -----
        With :math:`a_w` and :math:`b_w` the probabilities that m texts of either sample have
        type w,

        .. math:: O = \frac{2 \sum_w a_w b_w}{\sum_w a_w^2 + \sum_w b_w^2}

        is 1 if they are equal for all types, 0 if no type is in both, and in between otherwise.
        Of n texts :math:`d_w` have type w. Then
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
        >>> usage = Usage(np.array([0.5, 0.5, 0.0]), 0.5)
        >>> round(usage.overlap(Usage(np.array([0.0, 0.5, 0.5]), 0.5)), 3)
        0.5
        """
        return 2 * float(self.presence @ other.presence) / (self.recurrence + other.recurrence)


def _absence(frequencies: IntArray, n_texts: int, drawn: int) -> FloatArray:
    """Return the probability that no text of a draw without replacement has each type."""
    # Computed once for each possible frequency, of which there are fewer than types.
    without = n_texts - np.arange(n_texts + 1)
    steps = np.arange(drawn)[:, None]
    absence = np.prod(np.maximum(without - steps, 0) / (n_texts - steps), axis=0)
    return np.asarray(absence[frequencies])


def usage_by_group(
    table: TokenTable, groups: Groups, types: NDArray[np.intp]
) -> tuple[Usage, list[Usage]]:
    """Return the usage of a sample, and the usages without each of its groups.

    Parameters
    ----------
    table : TokenTable
    groups : Groups
        Without any group, enough texts for two draws must remain.
    types : array of int, shape (n_types,)
        The tokens that occur in any text, ascending.

    Examples
    --------
    >>> table = TokenTable.of([[0, 1, 0]] * 20, 2)
    >>> usage, without = usage_by_group(table, Groups(np.arange(20) % 2, 2), np.arange(2))
    >>> usage.presence.tolist(), len(without)
    ([1.0, 1.0], 2)
    """
    pairs = np.unique(table.texts * np.int64(table.vocabulary_size) + table.ids)
    label = groups.labels[pairs // table.vocabulary_size]
    token = pairs % table.vocabulary_size
    limit = int(types[-1]) + 1 if len(types) else 0
    frequencies = np.bincount(token, minlength=limit)
    without = []
    for group, size in enumerate(groups.sizes):
        in_group = np.bincount(token[label == group], minlength=limit)
        without.append(Usage.of((frequencies - in_group)[types], len(table) - int(size)))
    return Usage.of(frequencies[types], len(table)), without


def jackknife_bias(value: float, without: FloatArray, sizes: NDArray[np.intp]) -> float:
    r"""Return the bias of order 1 / n of a value, by the jackknife.

    Parameters
    ----------
    value : float
    without : array of shape (n_groups,)
        The value without each group.
    sizes : array of int, shape (n_groups,)
        Number of texts of each group.

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


def _estimate(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    tables = [needed(sample.tokens, "tokens") for sample in (system, human)]
    _check_groups(system)
    _check_groups(human)
    size = max(table.vocabulary_size for table in tables)
    types = np.flatnonzero(sum(np.bincount(table.ids, minlength=size) for table in tables))
    usage, usage_without = usage_by_group(tables[0], system.groups, types)
    human_usage, human_without = usage_by_group(tables[1], human.groups, types)
    for sample, usages in ((system, usage_without), (human, human_without)):
        if min(without.recurrence for without in usages) <= 0:
            raise UndefinedError(
                f"'{sample.name}' must have words that recur in another of its texts for the "
                f"overlap of vocabularies. Got {len(sample.groups.labels)} texts with hardly any "
                "instead: give more or longer texts."
            )
    value = usage.overlap(human_usage)
    by_system = np.array([without.overlap(human_usage) for without in usage_without])
    by_human = np.array([usage.overlap(without) for without in human_without])
    sizes, human_sizes = system.groups.sizes, human.groups.sizes
    if system.groups.by_prompt:
        # Texts of one prompt share words across samples, so leave out each prompt in both.
        pairs = zip(usage_without, human_without, strict=True)
        joint = np.array([first.overlap(second) for first, second in pairs])
        bias = jackknife_bias(value, joint, sizes + human_sizes)
    else:
        bias = jackknife_bias(value, by_system, sizes)
        bias += jackknife_bias(value, by_human, human_sizes)
    return Estimate(
        min(1.0, max(0.0, value - bias)),
        jackknife_influences(by_system, sizes),
        jackknife_influences(by_human, human_sizes),
        by_prompt=system.groups.by_prompt,
    )


def _check_groups(sample: MeasuredSample) -> None:
    n_remaining = int(len(sample.groups.labels) - sample.groups.sizes.max())
    if n_remaining < 2 * _DRAWN:
        raise UndefinedError(
            f"'{sample.name}' must have at least {2 * _DRAWN} texts outside each of its groups "
            f"for the overlap of vocabularies. Got {n_remaining} instead: give more texts or "
            "more prompts."
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
