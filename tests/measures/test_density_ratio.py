import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.frontier.curve import area
from mauve.frontier.divergences import mixture_divergences
from mauve.frontier.grid import curve_grid
from mauve.measures.density_ratio import Densities, log_ratios, score_of_curve, score_of_densities
from mauve.measures.estimate import Groups


def densities(sample, reference, n_groups=10):
    return Densities(sample, reference, Groups(np.arange(len(sample)) % n_groups, n_groups))


def test_means_of_log_ratios_are_the_divergences_of_histograms():
    p, q, grid = np.array([0.2, 0.8]), np.array([0.6, 0.4]), curve_grid()
    expected = mixture_divergences(p, q, grid)
    divergences = p @ log_ratios(p, q, grid.weight_p, grid.weight_q)
    np.testing.assert_allclose(divergences, expected.kl_p, atol=1e-12)
    divergences = q @ log_ratios(q, p, grid.weight_q, grid.weight_p)
    np.testing.assert_allclose(divergences, expected.kl_q, atol=1e-12)


def test_true_densities_give_the_area_of_histograms():
    # Texts in buckets, as often as the histograms say: means over texts are expectations.
    p, q = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.3, 0.1])
    human, model = np.repeat(np.arange(3), [2, 3, 5]), np.repeat(np.arange(3), [6, 3, 1])
    at_model, at_human = densities(q[model], p[model], 2), densities(p[human], q[human], 2)
    estimate = score_of_densities(at_model, at_human)
    assert estimate.value == pytest.approx(float(area(p, q)), abs=1e-6)


def test_factors_of_texts_cancel():
    rng = np.random.default_rng(0)
    sample, reference, factor = rng.random((3, 50)) + 0.1
    plain, scaled = densities(sample, reference), densities(sample * factor, reference * factor)
    assert score_of_densities(plain, plain).value == pytest.approx(
        score_of_densities(scaled, scaled).value
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 8))
def test_scores_are_in_the_unit_interval_whatever_the_densities(seed, spread):
    rng = np.random.default_rng(seed)
    at = [densities(*np.exp(spread * rng.normal(size=(2, 30)))) for _ in range(2)]
    estimate = score_of_densities(*at)
    assert 0 < estimate.value <= 1
    assert np.all(np.isfinite(estimate.influences))
    assert np.all(np.isfinite(estimate.human_influences))


@pytest.mark.slow
def test_wrong_densities_do_not_lower_the_score():
    # N(0, 1) and N(1, 1) with ratios that are wrong by a factor of their exponent: the bound is
    # highest, and the score lowest, with the true ones. 4,000 texts and the same for all, so
    # that differences have standard errors below 0.01.
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=4000), rng.normal(size=4000) + 1
    scores = []
    for exponent in (0.0, 0.5, 1.0, 1.5, 3.0):
        p, q = (np.exp(exponent * (0.5 - x)) for x in (human, model))
        at_model = densities(np.ones(4000), q)
        scores.append(score_of_densities(at_model, densities(p, np.ones(4000))).value)
    assert scores[0] == 1
    assert np.argmin(scores) == 2


@pytest.mark.slow
def test_gaussians_by_quadrature():
    # Densities of N(0, 1) and N(1, 1) at 20,000 texts; the score by quadrature is 0.632. The
    # standard error is 0.008: four of them.
    t = np.linspace(-12, 13, 20001)
    grid, step = curve_grid(), t[1] - t[0]
    p, q = scipy.stats.norm.pdf(t), scipy.stats.norm.pdf(t, 1)
    kl_p = p @ log_ratios(p, q, grid.weight_p, grid.weight_q) * step
    kl_q = q @ log_ratios(q, p, grid.weight_q, grid.weight_p) * step
    truth = float(score_of_curve(kl_p, kl_q))
    assert truth == pytest.approx(0.6316, abs=1e-3)
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=20000), rng.normal(size=20000) + 1
    estimate = score_of_densities(
        densities(np.ones(20000), np.exp(0.5 - model), 50),
        densities(np.exp(0.5 - human), np.ones(20000), 50),
    )
    assert estimate.standard_error == pytest.approx(0.008, rel=0.3)
    assert estimate.value == pytest.approx(truth, abs=0.032)


def test_swapping_the_samples_swaps_the_influences():
    rng = np.random.default_rng(0)
    first, second = (densities(*rng.random((2, 40)) + 0.1) for _ in range(2))
    there, back = score_of_densities(first, second), score_of_densities(second, first)
    assert there.value == pytest.approx(back.value)
    np.testing.assert_allclose(there.influences, back.human_influences, atol=1e-12)
