"""Perplexity of human text under the model itself, with its decoding algorithm."""

import numpy as np

from mauve.measures.estimate import Estimate
from mauve.measures.human_tokens import perplexity_of, probabilities_of, token_mean
from mauve.measures.protocol import Measure, Side


def model_perplexity(own: Side, human: Side) -> Estimate:
    r"""Return the perplexity of human text under the model behind a sample.

    It is infinite, with no uncertainty, as soon as one human token has probability 0: a
    decoder that cuts off the tail could never have written that text. That is true, and says
    little, which is why there are ε-perplexity and the sparsemax score.

    Notes
    -----
    :math:`\exp\big(-\frac1n \sum_t \log \hat P(x_t | x_{1:t-1})\big)` over the n tokens of all
    human texts (table 1 of the paper, "test-set perplexity").

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> from mauve.measures.protocol import TokenProbabilities
    >>> human = Side("human", Groups(np.arange(2), 2))
    >>> seen = TokenProbabilities(np.array([0.5, 0.0]), np.ones(2), np.array([0, 1, 2]), 9)
    >>> model_perplexity(Side("greedy", human.groups, model=seen), human).value
    inf
    """
    probability = probabilities_of(own).probability
    if (probability == 0).any():
        return Estimate(
            float("inf"), np.zeros(human.groups.count), by_prompt=human.groups.by_prompt
        )
    return perplexity_of(token_mean(np.log(probability), own, human))


MODEL_PERPLEXITY = Measure(
    name="model-perplexity",
    title="PPL",
    summary="perplexity of human text under the model and its decoder",
    direction="lower",
    needs=frozenset({"model"}),
    estimate=model_perplexity,
    is_statistic=False,
    low=1.0,
)
