import numpy as np
import pytest

from mauve.measures.estimate import Groups
from mauve.measures.frontier_classifier import MAUVE_CLASSIFIER, mauve_by_classifier
from mauve.measures.protocol import MeasuredSample


def make_sample(features, n_groups=20, by_prompt=False, seed=0):
    groups = Groups(np.arange(len(features)) % n_groups, n_groups, by_prompt=by_prompt)
    return MeasuredSample("model", groups, features=features, seed=seed)


def estimate(system, human, **options):
    return mauve_by_classifier(make_sample(system, **options), make_sample(human, **options))


def gaussians(n, m, shift, seed=0, d=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)) + shift * np.eye(1, d), rng.normal(size=(n, d))


def test_identity():
    human = gaussians(200, 200, 0, d=5)[1]
    assert estimate(human, human).value == pytest.approx(1, abs=1e-6)


def test_far_samples_have_nearly_the_least_score():
    assert estimate(*gaussians(200, 200, 50)).value == pytest.approx(1 / 252, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(2000, 2000), (3000, 1500)])
@pytest.mark.parametrize(("shift", "truth"), [(0.0, 1.0), (1.0, 0.6316), (2.0, 0.1049)])
def test_gaussians(n, m, shift, truth):
    # The truth is by quadrature (see test_density_ratio), and a linear classifier can know the
    # ratio. Four standard errors are 0.12 at a shift of 1, and 0.04 at one of 2: false alarms
    # are below 1 in 10,000.
    tolerance = {0.0: 0.01, 1.0: 0.12, 2.0: 0.04}[shift]
    assert estimate(*gaussians(n, m, shift)).value == pytest.approx(truth, abs=tolerance)


@pytest.mark.slow
def test_score_falls_with_the_difference():
    values = [estimate(*gaussians(300, 300, shift, d=3)).value for shift in (0, 0.7, 1.4, 3)]
    assert values == sorted(values, reverse=True)


def test_what_a_classifier_cannot_see_leaves_the_score_at_one():
    # Both samples have the same mean: a linear classifier finds nothing. This is a limit.
    rng = np.random.default_rng(0)
    result = estimate(2 * rng.normal(size=(500, 2)), rng.normal(size=(500, 2)))
    assert result.value > 0.95


def test_many_features_do_not_flatter_the_classifier():
    # As many features as texts: trained and tried on the same texts it would find everything.
    assert estimate(*gaussians(60, 60, 0, d=120)).value > 0.9


@pytest.mark.slow
def test_nearly_symmetric():
    system, human = gaussians(150, 200, 1, d=2)
    assert estimate(system, human).value == pytest.approx(estimate(human, system).value, abs=1e-3)


@pytest.mark.slow
def test_order_of_texts_has_no_effect_and_the_seed_little():
    system, human = gaussians(300, 300, 1, d=3)
    shuffled = np.random.default_rng(1).permutation(300)
    first = estimate(system, human)
    assert estimate(system[shuffled], human).value == pytest.approx(first.value, abs=1e-12)
    other = estimate(system, human, seed=1).value
    assert other != first.value
    assert other == pytest.approx(first.value, abs=first.standard_error)


@pytest.mark.slow
def test_prompts_are_held_out_whole():
    # Features name the prompt and, for it alone, who wrote the text.
    rng = np.random.default_rng(0)
    topics = rng.normal(size=(2, 20, 40))
    system, human = (np.tile(part, (10, 1)) + 0.01 * rng.normal(size=(200, 40)) for part in topics)
    assert estimate(system, human).value < 0.1
    assert estimate(system, human, by_prompt=True).value > 0.5


@pytest.mark.slow
def test_standard_error_is_that_of_repetition():
    # 40 pairs: the ratio is 0.93 in 200 pairs, its relative error 0.12; at three of them
    # false alarms are below 1%. Guards the influences and their scale.
    estimates = [estimate(*gaussians(150, 150, 1, seed)) for seed in range(40)]
    spread = np.std([e.value for e in estimates], ddof=1)
    mean = np.sqrt(np.mean([e.standard_error**2 for e in estimates]))
    assert 0.6 < mean / spread < 1.5


def test_declared():
    assert MAUVE_CLASSIFIER.name == "mauve-classifier"
    assert MAUVE_CLASSIFIER.direction == "higher"
    assert MAUVE_CLASSIFIER.extra == "classifier"
