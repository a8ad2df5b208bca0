r"""Distinct-n: how many of the n-grams of a sample are different ones."""

import numpy as np

from mauve.errors import InvalidParameterError, check_int
from mauve.measures.estimate import Estimate, moves_without
from mauve.measures.ngrams import Counts, ngrams
from mauve.measures.protocol import Measure, Side, TokenTable


def distinct_share(table: TokenTable, n: int = 4) -> float:
    """Return the number of different n-grams as a share of all n-grams of all texts.

    Parameters
    ----------
    table : TokenTable
    n : int
        Tokens of each n-gram; at least one text must have as many.

    Examples
    --------
    >>> distinct_share(TokenTable.of([[1, 2, 1], [1, 2]], 3), n=2)  # 12, 21 and 12 again
    0.6666666666666666
    """
    counts = ngrams(table, n, np.zeros(len(table), dtype=np.int32)).counts()
    return len(counts.firsts) / int(counts.counts.sum())


def distinct(n: int = 4) -> Measure:
    r"""Return the measure Distinct-n.

    Parameters
    ----------
    n : int
        Tokens of each n-gram, 4 in the paper.

    Notes
    -----
    .. math::
        \mathrm{Distinct}_n = \frac{|\{g : c(g) > 0\}|}{\sum_g c(g)}

    where c(g) is how often n-gram g occurs in all texts together (appendix C.4 of the paper).
    It falls as texts are added, for they bring fewer and fewer new n-grams: compare samples
    of one size. The interval is that of the jackknife: without a group, the n-grams that
    occur nowhere else are gone.

    References
    ----------
    Li, Galley, Brockett, Gao and Dolan, *A diversity-promoting objective function for neural
    conversation models*, NAACL 2016.

    Examples
    --------
    >>> distinct(4).name
    'distinct-4'
    """
    check_int("distinct", "n", n, 1)

    def estimate(own: Side, human: Side) -> Estimate:
        counts = counts_by_group(own, n, f"Distinct-{n}")
        only_here = counts.units[counts.firsts[counts.spread == 1]]
        types = len(counts.firsts) - np.bincount(only_here, minlength=own.groups.count)
        sizes = np.bincount(counts.units, counts.counts, own.groups.count)
        without = types / (sizes.sum() - sizes)
        moves = moves_without(without, own.groups.sizes)
        value = len(counts.firsts) / float(sizes.sum())
        return Estimate(value, moves, by_prompt=own.groups.by_prompt)

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
    )


def counts_by_group(own: Side, n: int, title: str) -> Counts:
    """Count the n-grams of a sample in each of its groups, two of which must have some.

    Raises
    ------
    InvalidParameterError
        Where nothing would be left without one of the groups.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> groups = Groups(np.array([0, 1, 0]), 2)
    >>> side = Side("human", groups, tokens=TokenTable.of([[0], [0], [0]], 1))
    >>> counts_by_group(side, 1, "Distinct-1").counts.tolist()
    [2, 1]
    """
    assert own.tokens is not None
    counts = ngrams(own.tokens, n, own.groups.labels).counts()
    if len(np.unique(counts.units)) < 2:
        longest = int(own.tokens.lengths.max())
        raise InvalidParameterError(
            f"'{own.name}' must have texts of at least {n} tokens in two of its groups for "
            f"{title}. Got texts of at most {longest} tokens in {own.groups.count} groups instead."
        )
    return counts
