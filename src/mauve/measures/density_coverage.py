"""Density and coverage: precision and recall that one outlier cannot fool."""

import numpy as np

from mauve.measures.estimate import Estimate, moves_of, moves_without
from mauve.measures.neighbours import (
    N_NEIGHBOURS,
    balls_around,
    centred,
    halves,
    membership,
    nearest_two,
    shared_moves,
)
from mauve.measures.protocol import Measure, Side


def density(own: Side, human: Side, k: int = N_NEIGHBOURS) -> Estimate:
    r"""Return how many balls of human texts a model's text is in, of the k expected.

    Parameters
    ----------
    own, human : Side
    k : int
        A ball reaches to the k-th neighbour within the human sample.

    Notes
    -----
    .. math:: \frac1{km} \sum_{j=1}^m \sum_{i=1}^n
        \mathbb 1\{|y_j - x_i| \le |x_i - x_i^{(k)}|\}

    The mean is 1 for two samples of one source: each of the n balls then holds the m texts
    with probability k/n.

    References
    ----------
    Naeem, Oh, Uh, Choi and Yoo, *Reliable fidelity and diversity metrics for generative
    models*, ICML 2020, section 3.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> human = Side("human", Groups(np.arange(4), 4), features=np.array([[0], [1], [3], [7]]))
    >>> model = Side("model", Groups(np.arange(2), 2), features=np.array([[1.5], [-2.5]]))
    >>> density(model, human, k=1).value  # two balls and none
    1.0
    """
    points, centres = centred(own, human)
    balls, sizes = balls_around(centres, human.groups, k), human.groups.sizes
    found = membership(points, halves(own.groups), centres, balls)
    count = found.count / k
    human_moves = shared_moves(*(moves_without(part / k, sizes) for part in found.mean_without))
    return Estimate(
        float(count.mean()), moves_of(count, own.groups), human_moves, own.groups.by_prompt
    )


def coverage(own: Side, human: Side, k: int = N_NEIGHBOURS) -> Estimate:
    r"""Return the share of human texts with a model's text in the ball around them.

    Parameters
    ----------
    own, human : Side
    k : int
        A ball reaches to the k-th neighbour within the human sample.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n
        \mathbb 1\{\exists j : |y_j - x_i| \le |x_i - x_i^{(k)}|\}

    For two samples of one source the mean is :math:`1 - \binom{n-1}{k} / \binom{n+m-1}{k}`,
    about 0.97 for k = 5 and samples of one size. It rises with the size of the model's sample.

    References
    ----------
    Naeem, Oh, Uh, Choi and Yoo, *Reliable fidelity and diversity metrics for generative
    models*, ICML 2020, section 3 and lemma 2.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> human = Side("human", Groups(np.arange(4), 4), features=np.array([[0], [1], [3], [7]]))
    >>> model = Side("model", Groups(np.arange(2), 2), features=np.array([[1.5], [-2.5]]))
    >>> coverage(model, human, k=1).value
    0.5
    """
    points, centres = centred(own, human)
    balls = balls_around(centres, human.groups, k)
    nearest, second, group = nearest_two(centres, points, own.groups)
    covered = nearest <= balls.reach
    # A ball covered by texts of one group of the model's loses them with that group.
    lost = covered & (second > balls.reach)
    # Without a group of human texts its balls are gone and those of its neighbours are larger.
    grown = (nearest[:, None] <= balls.reach_without) & ~covered[:, None] & (balls.nearby >= 0)
    gone = moves_of(covered.astype(float), human.groups)
    moves, human_moves = [], []
    for half in (halves(human.groups), ~halves(human.groups)):
        size = max(int(half.sum()), 1)
        losses = -np.bincount(group[lost & half], minlength=own.groups.count) / size
        gains = (
            np.bincount(balls.nearby[grown & half[:, None]], minlength=human.groups.count) / size
        )
        moves.append(moves_without(losses, own.groups.sizes))
        human_moves.append(gone + moves_without(gains, human.groups.sizes))
    return Estimate(
        float(covered.mean()),
        shared_moves(*moves),
        shared_moves(*human_moves),
        own.groups.by_prompt,
        n_texts=human.groups.n_independent,
    )


#: How deep the model's texts lie among human texts. Higher is better up to 1, what human text
#: itself has on average; a value above 1 says that the model keeps to where human text is
#: densest, which is no further virtue, and coverage shows its price.
DENSITY = Measure(
    name="density",
    title="Density",
    summary="how densely human text lies around the model's; 1 on average for human text",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=density,
    is_statistic=False,
    low=0.0,
)

#: Share of human texts that the model comes near to.
COVERAGE = Measure(
    name="coverage",
    title="Coverage",
    summary="share of human texts that the model comes near to",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=coverage,
    is_statistic=False,
    grows_with="texts",
    low=0.0,
    high=1.0,
    is_share=True,
)
