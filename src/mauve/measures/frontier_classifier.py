"""Compute MAUVE with the ratio of densities estimated by a classifier, not by a quantizer."""

import numpy as np
import scipy

from mauve.measures.classifier import cross_fit, labelled
from mauve.measures.density_ratio import Densities, score_of_densities
from mauve.measures.estimate import Estimate, Groups
from mauve.measures.protocol import Measure, MeasuredSample


def mauve_by_classifier(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    r"""Estimate MAUVE with :math:`p/q` from a logistic regression.

    Notes
    -----
    A classifier with probability :math:`\eta(x)` that a text is human gives the ratio of the
    densities, :math:`p/q = \eta / (1 - \eta)` for samples of equal size. It is trained five
    times, each time without the fifth of the texts (of the prompts, if groups are made of
    prompts) where its ratios are evaluated. Its L2 strength minimises the loss on these texts.
    The divergences follow by the variational bound of
    :func:`mauve.measures.density_ratio.score_of_densities`. Its expectation is at most the true
    divergence, so a difference that the classifier misses makes the score too high, never too
    low.

    References
    ----------
    Pillutla et al., *MAUVE scores for generative models: theory and practice*, JMLR 2023, the
    classifier-based estimate.

    Examples
    --------
    >>> rng, groups = np.random.default_rng(0), Groups(np.arange(50), 50)
    >>> human = MeasuredSample("human", groups, features=rng.normal(size=(50, 2)))
    >>> model = MeasuredSample("model", groups, features=rng.normal(size=(50, 2)) + 9)
    >>> round(mauve_by_classifier(human, human).value, 3)
    1.0
    >>> mauve_by_classifier(model, human).value < 0.01
    True
    """
    texts = labelled(system, human)
    # Beyond odds of e^500 the densities would leave the range of double precision.
    odds = np.clip(cross_fit(texts)[0], -500, 500)
    p, q = scipy.special.expit(odds), scipy.special.expit(-odds)
    is_human, is_system = texts.is_human, ~texts.is_human
    human_groups = Groups(human.groups.labels[texts.row[is_human]], human.groups.count)
    system_groups = Groups(system.groups.labels[texts.row[is_system]], system.groups.count)
    return score_of_densities(
        Densities(q[is_system], p[is_system], system_groups),
        Densities(p[is_human], q[is_human], human_groups),
        by_prompt=system.groups.by_prompt,
    )


MAUVE_CLASSIFIER = Measure(
    name="mauve-classifier",
    title="MAUVE (classifier)",
    summary="MAUVE without a quantizer: densities from a classifier",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=mauve_by_classifier,
    is_statistic=False,
    low=0.0,
    high=1.0,
    extra="classifier",
)
