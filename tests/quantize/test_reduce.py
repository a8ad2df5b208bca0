"""Unit norm and principal components, against NumPy's SVD."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from mauve.errors import InvalidParameterError
from mauve.quantize.reduce import ORDERS, fit_reduction, reduce_features, scaled_rows


def make_features(seed, n=300, d=12, spread=None):
    """Correlated features with a mean that is not zero, as embedders give."""
    rng = np.random.default_rng(seed)
    scale = np.geomspace(1, 0.05, d) if spread is None else spread
    with threadpool_limits(limits=1):  # threads of BLAS wait for each other on a busy machine
        rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return ((rng.normal(size=(n, d)) * scale) @ rotation + rng.normal(size=d)).astype(np.float32)


def unit_rows(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def explained_by_svd(x):
    """Share of the variance that the leading components explain, and the components."""
    with threadpool_limits(limits=1):
        _, values, rows = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    return np.cumsum(values**2) / np.sum(values**2), rows


class TestReduceFeatures:
    @pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
    @pytest.mark.parametrize("order", ORDERS)
    def test_keeps_the_fewest_components_that_explain_the_share(self, order, share):
        x = make_features(0)
        reduced, reduction = reduce_features(x.copy(), explained_variance=share, order=order)
        wide = x.astype(float)
        explained, _ = explained_by_svd(unit_rows(wide) if order == "norm-pca" else wide)
        assert reduced.shape[1] == np.searchsorted(explained, share) + 1
        assert reduction.components.shape == (12, reduced.shape[1])

    def test_norm_comes_first_in_norm_pca(self):
        x = make_features(1)
        reduced, _ = reduce_features(x.copy(), explained_variance=0.95, order="norm-pca")
        wide = unit_rows(x.astype(float))
        centred = wide - wide.mean(axis=0)
        _, rows = explained_by_svd(wide)
        expected = centred @ rows[: reduced.shape[1]].T
        # Components are known up to their sign.
        assert_allclose(np.abs(reduced), np.abs(expected), atol=1e-4)

    def test_norm_comes_last_in_pca_norm(self):
        x = make_features(2)
        reduced, _ = reduce_features(x.copy(), explained_variance=0.95, order="pca-norm")
        assert_allclose(np.linalg.norm(reduced, axis=1), 1, rtol=1e-5)
        wide = x.astype(float)
        _, rows = explained_by_svd(wide)
        expected = unit_rows((wide - wide.mean(axis=0)) @ rows[: reduced.shape[1]].T)
        assert_allclose(np.abs(reduced), np.abs(expected), atol=1e-3)

    @pytest.mark.parametrize("order", ORDERS)
    def test_a_share_of_one_keeps_every_direction(self, order):
        x = make_features(3, d=6, spread=np.ones(6))
        reduced, _ = reduce_features(x.copy(), explained_variance=1.0, order=order)
        assert reduced.shape == (300, 6)

    def test_a_share_of_one_keeps_distances(self):
        x = make_features(4, d=6, spread=np.ones(6))
        reduced, _ = reduce_features(x.copy(), explained_variance=1.0)
        unit = unit_rows(x.astype(float))
        before = np.linalg.norm(unit[:50, None] - unit[None, :50], axis=-1)
        after = np.linalg.norm(reduced[:50, None] - reduced[None, :50], axis=-1)
        assert_allclose(after, before, atol=1e-5)

    def test_directions_without_variance_are_dropped(self):
        rng = np.random.default_rng(5)
        x = (rng.normal(size=(200, 3)) @ rng.normal(size=(3, 20))).astype(np.float32)
        reduced, _ = reduce_features(x, explained_variance=1.0, order="pca-norm")
        assert reduced.shape[1] == 3

    def test_more_dimensions_than_texts(self):
        x = make_features(6, n=20, d=100)
        reduced, _ = reduce_features(x, explained_variance=1.0)
        assert reduced.shape[1] <= 19
        assert np.isfinite(reduced).all()

    def test_result_is_float32_and_finite(self):
        reduced, _ = reduce_features(make_features(7))
        assert reduced.dtype == np.float32
        assert np.isfinite(reduced).all()

    @pytest.mark.parametrize("order", ORDERS)
    def test_rows_of_zeros_do_no_harm(self, order):
        x = make_features(8)
        x[::7] = 0
        reduced, _ = reduce_features(x, order=order)
        assert np.isfinite(reduced).all()
        assert_allclose(reduced[::7], np.tile(reduced[0], (len(reduced[::7]), 1)), atol=1e-6)

    @pytest.mark.parametrize("value", [0.0, 1.0, -3.5, 1e6])
    @pytest.mark.parametrize("order", ORDERS)
    def test_features_without_variance_are_refused(self, order, value):
        x = np.full((50, 4), value, dtype=np.float32)
        with pytest.raises(InvalidParameterError, match=r"must vary .* check that the texts"):
            reduce_features(x, order=order)

    @pytest.mark.parametrize("scale", [1e20, 1e-25])
    def test_very_large_and_very_small_features_are_scaled_too(self, scale):
        x = make_features(9)
        small, _ = reduce_features(x.copy())
        large, _ = reduce_features(x * np.float32(scale))
        assert_allclose(np.abs(large), np.abs(small), atol=1e-4)

    def test_components_can_be_fitted_on_some_rows(self):
        x = make_features(10)
        rows = np.arange(0, 300, 3)
        some, _ = reduce_features(x.copy(), order="pca-norm", fit_rows=rows)
        alone, _ = reduce_features(x[rows].copy(), order="pca-norm")
        assert_allclose(some[rows], alone, atol=1e-5)

    def test_fitted_reduction_gives_the_same_for_the_same_texts(self):
        x = make_features(11)
        for order in ORDERS:
            reduced, reduction = reduce_features(x.copy(), order=order)
            assert_allclose(reduction.apply(x.copy()), reduced, atol=1e-6)

    @pytest.mark.parametrize("n", [2048, 5000])
    def test_parts_of_2048_rows_add_up(self, n):
        x = make_features(12, n=n)
        reduced, _ = reduce_features(x.copy(), explained_variance=0.95)
        explained, _ = explained_by_svd(unit_rows(x.astype(float)))
        assert reduced.shape[1] == np.searchsorted(explained, 0.95) + 1

    @pytest.mark.parametrize(("n", "d"), [(5000, 40), (700, 400), (200, 400)])
    def test_same_bits_on_one_thread_and_on_all(self, n, d):
        x = make_features(13, n=n, d=d)
        on_all, _ = reduce_features(x.copy())
        with threadpool_limits(limits=1):
            on_one, _ = reduce_features(x.copy())
        assert_array_equal(on_one, on_all)

    @pytest.mark.parametrize("order", ORDERS)
    @pytest.mark.parametrize(("n", "d"), [(300, 12), (60, 200)])
    def test_learnt_from_some_texts_it_is_that_of_these_alone(self, order, n, d):
        x = make_features(18, n=n, d=d)
        scaled = scaled_rows(x.copy(), order)
        before = scaled.copy()
        reduction = fit_reduction(scaled, 0.9, order)
        assert_array_equal(scaled, before)
        expected, other = reduce_features(x.copy(), explained_variance=0.9, order=order)
        assert_allclose(reduction.reduce(scaled), expected, atol=1e-5)
        assert_allclose(reduction.apply(x.copy()), expected, atol=1e-5)
        assert_array_equal(reduction.components, other.components)

    @pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
    def test_few_texts_have_the_components_of_the_svd(self, share):
        """From products of texts, where there are more dimensions than texts."""
        x = make_features(19, n=40, d=150)
        reduction = fit_reduction(scaled_rows(x.copy(), "norm-pca"), share, "norm-pca")
        explained, rows = explained_by_svd(unit_rows(x.astype(float)))
        m = reduction.components.shape[1]
        assert m == min(np.searchsorted(explained, share - 1e-7) + 1, 39)
        components = reduction.components.astype(float)
        assert_allclose(components.T @ components, np.eye(m), atol=1e-3)
        leading = rows[:m] @ components  # up to rotation: the same subspace
        assert_allclose(leading @ leading.T, np.eye(m), atol=1e-3)

    @pytest.mark.parametrize("share", [0, -0.5, 1.1, float("nan"), True, "most"])
    def test_shares_outside_the_unit_interval_are_refused(self, share):
        with pytest.raises(InvalidParameterError, match=r"above 0 and at most 1\. Got"):
            reduce_features(make_features(14), explained_variance=share)

    def test_unknown_order_is_refused(self):
        with pytest.raises(InvalidParameterError, match=r"'norm-pca', 'pca-norm'\. Got 'pca'"):
            reduce_features(make_features(15), order="pca")


class TestManyDimensions:
    """Above 512 dimensions a quarter of the components is computed first."""

    @staticmethod
    def project(x, share):
        reduced, reduction = reduce_features(x.copy(), explained_variance=share, order="pca-norm")
        return reduced, reduction.components @ reduction.components.T

    @pytest.mark.slow
    @pytest.mark.parametrize("share", [0.5, 0.9])
    def test_leading_part_spans_the_same_subspace_as_the_svd(self, share):
        x = make_features(16, n=700, d=600, spread=np.geomspace(1, 1e-3, 600))
        reduced, projection = self.project(x, share)
        explained, rows = explained_by_svd(x.astype(float))
        n_components = reduced.shape[1]
        assert n_components == np.searchsorted(explained, share) + 1
        assert n_components <= 150
        assert_allclose(projection, rows[:n_components].T @ rows[:n_components], atol=1e-4)

    @pytest.mark.slow
    def test_falls_back_to_all_components_where_a_quarter_is_not_enough(self):
        x = make_features(17, n=900, d=600, spread=np.ones(600))
        reduced, projection = self.project(x, 0.9)
        explained, rows = explained_by_svd(x.astype(float))
        n_components = reduced.shape[1]
        assert n_components == np.searchsorted(explained, 0.9) + 1
        assert n_components > 150
        assert_allclose(projection, rows[:n_components].T @ rows[:n_components], atol=0.05)
