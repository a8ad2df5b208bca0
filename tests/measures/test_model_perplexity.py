"""Perplexity of human text under the model from whole distributions."""

import numpy as np
import pytest
from measured_samples import distributions, jackknife, model_samples

from mauve.measures.model_perplexity import MODEL_PERPLEXITY


def by_hand(p, tokens):
    return float(np.exp(-np.log(p[np.arange(len(p)), tokens]).mean()))


def test_whole_distributions():
    p, tokens, lengths = distributions()
    estimate = MODEL_PERPLEXITY.estimate(*model_samples(p, tokens, lengths))
    assert estimate.value == pytest.approx(by_hand(p, tokens), rel=1e-12)


def test_uniform_and_sure_distributions():
    tokens = np.arange(6)
    uniform = MODEL_PERPLEXITY.estimate(*model_samples(np.full((6, 8), 1 / 8), tokens, [3, 3]))
    assert uniform.value == pytest.approx(8)
    assert MODEL_PERPLEXITY.estimate(*model_samples(np.eye(8)[tokens], tokens, [3, 3])).value == 1


def test_one_token_that_cannot_be_makes_it_infinite():
    p, tokens, lengths = distributions()
    p[3] = np.eye(7)[(tokens[3] + 1) % 7]
    system, human = model_samples(p, tokens, lengths)
    estimate = MODEL_PERPLEXITY.estimate(system, human)
    assert estimate.value == np.inf
    assert estimate.standard_error == 0
    assert len(estimate.influences) == human.groups.count
    assert estimate.interval(0.95, low=MODEL_PERPLEXITY.low) == (np.inf, np.inf)


def test_interval_is_that_of_the_human_texts():
    p, tokens, lengths = distributions(n_texts=400, spread=1)
    estimate = MODEL_PERPLEXITY.estimate(*model_samples(p, tokens, lengths))
    assert estimate.standard_error == pytest.approx(
        jackknife(by_hand, p, tokens, lengths), rel=0.02
    )
    assert (MODEL_PERPLEXITY.direction, MODEL_PERPLEXITY.is_statistic) == ("lower", False)
