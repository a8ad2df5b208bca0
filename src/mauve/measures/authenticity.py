"""Authenticity: the share of texts that are not copies from the training set."""

import numpy as np

from mauve.arrays import BoolArray, FloatArray
from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Estimate, moves_of
from mauve.measures.neighbours import TIE, centred, squared_distances
from mauve.measures.protocol import Measure, Side


def is_authentic(texts: FloatArray, training: FloatArray) -> BoolArray:
    r"""Return for each text whether it keeps its distance to the training texts.

    Parameters
    ----------
    texts : array of shape (n, d)
    training : array of shape (m, d)
        Features of at least two different texts, both arrays in double precision.

    Notes
    -----
    With :math:`t(y)` the training text nearest to y, y is authentic if

    .. math:: |y - t(y)| \ge \min_{t' \ne t(y)} |t(y) - t'|.

    A training text that occurs twice counts once: the minimum is over *different* texts, so
    that a copy of a text that stands in the training set several times is still a copy. If
    several training texts are nearest, y must keep its distance to each.

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
    alone = np.empty(len(training))
    for block, found in squared_distances(training, training):
        found[found == 0] = np.inf  # itself and its copies
        alone[block] = found.min(axis=1)
    authentic = np.empty(len(texts), dtype=bool)
    for block, found in squared_distances(texts, training):
        nearest = found.min(axis=1)
        among_nearest = found <= nearest[:, None] * TIE
        distance_needed = np.where(among_nearest, alone, 0.0).max(axis=1)
        authentic[block] = nearest * TIE >= distance_needed
    return authentic


def _authenticity(own: Side, human: Side) -> Estimate:
    assert own.training is not None
    texts, training = centred(own, own.training)
    if not np.any(training != training[0]):
        raise InvalidParameterError(
            f"The training texts of '{own.name}' must be at least two different ones for "
            f"authenticity. Got {len(training)} with equal features instead."
        )
    authentic = is_authentic(texts, training).astype(float)
    return Estimate(
        float(authentic.mean()), moves_of(authentic, own.groups), by_prompt=own.groups.by_prompt
    )


#: Share of texts that are no closer to the training set than training texts are to each other.
#: Near the value of new human text is best: below it, the model copies; gibberish is wholly
#: authentic, so a high value alone is no virtue. The training texts are taken as given.
AUTHENTICITY = Measure(
    name="authenticity",
    title="Authenticity",
    summary="share of texts that are not copied from the training set",
    direction="human",
    needs=frozenset({"features", "training"}),
    estimate=_authenticity,
    is_statistic=True,
    low=0.0,
    high=1.0,
    is_share=True,
)
