r"""Self-BLEU: how much of each text stands in the others too; high where texts are alike.

For each n-gram, the two texts that have it most often are found once for all. The largest
count among all texts *but one* is then at hand for every text, and all texts are scored
against all others in the time of a few sorts, where scoring them one by one takes a pass
over all texts for each.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.errors import InvalidParameterError, check_int
from mauve.measures.estimate import Estimate, Groups, moves_without
from mauve.measures.ngrams import Counts, ngrams
from mauve.measures.protocol import Measure, Side, TokenTable
from mauve.text.prompts import text_hashes

# What an n-gram length without any match counts (method 1 of Chen and Cherry 2014).
_EPSILON = 0.1


def self_bleu_scores(
    table: TokenTable, hypotheses: NDArray[np.intp] | None = None, max_n: int = 4
) -> FloatArray:
    r"""Return the BLEU of texts against all other texts of a sample.

    Parameters
    ----------
    table : TokenTable
        Of at least two texts.
    hypotheses : array of int, shape (n_hypotheses,), optional
        The texts to score, all by default; all others are references of each.
    max_n : int
        Tokens of the longest n-grams.

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

    where g runs over n-grams and :math:`r_h` is the length of another text nearest to
    :math:`\ell_h`, the shorter of two. Where no n-gram of a length matches, 0.1 stands
    for the numerator; a text that shares no token with any other has 0. Equal to NLTK's
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
    matches = np.stack([found for found, _ in _matches(table, max_n)], axis=-1)
    chosen = np.arange(len(table)) if hypotheses is None else hypotheses
    closest = closest_others(table.lengths)
    return _bleu(matches[chosen], table.lengths[chosen], closest[chosen])


def closest_others(lengths: IntArray) -> IntArray:
    """Return the length nearest to each among all others, the shorter of two.

    Parameters
    ----------
    lengths : array of int, shape (n,)
        Of at least two texts.

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
    """Return BLEU for matches of shape (n, max_n) of texts and the nearest reference length."""
    orders = np.arange(matches.shape[1])
    totals = np.maximum(lengths[:, None] - orders, 1)
    precision = np.where(matches == 0, _EPSILON, matches) / totals
    brevity = np.minimum(0.0, 1 - closest / np.maximum(lengths, 1))
    scores = np.exp(np.log(precision).mean(axis=1) + brevity)
    return np.where(matches[:, 0] == 0, 0.0, scores)


def _matches(
    table: TokenTable, max_n: int, groups: Groups | None = None
) -> Iterator[tuple[IntArray, NDArray[np.int32]]]:
    """Yield the matches of each text for each length of n-grams, and how they hang on groups.

    Yields
    ------
    array of int, shape (n_texts,)
        N-grams of each text found in another, clipped.
    array of int, shape (n_texts, n_groups)
        How many fewer there are without the texts of another group.
    """
    found = ngrams(table, 1)
    for order in range(max_n):
        counts = found.counts()
        # What one text alone has matches nothing, and no longer n-gram that ends in it does.
        is_shared = counts.spread > 1
        yield _matches_of(_only(counts, is_shared), len(table), groups)
        if order < max_n - 1:
            found = found.longer(is_shared)


def _only(counts: Counts, keep: BoolArray) -> Counts:
    """Leave n-grams out."""
    kept = np.repeat(keep, counts.spread)
    sizes = counts.spread[keep]
    return Counts(np.cumsum(sizes) - sizes, counts.units[kept], counts.counts[kept])


def _matches_of(
    counts: Counts, n_texts: int, groups: Groups | None
) -> tuple[IntArray, NDArray[np.int32]]:
    """Return the matches of one length of n-grams, each of which two or more texts have."""
    grams, texts = counts.grams, counts.units.astype(np.int64)
    # Count and text in one number: the largest tells how often and where.
    bits = n_texts.bit_length()
    ranks = counts.counts << bits | texts

    def best(allowed: BoolArray) -> IntArray:
        """Return the rank of the text that has each n-gram most often, 0 where there is none."""
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

    # Only without the group of its rival can a text match less. Who is next, outside that group?
    mask = (1 << bits) - 1
    own = groups.labels[texts]
    away = groups.labels[rival & mask]
    is_outside = own != groups.labels[first & mask]
    next_to_first = best(is_outside)
    is_next = ranks == next_to_first
    further = best(is_outside & ~is_next)
    next_to_second = best(~is_first & (own != groups.labels[second & mask]))
    following = np.where(is_first, next_to_second, np.where(is_next, further, next_to_first))
    lost = clipped - np.minimum(counts.counts, following >> bits)
    # A text that goes with the group is no hypothesis any more.
    held = (lost > 0) & (own != away)
    cells = texts[held] * groups.count + away[held]
    sums = np.bincount(cells, lost[held], n_texts * groups.count)
    return matches, sums.astype(np.int32).reshape(n_texts, groups.count)


def self_bleu(sample: int | None = None) -> Measure:
    r"""Return the measure Self-BLEU with 4-grams, the mean BLEU of texts against all others.

    Parameters
    ----------
    sample : int, optional
        How many texts to score, drawn by the seed and their content, so in whatever order
        they come; all where there are fewer. Each is scored against all others. None, which
        takes no longer, scores all.

    Notes
    -----
    The paper scores 1,000 of 5,000 texts (appendix C.4). Self-BLEU rises with the number of
    texts, for every text has more references: compare samples of one size.

    The interval is that of the jackknife, computed exactly: without a group, its texts are
    neither scored nor references of the others. Both parts matter, since a text that is like
    many others is like them from both sides.

    Examples
    --------
    >>> self_bleu().name, self_bleu(1000).name
    ('self-bleu', 'self-bleu-1000')
    """
    if sample is not None:
        check_int("self_bleu", "sample", sample, 1)

    def estimate(own: Side, human: Side) -> Estimate:
        return _estimate(own, sample)

    return Measure(
        name="self-bleu" if sample is None else f"self-bleu-{sample}",
        title="Self-BLEU" if sample is None else f"Self-BLEU ({sample:,})",
        summary="BLEU of each text against all others"
        + ("" if sample is None else f", of {sample:,} drawn texts"),
        direction="human",
        needs=frozenset({"tokens"} if sample is None else {"tokens", "texts"}),
        estimate=estimate,
        is_statistic=True,
        grows_with="tokens",
        low=0.0,
        high=1.0,
    )


def _estimate(own: Side, sample: int | None) -> Estimate:
    assert own.tokens is not None
    table, groups = own.tokens, own.groups
    is_scored = np.ones(len(table), dtype=bool)
    if sample is not None:
        assert own.texts is not None
        keys = text_hashes([f"{own.seed} {text}" for text in own.texts])
        is_scored[np.argsort(keys, kind="stable")[sample:]] = False
    if len(table.ids) == 0:
        raise InvalidParameterError(
            f"'{own.name}' must have at least one token for Self-BLEU. "
            f"Got {len(table)} texts without any instead."
        )
    parts = list(_matches(table, 4, groups))
    matches = np.stack([found for found, _ in parts], axis=-1)
    lengths = table.lengths
    scores = _bleu(matches[is_scored], lengths[is_scored], closest_others(lengths)[is_scored])
    without = np.empty(groups.count)
    for group in range(groups.count):
        stays = groups.labels != group
        scored = stays & is_scored
        if stays.sum() < 2 or not scored.any():
            raise InvalidParameterError(
                f"'{own.name}' must have texts in more than one group for an interval of "
                f"Self-BLEU. Got {len(table) - stays.sum()} of {len(table)} texts in one instead: "
                "give more prompts, or none."
            )
        closest = closest_others(lengths[stays])[is_scored[stays]]
        left = matches[scored] - np.stack([lost[scored, group] for _, lost in parts], axis=-1)
        without[group] = _bleu(left, lengths[scored], closest).mean()
    moves = moves_without(without, groups.sizes)
    return Estimate(float(scores.mean()), moves, by_prompt=groups.by_prompt)
