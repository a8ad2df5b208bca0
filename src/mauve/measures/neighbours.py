"""Find nearest neighbours of texts, and count the balls to k-th neighbours that contain them.

Precision, recall, density and coverage put a ball around every text of a sample; its radius is
the distance to the k-th neighbour in that sample. Their intervals need the same counts without
each group of texts.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray
from mauve.errors import UndefinedError
from mauve.measures.estimate import Groups
from mauve.measures.protocol import MeasuredSample, needed

#: Number of the neighbour at the boundary of a ball. Five is the choice of Naeem et al. (2020)
#: for samples of a few thousand; 97% of balls then contain a text of a second sample from the
#: same source.
N_NEIGHBOURS = 5

#: Ratio up to which squared distances count as equal.
TIE = 1 + 1e-9

_BLOCK = 512  # rows whose distances to a whole sample are in memory at once
_ROUNDING = 1e-12  # squared distances below, relative to the squared lengths, are 0
_SPARE = 20  # neighbours stored beyond the k-th, to find the k-th outside a group


def centred(first: MeasuredSample, second: MeasuredSample) -> tuple[FloatArray, FloatArray]:
    """Return the features of both samples in double precision, minus their common mean.

    Examples
    --------
    >>> groups = Groups(np.arange(1), 1)
    >>> samples = [MeasuredSample("b", groups, features=np.array([[i]])) for i in (2, 4)]
    >>> [features.tolist() for features in centred(*samples)]
    [[[-1.0]], [[1.0]]]
    """
    parts = [
        np.asarray(needed(sample.features, "features"), dtype=np.float64)
        for sample in (first, second)
    ]
    mean = sum(part.sum(axis=0) for part in parts) / sum(map(len, parts))
    x, y = (part - mean for part in parts)
    if not (np.any(x != x[0]) or np.any(y != x[0])):
        raise UndefinedError(
            f"The features of '{first.name}' and '{second.name}' must differ between texts. Got "
            f"{len(x)} and {len(y)} equal rows instead: check the embedder."
        )
    return x, y


def squared_distances(rows: FloatArray, columns: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the squared distances of blocks of rows to all columns.

    Parameters
    ----------
    rows, columns : array of shape (n, d), (m, d)
        Centred features.

    Yields
    ------
    slice, array of shape (n_block, m)
        The rows of the block, and their distances; exactly 0 for equal features.

    Examples
    --------
    >>> points = np.array([[0.0], [3.0]])
    >>> [distances.tolist() for _, distances in squared_distances(points, points)]
    [[[0.0, 9.0], [9.0, 0.0]]]
    """
    square = np.einsum("ij,ij->i", columns, columns)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        lengths = np.einsum("ij,ij->i", part, part)[:, None] + square
        distances = part @ columns.T
        distances *= -2
        distances += lengths
        lengths *= _ROUNDING
        distances[distances <= lengths] = 0
        yield slice(start, start + len(part)), distances


def shared_influences(first: FloatArray, second: FloatArray) -> FloatArray:
    r"""Combine the influences of groups on either half of the texts.

    Parameters
    ----------
    first, second : array of shape (n_groups,)
        Influence of each group on the share of one half of the texts, and of the other.

    Returns
    -------
    array of shape (n_groups,)
        Their mean, scaled so that the squares add up to :math:`\sum_g a_g b_g`.

    Notes
    -----
    Whether a text at the boundary of a ball is inside is chance, and the jackknife counts it
    twice: with the group of the text and with that of the ball. This noise is independent
    between the halves, so the product keeps the effect of the group alone. Without this,
    standard errors are 1.3 to 2.2 times too large.

    Examples
    --------
    >>> shared_influences(np.array([3.0, 0.0]), np.array([3.0, 0.0])).tolist()
    [3.0, 0.0]
    >>> shared_influences(np.array([3.0, 0.0]), np.array([0.0, 3.0])).tolist()
    [0.0, 0.0]
    """
    mean = (first + second) / 2
    square = float((mean**2).sum())
    if square == 0:
        return mean
    return np.asarray(mean * np.sqrt(max(0.0, float((first * second).sum())) / square))


def halves(groups: Groups) -> BoolArray:
    """Return the half of each text; texts of a group are in the same half.

    Examples
    --------
    >>> halves(Groups(np.array([0, 1, 0]), 2)).tolist()
    [False, True, False]
    """
    return np.asarray(groups.labels % 2 == 1)


def nearest_two(
    points: FloatArray, others: FloatArray, groups: Groups
) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Return the distances of each point to the nearest text, and to the nearest of another group.

    Parameters
    ----------
    points, others : array of shape (n, d), (m, d)
    groups : Groups
        Groups of the others.

    Returns
    -------
    nearest, second : array of shape (n,)
        Squared distances. The second is to the nearest text of another group than that of the
        nearest text; infinite if there is one group only.
    group : array of int, shape (n,)
        Group of the nearest text.

    Examples
    --------
    >>> near = nearest_two(np.array([[0.0]]), np.array([[1.0], [2.0]]), Groups(np.arange(2), 2))
    >>> [part.tolist() for part in near]
    [[1.0], [4.0], [0]]
    """
    nearest, second = np.empty(len(points)), np.empty(len(points))
    group = np.empty(len(points), dtype=np.intp)
    for block, distances in squared_distances(points, others):
        column = distances.argmin(axis=1)
        nearest[block] = distances[np.arange(len(distances)), column]
        group[block] = groups.labels[column]
        distances[groups.labels == group[block][:, None]] = np.inf
        second[block] = distances.min(axis=1)
    return nearest, second, group


@dataclass(frozen=True)
class Balls:
    """Balls around the texts of a sample, each with the distance to the k-th neighbour as radius.

    Attributes
    ----------
    reach : array of shape (n,)
        Squared radius, with a margin for ties, so that a text on the boundary is inside.
    groups : Groups
        Groups of the centres.
    nearby : array of int, shape (n, k)
        Groups of the k neighbours; -1 for a group listed before and for that of the centre.
    reach_without : array of shape (n, k)
        Squared radius without the texts of that group.
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
    n_stored = min(k + _SPARE, n - 1)
    reach, nearby = np.empty(n), np.empty((n, k), dtype=np.intp)
    reach_without = np.empty((n, k))
    for block, distances in squared_distances(features, features):
        rows = np.arange(block.stop - block.start)
        distances[rows, rows + block.start] = np.inf  # a text is not its own neighbour
        nearest = np.argpartition(distances, n_stored - 1, axis=1)[:, :n_stored]
        order = np.argsort(distances[rows[:, None], nearest], axis=1)
        nearest = nearest[rows[:, None], order]
        distance = distances[rows[:, None], nearest]
        label = groups.labels[nearest]
        reach[block] = distance[:, k - 1]
        for j in range(k):
            group = label[:, j]
            listed_before = (label[:, :j] == group[:, None]).any(axis=1)
            skipped = listed_before | (group == groups.labels[block])
            nearby[block, j] = np.where(skipped, -1, group)
            n_others = (label != group[:, None]).cumsum(axis=1)
            reach_without[block, j] = distance[rows, np.argmax(n_others >= k, axis=1)]
            for row in np.flatnonzero((n_others[:, -1] < k) & ~skipped):
                remaining = np.sort(distances[row, groups.labels != group[row]])
                # The infinite distance of the text to itself is last.
                last = max(0, min(k, len(remaining) - 1) - 1)
                reach_without[block.start + row, j] = remaining[last]
    return Balls(reach * TIE, groups, nearby, reach_without * TIE)


@dataclass(frozen=True)
class Membership:
    """Number of balls that contain each point.

    Attributes
    ----------
    count : array of int, shape (n_points,)
    mean_without : array of shape (2, n_groups)
        Mean of the count over either half of the points, without each group of centres.
    share_without : array of shape (2, n_groups)
        Share of points in at least one ball, over either half, without each group of centres.
    """

    count: NDArray[np.intp]
    mean_without: FloatArray
    share_without: FloatArray


def membership(
    points: FloatArray, half: BoolArray, centres: FloatArray, balls: Balls
) -> Membership:
    """Count the balls that contain each point, with all texts and without each group.

    Parameters
    ----------
    points : array of shape (n_points, d)
    half : array of bool, shape (n_points,)
        Half of each point.
    centres : array of shape (n, d)
        The features that :func:`balls_around` was called with.
    balls : Balls

    Notes
    -----
    Without a group, its balls vanish and those of its neighbours grow. Both concern few pairs of
    points and balls, so no distance is computed again.

    Examples
    --------
    >>> line, groups = np.array([[0.0], [1.0], [3.0], [7.0]]), Groups(np.arange(4), 4)
    >>> points, half = np.array([[1.5], [-2.5]]), np.array([False, True])
    >>> members = membership(points, half, line, balls_around(line, groups, 1))
    >>> members.count.tolist(), members.share_without[1].tolist()
    ([2, 0], [0.0, 1.0, 0.0, 0.0])
    """
    count = np.zeros(len(points), dtype=np.intp)
    n_groups = balls.groups.count
    total, inside = np.zeros((2, n_groups)), np.zeros((2, n_groups))
    largest = np.maximum(balls.reach, balls.reach_without.max(axis=1))
    for block, distances in squared_distances(points, centres):
        size = block.stop - block.start
        point, ball = np.nonzero(distances <= largest)
        distance = distances[point, ball]
        is_inside = distance <= balls.reach[ball]
        count[block] = np.bincount(point[is_inside], minlength=size)
        lost = point[is_inside] * n_groups + balls.groups.labels[ball[is_inside]]
        change = -np.bincount(lost, minlength=size * n_groups)
        point, ball, distance = point[~is_inside], ball[~is_inside], distance[~is_inside]
        for nearby, reach in zip(balls.nearby.T, balls.reach_without.T, strict=True):
            grown = (distance <= reach[ball]) & (nearby[ball] >= 0)
            gained = point[grown] * n_groups + nearby[ball[grown]]
            change += np.bincount(gained, minlength=size * n_groups)
        without = count[block][:, None] + change.reshape(size, n_groups)
        for i, rows in enumerate((~half[block], half[block])):
            total[i] += without[rows].sum(axis=0)
            inside[i] += (without[rows] > 0).sum(axis=0)
    sizes = np.maximum([[len(half) - half.sum()], [half.sum()]], 1)
    return Membership(count, total / sizes, inside / sizes)
