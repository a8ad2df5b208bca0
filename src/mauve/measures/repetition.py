"""Repetition: the share of texts that end in a loop."""

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import IntArray
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.protocol import Measure, Side, TokenTable

_DEPTH = 8  # tokens that are compared for all texts at once


def repeated_lengths(table: TokenTable) -> IntArray:
    r"""Return the length of the shortest phrase that each text ends in two copies of.

    Parameters
    ----------
    table : TokenTable
        Of n texts.

    Returns
    -------
    array of int, shape (n,)
        In tokens; 0 for a text that does not end in a repetition.

    Notes
    -----
    A text x of T tokens ends in two copies of a phrase of p tokens, :math:`1 \le p \le T/2`, if

    .. math:: x_{T-i} = x_{T-p-i} \quad \text{for all } 0 \le i < p

    The public code of Holtzman et al. leaves out phrases of one or two tokens unless there are
    fifty copies; the paper counts any, and so does this.

    All p for which this holds for the first few i are found for all texts at once, which
    settles nearly every natural text. The rest are read from the end by the Z-algorithm,
    which gives for every p the number of i until the first difference, in time linear in T.

    References
    ----------
    Appendix C.4 of the paper. Gusfield, *Algorithms on strings, trees, and sequences*, 1997,
    chapter 1: the Z-algorithm.

    Examples
    --------
    >>> texts = [[1, 2, 3, 2, 3], [1, 7, 7], [2, 3, 2, 3, 1], [], [4]]
    >>> repeated_lengths(TokenTable.of(texts, 8)).tolist()
    [2, 1, 0, 0, 0]
    """
    texts, shifts = _candidates(table)
    never = len(table.ids)
    shortest = np.full(len(table), never, dtype=np.int64)
    certain = shifts <= _DEPTH
    np.minimum.at(shortest, texts[certain], shifts[certain])
    found = np.where(shortest < never, shortest, 0)
    unsettled = texts[~certain]
    for text in np.unique(unsettled[found[unsettled] == 0]):
        found[text] = _shortest_square(table.row(text)[::-1].tolist())
    return found


def _candidates(table: TokenTable) -> tuple[NDArray[np.intp], IntArray]:
    """Return texts and lengths p whose phrases agree in their last tokens, at most `_DEPTH`."""
    ids, lengths = table.ids, table.lengths
    ends = table.starts[1:] - 1
    places = np.flatnonzero(ids == ids[np.repeat(ends, lengths)])
    texts = np.searchsorted(table.starts, places, side="right") - 1
    shifts = ends[texts] - places
    kept = (shifts > 0) & (shifts <= lengths[texts] // 2)
    texts, shifts = texts[kept], shifts[kept]
    for i in range(1, _DEPTH):
        # Both places lie in the text wherever they matter, which is where i < p.
        last = np.maximum(ends[texts] - i, 0)
        kept = (shifts <= i) | (ids[last] == ids[np.maximum(last - shifts, 0)])
        texts, shifts = texts[kept], shifts[kept]
    return texts, shifts


def _shortest_square(tokens: list[int]) -> int:
    """Return the least p for which tokens begin with two copies of p tokens, or 0."""
    equal = [0] * len(tokens)  # tokens from here on that equal those from the beginning on
    left = right = 0  # the stretch known to equal a beginning that reaches furthest
    for p in range(1, len(tokens) // 2 + 1):
        n = min(equal[p - left], right - p) if p < right else 0
        while n < p and tokens[n] == tokens[p + n]:
            n += 1
        if n == p:
            return p
        equal[p] = n
        if p + n > right:
            left, right = p, p + n
    return 0


def repetition(own: Side, human: Side) -> Estimate:
    """Estimate the share of texts that end in a repetition; an empty text does not."""
    assert own.tokens is not None
    repeats = repeated_lengths(own.tokens) > 0
    return ratio(repeats.astype(np.float64), np.ones(len(repeats)), own.groups)


REPETITION = Measure(
    name="repetition",
    title="Rep.",
    summary="share of texts that end in two copies of a phrase or more",
    direction="human",
    needs=frozenset({"tokens"}),
    estimate=repetition,
    is_statistic=True,
    low=0.0,
    high=1.0,
    is_share=True,
)
