"""Intervals of values and of gaps to human text."""

import numpy as np
import pytest

from mauve.measures.estimate import Estimate, deal_texts
from mauve.measures.intervals import measured
from mauve.measures.repetition import REPETITION
from mauve.measures.zipf import ZIPF

GROUPS = deal_texts(np.arange(100, dtype=np.uint64))


def test_the_gap_is_an_absolute_value_with_an_interval_above_zero():
    human, system = Estimate(1.0, np.full(50, 0.01)), Estimate(0.2, np.full(50, 0.01))
    gap = measured(system, human, ZIPF, 0.95, GROUPS, GROUPS)
    assert gap.gap == pytest.approx(0.8)
    assert 0.55 < gap.gap_interval[0] < 0.8 < gap.gap_interval[1] < 1.05
    assert gap.gap_error == pytest.approx(np.sqrt(2 * 50) * 0.01)
    same = measured(human, human, ZIPF, 0.95, GROUPS, GROUPS)
    assert same.gap == 0
    assert same.gap_interval[0] == 0
    assert same.gap_interval[1] > 0


def test_the_gap_of_two_shares_of_zero_is_uncertain():
    """No repetition in 100 texts of either sample does not prove that there is no difference."""
    none = Estimate(0.0, np.zeros(50))
    low, high = measured(none, none, REPETITION, 0.95, GROUPS, GROUPS).gap_interval
    assert low == 0
    assert 0.03 < high < 0.08


def test_gap_of_a_symmetric_interval_is_that_of_student():
    system, human = Estimate(2.0, np.full(50, 0.02)), Estimate(1.0, np.full(50, 0.01))
    gap = system.gap_to(human)
    value = measured(system, human, ZIPF, 0.95, GROUPS, GROUPS)
    assert value.gap_interval == pytest.approx(gap.interval(0.95))


def test_paired_prompts_narrow_the_gap():
    influences = np.full(50, 0.02)
    paired = [Estimate(value, influences, by_prompt=True) for value in (2.0, 1.0)]
    value = measured(*paired, ZIPF, 0.95, GROUPS, GROUPS)
    assert value.gap_interval == pytest.approx((1.0, 1.0))
