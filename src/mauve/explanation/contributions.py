"""Compute what texts, and groups of texts, add to the divergences."""

from dataclasses import dataclass

import numpy as np
import scipy

from mauve.arrays import FloatArray, IntArray
from mauve.explanation.findings import Share
from mauve.frontier.divergences import bucket_divergences
from mauve.frontier.estimators import JACKKNIFE_ORDER, jackknife_terms
from mauve.frontier.grid import MixtureGrid, curve_grid
from mauve.frontier.histogram import smooth
from mauve.frontier.score import mean_divergences, monotone
from mauve.inference.intervals import influence_orders
from mauve.inference.resampling import LabelledPair


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
        reach = float(scipy.special.ndtri(0.5 + confidence / 2) * self.errors[group])
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
    """Return what each text adds to the divergence of its sample, shape (n,).

    The human texts add up to KL(P|R) and those of the system to KL(Q|R), the values of
    :func:`divergences_at`.

    Notes
    -----
    A text has the mean over the clusterings that count it: some may be counted more often than
    others. Divergences below zero are clipped to zero, and a smoothed estimate has terms of
    buckets without texts. What that adds belongs to no text in particular, so each text of the
    sample has an equal part of it.

    Examples
    --------
    >>> pair = LabelledPair(
    ...     labels=np.array([[0, 0, 1, 1, 1, 1]], np.int32), counted=np.ones((1, 6), bool),
    ...     is_human=np.array([True, True, True, False, False, False]),
    ...     blocks=np.zeros(6, np.int64), groups=np.arange(6), num_buckets=2)
    >>> contributions = text_contributions(pair, "plugin", 0.5)
    >>> (3 * contributions).round(2).tolist()  # log 2 in a bucket of human texts alone
    [0.69, 0.69, -0.69, 0.41, 0.41, 0.41]
    """
    order, grid = JACKKNIFE_ORDER if estimator == "jackknife" else 0, _single(mixture)
    contributions = np.zeros(len(pair.is_human))
    for labels, counted, a, b in zip(pair.labels, pair.counted, *pair.counts(), strict=True):
        n_p, n_q = int(a.sum()), int(b.sum())
        if estimator in ("jackknife", "plugin"):
            p_terms, q_terms = _bucket_terms(a, b, n_p, n_q, mixture, {order: 1.0})
        else:
            terms = bucket_divergences(smooth(a, estimator), smooth(b, estimator), grid)
            p_terms, q_terms = terms.kl_p[:, 0], terms.kl_q[:, 0]
        log_ratios = np.where(
            pair.is_human, n_p * _per_text(p_terms, a)[labels], n_q * _per_text(q_terms, b)[labels]
        )
        contributions += np.where(counted, log_ratios, 0.0)
    n_human = int(pair.is_human.sum())
    contributions /= np.where(pair.is_human, n_human, len(pair.is_human) - n_human)
    contributions /= np.maximum(pair.counted.sum(axis=0), 1)
    divergences = divergences_at(pair, estimator, mixture)
    for sample, divergence in zip((pair.is_human, ~pair.is_human), divergences, strict=True):
        for _ in range(2):  # the second time for what rounding leaves
            contributions[sample] += (divergence - contributions[sample].sum()) / sample.sum()
    return contributions


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
    In a bucket with a human texts and b of the system, :math:`b_g` of these of group g, the
    share of the group in KL(Q|R) is :math:`T(a, b)\,b_g/b`. Leaving out a text of the bucket
    changes that share, and that of no other bucket. Such changes, averaged over the clusterings
    and centred, are the influences of the texts, and the squares of their sums over
    independent texts (or prompts) add up to the variance. A group without texts of a sample
    would seem to be known without error, so the change by one more text of either sample is
    added to the variance.
    """
    orders = influence_orders(len(pair.labels))
    influence = np.zeros((2, len(members), n_groups))
    for labels, counted, a, b in zip(pair.labels, pair.counted, *pair.counts(), strict=True):
        fewer_a, fewer_b = np.maximum(a - 1, 0), np.maximum(b - 1, 0)
        (p_all, p_less_p, p_less_q), (q_all, q_less_p, q_less_q) = _bucket_terms(
            np.stack([a, fewer_a, a]), np.stack([b, b, fewer_b]), int(a.sum()), int(b.sum()),
            mixture, orders,
        )  # fmt: skip
        # Term of a text with all texts, without one of its sample, and without one of the other.
        per_text = _per_text(p_all, a), _per_text(q_all, b)
        less_same = _per_text(p_less_p, fewer_a), _per_text(q_less_q, fewer_b)
        less_other = _per_text(p_less_q, a), _per_text(q_less_p, b)
        for i, sample in enumerate((pair.is_human, ~pair.is_human)):
            rows = np.flatnonzero(counted & sample)
            others = np.flatnonzero(counted & ~sample)
            in_group = np.zeros((len(a), n_groups))  # texts of each bucket and group
            np.add.at(in_group, (labels[rows], members[rows]), 1.0)
            effect = ((per_text[i] - less_same[i])[:, None] * in_group)[labels[rows]]
            effect[np.arange(len(rows)), members[rows]] += less_same[i][labels[rows]]
            influence[i, rows] += effect - effect.mean(axis=0)
            effect = ((per_text[i] - less_other[i])[:, None] * in_group)[labels[others]]
            influence[i, others] += effect - effect.mean(axis=0)
    influence /= len(pair.labels)
    samples = pair.is_human, ~pair.is_human
    a, b = (np.bincount(members[sample], minlength=n_groups) for sample in samples)
    one_more = _one_more_text(a, b, mixture)
    p_shares, q_shares = (
        GroupShares(
            np.bincount(members[sample], contributions[sample], n_groups).astype(float),
            np.sqrt(_variances(influence[i], pair.groups) + one_more[i] ** 2),
        )
        for i, sample in enumerate(samples)
    )
    return p_shares, q_shares


def _one_more_text(a: IntArray, b: IntArray, mixture: float) -> tuple[FloatArray, FloatArray]:
    """Return by how much one more text of either sample would change the shares of groups."""
    n_p, n_q = int(a.sum()), int(b.sum())
    (p, p_more_p, p_more_q), (q, q_more_p, q_more_q) = _bucket_terms(
        np.stack([a, a + 1, a]), np.stack([b, b, b + 1]), n_p, n_q, mixture, {0: 1.0}
    )
    return np.hypot(p_more_p - p, p_more_q - p), np.hypot(q_more_q - q, q_more_p - q)


def _bucket_terms(
    a: IntArray, b: IntArray, n_p: int, n_q: int, mixture: float, orders: dict[int, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the terms of buckets in KL(P|R) and KL(Q|R), by jackknives of several orders."""
    grid = _single(mixture)
    p_terms, q_terms = np.zeros(a.shape), np.zeros(a.shape)
    for order, weight in orders.items():
        terms = jackknife_terms(a, b, n_p, n_q, grid, order)
        p_terms += weight * terms.kl_p[..., 0]
        q_terms += weight * terms.kl_q[..., 0]
    return p_terms, q_terms


def _single(mixture: float) -> MixtureGrid:
    """Return a grid of one λ."""
    return MixtureGrid(np.array([mixture]), np.array([1 - mixture]), np.zeros(1))


def _per_text(terms: FloatArray, counts: IntArray) -> FloatArray:
    """Divide the term of each bucket evenly among its texts."""
    return np.divide(terms, counts, out=np.zeros_like(terms), where=counts > 0)


def _variances(influence: FloatArray, groups: IntArray) -> FloatArray:
    """Return the sum of the squared influences of independent texts or prompts."""
    sums = np.zeros((int(groups.max()) + 1, influence.shape[1]))
    np.add.at(sums, groups, influence)
    n = len(np.unique(groups))
    return np.asarray((sums**2).sum(axis=0) * n / max(n - 1, 1))
