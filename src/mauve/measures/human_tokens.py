"""Means over the human tokens that a model under test was shown."""

import numpy as np

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.protocol import Side, TokenProbabilities


def probabilities_of(own: Side) -> TokenProbabilities:
    """Return what the model behind a sample makes of human tokens, of which there are some."""
    assert own.model is not None
    if not len(own.model.probability):
        raise InvalidParameterError(
            f"The model of {own.name!r} must be shown at least one human token with something "
            "before it. Got none instead: give longer human texts, or their prompts."
        )
    return own.model


def token_mean(values: FloatArray, own: Side, human: Side) -> Estimate:
    """Return a mean over human tokens, with the moves of the human texts.

    Parameters
    ----------
    values : array of shape (n_tokens,)
        Of each token of ``own.model``.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> human = Side("human", Groups(np.arange(2), 2))
    >>> seen = TokenProbabilities(np.ones(3), np.ones(3), np.array([0, 1, 3]), 9)
    >>> token_mean(np.array([1.0, 2.0, 3.0]), Side("greedy", human.groups, model=seen), human).value
    2.0
    """
    starts = probabilities_of(own).starts
    lengths = np.diff(starts)
    texts = np.repeat(np.arange(len(lengths)), lengths)
    sums = np.bincount(texts, weights=values, minlength=len(lengths)).astype(np.float64)
    return ratio(sums, lengths.astype(np.float64), human.groups)


def perplexity_of(mean: Estimate) -> Estimate:
    """Return the perplexity of a mean log-probability, by the delta method.

    Examples
    --------
    >>> perplexity_of(Estimate(0.0, np.array([0.5, -0.5]))).moves.tolist()
    [-0.5, 0.5]
    """
    value = float(np.exp(-mean.value))
    return Estimate(value, -value * mean.moves, by_prompt=mean.by_prompt)
