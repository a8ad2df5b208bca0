"""rep-n, seq-rep-n, diversity and self-repetition, counted again by slow loops."""

import math
from collections import Counter

import numpy as np
import pytest

from mauve.errors import UndefinedError
from mauve.measures.estimate import deal_texts, jackknife_influences
from mauve.measures.protocol import MeasuredSample, TokenTable
from mauve.measures.repeated_ngrams import (
    diversity_measure,
    repeated_measure,
    sequence_repeated_measure,
    without_last_token,
)
from mauve.measures.self_repetition import self_repetition_measure, self_repetition_scores


def texts(n=70, size=9, longest=40, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, size, length).tolist() for length in rng.integers(0, longest, n)]


def sample(rows, name="model"):
    groups = deal_texts(np.arange(len(rows), dtype=np.uint64))
    return MeasuredSample(name, groups, tokens=TokenTable.of(rows, 1000))


def grams(row, n):
    return [tuple(row[i : i + n]) for i in range(len(row) - n + 1)]


def rep(rows, n):
    return 1 - sum(len({*grams(r, n)}) for r in rows) / sum(len(grams(r, n)) for r in rows)


def released_loop(row, n):
    """Numbers of different and of all n-grams, in the way the released code walks over a text."""
    seen, total, start = set(), 0, 0
    while start + n < len(row):  # stops before the last one
        seen.add(tuple(row[start : start + n]))
        total += 1
        start += 1
    return len(seen), total


def value(measure, rows):
    return measure.estimate(sample(rows), sample(rows)).value


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_equal_to_a_count_by_hand(n):
    rows = texts()
    assert value(repeated_measure(n), rows) == pytest.approx(rep(rows, n), abs=1e-12)
    shares = [1 - len({*grams(r, n)}) / len(grams(r, n)) if len(r) >= n else 0 for r in rows]
    assert value(sequence_repeated_measure(n), rows) == pytest.approx(np.mean(shares), abs=1e-12)


def test_diversity_is_the_product():
    rows = texts(seed=1)
    expected = math.prod(1 - rep(rows, n) for n in (2, 3, 4))
    assert value(diversity_measure(), rows) == pytest.approx(expected, abs=1e-12)
    assert value(diversity_measure(), [[*range(50)]] * 12) == 1
    assert value(diversity_measure(), [[1] * 100] * 12) == pytest.approx(1 / (99 * 98 * 97))


def test_the_variant_leaves_out_the_last_ngram():
    rows = texts(seed=2)
    product = 1.0
    for n in (2, 3, 4):
        counts = np.array([released_loop(row, n) for row in rows]).sum(axis=0)
        expected = 1 - counts[0] / counts[1]
        assert value(repeated_measure(n, "authors"), rows) == pytest.approx(expected, abs=1e-12)
        assert value(repeated_measure(n), rows) != pytest.approx(expected, abs=1e-6)
        product *= 1 - expected
    assert value(diversity_measure("authors"), rows) == pytest.approx(product, abs=1e-12)
    table = TokenTable.of([[], [1], [2, 3], []], 4)
    assert without_last_token(table).lengths.tolist() == [0, 0, 1, 0]
    assert without_last_token(table).ids.tolist() == [2]


def test_influence_of_the_product_is_near_that_of_the_jackknife():
    rows = texts(300, longest=120, seed=3)
    model = sample(rows)
    estimate = diversity_measure().estimate(model, model)
    labels = model.groups.labels
    without = [
        math.prod(
            1 - rep([r for r, label in zip(rows, labels, strict=True) if label != g], n)
            for n in (2, 3, 4)
        )
        for g in range(model.groups.count)
    ]
    influences = jackknife_influences(np.array(without), model.groups.sizes)
    assert np.corrcoef(estimate.influences, influences)[0, 1] > 0.999
    error = math.sqrt((influences**2).sum())
    assert estimate.standard_error == pytest.approx(error, rel=0.02)


def slow_self_repetition(rows, n):
    holders = Counter(gram for row in rows for gram in {*grams(row, n)})
    return [math.log(1 + sum(holders[gram] - 1 for gram in {*grams(row, n)})) for row in rows]


def test_self_repetition():
    rows = texts(seed=4)
    for n in (1, 2, 4):
        expected = slow_self_repetition(rows, n)
        table = TokenTable.of(rows, 1000)
        assert self_repetition_scores(table, n) == pytest.approx(expected, abs=1e-12)
        model = sample(rows)
        estimate = self_repetition_measure(n).estimate(model, model)
        assert estimate.value == pytest.approx(np.mean(expected), abs=1e-12)
        labels = model.groups.labels
        without = [
            np.mean(
                slow_self_repetition(
                    [row for row, label in zip(rows, labels, strict=True) if label != g], n
                )
            )
            for g in range(model.groups.count)
        ]
        influences = jackknife_influences(np.array(without), model.groups.sizes)
        np.testing.assert_allclose(estimate.influences, influences, atol=1e-12)


def test_texts_without_an_ngram_in_common_have_none():
    rows = [[5 * i, 5 * i + 1, 5 * i + 2, 5 * i + 3] for i in range(20)]
    assert value(self_repetition_measure(2), rows) == 0
    assert value(self_repetition_measure(2), [[1, 2]] * 12) == pytest.approx(math.log(12))


def test_texts_that_are_too_short_are_undefined():
    short = [[1, 2]] * 12
    for measure in (repeated_measure(3), sequence_repeated_measure(3), diversity_measure()):
        with pytest.raises(UndefinedError, match=r"3-grams of 'model' .* give longer texts"):
            value(measure, short)
