"""Compute the perplexity of human text under the model behind a system and its decoder."""

import numpy as np

from mauve.measures.estimate import Estimate, perplexity_of, token_mean
from mauve.measures.protocol import Measure, MeasuredSample, human_token_probabilities


def estimate_model_perplexity(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    r"""Return the perplexity of human text under the model behind a system.

    It is infinite, with no uncertainty, if any human token has probability 0: a decoder that
    truncates the tail cannot produce that text. ε-perplexity and the sparsemax score remain
    finite and can compare such decoders.

    Notes
    -----
    :math:`\exp\big(-\frac1n \sum_t \log \hat P(x_t | x_{1:t-1})\big)` over the n tokens of all
    human texts (table 1 of the paper, "test-set perplexity").

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> from mauve.lm.probabilities import TokenProbabilities
    >>> model = TokenProbabilities(np.array([0.5, 0.0]), np.ones(2), np.array([0, 1, 2]), 9)
    >>> human = MeasuredSample("human", Groups(np.arange(2), 2))
    >>> greedy = MeasuredSample("greedy", human.groups, model=model)
    >>> estimate_model_perplexity(greedy, human).value
    inf
    """
    model, groups = human_token_probabilities(system), human.groups
    if (model.probability == 0).any():
        return Estimate(float("inf"), np.zeros(groups.count), by_prompt=groups.by_prompt)
    return perplexity_of(token_mean(np.log(model.probability), model.starts, groups))


MODEL_PERPLEXITY = Measure(
    name="model-perplexity",
    title="PPL",
    summary="perplexity of human text under the model and its decoder",
    direction="lower",
    needs=frozenset({"model"}),
    estimate=estimate_model_perplexity,
    is_statistic=False,
    low=1.0,
)
