import numpy as np
import pytest
from measured_samples import make_sample, modes, two_samples

from mauve.measures.precision_recall import PRECISION, RECALL, share_inside


def both(system, human):
    samples = make_sample(system), make_sample(human, "human")
    return PRECISION.estimate(*samples), RECALL.estimate(*samples)


def test_equals_prdc():
    # compute_prdc(human, model, k) of prdc 0.2 on the same arrays.
    human, model = two_samples()
    precision, recall = both(model, human)
    assert precision.value == pytest.approx(0.9333333333333333)
    assert recall.value == pytest.approx(0.9375)
    samples = make_sample(model), make_sample(human)
    assert share_inside(*samples, k=3)[0] == pytest.approx(0.8666666666666667)
    assert share_inside(*samples[::-1], k=3)[0] == pytest.approx(0.925)


def test_identity_and_swap():
    human, model = two_samples()
    assert [e.value for e in both(human, human)] == [1, 1]
    there, back = both(model, human), both(human, model)
    assert [e.value for e in there] == [e.value for e in back[::-1]]
    np.testing.assert_allclose(there[0].influences, back[1].human_influences)


def test_order_of_texts_has_no_effect():
    human, model = two_samples()
    shuffled = np.random.default_rng(1).permutation(len(model))
    assert [e.value for e in both(model, human)] == [e.value for e in both(model[shuffled], human)]


def test_far_samples_share_nothing():
    human, model = two_samples()
    assert [e.value for e in both(model + 100, human)] == [0, 0]


def test_a_dropped_mode_lowers_recall_alone():
    precision, recall = both(modes([0, 1, 2], 100, 0), modes([0, 1, 2, 3], 100, 1))
    assert precision.value > 0.9
    assert recall.value == pytest.approx(0.75, abs=0.05)


def test_an_invented_mode_lowers_precision_alone():
    precision, recall = both(modes([0, 1, 2, 3], 100, 0), modes([0, 1, 2], 100, 1))
    assert precision.value == pytest.approx(0.75, abs=0.05)
    assert recall.value > 0.9


def test_one_human_outlier_fools_precision():
    rng = np.random.default_rng(0)
    human = rng.normal(size=(200, 2))
    model = rng.normal(size=(200, 2)) + np.array([30, 0])
    assert both(model, human)[0].value == 0
    assert both(model, np.concatenate([human, [[60, 0]]]))[0].value > 0.9


def test_standard_error_is_that_of_repetition():
    # 100 pairs of samples. The ratio of the mean estimate to the actual spread is 1.0 to 1.2 in
    # long runs, and its own relative error 0.07: a bound at 0.75 or 1.5 is three errors away, so
    # false alarms are below 1%. Guards the jackknife's scale and its double count of chance.
    rng = np.random.default_rng(3)
    pairs = [
        both(rng.normal(size=(150, 5)) + np.eye(1, 5), rng.normal(size=(150, 5)))
        for _ in range(100)
    ]
    for estimates in zip(*pairs, strict=True):
        spread = np.std([e.value for e in estimates], ddof=1)
        mean = np.sqrt(np.mean([e.standard_error**2 for e in estimates]))
        assert 0.75 < mean / spread < 1.5


def test_declared():
    for measure in (PRECISION, RECALL):
        assert measure.direction == "higher"
        assert measure.is_share
        assert not measure.is_statistic
