"""Jensen–Shannon divergence between a decoder's distribution and the human token."""

import numpy as np
import scipy

from mauve.arrays import FloatArray
from mauve.measures.estimate import Estimate
from mauve.measures.human_tokens import probabilities_of, token_mean
from mauve.measures.protocol import Measure, Side


def token_divergences(probability: FloatArray) -> FloatArray:
    r"""Return the Jensen–Shannon divergence at each token, in nats, from 0 to log 2.

    Parameters
    ----------
    probability : array of shape (n_tokens,)
        Of each human token y, under the decoder's distribution p.

    Notes
    -----
    Let :math:`e_y` be the distribution that is sure of y, and :math:`m = (p + e_y) / 2`.

    .. math:: JS(p, e_y) = \tfrac12 KL(p \| m) + \tfrac12 KL(e_y \| m)

    At every other token m is half of p, so these add :math:`(1 - p_y) \log 2` to the first
    term, and y adds :math:`p_y \log \frac{2 p_y}{1 + p_y}`. The second term is
    :math:`\log \frac{2}{1 + p_y}`. Together

    .. math:: JS(p, e_y) = \log 2 + \tfrac12 \big(p_y \log p_y - (1 + p_y) \log(1 + p_y)\big)

    which depends on :math:`p_y` alone: where a decoder puts the rest does not matter.

    References
    ----------
    Martins, Marinho and Martins, *Sparse text generation*, EMNLP 2020.

    Examples
    --------
    >>> token_divergences(np.array([0.0, 0.5, 1.0])).round(4).tolist()
    [0.6931, 0.2158, 0.0]
    """
    rest = scipy.special.xlog1py(1 + probability, probability)
    found = np.log(2) + (scipy.special.xlogy(probability, probability) - rest) / 2
    return np.asarray(np.clip(found, 0, np.log(2)))  # roundings


def _estimate(own: Side, human: Side) -> Estimate:
    return token_mean(token_divergences(probabilities_of(own).probability), own, human)


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
