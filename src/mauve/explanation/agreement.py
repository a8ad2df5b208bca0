"""Measure how well clusters agree with a field of the metadata, and how well by chance."""

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import FloatArray, IntegerArray
from mauve.errors import InvalidParameterError, check_int
from mauve.escape import escaped
from mauve.explanation.findings import Dominance, FieldSummary
from mauve.inference.differences import holm

_PAPER_TEXTS, _PAPER_VALUES = 20, 2  # appendix F: buckets of 20 texts with one or two values
_PERMUTATIONS = 200  # of the values, for chance levels
_BUCKET_PERMUTATIONS = 200  # the same for buckets, over all clusterings together


def dominances(
    field: str,
    values: Sequence[str | None],
    assignment: IntegerArray,
    n_clusters: int,
    seed: int = 0,
) -> list[Dominance | None]:
    r"""Return how far a field dominates each cluster.

    Parameters
    ----------
    field : str
    values : sequence of str or None, length n
        Of each text.
    assignment : array of int, shape (n,)
        The cluster of each text, from 1.
    n_clusters : int
    seed : int
        Random seed.

    Returns
    -------
    list of Dominance or None
        One for each cluster; None for a cluster without a text that has a value.

    Notes
    -----
    Chance levels are means over 200 permutations of the values among the texts, in which the
    values of a cluster of m texts have a multivariate hypergeometric distribution. The p-value
    of c texts with a value that K of all N texts have is :math:`P(X \ge c)` with X
    hypergeometric, adjusted by Holm's method for all clusters and values of the field.

    Enriched is the value with the least p-value. In any cluster some value is more frequent
    than elsewhere, so report it only where that p-value is small.

    Examples
    --------
    >>> first, second = dominances("site", ["a"] * 6 + ["b"] * 6, np.repeat([1, 2], 6), 2)
    >>> first.value, first.purity, first.entropy, first.enriched
    ('a', 1.0, 0.0, 'a')
    >>> round(first.p_value, 4)  # one of 924 ways to choose six texts, times 4
    0.0043
    """
    names, codes, rows = _coded(values)
    clusters = np.asarray(assignment)[rows] - 1
    counts = _counts(clusters, codes, n_clusters, len(names))
    sizes, totals, n = counts.sum(axis=1), counts.sum(axis=0), len(rows)
    chance_purity, chance_entropy = _chance(clusters, codes, counts.shape, seed)
    p_values = _upper_tails(counts)
    adjusted = np.ones(counts.shape)
    present = p_values[sizes > 0]
    adjusted[sizes > 0] = np.reshape(holm(present.ravel()), present.shape)
    by_cluster: list[Dominance | None] = []
    for k in range(n_clusters):
        if not sizes[k]:
            by_cluster.append(None)
            continue
        shares = counts[k] / sizes[k]
        # Equal p-values, such as several of 0, are ordered by the ratio to the overall share.
        best = int(np.lexsort([-shares / totals, p_values[k]])[0])
        is_above = counts[k, best] * n > totals[best] * sizes[k]
        by_cluster.append(
            Dominance(
                field=field,
                n_texts=int(sizes[k]),
                value=str(names[counts[k].argmax()]),
                purity=float(shares.max()),
                chance_purity=float(chance_purity[k]),
                entropy=float(_entropy(counts[k : k + 1])[0]),
                chance_entropy=float(chance_entropy[k]),
                enriched=str(names[best]) if is_above else None,
                enriched_share=float(shares[best]) if is_above else 0.0,
                overall_share=float(totals[best] / n) if is_above else 0.0,
                p_value=float(adjusted[k, best]),
                n_overall=n,
            )
        )
    return by_cluster


def summarize_field(
    field: str,
    values: Sequence[str | None],
    assignment: IntegerArray,
    labels: IntegerArray,
    seed: int = 0,
    n_permutations: int = 200,
) -> FieldSummary:
    """Return how well clusters, and the buckets of the clusterings, agree with a field.

    Parameters
    ----------
    field : str
    values : sequence of str or None, length n
        Of each text, at least one of them not None.
    assignment : array of int, shape (n,)
        The cluster of each text, from 1.
    labels : array of int, shape (n_clusterings, n)
        The bucket of each text in each clustering, from 0.
    seed : int
        Random seed.
    n_permutations : int
        Permutations of the values among the texts, for the clusters. Buckets have 200 in all,
        divided among the clusterings, which is enough for a mean.

    Notes
    -----
    The figure for buckets is that of appendix F of the paper, where 7 of 21 buckets with at
    least 20 texts had one or two web domains. Only texts that have the field are counted.

    Examples
    --------
    >>> site, cluster = ["a"] * 40 + ["b"] * 40, np.repeat([1, 2], 40)
    >>> summary = summarize_field("site", site, cluster, np.array([cluster - 1]))
    >>> summary.purity, summary.n_buckets, summary.n_pure, summary.p_value < 0.01
    (1.0, 2.0, 2.0, True)
    """
    check_int("n_permutations", n_permutations, 1)
    names, codes, rows = _coded(values)
    if not len(rows):
        raise InvalidParameterError(
            f"The field '{escaped(field)}' must have a value for at least one text. Got none "
            "instead: leave it out."
        )
    rng = np.random.default_rng(seed)
    clusters = np.asarray(assignment)[rows] - 1
    shape = int(clusters.max()) + 1, len(names)
    agreeing = int(_counts(clusters, codes, *shape).max(axis=1).sum())
    by_chance = np.array(
        [
            _counts(clusters, rng.permutation(codes), *shape).max(axis=1).sum()
            for _ in range(n_permutations)
        ]
    )
    n_draws = -(-_BUCKET_PERMUTATIONS // len(labels))
    pure = [_pure_buckets(buckets[rows], codes, n_draws, rng) for buckets in np.asarray(labels)]
    n_buckets, n_pure, chance_pure = np.array(pure).mean(axis=0).tolist()
    return FieldSummary(
        field=field,
        n_texts=len(rows),
        n_values=len(names),
        purity=agreeing / len(rows),
        chance_purity=float(by_chance.mean() / len(rows)),
        p_value=float((1 + (by_chance >= agreeing).sum()) / (1 + n_permutations)),
        n_buckets=n_buckets,
        n_pure=n_pure,
        chance_pure=chance_pure,
    )


def _coded(values: Sequence[str | None]) -> tuple[list[str], IntegerArray, IntegerArray]:
    """Return the distinct values, the number of each text's value, and the rows with a value."""
    rows = np.array([i for i, value in enumerate(values) if value is not None], dtype=np.intp)
    names = sorted({value for value in values if value is not None})
    numbers = {name: k for k, name in enumerate(names)}
    codes = np.array([numbers[value] for value in values if value is not None], dtype=np.intp)
    return names, codes, rows


def _counts(
    groups: IntegerArray, codes: IntegerArray, n_groups: int, n_values: int
) -> NDArray[np.intp]:
    """Return the number of texts by group and value."""
    counts = np.bincount(groups * n_values + codes, minlength=n_groups * n_values)
    return counts.reshape(n_groups, n_values)


def _entropy(counts: NDArray[np.intp]) -> FloatArray:
    """Return the entropy of each row in nats; 0 for a row of zeros."""
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(scipy.special.entr(counts / sizes).sum(axis=1))


def _chance(
    clusters: IntegerArray, codes: IntegerArray, shape: tuple[int, ...], seed: int
) -> tuple[FloatArray, FloatArray]:
    """Return mean purity and entropy of each cluster with the values permuted."""
    rng = np.random.default_rng(seed)
    sizes = np.maximum(np.bincount(clusters, minlength=shape[0]), 1)
    purity, entropy = np.zeros(shape[0]), np.zeros(shape[0])
    for _ in range(_PERMUTATIONS):
        counts = _counts(clusters, rng.permutation(codes), *shape)
        purity += counts.max(axis=1, initial=0) / sizes
        entropy += _entropy(counts)
    return purity / _PERMUTATIONS, entropy / _PERMUTATIONS


def _upper_tails(counts: NDArray[np.intp]) -> FloatArray:
    """Return the chance of as many texts or more, 1 where there are no more than expected."""
    sizes, totals, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    tails = np.ones(counts.shape)
    above = np.nonzero(counts * n > np.outer(sizes, totals))
    tails[above] = scipy.stats.hypergeom.sf(counts[above] - 1, n, totals[above[1]], sizes[above[0]])
    return tails


def _pure_buckets(
    buckets: IntegerArray, codes: IntegerArray, n_draws: int, rng: np.random.Generator
) -> tuple[int, float, float]:
    """Return the number of large buckets, of those with one or two values, and that by chance."""
    is_large = np.bincount(buckets) >= _PAPER_TEXTS
    in_large, n_values = is_large[buckets], codes.max() + 1

    def n_pure(codes: IntegerArray) -> int:
        pairs = np.unique(buckets[in_large] * n_values + codes[in_large])
        distinct = np.bincount(pairs // n_values, minlength=len(is_large))
        return int((distinct[is_large] <= _PAPER_VALUES).sum())

    by_chance = [n_pure(rng.permutation(codes)) for _ in range(n_draws)]
    return int(is_large.sum()), n_pure(codes), float(np.mean(by_chance))
