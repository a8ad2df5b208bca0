"""Assigning and submitting: what one annotator meets, from enrolment to the last item."""

import pytest

from mauve.study.store.assignment import next_item
from mauve.study.store.example import example_study
from mauve.study.store.people import annotator_of, enrol, record_consent
from mauve.study.store.records import Answer, Assignment, NoneLeft
from mauve.study.store.refusals import ConsentError, LeaseError, SubmissionError
from mauve.study.store.submission import own_items, submit


def enrolled(study):
    session = enrol(study)
    record_consent(study, annotator_of(study, session), study.settings.consent_version)
    return annotator_of(study, session)


def answer(item, name="submission-1", answers=(1, 3, 5), **more):
    return Answer(item.lease, name, answers, **{"active_seconds": 40, "wall_seconds": 50, **more})


def test_nothing_is_assigned_before_consent():
    study = example_study()
    with pytest.raises(ConsentError, match="agree to it first"):
        next_item(study, annotator_of(study, enrol(study)))


def test_one_person_rates_every_item_of_a_study_once():
    study = example_study(n_prompts=5)
    annotator = enrolled(study)
    shown = []
    while isinstance(item := next_item(study, annotator), Assignment):
        shown.append(frozenset([item.context, item.left, item.right]))
        submit(study, annotator, answer(item, f"submission-{item.number}"))
    assert len(shown) == len(set(shown)) == 15  # 3 pairs x 5 prompts
    assert item == NoneLeft("complete", 15)
    assert [own.number for own in own_items(study, annotator, last=3)] == [15, 14, 13]


def test_a_lease_is_of_its_annotator():
    study = example_study()
    first, second = enrolled(study), enrolled(study)
    item = next_item(study, first)
    for lease_of in (second,):
        with pytest.raises(LeaseError, match="not assigned to you"):
            submit(study, lease_of, answer(item))
    with pytest.raises(LeaseError, match="not assigned to you"):
        submit(study, first, Answer("guess", "submission-1", (1, 1, 1), 40, 50))
    assert own_items(study, first) == []


def test_a_submission_counts_once_and_a_revision_keeps_history():
    study = example_study()
    annotator = enrolled(study)
    item = next_item(study, annotator)
    receipt = submit(study, annotator, answer(item))
    assert submit(study, annotator, answer(item)) == receipt
    with pytest.raises(SubmissionError, match="used for other answers"):
        submit(study, annotator, answer(item, answers=(2, 3, 5)))
    revised = submit(study, annotator, answer(item, "submission-2", (5, 5, 5), comment="Oh."))
    assert (revised.number, revised.revision) == (1, 2)
    (own,) = own_items(study, annotator)
    assert (own.answers, own.comment, own.revision) == ((5, 5, 5), "Oh.", 2)
    assert (own.left, own.right) == (item.left, item.right)
