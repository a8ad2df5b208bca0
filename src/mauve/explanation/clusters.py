"""Find clusters of texts that many clusterings agree on.

One clustering depends on its random seed. Clusters are therefore groups of texts that often
share a bucket, over all clusterings of a comparison. They are found without knowing which
sample a text is from, so that a test may compare the samples within them.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from mauve.arrays import Features, FloatArray, IntArray, Labels
from mauve.errors import bad_parameter, check_int
from mauve.quantize.kmeans import KMeans
from mauve.threads import parallel_map

_RESTARTS = 50  # runs of k-means
_SPARE_VECTORS, _ROUNDS = 10, 15  # of the block iteration
_FINER = 2  # clusters of k-means for each one wanted
_MIN_TEXTS = 10  # of a cluster
_FEWEST, _MOST = 4, 30  # default number of clusters


@dataclass(frozen=True)
class Consensus:
    """Clusters of all texts of a comparison.

    Attributes
    ----------
    members : array of int, shape (n,)
        Cluster of every text, from 0, the largest first.
    n_clusters : int
    typicality : array of shape (n,)
        Share of the texts in a text's buckets, over all clusterings and itself included, that
        are in its cluster.
    """

    members: IntArray
    n_clusters: int
    typicality: FloatArray


def default_clusters(n_texts: int) -> int:
    """Return the default number of clusters for so many texts of all samples.

    Examples
    --------
    >>> default_clusters(1000), default_clusters(10_000)
    (18, 30)
    """
    return int(np.clip(round(np.sqrt(n_texts) / 1.75), _FEWEST, _MOST))


def check_clusters(n_clusters: int | str, n_texts: int) -> int:
    """Return the number of clusters for so many texts of all samples, or raise.

    Examples
    --------
    >>> check_clusters("auto", 1000), check_clusters(5, 1000)
    (18, 5)
    """
    if n_clusters == "auto":
        return default_clusters(n_texts)
    if isinstance(n_clusters, str):
        raise bad_parameter("n_clusters", "an int or 'auto'", n_clusters)
    why = f"there are {n_texts} texts, and a cluster needs {_MIN_TEXTS} to be compared"
    return check_int("n_clusters", n_clusters, 2, n_texts // _MIN_TEXTS, why)


def consensus_clusters(labels: Labels, n_buckets: int, n_clusters: int, seed: int) -> Consensus:
    r"""Find clusters of texts that often share a bucket.

    Parameters
    ----------
    labels : array of int, shape (n_clusterings, n)
        Bucket of every text in each clustering.
    n_buckets : int
        Buckets of each clustering.
    n_clusters : int
        Clusters wanted. There are fewer where some would have less than ten texts: those
        are merged into the cluster that they share most buckets with.
    seed : int
        Random seed.

    Notes
    -----
    With :math:`s_m(i)` the size of the bucket of text i in clustering m of M,

    .. math:: S_{ij} = \frac1M \sum_m \frac{[i \text{ and } j \text{ share a bucket}]}{s_m(i)}

    is the probability of a step from i to one of its buckets at random and on to a random
    text of that bucket. K-means in the leading eigenvectors of S finds twice as many clusters
    as wanted, and pairs of them are merged by Ward's method with S as the kernel.

    Examples
    --------
    >>> labels = np.repeat([[0, 0, 1], [1, 0, 2]], 20, axis=1)  # two clusterings of sixty texts
    >>> consensus = consensus_clusters(labels.astype(np.int32), 3, 3, seed=0)
    >>> consensus.n_clusters, np.bincount(consensus.members).tolist()
    (3, [20, 20, 20])
    """
    # Sorted by bucket, so that the order of the texts does not matter.
    order = np.lexsort(labels[::-1])
    steps = _steps(labels[:, order], n_buckets)
    n = labels.shape[1]
    finer = max(min(_FINER * n_clusters, n // _MIN_TEXTS), n_clusters)
    # parallel_map limits BLAS to one thread; several wait for each other on busy cores.
    (coordinates,) = parallel_map(
        lambda n_dimensions: _coordinates(steps, n_dimensions, seed), [min(finer, n - 2)]
    )
    runs = parallel_map(
        lambda run: KMeans().fit(coordinates, finer, np.random.default_rng([seed, run])),
        range(_RESTARTS),
    )
    best = min(runs, key=lambda run: run.objective)
    members = _merge_small(best.assign(coordinates).astype(np.int64), steps)
    members = _numbered_by_size(_merge(members, steps, n_clusters))
    typicality = _together(steps, members)[np.arange(n), members]
    back = np.argsort(order)
    return Consensus(members[back], int(members.max()) + 1, typicality[back])


def _steps(labels: Labels, n_buckets: int) -> "scipy.sparse.csr_array":
    """Return B with S = B Bᵀ: the buckets of each text, weighted by size, shape (n, buckets)."""
    n_clusterings, n = labels.shape
    buckets = (labels + np.arange(n_clusterings)[:, None] * n_buckets).T.ravel()
    sizes = np.bincount(buckets, minlength=n_clusterings * n_buckets)
    return scipy.sparse.csr_array(
        (
            1 / np.sqrt(n_clusterings * sizes[buckets]),
            buckets,
            np.arange(n + 1) * n_clusterings,
        ),
        shape=(n, n_clusterings * n_buckets),
    )


def _coordinates(steps: "scipy.sparse.csr_array", n_dimensions: int, seed: int) -> Features:
    """Return coordinates of texts: leading eigenvectors of S without the first, a constant.

    Each is weighted by its eigenvalue. Texts are scaled to unit length, which makes clusters
    of different spread alike.
    """
    n, transposed = steps.shape[0], steps.T.tocsr()

    def step(block: FloatArray) -> FloatArray:
        product = steps @ (transposed @ block)
        return np.asarray(product - product.mean(axis=0))  # without the constant

    # A block of vectors, since parts that share no bucket have equal eigenvalues, of which
    # Lanczos iteration of one vector finds one. scipy.sparse.linalg.lobpcg from the same block
    # takes 2.1 times as long for 1,420 texts and 0.7 times for 10,000, and changes clusters.
    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(n, min(n_dimensions + _SPARE_VECTORS, n - 1)))
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(step(basis))[0]
    values, rotation = np.linalg.eigh(basis.T @ step(basis))
    order = np.argsort(values)[::-1][:n_dimensions]
    coordinates = (basis @ rotation[:, order]) * values[order]
    length = np.linalg.norm(coordinates, axis=1, keepdims=True)
    np.divide(coordinates, length, out=coordinates, where=length > 0)
    return np.asarray(coordinates, dtype=np.float32)


def _together(steps: "scipy.sparse.csr_array", members: IntArray) -> FloatArray:
    """Return the share of the texts in each text's buckets by cluster, shape (n, n_clusters)."""
    n = len(members)
    indicator = scipy.sparse.csr_array((np.ones(n), (np.arange(n), members)))
    return np.asarray((steps @ (steps.T @ indicator)).todense())


def _merge_small(members: IntArray, steps: "scipy.sparse.csr_array") -> IntArray:
    """Merge small clusters, smallest first, into the one they share most buckets with."""
    min_texts = min(_MIN_TEXTS, len(members))
    while True:
        present, members, sizes = np.unique(members, return_inverse=True, return_counts=True)
        smallest = int(np.argmin(sizes))
        if sizes[smallest] >= min_texts or len(present) == 1:
            return members
        shared = _together(steps, members)[members == smallest].sum(axis=0)
        shared[smallest] = -1
        members = np.where(members == smallest, int(np.argmax(shared)), members)


def _merge(members: IntArray, steps: "scipy.sparse.csr_array", n_clusters: int) -> IntArray:
    r"""Merge pairs of clusters by Ward's method with the kernel S until `n_clusters` are left.

    Each merge keeps :math:`\sum_c \sum_{i,j \in c} S_{ij} / |c|`, the objective of k-means with
    that kernel, as large as possible.
    """
    n = len(members)
    sizes = np.bincount(members).astype(float)
    indicator = scipy.sparse.csr_array((np.ones(n), (members, np.arange(n))))
    within = np.asarray(indicator @ _together(steps, members))  # of S, by pairs of clusters
    current = np.arange(len(sizes))
    while len(sizes) > n_clusters:
        diagonal = np.diag(within)
        joint = (diagonal[:, None] + diagonal + within + within.T) / (sizes[:, None] + sizes)
        gain = joint - (diagonal / sizes)[:, None] - diagonal / sizes
        np.fill_diagonal(gain, -np.inf)
        first, second = sorted(divmod(int(np.argmax(gain)), len(sizes)))
        within[first] += within[second]
        within[:, first] += within[:, second]
        sizes[first] += sizes[second]
        within = np.delete(np.delete(within, second, axis=0), second, axis=1)
        sizes = np.delete(sizes, second)
        current = np.where(current == second, first, current - (current > second))
    return np.asarray(current[members])


def _numbered_by_size(members: IntArray) -> IntArray:
    sizes = np.bincount(members)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[members]
