"""Samples and estimates that tests of several measures share."""

import numpy as np

from mauve.measures.estimate import Groups, deal_texts
from mauve.measures.protocol import MeasuredSample, TokenProbabilities


def make_sample(features, name="model", n_groups=50):
    """Return a sample of features, in random groups."""
    keys = np.random.default_rng(len(features)).permutation(len(features)).astype(np.uint64)
    return MeasuredSample(name, deal_texts(keys, n_groups), features=features)


def two_samples():
    """Return features of 80 human texts and of 60 texts of a system."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 3)), rng.normal(size=(60, 3)) * 1.2 + 0.4


def modes(centres, n, seed):
    """Return n points around each of several centres far apart."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(size=(n, 4)) + 20 * centre for centre in centres])


def distributions(n_texts=30, size=7, spread=2.0, zeros=False, seed=0):
    """Return distributions, shape (n, size), the human tokens, and the lengths of the texts."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 9, size=n_texts)
    p = np.exp(rng.normal(scale=spread, size=(lengths.sum(), size)))
    if zeros:
        p[p < np.median(p, axis=1, keepdims=True)] = 0
    p /= p.sum(axis=1, keepdims=True)
    return p, rng.integers(size, size=len(p)), lengths


def model_samples(p, tokens, lengths, name="nucleus"):
    """Return the samples of a system with its model and of human text, with a group a text."""
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    model = TokenProbabilities(p[np.arange(len(p)), tokens], (p**2).sum(axis=1), starts, p.shape[1])
    human = MeasuredSample("human", Groups(np.arange(len(lengths)), len(lengths)))
    # The system may have another number of texts, or none at all.
    return MeasuredSample(name, Groups(np.arange(3), 3), model=model), human


def jackknife(function, p, tokens, lengths):
    """Return the standard error of a function of distributions and tokens, text by text."""
    texts = np.repeat(np.arange(len(lengths)), lengths)
    values = np.array(
        [function(p[texts != text], tokens[texts != text]) for text in range(len(lengths))]
    )
    n = len(values)
    return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()))
