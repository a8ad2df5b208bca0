r"""The gap split over texts: what each adds to a divergence, and how sure that is.

A divergence is a sum over cells, and the term of a cell in :math:`KL(Q|R)` is the sum of
:math:`\log(q/r)/n` over the model's texts in it. So every text of the model has a part of
the type I error and every human text a part of the type II error, averaged over the
clusterings; any group of texts has the sum of its parts. With the bias taken out, a cell's
corrected term is dealt out among its texts in the same way.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.estimate import JACKKNIFE_ORDER, jackknife_cells
from mauve.explanation.results import Share
from mauve.frontier import cell_divergences
from mauve.grid import Array, MixtureGrid, curve_grid
from mauve.histogram import smooth
from mauve.inference import influence_orders
from mauve.resample import LabelledPair
from mauve.score import mean_divergences, monotone

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class GroupShares:
    """What groups of texts add to one divergence.

    Attributes
    ----------
    values : array of shape (n_groups,)
    errors : array of shape (n_groups,)
        Standard errors.
    """

    values: Array
    errors: Array

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
        One of :data:`mauve.estimate.ESTIMATORS`.
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


def text_contributions(pair: LabelledPair, estimator: str, mixture: float) -> Array:
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
    ...     blocks=np.zeros(6, np.int64), groups=np.arange(6), n_buckets=2)
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
            cells = cell_divergences(smooth(a, estimator), smooth(b, estimator), grid)
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
    contributions: Array,
    members: NDArray[np.int64],
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


def _one_more_text(a: Counts, b: Counts, mixture: float) -> tuple[Array, Array]:
    """Return by how much one more text of either side would change the shares of groups."""
    n_p, n_q = int(a.sum()), int(b.sum())
    (p, p_own, p_other), (q, q_other, q_own) = _cell_terms(
        np.stack([a, a + 1, a]), np.stack([b, b, b + 1]), n_p, n_q, mixture, {0: 1.0}
    )
    return np.hypot(p_own - p, p_other - p), np.hypot(q_own - q, q_other - q)


def _cell_terms(
    a: Counts, b: Counts, n_p: int, n_q: int, mixture: float, orders: dict[int, float]
) -> tuple[Array, Array]:
    """Return what cells add to KL(P|R) and KL(Q|R), by jackknives of several orders."""
    grid = _single(mixture)
    of_p, of_q = np.zeros(a.shape), np.zeros(a.shape)
    for order, weight in orders.items():
        cells = jackknife_cells(a, b, n_p, n_q, grid, order)
        of_p += weight * cells.kl_p[..., 0]
        of_q += weight * cells.kl_q[..., 0]
    return of_p, of_q


def _single(mixture: float) -> MixtureGrid:
    """Return a grid of one λ."""
    return MixtureGrid(np.array([mixture]), np.array([1 - mixture]), np.zeros(1))


def _per_text(terms: Array, counts: Counts) -> Array:
    """Deal the term of each cell out among its texts."""
    return np.divide(terms, counts, out=np.zeros_like(terms), where=counts > 0)


def _variances(influence: Array, groups: NDArray[np.int64]) -> Array:
    """Return the summed squares of the influences of independent texts."""
    sums = np.zeros((int(groups.max()) + 1, influence.shape[1]))
    np.add.at(sums, groups, influence)
    n = len(np.unique(groups))
    return np.asarray((sums**2).sum(axis=0) * n / max(n - 1, 1))
