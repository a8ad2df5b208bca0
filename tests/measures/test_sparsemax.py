"""Sparsemax score from whole distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured_samples import distributions, jackknife, model_samples
from numpy.testing import assert_allclose

from mauve.errors import InvalidParameterError
from mauve.measures.sparsemax import SPARSEMAX, sparsemax_scores


def by_hand(p, tokens):
    """One minus half the squared distance to the token's own distribution."""
    return 1 - ((p - np.eye(p.shape[1])[tokens]) ** 2).sum(axis=1) / 2


@pytest.mark.parametrize("zeros", [False, True])
def test_whole_distributions(zeros):
    p, tokens, lengths = distributions(zeros=zeros)
    estimate = SPARSEMAX.estimate(*model_samples(p, tokens, lengths))
    assert estimate.value == pytest.approx(by_hand(p, tokens).mean(), abs=1e-12)


@given(st.integers(1, 50), st.integers(0, 10**6), st.floats(0, 30))
def test_lies_between_nothing_and_one(size, seed, spread):
    p, tokens, _ = distributions(size=size, seed=seed, spread=spread)
    scores = sparsemax_scores(p[np.arange(len(p)), tokens], (p**2).sum(axis=1))
    assert (scores >= -1e-12).all()
    assert (scores <= 1 + 1e-12).all()
    assert_allclose(scores, by_hand(p, tokens), atol=1e-12)


def test_of_a_uniform_distribution():
    size = 8
    p, tokens = np.full((5, size), 1 / size), np.arange(5)
    expected = 1 / size + (1 - 1 / size) / 2
    assert SPARSEMAX.estimate(*model_samples(p, tokens, [2, 3])).value == pytest.approx(expected)


def test_of_a_sure_decoder_is_its_accuracy():
    p = np.eye(4)[[0, 1, 2, 3, 0]]
    estimate = SPARSEMAX.estimate(*model_samples(p, np.array([0, 1, 2, 0, 1]), [2, 3]))
    assert estimate.value == pytest.approx(3 / 5)


def test_is_greatest_for_the_true_distribution():
    """A proper score: no other distribution has a higher mean."""
    rng = np.random.default_rng(0)
    true = rng.dirichlet(np.ones(5))
    means = [true @ by_hand(np.tile(q, (5, 1)), np.arange(5)) for q in rng.dirichlet(true, 200)]
    assert true @ by_hand(np.tile(true, (5, 1)), np.arange(5)) > max(means)


def test_interval_is_that_of_the_human_texts():
    p, tokens, lengths = distributions(n_texts=200)
    system, human = model_samples(p, tokens, lengths)
    estimate = SPARSEMAX.estimate(system, human)
    expected = jackknife(lambda p, y: by_hand(p, y).mean(), p, tokens, lengths)
    assert len(estimate.influences) == human.groups.count
    assert estimate.standard_error == pytest.approx(expected, rel=0.02)


def test_declared_as_a_comparison_where_higher_is_better():
    assert (SPARSEMAX.direction, SPARSEMAX.is_statistic) == ("higher", False)
    assert (SPARSEMAX.low, SPARSEMAX.high) == (0, 1)


def test_no_token_at_all():
    p, tokens, _ = distributions()
    with pytest.raises(InvalidParameterError, match="The model of 'nucleus' must score"):
        SPARSEMAX.estimate(*model_samples(p[:0], tokens[:0], [0, 0]))
