"""Balls around texts that reach to the k-th neighbour, and how many of them a text is in."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.measures.estimate import Array, Groups
from mauve.measures.neighbours import TIE, squared_distances

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

    reach: Array
    groups: Groups
    nearby: NDArray[np.intp]
    reach_without: Array


def balls_around(features: Array, groups: Groups, k: int) -> Balls:
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
    mean_without: Array
    share_without: Array


def membership(points: Array, half: NDArray[np.bool_], centres: Array, balls: Balls) -> Membership:
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
