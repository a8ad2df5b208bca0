r"""Compute the Shannon entropy of the n-grams of a sample."""

import numpy as np

from mauve.arrays import FloatArray, IntegerArray
from mauve.errors import check_int
from mauve.measures.estimate import Estimate, jackknife_influences
from mauve.measures.ngrams import count_by_group
from mauve.measures.protocol import Measure, MeasuredSample


def entropy_bits(counts: IntegerArray) -> float:
    r"""Return the Shannon entropy of counts, in bits.

    Parameters
    ----------
    counts : array of int, shape (n_grams,)
        At least one is not 0.

    Notes
    -----
    :math:`H = \log_2 N - \frac1N \sum_g c_g \log_2 c_g` with :math:`N = \sum_g c_g`.

    Examples
    --------
    >>> entropy_bits(np.array([2, 2, 2, 2]))
    2.0
    """
    total = float(counts.sum())
    return float(np.log2(total) - _weighted_log(counts).sum() / total)


def entropy_measure(n: int = 2) -> Measure:
    r"""Return the measure entropy of n-grams, in bits.

    Parameters
    ----------
    n : int
        Number of tokens of an n-gram. The source uses 4, but in samples of a few thousand texts
        nearly all 4-grams are different, and their entropy is close to the logarithm of the
        number of tokens. Pairs are more informative.

    Notes
    -----
    .. math::
        \mathrm{Ent}_n = -\sum_g \frac{c(g)}{N} \log_2 \frac{c(g)}{N}, \qquad N = \sum_g c(g)

    where c(g) is the count of n-gram g in all texts together. Unlike Distinct-n it depends on
    the counts of n-grams, not only on whether they occur. It cannot exceed :math:`\log_2 N` and
    grows with the number of texts, faster for longer n-grams: compare samples of equal size.
    The interval comes from the jackknife, computed exactly.

    References
    ----------
    Zhang, Galley, Gao, Gan, Li, Brockett and Dolan, *Generating informative and diverse
    conversational responses via adversarial information maximization*, NeurIPS 2018 (Ent-n).

    Examples
    --------
    >>> entropy_measure(2).name
    'entropy-2'
    """
    check_int("n", n, 1)

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        counts, groups = count_by_group(sample, n, f"Entropy-{n}"), sample.groups
        totals = counts.totals
        sizes = np.bincount(counts.units, counts.counts, groups.count)
        # Without a group, only the counts of its own n-grams change.
        before = totals[counts.grams]
        change = _weighted_log(before - counts.counts) - _weighted_log(before)
        sums = _weighted_log(totals).sum() + np.bincount(counts.units, change, groups.count)
        remaining = sizes.sum() - sizes
        without = np.log2(remaining) - sums / remaining
        influences = jackknife_influences(without, groups.sizes)
        return Estimate(entropy_bits(totals), influences, by_prompt=groups.by_prompt)

    return Measure(
        name=f"entropy-{n}",
        title=f"Entropy-{n}",
        summary=f"entropy of {n}-grams, bits",
        direction="human",
        needs=frozenset({"tokens"}),
        estimate=estimate,
        is_statistic=True,
        grows_with="tokens",
        low=0.0,
    )


def _weighted_log(counts: IntegerArray) -> FloatArray:
    """Return c log2 c, which is 0 for a count of 0."""
    return np.asarray(counts * np.log2(np.maximum(counts, 1)))
