"""Compute MAUVE with the ratio of densities from nearest neighbours, not from a quantizer."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray
from mauve.errors import UndefinedError
from mauve.frontier.grid import curve_grid
from mauve.measures.density_ratio import log_ratios, score_of_curve
from mauve.measures.estimate import Estimate, Groups, jackknife_influences
from mauve.measures.neighbours import TIE, centred, halves, shared_influences, squared_distances
from mauve.measures.protocol import Measure, MeasuredSample

_SPARE = 20  # neighbours stored beyond the k-th, to replace those of a left-out group


@dataclass(frozen=True)
class Neighbours:
    """Nearest neighbours of the n texts of a first sample and the m texts of a second.

    Attributes
    ----------
    of_first : array of shape (n + m,)
        Number of texts of the first sample among the k nearest; the others are of the second.
        Texts at the distance of the k-th share the remaining count, so that their order does
        not matter.
    nearest : array of int, shape (n + m, n_stored)
        The nearest texts, in order of distance; `n_stored` is k and some more.
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
        Label of each text; texts with the same label are not neighbours.

    Examples
    --------
    >>> neighbours_of(np.array([[0.0], [1.0]]), np.array([[1.0]]), 1).of_first.tolist()
    [0.5, 0.0, 1.0]
    """
    n, pooled = len(first), np.concatenate([first, second])
    excluded = 1 if apart is None else int(np.bincount(apart).max())
    n_stored = min(k + _SPARE, len(pooled) - excluded)
    of_first, nearest = np.empty(len(pooled)), np.empty((len(pooled), n_stored), dtype=np.intp)
    for block, distances in squared_distances(pooled, pooled):
        rows = np.arange(block.stop - block.start)
        distances[rows, rows + block.start] = np.inf  # a text is not its own neighbour
        if apart is not None:
            distances[apart[block, None] == apart] = np.inf
        part = np.argpartition(distances, n_stored - 1, axis=1)[:, :n_stored]
        distance = distances[rows[:, None], part]
        order = np.argsort(distance, axis=1)
        nearest[block] = part[rows[:, None], order]
        radius = distance[rows, order[:, k - 1]][:, None]
        closer, near = distances < radius / TIE, distances <= radius * TIE
        n_closer = closer.sum(axis=1)
        n_tied = near.sum(axis=1) - n_closer
        closer_first = closer[:, :n].sum(axis=1)
        tied_first = near[:, :n].sum(axis=1) - closer_first
        of_first[block] = closer_first + (k - n_closer) * tied_first / n_tied
    return Neighbours(of_first, nearest)


def default_k(n: int) -> int:
    r"""Return the number of neighbours for n texts, :math:`\sqrt n`.

    With more neighbours, the ratio varies within a neighbourhood; with fewer, the ratio is noisy,
    which lowers the score: two samples of one source with 300 texts each have about 0.96.

    Examples
    --------
    >>> default_k(10_000)
    100
    """
    return max(1, round(float(np.sqrt(n))))


def mauve_by_neighbours(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    r"""Estimate MAUVE with :math:`p/q` from the nearest neighbours of each text.

    Notes
    -----
    Among the k nearest neighbours of a text of Q in both samples together, N are of the n
    texts of P and M of the m texts of Q. The text itself counts as one more of Q:

    .. math:: \frac{p}{q} \approx \frac{N / n}{(M + 1) / m}, \qquad k = \sqrt{n + m},

    which is finite and, up to the width of the neighbourhood, right on average; likewise for a
    text of P. The divergences are the means of the terms of
    :mod:`mauve.measures.density_ratio`. The noise of N adds about :math:`2 \lambda^2 / k` to
    KL(Q|R_λ) where P and Q are close.

    The mean of p/q over Q is 1. In many dimensions the texts of the less dispersed sample are
    nearest to all others, the mean of the estimates is above 1, and the mean of the terms may
    be negative. Adding a multiple of p/q - 1 to the terms does not change a divergence; λ times
    the excess of the mean is added, which makes the estimate at least 0. Without this, greedy
    decoding may score 1.

    If groups are made of prompts, texts of the same group are not neighbours: answers to one
    prompt are near each other, human or not.

    The interval comes from a delete-a-group jackknife, which removes the texts of a group from
    the means and from the neighbourhoods of other texts.

    References
    ----------
    Pillutla et al., *MAUVE scores for generative models: theory and practice*, JMLR 2023, the
    nearest-neighbour estimate.

    Noshad, Moon, Yasaei Sekeh and Hero, *Direct estimation of information divergence using
    nearest neighbor ratios*, ISIT 2017.

    Examples
    --------
    >>> groups, line = Groups(np.arange(20), 20), np.arange(20.0)[:, None]
    >>> human, far = (MeasuredSample("", groups, features=line + shift) for shift in (0, 1000))
    >>> round(mauve_by_neighbours(human, human).value, 9)
    1.0
    >>> round(1 / mauve_by_neighbours(far, human).value, 3)  # the smallest score
    252.0
    """
    system_features, human_features = centred(system, human)
    n, m = len(human_features), len(system_features)
    k = default_k(n + m)
    apart = _same_prompt(system, human, k)
    neighbours = neighbours_of(human_features, system_features, k, apart)
    kl = []
    for of_human, is_human in ((neighbours.of_first[:n], True), (neighbours.of_first[n:], False)):
        values, times = np.unique(of_human, return_counts=True)  # few different values
        kl.append(_divergence(times @ _terms(values, n, m, k, is_human) / len(of_human), is_human))
    influences, human_influences = _jackknife(neighbours.nearest, system.groups, human.groups, k)
    value = float(score_of_curve(kl[0], kl[1]))
    return Estimate(value, influences, human_influences, system.groups.by_prompt)


def _same_prompt(system: MeasuredSample, human: MeasuredSample, k: int) -> NDArray[np.intp] | None:
    """Return the group of each text, human first, or None if groups are not made of prompts."""
    if not system.groups.by_prompt:
        return None
    labels = np.concatenate([human.groups.labels, system.groups.labels])
    n_others = len(labels) - int(np.bincount(labels).max())
    if n_others < k:
        raise UndefinedError(
            f"'{system.name}' and '{human.name}' must have at least {k} texts that answer other "
            f"prompts for 'mauve-nn'. Got {n_others} instead: take more prompts."
        )
    return labels


def _terms(of_human: FloatArray, n: int, m: int, k: int, is_human: bool) -> FloatArray:
    """Return the terms of texts in their divergence, and the ratio minus 1.

    Parameters
    ----------
    of_human : array of shape (n_texts,)
        Number of human texts among the k neighbours of each text.
    is_human : bool
        Whether the texts themselves are human.

    Returns
    -------
    array of shape (n_texts, n_grid + 1)
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
    nearest: NDArray[np.intp], system: Groups, human: Groups, k: int
) -> tuple[FloatArray, FloatArray]:
    """Return the influences of the system's groups and of the human groups on the score."""
    n, m = len(human.labels), len(system.labels)
    code = np.concatenate([human.labels, human.count + system.labels])  # groups of both samples
    near = code[nearest]
    of_human = (near[:, :k] < human.count).sum(axis=1)
    half = np.concatenate([halves(human), halves(system)])
    scores, counts = np.zeros((human.count + system.count, 2)), np.arange(k + 1.0)
    for left_out in np.unique(code):
        remains = code != left_out
        n_remaining, m_remaining = int(remains[:n].sum()), int(remains[n:].sum())
        if n_remaining == 0 or m_remaining == 0:
            continue
        of_human_without = _without(near, of_human, left_out, human.count, k)
        kl = []
        for is_human in (True, False):
            sample = remains & ((np.arange(n + m) < n) == is_human)
            before = _terms(counts, n, m, k, is_human)
            after = _terms(counts, n_remaining, m_remaining, k, is_human)
            # The change of the neighbours, for either half of the texts: see shared_influences.
            changes = [
                _mean(of_human_without[part], after) - _mean(of_human[part], before)
                for part in (sample & half, sample & ~half)
            ]
            kl.append(_divergence(_mean(of_human[sample], before) + changes, is_human))
        scores[left_out] = score_of_curve(kl[0], kl[1])
    influences, human_influences = (
        shared_influences(*(jackknife_influences(part, groups.sizes) for part in scores[rows].T))
        for groups, rows in ((system, slice(human.count, None)), (human, slice(human.count)))
    )
    return influences, human_influences


def _without(
    near: NDArray[np.intp], of_human: NDArray[np.intp], left_out: int, n_human_groups: int, k: int
) -> NDArray[np.intp]:
    """Return the number of human texts among the k nearest that are not of one group."""
    is_affected = (near[:, :k] == left_out).any(axis=1)
    labels = near[is_affected]
    counted = labels != left_out
    counted &= counted.cumsum(axis=1) <= k
    # If fewer than k stored neighbours remain, their share stands for all k.
    share = (counted & (labels < n_human_groups)).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
    updated = of_human.copy()
    updated[is_affected] = np.rint(k * share)
    return updated


def _mean(counts: NDArray[np.intp], terms: FloatArray) -> FloatArray:
    """Return the mean term of texts from their counts and the term of each count."""
    times = np.bincount(counts, minlength=len(terms))
    return np.asarray(times @ terms / max(len(counts), 1))


MAUVE_NEIGHBOURS = Measure(
    name="mauve-nn",
    title="MAUVE (k-NN)",
    summary="MAUVE without a quantizer: densities from nearest neighbours",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=mauve_by_neighbours,
    is_statistic=False,
    grows_with="texts",
    low=0.0,
    high=1.0,
)
