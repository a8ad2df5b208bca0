r"""Entropy of n-grams: how evenly a sample spreads its use of them."""

import numpy as np

from mauve.arrays import FloatArray, IntegerArray
from mauve.errors import check_int
from mauve.measures.distinct import counts_by_group
from mauve.measures.estimate import Estimate, moves_without
from mauve.measures.protocol import Measure, Side


def entropy_bits(counts: IntegerArray) -> float:
    r"""Return the Shannon entropy of counts, in bits.

    Parameters
    ----------
    counts : array of int, shape (n_grams,)
        Of which one at least is not 0.

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


def entropy(n: int = 2) -> Measure:
    r"""Return the measure entropy of n-grams, in bits.

    Parameters
    ----------
    n : int
        Tokens of each n-gram, 4 in the source. Pairs tell more: nearly all sequences of four
        tokens are different ones in samples of a few thousand texts, and the entropy is then
        little else than the logarithm of the number of tokens.

    Notes
    -----
    .. math::
        \mathrm{Ent}_n = -\sum_g \frac{c(g)}{N} \log_2 \frac{c(g)}{N}, \qquad N = \sum_g c(g)

    where c(g) is how often n-gram g occurs in all texts together. Unlike Distinct-n it sees
    how often n-grams are used, not only whether. It cannot exceed :math:`\log_2 N` and grows
    with the number of texts, the faster the longer the n-grams: compare samples of one size.
    The interval is that of the jackknife, computed exactly.

    References
    ----------
    Zhang, Galley, Gao, Gan, Li, Brockett and Dolan, *Generating informative and diverse
    conversational responses via adversarial information maximization*, NeurIPS 2018 (Ent-n).

    Examples
    --------
    >>> entropy(2).name
    'entropy-2'
    """
    check_int("entropy", "n", n, 1)

    def estimate(own: Side, human: Side) -> Estimate:
        counts = counts_by_group(own, n, f"Entropy-{n}")
        totals, groups = counts.totals, own.groups
        sizes = np.bincount(counts.units, counts.counts, groups.count)
        # Only n-grams of a group have another count without it.
        ahead = totals[counts.grams]
        change = _weighted_log(ahead - counts.counts) - _weighted_log(ahead)
        sums = _weighted_log(totals).sum() + np.bincount(counts.units, change, groups.count)
        left = sizes.sum() - sizes
        moves = moves_without(np.log2(left) - sums / left, groups.sizes)
        return Estimate(entropy_bits(totals), moves, by_prompt=groups.by_prompt)

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
    """Return c log2 c, which is 0 where c is."""
    return np.asarray(counts * np.log2(np.maximum(counts, 1)))
