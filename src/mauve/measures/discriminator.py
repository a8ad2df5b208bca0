"""Compute discriminator accuracy: how well a classifier recognises a system's texts."""

import numpy as np

from mauve.arrays import BoolArray, FloatArray
from mauve.measures.classifier import cross_fit, labelled, train
from mauve.measures.estimate import Estimate, Groups, group_influences
from mauve.measures.protocol import Measure, MeasuredSample

N_PARTS = 4  # one of them is the test set


def correctness(log_odds: FloatArray, is_human: BoolArray) -> FloatArray:
    """Return 1 for each correctly classified text, 0 for the others, and 1/2 for even odds.

    Parameters
    ----------
    log_odds : array of shape (n,)
        Positive for texts classified as human.
    is_human : array of bool, shape (n,)

    Examples
    --------
    >>> correctness(np.array([2.0, -1.0, 0.0]), np.array([True, True, False])).tolist()
    [1.0, 0.0, 0.5]
    """
    return np.asarray((1 + np.sign(np.where(is_human, log_odds, -log_odds))) / 2)


def discriminator_accuracy(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    r"""Estimate the accuracy of a classifier on texts it was not trained on.

    Notes
    -----
    A logistic regression on standardised features is trained on three quarters of the texts
    of both samples; its L2 strength minimises the loss in five-fold cross-validation on them.
    The accuracy on the other quarter is the mean of the accuracies on human texts and on the
    system's, so that chance is 1/2 for any sizes of the samples.

    If groups are made of prompts, no prompt is in both parts: a classifier that has seen one
    answer to a prompt would know the topic of the others. The split depends on the random seed
    and the content of the texts, not on their order.

    The interval is for other test texts and the same classifier. Another split would train
    another classifier, with another accuracy.

    References
    ----------
    Pillutla et al., *MAUVE*, NeurIPS 2021, appendix C.4, with a frozen model's features.

    Examples
    --------
    >>> rng, groups = np.random.default_rng(0), Groups(np.arange(40), 40)
    >>> human = MeasuredSample("human", groups, features=rng.normal(size=(40, 2)))
    >>> model = MeasuredSample("model", groups, features=rng.normal(size=(40, 2)) + 9)
    >>> discriminator_accuracy(model, human).value
    1.0
    """
    texts = labelled(system, human)
    in_test = texts.split(N_PARTS) == 0
    training, test = texts.subset(~in_test), texts.subset(in_test)
    classifier = train(training, cross_fit(training)[1])
    is_correct = correctness(classifier.log_odds(test.features), test.is_human)
    members = (~test.is_human, test.is_human)
    labels = [
        sample.groups.labels[test.row[member]]
        for sample, member in zip((system, human), members, strict=True)
    ]
    # Groups without a test text are left out; groups of prompts are the same in both samples.
    by_prompt = system.groups.by_prompt
    used = [np.unique(np.concatenate(labels)) if by_prompt else np.unique(part) for part in labels]
    influences = [
        group_influences(is_correct[member] / 2, Groups(np.searchsorted(groups, part), len(groups)))
        for member, groups, part in zip(members, used, labels, strict=True)
    ]
    value = sum(float(is_correct[member].mean()) for member in members) / 2
    # Both samples have half of the weight, whatever their numbers of texts.
    n_texts = 4 / sum(1 / member.sum() for member in members)
    return Estimate(value, influences[0], influences[1], by_prompt, n_texts=n_texts)


#: The paper's "% Disc. Acc.", as a share; 0.5 is chance.
DISCRIMINATOR = Measure(
    name="discriminator",
    title="Disc. Acc.",
    summary="accuracy of a classifier of the model's texts and human ones; 0.5 is chance",
    direction="lower",
    needs=frozenset({"features"}),
    estimate=discriminator_accuracy,
    is_statistic=False,
    low=0.0,
    high=1.0,
    is_share=True,
    extra="classifier",
)
