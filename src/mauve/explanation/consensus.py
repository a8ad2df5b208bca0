r"""Clusters that most clusterings agree on.

One clustering is an accident of its seed. How often two texts share a cell over all
clusterings is not: with cells of sizes :math:`s`, the chance that a step from a text to a
random cell it lies in, and on to a random text of that cell, leads from i to j is

.. math:: S_{ij} = \frac1M \sum_m \frac{[\text{i and j share a cell}]}{s_m(i)}

The leading eigenvectors of S are coordinates in which texts that are often together lie
close, and k-means in them finds small clusters (Liu et al., *Spectral ensemble clustering*,
2015). These are joined, two at a time, so that texts keep as many of their companions as
they can. Small clusters that lie apart, such as the copies of a template, outlive that, where
k-means with few clusters would swallow them. Nothing here sees which side a text is on, so a
test of the sides is exact.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.errors import bad_parameter, check_int
from mauve.quantize.kmeans import KMeans
from mauve.threads import parallel_map

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

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

    members: Labels
    n_clusters: int
    typicality: Array


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

    def walked(block: Array) -> Array:
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


def _together(steps: "scipy.sparse.csr_array", members: Labels) -> Array:
    """Return the share of each text's companions in each cluster, shape (n, n_clusters)."""
    n = len(members)
    chosen = scipy.sparse.csr_array((np.ones(n), (np.arange(n), members)))
    return np.asarray((steps @ (steps.T @ chosen)).todense())


def _without_small(members: Labels, steps: "scipy.sparse.csr_array") -> Labels:
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


def _joined(members: Labels, steps: "scipy.sparse.csr_array", n_clusters: int) -> Labels:
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


def _numbered_by_size(members: Labels) -> Labels:
    sizes = np.bincount(members)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[members]
