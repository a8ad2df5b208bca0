"""Precision and recall of a model's texts, by balls around texts of the other sample."""

from mauve.arrays import FloatArray
from mauve.measures.estimate import Estimate, moves_of, moves_without
from mauve.measures.neighbours import (
    N_NEIGHBOURS,
    balls_around,
    centred,
    halves,
    membership,
    shared_moves,
)
from mauve.measures.protocol import Measure, Side


def share_inside(
    of: Side, balls_of: Side, k: int = N_NEIGHBOURS
) -> tuple[float, FloatArray, FloatArray]:
    r"""Return the share of one sample's texts that are in a ball of the other.

    Parameters
    ----------
    of : Side
        Whose texts are counted.
    balls_of : Side
        Whose texts are the middles of the balls.
    k : int
        A ball reaches to the k-th neighbour within its sample.

    Returns
    -------
    share : float
    moves_of, moves_balls : array of shape (n_groups,)
        What the groups of either sample added to its error.

    Notes
    -----
    .. math:: \frac1m \sum_{j=1}^m
        \mathbb 1\{\exists i : |y_j - x_i| \le |x_i - x_i^{(k)}|\}

    with :math:`x_i^{(k)}` the k-th neighbour of :math:`x_i` among the other x. A text on the
    edge is inside, as in the paper: a copy of a text that has k copies already is in its ball
    of radius 0. The package prdc leaves the edge out, which matters for copies only.

    References
    ----------
    Kynkäänniemi, Karras, Laine, Lehtinen and Aila, *Improved precision and recall metric for
    assessing generative models*, NeurIPS 2019, equation 1; with k = 3 there, and k = 5 here
    as in Naeem et al., *Reliable fidelity and diversity metrics for generative models*, ICML
    2020, so that precision, recall, density and coverage speak of the same balls.

    Examples
    --------
    >>> import numpy as np
    >>> from mauve.measures.estimate import Groups
    >>> human = Side("human", Groups(np.arange(4), 4), features=np.array([[0], [1], [3], [7]]))
    >>> model = Side("model", Groups(np.arange(2), 2), features=np.array([[2.5], [-2.5]]))
    >>> share_inside(model, human, k=1)[0]
    0.5
    """
    points, centres = centred(of, balls_of)
    balls = balls_around(centres, balls_of.groups, k)
    found = membership(points, halves(of.groups), centres, balls)
    inside = (found.count > 0).astype(float)
    sizes = balls_of.groups.sizes
    moves_balls = shared_moves(*(moves_without(part, sizes) for part in found.share_without))
    return float(inside.mean()), moves_of(inside, of.groups), moves_balls


def _precision(own: Side, human: Side) -> Estimate:
    share, moves, human_moves = share_inside(own, human)
    return Estimate(share, moves, human_moves, own.groups.by_prompt)


def _recall(own: Side, human: Side) -> Estimate:
    share, human_moves, moves = share_inside(human, own)
    n = human.groups.n_independent
    return Estimate(share, moves, human_moves, own.groups.by_prompt, n_texts=n)


#: Share of the model's texts that lie among human texts. One human outlier has a wide ball and
#: may hold many of them.
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
