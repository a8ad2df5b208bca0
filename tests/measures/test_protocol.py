"""Tables of tokens, and samples without the parts that a measure needs."""

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups
from mauve.measures.protocol import MeasuredSample, TokenTable
from mauve.measures.registry import MEASURES


def test_a_table_in_another_order():
    table = TokenTable.of([[3, 1], [], [2], [0, 0, 1]], 4)
    order = np.array([3, 1, 0, 2])
    ordered = table.ordered(order)
    assert ordered.lengths.tolist() == [3, 0, 2, 1]
    assert [ordered.row(i).tolist() for i in range(4)] == [table.row(i).tolist() for i in order]
    assert ordered.texts.tolist() == [0, 0, 0, 2, 2, 3]


@pytest.mark.parametrize("name", [name for name, measure in MEASURES.items() if measure.estimate])
def test_a_missing_part_is_named(name):
    measure = MEASURES[name]
    sample = MeasuredSample("model", Groups(np.arange(10), 10))
    needs = "|".join(measure.needs)
    with pytest.raises(InvalidParameterError, match=f"needs the ({needs}) of a sample"):
        measure.estimate(sample, sample)
