"""The grids of λ: symmetric, exact for polynomials, read-only."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mauve.frontier.grid import curve_grid, quadrature_grid


class TestQuadratureGrid:
    @pytest.mark.parametrize("order", [1, 8, 32])
    def test_weights_add_up_to_one_and_the_middle_is_one_half(self, order):
        grid = quadrature_grid(order)
        assert len(grid.weight_p) == 2 * order + 1
        assert grid.weight_p[grid.middle] == grid.weight_q[grid.middle] == 0.5
        assert grid.quadrature[grid.middle] == 0
        if order > 1:
            assert_allclose(grid.quadrature.sum(), 1, rtol=1e-14)

    def test_lambda_rises_and_both_weights_add_up_to_one(self):
        grid = quadrature_grid()
        assert np.all(np.diff(grid.weight_p) > 0)
        assert_allclose(grid.weight_p + grid.weight_q, 1, rtol=1e-15)
        assert_array_equal(grid.weight_q, grid.weight_p[::-1])

    @pytest.mark.parametrize("power", range(1, 6))
    def test_integrates_powers_of_lambda(self, power):
        grid = quadrature_grid()
        assert_allclose(grid.quadrature @ grid.weight_p**power, 1 / (power + 1), rtol=1e-13)

    def test_cached_arrays_cannot_be_changed(self):
        grid = quadrature_grid()
        assert grid is quadrature_grid()
        for array in (grid.weight_p, grid.weight_q, grid.quadrature):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1


class TestCurveGrid:
    @pytest.mark.parametrize("points", [2, 16, 128])
    def test_is_even_about_one_half(self, points):
        grid = curve_grid(points)
        assert len(grid.weight_p) == 2 * points - 1
        assert grid.weight_p[grid.middle] == grid.weight_q[grid.middle] == 0.5
        assert np.all(np.diff(grid.weight_p) > 0)
        assert_array_equal(grid.weight_q, grid.weight_p[::-1])
        assert_allclose(grid.weight_p + grid.weight_q, 1, rtol=1e-15)

    def test_cached_arrays_cannot_be_changed(self):
        grid = curve_grid()
        assert grid is curve_grid()
        for array in (grid.weight_p, grid.weight_q):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
