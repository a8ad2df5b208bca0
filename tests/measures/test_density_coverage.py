import numpy as np
import pytest
import scipy
from measured_samples import make_sample, modes, two_samples

from mauve.measures.density_coverage import COVERAGE, DENSITY, estimate_coverage, estimate_density
from mauve.measures.estimate import Groups, jackknife_influences
from mauve.measures.precision_recall import PRECISION
from mauve.measures.protocol import MeasuredSample


def both(system, human):
    samples = make_sample(system), make_sample(human, "human")
    return DENSITY.estimate(*samples), COVERAGE.estimate(*samples)


def test_equals_prdc():
    # compute_prdc(human, model, k) of prdc 0.2 on the same arrays.
    human, model = two_samples()
    assert both(model, human)[0].value == pytest.approx(0.85)
    assert both(model, human)[1].value == pytest.approx(0.9)
    samples = make_sample(model), make_sample(human)
    assert estimate_density(*samples, k=3).value == pytest.approx(0.7722222222222223)
    assert estimate_coverage(*samples, k=3).value == pytest.approx(0.775)


def test_identity():
    # Every text is in its own ball and, as k-th neighbour or nearer, in k others on average.
    human, _ = two_samples()
    estimates = both(human, human)
    assert [e.value for e in estimates] == [pytest.approx(6 / 5), 1]


def test_order_of_texts_has_no_effect():
    human, model = two_samples()
    shuffled = np.random.default_rng(1).permutation(len(human))
    assert [e.value for e in both(model, human)] == [e.value for e in both(model, human[shuffled])]


def test_means_for_one_source_are_known():
    # Density 1, coverage 1 - C(n-1, k) / C(n+m-1, k). 60 pairs: the bounds are four standard
    # errors of the mean, so false alarms are below 1 in 10,000. Guards edges and off-by-ones.
    rng = np.random.default_rng(0)
    pairs = [both(rng.normal(size=(60, 4)), rng.normal(size=(100, 4))) for _ in range(60)]
    expected = 1, 1 - scipy.special.comb(99, 5) / scipy.special.comb(159, 5)
    for estimates, mean in zip(zip(*pairs, strict=True), expected, strict=True):
        values = [e.value for e in estimates]
        assert np.mean(values) == pytest.approx(mean, abs=4 * np.std(values) / np.sqrt(60))


def test_a_dropped_mode_lowers_coverage_alone():
    estimates = both(modes([0, 1, 2], 100, 0), modes([0, 1, 2, 3], 100, 1))
    assert estimates[0].value == pytest.approx(1, abs=0.15)
    assert estimates[1].value == pytest.approx(0.75, abs=0.05)


def test_an_invented_mode_lowers_density():
    estimates = both(modes([0, 1, 2, 3], 100, 0), modes([0, 1, 2], 100, 1))
    assert estimates[0].value == pytest.approx(0.75, abs=0.15)
    assert estimates[1].value > 0.9


def test_one_human_outlier_hardly_affects_density_and_coverage():
    rng = np.random.default_rng(0)
    human = np.concatenate([rng.normal(size=(200, 2)), [[60, 0]]])
    model = rng.normal(size=(200, 2)) + np.array([30, 0])
    estimates = both(model, human)
    assert PRECISION.estimate(make_sample(model), make_sample(human)).value > 0.9
    assert estimates[0].value <= 0.2  # one ball of the five expected
    assert estimates[1].value == pytest.approx(1 / 201)


def test_texts_in_the_middle_of_human_text_have_density_above_one():
    rng = np.random.default_rng(0)
    estimates = both(0.3 * rng.normal(size=(200, 4)), rng.normal(size=(200, 4)))
    assert estimates[0].value > 1.2
    assert estimates[1].value < 0.95


def test_influences_of_coverage_by_linear_parts():
    # Samples so far apart in two halves that no ball changes: the share changes only with the
    # human texts of the group itself.
    features = np.concatenate([np.zeros((20, 1)), np.full((20, 1), 1e3)])
    human = features + np.tile(np.arange(20.0), 2)[:, None] * 1e-3
    model = human[:20]
    groups = Groups(np.arange(40) % 10, 10)
    system = MeasuredSample("model", Groups(np.arange(20) % 10, 10), features=model)
    estimate = estimate_coverage(system, MeasuredSample("human", groups, features=human))
    covered = np.arange(40) < 20
    without = np.array([covered[groups.labels != g].mean() for g in range(10)])
    assert estimate.value == 0.5
    np.testing.assert_allclose(estimate.human_influences, jackknife_influences(without), atol=1e-12)


def test_standard_error_is_that_of_repetition():
    # As in test_precision_recall: ratios are 1.0 to 1.2 in long runs, false alarms below 1%.
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
    assert DENSITY.direction == COVERAGE.direction == "higher"
    assert DENSITY.high == np.inf
    assert not DENSITY.is_share
    assert COVERAGE.is_share
