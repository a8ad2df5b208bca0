from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mauve.measures.ngrams import find_ngrams
from mauve.measures.protocol import TokenTable

ROWS = st.lists(st.lists(st.integers(0, 3), max_size=8), min_size=1, max_size=6)


def _plain(rows, n, units):
    """Count n-grams in units with loops."""
    return Counter(
        (tuple(row[i : i + n]), unit)
        for row, unit in zip(rows, units, strict=True)
        for i in range(len(row) - n + 1)
    )


def _found(rows, n, units, size):
    table = TokenTable.of(rows, size)
    grams = find_ngrams(table, n, np.array(units))
    counts = grams.counts()
    first = [grams.places[np.searchsorted(grams.numbers, gram)] for gram in counts.grams]
    names = [tuple(table.ids[place : place + n].tolist()) for place in first]
    return Counter(
        dict(
            zip(zip(names, counts.units.tolist(), strict=True), counts.counts.tolist(), strict=True)
        )
    )


@given(ROWS, st.integers(1, 4), st.data())
def test_counts_are_those_of_plain_loops(rows, n, data):
    units = [data.draw(st.integers(0, 2)) for _ in rows]
    assert _found(rows, n, units, 4) == _plain(rows, n, units)


def test_tokens_beyond_16_bits_are_distinct():
    # 5 and 5 + 2**16 have the same low digit, and the order of the high one is the reverse.
    rows = [[5 + 2**16, 5, 2**20, 5 + 2**16, 5], [5, 2**20, 5]]
    for n in (1, 2, 3):
        assert _found(rows, n, [0, 1], 2**20 + 1) == _plain(rows, n, [0, 1])


def test_more_than_2_to_the_16_units():
    rows = [[1, 2]] * 70_000
    counts = find_ngrams(TokenTable.of(rows, 3), 2, np.arange(70_000)).counts()
    assert counts.units.tolist() == list(range(70_000))
    assert counts.totals.tolist() == [70_000]


def test_no_ngram_reaches_into_the_next_text():
    table = TokenTable.of([[1, 2], [], [3, 1, 2]], 4)
    assert sorted(find_ngrams(table, 2).places.tolist()) == [0, 2, 3]


def test_texts_shorter_than_n_have_none():
    counts = find_ngrams(TokenTable.of([[1, 2], [], [3]], 4), 3).counts()
    assert len(counts.firsts) == len(counts.units) == len(counts.totals) == 0


def test_a_table_without_tokens():
    assert len(find_ngrams(TokenTable.of([[], []], 1), 2).counts().firsts) == 0


@given(ROWS)
def test_totals_and_spread(rows):
    counts = find_ngrams(TokenTable.of(rows, 4), 1).counts()
    every = Counter(token for row in rows for token in row)
    assert counts.totals.tolist() == [every[token] for token in sorted(every)]
    where = Counter(token for row in rows for token in set(row))
    assert counts.spread.tolist() == [where[token] for token in sorted(where)]
