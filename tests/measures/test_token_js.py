"""Jensen–Shannon divergence from whole distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured_samples import distributions, jackknife, model_samples
from numpy.testing import assert_allclose

from mauve.measures.token_js import TOKEN_JS, token_divergences


def kl(p, q):
    terms = np.zeros_like(p)
    terms[p > 0] = p[p > 0] * np.log(p[p > 0] / q[p > 0])
    return terms.sum(axis=1)


def by_hand(p, tokens):
    sure = np.eye(p.shape[1])[tokens]
    middle = (p + sure) / 2
    return (kl(p, middle) + kl(sure, middle)) / 2


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("spread", [0, 1, 10])
def test_whole_distributions(zeros, spread):
    p, tokens, lengths = distributions(zeros=zeros, spread=spread)
    estimate = TOKEN_JS.estimate(*model_samples(p, tokens, lengths))
    assert estimate.value == pytest.approx(by_hand(p, tokens).mean(), abs=1e-12)
    chances = p[np.arange(len(p)), tokens]
    assert_allclose(token_divergences(chances), by_hand(p, tokens), atol=1e-12)


def test_greedy_decoding_in_the_paper():
    """Of a sure decoder JS is (1 - accuracy) log 2, and the sparsemax score is the accuracy.

    The paper's table of language-model measures (appendix) has both for greedy decoding by
    GPT-2 small, medium, large and xl: 0.431 and 0.394, 0.465 and 0.371, 0.483 and 0.359,
    0.496 and 0.349. So its JS is in nats, and this one.
    """
    for accuracy, js in [(0.431, 0.394), (0.465, 0.371), (0.483, 0.359), (0.496, 0.349)]:
        right = np.arange(1000) < 1000 * accuracy
        assert token_divergences(right.astype(float)).mean() == pytest.approx(js, abs=1e-3)


@given(st.lists(st.floats(0, 1), min_size=2))
def test_falls_from_log_2_to_0(chances):
    divergences = token_divergences(np.sort(np.array(chances)))
    assert (divergences >= 0).all()
    assert (divergences <= np.log(2)).all()
    assert (np.diff(divergences) <= 1e-12).all()
    assert_allclose(token_divergences(np.array([0.0, 1.0])), [np.log(2), 0], atol=1e-15)


def test_interval_is_that_of_the_human_texts():
    p, tokens, lengths = distributions(n_texts=200)
    estimate = TOKEN_JS.estimate(*model_samples(p, tokens, lengths))
    expected = jackknife(lambda p, y: by_hand(p, y).mean(), p, tokens, lengths)
    assert estimate.standard_error == pytest.approx(expected, rel=0.02)
    assert (TOKEN_JS.direction, TOKEN_JS.is_statistic) == ("lower", False)
