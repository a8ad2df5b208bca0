"""Statistics of the test of P = Q against their definitions, on few texts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mauve.hashes import feature_hashes
from mauve.inference.quadratic_forms import PooledFeatures, quadratic_forms
from mauve.inference.two_sample import STATISTICS


def pooled_of(first, second, groups=None):
    return PooledFeatures([first, second], [feature_hashes(x) for x in (first, second)], groups)


def observed(first, second):
    """Return the statistics of the actual samples by their names."""
    pooled = pooled_of(first, second)
    values = quadratic_forms(pooled, pooled.units.is_human[None])[:, 0]
    return dict(zip(STATISTICS, values, strict=True))


def standardised(rows):
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


def distances(rows):
    return np.linalg.norm(rows[:, None] - rows[None], axis=2)


def typical(matrix):
    return np.median(matrix[np.triu_indices(len(matrix), 1)])


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 4)) + 1, 1.3 * rng.normal(size=(40, 4)) + 1.5


@pytest.fixture
def signs(samples):
    """Return the weight of each text: 1 for the first sample, less its share of all."""
    n_first, n_second = map(len, samples)
    return np.repeat([1.0, 0.0], [n_first, n_second]) - n_first / (n_first + n_second)


class TestDefinitions:
    """All texts are landmarks, so that kernels are exact but for rounding."""

    def test_linear_classifier(self, samples, signs):
        rows = standardised(np.concatenate(samples))
        scatter = rows.T @ rows
        penalty = 0.1 * np.trace(scatter) / len(rows)
        difference = signs @ rows
        expected = difference @ np.linalg.solve(scatter + penalty * np.eye(4), difference)
        assert_allclose(observed(*samples)["linear classifier"], expected, rtol=1e-3)

    def test_mean_discrepancy_with_a_laplace_kernel(self, samples, signs):
        apart = distances(standardised(np.concatenate(samples)))
        kernel = np.exp(-apart / typical(apart))
        value = observed(*samples)["mean discrepancy (Laplace kernel)"]
        assert_allclose(value, signs @ kernel @ signs, rtol=1e-3)

    def test_mean_discrepancy_with_a_narrow_gaussian_kernel(self, samples, signs):
        rows = np.concatenate(samples)
        apart = distances(rows / np.linalg.norm(rows, axis=1)[:, None])
        kernel = np.exp(-((apart / (typical(apart) / 2)) ** 2) / 2)
        value = observed(*samples)["mean discrepancy (narrow Gaussian kernel)"]
        assert_allclose(value, signs @ kernel @ signs, rtol=1e-3)

    def test_kernel_classifier(self, samples, signs):
        """In the dual: with the centred kernel K of unit penalty α, c'K(K + α)⁻¹c."""
        apart = distances(standardised(np.concatenate(samples)))
        kernel = np.exp(-((apart / typical(apart)) ** 2) / 2)
        n = len(kernel)
        centring = np.eye(n) - 1 / n
        kernel = centring @ kernel @ centring
        penalty = np.trace(kernel) / n
        expected = signs @ kernel @ np.linalg.solve(kernel + penalty * np.eye(n), signs)
        assert_allclose(observed(*samples)["kernel classifier"], expected, rtol=0.01)

    def test_counts_in_buckets_are_a_chi_square(self):
        """Texts at two places: every clustering has the same two counts that are not zero."""
        places = np.array([[1.0, 0.0], [0.0, 1.0]])
        first, second = (np.repeat(places, counts, axis=0) for counts in ([20, 10], [15, 35]))
        counts = np.array([[20, 10], [15, 35]])
        share = counts.sum(axis=0) * 30 / 80
        expected = ((counts[0] - share) ** 2 / counts.sum(axis=0)).sum()
        value = observed(first, second)["counts in buckets"]
        assert_allclose(value / expected, 10)  # the number of clusterings


class TestPermutations:
    def test_draws_are_those_of_the_samples_exchanged(self, samples):
        """The forms of a permutation are those of the samples that it makes."""
        pooled = pooled_of(*samples)
        drawn = pooled.units.draw(3, np.random.default_rng(0))
        values = quadratic_forms(pooled, drawn)
        # Units of the pooled texts: a unit is a text, and `at` returns them in their order.
        rows = pooled.at(slice(None))
        for is_first, of_draw in zip(drawn[:, pooled.unit], values.T, strict=True):
            again = observed(rows[is_first], rows[~is_first])
            linear = [name for name in STATISTICS if name != "counts in buckets"]
            assert_allclose(
                [again[name] for name in linear],
                [of_draw[STATISTICS.index(name)] for name in linear],
                rtol=1e-3,
            )

    def test_exchanging_all_texts_changes_nothing(self):
        pooled = pooled_of(*np.random.default_rng(1).normal(size=(2, 40, 3)))
        is_first = pooled.units.is_human
        values = quadratic_forms(pooled, np.stack([is_first, ~is_first]))
        assert_allclose(values[:, 0], values[:, 1], rtol=1e-5)

    def test_the_same_samples_have_the_same_forms(self, samples):
        """To the last bits, wherever the draw stands among others."""
        pooled = pooled_of(*samples)
        draws = pooled.units.draw(90, np.random.default_rng(2))
        draws[[20, 61, 89]] = draws[0]
        values = quadratic_forms(pooled, draws)
        assert_allclose(values[:, [20, 61, 89]], values[:, [0, 0, 0]], rtol=1e-6)


class TestPooledFeatures:
    def test_holds_every_text_once(self, samples):
        pooled = pooled_of(*samples)
        assert len(pooled) == 70
        assert pooled.n_first == 30
        rows = pooled.at(slice(None))
        expected = np.concatenate(samples).astype(np.float32)
        assert_array_equal(rows[np.lexsort(rows.T)], expected[np.lexsort(expected.T)])
        assert_array_equal(pooled.at(np.array([5, 3])), rows[[5, 3]])

    def test_units_of_texts_follow_each_other(self):
        rng = np.random.default_rng(3)
        groups = rng.integers(20, size=70)
        pooled = pooled_of(rng.normal(size=(30, 2)), rng.normal(size=(40, 2)), groups)
        assert (np.diff(pooled.unit) >= 0).all()

    def test_many_texts_are_bundled(self):
        rng = np.random.default_rng(4)
        pooled = pooled_of(rng.normal(size=(3000, 2)), rng.normal(size=(5000, 2)))
        is_first = pooled.units.is_human
        assert is_first.sum() == 500
        assert (~is_first).sum() == -(-5000 // 6)

    def test_landmarks_are_different_texts_in_any_order(self):
        rng = np.random.default_rng(5)
        first, second = (rng.integers(4, size=(n, 2)).astype(float) for n in (90, 110))
        pooled = pooled_of(first, second)
        shuffled = pooled_of(rng.permutation(first), rng.permutation(second))
        landmarks = pooled.at(pooled.landmarks)
        assert len(np.unique(landmarks, axis=0)) == len(landmarks) == 16
        assert_array_equal(shuffled.at(shuffled.landmarks), landmarks)
