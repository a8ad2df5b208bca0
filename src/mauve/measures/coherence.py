"""Compute coherence: how likely a language model finds a text after its prompt."""

from collections.abc import Sequence

import numpy as np

from mauve.arrays import FloatArray
from mauve.errors import UndefinedError
from mauve.escape import escaped
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.protocol import Measure, MeasuredSample, needed


def text_coherences(log_probabilities: Sequence[FloatArray]) -> FloatArray:
    r"""Return the mean log-probability of the tokens of each text, as an array of shape (n,).

    Parameters
    ----------
    log_probabilities : sequence of array of shape (n_tokens,)
        Of the tokens of each text, at least one, after its prompt.

    Notes
    -----
    With the prompt u of text x under the language model R,

    .. math:: \frac1{|x|} \sum_{t=1}^{|x|} \log R(x_t | u, x_{1:t-1})

    Repetition raises it as much as coherence does: compare it with that of the human texts
    after the same prompts. The paper uses OPT with 2.7 billion parameters.

    References
    ----------
    Su and Xu, *An empirical study on contrastive search and contrastive decoding for open-ended
    text generation*, 2022; Su and Collier, *Contrastive search is what you need for neural text
    generation*, TMLR 2023.

    Examples
    --------
    >>> text_coherences([np.array([-1.0, -2.0]), np.array([-4.0])]).tolist()
    [-1.5, -4.0]
    """
    return np.array([text.mean() for text in log_probabilities], dtype=np.float64)


def _estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
    logs = needed(sample.prompted_log_probabilities, "prompted_log_probabilities")
    unscored = sum(1 for text in logs if not len(text))
    if unscored:
        raise UndefinedError(
            f"The coherence of {escaped(sample.name)!r} must be that of texts with at least one "
            f"token each. Got {unscored} without any instead: leave them out."
        )
    coherences = text_coherences(logs)
    return ratio(coherences, np.ones(len(coherences)), sample.groups)


COHERENCE = Measure(
    name="coherence",
    title="Coherence",
    summary="mean log-probability of the tokens of a text after its prompt, mean over texts",
    direction="human",
    needs=frozenset({"prompted_log_probabilities"}),
    estimate=_estimate,
    is_statistic=True,
    high=0.0,
)
