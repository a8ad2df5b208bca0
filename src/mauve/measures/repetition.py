"""Compute repetition: the share of texts that end in a repeated phrase."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import IntArray
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.protocol import Measure, MeasuredSample, TokenTable, needed

#: Copies of one character at the end of a text that are a repetition, also in a single token.
RUN = 10

_DEPTH = 8  # tokens that are compared for all texts at once


def repeated_lengths(table: TokenTable) -> IntArray:
    r"""Return the length of the shortest phrase of which each text ends in two copies.

    Parameters
    ----------
    table : TokenTable

    Returns
    -------
    array of int, shape (n_texts,)
        In tokens; 0 for a text that does not end in a repetition.

    Notes
    -----
    A text x of T tokens ends in two copies of a phrase of p tokens, :math:`1 \le p \le T/2`, if

    .. math:: x_{T-i} = x_{T-p-i} \quad \text{for all } 0 \le i < p

    The public code of Holtzman et al. ignores phrases of one or two tokens unless there are
    more than fifty copies; the paper counts any, and so does this function. That code is
    :func:`ends_in_loop`.

    All p for which this holds for the first few i are found for all texts at once, which
    decides nearly every natural text. Each remaining text is read from its end by the
    Z-algorithm, which gives for every p the number of i before the first difference, in time
    linear in T.

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
    is_certain = shifts <= _DEPTH
    np.minimum.at(shortest, texts[is_certain], shifts[is_certain])
    lengths = np.where(shortest < never, shortest, 0)
    undecided = texts[~is_certain]
    for text in np.unique(undecided[lengths[undecided] == 0]):
        lengths[text] = _shortest_square(table.row(text)[::-1].tolist())
    return lengths


def _candidates(table: TokenTable) -> tuple[NDArray[np.intp], IntArray]:
    """Return texts and lengths p whose phrases agree in their last tokens, up to `_DEPTH`."""
    ids, lengths = table.ids, table.lengths
    ends = table.starts[1:] - 1
    places = np.flatnonzero(ids == ids[np.repeat(ends, lengths)])
    texts = np.searchsorted(table.starts, places, side="right") - 1
    shifts = ends[texts] - places
    possible = (shifts > 0) & (shifts <= lengths[texts] // 2)
    texts, shifts = texts[possible], shifts[possible]
    for i in range(1, _DEPTH):
        # Both positions are in the text wherever they matter, that is, for i < p.
        last = np.maximum(ends[texts] - i, 0)
        possible = (shifts <= i) | (ids[last] == ids[np.maximum(last - shifts, 0)])
        texts, shifts = texts[possible], shifts[possible]
    return texts, shifts


def _shortest_square(tokens: list[int]) -> int:
    """Return the least p for which tokens begin with two copies of p tokens, or 0."""
    equal = [0] * len(tokens)  # length of the common prefix of tokens[p:] and tokens
    left = right = 0  # the known match of a prefix that ends last
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


def ends_in_loop(tokens: Sequence[int], longest: int = 500) -> bool:
    """Return whether a text ends in a repetition by the rule of the authors' code.

    Parameters
    ----------
    tokens : sequence of int
    longest : int
        Number of tokens of the longest phrase.

    Notes
    -----
    Of all phrases of which the text ends in copies, the one with the most copies counts, of
    several the shortest. It is a repetition if it has three or more tokens and two or more
    copies, or more than fifty copies. So a text that ends in "ha ha ha ha ha ha" is none, and
    neither are twelve copies of a mark that is one token.

    References
    ----------
    Holtzman, Buys, Du, Forbes and Choi, ICLR 2020 (``metrics/repetition.py`` of its code), which
    the code of the MAUVE paper repeats.

    Examples
    --------
    >>> ends_in_loop([1, 2, 3, 1, 2, 3]), ends_in_loop([1, 2, 1, 2]), ends_in_loop([7] * 51)
    (True, False, True)
    """
    backwards = [*tokens][::-1]
    most, of_length = 1, 0
    for n in range(1, min(longest, len(backwards) // 2) + 1):
        if backwards[n] != backwards[0]:
            continue
        phrase, copies = backwards[:n], 1
        while backwards[n * copies : n * (copies + 1)] == phrase:
            copies += 1
        if copies > most:
            most, of_length = copies, n
    return most > 1 and (of_length >= 3 or most > 50)


def ends_in_run(text: str, length: int = RUN) -> bool:
    """Return whether a text ends in copies of one character, white space after them aside.

    A tokenizer may make one token of them, which is no repetition of tokens.

    Parameters
    ----------
    text : str
    length : int
        Number of copies. Fewer are common in human text: an ellipsis, a cheer, a rule.

    Examples
    --------
    >>> ends_in_run("No!!!!!!!!!!!! "), ends_in_run("So it ended...")
    (True, False)
    """
    text = text.rstrip()
    return len(text) >= length and len({*text[-length:]}) == 1


def _estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
    repeats = repeated_lengths(needed(sample.tokens, "tokens")) > 0
    if sample.texts is not None:
        repeats |= np.array([ends_in_run(text) for text in sample.texts], dtype=bool)
    return ratio(repeats.astype(np.float64), np.ones(len(repeats)), sample.groups)


REPETITION = Measure(
    name="repetition",
    title="Rep.",
    summary="share of texts that end in two or more copies of a phrase or 10 of a character",
    direction="human",
    needs=frozenset({"tokens"}),
    estimate=_estimate,
    is_statistic=True,
    low=0.0,
    high=1.0,
    is_share=True,
)


def _estimate_loops(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
    table = needed(sample.tokens, "tokens")
    loops = np.array([ends_in_loop(table.row(i).tolist()) for i in range(len(table))])
    return ratio(loops.astype(np.float64), np.ones(len(loops)), sample.groups)


REPETITION_AUTHORS = replace(
    REPETITION,
    name="repetition-authors",
    title="Rep. (authors)",
    summary="the same, but phrases of one or two tokens count from 51 copies on",
    estimate=_estimate_loops,
)
