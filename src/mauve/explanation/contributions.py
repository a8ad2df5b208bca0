"""Which clusters differ between two sides, with the error rate of the whole family held.

Two things may differ: how many texts of either side a cluster has, and, where they are as
many, how these are spread over the cells within it. Both are tested in every cluster at
once against permutations of the sides, which the clusters have not seen. The step-down
method of Westfall and Young (*Resampling-based multiple testing*, 1993, algorithm 2.8)
holds the chance of any false alarm, whatever the dependence of the tests.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.explanation.results import Share
from mauve.frontier.divergences import bucket_divergences
from mauve.frontier.estimators import JACKKNIFE_ORDER, jackknife_terms
from mauve.frontier.grid import MixtureGrid, curve_grid
from mauve.frontier.histogram import smooth
from mauve.frontier.score import mean_divergences, monotone
from mauve.inference.intervals import covariance, influence_orders, normal_quantile
from mauve.inference.resampling import LabelledPair, permuted_samples
from mauve.threads import parallel_map


@dataclass(frozen=True)
class GroupShares:
    """What groups of texts add to one divergence.

    Attributes
    ----------
    values : array of shape (n_groups,)
    errors : array of shape (n_groups,)
        Standard errors.
    """

    values: FloatArray
    errors: FloatArray

    def share(self, group: int, confidence: float) -> Share:
        """Return the share of one group with its interval."""
        value = float(self.values[group])
        reach = normal_quantile(confidence) * float(self.errors[group])
        return Share(value, (value - reach, value + reach))


def divergences_at(pair: LabelledPair, estimator: str, mixture: float) -> tuple[float, float]:
    """Return KL(P|R) and KL(Q|R) at one λ, as the divergence curve has them.

    Parameters
    ----------
    pair : LabelledPair
    estimator : str
        One of :data:`mauve.frontier.estimators.ESTIMATORS`.
    mixture : float in (0, 1)
        λ, the weight of P.
    """
    grid = _grid_with(mixture)
    kl_p, kl_q = monotone(mean_divergences(*pair.counts(), grid, estimator))
    at = int(np.searchsorted(grid.weight_p, mixture))
    return float(kl_p[at]), float(kl_q[at])


def _grid_with(mixture: float) -> MixtureGrid:
    """Return the grid of the curve with λ and its mirror image on it."""
    grid = curve_grid()
    if mixture in grid.weight_p:
        return grid
    low = min(mixture, 1 - mixture)
    at = int(np.searchsorted(grid.weight_p, low))
    half = np.insert(grid.weight_p[: grid.middle], at, low)
    below, above = np.append(half, 0.5), 1 - half[::-1]
    weight_p = np.concatenate([below, above])
    weight_q = np.concatenate([1 - below, half[::-1]])
    weight_p[weight_p == 1 - low] = max(mixture, 1 - mixture)  # to the last bit
    return MixtureGrid(weight_p, weight_q, np.zeros_like(weight_p))


def text_contributions(pair: LabelledPair, estimator: str, mixture: float) -> FloatArray:
    """Return what each text adds to the divergence of its side, shape (n,).

    Those of the human texts add up to KL(P|R) and those of the model's to KL(Q|R), the
    values of :func:`divergences_at`.

    Notes
    -----
    A curve is held at zero from below where its estimate falls under it, and a smoothed
    estimate gives something to cells without texts. What that adds belongs to no text
    in particular, so each text of the side has an equal part.

    Examples
    --------
    >>> pair = LabelledPair(
    ...     labels=np.array([[0, 0, 1, 1, 1, 1]], np.int32), counted=np.ones((1, 6), bool),
    ...     is_human=np.array([True, True, True, False, False, False]),
    ...     blocks=np.zeros(6, np.int64), groups=np.arange(6), num_buckets=2)
    >>> found = text_contributions(pair, "plugin", 0.5)
    >>> (3 * found).round(2).tolist()  # log 2 where the other side has no text in the cell
    [0.69, 0.69, -0.69, 0.41, 0.41, 0.41]
    """
    order, grid = JACKKNIFE_ORDER if estimator == "jackknife" else 0, _single(mixture)
    found = np.zeros(len(pair.is_human))
    for labels, counted, a, b in zip(pair.labels, pair.counted, *pair.counts(), strict=True):
        if estimator in ("jackknife", "plugin"):
            of_p, of_q = _cell_terms(a, b, int(a.sum()), int(b.sum()), mixture, {order: 1.0})
        else:
            cells = bucket_divergences(smooth(a, estimator), smooth(b, estimator), grid)
            of_p, of_q = cells.kl_p[:, 0], cells.kl_q[:, 0]
        each = np.where(pair.is_human, _per_text(of_p, a)[labels], _per_text(of_q, b)[labels])
        found += np.where(counted, each, 0.0)
    found /= len(pair.labels)
    wholes = divergences_at(pair, estimator, mixture)
    for side, whole in zip((pair.is_human, ~pair.is_human), wholes, strict=True):
        for _ in range(2):  # the second time for what rounding leaves
            found[side] += (whole - found[side].sum()) / side.sum()
    return found


def group_shares(
    pair: LabelledPair,
    contributions: FloatArray,
    members: IntArray,
    n_groups: int,
    mixture: float,
) -> tuple[GroupShares, GroupShares]:
    r"""Return what groups of texts add to KL(P|R) and to KL(Q|R), with standard errors.

    Parameters
    ----------
    pair : LabelledPair
    contributions : array of shape (n,)
        From :func:`text_contributions`.
    members : array of int, shape (n,)
        Group of every text, from 0.
    n_groups : int
    mixture : float in (0, 1)
        λ, the weight of P.

    Notes
    -----
    The share of a group g in a cell with a human and b model texts, :math:`b_g` of them of
    the group, is :math:`T(a, b)\,b_g/b`. Leaving out a text of the cell changes that share,
    and no other cell. Such changes, summed over the clusterings and centred, are the
    influences of the texts, and the squares of their sums over independent texts (or
    prompts) add up to the variance. A group with no text of a side would seem to be known
    without error; what one more text of either side would change is added to the variance.
    """
    orders = influence_orders(len(pair.labels))
    influence = np.zeros((2, len(members), n_groups))
    for labels, counted, a, b in zip(pair.labels, pair.counted, *pair.counts(), strict=True):
        fewer_a, fewer_b = np.maximum(a - 1, 0), np.maximum(b - 1, 0)
        (p_here, p_less_p, p_less_q), (q_here, q_less_p, q_less_q) = _cell_terms(
            np.stack([a, fewer_a, a]), np.stack([b, b, fewer_b]), int(a.sum()), int(b.sum()),
            mixture, orders,
        )  # fmt: skip
        here = _per_text(p_here, a), _per_text(q_here, b)
        less_own = _per_text(p_less_p, fewer_a), _per_text(q_less_q, fewer_b)
        less_other = _per_text(p_less_q, a), _per_text(q_less_p, b)
        for of, side in enumerate((pair.is_human, ~pair.is_human)):
            rows = np.flatnonzero(counted & side)
            others = np.flatnonzero(counted & ~side)
            held = np.zeros((len(a), n_groups))  # texts of each cell and group
            np.add.at(held, (labels[rows], members[rows]), 1.0)
            effect = ((here[of] - less_own[of])[:, None] * held)[labels[rows]]
            effect[np.arange(len(rows)), members[rows]] += less_own[of][labels[rows]]
            influence[of, rows] += effect - effect.mean(axis=0)
            effect = ((here[of] - less_other[of])[:, None] * held)[labels[others]]
            influence[of, others] += effect - effect.mean(axis=0)
    influence /= len(pair.labels)
    sides = pair.is_human, ~pair.is_human
    a, b = (np.bincount(members[side], minlength=n_groups) for side in sides)
    least = _one_more_text(a, b, mixture)
    of_p, of_q = (
        GroupShares(
            np.bincount(members[side], contributions[side], n_groups).astype(float),
            np.sqrt(_variances(influence[of], pair.groups) + least[of] ** 2),
        )
        for of, side in enumerate(sides)
    )
    return of_p, of_q


def _one_more_text(a: IntArray, b: IntArray, mixture: float) -> tuple[FloatArray, FloatArray]:
    """Return by how much one more text of either side would change the shares of groups."""
    n_p, n_q = int(a.sum()), int(b.sum())
    (p, p_own, p_other), (q, q_other, q_own) = _cell_terms(
        np.stack([a, a + 1, a]), np.stack([b, b, b + 1]), n_p, n_q, mixture, {0: 1.0}
    )
    return np.hypot(p_own - p, p_other - p), np.hypot(q_own - q, q_other - q)


def _cell_terms(
    a: IntArray, b: IntArray, n_p: int, n_q: int, mixture: float, orders: dict[int, float]
) -> tuple[FloatArray, FloatArray]:
    """Return what cells add to KL(P|R) and KL(Q|R), by jackknives of several orders."""
    grid = _single(mixture)
    of_p, of_q = np.zeros(a.shape), np.zeros(a.shape)
    for order, weight in orders.items():
        cells = jackknife_terms(a, b, n_p, n_q, grid, order)
        of_p += weight * cells.kl_p[..., 0]
        of_q += weight * cells.kl_q[..., 0]
    return of_p, of_q


def _single(mixture: float) -> MixtureGrid:
    """Return a grid of one λ."""
    return MixtureGrid(np.array([mixture]), np.array([1 - mixture]), np.zeros(1))


def _per_text(terms: FloatArray, counts: IntArray) -> FloatArray:
    """Deal the term of each cell out among its texts."""
    return np.divide(terms, counts, out=np.zeros_like(terms), where=counts > 0)


def _variances(influence: FloatArray, groups: IntArray) -> FloatArray:
    """Return the variance of each column of influences."""
    return np.array([covariance(column, column, groups) for column in influence.T])


_BATCH = 50  # permutations at a time


@dataclass(frozen=True)
class Differing:
    """What the tests say of every cluster.

    Attributes
    ----------
    p_values : array of shape (n_clusters,)
        Of no difference, adjusted for all clusters and both tests.
    amount : array of shape (n_clusters,)
        Share of the model's texts minus that of the human ones, in standard errors; infinite
        where one side has no text at all.
    """

    p_values: FloatArray
    amount: FloatArray

    def kinds(self, level: float) -> list[str]:
        """Name what differs: "over", "under", "otherwise", or "same" where nothing does.

        A cluster is flagged at a level of the whole family. Which way it differs is then for
        its own amount to say, at a level shared by all that are flagged.
        """
        flagged = max(1, int((self.p_values <= level).sum()))
        clear = float(scipy.special.ndtri(1 - level / (2 * flagged)))
        return [
            "same" if p > level
            else "over" if z >= clear
            else "under" if z <= -clear
            else "otherwise"
            for p, z in zip(self.p_values, self.amount, strict=True)
        ]  # fmt: skip


def least_permutations(confidence: float) -> int:
    """Return how many permutations it takes for a p-value to be small enough to flag anything.

    Examples
    --------
    >>> least_permutations(0.95), least_permutations(0.999)
    (100, 1000)
    """
    return max(100, math.ceil(round(1 / (1 - confidence), 6)))


def differing_clusters(
    pair: LabelledPair, members: IntArray, n_clusters: int, n_permutations: int, seed: int
) -> Differing:
    """Test in every cluster whether both sides have as many texts, and alike ones.

    Parameters
    ----------
    pair : LabelledPair
        Its clusterings are all used, and all texts are counted in them.
    members : array of int, shape (n,)
        Cluster of every text, found without a look at the sides.
    n_clusters, n_permutations, seed : int

    Examples
    --------
    >>> members = np.repeat([0, 1, 0, 1, 2], [40, 10, 10, 40, 60])
    >>> pair = LabelledPair(
    ...     labels=members[None].astype(np.int32), counted=np.ones((1, 160), bool),
    ...     is_human=np.repeat([True, False, True, False], [50, 50, 30, 30]),
    ...     blocks=np.zeros(160, np.int64), groups=np.arange(160), num_buckets=3)
    >>> differing_clusters(pair, members, 3, 200, seed=0).kinds(0.05)
    ['under', 'over', 'same']
    """
    statistics = _Statistics(pair, members, n_clusters)

    def drawn(start: int) -> FloatArray:
        rng = np.random.default_rng([seed, start])
        return statistics(permuted_samples(pair, min(_BATCH, n_permutations - start), rng))

    null = np.concatenate(parallel_map(drawn, range(0, n_permutations, _BATCH)))
    every = np.concatenate([statistics(pair.is_human[None]), null])
    centre, scale = every.mean(axis=0), every.std(axis=0)
    # A cluster of one side alone, or with one cell, may have nothing that varies.
    every = np.divide(every - centre, scale, out=np.zeros_like(every), where=scale > 1e-12)
    amount = every[0, :n_clusters].copy()
    for side, sign in ((pair.is_human, np.inf), (~pair.is_human, -np.inf)):
        amount[np.bincount(members[side], minlength=n_clusters) == 0] = sign
    every[:, :n_clusters] = np.abs(every[:, :n_clusters])  # of amounts, either sign counts
    found = step_down(every[0], every[1:])
    return Differing(np.minimum(found[:n_clusters], found[n_clusters:]), amount)


def step_down(observed: FloatArray, null: FloatArray) -> FloatArray:
    """Return p-values adjusted for all hypotheses by the largest statistics of permutations.

    Parameters
    ----------
    observed : array of shape (m,)
        Statistics, large where a hypothesis is false.
    null : array of shape (n_draws, m)

    Examples
    --------
    >>> null = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 0.5]])
    >>> step_down(np.array([9.0, 0.7]), null).tolist()
    [0.25, 0.5]
    """
    order = np.argsort(-observed, kind="stable")
    # The largest of each draw among the hypotheses that are left at each step.
    largest = np.maximum.accumulate(null[:, order[::-1]], axis=1)[:, ::-1]
    as_large = (largest >= observed[order] - 1e-9).sum(axis=0)
    adjusted = np.maximum.accumulate((1 + as_large) / (1 + len(null)))
    found = np.empty_like(adjusted)
    found[order] = adjusted
    return found


class _Statistics:
    """Difference of the shares of texts, and part of the Jensen-Shannon divergence, by cluster."""

    def __init__(self, pair: LabelledPair, members: IntArray, n_clusters: int) -> None:
        n_clusterings, n = pair.labels.shape
        cells = pair.labels + np.arange(n_clusterings)[:, None] * pair.num_buckets
        # A part is what a cell and a cluster have in common.
        parts, part = np.unique(cells * n_clusters + members, return_inverse=True)
        ones = np.ones(cells.size, dtype=np.float32)
        texts = np.tile(np.arange(n), n_clusterings)
        self._in_part = scipy.sparse.csr_array((ones, (part.ravel(), texts)), shape=(len(parts), n))
        firsts, self._cell = np.unique(parts // n_clusters, return_inverse=True)
        weight = np.full(len(parts), 1 / n_clusterings)
        self._in_cluster = scipy.sparse.csr_array(
            (weight, (parts % n_clusters, np.arange(len(parts)))),
            shape=(n_clusters, len(parts)),
        )
        self._in_cell = scipy.sparse.csr_array(
            (np.ones(len(parts)), (self._cell, np.arange(len(parts)))),
            shape=(len(firsts), len(parts)),
        )
        self._all = self._in_part @ np.ones((n, 1), dtype=np.float32)

    def __call__(self, sides: BoolArray) -> FloatArray:
        """Return the statistics of some assignments of sides, shape (n_draws, 2 * n_clusters)."""
        human = np.asarray(
            self._in_part @ np.ascontiguousarray(sides.T, dtype=np.float32), dtype=float
        )
        n_human = sides.sum(axis=1)
        p = human / n_human
        q = (self._all - human) / (sides.shape[1] - n_human)
        divergence = np.zeros_like(p)
        p_cell, q_cell = self._in_cell @ p, self._in_cell @ q
        mixture = (p_cell + q_cell) / 2
        for side, cell in ((p, p_cell), (q, q_cell)):
            ratio = np.divide(cell, mixture, out=np.ones_like(cell), where=cell > 0)
            divergence += side * np.log(ratio)[self._cell]
        return np.concatenate(
            [(self._in_cluster @ (q - p)).T, (self._in_cluster @ divergence).T / 2], axis=1
        )
