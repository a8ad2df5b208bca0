"""Annotators and a clock for the tests of the store."""

import itertools

from mauve.study.store.assignment import next_item
from mauve.study.store.people import annotator_of, enrol, record_consent
from mauve.study.store.records import Answer, Assignment
from mauve.study.store.submission import submit

_NUMBERS = itertools.count()


class Clock:
    """A clock that the test sets."""

    def __init__(self, now=1_000_000.0):
        self.now = now

    def __call__(self):
        return self.now


def enrolled(study, **how):
    """Return a new annotator who has consented."""
    session = enrol(study, **how)
    record_consent(study, annotator_of(study, session), study.settings.consent_version)
    return annotator_of(study, session)


def answer(item, answers=(1, 3, 5), active=40.0, **more):
    """Return answers under a submission identifier of their own."""
    values = {"submission_id": f"submission-{next(_NUMBERS)}", "wall_seconds": active + 10}
    return Answer(item.lease, answers=answers, active_seconds=active, **{**values, **more})


def rate(study, annotator, **how):
    """Rate the next item and return it; None if there is none."""
    item = next_item(study, annotator)
    if not isinstance(item, Assignment):
        return None
    submit(study, annotator, answer(item, **how))
    return item


def rate_all(study, annotator, **how):
    """Rate all items that the annotator is given, and return them."""
    return [*iter(lambda: rate(study, annotator, **how), None)]
