"""Assign items to annotators: the pair furthest below its target first, nothing twice."""

import random
import secrets
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from mauve.study.settings import StudySettings
from mauve.study.store.database import Study, settings_of
from mauve.study.store.displayed import displayed
from mauve.study.store.quality import COUNTED, is_trusted
from mauve.study.store.records import Annotator, Assignment, NoneLeft, Paused, Reason
from mauve.study.store.refusals import ConsentError, LeaseError
from mauve.study.store.schema import ANNOTATOR, ASSIGNMENT, ITEM, PAIR, STUDY

_GAP = 5  # items between an item and its repeat, where there are as many


class _Chosen(NamedTuple):
    item: int
    kind: str
    a_is_left: bool


def next_item(study: Study, annotator: Annotator) -> Assignment | NoneLeft | Paused:
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
        settings = settings_of(connection)
        person = connection.execute(
            sa.select(ANNOTATOR, is_trusted(settings).label("is_trusted")).where(
                ANNOTATOR.c.id == annotator.number
            )
        ).one()
        if person.consent_version != settings.consent_version:
            raise ConsentError("Read the consent text and agree to it first.")
        held = _held(connection, person.id, now, settings)
        if held is not None:
            return held
        n_given, n_rated = _counts(connection, person.id)
        if connection.execute(sa.select(STUDY.c.is_paused)).scalar_one():
            return Paused(n_rated)
        reason: Reason | None = None
        chosen = None
        if not person.is_trusted:
            reason = "closed"
        elif settings.items_per_annotator is not None and n_rated >= settings.items_per_annotator:
            reason = "limit"
        else:
            chosen = _choose(connection, person.id, n_given + 1, now, settings)
        if chosen is not None:
            return _assign(connection, person.id, n_given + 1, chosen, now, settings)
        reason = reason or _why_none(connection, now)
        if person.completed_at is None and reason != "assigned":
            connection.execute(
                sa.update(ANNOTATOR).where(ANNOTATOR.c.id == person.id).values(completed_at=now)
            )
        return NoneLeft(reason, n_rated)


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
        if row.expires_at <= now and not has_room(connection, row, now):
            raise LeaseError("This item was given to somebody else after a long time: go on.")
        return _renewed(connection, row.id, now, settings)


def own_assignment(connection: Connection, annotator: Annotator, lease: str) -> Row[Any]:
    """Return the assignment with a lease, or raise unless it is of this annotator."""
    row = connection.execute(sa.select(ASSIGNMENT).where(ASSIGNMENT.c.lease == lease)).one_or_none()
    if row is None or row.annotator_id != annotator.number:
        raise LeaseError("This item is not assigned to you: load the page again.")
    return row


def has_room(connection: Connection, assignment: Row[Any], now: float) -> bool:
    """Return whether the item of an expired lease still needs a rating; checks always do."""
    if assignment.kind not in COUNTED:
        return True
    room = ITEM.c.target - ITEM.c.n_valid - _n_live(ITEM.c.id, now)
    query = sa.select(room > 0).where(ITEM.c.id == assignment.item_id)
    return bool(connection.execute(query).scalar_one())


def _held(
    connection: Connection, person: int, now: float, settings: StudySettings
) -> Assignment | None:
    """Return the item that the annotator was given and has not rated, if it is still free."""
    query = (
        sa.select(ASSIGNMENT)
        .where(ASSIGNMENT.c.annotator_id == person, ASSIGNMENT.c.n_revisions == 0)
        .order_by(ASSIGNMENT.c.number.desc())
    )
    for row in connection.execute(query).all():
        if row.expires_at <= now:
            if not has_room(connection, row, now):
                continue
            _renewed(connection, row.id, now, settings)
        return _assignment(connection, row.id)
    return None


def _counts(connection: Connection, person: int) -> tuple[int, int]:
    """Return how many items the annotator was given, and how many are rated."""
    rated = sa.func.coalesce(sa.func.sum(sa.case((ASSIGNMENT.c.n_revisions > 0, 1), else_=0)), 0)
    query = sa.select(sa.func.count(), rated).where(ASSIGNMENT.c.annotator_id == person)
    n_given, n_rated = connection.execute(query).one()
    return n_given, n_rated


def _choose(
    connection: Connection, person: int, number: int, now: float, settings: StudySettings
) -> _Chosen | None:
    """Return an item for the annotator: a check or a repeat if it is time, or the most needed."""
    check = repeat = None
    if _is_time(settings, person, number, settings.attention_every, "attention"):
        check = _attention_check(connection, person)
    elif _is_time(settings, person, number, settings.repeat_every, "repeat"):
        repeat = _repeat(connection, person, number)
    # A person for whom nothing is left is given no check either.
    needed = _most_needed(connection, person, now)
    return needed and (check or repeat or needed)


def _is_time(settings: StudySettings, person: int, number: int, every: int, what: str) -> bool:
    """Return whether it is this number's turn: one number, drawn at random, in each `every`."""
    if not every:
        return False
    block, place = divmod(number - 1, every)
    return place == random.Random(f"{settings.seed} {what} {person} {block}").randrange(every)


def _attention_check(connection: Connection, person: int) -> _Chosen | None:
    seen = sa.select(ASSIGNMENT.c.item_id).where(ASSIGNMENT.c.annotator_id == person)
    query = sa.select(ITEM.c.id).where(ITEM.c.pair_id.is_(None), ITEM.c.id.not_in(seen))
    items = connection.execute(query).scalars().all()
    return _Chosen(secrets.choice(items), "attention", _coin()) if items else None


def _repeat(connection: Connection, person: int, number: int) -> _Chosen | None:
    """Return a rated item of the annotator, with its sides exchanged."""
    mine = ASSIGNMENT.c.annotator_id == person
    repeated = sa.select(ASSIGNMENT.c.item_id).where(mine, ASSIGNMENT.c.kind == "repeat")
    query = sa.select(ASSIGNMENT.c.item_id, ASSIGNMENT.c.a_is_left).where(
        mine,
        ASSIGNMENT.c.kind.in_(COUNTED),
        ASSIGNMENT.c.n_revisions > 0,
        ASSIGNMENT.c.number < number - _GAP,
        ASSIGNMENT.c.item_id.not_in(repeated),
    )
    rows = connection.execute(query).all()
    if not rows:
        return None
    item, a_was_left = secrets.choice(rows)
    return _Chosen(item, "repeat", not a_was_left)


def _most_needed(connection: Connection, person: int, now: float) -> _Chosen | None:
    """Return an item of the pair furthest below its target that this annotator can be given."""
    live = n_live_by(ITEM.c.pair_id, now)
    missing = PAIR.c.target - PAIR.c.n_valid - sa.func.coalesce(live.c.n, 0)
    pairs = (
        sa.select(PAIR.c.id)
        .outerjoin(live, live.c.id == PAIR.c.id)
        .where(missing > 0)
        .order_by(missing.desc(), PAIR.c.id)
    )
    for pair in connection.execute(pairs).scalars().all():
        item = connection.execute(_free_items(pair, person, now).limit(1)).one_or_none()
        if item is not None:
            return _Chosen(item.id, "normal" if item.target == 1 else "overlap", _coin())
    return None


def _free_items(pair: int, person: int, now: float) -> sa.Select[Any]:
    """Return the query of a pair's items that need ratings and that the annotator has not seen."""
    mine = ASSIGNMENT.alias("mine")
    shown = ITEM.alias("shown")
    seen = sa.select(mine.c.item_id).where(mine.c.annotator_id == person)
    prompts = (
        sa.select(shown.c.prompt_id)
        .join(mine, mine.c.item_id == shown.c.id)
        .where(mine.c.annotator_id == person)
    )
    return (
        sa.select(ITEM.c.id, ITEM.c.target)
        .where(
            ITEM.c.pair_id == pair,
            ITEM.c.target - ITEM.c.n_valid - _n_live(ITEM.c.id, now) > 0,
            ITEM.c.id.not_in(seen),
        )
        .order_by(ITEM.c.prompt_id.in_(prompts), ITEM.c.id)
    )


def _live(now: float) -> sa.ColumnElement[bool]:
    return sa.and_(
        ASSIGNMENT.c.n_revisions == 0,
        ASSIGNMENT.c.expires_at > now,
        ASSIGNMENT.c.kind.in_(COUNTED),
    )


def _n_live(item: sa.ColumnElement[int], now: float) -> sa.ColumnElement[int]:
    """Return the number of people who hold an item at the moment."""
    return (
        sa.select(sa.func.count())
        .select_from(ASSIGNMENT)
        .where(ASSIGNMENT.c.item_id == item, _live(now))
        .correlate(ITEM)
        .scalar_subquery()
    )


def n_live_by(group: sa.ColumnElement[Any], now: float) -> sa.Subquery:
    """Return the number of items that people hold at the moment, by a column of the items."""
    return (
        sa.select(group.label("id"), sa.func.count().label("n"))
        .select_from(ASSIGNMENT)
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .where(_live(now))
        .group_by(group)
        .subquery()
    )


def _assign(
    connection: Connection,
    person: int,
    number: int,
    chosen: _Chosen,
    now: float,
    settings: StudySettings,
) -> Assignment:
    row = sa.insert(ASSIGNMENT).values(
        annotator_id=person, item_id=chosen.item, number=number, kind=chosen.kind,
        a_is_left=chosen.a_is_left, lease=secrets.token_urlsafe(24), leased_at=now,
        expires_at=now + settings.lease_seconds, n_revisions=0, seconds=0.0,
    )  # fmt: skip
    id_ = connection.execute(row.returning(ASSIGNMENT.c.id)).scalar_one()
    return _assignment(connection, id_)


def _assignment(connection: Connection, id_: int) -> Assignment:
    row = connection.execute(displayed().where(ASSIGNMENT.c.id == id_)).one()
    return Assignment(row.lease, row.number, row.context, row.left, row.right, row.expires_at)


def _renewed(connection: Connection, id_: int, now: float, settings: StudySettings) -> float:
    end = now + settings.lease_seconds
    connection.execute(sa.update(ASSIGNMENT).where(ASSIGNMENT.c.id == id_).values(expires_at=end))
    return end


def _why_none(connection: Connection, now: float) -> Reason:
    """Return why no pair has an item for an annotator."""
    needed = sa.select(sa.func.count()).select_from(PAIR).where(PAIR.c.n_valid < PAIR.c.target)
    if not connection.execute(needed).scalar_one():
        return "complete"
    live = sa.select(sa.func.count()).select_from(ASSIGNMENT).where(_live(now))
    return "assigned" if connection.execute(live).scalar_one() else "seen"


def _coin() -> bool:
    return secrets.randbelow(2) == 0
