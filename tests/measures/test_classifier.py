import numpy as np
import pytest

from mauve.errors import InvalidParameterError, MissingExtraError
from mauve.measures import classifier
from mauve.measures.classifier import STRENGTHS, cross_fit, labelled, need_scikit_learn, train
from mauve.measures.estimate import Groups
from mauve.measures.protocol import MeasuredSample


def make_side(features, labels=None, n_groups=20, seed=0):
    by_prompt = labels is not None
    groups = Groups(np.arange(len(features)) % n_groups if labels is None else labels, n_groups)
    if by_prompt:
        groups = Groups(groups.labels, n_groups, by_prompt=True)
    return MeasuredSample("model", groups, features=features, seed=seed)


def gaussians(n, m, shift, seed=0, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)) + shift * np.eye(1, d), rng.normal(size=(n, d))


def test_parts_have_equal_shares_of_both_samples():
    own, human = gaussians(40, 100, 1)
    texts = labelled(make_side(own), make_side(human))
    parts = texts.deal(4)
    assert np.bincount(parts[texts.is_human]).tolist() == [10] * 4
    assert np.bincount(parts[~texts.is_human]).tolist() == [25] * 4


def test_prompts_are_not_torn_apart():
    own, human = gaussians(60, 60, 1)
    labels = np.arange(60) % 20
    texts = labelled(make_side(own, labels), make_side(human, labels))
    parts = texts.deal(5)
    group = labels[texts.row]
    assert all(len(np.unique(parts[group == g])) == 1 for g in range(20))
    assert np.bincount(parts).tolist() == [24] * 5


def test_equal_texts_stay_together():
    own, human = gaussians(40, 40, 1)
    own[:20] = own[0]
    human[:20] = own[0]
    texts = labelled(make_side(own), make_side(human))
    copies = np.all(texts.features == own[0], axis=1)
    # They are half of either sample, so they fill at most three runs of a quarter.
    assert len(np.unique(texts.deal(4)[copies])) <= 3


def test_order_of_texts_has_no_effect_and_the_seed_has():
    own, human = gaussians(50, 50, 1)
    shuffled = np.random.default_rng(1).permutation(50)
    one = labelled(make_side(own), make_side(human))
    two = labelled(make_side(own[shuffled]), make_side(human))
    assert np.array_equal(one.features, two.features)
    assert np.array_equal(one.deal(4), two.deal(4))
    other = labelled(make_side(own, seed=1), make_side(human))
    assert not np.array_equal(one.deal(4), other.deal(4))


def test_rows_lead_back_to_the_samples():
    own, human = gaussians(30, 20, 1)
    texts = labelled(make_side(own), make_side(human))
    assert np.array_equal(texts.features[texts.is_human], human[texts.row[texts.is_human]])
    assert np.array_equal(texts.features[~texts.is_human], own[texts.row[~texts.is_human]])


def test_log_odds_are_those_of_the_densities_whatever_the_sizes():
    # log p/q of N(0, 1) and N(1, 1) is 1/2 - x. Standard errors of the three numbers at 4,000
    # and 1,000 texts are below 0.05: four of them, so false alarms are below 1 in 5,000.
    own, human = gaussians(4000, 1000, 1.0, d=1)
    found = train(labelled(make_side(own), make_side(human)), 10.0)
    at = found.log_odds(np.array([[0.0], [0.5], [1.0]]))
    np.testing.assert_allclose(at, [0.5, 0.0, -0.5], atol=0.2)


def test_a_constant_feature_says_nothing():
    own, human = gaussians(40, 40, 2)
    with_constant = [np.hstack([part, np.full((40, 1), 7.7)]) for part in (own, human)]
    texts = labelled(*map(make_side, with_constant))
    found = train(texts, 1.0)
    assert np.all(np.isfinite(found.log_odds(texts.features)))
    assert found.weights[-1] == pytest.approx(0, abs=1e-6)


def test_noise_calls_for_more_regularisation_than_a_clear_difference():
    noise = cross_fit(labelled(*map(make_side, gaussians(60, 60, 0, d=20))))[1]
    clear = cross_fit(labelled(*map(make_side, gaussians(60, 60, 6, d=20))))[1]
    assert noise < clear
    assert {noise, clear} <= {*STRENGTHS}


def test_cross_fitted_odds_do_not_know_the_text_itself():
    # With as many features as texts a classifier knows all texts it was trained on, and none
    # of those held out: of 120 coin flips, 80 right have a probability below 1 in 3,000.
    texts = labelled(*map(make_side, gaussians(60, 60, 0, d=120)))
    seen = train(texts, 10.0).log_odds(texts.features) > 0
    held_out = cross_fit(texts)[0] > 0
    assert np.all(seen == texts.is_human)
    assert (held_out == texts.is_human).sum() < 80


def test_too_few_prompts():
    own, human = gaussians(20, 20, 1)
    labels = np.arange(20) % 2
    texts = labelled(make_side(own, labels, 2), make_side(human, labels, 2))
    with pytest.raises(InvalidParameterError, match="too few prompts for 5 parts"):
        texts.deal(5)


def test_features_that_are_all_equal_are_refused():
    with pytest.raises(InvalidParameterError, match="must differ between texts"):
        labelled(make_side(np.ones((10, 2))), make_side(np.ones((10, 2))))


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setattr(classifier, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'pip install "mauve-eval\[classifier\]"'):
        need_scikit_learn("discriminator")
