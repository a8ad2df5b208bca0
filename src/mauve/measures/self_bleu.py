r"""Compute Self-BLEU: the mean BLEU of each text against all others; high for similar texts.

For each n-gram, the two largest counts and their texts are found once. From them follows the
largest count among all texts *but one*, for every text. So all texts are scored against all
others in the time of a few sorts, instead of one pass over all texts for each.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.errors import UndefinedError, check_int
from mauve.hashes import text_hashes
from mauve.measures.estimate import Estimate, Groups, jackknife_influences
from mauve.measures.ngrams import Counts, find_ngrams
from mauve.measures.protocol import Measure, MeasuredSample, TokenTable, needed

# Number of matches of an n-gram length without any (method 1 of Chen and Cherry 2014).
_EPSILON = 0.1


def self_bleu_scores(
    table: TokenTable, hypotheses: NDArray[np.intp] | None = None, max_n: int = 4
) -> FloatArray:
    r"""Return the BLEU of texts against all other texts of a sample.

    Parameters
    ----------
    table : TokenTable
        At least two texts.
    hypotheses : array of int, shape (n_hypotheses,), optional
        Indices of the texts to score, all by default. The references of a text are all others.
    max_n : int
        Number of tokens of the longest n-grams.

    Returns
    -------
    array of shape (n_hypotheses,)
        Between 0 and 1.

    Notes
    -----
    For text h of length :math:`\ell_h`, with :math:`c_h(g)` the count of n-gram g in it,

    .. math::
        \mathrm{BLEU}(h) = e^{\min(0, 1 - r_h / \ell_h)} \prod_{n=1}^N p_n(h)^{1/N}, \qquad
        p_n(h) = \frac{\sum_g \min(c_h(g), \max_{i \ne h} c_i(g))}{\sum_g c_h(g)},

    where g runs over n-grams and :math:`r_h` is the length of the other text nearest to
    :math:`\ell_h`, the shorter of two. If no n-gram of a length matches, the numerator is
    0.1; a text that shares no token with any other scores 0. Equal to NLTK's
    ``sentence_bleu`` with ``SmoothingFunction().method1``.

    References
    ----------
    Papineni, Roukos, Ward and Zhu, *BLEU: a method for automatic evaluation of machine
    translation*, ACL 2002. Zhu, Lu, Zheng, Guo, Zhang, Wang and Yu, *Texygen: a benchmarking
    platform for text generation models*, SIGIR 2018 (Self-BLEU). Chen and Cherry, *A
    systematic comparison of smoothing techniques for sentence-level BLEU*, WMT 2014.

    Examples
    --------
    >>> same, other = [1, 2, 3, 4, 5], [6, 7, 8, 9, 0]
    >>> self_bleu_scores(TokenTable.of([same, same, other], 10)).tolist()
    [1.0, 1.0, 0.0]
    """
    matches = np.stack([matched for matched, _ in _matches(table, max_n)], axis=-1)
    chosen = np.arange(len(table)) if hypotheses is None else hypotheses
    closest = closest_others(table.lengths)
    return _bleu(matches[chosen], table.lengths[chosen], closest[chosen])


def closest_others(lengths: IntArray) -> IntArray:
    """Return the length nearest to each length among all others, the shorter of two.

    Parameters
    ----------
    lengths : array of int, shape (n,)
        At least two.

    Examples
    --------
    >>> closest_others(np.array([3, 3, 5, 7, 10])).tolist()
    [3, 3, 3, 5, 7]
    """
    values, places, repeats = np.unique(lengths, return_inverse=True, return_counts=True)
    padded = np.concatenate([[-np.inf], values, [np.inf]])
    below, above = padded[:-2], padded[2:]
    nearest = np.where(values - below <= above - values, below, above)
    return np.where(repeats > 1, values, nearest).astype(np.int64)[places]


def _bleu(matches: IntArray, lengths: IntArray, closest: IntArray) -> FloatArray:
    """Return BLEU from the matches, shape (n, max_n), and the nearest reference lengths."""
    orders = np.arange(matches.shape[1])
    totals = np.maximum(lengths[:, None] - orders, 1)
    precision = np.where(matches == 0, _EPSILON, matches) / totals
    brevity = np.minimum(0.0, 1 - closest / np.maximum(lengths, 1))
    scores = np.exp(np.log(precision).mean(axis=1) + brevity)
    return np.where(matches[:, 0] == 0, 0.0, scores)


def _matches(
    table: TokenTable, max_n: int, groups: Groups | None = None
) -> Iterator[tuple[IntArray, NDArray[np.int32]]]:
    """Yield the matches of each text for each length of n-grams, and their loss by group.

    Yields
    ------
    array of int, shape (n_texts,)
        Clipped number of n-grams of each text that occur in another.
    array of int, shape (n_texts, n_groups)
        By how much that number falls without the texts of each group.
    """
    grams = find_ngrams(table, 1)
    for order in range(max_n):
        counts = grams.counts()
        # An n-gram of one text matches nothing, nor does any longer n-gram that ends in it.
        is_shared = counts.spread > 1
        yield _matches_of(_selected(counts, is_shared), len(table), groups)
        if order < max_n - 1:
            grams = grams.longer(is_shared)


def _selected(counts: Counts, keep: BoolArray) -> Counts:
    """Return the counts of some n-grams."""
    keep_pair = np.repeat(keep, counts.spread)
    sizes = counts.spread[keep]
    return Counts(np.cumsum(sizes) - sizes, counts.units[keep_pair], counts.counts[keep_pair])


def _matches_of(
    counts: Counts, n_texts: int, groups: Groups | None
) -> tuple[IntArray, NDArray[np.int32]]:
    """Return the matches of n-grams of one length, each of which occurs in two or more texts."""
    grams, texts = counts.grams, counts.units.astype(np.int64)
    # A rank holds a count and its text, so that the maximum gives both.
    bits = n_texts.bit_length()
    ranks = counts.counts << bits | texts

    def best(allowed: BoolArray) -> IntArray:
        """Return the largest allowed rank of each pair's n-gram, or 0."""
        return np.maximum.reduceat(np.where(allowed, ranks, 0), counts.firsts)[grams]

    if len(texts) == 0:
        n_groups = 0 if groups is None else groups.count
        return np.zeros(n_texts, np.int64), np.zeros((n_texts, n_groups), np.int32)
    is_first = ranks == best(np.ones(len(ranks), dtype=bool))
    first, second = best(is_first), best(~is_first)
    rival = np.where(is_first, second, first)
    clipped = np.minimum(counts.counts, rival >> bits)
    matches = np.bincount(texts, clipped, n_texts).astype(np.int64)
    if groups is None:
        return matches, np.zeros((n_texts, 0), np.int32)

    # A text loses matches only without the group of its rival. Find the next rank outside it.
    mask = (1 << bits) - 1
    text_group = groups.labels[texts]
    rival_group = groups.labels[rival & mask]
    is_outside = text_group != groups.labels[first & mask]
    next_to_first = best(is_outside)
    is_next = ranks == next_to_first
    further = best(is_outside & ~is_next)
    next_to_second = best(~is_first & (text_group != groups.labels[second & mask]))
    following = np.where(is_first, next_to_second, np.where(is_next, further, next_to_first))
    lost = clipped - np.minimum(counts.counts, following >> bits)
    # A text of the rival's group is not scored without that group.
    counts_as_loss = (lost > 0) & (text_group != rival_group)
    index = texts[counts_as_loss] * groups.count + rival_group[counts_as_loss]
    sums = np.bincount(index, lost[counts_as_loss], n_texts * groups.count)
    return matches, sums.astype(np.int32).reshape(n_texts, groups.count)


def self_bleu_measure(n_scored: int | None = None) -> Measure:
    r"""Return the measure Self-BLEU with 4-grams, the mean BLEU of texts against all others.

    Parameters
    ----------
    n_scored : int, optional
        Number of texts to score, each against all others. They are drawn by the random seed and
        their content, independent of their order. By default all are scored, which takes no
        longer.

    Notes
    -----
    The paper scores 1,000 of 5,000 texts (appendix C.4). Self-BLEU rises with the number of
    texts, since every text has more references: compare samples of equal size.

    The interval comes from the jackknife, computed exactly: without a group, its texts are
    neither scored nor references of others. Both parts matter, since a text that resembles
    many others raises their scores as well as its own.

    Examples
    --------
    >>> self_bleu_measure().name, self_bleu_measure(1000).name
    ('self-bleu', 'self-bleu-1000')
    """
    if n_scored is not None:
        check_int("n_scored", n_scored, 1)

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        return _estimate(sample, n_scored)

    return Measure(
        name="self-bleu" if n_scored is None else f"self-bleu-{n_scored}",
        title="Self-BLEU" if n_scored is None else f"Self-BLEU ({n_scored:,})",
        summary="BLEU of each text against all others"
        + ("" if n_scored is None else f", of {n_scored:,} drawn texts"),
        direction="human",
        needs=frozenset({"tokens"} if n_scored is None else {"tokens", "texts"}),
        estimate=estimate,
        is_statistic=True,
        grows_with="tokens",
        low=0.0,
        high=1.0,
    )


def _estimate(sample: MeasuredSample, n_scored: int | None) -> Estimate:
    table, groups = needed(sample.tokens, "tokens"), sample.groups
    is_scored = np.ones(len(table), dtype=bool)
    if n_scored is not None:
        texts = needed(sample.texts, "texts")
        hashes = text_hashes([f"{sample.seed} {text}" for text in texts])
        is_scored[np.argsort(hashes, kind="stable")[n_scored:]] = False
    if len(table.ids) == 0:
        raise UndefinedError(
            f"'{sample.name}' must have at least one token for Self-BLEU. "
            f"Got {len(table)} texts without any instead."
        )
    parts = list(_matches(table, 4, groups))
    matches = np.stack([matched for matched, _ in parts], axis=-1)
    lengths = table.lengths
    scores = _bleu(matches[is_scored], lengths[is_scored], closest_others(lengths)[is_scored])
    without = np.empty(groups.count)
    for group in range(groups.count):
        remains = groups.labels != group
        scored = remains & is_scored
        if remains.sum() < 2 or not scored.any():
            raise UndefinedError(
                f"'{sample.name}' must have texts in more than one group for an interval of "
                f"Self-BLEU. Got {len(table) - remains.sum()} of {len(table)} texts in one "
                "instead: give more prompts, or none."
            )
        closest = closest_others(lengths[remains])[is_scored[remains]]
        lost = np.stack([by_group[scored, group] for _, by_group in parts], axis=-1)
        without[group] = _bleu(matches[scored] - lost, lengths[scored], closest).mean()
    influences = jackknife_influences(without, groups.sizes)
    return Estimate(float(scores.mean()), influences, by_prompt=groups.by_prompt)
