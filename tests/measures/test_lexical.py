"""MTLD, MATTR and HD-D, against another package and against closed forms."""

import numpy as np
import pytest
from lexicalrichness import LexicalRichness
from scipy.stats import hypergeom

from mauve.errors import InvalidParameterError, UndefinedError
from mauve.measures.estimate import deal_texts
from mauve.measures.lexical import MTLD, hdd_measure, hdds, mattr_measure, mattrs, mtld
from mauve.measures.protocol import MeasuredSample, TokenTable


def texts(n=25, longest=400, seed=0):
    rng = np.random.default_rng(seed)
    return [(rng.zipf(1.3, size) % 500).tolist() for size in rng.integers(60, longest, n)]


def table(rows):
    return TokenTable.of(rows, 1 + max((max(row, default=0) for row in rows), default=0))


def peer(row):
    words = " ".join(f"w{token}" for token in row)
    return LexicalRichness(words, preprocessor=None, tokenizer=str.split)


def sample(rows, name="model"):
    groups = deal_texts(np.arange(len(rows), dtype=np.uint64))
    return MeasuredSample(name, groups, tokens=table(rows))


def test_equal_to_another_package():
    rows = texts()
    peers = [peer(row) for row in rows]
    assert [mtld(row) for row in rows] == pytest.approx([each.mtld() for each in peers], abs=1e-9)
    assert mattrs(table(rows), 50) == pytest.approx([e.mattr(50) for e in peers], abs=1e-9)
    assert hdds(table(rows), 42) == pytest.approx([each.hdd(42) for each in peers], abs=1e-9)
    # Other parameters, and texts that repeat one phrase.
    loops = [[1, 2, 3] * 40, [5] * 80, [*range(90)]]
    for row in loops:
        assert mtld(row, 0.6) == pytest.approx(peer(row).mtld(0.6), abs=1e-9)
    assert mattrs(table(loops), 7) == pytest.approx([peer(r).mattr(7) for r in loops], abs=1e-9)
    assert hdds(table(loops), 80) == pytest.approx([peer(r).hdd(80) for r in loops], abs=1e-9)


def test_measures_are_means_over_texts():
    rows = texts(60, seed=1)
    model = sample(rows)
    values = {
        MTLD: [mtld(row) for row in rows],
        mattr_measure(20): mattrs(table(rows), 20),
        hdd_measure(30): hdds(table(rows), 30),
    }
    for measure, expected in values.items():
        estimate = measure.estimate(model, model)
        assert estimate.value == pytest.approx(np.mean(expected), rel=1e-12)
        error = np.std(expected, ddof=1) / np.sqrt(60)
        # 50 groups of one or two texts: their sums vary about as much as the texts do.
        assert estimate.standard_error == pytest.approx(error, rel=0.35)


def test_a_text_shorter_than_a_window_has_its_type_token_ratio():
    rows = [[1, 1, 2], [3], [4, 5, 4, 5]]
    ratios = [2 / 3, 1, 1 / 2]
    assert mattrs(table(rows), 50) == pytest.approx(ratios)
    assert hdds(table(rows), 42) == pytest.approx(ratios)


def test_hdd_of_one_long_text_is_the_hypergeometric_one():
    counts = np.array([4000, 900, 77, 3, 1, 1])
    row = np.repeat(np.arange(6), counts).tolist()
    absent = hypergeom.pmf(0, counts.sum(), counts, 42)
    assert hdds(table([row]))[0] == pytest.approx((1 - absent).sum() / 42, abs=1e-9)


def test_closed_forms():
    assert mtld([7] * 10) == 2  # every two tokens are a factor
    assert mtld([*range(33)]) == 33
    assert mattrs(table([[1, 2] * 30]), 10)[0] == pytest.approx(2 / 10)
    assert mattrs(table([[*range(80)]]))[0] == 1


def test_a_text_without_tokens_is_undefined():
    rows = [*texts(20), []]
    for measure in (MTLD, mattr_measure(), hdd_measure()):
        with pytest.raises(UndefinedError, match=r"of 'model' must be .* Got 1 without any"):
            measure.estimate(sample(rows), sample(rows))
    with pytest.raises(InvalidParameterError, match="at least one token"):
        mtld([])
    with pytest.raises(InvalidParameterError, match="'threshold'"):
        mtld([1, 2], 1.5)
