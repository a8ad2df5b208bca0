"""Assign items to annotators, and lease each until it is rated."""

import secrets
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from mauve.study.settings import StudySettings
from mauve.study.store.choosing import Chosen, choose_item, given_to, has_room, why_none
from mauve.study.store.database import Study, settings_of
from mauve.study.store.displayed import displayed
from mauve.study.store.records import Annotator, Assignment, NoneLeft, Outcome, Paused, Reason
from mauve.study.store.refusals import ConsentError, LeaseError
from mauve.study.store.schema import ANNOTATOR, ASSIGNMENT, STUDY

_PERSON = sa.select(ANNOTATOR).where(ANNOTATOR.c.id == sa.bindparam("person"))
_WITH_LEASE = sa.select(ASSIGNMENT).where(ASSIGNMENT.c.lease == sa.bindparam("lease"))
_UNRATED = (
    sa.select(ASSIGNMENT)
    .where(ASSIGNMENT.c.annotator_id == sa.bindparam("person"), ASSIGNMENT.c.n_revisions == 0)
    .order_by(ASSIGNMENT.c.number.desc())
)
_DISPLAYED = displayed().where(ASSIGNMENT.c.id == sa.bindparam("assignment"))
_NEW = sa.insert(ASSIGNMENT).returning(ASSIGNMENT.c.id)
_IS_PAUSED = sa.select(STUDY.c.is_paused)


def next_item(study: Study, annotator: Annotator) -> Outcome:
    """Return the next item for an annotator; until it is rated, the same one.

    Notes
    -----
    The pair is the one furthest below its target, counting valid ratings and items that other
    people hold at the moment. Of that pair's items those come first whose prompt this person has
    not met in another pair. Which continuation is displayed as A is drawn and stored with the
    assignment. One of every `attention_every` items is an attention check, and one of every
    `repeat_every` an earlier item with its sides exchanged.

    An item that is not rated within `lease_seconds` may be given to somebody else. If nobody has
    taken it when its first annotator returns, the lease begins again.

    Raises
    ------
    ConsentError
        If the annotator has not agreed to the current consent text.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> from mauve.study.store.people import annotator_of, enrol, record_consent
    >>> study = example_study()
    >>> session = enrol(study)
    >>> record_consent(study, annotator_of(study, session), study.settings.consent_version)
    >>> item = next_item(study, annotator_of(study, session))
    >>> item.number, item == next_item(study, annotator_of(study, session))
    (1, True)
    """
    now = study.clock()
    with study.writing() as connection:
        return next_within(connection, annotator, now)


def next_within(connection: Connection, annotator: Annotator, now: float) -> Outcome:
    """Return the next item as :func:`next_item` does, within a transaction that writes."""
    settings = settings_of(connection)
    person = connection.execute(_PERSON, {"person": annotator.number}).one()
    if person.consent_version != settings.consent_version:
        raise ConsentError("Read the consent text and agree to it first.")
    held = _held(connection, person.id, now, settings)
    if held is not None:
        return held
    given = given_to(connection, person.id)
    if connection.execute(_IS_PAUSED).scalar_one():
        return Paused(given.n_rated)
    reason: Reason
    if person.is_excluded or person.n_failed_checks > settings.max_failed_checks:
        reason = "closed"
    elif given.n_rated >= (settings.items_per_annotator or given.n_rated + 1):
        reason = "limit"
    else:
        chosen = choose_item(connection, person.id, given, now, settings)
        if chosen is not None:
            return _assign(connection, person.id, given.n + 1, chosen, now, settings)
        reason = why_none(connection, now)
    # Also where other people hold all that is left: whoever does not wait has done their part.
    if person.completed_at is None and given.n_rated:
        connection.execute(
            sa.update(ANNOTATOR).where(ANNOTATOR.c.id == person.id).values(completed_at=now)
        )
    return NoneLeft(reason, given.n_rated)


def renew(study: Study, annotator: Annotator, lease: str) -> float:
    """Let the lease of an item begin again, for a page that is being read, and return its end.

    Raises
    ------
    LeaseError
        If it is not a lease of this annotator, or if somebody else has been given the item.
    """
    now = study.clock()
    with study.writing() as connection:
        settings = settings_of(connection)
        row = own_assignment(connection, annotator, lease)
        if row.n_revisions:
            return float(row.expires_at)
        if row.expires_at <= now and not has_room(connection, row.kind, row.item_id, now):
            raise LeaseError("This item was given to somebody else after a long time: go on.")
        return _renewed(connection, row.id, now, settings)


def own_assignment(connection: Connection, annotator: Annotator, lease: str) -> Row[Any]:
    """Return the assignment with a lease, or raise unless it is of this annotator."""
    row = connection.execute(_WITH_LEASE, {"lease": lease}).one_or_none()
    if row is None or row.annotator_id != annotator.number:
        raise LeaseError("This item is not assigned to you: load the page again.")
    return row


def _held(
    connection: Connection, person: int, now: float, settings: StudySettings
) -> Assignment | None:
    """Return the item that the annotator was given and has not rated, if it is still free."""
    for row in connection.execute(_UNRATED, {"person": person}).all():
        if row.expires_at <= now:
            if not has_room(connection, row.kind, row.item_id, now):
                continue
            _renewed(connection, row.id, now, settings)
        return _assignment(connection, row.id)
    return None


def _assign(
    connection: Connection,
    person: int,
    number: int,
    chosen: Chosen,
    now: float,
    settings: StudySettings,
) -> Assignment:
    row = {
        "annotator_id": person, "item_id": chosen.item, "number": number, "kind": chosen.kind,
        "a_is_left": chosen.a_is_left, "lease": secrets.token_urlsafe(24), "leased_at": now,
        "expires_at": now + settings.lease_seconds, "n_revisions": 0, "seconds": 0.0,
    }  # fmt: skip
    id_ = connection.execute(_NEW, row).scalar_one()
    return _assignment(connection, id_)


def _assignment(connection: Connection, id_: int) -> Assignment:
    row = connection.execute(_DISPLAYED, {"assignment": id_}).one()
    return Assignment(row.lease, row.number, row.context, row.left, row.right, row.expires_at)


def _renewed(connection: Connection, id_: int, now: float, settings: StudySettings) -> float:
    end = now + settings.lease_seconds
    connection.execute(sa.update(ASSIGNMENT).where(ASSIGNMENT.c.id == id_).values(expires_at=end))
    return end
