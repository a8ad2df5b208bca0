"""Compute lexical diversity that does not fall with the length of a text: MTLD, MATTR, HD-D."""

from collections.abc import Callable, Sequence

import numpy as np
import scipy

from mauve.arrays import FloatArray, IntegerArray
from mauve.errors import InvalidParameterError, UndefinedError, check_int, check_share
from mauve.escape import escaped
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.ngrams import find_ngrams
from mauve.measures.protocol import Measure, MeasuredSample, TokenTable, needed

#: Type-token ratio at which MTLD begins another factor.
THRESHOLD = 0.72
#: Tokens of a window of MATTR.
WINDOW = 50
#: Tokens that HD-D draws.
DRAWS = 42


def mtld(tokens: Sequence[int], threshold: float = THRESHOLD) -> float:
    r"""Return MTLD, the measure of textual lexical diversity, of one text.

    Parameters
    ----------
    tokens : sequence of int, of at least one
    threshold : float in (0, 1)
        Type-token ratio that ends a factor.

    Notes
    -----
    Tokens are read until the ratio of different tokens to tokens is at the threshold or below;
    that is one factor, and counting begins again. What is left at the end is a part of a
    factor, :math:`(1 - \text{ratio}) / (1 - \text{threshold})`. MTLD is the number of tokens
    divided by the number of factors, and the mean of reading forwards and backwards. A text
    without any repeated token has its number of tokens.

    References
    ----------
    McCarthy and Jarvis, *MTLD, vocd-D, and HD-D: a validation study of sophisticated approaches
    to lexical diversity assessment*, Behavior Research Methods 42, 2010.

    Examples
    --------
    >>> mtld([1, 1, 1, 1]), mtld([1, 2, 3])
    (2.0, 3.0)
    """
    check_share("threshold", threshold)
    if not len(tokens):
        raise InvalidParameterError(
            "'tokens' must be those of a text with at least one token. Got none instead."
        )
    return (_one_way(tokens, threshold) + _one_way(tokens[::-1], threshold)) / 2


def _one_way(tokens: Sequence[int], threshold: float) -> float:
    seen: set[int] = set()
    n, factors, rate = 0, 0.0, 1.0
    for token in tokens:
        n += 1
        seen.add(token)
        rate = len(seen) / n
        if rate <= threshold:
            n, factors, seen = 0, factors + 1, set()
    if n:
        factors += (1 - rate) / (1 - threshold)
    return len(tokens) / (factors or 1.0)


def mattrs(table: TokenTable, window: int = WINDOW) -> FloatArray:
    r"""Return the moving-average type-token ratio of each text.

    Parameters
    ----------
    table : TokenTable
    window : int

    Returns
    -------
    array of float, shape (n_texts,)
        For a text of fewer tokens than a window, its type-token ratio; 0 without tokens.

    Notes
    -----
    The mean, over all windows of w consecutive tokens, of the number of different tokens
    divided by w. Token j is the first of its kind in all windows that hold it but not the token
    of its kind before it, at i: with T tokens these begin at :math:`\max(i + 1, j - w + 1, 0)` to
    :math:`\min(j, T - w)`, so that one pass over the tokens counts them.

    References
    ----------
    Covington and McFall, *Cutting the Gordian knot: the moving-average type-token ratio
    (MATTR)*, Journal of Quantitative Linguistics 17, 2010.

    Examples
    --------
    >>> mattrs(TokenTable.of([[0, 1, 1, 2], [3, 3, 3]], 4), 2).round(4).tolist()
    [0.8333, 0.5]
    """
    check_int("window", window, 1)
    lengths = table.lengths
    texts, starts = table.texts, table.starts[:-1]
    places = np.arange(len(table.ids)) - starts[texts]
    before = np.full(len(table.ids), -1)
    grams = find_ngrams(table, 1)
    same = (grams.numbers[1:] == grams.numbers[:-1]) & (
        texts[grams.places[1:]] == texts[grams.places[:-1]]
    )
    before[grams.places[1:][same]] = places[grams.places[:-1][same]]
    widths = np.maximum(np.minimum(window, lengths), 1)
    first = np.maximum(np.maximum(before + 1, places - widths[texts] + 1), 0)
    last = np.minimum(places, (lengths - widths)[texts])
    firsts_of_kind = np.maximum(last - first + 1, 0)
    sums = np.bincount(texts, firsts_of_kind, len(table))
    return np.asarray(sums / (widths * np.maximum(lengths - widths + 1, 1)))


def hdds(table: TokenTable, draws: int = DRAWS) -> FloatArray:
    r"""Return HD-D, the hypergeometric diversity, of each text.

    Parameters
    ----------
    table : TokenTable
    draws : int

    Returns
    -------
    array of float, shape (n_texts,)
        For a text of fewer tokens than draws, its type-token ratio; 0 without tokens.

    Notes
    -----
    The expected type-token ratio of m tokens drawn without replacement from a text of L tokens:

    .. math:: \frac1m \sum_v \left(1 - \binom{L - c_v}{m} \Big/ \binom{L}{m}\right)

    References
    ----------
    McCarthy and Jarvis, *vocd: a theoretical and empirical evaluation*, Language Testing 24,
    2007.

    Examples
    --------
    >>> hdds(TokenTable.of([[0, 0, 1], [2, 2]], 3), 2).round(4).tolist()
    [0.8333, 0.5]
    """
    check_int("draws", draws, 1)
    counts = find_ngrams(table, 1).counts()
    lengths = table.lengths[counts.units]
    m = np.minimum(draws, lengths)
    present = 1 - _choose_ratio(lengths - counts.counts, lengths, m)
    sums = np.bincount(counts.units, present / m, len(table))
    return np.asarray(sums)


def _choose_ratio(part: IntegerArray, whole: IntegerArray, m: IntegerArray) -> FloatArray:
    """Return the binomial coefficients (part, m) / (whole, m), 0 where m exceeds the part."""
    gammaln = scipy.special.gammaln
    left = np.maximum(part - m, 0)
    logs = gammaln(part + 1) - gammaln(left + 1) - gammaln(whole + 1) + gammaln(whole - m + 1)
    return np.where(part >= m, np.exp(logs), 0.0)


def _text_mean(
    name: str, title: str, summary: str, function: Callable[[TokenTable], FloatArray], high: float
) -> Measure:
    """Return the measure that is the mean over texts of a function of their tokens."""

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        table = needed(sample.tokens, "tokens")
        empty = np.flatnonzero(table.lengths == 0)
        if len(empty):
            raise UndefinedError(
                f"{title} of {escaped(sample.name)!r} must be that of texts with at least one "
                f"token each. Got {len(empty)} without any instead: leave them out."
            )
        values = function(table)
        return ratio(values, np.ones(len(values)), sample.groups)

    return Measure(
        name=name,
        title=title,
        summary=summary,
        direction="human",
        needs=frozenset({"tokens"}),
        estimate=estimate,
        is_statistic=True,
        low=0.0,
        high=high,
    )


def _mtlds(table: TokenTable) -> FloatArray:
    return np.array([mtld(table.row(i).tolist()) for i in range(len(table))], dtype=np.float64)


MTLD = _text_mean(
    "mtld", "MTLD", "tokens until their variety falls to 0.72, mean over texts", _mtlds, np.inf
)


def mattr_measure(window: int = WINDOW) -> Measure:
    """Return the measure MATTR with windows of some tokens.

    Examples
    --------
    >>> mattr_measure(100).name
    'mattr-100'
    """
    check_int("window", window, 1)
    summary = f"different tokens among {window} that follow each other, share, mean over texts"
    name, title = f"mattr-{window}", f"MATTR-{window}"
    return _text_mean(name, title, summary, lambda table: mattrs(table, window), 1.0)


def hdd_measure(draws: int = DRAWS) -> Measure:
    """Return the measure HD-D with some draws.

    Examples
    --------
    >>> hdd_measure(30).name
    'hdd-30'
    """
    check_int("draws", draws, 1)
    summary = f"different tokens among {draws} drawn from a text, share, mean over texts"
    name, title = f"hdd-{draws}", f"HD-D-{draws}"
    return _text_mean(name, title, summary, lambda table: hdds(table, draws), 1.0)
