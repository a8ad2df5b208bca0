"""Discriminator accuracy: how often a classifier tells a model's texts from human ones."""

import numpy as np

from mauve.arrays import BoolArray, FloatArray
from mauve.measures.classifier import cross_fit, labelled, need_scikit_learn, train
from mauve.measures.estimate import Estimate, Groups, moves_of
from mauve.measures.protocol import Measure, Side

N_PARTS = 4  # one of them is the test set


def told_right(log_odds: FloatArray, is_human: BoolArray) -> FloatArray:
    """Return 1 for each text that is told right, 0 for the others and 1/2 where odds are even.

    Parameters
    ----------
    log_odds : array of shape (n,)
        Above 0 for what is taken to be human.
    is_human : array of bool, shape (n,)

    Examples
    --------
    >>> told_right(np.array([2.0, -1.0, 0.0]), np.array([True, True, False])).tolist()
    [1.0, 0.0, 0.5]
    """
    return np.asarray((1 + np.sign(np.where(is_human, log_odds, -log_odds))) / 2)


def discriminator(own: Side, human: Side) -> Estimate:
    r"""Return the accuracy of a classifier on texts it was not trained on.

    Notes
    -----
    A logistic regression on standardised features is trained on three quarters of the texts
    of both samples; its L2 strength is that with the least loss in five-fold
    cross-validation among them. The accuracy on the other quarter is the mean of those on
    human and on model's texts, so that chance is 1/2 whatever the sizes of the samples.

    Where groups are made of prompts, no prompt is in both parts: a classifier that has seen
    one answer to a prompt would know the topic of the others. The split follows from the seed
    and the content of the texts, not from their order.

    The interval is that of the test texts, given the classifier. Another split would train
    another classifier, whose accuracy is another number.

    References
    ----------
    Pillutla et al., *MAUVE*, NeurIPS 2021, appendix C.4, with a frozen model's features.

    Examples
    --------
    >>> rng, groups = np.random.default_rng(0), Groups(np.arange(40), 40)
    >>> human = Side("human", groups, features=rng.normal(size=(40, 2)))
    >>> model = Side("model", groups, features=rng.normal(size=(40, 2)) + 9)
    >>> discriminator(model, human).value
    1.0
    """
    need_scikit_learn("discriminator")
    texts = labelled(own, human)
    in_test = texts.deal(N_PARTS) == 0
    training, test = texts.part(~in_test), texts.part(in_test)
    right = told_right(
        train(training, cross_fit(training)[1]).log_odds(test.features), test.is_human
    )
    samples = (~test.is_human, test.is_human)
    labels = [
        side.groups.labels[test.row[sample]]
        for side, sample in zip((own, human), samples, strict=True)
    ]
    # Groups without a test text have no say; those of one prompt go together in both samples.
    by_prompt = own.groups.by_prompt
    used = [np.unique(np.concatenate(labels)) if by_prompt else np.unique(part) for part in labels]
    moves = [
        moves_of(right[sample] / 2, Groups(np.searchsorted(groups, part), len(groups)))
        for sample, groups, part in zip(samples, used, labels, strict=True)
    ]
    value = sum(float(right[sample].mean()) for sample in samples) / 2
    # Half of the value rests on either sample, however few of its texts there are.
    n_texts = 4 / sum(1 / sample.sum() for sample in samples)
    return Estimate(value, moves[0], moves[1], by_prompt, n_texts=n_texts)


#: The paper's "% Disc. Acc.", as a share; 0.5 is chance.
DISCRIMINATOR = Measure(
    name="discriminator",
    title="Disc. Acc.",
    summary="how often a classifier tells the model's texts from human ones; 0.5 is chance",
    direction="lower",
    needs=frozenset({"features"}),
    estimate=discriminator,
    is_statistic=False,
    low=0.0,
    high=1.0,
    is_share=True,
    extra="classifier",
)
