"""MAUVE with the ratio of the densities estimated by nearest neighbours instead of clusters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError
from mauve.frontier.grid import curve_grid
from mauve.measures.density_ratio import log_ratios, score_of_curve
from mauve.measures.estimate import Estimate, Groups, moves_without
from mauve.measures.neighbours import TIE, centred, halves, shared_moves, squared_distances
from mauve.measures.protocol import Measure, Side

_SPARE = 20  # neighbours kept beyond the k-th, to fill up where a group is gone


@dataclass(frozen=True)
class Neighbours:
    """Who is near each text of two samples, the first sample's texts before the second's.

    Attributes
    ----------
    of_first : array of shape (n + m,)
        Texts of the first sample among the k nearest; the others of the k are of the second.
        Where more texts are as far as the k-th, each counts in part, so that their order does
        not matter.
    nearest : array of int, shape (n + m, k + some)
        The nearest texts, in order of distance.
    """

    of_first: FloatArray
    nearest: NDArray[np.intp]


def neighbours_of(
    first: FloatArray, second: FloatArray, k: int, apart: NDArray[np.intp] | None = None
) -> Neighbours:
    """Find the nearest neighbours of each text among all other texts of two samples.

    Parameters
    ----------
    first, second : array of shape (n, d), (m, d)
        Centred features.
    k : int
        Below n + m.
    apart : array of int, shape (n + m,), optional
        Texts with the same number are not neighbours.

    Examples
    --------
    >>> neighbours_of(np.array([[0.0], [1.0]]), np.array([[1.0]]), 1).of_first.tolist()
    [0.5, 0.0, 1.0]
    """
    n, pooled = len(first), np.concatenate([first, second])
    excluded = 1 if apart is None else int(np.bincount(apart).max())
    kept = min(k + _SPARE, len(pooled) - excluded)
    of_first, nearest = np.empty(len(pooled)), np.empty((len(pooled), kept), dtype=np.intp)
    for block, found in squared_distances(pooled, pooled):
        rows = np.arange(block.stop - block.start)
        found[rows, rows + block.start] = np.inf  # a text is not its own neighbour
        if apart is not None:
            found[apart[block, None] == apart] = np.inf
        part = np.argpartition(found, kept - 1, axis=1)[:, :kept]
        distance = found[rows[:, None], part]
        order = np.argsort(distance, axis=1)
        nearest[block] = part[rows[:, None], order]
        edge = distance[rows, order[:, k - 1]][:, None]
        closer, near = found < edge / TIE, found <= edge * TIE
        sure, tied = closer[:, :n].sum(axis=1), near.sum(axis=1) - closer.sum(axis=1)
        tied_first = near[:, :n].sum(axis=1) - sure
        of_first[block] = sure + (k - closer.sum(axis=1)) * tied_first / tied
    return Neighbours(of_first, nearest)


def default_k(n: int) -> int:
    r"""Return the number of neighbours for n texts, :math:`\sqrt n`.

    With more, neighbourhoods reach where the ratio is another; with fewer, the ratio is noisy,
    which lowers the score: two samples of one source with 300 texts each have about 0.96.

    Examples
    --------
    >>> default_k(10_000)
    100
    """
    return max(1, round(float(np.sqrt(n))))


def mauve_by_neighbours(own: Side, human: Side) -> Estimate:
    r"""Return MAUVE, with :math:`p/q` from the nearest neighbours of each text.

    Notes
    -----
    Among the k nearest neighbours of a text of Q in both samples together, N are of the n
    texts of P and M of the m texts of Q. The text itself counts as one more of Q:

    .. math:: \frac{p}{q} \approx \frac{N / n}{(M + 1) / m}, \qquad k = \sqrt{n + m},

    which is finite and, but for the width of the neighbourhood, right on average; likewise
    for a text of P. The divergences are the means of the terms of
    :mod:`mauve.measures.density_ratio`. The noise of N adds about :math:`2 \lambda^2 / k` to
    KL(Q|R_λ) where P and Q are close.

    The mean of p/q over Q is 1. In many dimensions the texts of the tighter sample are nearest
    to everything, the mean of the estimates is above 1, and the mean of the terms may be
    negative. A divergence stays what it is if a multiple of p/q - 1 is added to its terms;
    λ times the excess of the mean is added, which makes it at least 0. Without this, greedy
    decoding may score 1.

    Texts of the same group of prompts are not neighbours where groups are made of prompts:
    answers to one prompt are near each other whoever wrote them.

    The interval is a delete-a-group jackknife, in which a group's texts are gone both from the
    means and from the neighbourhoods of others.

    References
    ----------
    Pillutla et al., *MAUVE scores for generative models: theory and practice*, JMLR 2023, the
    nearest-neighbour estimate.

    Noshad, Moon, Yasaei Sekeh and Hero, *Direct estimation of information divergence using
    nearest neighbor ratios*, ISIT 2017.

    Examples
    --------
    >>> groups, line = Groups(np.arange(20), 20), np.arange(20.0)[:, None]
    >>> human, far = (Side("", groups, features=line + shift) for shift in (0, 1000))
    >>> round(mauve_by_neighbours(human, human).value, 9)
    1.0
    >>> round(1 / mauve_by_neighbours(far, human).value, 3)  # the least there is
    252.0
    """
    model, people = centred(own, human)
    n, m = len(people), len(model)
    k = default_k(n + m)
    found = neighbours_of(people, model, k, _same_prompt(own, human, k))
    kl = []
    for of_human, is_human in ((found.of_first[:n], True), (found.of_first[n:], False)):
        values, times = np.unique(of_human, return_counts=True)  # few differ
        kl.append(_divergence(times @ _terms(values, n, m, k, is_human) / len(of_human), is_human))
    moves, human_moves = _jackknife(found.nearest, own.groups, human.groups, k)
    value = float(score_of_curve(kl[0], kl[1]))
    return Estimate(value, moves, human_moves, own.groups.by_prompt)


def _same_prompt(own: Side, human: Side, k: int) -> NDArray[np.intp] | None:
    """Return the group of each text where groups are made of prompts."""
    if not own.groups.by_prompt:
        return None
    labels = np.concatenate([human.groups.labels, own.groups.labels])
    left = len(labels) - int(np.bincount(labels).max())
    if left < k:
        raise InvalidParameterError(
            f"'{own.name}' and '{human.name}' must have at least {k} texts that answer other "
            f"prompts for 'mauve-nn'. Got {left} instead: take more prompts."
        )
    return labels


def _terms(of_human: FloatArray, n: int, m: int, k: int, is_human: bool) -> FloatArray:
    """Return what texts add to their divergence, and the ratio less 1, shape (n, n_grid + 1).

    Parameters
    ----------
    of_human : array of shape (n,)
        Human ones among their neighbours.
    is_human : bool
        Whether the texts themselves are human.
    """
    grid = curve_grid()
    p, q = (of_human + is_human) / n, (k - of_human + (not is_human)) / m
    if is_human:
        terms, ratio = log_ratios(p, q, grid.weight_p, grid.weight_q), q / p
    else:
        terms, ratio = log_ratios(q, p, grid.weight_q, grid.weight_p), p / q
    return np.column_stack([terms, ratio - 1])


def _divergence(means: FloatArray, is_human: bool) -> FloatArray:
    """Return a divergence, shape (..., n_grid), from means of terms over texts."""
    grid = curve_grid()
    excess = np.maximum(means[..., -1:], 0)
    return np.asarray(means[..., :-1] + (grid.weight_q if is_human else grid.weight_p) * excess)


def _jackknife(
    nearest: NDArray[np.intp], own: Groups, human: Groups, k: int
) -> tuple[FloatArray, FloatArray]:
    """Return the moves of the score by the model's groups and by the human ones."""
    n, m = len(human.labels), len(own.labels)
    code = np.concatenate([human.labels, human.count + own.labels])  # one for each group of both
    near = code[nearest]
    of_human = (near[:, :k] < human.count).sum(axis=1)
    half = np.concatenate([halves(human), halves(own)])
    scores, counts = np.zeros((human.count + own.count, 2)), np.arange(k + 1.0)
    for gone in np.unique(code):
        there = code != gone
        left_n, left_m = int(there[:n].sum()), int(there[n:].sum())
        if left_n == 0 or left_m == 0:
            continue
        now = _without(near, of_human, gone, human.count, k)
        kl = []
        for is_human in (True, False):
            sample = there & ((np.arange(n + m) < n) == is_human)
            before = _terms(counts, n, m, k, is_human)
            after = _terms(counts, left_n, left_m, k, is_human)
            # What becomes of the neighbours, at either half of them: see shared_moves.
            parts = [sample & half, sample & ~half]
            changes = [_mean(now[part], after) - _mean(of_human[part], before) for part in parts]
            kl.append(_divergence(_mean(of_human[sample], before) + changes, is_human))
        scores[gone] = score_of_curve(kl[0], kl[1])
    found = [
        shared_moves(*(moves_without(part, groups.sizes) for part in scores[rows].T))
        for groups, rows in ((own, slice(human.count, None)), (human, slice(human.count)))
    ]
    return found[0], found[1]


def _without(
    near: NDArray[np.intp], of_human: NDArray[np.intp], gone: int, n_human_groups: int, k: int
) -> NDArray[np.intp]:
    """Return the human ones among the k nearest that are not of one group."""
    concerned = (near[:, :k] == gone).any(axis=1)
    labels = near[concerned]
    kept = labels != gone
    kept &= kept.cumsum(axis=1) <= k
    # Where the list of neighbours ends before k are found, those found stand for all.
    share = (kept & (labels < n_human_groups)).sum(axis=1) / np.maximum(kept.sum(axis=1), 1)
    now = of_human.copy()
    now[concerned] = np.rint(k * share)
    return now


def _mean(counts: NDArray[np.intp], terms: FloatArray) -> FloatArray:
    """Return the mean term of texts, given that of each count."""
    times = np.bincount(counts, minlength=len(terms))
    return np.asarray(times @ terms / max(len(counts), 1))


MAUVE_NEIGHBOURS = Measure(
    name="mauve-nn",
    title="MAUVE (k-NN)",
    summary="MAUVE without clusters: densities from nearest neighbours",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=mauve_by_neighbours,
    is_statistic=False,
    grows_with="texts",
    low=0.0,
    high=1.0,
)
