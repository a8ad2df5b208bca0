"""Token entropy of each text, against SciPy."""

import numpy as np
import pytest
from scipy.stats import entropy

from mauve.measures.estimate import deal_texts
from mauve.measures.protocol import MeasuredSample, TokenTable
from mauve.measures.token_entropy import TOKEN_ENTROPY, token_entropies


def test_equal_to_scipy():
    rng = np.random.default_rng(0)
    rows = [(rng.zipf(1.3, size) % 300).tolist() for size in rng.integers(1, 300, 40)]
    expected = [entropy(np.bincount(row)) for row in rows]
    table = TokenTable.of(rows, 300)
    assert token_entropies(table) == pytest.approx(expected, abs=1e-9)
    groups = deal_texts(np.arange(40, dtype=np.uint64))
    model = MeasuredSample("model", groups, tokens=table)
    estimate = TOKEN_ENTROPY.estimate(model, model)
    assert estimate.value == pytest.approx(np.mean(expected), abs=1e-9)
    # 40 texts are 40 groups, so the error is that of a mean.
    assert estimate.standard_error == pytest.approx(np.std(expected, ddof=1) / 40**0.5, rel=1e-9)


def test_closed_forms():
    table = TokenTable.of([[*range(64)], [7] * 9, [], [1, 1, 2, 2]], 64)
    assert token_entropies(table) == pytest.approx([np.log(64), 0, 0, np.log(2)], abs=1e-12)


def test_repetition_lowers_it():
    loop, prose = [1, 2, 3] * 20, [*range(60)]
    low, high = token_entropies(TokenTable.of([loop, prose], 60))
    assert low < high
