"""Which ratings count, computed again from what is stored."""

import random

import pytest
import sqlalchemy as sa
from annotating import Clock, answer, enrolled, rate, rate_all
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.study.store.assignment import next_item
from mauve.study.store.collected import study_ratings
from mauve.study.store.control import change_rules, exclude, include
from mauve.study.store.database import settings_of
from mauve.study.store.example import example_study
from mauve.study.store.quality import recount
from mauve.study.store.records import Assignment, NoneLeft
from mauve.study.store.reports import annotator_reports, pair_progress, study_progress
from mauve.study.store.schema import ANNOTATOR, ASSIGNMENT, ITEM, PAIR
from mauve.study.store.submission import submit


def counts(study):
    """Return every count that is kept beside the ratings."""
    with study.reading() as connection:
        return [
            connection.execute(sa.select(table.c.id, column).order_by(table.c.id)).all()
            for table, column in (
                (PAIR, PAIR.c.n_valid),
                (ITEM, ITEM.c.n_valid),
                (ANNOTATOR, ANNOTATOR.c.n_failed_checks),
                (ASSIGNMENT, ASSIGNMENT.c.seconds),
            )
        ]


def timed_study(**settings):
    """Return a study that asks for 25 seconds, and its clock."""
    clock = Clock()
    return example_study(clock=clock, min_active_seconds=25, **settings), clock


def rate_in(study, clock, annotator, active, passed=None):
    item = next_item(study, annotator)
    clock.now += active if passed is None else passed
    submit(study, annotator, answer(item, active=active))
    return item


def test_ratings_under_the_least_active_time_do_not_count_and_go_to_others():
    study, clock = timed_study(n_prompts=1, ratings_per_pair=1)
    annotator = enrolled(study)
    for seconds in (24.9, 25.0, 60.0):
        rate_in(study, clock, annotator, seconds)
    assert study_progress(study).n_valid == 2
    assert next_item(study, annotator) == NoneLeft("seen", 3)
    rate_in(study, clock, enrolled(study), 30)
    assert [pair.n_valid for pair in pair_progress(study)] == [1, 1, 1]
    assert [row.valid for row in study_ratings(study, valid_only=False).rows].count(False) == 1
    assert len(study_ratings(study)) == 3


def test_active_time_is_held_against_the_clock_of_the_server():
    study, clock = timed_study()
    annotator = enrolled(study)
    rate_in(study, clock, annotator, active=500, passed=3)
    assert study_progress(study).n_valid == 0
    assert study_ratings(study, valid_only=False).rows[0].active_seconds == 3


def test_a_clock_that_is_set_back_makes_no_negative_time():
    study, clock = timed_study()
    rate_in(study, clock, enrolled(study), active=30, passed=-10)
    (rating,) = study_ratings(study, valid_only=False).rows
    assert (rating.active_seconds, rating.valid) == (0, False)


def test_the_time_of_all_submissions_of_an_item_counts_together():
    study, clock = timed_study()
    annotator = enrolled(study)
    item = rate_in(study, clock, annotator, 20)
    assert study_progress(study).n_valid == 0
    clock.now += 6
    submit(study, annotator, answer(item, active=6))
    assert study_progress(study).n_valid == 1


def test_rules_change_what_counts_and_back(location, opened):
    clock = Clock()
    study = opened(example_study(location, clock=clock, min_active_seconds=25))
    annotator = enrolled(study)
    for seconds in (10, 20, 30):
        rate_in(study, clock, annotator, seconds)
    expected = {25: 1, 15: 2, 0: 3, 40: 0}
    for limit, n_valid in expected.items():
        change_rules(study, min_active_seconds=limit)
        assert study_progress(study).n_valid == len(study_ratings(study)) == n_valid
    assert study_progress(study).n_invalid == 3
    with pytest.raises(InvalidParameterError, match="'seed' cannot change while a study runs"):
        change_rules(study, seed=3)
    with pytest.raises(InvalidParameterError, match="min_active_seconds"):
        change_rules(study, min_active_seconds=-1)


def test_who_fails_more_checks_than_allowed_does_not_count(location, opened):
    study = opened(example_study(location, n_prompts=12, attention_every=4, max_failed_checks=1))
    careless, careful = enrolled(study), enrolled(study)
    rate_all(study, careless, answers=(3, 3, 3))  # a tie fails a check
    first, second = annotator_reports(study)
    assert (first.n_failed_checks, first.is_trusted, first.n_valid) == (2, False, 0)
    assert next_item(study, careless).reason == "closed"
    while isinstance(item := next_item(study, careful), Assignment):
        shuffled_left = item.left == shuffled(study, item)
        submit(study, careful, answer(item, (3, 5 if shuffled_left else 1, 3)))
    second = annotator_reports(study)[1]
    assert second.n_checks >= 9
    assert (second.n_failed_checks, second.is_trusted, second.n_valid) == (0, True, 36)
    change_rules(study, max_failed_checks=2)
    assert annotator_reports(study)[0].is_trusted
    change_rules(study, max_failed_checks=1)
    assert [pair.n_valid for pair in pair_progress(study)] == [12, 12, 12]


def shuffled(study, item):
    """Return the text of an item that is no system's, if there is one."""
    query = sa.text("SELECT text FROM continuation WHERE system_id IS NULL AND text IN (:a, :b)")
    with study.reading() as connection:
        return connection.execute(query, {"a": item.left, "b": item.right}).scalar_one_or_none()


def test_a_failed_check_can_be_mended_on_the_way_back():
    study = example_study(attention_every=2, max_failed_checks=0)
    annotator = enrolled(study)
    while not annotator_reports(study)[0].n_failed_checks:
        item = rate(study, annotator, answers=(3, 3, 3))
    assert not annotator_reports(study)[0].is_trusted
    right = 5 if item.left == shuffled(study, item) else 1
    submit(study, annotator, answer(item, (3, right, 3)))
    report = annotator_reports(study)[0]
    assert (report.is_trusted, report.n_valid) == (True, report.n_rated - 1)


def test_self_agreement_ties_and_sides_by_hand():
    study = example_study(n_prompts=20, repeat_every=5)
    annotator = enrolled(study)
    rate_all(study, annotator, answers=(1, 3, 5))
    (report,) = annotator_reports(study)
    # Sides are exchanged: always the left one contradicts itself, and a tie is a tie again.
    assert report.n_repeats >= 10
    assert report.self_agreement == pytest.approx(1 / 3)
    assert report.tie_share == pytest.approx(1 / 3)
    assert report.left_share == pytest.approx(1 / 2)
    assert report.n_valid == 60
    assert sum(row.repeat for row in study_ratings(study).rows) == report.n_repeats


@given(seed=st.integers(0, 10_000))
@hypothesis_settings(max_examples=12)
def test_what_is_kept_always_equals_what_is_counted_again(seed):
    rng = random.Random(seed)
    study, clock = timed_study(
        n_prompts=6, overlap=0.5, attention_every=3, repeat_every=4, lease_seconds=90
    )
    people = [enrolled(study) for _ in range(4)]
    held = {}
    for _ in range(40):
        person = rng.choice(people)
        action = rng.random()
        clock.now += rng.choice([1, 20, 30, 100])
        if action < 0.75:
            item = next_item(study, person)
            if isinstance(item, Assignment) and rng.random() < 0.9:
                held[person] = item
                clock.now += rng.choice([1, 30])
                submit(study, person, answer(item, _random_answers(rng), rng.choice([5.0, 30.0])))
        elif action < 0.85 and person in held:
            submit(study, person, answer(held[person], _random_answers(rng)))
        elif action < 0.9:
            exclude(study, person.number, "why not")
        elif action < 0.95:
            include(study, person.number, "why not")
        else:
            change_rules(study, max_failed_checks=rng.randrange(3))
    kept = counts(study)
    with study.writing() as connection:
        recount(connection, settings_of(connection))
    assert counts(study) == kept
    progress = study_progress(study)
    ratings = study_ratings(study).counted()
    assert progress.n_valid == len(ratings) == sum(r.n_valid for r in annotator_reports(study))


def _random_answers(rng):
    return rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 5)
