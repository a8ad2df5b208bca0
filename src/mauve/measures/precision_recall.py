"""Compute precision and recall of a system's texts by balls around the texts of a sample."""

from mauve.arrays import FloatArray
from mauve.measures.estimate import Estimate, group_influences, jackknife_influences
from mauve.measures.neighbours import (
    N_NEIGHBOURS,
    balls_around,
    centred,
    halves,
    membership,
    shared_influences,
)
from mauve.measures.protocol import Measure, MeasuredSample


def share_inside(
    sample: MeasuredSample, reference: MeasuredSample, k: int = N_NEIGHBOURS
) -> tuple[float, FloatArray, FloatArray]:
    r"""Return the share of a sample's texts that are in a ball around a text of another sample.

    Parameters
    ----------
    sample : MeasuredSample
        Its texts y are counted.
    reference : MeasuredSample
        Its texts x are the centres of the balls.
    k : int
        The radius of a ball is the distance to the k-th neighbour in the reference.

    Returns
    -------
    share : float
    influences, reference_influences : array of shape (n_groups,)
        Influence of each group of the sample and of the reference.

    Notes
    -----
    .. math:: \frac1m \sum_{j=1}^m
        \mathbb 1\{\exists i : |y_j - x_i| \le |x_i - x_i^{(k)}|\}

    with :math:`x_i^{(k)}` the k-th neighbour of :math:`x_i` among the other x. A text on the
    boundary is inside, as in the paper: a copy of a text that already has k copies is in its
    ball of radius 0. The package prdc excludes the boundary, which matters for copies only.

    References
    ----------
    Kynkäänniemi, Karras, Laine, Lehtinen and Aila, *Improved precision and recall metric for
    assessing generative models*, NeurIPS 2019, equation 1; with k = 3 there, and k = 5 here
    as in Naeem et al., *Reliable fidelity and diversity metrics for generative models*, ICML
    2020, so that precision, recall, density and coverage use the same balls.

    Examples
    --------
    >>> import numpy as np
    >>> from mauve.measures.estimate import Groups
    >>> groups, features = Groups(np.arange(4), 4), np.array([[0], [1], [3], [7]])
    >>> human = MeasuredSample("human", groups, features=features)
    >>> groups, features = Groups(np.arange(2), 2), np.array([[2.5], [-2.5]])
    >>> share_inside(MeasuredSample("model", groups, features=features), human, k=1)[0]
    0.5
    """
    points, centres = centred(sample, reference)
    balls = balls_around(centres, reference.groups, k)
    members = membership(points, halves(sample.groups), centres, balls)
    inside = (members.count > 0).astype(float)
    sizes = reference.groups.sizes
    reference_influences = shared_influences(
        *(jackknife_influences(part, sizes) for part in members.share_without)
    )
    return float(inside.mean()), group_influences(inside, sample.groups), reference_influences


def _precision(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    share, influences, human_influences = share_inside(system, human)
    return Estimate(share, influences, human_influences, system.groups.by_prompt)


def _recall(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    share, human_influences, influences = share_inside(human, system)
    n_texts = human.groups.n_independent
    return Estimate(share, influences, human_influences, system.groups.by_prompt, n_texts=n_texts)


#: Share of the model's texts that lie among human texts. The ball around a human outlier is
#: wide and may contain many of them.
PRECISION = Measure(
    name="precision",
    title="Precision",
    summary="share of the model's texts that lie among human texts",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=_precision,
    is_statistic=False,
    grows_with="texts",
    low=0.0,
    high=1.0,
    is_share=True,
)

#: Share of the human texts that lie among the model's texts.
RECALL = Measure(
    name="recall",
    title="Recall",
    summary="share of human texts that lie among the model's",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=_recall,
    is_statistic=False,
    grows_with="texts",
    low=0.0,
    high=1.0,
    is_share=True,
)
