"""Curves of precision and recall of distributions, against a slow count and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured_samples import make_sample, modes

from mauve.errors import InvalidParameterError, UndefinedError
from mauve.measures.precision_recall_curve import (
    PRD_PRECISION,
    PRD_RECALL,
    maximal_f,
    precision_recall_curve,
)

shares = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any)


def slow_curve(p, q, n_angles):
    precision, recall = [], []
    for angle in np.linspace(1e-10, np.pi / 2 - 1e-10, n_angles):
        slope = np.tan(angle)
        alpha = sum(min(slope * a, b) for a, b in zip(p, q, strict=True))
        precision.append(min(1, alpha))
        recall.append(min(1, alpha / slope))
    return precision, recall


@given(shares, shares)
def test_equal_to_a_slow_count(first, second):
    p, q = (np.array(counts) / sum(counts) for counts in (first, second))
    for ours, slow in zip(precision_recall_curve(p, q, 51), slow_curve(p, q, 51), strict=True):
        np.testing.assert_allclose(ours, slow, atol=1e-9)
    # The curves of both directions are each other's mirror image.
    precision, recall = precision_recall_curve(p, q, 51)
    reverse_precision, reverse_recall = precision_recall_curve(q, p, 51)
    np.testing.assert_allclose(precision, reverse_recall[::-1], atol=1e-6)
    np.testing.assert_allclose(recall, reverse_precision[::-1], atol=1e-6)


def test_equal_and_disjoint_shares():
    p = np.array([0.2, 0.3, 0.5])
    assert maximal_f(*precision_recall_curve(p, p)) == pytest.approx(1, abs=1e-9)
    apart = precision_recall_curve(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert maximal_f(*apart) == 0


def test_half_of_the_modes_is_full_precision_and_half_recall():
    """At λ = 2 precision is 1 and recall 1/2: the known F-scores of that point."""
    p, q = np.full(4, 0.25), np.array([0.5, 0.5, 0.0, 0.0])
    curve = precision_recall_curve(p, q, 10_001)
    for beta in (8, 1 / 8):
        expected = (1 + beta**2) * 0.5 / (beta**2 + 0.5)
        assert maximal_f(*curve, beta) == pytest.approx(expected, abs=1e-3)


def test_shares_must_add_up():
    with pytest.raises(InvalidParameterError, match=r"'q' parameter .* must be shares"):
        precision_recall_curve(np.array([0.5, 0.5]), np.array([3.0, 1.0]))


@pytest.mark.slow
def test_missing_modes_lower_recall_and_additional_ones_precision():
    centres = np.eye(4)
    all_modes = make_sample(modes(centres, 60, 0), "human")
    missing = make_sample(modes(centres[:2], 120, 1))
    added = make_sample(modes(np.r_[centres, -centres], 30, 2))

    def values(system):
        return [m.estimate(system, all_modes).value for m in (PRD_PRECISION, PRD_RECALL)]

    precision, recall = values(missing)
    assert recall < 0.6 < 0.85 < precision
    precision, recall = values(added)
    assert precision < 0.6 < 0.85 < recall
    same = make_sample(modes(centres, 61, 3))
    assert min(values(same)) > 0.8
    assert PRD_RECALL.estimate(same, all_modes) is not None
    first, second = (PRD_RECALL.estimate(same, all_modes) for _ in range(2))
    assert first.value == second.value
    assert 0 < first.standard_error < 0.2


def test_too_few_texts():
    rng = np.random.default_rng(0)
    few = make_sample(rng.normal(size=(9, 2)))
    with pytest.raises(UndefinedError, match=r"at least 20 texts .* Got 18 instead"):
        PRD_RECALL.estimate(few, few)
