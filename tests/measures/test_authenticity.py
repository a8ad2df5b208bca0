import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.measures.authenticity import AUTHENTICITY, is_authentic
from mauve.measures.estimate import Groups
from mauve.measures.protocol import MeasuredSample


def estimate(features, training):
    groups = Groups(np.random.default_rng(1).permutation(len(features)) % 10, 10)
    trained = MeasuredSample(
        "training", Groups(np.zeros(len(training), dtype=int), 1), features=training
    )
    sample = MeasuredSample("model", groups, features=features, training=trained)
    return AUTHENTICITY.estimate(sample, sample)


def test_the_definition_text_by_text():
    rng = np.random.default_rng(0)
    texts, training = rng.normal(size=(50, 3)), rng.normal(size=(600, 3))
    expected = []
    for text in texts:
        nearest = ((training - text) ** 2).sum(axis=1).argmin()
        others = ((np.delete(training, nearest, axis=0) - training[nearest]) ** 2).sum(axis=1)
        expected.append(((training[nearest] - text) ** 2).sum() >= others.min())
    assert is_authentic(texts, training).tolist() == expected


def test_copies_are_not_authentic_and_far_texts_are():
    training = np.random.default_rng(0).normal(size=(100, 20)).astype(np.float32)
    assert estimate(training[:40], training).value == 0
    assert estimate(training[:40] + 100, training).value == 1


def test_copies_of_what_stands_twice_in_the_training_set_are_copies():
    training = np.random.default_rng(0).normal(size=(50, 20))
    twice = np.concatenate([training, training])
    assert estimate(training, twice).value == 0
    texts = np.random.default_rng(1).normal(size=(50, 20))
    assert estimate(texts, twice).value == estimate(texts, training).value


def test_a_text_as_far_as_training_texts_are_apart_is_authentic():
    assert is_authentic(np.array([[-1.0]]), np.array([[0.0], [1.0]])).tolist() == [True]
    assert is_authentic(np.array([[-0.9]]), np.array([[0.0], [1.0]])).tolist() == [False]


def test_of_several_nearest_texts_each_counts_whatever_their_order():
    training = np.array([[-1.0], [-1.5], [1.0], [9.0]])  # the text 0 is between -1 and 1
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        assert is_authentic(np.zeros((1, 1)), training[order]).tolist() == [False]


def test_share_of_copies_and_its_error():
    rng = np.random.default_rng(0)
    training = rng.normal(size=(100, 5))
    result = estimate(np.concatenate([training[:30], rng.normal(size=(70, 5)) + 50]), training)
    assert result.value == 0.7
    assert result.standard_error == pytest.approx(np.sqrt(0.7 * 0.3 / 100), rel=0.5)
    assert result.human_influences is None


def test_training_texts_must_differ():
    with pytest.raises(InvalidParameterError, match="'model' must be at least two different"):
        estimate(np.eye(10), np.ones((5, 10)))


def test_declared():
    assert AUTHENTICITY.direction == "human"
    assert AUTHENTICITY.is_statistic
    assert AUTHENTICITY.is_share
    assert AUTHENTICITY.needs == {"features", "training"}
