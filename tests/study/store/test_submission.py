"""Submitting: each submission once, for a lease of its annotator, with all revisions kept."""

from dataclasses import replace

import pytest
import sqlalchemy as sa
from annotating import answer, enrolled, rate

from mauve.study.store.assignment import next_item
from mauve.study.store.collected import study_ratings
from mauve.study.store.example import example_study
from mauve.study.store.records import Answer
from mauve.study.store.refusals import ConsentError, LeaseError, SubmissionError
from mauve.study.store.schema import STUDY
from mauve.study.store.submission import own_items, submit, submit_and_continue


def test_a_lease_is_of_its_annotator():
    study = example_study()
    first, second = enrolled(study), enrolled(study)
    item = next_item(study, first)
    with pytest.raises(LeaseError, match="not assigned to you"):
        submit(study, second, answer(item))
    with pytest.raises(LeaseError, match="not assigned to you"):
        submit(study, first, Answer("guess", "submission-1", (1, 1, 1), 40, 50))
    assert own_items(study, first) == []


def test_a_submission_counts_once_and_revisions_keep_history(location, opened):
    study = opened(example_study(location))
    annotator = enrolled(study)
    item = next_item(study, annotator)
    first = answer(item, (1, 3, 5), comment="Hm.")
    receipt = submit(study, annotator, first)
    assert submit(study, annotator, replace(first, active_seconds=99)) == receipt
    with pytest.raises(SubmissionError, match="used for other answers"):
        submit(study, annotator, replace(first, answers=(2, 3, 5)))
    revised = submit(study, annotator, answer(item, (5, 5, 4), comment="Oh. \x00 'DROP TABLE--"))
    assert (revised.number, revised.revision) == (1, 2)
    (own,) = own_items(study, annotator)
    assert (own.answers, own.comment, own.revision) == ((5, 5, 4), "Oh. \ufffd 'DROP TABLE--", 2)
    assert (own.left, own.right) == (item.left, item.right)
    with study.reading() as connection:
        rows = connection.exec_driver_sql("SELECT interesting, comment FROM rating ORDER BY id")
        assert [tuple(row) for row in rows] == [(1, "Hm."), (5, "Oh. \ufffd 'DROP TABLE--")]
    (rating,) = study_ratings(study).rows
    assert rating.choices == (5, 5, 4)
    assert rating.wall_seconds == pytest.approx(100)


def test_answers_and_the_next_item_are_one_write(location, opened):
    study = opened(example_study(location))
    annotator = enrolled(study)
    first = next_item(study, annotator)
    sent, commits = answer(first), []
    sa.event.listen(study.engine, "commit", commits.append)
    receipt, second = submit_and_continue(study, annotator, sent)
    assert len(commits) == 1
    assert (receipt.number, second.number) == (1, 2)
    assert submit_and_continue(study, annotator, sent) == (receipt, second)
    assert next_item(study, annotator) == second
    with pytest.raises(SubmissionError, match="used for other answers"):
        submit_and_continue(study, annotator, replace(sent, answers=(2, 3, 5)))
    assert [own.answers for own in own_items(study, annotator)] == [(1, 3, 5)]


def test_answers_are_stored_although_consent_is_to_be_asked_for_again():
    study = example_study()
    annotator = enrolled(study)
    sent = answer(next_item(study, annotator))
    settings = study.settings.changed(consent="Another text.")
    with study.writing() as connection:
        connection.execute(sa.update(STUDY).values(settings=settings.to_json()))
    with pytest.raises(ConsentError, match="agree to it first"):
        submit_and_continue(study, annotator, sent)
    assert [own.answers for own in own_items(study, annotator)] == [(1, 3, 5)]


def test_the_same_identifier_of_two_people_is_two_submissions():
    study = example_study()
    for annotator in (enrolled(study), enrolled(study)):
        item = next_item(study, annotator)
        assert submit(study, annotator, answer(item, submission_id="12345678")).number == 1
    assert len(study_ratings(study)) == 2


def test_an_item_cannot_be_revised_for_ever():
    study = example_study()
    annotator = enrolled(study)
    item = next_item(study, annotator)
    for _ in range(50):
        submit(study, annotator, answer(item))
    with pytest.raises(SubmissionError, match="changed too often"):
        submit(study, annotator, answer(item))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"answers": (1, 2)}, "Each of the three questions"),
        ({"answers": (0, 2, 3)}, "Each of the three questions"),
        ({"answers": (1, 2, 6)}, "Each of the three questions"),
        ({"answers": (1, 2, True)}, "Each of the three questions"),
        ({"answers": (1, 2, 3.0)}, "Each of the three questions"),
        ({"active_seconds": -1.0}, "numbers of seconds"),
        ({"active_seconds": float("nan")}, "numbers of seconds"),
        ({"wall_seconds": float("inf")}, "numbers of seconds"),
        ({"submission_id": "short"}, "8 to 64"),
        ({"submission_id": "a" * 65}, "8 to 64"),
        ({"submission_id": "white space"}, "8 to 64"),
        ({"comment": "a" * 2001}, "at most 2000"),
    ],
)
def test_invalid_answers_are_refused_and_nothing_is_stored(wrong, message):
    study = example_study()
    annotator = enrolled(study)
    item = next_item(study, annotator)
    with pytest.raises(SubmissionError, match=message):
        submit(study, annotator, replace(answer(item), **wrong))
    assert own_items(study, annotator) == []


def test_nothing_that_an_annotator_is_handed_names_a_system():
    study = example_study()
    annotator = enrolled(study)
    item = rate(study, annotator)
    (own,) = own_items(study, annotator)
    for shown in (item, own, annotator, next_item(study, annotator)):
        for name in ("human", "large", "small", "normal", "attention"):
            assert name not in repr(shown)
