"""Compute authenticity: the share of texts that are not near-copies of training texts."""

import numpy as np

from mauve.arrays import BoolArray, FloatArray
from mauve.errors import UndefinedError
from mauve.measures.estimate import Estimate, group_influences
from mauve.measures.neighbours import TIE, centred, squared_distances
from mauve.measures.protocol import Measure, MeasuredSample, needed


def is_authentic(texts: FloatArray, training: FloatArray) -> BoolArray:
    r"""Return whether each text is as far from the training texts as these are from each other.

    Parameters
    ----------
    texts : array of shape (n, d)
        Features in double precision.
    training : array of shape (m, d)
        The same for the training texts, at least two of which differ.

    Notes
    -----
    With :math:`t(y)` the training text nearest to y, y is authentic if

    .. math:: |y - t(y)| \ge \min_{t' \ne t(y)} |t(y) - t'|.

    A training text that occurs twice counts once: the minimum is over *different* texts, so a
    copy of a text that occurs several times in the training set is still a copy. If several
    training texts are nearest, the condition must hold for each.

    References
    ----------
    Alaa, van Breugel, Saveliev and van der Schaar, *How faithful is your synthetic data?
    Sample-level metrics for evaluating and auditing generative models*, ICML 2022, section 5.

    Examples
    --------
    >>> training = np.array([[0.0], [0.0], [1.0], [4.0]])
    >>> is_authentic(np.array([[0.0], [2.0], [5.0], [7.5]]), training).tolist()
    [False, True, False, True]
    """
    isolation = np.empty(len(training))  # to the nearest different training text
    for block, distances in squared_distances(training, training):
        distances[distances == 0] = np.inf  # the text itself and its copies
        isolation[block] = distances.min(axis=1)
    authentic = np.empty(len(texts), dtype=bool)
    for block, distances in squared_distances(texts, training):
        nearest = distances.min(axis=1)
        among_nearest = distances <= nearest[:, None] * TIE
        threshold = np.where(among_nearest, isolation, 0.0).max(axis=1)
        authentic[block] = nearest * TIE >= threshold
    return authentic


def _estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
    texts, training = centred(sample, needed(sample.training, "training"))
    if not np.any(training != training[0]):
        raise UndefinedError(
            f"The training texts of '{sample.name}' must be at least two different ones for "
            f"authenticity. Got {len(training)} with equal features instead."
        )
    authentic = is_authentic(texts, training).astype(float)
    influences = group_influences(authentic, sample.groups)
    return Estimate(float(authentic.mean()), influences, by_prompt=sample.groups.by_prompt)


#: Share of texts that are no closer to the training set than training texts are to each other.
#: Values near that of new human text are best: a lower value means that the model copies, but a
#: high value alone is not good, since gibberish has 1. The interval is for fixed training texts.
AUTHENTICITY = Measure(
    name="authenticity",
    title="Authenticity",
    summary="share of texts that are not copied from the training set",
    direction="human",
    needs=frozenset({"features", "training"}),
    estimate=_estimate,
    is_statistic=True,
    low=0.0,
    high=1.0,
    is_share=True,
)
