"""Level sets of a ridge classifier: right predictions, even levels, no overfitting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mauve import InvalidParameterError, compare
from mauve.quantize.classifier import LEVELS, STRENGTHS, Classifier
from mauve.quantize.protocol import PairQuantizer, Quantizer
from mauve.quantize.registry import get_quantizer

pytestmark = pytest.mark.usefixtures("one_thread")


def samples(seed=0, n=100, d=5, shift=1.0):
    """Return features of two samples, the first shifted, and which texts are of the first."""
    rng = np.random.default_rng(seed)
    features, is_human = rng.normal(size=(2 * n, d)), np.arange(2 * n) < n
    features[is_human] += shift
    return features.astype(np.float32), is_human


def fit(features, is_human, num_buckets=LEVELS):
    return Classifier().fit_pair(features, is_human, num_buckets, np.random.default_rng(0))


def ridge(features, target, penalty):
    """Return weights and intercept of a ridge regression, by the normal equations."""
    mean, centre = features.mean(axis=0), target.mean()
    centred = features - mean
    products = centred.T @ centred + penalty * np.eye(features.shape[1])
    weights = np.linalg.solve(products, centred.T @ (target - centre))
    return weights, centre - mean @ weights


def standardised(features):
    wide = features.astype(float)
    return (wide - wide.mean(axis=0)) / wide.std(axis=0)


def left_out_predictions(features, target, penalty):
    """Return predictions for texts that the regression was fitted without, one at a time.

    The intercept is that of the remaining texts; features keep the scale and the centre of all,
    as the closed form has it.
    """
    n = len(features)
    predicted = np.empty(n)
    for i in range(n):
        others = np.arange(n) != i
        # The intercept is a feature without penalty.
        with_one = np.column_stack([features[others], np.ones(n - 1)])
        weights = np.diag([penalty] * features.shape[1] + [0.0])
        solved = np.linalg.solve(with_one.T @ with_one + weights, with_one.T @ target[others])
        predicted[i] = np.append(features[i], 1.0) @ solved
    return predicted


class TestFit:
    def test_human_texts_are_in_the_upper_levels(self):
        features, is_human = samples(shift=1.5)
        fresh, is_fresh = samples(seed=1, shift=1.5)
        labels = fit(features, is_human).assign(fresh)
        assert labels.min() == 0
        assert labels.max() == LEVELS - 1
        assert labels[is_fresh].mean() > labels[~is_fresh].mean() + 4

    @pytest.mark.parametrize("num_buckets", [2, 5, 10])
    def test_levels_have_equal_shares_of_left_out_predictions(self, num_buckets):
        """Limits are quantiles of predictions; those of fitted texts are farther apart."""
        features, is_human = samples(n=150, d=2)
        labels = fit(features, is_human, num_buckets).assign(features)
        shares = np.bincount(labels, minlength=num_buckets) / 300
        assert_allclose(shares, 1 / num_buckets, atol=0.02)

    @pytest.mark.parametrize(("n", "d", "shift"), [(20, 3, 1.0), (15, 60, 0.5), (30, 8, 0.0)])
    def test_limits_are_those_of_refitting_without_each_text(self, n, d, shift):
        """By brute force: the penalty with the least error of predictions that leave out."""
        features, is_human = samples(n=n, d=d, shift=shift)
        scaled = standardised(features)
        target = np.where(is_human, 1.0, -1.0)
        unit = np.linalg.eigvalsh(scaled @ scaled.T).mean()
        tried = [left_out_predictions(scaled, target, s * unit) for s in STRENGTHS]
        best = int(np.argmin([np.mean((predicted - target) ** 2) for predicted in tried]))
        levels = fit(features, is_human, 8)
        expected = np.quantile(tried[best], np.arange(1, 8) / 8)
        assert_allclose(levels.limits, expected, rtol=1e-6, atol=1e-9)
        weights, intercept = ridge(scaled, target, STRENGTHS[best] * unit)
        wide = features.astype(float)
        assert_allclose(
            wide @ levels.weights + levels.offset, scaled @ weights + intercept, atol=1e-8
        )

    def test_many_features_do_not_flatter_the_classifier(self):
        """As many features as texts and no difference: fresh texts are in levels alike.

        The share of a level in 2,000 texts has a standard error below 0.012: five of them.
        """
        features, is_human = samples(n=60, d=120, shift=0.0)
        levels = fit(features, is_human, 4)
        fresh, is_fresh = samples(seed=1, n=2000, d=120, shift=0.0)
        labels = levels.assign(fresh)
        of_human, of_system = (
            np.bincount(labels[rows], minlength=4) / 2000 for rows in (is_fresh, ~is_fresh)
        )
        assert_allclose(of_human, of_system, atol=0.06)

    def test_exchanging_the_samples_reverses_the_levels(self):
        features, is_human = samples()
        one, other = fit(features, is_human), fit(features, ~is_human)
        assert_allclose(other.weights, -one.weights, rtol=1e-9)
        assert_allclose(other.limits, -one.limits[::-1], rtol=1e-9, atol=1e-12)
        fresh, _ = samples(seed=1, n=500)
        assert np.mean(other.assign(fresh) == LEVELS - 1 - one.assign(fresh)) > 0.999

    def test_samples_of_unequal_sizes_are_separated(self):
        features, is_human = samples(n=100, shift=2.0)
        rows = np.r_[0:100, 100:120]
        labels = fit(features[rows], is_human[rows]).assign(features)
        assert labels[is_human].mean() > labels[~is_human].mean() + 3

    @pytest.mark.parametrize("constant", [0.0, 0.1, -1e6, 1e18])
    def test_constant_features_have_no_effect(self, constant):
        features, is_human = samples()
        with_constant = np.column_stack([features, np.full(len(features), constant)])
        plain = fit(features, is_human)
        levels = fit(with_constant.astype(np.float32), is_human)
        assert levels.weights[-1] == 0
        assert_allclose(levels.weights[:-1], plain.weights, rtol=1e-9)
        assert_allclose(levels.limits, plain.limits, rtol=1e-9)

    @pytest.mark.parametrize("scale", [1e-18, 1e18])
    def test_the_unit_of_features_has_no_effect(self, scale):
        features, is_human = samples()
        plain = fit(features, is_human).assign(features)
        scaled = (features * np.float32(scale)).astype(np.float32)
        assert np.mean(fit(scaled, is_human).assign(scaled) == plain) > 0.99

    def test_features_that_all_are_constant_make_one_level(self):
        same = np.ones((40, 3), dtype=np.float32)
        labels = fit(same, np.arange(40) < 20).assign(same)
        assert len(np.unique(labels)) == 1

    def test_features_are_left_as_they_were(self):
        features, is_human = samples()
        before = features.copy()
        fit(features, is_human).assign(features)
        assert_array_equal(features, before)


class TestQuantizer:
    def test_is_one_of_two_samples(self):
        assert isinstance(get_quantizer("classifier"), PairQuantizer)
        assert not isinstance(get_quantizer("classifier"), Quantizer)
        assert get_quantizer("classifier").signature == "classifier:ridge"

    def test_needs_two_samples(self):
        human, model = np.random.default_rng(0).normal(size=(2, 200, 4))
        with pytest.raises(
            InvalidParameterError, match=r"'clustering' .* 'pair' for this quantizer"
        ):
            compare(human, model, quantizer="classifier", clustering="joint", n_permutations=0)

    def test_stands_beside_the_score_of_kmeans_and_not_beside_its_own(self):
        human, model = np.random.default_rng(1).normal(size=(2, 200, 4))
        settings = {"n_clusterings": 5, "n_permutations": 0}
        beside = compare(human, model, **settings)["model"].classifier
        result = compare(human, model, quantizer="classifier", **settings)["model"]
        assert result.classifier is None
        assert result == beside
