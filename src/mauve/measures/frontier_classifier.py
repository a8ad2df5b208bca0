"""MAUVE with the ratio of the densities estimated by a classifier instead of clusters."""

import numpy as np
import scipy

from mauve.measures.classifier import cross_fit, labelled, need_scikit_learn
from mauve.measures.density_ratio import Densities, score_of_densities
from mauve.measures.estimate import Estimate, Groups
from mauve.measures.protocol import Measure, Side


def mauve_by_classifier(own: Side, human: Side) -> Estimate:
    r"""Return MAUVE, with :math:`p/q` from a logistic regression.

    Notes
    -----
    A classifier that says with probability :math:`\eta(x)` that a text is human knows the
    ratio of the densities, :math:`p/q = \eta / (1 - \eta)` for samples of one size. It is
    trained five times, each time without the fifth of the texts (of the prompts, where groups
    are made of them) that its ratios are then taken at. Its L2 strength is that with the
    least loss on these texts. The divergences follow by the variational bound of
    :func:`mauve.measures.density_ratio.score_of_densities`: on average the classifier
    finds at most the divergence there is, so that a difference it cannot see leaves the
    score too high, never too low.

    References
    ----------
    Pillutla et al., *MAUVE scores for generative models: theory and practice*, JMLR 2023, the
    classifier-based estimate.

    Examples
    --------
    >>> rng, groups = np.random.default_rng(0), Groups(np.arange(50), 50)
    >>> human = Side("human", groups, features=rng.normal(size=(50, 2)))
    >>> model = Side("model", groups, features=rng.normal(size=(50, 2)) + 9)
    >>> round(mauve_by_classifier(human, human).value, 3)
    1.0
    >>> mauve_by_classifier(model, human).value < 0.01
    True
    """
    need_scikit_learn("mauve-classifier")
    texts = labelled(own, human)
    # Beyond odds of e^500 the densities would leave the range of double precision.
    odds = np.clip(cross_fit(texts)[0], -500, 500)
    eta, complement = scipy.special.expit(odds), scipy.special.expit(-odds)
    people, model = texts.is_human, ~texts.is_human
    of_human = Groups(human.groups.labels[texts.row[people]], human.groups.count)
    of_model = Groups(own.groups.labels[texts.row[model]], own.groups.count)
    return score_of_densities(
        Densities(complement[model], eta[model], of_model),
        Densities(eta[people], complement[people], of_human),
        by_prompt=own.groups.by_prompt,
    )


MAUVE_CLASSIFIER = Measure(
    name="mauve-classifier",
    title="MAUVE (classifier)",
    summary="MAUVE without clusters: densities from a classifier",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=mauve_by_classifier,
    is_statistic=False,
    low=0.0,
    high=1.0,
    extra="classifier",
)
