"""Compute ε-perplexity: perplexity of human text under a decoder, smoothed to be finite."""

import numpy as np

from mauve.arrays import FloatArray
from mauve.errors import check_real
from mauve.measures.estimate import Estimate, perplexity_of, token_mean
from mauve.measures.protocol import Measure, MeasuredSample, human_token_probabilities

#: The only power of ten that reproduces the table of the paper.
EPSILON = 1e-5


def smoothed_log_probabilities(
    probability: FloatArray, epsilon: float, vocabulary_size: int
) -> FloatArray:
    r"""Return the logarithm of each token's probability after Laplace smoothing.

    Parameters
    ----------
    probability : array of shape (n_tokens,)
        Probability of each human token y under the decoder's distribution p.
    epsilon : float
        Added to the probability of every token of the vocabulary.
    vocabulary_size : int

    Notes
    -----
    :math:`\log \frac{p_y + \epsilon}{1 + \epsilon |V|}`. The ε-perplexity is exp of minus its
    mean over tokens. As ε goes to 0 it becomes plain perplexity.

    The choice of ε fixes the cost of a token that the decoder cannot produce, and so affects
    the order of decoders. Martins et al. fit it to each system (their `eps_ppl.py` maximises
    the likelihood). The authors of MAUVE compute it for powers of ten from 1e-1 to 1e-7, and
    their tables show 1e-5: greedy decoding predicts a share a of tokens, its sparsemax score,
    so its ε-perplexity is :math:`\frac{1 + \epsilon |V|}
    {(1 + \epsilon)^a \epsilon^{1 - a}}`. For GPT-2 xl the paper has a = 0.496 and 497.7; this
    is 497.5 for 1e-5, 625 for 1e-4 and 1110 for 1e-6.

    References
    ----------
    Martins, Marinho and Martins, *Sparse text generation*, EMNLP 2020.

    Examples
    --------
    >>> smoothed_log_probabilities(np.array([0.0, 1.0]), 1.0, 2).round(4).tolist()
    [-1.0986, -0.4055]
    """
    logs = np.log(probability + epsilon) - np.log1p(epsilon * vocabulary_size)
    return np.asarray(logs, dtype=np.float64)


def epsilon_perplexity_measure(epsilon: float = EPSILON) -> Measure:
    """Return the measure for an ε above 0.

    Examples
    --------
    >>> epsilon_perplexity_measure(1e-3).name
    'epsilon-perplexity-0.001'
    """
    check_real("epsilon", epsilon, above=0)

    def estimate(system: MeasuredSample, human: MeasuredSample) -> Estimate:
        model = human_token_probabilities(system)
        logs = smoothed_log_probabilities(model.probability, epsilon, model.vocabulary_size)
        return perplexity_of(token_mean(logs, model.starts, human.groups))

    is_default = epsilon == EPSILON
    return Measure(
        name="epsilon-perplexity" + ("" if is_default else f"-{epsilon:g}"),
        title="ε-PPL" if is_default else f"ε-PPL {epsilon:g}",
        summary="perplexity of human text with ε added to every probability",
        direction="lower",
        needs=frozenset({"model"}),
        estimate=estimate,
        is_statistic=False,
        low=1.0,
    )


EPSILON_PERPLEXITY = epsilon_perplexity_measure()
