r"""Compute the share of the n-grams of a text that repeat earlier ones: rep-n and diversity."""

import math

import numpy as np

from mauve.arrays import IntArray
from mauve.errors import UndefinedError, check_int
from mauve.escape import escaped
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.ngrams import find_ngrams
from mauve.measures.protocol import RARE_TEXTS, Measure, MeasuredSample, TokenTable, Variant, needed

_LENGTHS = (2, 3, 4)  # of the n-grams of `diversity`


def ngram_counts(table: TokenTable, n: int) -> tuple[IntArray, IntArray]:
    """Return the numbers of different n-grams, and of all n-grams, of each text.

    Examples
    --------
    >>> table = TokenTable.of([[0, 1, 0, 1], [2, 3]], 4)
    >>> [part.tolist() for part in ngram_counts(table, 2)]
    [[2, 1], [3, 1]]
    """
    units = find_ngrams(table, n).counts().units
    return np.bincount(units, minlength=len(table)), np.maximum(table.lengths - n + 1, 0)


def without_last_token(table: TokenTable) -> TokenTable:
    """Return the texts without their last tokens, as the authors' loop over n-grams reads them.

    Examples
    --------
    >>> without_last_token(TokenTable.of([[0, 1], [], [2]], 3)).lengths.tolist()
    [1, 0, 0]
    """
    lengths = np.maximum(table.lengths - 1, 0)
    is_last = np.zeros(len(table.ids), dtype=bool)
    is_last[table.starts[1:][table.lengths > 0] - 1] = True
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return TokenTable(table.ids[~is_last], starts, table.vocabulary_size)


def _repeated_share(sample: MeasuredSample, n: int, variant: Variant) -> Estimate:
    table = needed(sample.tokens, "tokens")
    different, total = ngram_counts(without_last_token(table) if variant else table, n)
    _check_any(total, n, sample)
    return ratio((total - different).astype(np.float64), total.astype(np.float64), sample.groups)


def _check_any(total: IntArray, n: int, sample: MeasuredSample) -> None:
    if not total.any():
        raise UndefinedError(
            f"The share of repeated {n}-grams of {escaped(sample.name)!r} must be that of texts "
            f"of which at least one has {n} tokens. Got shorter ones only instead: give longer "
            "texts, or a smaller n."
        )


def repeated_measure(n: int = 4, variant: Variant = None) -> Measure:
    r"""Return the measure rep-n: the share of n-grams that occurred earlier in the same text.

    Parameters
    ----------
    n : int
        Number of tokens of an n-gram.
    variant : {None, "authors"}
        "authors" leaves out the last n-gram of every text, as the code of SimCTG does. That code
        also rounds rep-n to four digits, and reads words between white space.

    Notes
    -----
    With :math:`u_i` different n-grams among the :math:`m_i` n-grams of text i,

    .. math:: \text{rep-}n = 1 - \frac{\sum_i u_i}{\sum_i m_i}

    a ratio of sums over texts, so that long texts have more weight; in
    :func:`sequence_repeated_measure` every text has the same. Papers print it in percent.

    References
    ----------
    Su, Lan, Wang, Yogatama, Kong and Collier, *A contrastive framework for neural text
    generation*, NeurIPS 2022, section 4.1, and its code (``simctg/evaluation.py``).

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> tokens = TokenTable.of([[0, 1, 0, 1], [2, 3, 4]], 5)
    >>> sample = MeasuredSample("model", Groups(np.arange(2), 2), tokens=tokens)
    >>> repeated_measure(2).estimate(sample, sample).value
    0.2
    """
    check_int("n", n, 1)

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        return _repeated_share(sample, n, variant)

    return Measure(
        name=f"rep-{n}" + ("-authors" if variant else ""),
        title=f"Rep-{n}" + (" (authors)" if variant else ""),
        summary=f"share of {n}-grams that occurred earlier in their text",
        direction="human",
        needs=frozenset({"tokens"}),
        estimate=estimate,
        is_statistic=True,
        low=0.0,
        high=1.0,
        narrow_below=RARE_TEXTS,
    )


def sequence_repeated_measure(n: int = 4) -> Measure:
    r"""Return the measure seq-rep-n: the mean over texts of their share of repeated n-grams.

    Parameters
    ----------
    n : int
        Number of tokens of an n-gram; the source uses 4.

    Notes
    -----
    .. math:: \text{seq-rep-}n = \frac1N \sum_{i=1}^N \Big(1 - \frac{u_i}{m_i}\Big)

    A text of fewer than n tokens repeats no n-gram and has 0.

    References
    ----------
    Welleck, Kulikov, Roller, Dinan, Cho and Weston, *Neural text generation with unlikelihood
    training*, ICLR 2020, section 6.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> tokens = TokenTable.of([[0, 1, 0, 1, 0], [2, 3, 4]], 5)
    >>> sample = MeasuredSample("model", Groups(np.arange(2), 2), tokens=tokens)
    >>> sequence_repeated_measure(2).estimate(sample, sample).value
    0.25
    """
    check_int("n", n, 1)

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        different, total = ngram_counts(needed(sample.tokens, "tokens"), n)
        _check_any(total, n, sample)
        shares = (total - different) / np.maximum(total, 1)
        return ratio(shares, np.ones(len(shares)), sample.groups)

    return Measure(
        name=f"seq-rep-{n}",
        title=f"Seq-rep-{n}",
        summary=f"mean over texts of the share of {n}-grams that occurred earlier",
        direction="human",
        needs=frozenset({"tokens"}),
        estimate=estimate,
        is_statistic=True,
        low=0.0,
        high=1.0,
        narrow_below=RARE_TEXTS,
    )


def diversity_measure(variant: Variant = None) -> Measure:
    r"""Return the measure diversity of the papers on contrastive search.

    Parameters
    ----------
    variant : {None, "authors"}
        As for :func:`repeated_measure`.

    Notes
    -----
    .. math:: \text{diversity} = \prod_{n=2}^4 (1 - \text{rep-}n)

    The influence of a group is that of the product by the delta method.

    References
    ----------
    Su et al. 2022, as for :func:`repeated_measure`. Li, Holtzman, Fried, Liang, Eisner,
    Hashimoto, Zettlemoyer and Lewis, *Contrastive decoding*, ACL 2023, use the same product.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> tokens = TokenTable.of([[0, 1, 0, 1, 0], [2, 3, 4, 5, 6]], 7)
    >>> sample = MeasuredSample("model", Groups(np.arange(2), 2), tokens=tokens)
    >>> round(diversity_measure().estimate(sample, sample).value, 6)  # 6/8 · 5/6 · 4/4
    0.625
    """

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        parts = [_repeated_share(sample, n, variant) for n in _LENGTHS]
        factors = [1 - part.value for part in parts]
        influences = np.zeros(sample.groups.count)
        for k, part in enumerate(parts):
            others = math.prod(factors[:k] + factors[k + 1 :])
            influences -= others * part.influences
        return Estimate(math.prod(factors), influences, by_prompt=sample.groups.by_prompt)

    return Measure(
        name="diversity" + ("-authors" if variant else ""),
        title="Diversity" + (" (authors)" if variant else ""),
        summary="product of the shares of new 2-, 3- and 4-grams of a text",
        direction="human",
        needs=frozenset({"tokens"}),
        estimate=estimate,
        is_statistic=True,
        low=0.0,
        high=1.0,
        narrow_below=RARE_TEXTS,
    )
