"""Compute token entropy: how many different tokens a text has, the mean over texts in nats."""

import numpy as np

from mauve.arrays import FloatArray
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.ngrams import find_ngrams
from mauve.measures.protocol import RARE_TEXTS, Measure, MeasuredSample, TokenTable, needed


def token_entropies(table: TokenTable) -> FloatArray:
    r"""Return the entropy of the tokens of each text, in nats.

    Parameters
    ----------
    table : TokenTable

    Returns
    -------
    array of float, shape (n_texts,)
        0 for a text without tokens.

    Notes
    -----
    With :math:`c_v` the count of token v in a text of L tokens,

    .. math:: H = -\sum_v \frac{c_v}{L} \log \frac{c_v}{L} = \log L - \frac1L \sum_v c_v \log c_v

    It cannot exceed :math:`\log L`, so that texts of equal length are compared. Papers on
    diffusion language models print its mean beside generation perplexity, since text that
    repeats itself lowers both. :func:`mauve.measures.entropy.entropy_measure` is another
    quantity: the entropy of all texts pooled, in bits.

    References
    ----------
    Zheng, Chen, Mao, Liu, Zhu and Zhang, *Masked diffusion models are secretly time-agnostic
    masked models and exploit inaccurate categorical sampling*, ICLR 2025. Wang, Schiff, Sahoo
    and Kuleshov, *Remasking discrete diffusion models with inference-time scaling*, 2025.

    Examples
    --------
    >>> token_entropies(TokenTable.of([[0, 1], [2, 2, 2], []], 3)).round(4).tolist()
    [0.6931, 0.0, 0.0]
    """
    counts = find_ngrams(table, 1).counts()
    weighted = counts.counts * np.log(counts.counts)
    sums = np.bincount(counts.units, weighted, len(table))
    lengths = np.maximum(table.lengths, 1)
    return np.maximum(0.0, np.log(lengths) - sums / lengths)


def _estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
    entropies = token_entropies(needed(sample.tokens, "tokens"))
    return ratio(entropies, np.ones(len(entropies)), sample.groups)


TOKEN_ENTROPY = Measure(
    name="token-entropy",
    title="Token entropy",
    summary="entropy of the tokens of a text, nats, mean over texts",
    direction="human",
    needs=frozenset({"tokens"}),
    estimate=_estimate,
    is_statistic=True,
    low=0.0,
    narrow_below=RARE_TEXTS,
)
