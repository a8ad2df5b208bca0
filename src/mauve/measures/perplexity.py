"""Compute generation perplexity: the perplexity of texts under an external language model."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mauve.arrays import FloatArray
from mauve.calls import parameter
from mauve.errors import InvalidParameterError, UndefinedError
from mauve.measures.estimate import Estimate, perplexity_of, ratio
from mauve.measures.protocol import Measure, MeasuredSample, needed


def corpus_perplexity(log_probabilities: Sequence[FloatArray]) -> float:
    r"""Return the perplexity of several texts, with equal weight for every token.

    Parameters
    ----------
    log_probabilities : sequence of array of shape (n_tokens,)
        Natural logarithm of the probability of every token of each text.

    Notes
    -----
    .. math:: T(Q) = \exp\Big(-\frac{1}{\sum_i n_i} \sum_i \sum_{t=1}^{n_i}
              \log R(x_{i,t} | x_{i,1:t-1})\Big)

    Neither low nor high values are good in themselves: repetitive text has a lower perplexity
    than human text. Compare the value with that of human text.

    References
    ----------
    Section 2 and appendix C.4 of the paper, where R is GPT-2 large. Fan, Lewis and Dauphin,
    *Hierarchical neural story generation*, ACL 2018; Holtzman, Buys, Du, Forbes and Choi, *The
    curious case of neural text degeneration*, ICLR 2020.

    Examples
    --------
    >>> round(corpus_perplexity([np.log([0.5, 0.25]), np.log([0.125])]), 6)
    4.0
    """
    return float(np.exp(-np.concatenate([*log_probabilities]).mean()))


def text_perplexities(log_probabilities: Sequence[FloatArray]) -> FloatArray:
    """Return the perplexity of each text, as an array of shape (n,).

    Examples
    --------
    >>> text_perplexities([np.log([0.5, 0.25]), np.log([0.125])]).round(6).tolist()
    [2.828427, 8.0]
    """
    empty = [i for i, text in enumerate(log_probabilities) if not len(text)]
    if empty:
        raise InvalidParameterError(
            f"{parameter('log_probabilities')} must have a token in each "
            f"text. Got none in the text at position {empty[0]} instead: leave it out."
        )
    return np.array([np.exp(-np.mean(text)) for text in log_probabilities], dtype=np.float64)


def _estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
    log_probabilities = needed(sample.log_probabilities, "log_probabilities")
    sums = np.array([text.sum() for text in log_probabilities], dtype=np.float64)
    lengths = np.array([len(text) for text in log_probabilities], dtype=np.float64)
    if not lengths.any() or not np.isfinite(sums).all():
        what = "one that is not finite" if lengths.any() else "none"
        raise UndefinedError(
            f"The texts of {sample.name!r} must have finite log-probabilities under the external "
            f"language model. Got {what} instead: give longer texts, or another model."
        )
    return perplexity_of(ratio(sums, lengths, sample.groups))


PERPLEXITY = Measure(
    name="perplexity",
    title="Gen. PPL",
    summary="perplexity of the texts under an external language model",
    direction="human",
    needs=frozenset({"log_probabilities"}),
    estimate=_estimate,
    is_statistic=True,
    low=1.0,
)


def _estimate_bare(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
    r"""Estimate the perplexity as the code of the MAUVE paper does.

    Notes
    -----
    Nothing stands before a text, so its first of n tokens is not scored, but counted:

    .. math:: \exp\Big(-\frac{1}{\sum_i n_i} \sum_i \sum_{t=2}^{n_i}
              \log R(x_{i,t} | x_{i,1:t-1})\Big)

    It is lower than that of all tokens, the more so the shorter the texts are.
    """
    logs = needed(sample.bare_log_probabilities, "bare_log_probabilities")
    texts = needed(sample.texts, "texts")
    sums = np.array([text.sum() for text in logs], dtype=np.float64)
    pairs = zip(logs, texts, strict=True)
    lengths = np.array([len(scored) + bool(text) for scored, text in pairs], dtype=np.float64)
    if not lengths.any() or not np.isfinite(sums).all():
        what = "one that is not finite" if lengths.any() else "none"
        raise UndefinedError(
            f"The texts of {sample.name!r} must have finite log-probabilities under the external "
            f"language model. Got {what} instead: give longer texts, or another model."
        )
    return perplexity_of(ratio(sums, lengths, sample.groups))


PERPLEXITY_AUTHORS = replace(
    PERPLEXITY,
    name="perplexity-authors",
    title="Gen. PPL (authors)",
    summary="the same without a token before the text, whose first token counts as certain",
    needs=frozenset({"texts", "bare_log_probabilities"}),
    estimate=_estimate_bare,
)
