import sys

import numpy as np
import pytest

from mauve.errors import InvalidParameterError, MissingExtraError
from mauve.measures.classifier import STRENGTHS, cross_fit, labelled, train
from mauve.measures.estimate import Groups
from mauve.measures.protocol import MeasuredSample


def make_sample(features, labels=None, n_groups=20, seed=0):
    by_prompt = labels is not None
    groups = Groups(np.arange(len(features)) % n_groups if labels is None else labels, n_groups)
    if by_prompt:
        groups = Groups(groups.labels, n_groups, by_prompt=True)
    return MeasuredSample("model", groups, features=features, seed=seed)


def gaussians(n, m, shift, seed=0, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)) + shift * np.eye(1, d), rng.normal(size=(n, d))


def test_parts_have_equal_shares_of_both_samples():
    system, human = gaussians(40, 100, 1)
    texts = labelled(make_sample(system), make_sample(human))
    parts = texts.split(4)
    assert np.bincount(parts[texts.is_human]).tolist() == [10] * 4
    assert np.bincount(parts[~texts.is_human]).tolist() == [25] * 4


def test_prompts_are_not_torn_apart():
    system, human = gaussians(60, 60, 1)
    labels = np.arange(60) % 20
    texts = labelled(make_sample(system, labels), make_sample(human, labels))
    parts = texts.split(5)
    group = labels[texts.row]
    assert all(len(np.unique(parts[group == g])) == 1 for g in range(20))
    assert np.bincount(parts).tolist() == [24] * 5


def test_equal_texts_stay_together():
    system, human = gaussians(40, 40, 1)
    system[:20] = system[0]
    human[:20] = system[0]
    texts = labelled(make_sample(system), make_sample(human))
    copies = np.all(texts.features == system[0], axis=1)
    # They are half of either sample, so they fill at most three runs of a quarter.
    assert len(np.unique(texts.split(4)[copies])) <= 3


def test_order_of_texts_has_no_effect_and_the_seed_has():
    system, human = gaussians(50, 50, 1)
    shuffled = np.random.default_rng(1).permutation(50)
    first = labelled(make_sample(system), make_sample(human))
    second = labelled(make_sample(system[shuffled]), make_sample(human))
    assert np.array_equal(first.features, second.features)
    assert np.array_equal(first.split(4), second.split(4))
    other = labelled(make_sample(system, seed=1), make_sample(human))
    assert not np.array_equal(first.split(4), other.split(4))


def test_rows_lead_back_to_the_samples():
    system, human = gaussians(30, 20, 1)
    texts = labelled(make_sample(system), make_sample(human))
    assert np.array_equal(texts.features[texts.is_human], human[texts.row[texts.is_human]])
    assert np.array_equal(texts.features[~texts.is_human], system[texts.row[~texts.is_human]])


def test_log_odds_are_those_of_the_densities_whatever_the_sizes():
    # log p/q of N(0, 1) and N(1, 1) is 1/2 - x. Standard errors of the three numbers at 4,000
    # and 1,000 texts are below 0.05: four of them, so false alarms are below 1 in 5,000.
    system, human = gaussians(4000, 1000, 1.0, d=1)
    trained = train(labelled(make_sample(system), make_sample(human)), 10.0)
    at = trained.log_odds(np.array([[0.0], [0.5], [1.0]]))
    np.testing.assert_allclose(at, [0.5, 0.0, -0.5], atol=0.2)


def test_a_constant_feature_says_nothing():
    system, human = gaussians(40, 40, 2)
    with_constant = [np.hstack([part, np.full((40, 1), 7.7)]) for part in (system, human)]
    texts = labelled(*map(make_sample, with_constant))
    trained = train(texts, 1.0)
    assert np.all(np.isfinite(trained.log_odds(texts.features)))
    assert trained.weights[-1] == pytest.approx(0, abs=1e-6)


@pytest.mark.slow
def test_noise_calls_for_more_regularisation_than_a_clear_difference():
    noise = cross_fit(labelled(*map(make_sample, gaussians(60, 60, 0, d=20))))[1]
    clear = cross_fit(labelled(*map(make_sample, gaussians(60, 60, 6, d=20))))[1]
    assert noise < clear
    assert {noise, clear} <= {*STRENGTHS}


@pytest.mark.slow
def test_cross_fitted_odds_do_not_know_the_text_itself():
    # With as many features as texts a classifier knows all texts it was trained on, and none
    # of those held out: of 120 coin flips, 80 right have a probability below 1 in 3,000.
    texts = labelled(*map(make_sample, gaussians(60, 60, 0, d=120)))
    seen = train(texts, 10.0).log_odds(texts.features) > 0
    held_out = cross_fit(texts)[0] > 0
    assert np.all(seen == texts.is_human)
    assert (held_out == texts.is_human).sum() < 80


def test_too_few_prompts():
    system, human = gaussians(20, 20, 1)
    labels = np.arange(20) % 2
    texts = labelled(make_sample(system, labels, 2), make_sample(human, labels, 2))
    with pytest.raises(InvalidParameterError, match="too few prompts for 5 parts"):
        texts.split(5)


def test_features_that_are_all_equal_are_refused():
    with pytest.raises(InvalidParameterError, match="must differ between texts"):
        labelled(make_sample(np.ones((10, 2))), make_sample(np.ones((10, 2))))


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    texts = labelled(*map(make_sample, gaussians(20, 20, 1)))
    with pytest.raises(MissingExtraError, match=r'sklearn.*pip install "mauve-eval\[classifier\]"'):
        train(texts, 1.0)
