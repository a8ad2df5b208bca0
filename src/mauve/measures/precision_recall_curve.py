r"""Compute curves of precision and recall of distributions (PRD), and their maximal F-scores."""

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray
from mauve.errors import UndefinedError, bad_parameter, check_int, check_real
from mauve.measures.estimate import Estimate, Groups, jackknife_influences
from mauve.measures.protocol import Measure, MeasuredSample, check_two_samples, needed
from mauve.quantize.kmeans import KMeans

#: Buckets, clusterings, and points of a curve, as in the code of the source.
NUM_BUCKETS, N_RUNS, N_ANGLES = 20, 10, 1001
#: Weight of recall against precision in :func:`maximal_f`; its inverse weighs precision.
BETA = 8.0

_ANGLE_ENDS = 1e-10  # distance of the angles from 0 and from a right angle


def precision_recall_curve(
    p: FloatArray, q: FloatArray, n_angles: int = N_ANGLES
) -> tuple[FloatArray, FloatArray]:
    r"""Return precision and recall of a system for every trade-off between them.

    Parameters
    ----------
    p, q : array of shape (..., k)
        Shares of human texts, and of texts of the system, in k buckets.
    n_angles : int
        Points of the curve.

    Returns
    -------
    precision, recall : array of shape (..., n_angles)

    Notes
    -----
    For :math:`\lambda = \tan\theta` at equally spaced angles between 0 and a right angle,

    .. math::

        \alpha(\lambda) = \sum_b \min(\lambda p_b, q_b), \qquad
        \beta(\lambda) = \alpha(\lambda) / \lambda

    are precision and recall. Both are 1 at one λ only for equal shares.

    References
    ----------
    Sajjadi, Bachem, Lucic, Bousquet and Gelly, *Assessing generative models via precision and
    recall*, NeurIPS 2018, theorem 2 and section 4.

    Examples
    --------
    >>> precision, recall = precision_recall_curve(np.array([0.5, 0.5]), np.array([1.0, 0.0]), 3)
    >>> precision.round(3).tolist(), recall.round(3).tolist()
    ([0.0, 0.5, 1.0], [0.5, 0.5, 0.0])
    """
    check_int("n_angles", n_angles, 3)
    for name, shares in (("p", p), ("q", q)):
        if not np.allclose(np.sum(shares, axis=-1), 1) or np.min(shares) < 0:
            raise bad_parameter(name, "shares that are not negative and add up to 1", shares)
    slopes = np.tan(np.linspace(_ANGLE_ENDS, np.pi / 2 - _ANGLE_ENDS, n_angles))
    parts = np.minimum(slopes[:, None] * p[..., None, :], q[..., None, :])
    precision = parts.sum(axis=-1)
    # Rounding may exceed 1.
    return np.clip(precision, 0, 1), np.clip(precision / slopes, 0, 1)


def maximal_f(precision: FloatArray, recall: FloatArray, beta: float = BETA) -> FloatArray:
    r"""Return the largest F-score on curves, :math:`(1 + \beta^2) P R / (\beta^2 P + R)`.

    Parameters
    ----------
    precision, recall : array of shape (..., n_angles)
    beta : float
        Recall has β times the weight of precision.

    Examples
    --------
    >>> p, q = np.array([0.5, 0.5]), np.array([1.0, 0.0])  # fluent, but half is missing
    >>> curve = precision_recall_curve(p, q)
    >>> [round(float(maximal_f(*curve, beta)), 3) for beta in (8, 1 / 8)]
    [0.504, 0.985]
    """
    check_real("beta", beta, above=0)
    weight = beta**2
    lower = weight * precision + recall
    scores = (1 + weight) * precision * recall / np.where(lower > 0, lower, 1)
    return np.asarray(scores.max(axis=-1))


def _buckets(
    system: NDArray[np.floating], human: NDArray[np.floating], seed: int
) -> list[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Return the buckets of the texts of both samples, in several clusterings of all texts."""
    pooled = np.concatenate([human, system]).astype(np.float32)
    if len(pooled) < NUM_BUCKETS:
        raise UndefinedError(
            f"PRD needs at least {NUM_BUCKETS} texts in both samples together, one for each "
            f"bucket. Got {len(pooled)} instead: give more texts."
        )
    pooled -= pooled.mean(axis=0)  # far from 0, distances would lose digits
    labels = []
    for run in range(N_RUNS):
        rng = np.random.default_rng([seed, run])
        fitted = KMeans().fit(pooled, NUM_BUCKETS, rng).assign(pooled)
        labels.append((fitted[len(human) :], fitted[: len(human)]))
    return labels


def _group_counts(labels: NDArray[np.int32], groups: Groups) -> FloatArray:
    """Return the number of texts of each group in each bucket, shape (n_groups, k)."""
    cells = groups.labels * NUM_BUCKETS + labels
    counts = np.bincount(cells, minlength=groups.count * NUM_BUCKETS)
    return counts.reshape(groups.count, NUM_BUCKETS).astype(np.float64)


def _shares_without(counts: FloatArray) -> FloatArray:
    """Return the shares of all texts, then those without each group: (n_groups + 1, k)."""
    total = counts.sum(axis=0)
    all_counts = np.concatenate([total[None], total - counts])
    return np.asarray(all_counts / np.maximum(all_counts.sum(axis=1, keepdims=True), 1))


def _scores(p: FloatArray, q: FloatArray, beta: float) -> FloatArray:
    """Return the F-score of the mean curve of all clusterings, of shape (n_groups + 1,)."""
    curves = [precision_recall_curve(*shares) for shares in zip(p, q, strict=True)]
    precision, recall = (np.mean(parts, axis=0) for parts in zip(*curves, strict=True))
    return maximal_f(precision, recall, beta)


def _measure(name: str, title: str, what: str, beta: float) -> Measure:
    def estimate(system: MeasuredSample, human: MeasuredSample) -> Estimate:
        of_system_texts = needed(system.features, "features")
        of_human_texts = needed(human.features, "features")
        check_two_samples(of_system_texts, of_human_texts)
        for sample in (system, human):
            if sample.groups.n_used < 2:
                raise UndefinedError(
                    f"{name} needs texts of '{sample.name}' in at least 2 groups. Got "
                    f"{sample.groups.n_used} instead: give more texts or prompts."
                )
        buckets = _buckets(of_system_texts, of_human_texts, system.seed)
        q, p = (
            np.stack([_shares_without(_group_counts(run[side], sample.groups)) for run in buckets])
            for side, sample in enumerate((system, human))
        )
        whole_p, whole_q = p[:, :1], q[:, :1]
        of_system = _scores(np.broadcast_to(whole_p, q.shape), q, beta)
        of_human = _scores(p, np.broadcast_to(whole_q, p.shape), beta)
        return Estimate(
            float(of_system[0]),
            jackknife_influences(of_system[1:], system.groups.sizes),
            jackknife_influences(of_human[1:], human.groups.sizes),
            by_prompt=system.groups.by_prompt,
        )

    return Measure(
        name=name,
        title=title,
        summary=f"largest F-score on the PRD curve, with {what} of 8 times the weight",
        direction="higher",
        needs=frozenset({"features"}),
        estimate=estimate,
        is_statistic=False,
        grows_with="texts",
        low=0.0,
        high=1.0,
    )


#: Both F-scores of the source. The buckets are fixed in their intervals, as in the source.
PRD_PRECISION = _measure("prd-precision", "PRD F1/8", "precision", 1 / BETA)
PRD_RECALL = _measure("prd-recall", "PRD F8", "recall", BETA)
