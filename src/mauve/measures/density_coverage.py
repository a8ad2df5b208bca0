"""Compute density and coverage: alternatives to precision and recall, robust to outliers."""

import numpy as np

from mauve.measures.estimate import Estimate, group_influences, jackknife_influences
from mauve.measures.neighbours import (
    N_NEIGHBOURS,
    balls_around,
    centred,
    halves,
    membership,
    nearest_two,
    shared_influences,
)
from mauve.measures.protocol import Measure, MeasuredSample


def estimate_density(
    system: MeasuredSample, human: MeasuredSample, k: int = N_NEIGHBOURS
) -> Estimate:
    r"""Estimate the mean number of human balls that contain a system's text, divided by k.

    Parameters
    ----------
    system, human : MeasuredSample
    k : int
        The radius of a ball is the distance to the k-th neighbour in the human sample.

    Notes
    -----
    .. math:: \frac1{km} \sum_{j=1}^m \sum_{i=1}^n
        \mathbb 1\{|y_j - x_i| \le |x_i - x_i^{(k)}|\}

    Its expectation is 1 for two samples of one source: each of the n balls then contains each of
    the m texts with probability k/n.

    References
    ----------
    Naeem, Oh, Uh, Choi and Yoo, *Reliable fidelity and diversity metrics for generative
    models*, ICML 2020, section 3.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> groups, features = Groups(np.arange(4), 4), np.array([[0], [1], [3], [7]])
    >>> human = MeasuredSample("human", groups, features=features)
    >>> groups, features = Groups(np.arange(2), 2), np.array([[1.5], [-2.5]])
    >>> model = MeasuredSample("model", groups, features=features)
    >>> estimate_density(model, human, k=1).value  # two balls and none
    1.0
    """
    points, centres = centred(system, human)
    balls, sizes = balls_around(centres, human.groups, k), human.groups.sizes
    members = membership(points, halves(system.groups), centres, balls)
    count = members.count / k
    return Estimate(
        float(count.mean()),
        group_influences(count, system.groups),
        shared_influences(
            *(jackknife_influences(part / k, sizes) for part in members.mean_without)
        ),
        system.groups.by_prompt,
    )


def estimate_coverage(
    system: MeasuredSample, human: MeasuredSample, k: int = N_NEIGHBOURS
) -> Estimate:
    r"""Estimate the share of human texts whose ball contains a system's text.

    Parameters
    ----------
    system, human : MeasuredSample
    k : int
        The radius of a ball is the distance to the k-th neighbour in the human sample.

    Notes
    -----
    .. math:: \frac1n \sum_{i=1}^n
        \mathbb 1\{\exists j : |y_j - x_i| \le |x_i - x_i^{(k)}|\}

    For two samples of one source the expectation is
    :math:`1 - \binom{n-1}{k} / \binom{n+m-1}{k}`, about 0.97 for k = 5 and samples of equal
    size. It rises with the size of the system's sample.

    References
    ----------
    Naeem, Oh, Uh, Choi and Yoo, *Reliable fidelity and diversity metrics for generative
    models*, ICML 2020, section 3 and lemma 2.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> groups, features = Groups(np.arange(4), 4), np.array([[0], [1], [3], [7]])
    >>> human = MeasuredSample("human", groups, features=features)
    >>> groups, features = Groups(np.arange(2), 2), np.array([[1.5], [-2.5]])
    >>> model = MeasuredSample("model", groups, features=features)
    >>> estimate_coverage(model, human, k=1).value
    0.5
    """
    points, centres = centred(system, human)
    balls = balls_around(centres, human.groups, k)
    nearest, second, nearest_group = nearest_two(centres, points, system.groups)
    covered = nearest <= balls.reach
    # Without the group of its nearest text, a ball may have no text of the system left.
    lost = covered & (second > balls.reach)
    # Without a group of human texts, its balls vanish and those of its neighbours grow.
    grown = (nearest[:, None] <= balls.reach_without) & ~covered[:, None] & (balls.nearby >= 0)
    by_balls = group_influences(covered.astype(float), human.groups)
    influences, human_influences = [], []
    for half in (halves(human.groups), ~halves(human.groups)):
        size = max(int(half.sum()), 1)
        losses = -np.bincount(nearest_group[lost & half], minlength=system.groups.count) / size
        gains = (
            np.bincount(balls.nearby[grown & half[:, None]], minlength=human.groups.count) / size
        )
        influences.append(jackknife_influences(losses, system.groups.sizes))
        human_influences.append(by_balls + jackknife_influences(gains, human.groups.sizes))
    return Estimate(
        float(covered.mean()),
        shared_influences(*influences),
        shared_influences(*human_influences),
        system.groups.by_prompt,
        n_texts=human.groups.n_independent,
    )


#: Higher is better up to 1, the mean for human text itself. A value above 1 means that the
#: model's texts concentrate where human text is densest, which lowers coverage.
DENSITY = Measure(
    name="density",
    title="Density",
    summary="how densely human text lies around the model's; 1 on average for human text",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=estimate_density,
    is_statistic=False,
    low=0.0,
)

#: Share of human texts with a text of the model nearby.
COVERAGE = Measure(
    name="coverage",
    title="Coverage",
    summary="share of human texts with a text of the model nearby",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=estimate_coverage,
    is_statistic=False,
    grows_with="texts",
    low=0.0,
    high=1.0,
    is_share=True,
)
