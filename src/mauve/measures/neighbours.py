"""Balls around texts that reach to the k-th neighbour, and how many of them a text is in."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray
from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups
from mauve.measures.protocol import Side

_BLOCK = 512  # rows whose distances to a whole sample are in memory at once
_SAME = 1e-12  # squared distance, relative to the squared lengths, that is rounding alone
TIE = 1 + 1e-9  # squared distances as close as this are equal


def centred(own: Side, human: Side) -> tuple[FloatArray, FloatArray]:
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


def squared_distances(rows: FloatArray, columns: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
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


def shared_moves(first: FloatArray, second: FloatArray) -> FloatArray:
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


def halves(groups: Groups) -> BoolArray:
    """Return the half of each text; those of a group are in the same.

    Examples
    --------
    >>> halves(Groups(np.array([0, 1, 0]), 2)).tolist()
    [False, True, False]
    """
    return np.asarray(groups.labels % 2 == 1)


def nearest_two(
    points: FloatArray, others: FloatArray, groups: Groups
) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
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


#: Neighbours that a ball reaches to. Five is the choice of Naeem et al. (2020), made for samples
#: of a few thousand; with it, 97% of balls hold a text of a second sample from the same source.
N_NEIGHBOURS = 5

_SPARE = 20  # neighbours kept beyond the k-th, to find the k-th outside a group


@dataclass(frozen=True)
class Balls:
    """A ball around every text of a sample that reaches to its k-th neighbour in the sample.

    Attributes
    ----------
    reach : array of shape (n,)
        Squared radius, with a margin for ties, so that a text on the edge is inside.
    groups : Groups
        Of the texts in the middle.
    nearby : array of int, shape (n, k)
        Groups that the k neighbours are in; -1 for one that stands there already and for the
        ball's own group.
    reach_without : array of shape (n, k)
        Squared radius if the texts of that group were not there.
    """

    reach: FloatArray
    groups: Groups
    nearby: NDArray[np.intp]
    reach_without: FloatArray


def balls_around(features: FloatArray, groups: Groups, k: int) -> Balls:
    """Return the balls of a sample, and their radii without each group of texts.

    Parameters
    ----------
    features : array of shape (n, d)
        Centred.
    groups : Groups
    k : int
        Below n.

    Examples
    --------
    >>> line = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> balls = balls_around(line, Groups(np.array([0, 1, 2, 3]), 4), 1)
    >>> np.sqrt(balls.reach).round(6).tolist()
    [1.0, 1.0, 2.0, 4.0]
    >>> np.sqrt(balls.reach_without[:, 0]).round(6).tolist()  # to the second neighbour
    [3.0, 2.0, 3.0, 6.0]
    """
    n = len(features)
    kept = min(k + _SPARE, n - 1)
    reach, nearby = np.empty(n), np.empty((n, k), dtype=np.intp)
    reach_without = np.empty((n, k))
    for block, found in squared_distances(features, features):
        rows = np.arange(block.stop - block.start)
        found[rows, rows + block.start] = np.inf  # a text is not its own neighbour
        nearest = np.argpartition(found, kept - 1, axis=1)[:, :kept]
        order = np.argsort(found[rows[:, None], nearest], axis=1)
        nearest = nearest[rows[:, None], order]
        distance = found[rows[:, None], nearest]
        label = groups.labels[nearest]
        reach[block] = distance[:, k - 1]
        own = groups.labels[block]
        for j in range(k):
            group = label[:, j]
            seen = (label[:, :j] == group[:, None]).any(axis=1) | (group == own)
            nearby[block, j] = np.where(seen, -1, group)
            others = (label != group[:, None]).cumsum(axis=1)
            reach_without[block, j] = distance[rows, np.argmax(others >= k, axis=1)]
            for row in np.flatnonzero((others[:, -1] < k) & ~seen):
                rest = np.sort(found[row, groups.labels != group[row]])
                # The ball's own distance is infinite and stands last.
                reach_without[block.start + row, j] = rest[max(0, min(k, len(rest) - 1) - 1)]
    return Balls(reach * TIE, groups, nearby, reach_without * TIE)


@dataclass(frozen=True)
class Membership:
    """How many balls each point is in.

    Attributes
    ----------
    count : array of int, shape (n_points,)
    mean_without : array of shape (2, n_groups)
        Mean of the count over either half of the points, without each group of ball centres.
    share_without : array of shape (2, n_groups)
        Share of points in at least one ball, likewise.
    """

    count: NDArray[np.intp]
    mean_without: FloatArray
    share_without: FloatArray


def membership(
    points: FloatArray, half: BoolArray, centres: FloatArray, balls: Balls
) -> Membership:
    """Count the balls that each point is in, with all balls and without each group.

    Parameters
    ----------
    points : array of shape (n_points, d)
    half : array of bool, shape (n_points,)
        Which half a point is in.
    centres : array of shape (n, d)
        What :func:`balls_around` was given.
    balls : Balls

    Notes
    -----
    Without a group, its balls are gone and those of its neighbours are larger. Both concern
    few pairs of points and balls, so that no distance is computed again.

    Examples
    --------
    >>> line, groups = np.array([[0.0], [1.0], [3.0], [7.0]]), Groups(np.arange(4), 4)
    >>> points, half = np.array([[1.5], [-2.5]]), np.array([False, True])
    >>> found = membership(points, half, line, balls_around(line, groups, 1))
    >>> found.count.tolist(), found.share_without[1].tolist()
    ([2, 0], [0.0, 1.0, 0.0, 0.0])
    """
    count = np.zeros(len(points), dtype=np.intp)
    n_groups = balls.groups.count
    total, inside = np.zeros((2, n_groups)), np.zeros((2, n_groups))
    largest = np.maximum(balls.reach, balls.reach_without.max(axis=1))
    for block, found in squared_distances(points, centres):
        size = block.stop - block.start
        point, ball = np.nonzero(found <= largest)
        distance = found[point, ball]
        base = distance <= balls.reach[ball]
        count[block] = np.bincount(point[base], minlength=size)
        gone = point[base] * n_groups + balls.groups.labels[ball[base]]
        change = -np.bincount(gone, minlength=size * n_groups)
        point, ball, distance = point[~base], ball[~base], distance[~base]
        for nearby, reach in zip(balls.nearby.T, balls.reach_without.T, strict=True):
            grown = (distance <= reach[ball]) & (nearby[ball] >= 0)
            new = point[grown] * n_groups + nearby[ball[grown]]
            change += np.bincount(new, minlength=size * n_groups)
        without = count[block][:, None] + change.reshape(size, n_groups)
        for i, rows in enumerate((~half[block], half[block])):
            total[i] += without[rows].sum(axis=0)
            inside[i] += (without[rows] > 0).sum(axis=0)
    sizes = np.maximum([[len(half) - half.sum()], [half.sum()]], 1)
    return Membership(count, total / sizes, inside / sizes)
