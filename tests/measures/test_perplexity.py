"""Generation perplexity: every token counts the same, and the interval is that of a ratio."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import deal_texts, jackknife_influences
from mauve.measures.perplexity import PERPLEXITY, corpus_perplexity, text_perplexities
from mauve.measures.protocol import MeasuredSample


def make_sample(logs, name="model", n_groups=50):
    keys = np.random.default_rng(1).permutation(len(logs)).astype(np.uint64)
    return MeasuredSample(name, deal_texts(keys, n_groups), log_probabilities=logs)


def log_probabilities(n, seed=0):
    rng = np.random.default_rng(seed)
    return [-rng.gamma(2.0, 1 + rng.random(), size=rng.integers(1, 60)) for _ in range(n)]


def estimate(logs, **options):
    sample = make_sample(logs, **options)
    return PERPLEXITY.estimate(sample, sample)


def test_from_the_definition():
    logs = log_probabilities(100)
    total = sum(float(x) for text in logs for x in text)
    expected = np.exp(-total / sum(len(text) for text in logs))
    assert estimate(logs).value == pytest.approx(expected, rel=1e-12)
    assert corpus_perplexity(logs) == pytest.approx(expected, rel=1e-12)


@given(st.integers(1, 10_000))
def test_of_a_uniform_model_is_the_size_of_its_vocabulary(size):
    logs = [np.full(n, -np.log(size)) for n in range(12)]
    assert estimate(logs).value == pytest.approx(size, rel=1e-9)
    assert estimate(logs).standard_error == pytest.approx(0, abs=1e-9 * size)


def test_long_texts_count_more():
    long, short = np.full(30, -1.0), np.full(10, -3.0)
    assert corpus_perplexity([long, short]) == pytest.approx(np.exp(1.5))
    assert text_perplexities([long, short]) == pytest.approx(np.exp([1.0, 3.0]))


def test_order_of_texts_does_not_matter():
    logs = log_probabilities(30)
    assert corpus_perplexity(logs[::-1]) == pytest.approx(corpus_perplexity(logs), rel=1e-12)


def test_surprise_raises_it():
    logs = log_probabilities(30)
    assert corpus_perplexity([*logs[1:], logs[0] - 1]) > corpus_perplexity(logs)


def test_interval_is_near_that_of_the_jackknife():
    logs = log_probabilities(400)
    sample = make_sample(logs)
    labels = sample.groups.labels
    without = [
        corpus_perplexity([text for text, g in zip(logs, labels, strict=True) if g != group])
        for group in range(50)
    ]
    expected = float(np.sqrt((jackknife_influences(np.array(without)) ** 2).sum()))
    assert PERPLEXITY.estimate(sample, sample).standard_error == pytest.approx(expected, rel=0.05)


def test_texts_without_tokens_count_nothing():
    logs = log_probabilities(30)
    assert estimate([*logs, np.empty(0)]).value == pytest.approx(estimate(logs).value, rel=1e-12)


def test_errors():
    with pytest.raises(InvalidParameterError, match=r"texts of 'model' .* Got none instead"):
        estimate([np.empty(0)] * 12)
    with pytest.raises(InvalidParameterError, match=r"'model' .* Got one that is not finite"):
        estimate([*log_probabilities(12), np.array([-np.inf])])
    with pytest.raises(InvalidParameterError, match="Got none in the text at position 1"):
        text_perplexities([np.zeros(1), np.empty(0)])
