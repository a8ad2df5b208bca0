import numpy as np
import pytest
import scipy

from mauve.measures.discriminator import DISCRIMINATOR, discriminator_accuracy
from mauve.measures.estimate import Groups
from mauve.measures.protocol import MeasuredSample


def make_sample(features, n_groups=50, seed=0, by_prompt=False):
    groups = Groups(np.arange(len(features)) % n_groups, n_groups, by_prompt=by_prompt)
    return MeasuredSample("model", groups, features=features, seed=seed)


def gaussians(n, m, shift, seed=0, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)) + shift * np.eye(1, d), rng.normal(size=(n, d))


def accuracy(system, human, **options):
    return discriminator_accuracy(make_sample(system, **options), make_sample(human, **options))


def test_the_same_texts_are_not_distinguishable():
    human = gaussians(200, 200, 0)[1]
    assert accuracy(human, human).value == pytest.approx(0.5, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("shift", [1.0, 2.0, 4.0])
def test_accuracy_of_gaussians_is_known(shift):
    # The best accuracy for N(0, 1) and N(s, 1) is the normal distribution function at s/2. With
    # 1,000 test texts the standard error is at most 0.016; at four of them false alarms are
    # below 1 in 10,000.
    estimate = accuracy(*gaussians(2000, 2000, shift))
    assert estimate.value == pytest.approx(scipy.stats.norm.cdf(shift / 2), abs=0.064)


@pytest.mark.slow
def test_accuracy_rises_with_the_difference():
    values = [accuracy(*gaussians(400, 400, shift)).value for shift in (0, 1, 2, 8)]
    assert values == sorted(values)
    assert values[-1] == 1


def test_chance_is_one_half_whatever_the_sizes():
    # 250 and 25 test texts: the standard error is 0.053, the bound four of them.
    estimate = accuracy(*gaussians(1000, 100, 0))
    assert estimate.value == pytest.approx(0.5, abs=0.21)
    assert estimate.standard_error == pytest.approx(0.053, rel=0.4)


@pytest.mark.slow
def test_order_of_texts_has_no_effect_and_the_seed_has():
    system, human = gaussians(200, 200, 1, d=5)
    shuffled = np.random.default_rng(1).permutation(200)
    first = accuracy(system, human)
    assert accuracy(system[shuffled], human).value == first.value
    assert accuracy(system, human).value == first.value
    assert len({accuracy(system, human, seed=seed).value for seed in range(5)}) > 1


def test_nearly_symmetric():
    system, human = gaussians(200, 200, 1)
    assert accuracy(system, human).value == pytest.approx(accuracy(human, system).value, abs=1e-9)


@pytest.mark.slow
def test_prompts_do_not_cross_the_split():
    # Features name the prompt and, for it alone, who wrote the text: a classifier that has seen
    # other answers to a prompt is right throughout, and one that has not flips coins. Of the
    # 2 * 5 prompts of the test, all are right with a probability of 1 in 1,000.
    rng = np.random.default_rng(0)
    topics = rng.normal(size=(2, 20, 40))
    system, human = (np.tile(part, (10, 1)) + 0.01 * rng.normal(size=(200, 40)) for part in topics)
    assert accuracy(system, human, n_groups=20).value > 0.99
    assert accuracy(system, human, n_groups=20, by_prompt=True).value < 0.95


def test_influences_are_those_of_test_texts():
    estimate = accuracy(*gaussians(400, 400, 1), by_prompt=True)
    # A quarter of the 50 groups, and 13 where 50 is no multiple of 4.
    assert np.count_nonzero(estimate.influences) <= 13
    assert estimate.by_prompt
    expected = np.sqrt(estimate.value * (1 - estimate.value) / 208)
    assert estimate.standard_error == pytest.approx(expected, rel=0.6)


def test_standard_error_is_that_of_new_test_texts():
    # Given a classifier, right answers are coin flips: 2 * 500 of them.
    estimate = accuracy(*gaussians(2000, 2000, 1))
    expected = np.sqrt(estimate.value * (1 - estimate.value) / 1000)
    # The relative error of a standard error from 100 groups is 0.07.
    assert estimate.standard_error == pytest.approx(expected, rel=0.3)


def test_declared():
    assert DISCRIMINATOR.direction == "lower"
    assert DISCRIMINATOR.is_share
    assert DISCRIMINATOR.extra == "classifier"
