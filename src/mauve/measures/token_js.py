"""Compute the Jensen–Shannon divergence of a decoder's distribution and the human token."""

import numpy as np
import scipy

from mauve.arrays import FloatArray
from mauve.measures.estimate import Estimate, token_mean
from mauve.measures.protocol import Measure, MeasuredSample, human_token_probabilities


def token_divergences(probability: FloatArray) -> FloatArray:
    r"""Return the Jensen–Shannon divergence at each token, in nats, from 0 to log 2.

    Parameters
    ----------
    probability : array of shape (n_tokens,)
        Probability of each human token y under the decoder's distribution p.

    Notes
    -----
    Let :math:`e_y` be the distribution with probability 1 at y, and :math:`m = (p + e_y) / 2`.

    .. math:: JS(p, e_y) = \tfrac12 KL(p \| m) + \tfrac12 KL(e_y \| m)

    At every other token m is half of p, so these add :math:`(1 - p_y) \log 2` to the first
    term, and y adds :math:`p_y \log \frac{2 p_y}{1 + p_y}`. The second term is
    :math:`\log \frac{2}{1 + p_y}`. Together

    .. math:: JS(p, e_y) = \log 2 + \tfrac12 \big(p_y \log p_y - (1 + p_y) \log(1 + p_y)\big)

    which depends on :math:`p_y` alone, not on how p divides the remaining probability.

    References
    ----------
    Martins, Marinho and Martins, *Sparse text generation*, EMNLP 2020.

    Examples
    --------
    >>> token_divergences(np.array([0.0, 0.5, 1.0])).round(4).tolist()
    [0.6931, 0.2158, 0.0]
    """
    terms = scipy.special.xlogy(probability, probability)
    terms -= scipy.special.xlog1py(1 + probability, probability)
    return np.asarray(np.clip(np.log(2) + terms / 2, 0, np.log(2)))  # against rounding


def _estimate(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    model = human_token_probabilities(system)
    return token_mean(token_divergences(model.probability), model.starts, human.groups)


TOKEN_JS = Measure(
    name="token-js",
    title="JS",
    summary="Jensen-Shannon divergence of the decoder and the human token, nats",
    direction="lower",
    needs=frozenset({"model"}),
    estimate=_estimate,
    is_statistic=False,
    low=0.0,
    high=float(np.log(2)),
)
