"""Whole distributions over a small vocabulary, and human tokens: a helper for tests."""

import numpy as np

from mauve.measures.estimate import Groups
from mauve.measures.protocol import MeasuredSample, TokenProbabilities


def sample(n_texts=30, size=7, spread=2.0, zeros=False, seed=0):
    """Return distributions, shape (n, size), the tokens that came, and the texts they are in."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 9, size=n_texts)
    p = np.exp(rng.normal(scale=spread, size=(lengths.sum(), size)))
    if zeros:
        p[p < np.median(p, axis=1, keepdims=True)] = 0
    p /= p.sum(axis=1, keepdims=True)
    return p, rng.integers(size, size=len(p)), lengths


def sides(p, tokens, lengths, name="nucleus"):
    """Return the side of a system and of human texts, one group for each of these."""
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    seen = TokenProbabilities(p[np.arange(len(p)), tokens], (p**2).sum(axis=1), starts, p.shape[1])
    groups = Groups(np.arange(len(lengths)), len(lengths))
    # The system may have another number of texts, or none at all.
    other = Groups(np.arange(3), 3)
    return MeasuredSample(name, other, model=seen), MeasuredSample("human", groups)


def jackknife(function, p, tokens, lengths):
    """Return the standard error of a function of distributions and tokens, text by text."""
    texts = np.repeat(np.arange(len(lengths)), lengths)
    values = np.array(
        [function(p[texts != text], tokens[texts != text]) for text in range(len(lengths))]
    )
    n = len(values)
    return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()))
