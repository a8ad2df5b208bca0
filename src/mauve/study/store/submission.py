"""Take in answers: each submission once, for a lease of its annotator, with all revisions kept."""

import math
import re
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from mauve.study.settings import StudySettings
from mauve.study.store.assignment import next_within, own_assignment
from mauve.study.store.choosing import has_room
from mauve.study.store.database import Study, settings_of
from mauve.study.store.displayed import displayed
from mauve.study.store.quality import (
    n_failed_checks,
    recount,
    recount_item,
    seconds_of_assignment,
)
from mauve.study.store.records import Annotator, Answer, Outcome, OwnItem, Receipt
from mauve.study.store.refusals import ConsentError, LeaseError, SubmissionError
from mauve.study.store.schema import ANNOTATOR, ASSIGNMENT, RATING

LONGEST_COMMENT = 2000
_SUBMISSION_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_LARGEST = 2**31 - 1  # integer that PostgreSQL holds
_LONGEST = 7 * 24 * 3600.0  # seconds; a tab that was open for longer is cut to it
_MOST_REVISIONS = 50  # of one item: nobody changes their mind so often

# Built once: building a query takes longer than the database takes to answer it.
_PERSON = sa.bindparam("person", type_=sa.Integer)
_EARLIER = (
    sa.select(RATING, ASSIGNMENT.c.lease, ASSIGNMENT.c.number)
    .join(ASSIGNMENT, ASSIGNMENT.c.id == RATING.c.assignment_id)
    .where(RATING.c.annotator_id == _PERSON, RATING.c.submission_id == sa.bindparam("submission"))
)
_OWN_ITEMS = (
    displayed(with_answers=True)
    .where(ASSIGNMENT.c.annotator_id == _PERSON, ASSIGNMENT.c.number < sa.bindparam("before"))
    .order_by(ASSIGNMENT.c.number.desc())
    .limit(sa.bindparam("last"))
)
_RATED = (
    sa.update(ASSIGNMENT)
    .where(ASSIGNMENT.c.id == sa.bindparam("assignment"))
    .values(n_revisions=sa.bindparam("revision"), seconds=seconds_of_assignment())
)
_NEW = sa.insert(RATING)
_N_FAILED = sa.select(ANNOTATOR.c.n_failed_checks).where(ANNOTATOR.c.id == _PERSON)
_COUNT_FAILED = (
    sa.update(ANNOTATOR).where(ANNOTATOR.c.id == _PERSON).values(n_failed_checks=n_failed_checks())
)


def submit(study: Study, annotator: Annotator, answer: Answer) -> Receipt:
    """Store the answers to an item, and return when they are on disk.

    The same submission sent again returns the same receipt and changes nothing. Another
    submission for the same item is a revision: the last one counts, and all are kept. An item
    whose lease has expired can still be rated if nobody else has been given it. All that is
    assigned can be rated while the study is paused.

    Raises
    ------
    SubmissionError
        If an answer is not from 1 to 5, a time is no number of seconds, the comment is too long,
        or if the identifier was used for other answers.
    LeaseError
        If the lease is unknown, is that of another annotator, or has expired and the item was
        given to somebody else.

    Examples
    --------
    >>> from mauve.study.store.assignment import next_item
    >>> from mauve.study.store.example import example_study
    >>> from mauve.study.store.people import annotator_of, enrol, record_consent
    >>> study = example_study()
    >>> annotator = annotator_of(study, enrol(study))
    >>> record_consent(study, annotator, study.settings.consent_version)
    >>> item = next_item(study, annotator)
    >>> answer = Answer(item.lease, "b1946ac92492", (1, 3, 5), active_seconds=40, wall_seconds=55)
    >>> receipt = submit(study, annotator, answer)
    >>> receipt.number, receipt.revision, submit(study, annotator, answer) == receipt
    (1, 1, True)
    """
    _check(answer)
    now = study.clock()
    with study.writing() as connection:
        return _submitted(connection, annotator, answer, now)


def submit_and_continue(
    study: Study, annotator: Annotator, answer: Answer
) -> tuple[Receipt, Outcome]:
    """Store the answers to an item and return the next one: one wait for the disk, not two.

    Both are as :func:`submit` and :func:`~mauve.study.store.assignment.next_item` do them, in one
    transaction. The same submission sent again returns the item that the annotator holds.

    Raises
    ------
    SubmissionError, LeaseError
        As :func:`submit`. Nothing is stored then.
    ConsentError
        If the annotator has not agreed to the current consent text. The answers are stored.

    Examples
    --------
    >>> from mauve.study.store.assignment import next_item
    >>> from mauve.study.store.example import example_study
    >>> from mauve.study.store.people import annotator_of, enrol, record_consent
    >>> study = example_study()
    >>> annotator = annotator_of(study, enrol(study))
    >>> record_consent(study, annotator, study.settings.consent_version)
    >>> item = next_item(study, annotator)
    >>> answer = Answer(item.lease, "b1946ac92492", (1, 3, 5), active_seconds=40, wall_seconds=55)
    >>> receipt, item = submit_and_continue(study, annotator, answer)
    >>> receipt.number, item.number, item == next_item(study, annotator)
    (1, 2, True)
    """
    _check(answer)
    now = study.clock()
    with study.writing() as connection:
        receipt = _submitted(connection, annotator, answer, now)
        try:
            outcome = next_within(connection, annotator, now)
        except ConsentError as error:  # which must not undo the answers
            refused = error
        else:
            return receipt, outcome
    raise refused


def _submitted(connection: Connection, annotator: Annotator, answer: Answer, now: float) -> Receipt:
    earlier = _earlier(connection, annotator, answer)
    if earlier is not None:
        return earlier
    settings = settings_of(connection)
    row = own_assignment(connection, annotator, answer.lease)
    if (
        not row.n_revisions
        and row.expires_at <= now
        and not has_room(connection, row.kind, row.item_id, now)
    ):
        raise LeaseError("This item was given to somebody else after a long time: go on.")
    if row.n_revisions >= _MOST_REVISIONS:
        raise SubmissionError("This item was changed too often: go on with the next one.")
    revision = row.n_revisions + 1
    _store(connection, row, answer, revision, now)
    _count(connection, row, settings)
    return Receipt(answer.submission_id, row.number, revision, now)


def own_items(
    study: Study, annotator: Annotator, *, last: int = 20, before: int | None = None
) -> list[OwnItem]:
    """Return items that the annotator has rated, the latest first, with the last answers.

    Parameters
    ----------
    study : Study
    annotator : Annotator
    last : int
        How many.
    before : int, optional
        Only items with a smaller number.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> from mauve.study.store.people import annotator_of, enrol
    >>> study = example_study()
    >>> own_items(study, annotator_of(study, enrol(study)))
    []
    """
    values = {
        "person": annotator.number,
        "last": last,
        "before": _LARGEST if before is None else before,
    }
    with study.reading() as connection:
        rows = connection.execute(_OWN_ITEMS, values).all()
    return [
        OwnItem(
            row.lease, row.number, row.context, row.left, row.right, _answers(row), row.comment,
            row.n_revisions,
        )
        for row in rows
    ]  # fmt: skip


def _check(answer: Answer) -> None:
    if not isinstance(answer.submission_id, str) or not _SUBMISSION_ID.fullmatch(
        answer.submission_id
    ):
        raise SubmissionError("The identifier of a submission must have 8 to 64 letters or digits.")
    answers = answer.answers
    if len(answers) != 3 or not all(type(a) is int and 1 <= a <= 5 for a in answers):
        raise SubmissionError("Each of the three questions must have an answer from 1 to 5.")
    for seconds in (answer.active_seconds, answer.wall_seconds):
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not math.isfinite(seconds) or seconds < 0:
            raise SubmissionError("Times must be numbers of seconds from 0 on.")
    if not isinstance(answer.comment, str) or len(answer.comment) > LONGEST_COMMENT:
        raise SubmissionError(f"A comment must have at most {LONGEST_COMMENT} characters.")


def _earlier(connection: Connection, annotator: Annotator, answer: Answer) -> Receipt | None:
    """Return the receipt of the same submission, if it was stored before."""
    values = {"person": annotator.number, "submission": answer.submission_id}
    row = connection.execute(_EARLIER, values).one_or_none()
    if row is None:
        return None
    if (row.lease, _answers(row), row.comment) != (
        answer.lease, tuple(answer.answers), _storable(answer.comment),
    ):  # fmt: skip
        raise SubmissionError(
            "The identifier of this submission was used for other answers: submit it again."
        )
    return Receipt(row.submission_id, row.number, row.revision, row.received_at)


def _store(
    connection: Connection, row: Row[Any], answer: Answer, revision: int, now: float
) -> None:
    interesting, sensible, human_like = answer.answers
    values = {
        "assignment_id": row.id,
        "annotator_id": row.annotator_id,
        "submission_id": answer.submission_id,
        "revision": revision,
        "interesting": interesting,
        "sensible": sensible,
        "human_like": human_like,
        "active_seconds": min(float(answer.active_seconds), _LONGEST),
        "wall_seconds": min(float(answer.wall_seconds), _LONGEST),
        "comment": _storable(answer.comment),
        "received_at": now,
    }
    connection.execute(_NEW, values)
    connection.execute(_RATED, {"assignment": row.id, "revision": revision})


def _count(connection: Connection, row: Row[Any], settings: StudySettings) -> None:
    """Count what a new rating changes, by the same queries that count everything again."""
    if row.kind != "attention":
        recount_item(connection, row.item_id, settings)
        return
    this = {"person": row.annotator_id}
    before = connection.execute(_N_FAILED, this).scalar_one()
    connection.execute(_COUNT_FAILED, this)
    after = connection.execute(_N_FAILED, this).scalar_one()
    limit = settings.max_failed_checks
    if (before <= limit) != (after <= limit):  # all ratings of this annotator change
        recount(connection, settings)


def _answers(row: Row[Any]) -> tuple[int, int, int]:
    return row.interesting, row.sensible, row.human_like


def _storable(comment: str) -> str:
    """Return a comment without the characters that PostgreSQL cannot hold."""
    return comment.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
