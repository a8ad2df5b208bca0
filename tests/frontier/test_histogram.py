"""Counts, and the smoothings, against hand values and their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mauve.errors import InvalidParameterError
from mauve.frontier.histogram import (
    SMOOTHINGS,
    braess_sauer,
    count_labels,
    good_turing,
    krichevsky_trofimov,
    laplace,
    no_smoothing,
    smooth,
)

COUNTS = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any)


class TestCountLabels:
    @given(st.lists(st.integers(0, 6), min_size=1, max_size=40))
    def test_equals_counting_by_hand(self, labels):
        assert count_labels(labels, 7).tolist() == [labels.count(bucket) for bucket in range(7)]

    def test_leading_axes_stay_apart(self):
        rng = np.random.default_rng(0)
        labels = rng.integers(5, size=(2, 3, 50))
        counts = count_labels(labels, 5)
        assert counts.shape == (2, 3, 5)
        for i in range(2):
            for j in range(3):
                assert_array_equal(counts[i, j], np.bincount(labels[i, j], minlength=5))

    def test_small_integer_types_do_not_overflow(self):
        labels = np.full((200, 3), 99, dtype=np.int8)
        assert_array_equal(count_labels(labels, 100)[:, 99], 3)

    @pytest.mark.parametrize("labels", [[0, 3], [-1, 0]])
    def test_labels_outside_the_buckets_are_refused(self, labels):
        with pytest.raises(InvalidParameterError, match=r"must lie in \[0, 3\)\. Got labels from"):
            count_labels(labels, 3)


class TestSmoothings:
    @pytest.mark.parametrize(
        ("smoothing", "counts", "expected"),
        [
            (no_smoothing, [1, 3, 0], [1 / 4, 3 / 4, 0]),
            (laplace, [1, 3, 0], [2 / 7, 4 / 7, 1 / 7]),
            (krichevsky_trofimov, [1, 3, 0], [3 / 11, 7 / 11, 1 / 11]),
            # 0 + 1/2, 1 + 1, 3 + 3/4: 25 quarters in all.
            (braess_sauer, [0, 1, 3], [2 / 25, 8 / 25, 15 / 25]),
            # φ₀ = 2, φ₁ = 1: 0 is not above φ₁, so (1+1)(0+1)/2 = 1; 1 and 5 stay.
            (good_turing, [0, 0, 1, 5], [1 / 8, 1 / 8, 1 / 8, 5 / 8]),
            # φ₁ = 3, φ₂ = 1: 1 is not above 1, so (1+1)·2/3; φ₃ = 0, so 2 stays.
            (good_turing, [1, 1, 1, 2], [2 / 9, 2 / 9, 2 / 9, 1 / 3]),
        ],
    )
    def test_hand_values(self, smoothing, counts, expected):
        assert_allclose(smoothing(counts), expected, rtol=1e-14)

    @pytest.mark.slow
    @pytest.mark.parametrize("smoothing", SMOOTHINGS)
    @given(counts=COUNTS)
    def test_rows_add_up_to_one(self, smoothing, counts):
        assert_allclose(smooth(counts, smoothing).sum(), 1, rtol=1e-13)

    @pytest.mark.slow
    @pytest.mark.parametrize("smoothing", [name for name in SMOOTHINGS if name != "none"])
    @given(counts=COUNTS)
    def test_every_bucket_gets_something(self, smoothing, counts):
        assert smooth(counts, smoothing).min() > 0

    @pytest.mark.slow
    @pytest.mark.parametrize("smoothing", SMOOTHINGS)
    @given(counts=COUNTS)
    def test_equal_counts_get_equal_shares_whatever_their_place(self, smoothing, counts):
        shares = smooth(counts, smoothing)
        assert_allclose(smooth(counts[::-1], smoothing), shares[::-1], rtol=1e-13)
        for value in set(counts):
            assert np.ptp(shares[np.array(counts) == value]) == 0

    @given(counts=COUNTS)
    @settings(max_examples=200)
    def test_good_turing_follows_its_definition(self, counts):
        """Weight t where t > φ(t+1), else (φ(t+1)+1)(t+1)/φ(t), normalised."""
        weight = []
        for t in counts:
            phi, above = counts.count(t), counts.count(t + 1)
            weight.append(t if t > above else (above + 1) * (t + 1) / phi)
        assert_allclose(good_turing(counts), np.array(weight) / sum(weight), rtol=1e-13)

    @pytest.mark.parametrize("smoothing", SMOOTHINGS)
    def test_many_rows_at_once_equal_a_loop(self, smoothing):
        rng = np.random.default_rng(1)
        counts = rng.poisson(2, size=(2, 4, 6)) + np.eye(6, dtype=int)[0]
        shares = smooth(counts, smoothing)
        assert shares.shape == counts.shape
        for i in range(2):
            for j in range(4):
                assert_allclose(shares[i, j], smooth(counts[i, j], smoothing), rtol=1e-14)

    def test_unknown_name_is_refused(self):
        with pytest.raises(InvalidParameterError, match=r"must be one of 'none', .* Got 'kt'"):
            smooth([1, 2], "kt")

    @pytest.mark.parametrize("counts", [[], [0, 0], [-1, 3], [[1, 2], [0, 0]]])
    def test_rows_without_a_text_are_refused(self, counts):
        with pytest.raises(InvalidParameterError, match="at least one text in every row"):
            smooth(counts, "laplace")
