"""Compute the sparsemax score: how well a decoder predicts human tokens, zeros allowed."""

import numpy as np

from mauve.arrays import FloatArray
from mauve.measures.estimate import Estimate, token_mean
from mauve.measures.protocol import Measure, MeasuredSample, human_token_probabilities


def sparsemax_scores(probability: FloatArray, sum_of_squares: FloatArray) -> FloatArray:
    r"""Return the sparsemax score of each token, between 0 and 1.

    Parameters
    ----------
    probability : array of shape (n_tokens,)
        Probability of each human token y under the decoder's distribution p.
    sum_of_squares : array of shape (n_tokens,)
        Sum of the squares of all probabilities of that distribution.

    Notes
    -----
    .. math:: SP(p, y) = p_y + \frac12 \Big(1 - \sum_x p_x^2\Big)

    It equals :math:`1 - \frac12 \|p - e_y\|^2`, one minus half the Brier score: 1 for a decoder
    that gives the human token probability 1, and 0 for one that gives another token probability
    1. For greedy decoding the mean is its accuracy. One minus the score is the sparsemax loss
    with p as the scores.

    References
    ----------
    Martins, Marinho and Martins, *Sparse text generation*, EMNLP 2020.

    Examples
    --------
    >>> sparsemax_scores(np.array([1.0, 0.0, 0.5]), np.array([1.0, 1.0, 0.5])).tolist()
    [1.0, 0.0, 0.75]
    """
    return np.asarray(probability + (1 - sum_of_squares) / 2)


def _estimate(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    model = human_token_probabilities(system)
    scores = sparsemax_scores(model.probability, model.sum_of_squares)
    return token_mean(scores, model.starts, human.groups)


SPARSEMAX = Measure(
    name="sparsemax",
    title="SP",
    summary="sparsemax score of human text under the model and its decoder",
    direction="higher",
    needs=frozenset({"model"}),
    estimate=_estimate,
    is_statistic=False,
    low=0.0,
    high=1.0,
)
