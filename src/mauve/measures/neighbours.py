r"""Distances between texts, and the moves of measures that are made of them.

Distances are Euclidean, :math:`|x|^2 + |y|^2 - 2xy` by one matrix product for each block of
rows, so that memory stays at a block times a sample. The sum cancels for texts that lie close
together. The product is therefore taken in double precision of centred features, and what is
left below a millionth of the features' own length is a distance of exactly 0: the same text,
whatever the embedder's rounding made of it.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Array, Groups
from mauve.measures.protocol import Side

_BLOCK = 512  # rows whose distances to a whole sample are in memory at once
_SAME = 1e-12  # squared distance, relative to the squared lengths, that is rounding alone
TIE = 1 + 1e-9  # squared distances as close as this are equal


def centred(own: Side, human: Side) -> tuple[Array, Array]:
    """Return the features of both samples in double precision, less their common mean.

    Examples
    --------
    >>> sides = (Side("b", Groups(np.arange(1), 1), features=np.array([[i]])) for i in (2, 4))
    >>> [features.tolist() for features in centred(*sides)]
    [[[-1.0]], [[1.0]]]
    """
    assert own.features is not None
    assert human.features is not None
    parts = [np.asarray(side.features, dtype=np.float64) for side in (own, human)]
    mean = sum(part.sum(axis=0) for part in parts) / sum(map(len, parts))
    first, second = (part - mean for part in parts)
    if not (np.any(first != first[0]) or np.any(second != first[0])):
        raise InvalidParameterError(
            f"The features of '{own.name}' and '{human.name}' must differ between texts. Got "
            f"{len(first)} and {len(second)} equal rows instead: check the embedder."
        )
    return first, second


def squared_distances(rows: Array, columns: Array) -> Iterator[tuple[slice, Array]]:
    """Yield the squared distances of blocks of rows to all columns.

    Parameters
    ----------
    rows, columns : array of shape (n, d), (m, d)
        Centred features.

    Yields
    ------
    slice, array of shape (n_block, m)
        Which rows, and their distances; exactly 0 for equal features.

    Examples
    --------
    >>> points = np.array([[0.0], [3.0]])
    >>> [(block.start, found.tolist()) for block, found in squared_distances(points, points)]
    [(0, [[0.0, 9.0], [9.0, 0.0]])]
    """
    square = np.einsum("ij,ij->i", columns, columns)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        lengths = np.einsum("ij,ij->i", part, part)[:, None] + square
        found = part @ columns.T
        found *= -2
        found += lengths
        lengths *= _SAME
        found[found <= lengths] = 0
        yield slice(start, start + len(part)), found


def shared_moves(first: Array, second: Array) -> Array:
    r"""Return moves, given those found at either half of the texts.

    Parameters
    ----------
    first, second : array of shape (n_groups,)
        What a group does to the share of one half of the texts, and of the other.

    Returns
    -------
    array of shape (n_groups,)
        Their mean, scaled so that the squares add up to :math:`\sum_g a_g b_g`.

    Notes
    -----
    A text more or less at the edge of a ball is chance, and the jackknife counts it twice:
    as that of the text and as that of the ball. It is not the same in both halves, so the
    product holds only what the group itself does. Without this, standard errors are 1.3 to
    2.2 times too large.

    Examples
    --------
    >>> shared_moves(np.array([3.0, 0.0]), np.array([3.0, 0.0])).tolist()
    [3.0, 0.0]
    >>> shared_moves(np.array([3.0, 0.0]), np.array([0.0, 3.0])).tolist()
    [0.0, 0.0]
    """
    mean = (first + second) / 2
    square = float((mean**2).sum())
    if square == 0:
        return mean
    return np.asarray(mean * np.sqrt(max(0.0, float((first * second).sum())) / square))


def halves(groups: Groups) -> NDArray[np.bool_]:
    """Return the half of each text; those of a group are in the same.

    Examples
    --------
    >>> halves(Groups(np.array([0, 1, 0]), 2)).tolist()
    [False, True, False]
    """
    return np.asarray(groups.labels % 2 == 1)


def nearest_two(
    points: Array, others: Array, groups: Groups
) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return the nearest other text of each point, and the nearest of another group.

    Parameters
    ----------
    points, others : array of shape (n, d), (m, d)
    groups : Groups
        Of the others.

    Returns
    -------
    nearest, second : array of shape (n,)
        Squared distances; the second is infinite if there is one group only.
    group : array of int, shape (n,)
        Of the nearest.

    Examples
    --------
    >>> near = nearest_two(np.array([[0.0]]), np.array([[1.0], [2.0]]), Groups(np.arange(2), 2))
    >>> [part.tolist() for part in near]
    [[1.0], [4.0], [0]]
    """
    nearest, second = np.empty(len(points)), np.empty(len(points))
    group = np.empty(len(points), dtype=np.intp)
    for block, found in squared_distances(points, others):
        column = found.argmin(axis=1)
        nearest[block] = found[np.arange(len(found)), column]
        group[block] = groups.labels[column]
        found[groups.labels == group[block][:, None]] = np.inf
        second[block] = found.min(axis=1)
    return nearest, second, group
