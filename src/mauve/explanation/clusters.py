"""A map of the texts in two dimensions: a disc for each cluster, near clusters near each other.

No projection keeps all distances, and one that tries shows a smear. So the clusters are laid
out by the distances of their centres, as discs that do not overlap, and within a disc the
texts nearest to the centre of the cluster lie in the middle.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import FloatArray, IntArray
from mauve.errors import bad_parameter, check_int
from mauve.quantize.kmeans import KMeans
from mauve.threads import parallel_map

_RESTARTS = 50
_SPARE, _ROUNDS = 10, 15  # vectors beyond those wanted, and iterations of the block
_FINER = 2  # small clusters for each that is wanted
_LEAST = 10  # texts of a cluster
_FEWEST, _MOST = 4, 30


@dataclass(frozen=True)
class Consensus:
    """Clusters of all texts of a comparison.

    Attributes
    ----------
    members : array of int, shape (n,)
        Cluster of every text, from 0, the largest first.
    n_clusters : int
    typicality : array of shape (n,)
        Share of a text's companions in its cells, over all clusterings and itself included,
        that are in its cluster.
    """

    members: IntArray
    n_clusters: int
    typicality: FloatArray


def default_clusters(n_texts: int) -> int:
    """Return how many clusters a reader is shown of so many texts.

    Examples
    --------
    >>> default_clusters(1000), default_clusters(10_000)
    (18, 30)
    """
    return int(np.clip(round(np.sqrt(n_texts) / 1.75), _FEWEST, _MOST))


def check_clusters(n_clusters: int | str, n_texts: int) -> int:
    """Return the number of clusters asked for, of so many texts of all samples.

    Examples
    --------
    >>> check_clusters("auto", 1000), check_clusters(5, 1000)
    (18, 5)
    """
    if n_clusters == "auto":
        return default_clusters(n_texts)
    if isinstance(n_clusters, str):
        raise bad_parameter("explain", "n_clusters", "an int or 'auto'", n_clusters)
    return check_int("explain", "n_clusters", n_clusters, 2, n_texts // _LEAST)


def consensus_clusters(
    labels: NDArray[np.int32], n_buckets: int, n_clusters: int, seed: int
) -> Consensus:
    """Find clusters of texts that often share a cell.

    Parameters
    ----------
    labels : array of int, shape (n_clusterings, n)
        Cell of every text.
    n_buckets : int
        Cells of each clustering.
    n_clusters : int
        Clusters wanted. There are fewer where some would have less than ten texts: those
        are joined to the cluster that they share most cells with.
    seed : int

    Examples
    --------
    >>> labels = np.repeat([[0, 0, 1], [1, 0, 2]], 20, axis=1)  # two clusterings of sixty texts
    >>> found = consensus_clusters(labels.astype(np.int32), 3, 3, seed=0)
    >>> found.n_clusters, np.bincount(found.members).tolist()
    (3, [20, 20, 20])
    """
    # By their cells, so that the order in which texts came does not matter.
    order = np.lexsort(labels[::-1])
    steps = _steps(labels[:, order], n_buckets)
    n = labels.shape[1]
    finer = max(min(_FINER * n_clusters, n // _LEAST), n_clusters)
    # By parallel_map, which binds BLAS to one thread: on busy cores several wait for each other.
    (coordinates,) = parallel_map(
        lambda n_dimensions: _coordinates(steps, n_dimensions, seed), [min(finer, n - 2)]
    )
    runs = parallel_map(
        lambda run: KMeans().fit(coordinates, finer, np.random.default_rng([seed, run])),
        range(_RESTARTS),
    )
    best = min(runs, key=lambda run: run.objective)
    members = _without_small(best.assign(coordinates).astype(np.int64), steps)
    members = _numbered_by_size(_joined(members, steps, n_clusters))
    typicality = _together(steps, members)[np.arange(n), members]
    back = np.argsort(order)
    return Consensus(members[back], int(members.max()) + 1, typicality[back])


def _steps(labels: NDArray[np.int32], n_buckets: int) -> "scipy.sparse.csr_array":
    """Return B with S = B Bᵀ: a text's cells, each weighed by its size, shape (n, cells)."""
    n_clusterings, n = labels.shape
    cells = (labels + np.arange(n_clusterings)[:, None] * n_buckets).T.ravel()
    sizes = np.bincount(cells, minlength=n_clusterings * n_buckets)
    return scipy.sparse.csr_array(
        (
            1 / np.sqrt(n_clusterings * sizes[cells]),
            cells,
            np.arange(n + 1) * n_clusterings,
        ),
        shape=(n, n_clusterings * n_buckets),
    )


def _coordinates(
    steps: "scipy.sparse.csr_array", n_dimensions: int, seed: int
) -> NDArray[np.float32]:
    """Return coordinates of texts: leading eigenvectors of S but the first, which is constant.

    Each is weighed by its eigenvalue. Texts are set to unit length, which makes clusters of
    unequal spread alike.

    A block of vectors is iterated, for parts that share no cell have equal eigenvalues, and
    of those a single vector (Lanczos) would find one.
    """
    n, back = steps.shape[0], steps.T.tocsr()

    def walked(block: FloatArray) -> FloatArray:
        moved = steps @ (back @ block)
        return np.asarray(moved - moved.mean(axis=0))  # without the constant

    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(n, min(n_dimensions + _SPARE, n - 1)))
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(walked(basis))[0]
    values, turn = np.linalg.eigh(basis.T @ walked(basis))
    order = np.argsort(values)[::-1][:n_dimensions]
    found = (basis @ turn[:, order]) * values[order]
    length = np.linalg.norm(found, axis=1, keepdims=True)
    np.divide(found, length, out=found, where=length > 0)
    return np.asarray(found, dtype=np.float32)


def _together(steps: "scipy.sparse.csr_array", members: IntArray) -> FloatArray:
    """Return the share of each text's companions in each cluster, shape (n, n_clusters)."""
    n = len(members)
    chosen = scipy.sparse.csr_array((np.ones(n), (np.arange(n), members)))
    return np.asarray((steps @ (steps.T @ chosen)).todense())


def _without_small(members: IntArray, steps: "scipy.sparse.csr_array") -> IntArray:
    """Join clusters of a few texts, smallest first, to the one most of their companions are in."""
    least = min(_LEAST, len(members))
    while True:
        present, members, sizes = np.unique(members, return_inverse=True, return_counts=True)
        smallest = int(np.argmin(sizes))
        if sizes[smallest] >= least or len(present) == 1:
            return members
        near = _together(steps, members)[members == smallest].sum(axis=0)
        near[smallest] = -1
        members = np.where(members == smallest, int(np.argmax(near)), members)


def _joined(members: IntArray, steps: "scipy.sparse.csr_array", n_clusters: int) -> IntArray:
    r"""Join clusters, two at a time, until so many are left.

    The two are those that leave the most of :math:`\sum_c \sum_{i,j \in c} S_{ij} / |c|`, the
    objective of k-means with the kernel S, as in Ward's method.
    """
    n = len(members)
    sizes = np.bincount(members).astype(float)
    chosen = scipy.sparse.csr_array((np.ones(n), (members, np.arange(n))))
    within = np.asarray(chosen @ _together(steps, members))  # of S, by pairs of clusters
    current = np.arange(len(sizes))
    while len(sizes) > n_clusters:
        own = np.diag(within)
        joint = (own[:, None] + own + within + within.T) / (sizes[:, None] + sizes)
        gain = joint - (own / sizes)[:, None] - own / sizes
        np.fill_diagonal(gain, -np.inf)
        kept, lost = sorted(divmod(int(np.argmax(gain)), len(sizes)))
        within[kept] += within[lost]
        within[:, kept] += within[:, lost]
        sizes[kept] += sizes[lost]
        within = np.delete(np.delete(within, lost, axis=0), lost, axis=1)
        sizes = np.delete(sizes, lost)
        current = np.where(current == lost, kept, current - (current > lost))
    return np.asarray(current[members])


def _numbered_by_size(members: IntArray) -> IntArray:
    sizes = np.bincount(members)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[members]


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

    positions: FloatArray
    centres: FloatArray
    radii: FloatArray


def map_texts(features: NDArray[np.float32], members: IntArray) -> TextMap:
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


def _by_distances(points: FloatArray) -> FloatArray:
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


def _principal_plane(points: FloatArray) -> FloatArray:
    """Project points on their first two principal axes, with signs that do not depend on luck."""
    centred = points - points.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    found = np.zeros((len(points), 2))
    found[:, : len(axes)] = centred @ axes.T
    return found


def _scaled(placed: FloatArray) -> FloatArray:
    centred = placed - placed.mean(axis=0)
    return np.asarray(centred / max(float(np.abs(centred).max()), 1e-12))


def _apart(centres: FloatArray, radii: FloatArray) -> FloatArray:
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


def _directions(n: int) -> FloatArray:
    angle = np.arange(n)[:, None] - np.arange(n)[None]
    sign = np.sign(angle)
    return np.stack([np.cos(angle) * sign, np.sin(angle * sign) * sign], axis=-1).astype(float)


def _within(features: FloatArray) -> FloatArray:
    """Place texts in the unit disc: in the middle those nearest to the mean, evenly spread."""
    centred = features - features.mean(axis=0)
    plane = _principal_plane(features)
    angle = np.arctan2(plane[:, 1], plane[:, 0])
    rank = np.argsort(np.argsort(np.linalg.norm(centred, axis=1), kind="stable"), kind="stable")
    reach = np.sqrt((rank + 0.5) / len(features))
    return np.asarray(reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))
