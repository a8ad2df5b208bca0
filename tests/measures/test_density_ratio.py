import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.frontier.curve import area
from mauve.frontier.divergences import mixture_divergences
from mauve.frontier.grid import curve_grid
from mauve.measures.density_ratio import log_ratios, score_of_curve


def score_of(model, human):
    """Return MAUVE from the densities at the texts of both samples: its own, and the other's."""
    grid = curve_grid()
    kl_p = log_ratios(*human, grid.weight_p, grid.weight_q).mean(axis=0)
    kl_q = log_ratios(*model, grid.weight_q, grid.weight_p).mean(axis=0)
    return float(score_of_curve(kl_p, kl_q))


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
    score = score_of((q[model], p[model]), (p[human], q[human]))
    assert score == pytest.approx(float(area(p, q)), abs=1e-6)


def test_factors_of_texts_cancel():
    rng = np.random.default_rng(0)
    sample, reference, factor = rng.random((3, 50)) + 0.1
    plain, scaled = (sample, reference), (sample * factor, reference * factor)
    assert score_of(plain, plain) == pytest.approx(score_of(scaled, scaled))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 8))
def test_scores_are_in_the_unit_interval_whatever_the_densities(seed, spread):
    rng = np.random.default_rng(seed)
    assert 0 < score_of(*np.exp(spread * rng.normal(size=(2, 2, 30)))) <= 1


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
        scores.append(score_of((np.ones(4000), q), (p, np.ones(4000))))
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
    ones = np.ones(20000)
    score = score_of((ones, np.exp(0.5 - model)), (np.exp(0.5 - human), ones))
    assert score == pytest.approx(truth, abs=0.032)


def test_swapping_the_samples_changes_nothing():
    first, second = np.random.default_rng(0).random((2, 2, 40)) + 0.1
    assert score_of(first, second) == pytest.approx(score_of(second, first))
