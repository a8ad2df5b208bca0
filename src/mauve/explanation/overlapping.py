"""Phrases that say the same, and the one of them to show."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

_SAME = 0.8  # Jaccard index of the texts of two phrases that are taken for one
_EXPLAINED = 0.5  # share of a phrase's texts that have an overlapping one, listed before

Words = tuple[int, ...]
Pair = tuple[int, int]


def told_apart(phrases: Sequence[Words], presence: NDArray[np.bool_], n: int) -> list[int]:
    """Return the positions of phrases that are not parts or shifted windows of others.

    Parameters
    ----------
    phrases : sequence of tuple of int
        Words of each phrase by number, the best phrase first.
    presence : array of bool, shape (n_phrases, n_texts)
        Which text has it.
    n : int
        Phrases at the most.

    Returns
    -------
    list of int
        Rising.

    Notes
    -----
    Two phrases are linked if one is the other without its first or last word, or if they are
    windows of one stretch that lie one word apart, and if they stand in nearly the same texts.
    Of all that are linked, directly or by others, the longest one stays, so that a template
    of any length gives one phrase. After that a phrase goes if it overlaps with one that is
    linked to a better phrase and stands in half of its texts.

    Examples
    --------
    >>> rain = [(1,), (1, 2), (2,), (2, 3)]  # "heavy", "heavy rain", "rain", "rain fell"
    >>> both, few = [True] * 6, [True] * 1 + [False] * 5
    >>> told_apart(rain, np.array([both, both, both, few]), 8)
    [1]
    """
    counts = presence.astype(np.float32)  # exact up to 16 million texts
    shared = counts @ counts.T
    groups, later = _linked(phrases, shared)
    members = defaultdict(list)
    for i, group in enumerate(groups):
        members[group].append(i)
    # Of windows of one stretch the leftmost reads best; max keeps the first of equals.
    leaders = {
        max(own, key=lambda i: (len(phrases[i]), i not in later)): own for own in members.values()
    }
    chosen: list[int] = []
    known: list[int] = []
    for i in sorted(leaders):
        near = [k for k in known if shared[i, k] >= _EXPLAINED * shared[i, i]]
        if not any(_overlap(phrases[i], phrases[k]) for k in near):
            chosen.append(i)
            known += leaders[i]
        if len(chosen) == n:
            break
    return chosen


def _linked(
    phrases: Sequence[Words], shared: NDArray[np.float32]
) -> tuple[NDArray[np.int32], set[int]]:
    """Return the group of linked phrases that each is in, and the windows with one to the left."""
    parts, shifts = _links(phrases)
    first, second = np.array([*parts, *shifts, (0, 0)]).T  # a phrase is linked to itself anyway
    either = shared[first, first] + shared[second, second] - shared[first, second]
    is_same = shared[first, second] >= _SAME * either
    links = (is_same[is_same], (first[is_same], second[is_same]))
    graph = scipy.sparse.coo_array(links, shape=shared.shape)
    _, groups = scipy.sparse.csgraph.connected_components(graph, directed=False)
    n = len(parts)
    return groups, {*second[n:-1][is_same[n:-1]].tolist()}


def _links(phrases: Sequence[Words]) -> tuple[list[Pair], list[Pair]]:
    """Return pairs of part and whole, and pairs of windows, the left one first."""
    positions = {phrase: i for i, phrase in enumerate(phrases)}
    by_beginning = defaultdict(list)
    for i, phrase in enumerate(phrases):
        by_beginning[phrase[:-1]].append(i)
    parts, shifts = [], []
    for i, phrase in enumerate(phrases):
        if len(phrase) > 1:
            found = (positions.get(part) for part in {phrase[1:], phrase[:-1]})
            parts += [(part, i) for part in found if part is not None]
            shifts += [(i, other) for other in by_beginning[phrase[1:]] if other != i]
    return parts, shifts


def _overlap(one: Words, other: Words) -> bool:
    """Whether one phrase holds the other, or ends in at least half of its words."""
    short, long = sorted((one, other), key=len)
    n = len(short)
    return any(long[i : i + n] == short for i in range(len(long) - n + 1)) or any(
        a[-k:] == b[:k] for k in range((n + 1) // 2, n) for a, b in ((one, other), (other, one))
    )
