"""Compute Zipf's coefficient: how fast the frequency of tokens falls with their rank."""

from dataclasses import replace
from functools import partial

import numpy as np

from mauve.arrays import IntArray
from mauve.calls import parameter
from mauve.errors import InvalidParameterError, UndefinedError
from mauve.escape import escaped
from mauve.measures.estimate import Estimate, jackknife_influences
from mauve.measures.protocol import Measure, MeasuredSample, Variant, needed

#: Number of ranks that the line is fitted to.
TOP = 5000


#: Ranks of the variant: all with one value of round(15 log r) are one, the first of them.
STRETCH = 15


def zipf_coefficient(frequencies: IntArray, top: int = TOP, variant: Variant = None) -> float:
    r"""Return the negative slope of log frequency over log rank.

    Parameters
    ----------
    frequencies : array of int, shape (n_types,)
        Count of each type of token, in any order; types with a count of 0 are left out.
    top : int
        Number of most frequent types that the line is fitted to.
    variant : {None, "authors"}
        "authors" fits the line to ranks at about equal distances of their logarithm, as the code
        of the MAUVE paper does, and may be negative only by rounding.

    Notes
    -----
    With :math:`f_r` the frequency of the type of rank r = 1, ..., R, the least-squares line
    :math:`\log f_r \approx a - s \log r` has the slope

    .. math:: s = -\frac{\sum_r (\log r - \overline{\log r}) \log f_r}
                       {\sum_r (\log r - \overline{\log r})^2}

    Natural text has about 1; text that repeats a few words has more. The coefficient grows with
    the size of a sample until the rarest of the `top` types is frequent: compare samples of
    about the same number of tokens.

    With all ranks of the same weight, nine tenths of them are beyond rank 500, and the line
    follows the rare types. What a loop does to it depends on the tokenizer: of words it can lower
    the slope to or below that of human text, of subwords it raises it (``docs/measures.md``).

    The variant takes for each value of :math:`\mathrm{round}(15 \log r)` the first rank r that
    has it, of :math:`1 \le r < R`, with :math:`x = \mathrm{round}(15 \log r) / 15` in place of
    :math:`\log r`. The code returns the slope with its sign, the table of the paper without.

    References
    ----------
    Zipf, *Human behavior and the principle of least effort*, 1949. Holtzman, Buys, Du, Forbes
    and Choi, *The curious case of neural text degeneration*, ICLR 2020: 5,000 ranks, all of
    the same weight, as in the public code that appendix C.4 of the MAUVE paper names. The code
    of that paper (``src/metrics.py`` of its experiments) has the variant.

    Examples
    --------
    >>> round(zipf_coefficient(np.array([600, 300, 200, 150])), 6)
    1.0
    """
    present = frequencies[frequencies > 0]
    if len(present) < 2:
        raise InvalidParameterError(
            f"{parameter('frequencies')} must hold at least 2 types that "
            f"occur. Got {len(present)} instead."
        )
    n_ranks = min(top, len(present))
    largest = np.sort(np.partition(present, len(present) - n_ranks)[-n_ranks:])[::-1]
    ranks = np.log(np.arange(1, n_ranks + 1))
    if variant is not None and n_ranks > 2:  # of two ranks it would keep one
        ranks, places = np.unique(np.round(STRETCH * ranks[:-1]) / STRETCH, return_index=True)
        largest = largest[places]
    ranks = ranks - ranks.mean()
    return max(0.0, float(-(ranks @ np.log(largest)) / (ranks @ ranks)))


def estimate_zipf(
    sample: MeasuredSample, human: MeasuredSample, variant: Variant = None
) -> Estimate:
    """Estimate Zipf's coefficient, with influences by the delete-a-group jackknife.

    Notes
    -----
    The standard error of the jackknife is too large if many of the ranks are types with few
    occurrences: by 40 % for 1,000 book excerpts of 140 words, by about a tenth for 100 of them
    and for samples of millions of tokens.
    """
    table, groups = needed(sample.tokens, "tokens"), sample.groups
    present = np.bincount(table.ids, minlength=table.vocabulary_size) > 0
    types = (np.cumsum(present) - 1)[table.ids]  # numbered without gaps, unlike token ids
    n_types = int(present.sum())
    total = np.bincount(types, minlength=n_types)
    without = np.empty(groups.count)
    for group in range(groups.count):
        texts = np.flatnonzero(groups.labels == group)
        rows = [types[table.starts[i] : table.starts[i + 1]] for i in texts]
        remaining = total - np.bincount(np.concatenate([types[:0], *rows]), minlength=n_types)
        n_remaining = np.count_nonzero(remaining)
        if n_remaining < 2:
            raise UndefinedError(
                f"The Zipf coefficient of {escaped(sample.name)!r} must be computed from at least "
                "2 different tokens, also without any one group of texts. Got "
                f"{n_remaining} instead: give more or longer texts."
            )
        without[group] = zipf_coefficient(remaining, variant=variant)
    influences = jackknife_influences(without, groups.sizes)
    value = zipf_coefficient(total, variant=variant)
    return Estimate(value, influences, by_prompt=groups.by_prompt)


ZIPF = Measure(
    name="zipf",
    title="Zipf",
    summary="slope of log frequency on log rank of tokens, negated",
    direction="human",
    needs=frozenset({"tokens"}),
    estimate=estimate_zipf,
    is_statistic=True,
    grows_with="tokens",
    low=0.0,
)

ZIPF_AUTHORS = replace(
    ZIPF,
    name="zipf-authors",
    title="Zipf (authors)",
    summary="the same on ranks at equal distances of their logarithm",
    estimate=partial(estimate_zipf, variant="authors"),
)
