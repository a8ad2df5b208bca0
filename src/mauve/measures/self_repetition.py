"""Compute self-repetition: how many n-grams of a text other texts of its sample have too."""

import numpy as np

from mauve.arrays import FloatArray, IntArray
from mauve.errors import check_int
from mauve.measures.estimate import Estimate, jackknife_influences
from mauve.measures.ngrams import Counts, find_ngrams
from mauve.measures.protocol import Measure, MeasuredSample, TokenTable, needed


def self_repetition_scores(table: TokenTable, n: int = 4) -> FloatArray:
    r"""Return the self-repetition of each text, as an array of shape (n_texts,).

    Parameters
    ----------
    table : TokenTable
    n : int
        Number of tokens of an n-gram.

    Notes
    -----
    With :math:`N_g` the number of *other* texts that have the n-gram g,

    .. math:: \log\Big(1 + \sum_{g \in x} N_g\Big)

    summed over the different n-grams of text x. It grows with the number of texts.

    References
    ----------
    Salkar, Trikalinos, Wallace and Nenkova, *Self-repetition in abstractive neural
    summarizers*, AACL 2022. Shaib, Barrow, Sun, Siu, Wallace and Nenkova, *Standardizing the
    measurement of text diversity*, 2024, whose package ``diversity`` has the same value.

    Examples
    --------
    >>> rows = [[0, 1, 2], [0, 1, 3], [0, 1, 2]]
    >>> self_repetition_scores(TokenTable.of(rows, 4), 2).round(4).tolist()
    [1.3863, 1.0986, 1.3863]
    """
    counts = find_ngrams(table, n).counts()
    return np.asarray(np.log1p(_shared(counts, counts.spread, len(table))))


def _shared(counts: Counts, spread: IntArray, n_texts: int) -> FloatArray:
    """Return the sum over the n-grams of each text of how many other texts have them."""
    return np.bincount(counts.units, spread[counts.grams] - 1, n_texts).astype(np.float64)


def self_repetition_measure(n: int = 4) -> Measure:
    """Return the measure self-repetition: the mean over texts, with n-grams of n tokens.

    Notes
    -----
    A text changes the values of all texts that share n-grams with it, so the interval is that
    of the delete-a-group jackknife: everything is counted again without each group of texts.

    Examples
    --------
    >>> self_repetition_measure(4).name
    'self-repetition-4'
    """
    check_int("n", n, 1)

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        table, groups = needed(sample.tokens, "tokens"), sample.groups
        counts = find_ngrams(table, n).counts()
        grams, units, spread = counts.grams, counts.units, counts.spread
        value = float(np.log1p(_shared(counts, spread, len(table))).mean())
        recurs = spread[grams] > 1  # n-grams of one text add nothing, with or without a group
        grams, units, labels = grams[recurs], units[recurs], groups.labels[units[recurs]]
        order = np.argsort(labels, kind="stable")
        ends = np.searchsorted(labels[order], np.arange(groups.count + 1))
        without = np.empty(groups.count)
        for group in range(groups.count):
            inside = grams[order[ends[group] : ends[group + 1]]]
            remaining = spread - np.bincount(inside, minlength=len(spread))
            sums = np.bincount(units, remaining[grams] - 1, len(table))
            others = groups.labels != group
            without[group] = np.log1p(sums[others]).mean() if others.any() else value
        influences = jackknife_influences(without, groups.sizes)
        return Estimate(value, influences, by_prompt=groups.by_prompt)

    return Measure(
        name=f"self-repetition-{n}",
        title=f"Self-rep-{n}",
        summary=f"log of how often other texts have the {n}-grams of a text, mean over texts",
        direction="human",
        needs=frozenset({"tokens"}),
        estimate=estimate,
        is_statistic=True,
        grows_with="tokens",
        low=0.0,
    )
