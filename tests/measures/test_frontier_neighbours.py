import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups
from mauve.measures.frontier_neighbours import MAUVE_NEIGHBOURS, mauve_by_neighbours, neighbours_of
from mauve.measures.protocol import MeasuredSample


def make_sample(features, n_groups=20, by_prompt=False):
    groups = Groups(np.arange(len(features)) % n_groups, n_groups, by_prompt=by_prompt)
    return MeasuredSample("model", groups, features=features)


def estimate(system, human, **options):
    return mauve_by_neighbours(make_sample(system, **options), make_sample(human, **options))


def gaussians(n, m, shift, seed=0, d=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)) + shift * np.eye(1, d), rng.normal(size=(n, d))


def test_neighbours_are_those_of_the_definition():
    first, second = gaussians(300, 400, 0.5, d=3)
    neighbours, pooled = neighbours_of(first, second, 7), np.concatenate([first, second])
    distances = ((pooled[:, None] - pooled) ** 2).sum(axis=2)
    nearest = np.argsort(distances, axis=1)[:, 1:8]  # the first is the text itself
    assert np.array_equal(neighbours.nearest[:, :7], nearest)
    assert np.array_equal(neighbours.of_first, (nearest < len(first)).sum(axis=1))


def test_ties_count_in_part_whatever_the_order():
    first, second = np.array([[0.0], [2.0]]), np.array([[2.0], [-2.0]])
    neighbours = neighbours_of(first, second, 1)
    assert neighbours.of_first[0] == pytest.approx(1 / 3)  # of three texts at distance 2
    assert neighbours_of(first, second[::-1], 1).of_first[0] == neighbours.of_first[0]


def test_identity():
    human = gaussians(200, 200, 0, d=5)[1]
    result = estimate(human, human)
    assert result.value == pytest.approx(1, abs=1e-12)


def test_disjoint_samples_have_the_least_score():
    system, human = gaussians(100, 100, 1000)
    assert estimate(system, human).value == pytest.approx(1 / 252, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "truth"), [(0.0, 1.0), (1.0, 0.6316), (2.0, 0.1049)])
def test_gaussians(shift, truth):
    # The truth is by quadrature (see test_density_ratio). At 2,000 texts the noise of 63
    # neighbours takes up to 0.03 off, and the standard error is at most 0.025: with four of
    # them, false alarms are below 1 in 10,000.
    result = estimate(*gaussians(2000, 2000, shift))
    assert result.value == pytest.approx(truth, abs=0.13 if shift == 1 else 0.05)


def test_score_falls_with_the_difference():
    values = [estimate(*gaussians(300, 300, shift, d=3)).value for shift in (0, 0.5, 1, 2, 4)]
    assert values == sorted(values, reverse=True)


def test_wider_samples_in_many_dimensions_are_distinguished():
    # Human texts are nearest to everything: the plain mean of terms would be negative and the
    # score 1, as it was for greedy decoding.
    rng = np.random.default_rng(0)
    human, system = rng.normal(size=(300, 50)), 1.5 * rng.normal(size=(300, 50))
    assert estimate(system, human).value < 0.1
    assert estimate(human, system).value < 0.1


def test_sizes_of_the_samples_are_accounted_for():
    # Standard error 0.01 and a bias of as much.
    assert estimate(*gaussians(1500, 500, 0)).value == pytest.approx(1, abs=0.06)


def test_symmetric():
    system, human = gaussians(100, 150, 1, d=2)
    there, back = estimate(system, human), estimate(human, system)
    assert there.value == pytest.approx(back.value)
    np.testing.assert_allclose(there.influences, back.human_influences, atol=1e-9)


def test_order_of_texts_has_no_effect():
    system, human = np.round(gaussians(150, 150, 0.7, d=2), 1)  # with ties
    shuffled = np.random.default_rng(1).permutation(150)
    assert estimate(system[shuffled], human).value == pytest.approx(estimate(system, human).value)


def test_answers_to_the_same_prompt_are_not_neighbours():
    # Topics by prompt, the same for both; the model's texts are shifted on top.
    rng = np.random.default_rng(0)
    topics = np.tile(20 * rng.normal(size=(50, 4)), (4, 1))
    human, system = topics + rng.normal(size=(200, 4)), topics + rng.normal(size=(200, 4))
    groups = Groups(np.arange(200) % 50, 50, by_prompt=True)
    apart = np.concatenate([groups.labels, groups.labels])
    neighbours = neighbours_of(human, system, 20, apart)
    assert np.all(apart[neighbours.nearest] != apart[:, None])


def test_too_few_prompts():
    system, human = gaussians(50, 50, 1)
    with pytest.raises(InvalidParameterError, match=r"'mauve-nn'\. Got 0 instead"):
        estimate(system, human, n_groups=1, by_prompt=True)


@pytest.mark.slow
def test_standard_error_is_that_of_repetition():
    # 40 pairs: the ratio is 1.14 in 400 pairs, its relative error 0.12; at three of them false
    # alarms are below 1%. Guards the jackknife's neighbourhoods and scale.
    estimates = [estimate(*gaussians(100, 100, 1, seed, d=10)) for seed in range(40)]
    spread = np.std([e.value for e in estimates], ddof=1)
    mean = np.sqrt(np.mean([e.standard_error**2 for e in estimates]))
    assert 0.6 < mean / spread < 1.6


def test_declared():
    assert MAUVE_NEIGHBOURS.name == "mauve-nn"
    assert MAUVE_NEIGHBOURS.direction == "higher"
    assert (MAUVE_NEIGHBOURS.low, MAUVE_NEIGHBOURS.high) == (0, 1)
