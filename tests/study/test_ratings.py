"""Ratings: what a row may be, which count, and how choices are turned to one side."""

import re

import pytest

from mauve.errors import InvalidParameterError
from mauve.study.ratings import Rating, Ratings


def row(item="0", annotator="ann", a="human", b="xl", choices=(1,), **other):
    return Rating(item, annotator, a, b, choices, **other)


def ratings(*rows, **options):
    return Ratings(rows, ("better",), **options)


def test_the_choice_of_a_pair_does_not_depend_on_the_side():
    shown, turned = row(choices=(2,)), row(a="xl", b="human", choices=(4,))
    assert shown.pair == turned.pair == ("human", "xl")
    assert shown.choice(0) == turned.choice(0) == 2
    assert row(a="xl", b="human", choices=(3,)).choice(0) == 3
    assert row(a="xl", b="human", choices=(None,)).choice(0) is None


def test_active_time_comes_before_wall_time():
    assert row(active_seconds=20, wall_seconds=90).seconds == 20
    assert row(wall_seconds=90).seconds == 90
    assert row().seconds is None


def test_fast_ratings_are_left_out_strictly_and_none_is_erased():
    rows = [row(str(s), wall_seconds=s) for s in (24.9, 25, 25.1)]
    every = ratings(*rows)
    assert [r.item for r in every.counted(longer_than=25).rows] == ["25.1"]
    assert len(every.counted()) == len(every) == 3


def test_invalid_ratings_and_repeats_do_not_count():
    rows = row("0"), row("1", valid=False), row("0", repeat=True)
    assert [r.item for r in ratings(*rows).counted().rows] == ["0"]


def test_systems_can_be_left_out():
    every = ratings(row(), row(b="large"), row(a="xl", b="large"))
    assert every.without(["human"]).rows == (row(a="xl", b="large"),)
    with pytest.raises(InvalidParameterError, match="'gpt3' must be a system of the ratings"):
        every.without(["gpt3"])


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (row(choices=(0,)), "must have choices from 1 to 5. Got (0,)."),
        (row(choices=(1, 2)), "must have a choice for each of better. Got 2."),
        (row(b="human"), "must have two different systems. Got 'human' for both."),
        (row(annotator=""), "must have the names of an item, an annotator and two systems."),
        (row(wall_seconds=-1.0), "must have finite times of at least 0 seconds."),
        (row(active_seconds=float("nan")), "must have finite times of at least 0 seconds."),
    ],
)
def test_a_row_that_makes_no_sense_is_named(bad, says):
    with pytest.raises(InvalidParameterError, match=re.escape(says)) as error:
        ratings(row("9"), bad, source="study.csv")
    assert str(error.value).startswith("Rating 2 of 'study.csv' must have")


def test_a_second_rating_of_the_same_pair_must_be_marked():
    again = row(a="xl", b="human", choices=(4,))
    with pytest.raises(InvalidParameterError, match="Ratings 1 and 2 of the ratings are both by"):
        ratings(row(), again)
    ratings(row(), row(annotator="bob"), row(b="large"), row(repeat=True))


def test_questions_have_names_of_their_own():
    with pytest.raises(InvalidParameterError, match="at least one question"):
        Ratings((), ("a", "a"))
    with pytest.raises(InvalidParameterError, match="'fun' must be a question of the ratings"):
        ratings().question("fun")


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_the_limit_of_time_is_a_number(seconds):
    with pytest.raises(InvalidParameterError, match="'longer_than'"):
        ratings(row(wall_seconds=1)).counted(longer_than=seconds)


def test_ratings_without_times_cannot_be_filtered_by_time():
    with pytest.raises(InvalidParameterError, match="must have the seconds that each rating took"):
        ratings(row()).counted(longer_than=25)
