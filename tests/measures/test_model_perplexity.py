"""Perplexity of human text under the model from whole distributions."""

import sys
from pathlib import Path

import numpy as np
import pytest

from mauve.measures.model_perplexity import MODEL_PERPLEXITY

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package
from model_samples import jackknife, sample, sides


def by_hand(p, tokens):
    return float(np.exp(-np.log(p[np.arange(len(p)), tokens]).mean()))


def test_whole_distributions():
    p, tokens, lengths = sample()
    found = MODEL_PERPLEXITY.estimate(*sides(p, tokens, lengths))
    assert found.value == pytest.approx(by_hand(p, tokens), rel=1e-12)


def test_uniform_and_sure_distributions():
    tokens = np.arange(6)
    uniform = MODEL_PERPLEXITY.estimate(*sides(np.full((6, 8), 1 / 8), tokens, [3, 3]))
    assert uniform.value == pytest.approx(8)
    assert MODEL_PERPLEXITY.estimate(*sides(np.eye(8)[tokens], tokens, [3, 3])).value == 1


def test_one_token_that_cannot_be_makes_it_infinite():
    p, tokens, lengths = sample()
    p[3] = np.eye(7)[(tokens[3] + 1) % 7]
    own, human = sides(p, tokens, lengths)
    found = MODEL_PERPLEXITY.estimate(own, human)
    assert found.value == np.inf
    assert found.standard_error == 0
    assert len(found.influences) == human.groups.count
    assert found.interval(0.95, low=MODEL_PERPLEXITY.low) == (np.inf, np.inf)


def test_interval_is_that_of_the_human_texts():
    p, tokens, lengths = sample(n_texts=400, spread=1)
    found = MODEL_PERPLEXITY.estimate(*sides(p, tokens, lengths))
    assert found.standard_error == pytest.approx(jackknife(by_hand, p, tokens, lengths), rel=0.02)
    assert (MODEL_PERPLEXITY.direction, MODEL_PERPLEXITY.is_statistic) == ("lower", False)
