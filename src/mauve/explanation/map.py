"""Lay out texts on a map: a disc for each cluster, near clusters near each other.

No projection to two dimensions keeps all distances. So the clusters are laid out by the
distances of their centres, as discs that do not overlap, and within a disc the texts nearest
to the centre of the cluster lie in the middle.
"""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import Features, FloatArray, IntArray
from mauve.equality import ExactEquality

_DISC_AREA = 0.45  # share of the square that discs cover
_MAX_STEPS = 300
_SPACING = 1.08  # distance of discs that touch, relative to the sum of their radii


@dataclass(frozen=True, eq=False)
class TextMap(ExactEquality):
    """Positions within a square centred on the origin.

    Attributes
    ----------
    positions : array of shape (n, 2)
        Of every text.
    centres : array of shape (n_clusters, 2)
    radii : array of shape (n_clusters,)
        The area of a disc is proportional to the number of its texts.
    """

    positions: FloatArray
    centres: FloatArray
    radii: FloatArray


def map_texts(features: Features, members: IntArray) -> TextMap:
    """Lay out texts by their clusters.

    Parameters
    ----------
    features : array of shape (n, m)
    members : array of int, shape (n,)
        Cluster of every text, from 0; none is empty.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> members = np.repeat([0, 1, 2], [30, 20, 10])
    >>> text_map = map_texts(rng.normal(size=(60, 4)).astype(np.float32), members)
    >>> reach = np.linalg.norm(text_map.positions - text_map.centres[members], axis=1)
    >>> bool((reach <= text_map.radii[members]).all())
    True
    """
    n_clusters = int(members.max()) + 1
    sizes = np.bincount(members)
    means = np.stack([features[members == c].mean(axis=0) for c in range(n_clusters)])
    radii = np.sqrt(sizes / len(members) * _DISC_AREA * 4 / np.pi)  # the square is 2 wide
    centres = _apart(_scaled(_by_distances(means.astype(float))), radii)
    positions = np.empty((len(members), 2))
    for c in range(n_clusters):
        rows = np.flatnonzero(members == c)
        positions[rows] = centres[c] + radii[c] * _within(features[rows].astype(float))
    return TextMap(positions, centres, radii)


def _by_distances(points: FloatArray) -> FloatArray:
    """Place points in the plane with their distances kept as well as possible (SMACOF).

    Written here because scikit-learn, which has it, is not a core dependency.
    """
    n = len(points)
    if n < 3:
        return np.stack([np.arange(n, dtype=float), np.zeros(n)], axis=1)
    target = np.linalg.norm(points[:, None] - points[None], axis=-1)
    placed = _principal_plane(points)
    for _ in range(_MAX_STEPS):
        current = np.linalg.norm(placed[:, None] - placed[None], axis=-1)
        ratio = np.divide(target, current, out=np.zeros_like(target), where=current > 1e-12)
        placed = (np.diag(ratio.sum(axis=1)) - ratio) @ placed / n
    return placed


def _principal_plane(points: FloatArray) -> FloatArray:
    """Project points on their first two principal axes, with signs fixed by the points."""
    centred = points - points.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    projected = np.zeros((len(points), 2))
    projected[:, : len(axes)] = centred @ axes.T
    return projected


def _scaled(placed: FloatArray) -> FloatArray:
    """Centre points on the origin, and scale the largest coordinate to 1."""
    centred = placed - placed.mean(axis=0)
    return np.asarray(centred / max(float(np.abs(centred).max()), 1e-12))


def _apart(centres: FloatArray, radii: FloatArray) -> FloatArray:
    """Push overlapping discs apart, as little as needed."""
    centres = centres.copy()
    min_distance = (radii[:, None] + radii[None]) * _SPACING
    np.fill_diagonal(min_distance, 0.0)
    for _ in range(_MAX_STEPS):
        offset = centres[:, None] - centres[None]
        distance = np.linalg.norm(offset, axis=-1)
        lacking = np.maximum(min_distance - distance, 0.0)
        if lacking.max() < 1e-6:
            break
        # Discs with one centre are pushed in fixed directions, another for each pair.
        direction = np.divide(
            offset, distance[..., None], out=_directions(len(radii)), where=distance[..., None] > 0
        )
        centres += (lacking[..., None] * direction).sum(axis=1) / 2
    return centres


def _directions(n: int) -> FloatArray:
    """Return a unit vector for each pair of discs, opposite for the pair turned round."""
    angle = np.arange(n)[:, None] - np.arange(n)[None]
    sign = np.sign(angle)
    return np.stack([np.cos(angle) * sign, np.sin(angle * sign) * sign], axis=-1).astype(float)


def _within(features: FloatArray) -> FloatArray:
    """Place texts evenly in the unit disc, those nearest to the mean in the middle."""
    centred = features - features.mean(axis=0)
    plane = _principal_plane(features)
    angle = np.arctan2(plane[:, 1], plane[:, 0])
    rank = np.argsort(np.argsort(np.linalg.norm(centred, axis=1), kind="stable"), kind="stable")
    reach = np.sqrt((rank + 0.5) / len(features))
    return np.asarray(reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))
