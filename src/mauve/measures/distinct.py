r"""Compute Distinct-n: the number of different n-grams divided by the number of all."""

import numpy as np

from mauve.errors import check_int
from mauve.measures.estimate import Estimate, jackknife_influences
from mauve.measures.ngrams import Counts, count_by_group
from mauve.measures.protocol import RARE_TEXTS, Measure, MeasuredSample


def distinct_share(counts: Counts) -> float:
    """Return the number of different n-grams divided by the number of all n-grams.

    Parameters
    ----------
    counts : Counts
        N-grams of one length, at least one; see :func:`mauve.measures.ngrams.find_ngrams`.

    Examples
    --------
    >>> from mauve.measures.ngrams import find_ngrams
    >>> from mauve.measures.protocol import TokenTable
    >>> table = TokenTable.of([[1, 2, 1], [1, 2]], 3)
    >>> distinct_share(find_ngrams(table, 2).counts())  # 12, 21 and 12 again
    0.6666666666666666
    """
    return len(counts.firsts) / int(counts.counts.sum())


def distinct_measure(n: int = 4) -> Measure:
    r"""Return the measure Distinct-n.

    Parameters
    ----------
    n : int
        Number of tokens of an n-gram, 4 in the paper.

    Notes
    -----
    .. math::
        \mathrm{Distinct}_n = \frac{|\{g : c(g) > 0\}|}{\sum_g c(g)}

    where c(g) is the count of n-gram g in all texts together (appendix C.4 of the paper). It
    falls as texts are added, since later texts bring fewer new n-grams: compare samples of equal
    size. The interval comes from the jackknife: without a group, the n-grams that occur in no
    other group are missing.

    References
    ----------
    Li, Galley, Brockett, Gao and Dolan, *A diversity-promoting objective function for neural
    conversation models*, NAACL 2016.

    Examples
    --------
    >>> distinct_measure(4).name
    'distinct-4'
    """
    check_int("n", n, 1)

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        counts, groups = count_by_group(sample, n, f"Distinct-{n}"), sample.groups
        unique_to = counts.units[counts.firsts[counts.spread == 1]]
        types = len(counts.firsts) - np.bincount(unique_to, minlength=groups.count)
        sizes = np.bincount(counts.units, counts.counts, groups.count)
        influences = jackknife_influences(types / (sizes.sum() - sizes), groups.sizes)
        return Estimate(distinct_share(counts), influences, by_prompt=groups.by_prompt)

    return Measure(
        name=f"distinct-{n}",
        title=f"Distinct-{n}",
        summary=f"different {n}-grams divided by all",
        direction="human",
        needs=frozenset({"tokens"}),
        estimate=estimate,
        is_statistic=True,
        grows_with="tokens",
        low=0.0,
        high=1.0,
        narrow_below=RARE_TEXTS,
    )
