"""Which ratings count: the rules of quality control, applied to what is stored.

No rule erases anything. A rating counts if its item is no attention check and no repeat, if all
submissions of the item took `min_active_seconds` together, if the operator has not excluded the
annotator, and if the annotator failed at most `max_failed_checks` attention checks.
"""

from functools import lru_cache

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mauve.study.settings import StudySettings
from mauve.study.store.schema import ANNOTATOR, ASSIGNMENT, ITEM, PAIR, RATING

#: Kinds of assignments whose ratings are of a pair.
COUNTED = ("normal", "overlap")


def is_trusted(settings: StudySettings) -> sa.ColumnElement[bool]:
    """Return the condition that the ratings of an annotator count."""
    return sa.and_(
        ANNOTATOR.c.is_excluded.is_(False),
        ANNOTATOR.c.n_failed_checks <= settings.max_failed_checks,
    )


def is_slow_enough(settings: StudySettings) -> sa.ColumnElement[bool]:
    """Return the condition that an assignment took the active time that a rating must take."""
    return ASSIGNMENT.c.seconds >= settings.min_active_seconds


def is_valid(settings: StudySettings) -> sa.ColumnElement[bool]:
    """Return the condition that an assignment, joined with its annotator, has a valid rating."""
    return sa.and_(
        ASSIGNMENT.c.n_revisions > 0,
        ASSIGNMENT.c.kind.in_(COUNTED),
        is_slow_enough(settings),
        is_trusted(settings),
    )


def recount_item(connection: Connection, item: int, settings: StudySettings) -> None:
    """Count the valid ratings of one item again, and those of its pair."""
    count_item, count_pair = _recount_of_item(settings)
    connection.execute(count_item, {"item": item})
    connection.execute(count_pair, {"item": item})


@lru_cache(maxsize=16)
def _recount_of_item(settings: StudySettings) -> tuple[sa.Update, sa.Update]:
    # Built once: building a query takes longer than the database takes to answer it.
    this = sa.bindparam("item", type_=sa.Integer)
    n_valid = _n_valid(settings).where(ASSIGNMENT.c.item_id == this).scalar_subquery()
    pair = sa.select(ITEM.c.pair_id).where(ITEM.c.id == this).scalar_subquery()
    return (
        sa.update(ITEM).where(ITEM.c.id == this).values(n_valid=n_valid),
        sa.update(PAIR).where(PAIR.c.id == pair).values(n_valid=_of_pair()),
    )


def recount(connection: Connection, settings: StudySettings) -> None:
    """Count everything again from the stored ratings: times, failed checks, valid ratings."""
    connection.execute(sa.update(ASSIGNMENT).values(seconds=seconds_of_assignment()))
    connection.execute(sa.update(ANNOTATOR).values(n_failed_checks=n_failed_checks()))
    n_valid = _n_valid(settings).where(ASSIGNMENT.c.item_id == ITEM.c.id)
    n_valid = n_valid.correlate(ITEM)
    connection.execute(sa.update(ITEM).values(n_valid=n_valid.scalar_subquery()))
    connection.execute(sa.update(PAIR).values(n_valid=_of_pair()))


def seconds_of_assignment() -> sa.ColumnElement[float]:
    """Return the active time of an assignment over all submissions, at most the time it took.

    A page reports the active time, so that it is held against the clock of the server: from the
    first lease to the last submission.
    """
    reported = sa.func.coalesce(sa.func.sum(RATING.c.active_seconds), 0.0)
    passed = sa.func.coalesce(sa.func.max(RATING.c.received_at) - ASSIGNMENT.c.leased_at, 0.0)
    # The clock of a machine may be set back.
    shorter = sa.case((passed < 0, 0.0), (reported < passed, reported), else_=passed)
    return (
        sa.select(shorter)
        .where(RATING.c.assignment_id == ASSIGNMENT.c.id)
        .correlate(ASSIGNMENT)
        .scalar_subquery()
    )


def n_failed_checks() -> sa.ColumnElement[int]:
    """Return the attention checks that an annotator has failed, by the last answers.

    In a check, A is a human text and B its words in random order: it is passed by saying that A
    makes more sense, definitely or slightly.
    """
    favours_a = sa.case(
        (ASSIGNMENT.c.a_is_left.is_(True), RATING.c.sensible < 3), else_=RATING.c.sensible > 3
    )
    return (
        sa.select(sa.func.count())
        .select_from(ASSIGNMENT)
        .join(RATING, RATING.c.assignment_id == ASSIGNMENT.c.id)
        .where(
            ASSIGNMENT.c.annotator_id == ANNOTATOR.c.id,
            ASSIGNMENT.c.kind == "attention",
            RATING.c.revision == ASSIGNMENT.c.n_revisions,
            sa.not_(favours_a),
        )
        .correlate(ANNOTATOR)
        .scalar_subquery()
    )


def _n_valid(settings: StudySettings) -> sa.Select[int]:
    return (
        sa.select(sa.func.count())
        .select_from(ASSIGNMENT)
        .join(ANNOTATOR, ANNOTATOR.c.id == ASSIGNMENT.c.annotator_id)
        .where(is_valid(settings))
    )


def _of_pair() -> sa.ColumnElement[int]:
    total = sa.func.coalesce(sa.func.sum(ITEM.c.n_valid), 0)
    return sa.select(total).where(ITEM.c.pair_id == PAIR.c.id).correlate(PAIR).scalar_subquery()
