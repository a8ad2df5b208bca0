"""A map of the texts in two dimensions: a disc for each cluster, near clusters near each other.

No projection keeps all distances, and one that tries shows a smear. So the clusters are laid
out by the distances of their centres, as discs that do not overlap, and within a disc the
texts nearest to the centre of the cluster lie in the middle.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SHARE = 0.45  # of the square that discs cover
_STEPS = 300
_GAP = 1.08  # between discs, relative to their radii


@dataclass(frozen=True)
class TextMap:
    """Positions within a square about the origin.

    Attributes
    ----------
    positions : array of shape (n, 2)
        Of every text.
    centres : array of shape (n_clusters, 2)
    radii : array of shape (n_clusters,)
        The area of a disc is as the number of its texts.
    """

    positions: Array
    centres: Array
    radii: Array


def map_texts(features: NDArray[np.float32], members: NDArray[np.int64]) -> TextMap:
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
    >>> found = map_texts(rng.normal(size=(60, 4)).astype(np.float32), members)
    >>> reach = np.linalg.norm(found.positions - found.centres[members], axis=1)
    >>> bool((reach <= found.radii[members]).all())
    True
    """
    n_clusters = int(members.max()) + 1
    sizes = np.bincount(members)
    means = np.stack([features[members == c].mean(axis=0) for c in range(n_clusters)])
    radii = np.sqrt(sizes / len(members) * _SHARE * 4 / np.pi)  # of a square with sides of 2
    centres = _apart(_scaled(_by_distances(means.astype(float))), radii)
    positions = np.empty((len(members), 2))
    for c in range(n_clusters):
        rows = np.flatnonzero(members == c)
        positions[rows] = centres[c] + radii[c] * _within(features[rows].astype(float))
    return TextMap(positions, centres, radii)


def _by_distances(points: Array) -> Array:
    """Place points in the plane so that their distances are as they were (SMACOF)."""
    n = len(points)
    if n < 3:
        return np.stack([np.arange(n, dtype=float), np.zeros(n)], axis=1)
    wanted = np.linalg.norm(points[:, None] - points[None], axis=-1)
    placed = _principal_plane(points)
    for _ in range(_STEPS):
        now = np.linalg.norm(placed[:, None] - placed[None], axis=-1)
        ratio = np.divide(wanted, now, out=np.zeros_like(now), where=now > 1e-12)
        placed = (np.diag(ratio.sum(axis=1)) - ratio) @ placed / n
    return placed


def _principal_plane(points: Array) -> Array:
    """Project points on their first two principal axes, with signs that do not depend on luck."""
    centred = points - points.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    found = np.zeros((len(points), 2))
    found[:, : len(axes)] = centred @ axes.T
    return found


def _scaled(placed: Array) -> Array:
    centred = placed - placed.mean(axis=0)
    return np.asarray(centred / max(float(np.abs(centred).max()), 1e-12))


def _apart(centres: Array, radii: Array) -> Array:
    """Push discs that overlap away from each other, as little as it takes."""
    centres = centres.copy()
    least = (radii[:, None] + radii[None]) * _GAP
    np.fill_diagonal(least, 0.0)
    for _ in range(_STEPS):
        offset = centres[:, None] - centres[None]
        distance = np.linalg.norm(offset, axis=-1)
        lacking = np.maximum(least - distance, 0.0)
        if lacking.max() < 1e-6:
            break
        # Discs in one place part along a direction of their own.
        direction = np.divide(
            offset, distance[..., None], out=_directions(len(radii)), where=distance[..., None] > 0
        )
        centres += (lacking[..., None] * direction).sum(axis=1) / 2
    return centres


def _directions(n: int) -> Array:
    angle = np.arange(n)[:, None] - np.arange(n)[None]
    sign = np.sign(angle)
    return np.stack([np.cos(angle) * sign, np.sin(angle * sign) * sign], axis=-1).astype(float)


def _within(features: Array) -> Array:
    """Place texts in the unit disc: in the middle those nearest to the mean, evenly spread."""
    centred = features - features.mean(axis=0)
    plane = _principal_plane(features)
    angle = np.arctan2(plane[:, 1], plane[:, 0])
    rank = np.argsort(np.argsort(np.linalg.norm(centred, axis=1), kind="stable"), kind="stable")
    reach = np.sqrt((rank + 0.5) / len(features))
    return np.asarray(reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))
