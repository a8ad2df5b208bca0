"""ε-perplexity from whole distributions."""

import numpy as np
import pytest
from measured_samples import distributions, jackknife, model_samples

from mauve.errors import InvalidParameterError
from mauve.measures.epsilon_perplexity import (
    EPSILON,
    EPSILON_PERPLEXITY,
    epsilon_perplexity_measure,
)
from mauve.measures.model_perplexity import MODEL_PERPLEXITY


def by_hand(p, tokens, epsilon):
    smoothed = p + epsilon
    smoothed /= smoothed.sum(axis=1, keepdims=True)
    return float(np.exp(-np.log(smoothed[np.arange(len(p)), tokens]).mean()))


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("epsilon", [EPSILON, 1e-3, 0.5])
def test_whole_distributions(zeros, epsilon):
    p, tokens, lengths = distributions(zeros=zeros)
    estimate = epsilon_perplexity_measure(epsilon).estimate(*model_samples(p, tokens, lengths))
    assert estimate.value == pytest.approx(by_hand(p, tokens, epsilon), rel=1e-10)


def test_greedy_decoding_in_the_paper():
    """The paper prints the accuracy of greedy decoding as its sparsemax score.

    With 1e-5, which is nowhere said, and 50,257 tokens it gives the ε-perplexity beside it
    (appendix, GPT-2 small, medium, large and xl), as far as three digits of accuracy go:
    0.0005 more or less are 0.6 percent.
    """
    table = [(0.431, 1049.589), (0.465, 708.057), (0.483, 580.020), (0.496, 497.696)]
    for accuracy, published in table:
        size, n = 50_257, 1000
        right = np.arange(n) < n * accuracy
        logs = np.log(right + EPSILON) - np.log(1 + EPSILON * size)
        assert np.exp(-logs.mean()) == pytest.approx(published, rel=0.006)


def test_small_epsilon_is_plain_perplexity():
    samples = model_samples(*distributions())
    plain = MODEL_PERPLEXITY.estimate(*samples)
    estimate = epsilon_perplexity_measure(1e-13).estimate(*samples)
    assert estimate.value == pytest.approx(plain.value, rel=1e-8)
    assert estimate.standard_error == pytest.approx(plain.standard_error, rel=1e-6)


def test_large_epsilon_is_the_size_of_the_vocabulary():
    estimate = epsilon_perplexity_measure(1e9).estimate(*model_samples(*distributions(size=7)))
    assert estimate.value == pytest.approx(7, rel=1e-6)


def test_uniform_and_sure_distributions():
    uniform, tokens = np.full((6, 8), 1 / 8), np.arange(6)
    assert EPSILON_PERPLEXITY.estimate(
        *model_samples(uniform, tokens, [3, 3])
    ).value == pytest.approx(8)
    right = EPSILON_PERPLEXITY.estimate(*model_samples(np.eye(8)[tokens], tokens, [3, 3]))
    assert right.value == pytest.approx((1 + 8e-5) / (1 + 1e-5))
    wrong = EPSILON_PERPLEXITY.estimate(*model_samples(np.eye(8)[tokens], tokens + 1, [3, 3]))
    assert wrong.value == pytest.approx((1 + 8e-5) / 1e-5)


def test_interval_is_that_of_the_human_texts():
    p, tokens, lengths = distributions(n_texts=400, spread=1)
    estimate = EPSILON_PERPLEXITY.estimate(*model_samples(p, tokens, lengths))
    expected = jackknife(lambda p, y: by_hand(p, y, EPSILON), p, tokens, lengths)
    assert estimate.standard_error == pytest.approx(expected, rel=0.02)


def test_names_and_errors():
    assert EPSILON_PERPLEXITY.name == "epsilon-perplexity"
    assert epsilon_perplexity_measure(1e-6).name == "epsilon-perplexity-1e-06"
    assert (EPSILON_PERPLEXITY.direction, EPSILON_PERPLEXITY.is_statistic) == ("lower", False)
    for bad in (0, -1, float("nan"), "1e-5"):
        with pytest.raises(InvalidParameterError, match=r"'epsilon' .* a real number above 0"):
            epsilon_perplexity_measure(bad)
