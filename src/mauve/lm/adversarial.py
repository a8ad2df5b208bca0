"""Adversarial perplexity sampling: random tokens first, then those that repair the perplexity."""

import math
from typing import Any

import numpy as np

from mauve.arrays import IntArray
from mauve.errors import InvalidParameterError
from mauve.lm.searches import Adversarial
from mauve.lm.truncation import with_functions


def check_target(decoding: Adversarial) -> float:
    """Return the perplexity to reach, or raise if none is given.

    Examples
    --------
    >>> check_target(Adversarial(perplexity=20))
    20
    """
    if decoding.perplexity is None:
        raise InvalidParameterError(
            "The decoder 'adversarial' must have a perplexity to write by itself: that of human "
            "text under the same model. Got none: use 'adversarial:perplexity=NUMBER'."
        )
    return decoding.perplexity


def n_random_tokens(decoding: Adversarial, max_tokens: int) -> int:
    """Return how many tokens are drawn uniformly before the others are chosen.

    Examples
    --------
    >>> n_random_tokens(Adversarial(), 20), n_random_tokens(Adversarial(), 21)
    (3, 4)
    """
    return math.ceil(round(decoding.share * max_tokens, 9))  # 0.15 * 20 is not quite 3


def random_tokens(n: int, possible: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw tokens uniformly from the possible ones.

    Examples
    --------
    >>> random_tokens(3, np.array([7]), np.random.default_rng(0)).tolist()
    [7, 7, 7]
    """
    return possible[(rng.random(n) * len(possible)).astype(np.int64)]


def closest(surprise: Any, total: Any, n: Any, perplexity: float) -> Any:
    r"""Return the token of each row that brings the running perplexity closest to a target.

    Parameters
    ----------
    surprise : array or tensor of float, shape (rows, vocabulary_size)
        :math:`-\log \hat P` of each token; infinite for those that must not be written.
    total, n : array or tensor, shape (rows, 1)
        Sum of the surprise of the tokens written so far, and their number.
    perplexity : float
        The target.

    Returns
    -------
    array or tensor of int, shape (rows,)
        The lowest id of those that are equally close.

    Notes
    -----
    :math:`\arg\min_v | \exp((S - \log \hat P(v)) / (n + 1)) - \text{target} |`

    Examples
    --------
    >>> surprise = -np.log([[0.5, 0.25, 0.25]])
    >>> closest(surprise, np.zeros((1, 1)), np.zeros((1, 1)), 4.2)
    array([1])
    """
    surprise, xp = with_functions(surprise)
    running = xp.exp((total + surprise) / (n + 1))
    return xp.argmin(abs(running - perplexity), axis=-1)
