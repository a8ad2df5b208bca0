"""Agreement of annotators: another package, the example of the literature, limits, repeats."""

import json

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mauve.errors import InvalidParameterError
from mauve.study.agreement import LEVELS, agreement, krippendorff_alpha
from mauve.study.ratings import Rating, Ratings

tables = arrays(float, (4, 7), elements=st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, np.nan])).filter(
    lambda table: ((~np.isnan(table)).sum(axis=0) > 1).any()
)


def ratings_of(table, questions=("better",)):
    """Return ratings with a row of the table for each annotator, the sides mixed."""
    rows = [
        Rating(str(unit), f"p{person}", *pair, (int(choice if pair[0] == "a" else 6 - choice),))
        for person, row in enumerate(table)
        for unit, choice in enumerate(row)
        if not np.isnan(choice)
        for pair in [("a", "b") if (person + unit) % 2 else ("b", "a")]
    ]
    return Ratings(tuple(rows), questions)


@pytest.mark.parametrize("level", LEVELS)
@given(table=tables)
def test_krippendorffs_package_agrees(level, table):
    alpha = krippendorff_alpha(table, level)
    several = (~np.isnan(table)).sum(axis=0) > 1
    values = table[:, several][~np.isnan(table[:, several])]
    if len(np.unique(values)) == 1:
        assert alpha is None
        return
    # That package counts ranks of all ratings, ours of those that can be compared.
    expected = krippendorff.alpha(reliability_data=table[:, several], level_of_measurement=level)
    assert alpha == pytest.approx(expected, abs=1e-12)


def test_the_example_of_krippendorff():
    """Four observers and twelve units, with alphas as published (Krippendorff, 2011)."""
    nan = np.nan
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
    found = [round(krippendorff_alpha(table, level), 3) for level in LEVELS]
    assert found == [0.743, 0.815, 0.849]


@given(tables)
def test_people_and_units_have_no_order(table):
    alpha = krippendorff_alpha(table, "ordinal")
    turned = krippendorff_alpha(table[::-1, ::-1], "ordinal")
    assert alpha == pytest.approx(turned, abs=1e-12)


@given(tables, st.sampled_from(LEVELS))
def test_ratings_give_what_their_table_gives(table, level):
    values = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    assume(len(np.unique(values[~np.isnan(values)])) > 1)
    found = agreement(ratings_of(table), n_draws=100)
    assert found[level].value == pytest.approx(krippendorff_alpha(table, level), abs=1e-12)


def test_all_alike_and_all_at_random():
    rng = np.random.default_rng(0)
    once = rng.integers(1, 6, size=(1, 400)).astype(float)
    alike = agreement(ratings_of(np.repeat(once, 3, axis=0)))
    assert [alpha.value for alpha in alike.alphas] == [1, 1, 1]
    assert (alike.same_choice, alike.direction.interval) == (1, (1, 1))
    chance = agreement(ratings_of(rng.integers(1, 6, size=(3, 400)).astype(float)))
    # Of 1,200 pairs of ratings, the s.d. of nominal alpha is about .015 and of others .03.
    assert all(abs(alpha.value) < 0.13 for alpha in chance.alphas)
    assert all(alpha.interval[0] < alpha.value < alpha.interval[1] for alpha in chance.alphas)


def test_shares_by_hand():
    """Units of (1, 2), (3, 3) and (1, 5, 5): one, one and three pairs of ratings."""
    table = [[1, 3, 1], [2, 3, 5], [np.nan, np.nan, 5]]
    found = agreement(ratings_of(table))
    assert found.same_choice == 2 / 5
    assert found.same_direction == 3 / 5
    assert (found.n_units, found.n_ratings, found.n_annotators) == (3, 7, 3)
    assert "two people chose the same of five in 40.0%" in str(found)


def test_one_answer_alone_is_not_agreement():
    found = agreement(ratings_of(np.full((2, 5), 3.0)))
    assert found["nominal"].value is None
    assert found["nominal"].interval is None
    assert "Alpha is not defined where all choices are the same" in found.sentence()
    assert "--" in found.table()
    json.dumps(found.to_dict(), allow_nan=False)


def test_repeats_are_for_self_agreement_alone():
    rows = [
        Rating("0", "ann", "a", "b", (1,)),
        Rating("0", "bob", "a", "b", (5,)),
        Rating("0", "ann", "b", "a", (4,), repeat=True),  # the same side, shown the other way
        Rating("0", "bob", "a", "b", (3,), repeat=True),
        Rating("7", "bob", "a", "b", (3,), repeat=True),  # of what is not among the ratings
    ]
    found = agreement(Ratings(tuple(rows), ("better",)))
    assert (found.self_agreement, found.n_repeats, found.n_ratings) == (0.5, 2, 2)
    assert "chose the same side in 50.0%" in found.sentence()


def test_what_cannot_agree():
    lonely = Ratings((Rating("0", "ann", "a", "b", (1,)),), ("better",))
    with pytest.raises(InvalidParameterError, match="two texts that several people rated"):
        agreement(lonely)
    with pytest.raises(InvalidParameterError, match="a unit with at least two ratings"):
        krippendorff_alpha([[1.0], [np.nan]], "nominal")
    with pytest.raises(InvalidParameterError, match="'values' must have a row"):
        krippendorff_alpha([1.0, 2.0], "nominal")
    with pytest.raises(InvalidParameterError, match="'level'"):
        krippendorff_alpha([[1.0], [2.0]], "ratio")
    with pytest.raises(InvalidParameterError, match="'n_draws'"):
        agreement(ratings_of([[1], [2]]), n_draws=1)
