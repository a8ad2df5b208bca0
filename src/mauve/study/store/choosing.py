"""Choose the item that an annotator is given: a check, a repeat, or what is needed most.

The queries are built once: building one takes longer than the database takes to answer it.
"""

import random
import secrets
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mauve.study.settings import StudySettings
from mauve.study.store.quality import COUNTED
from mauve.study.store.records import Reason
from mauve.study.store.schema import ASSIGNMENT, ITEM, PAIR

_LATE = 60.0  # seconds that a transaction may wait after it has read the clock
_GAP = 5  # items between an item and its repeat

_NOW, _PERSON = sa.bindparam("now", type_=sa.Float), sa.bindparam("person", type_=sa.Integer)
_OWN = ASSIGNMENT.c.annotator_id == _PERSON

#: An item that somebody holds at the moment.
_IS_HELD = sa.and_(
    ASSIGNMENT.c.n_revisions == 0,
    ASSIGNMENT.c.expires_at > _NOW,
    # Else a clock that is set back would have items of that time held until it catches up.
    ASSIGNMENT.c.leased_at <= _NOW + _LATE,
    ASSIGNMENT.c.kind.in_(COUNTED),
)
_N_HELD = (
    sa.select(sa.func.count())
    .select_from(ASSIGNMENT)
    .where(ASSIGNMENT.c.item_id == ITEM.c.id, _IS_HELD)
    .correlate(ITEM)
    .scalar_subquery()
)
_ROOM = ITEM.c.target - ITEM.c.n_valid - _N_HELD

#: Numbers ``n`` of the items that people hold at the time ``now``, by the ``id`` of their pair.
HELD_BY_PAIR = (
    sa.select(ITEM.c.pair_id.label("id"), sa.func.count().label("n"))
    .select_from(ASSIGNMENT)
    .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
    .where(_IS_HELD)
    .group_by(ITEM.c.pair_id)
    .subquery()
)


def _needy_pairs() -> sa.Select[int]:
    """Return the query of pairs below their targets, the furthest first."""
    missing = PAIR.c.target - PAIR.c.n_valid - sa.func.coalesce(HELD_BY_PAIR.c.n, 0)
    return (
        sa.select(PAIR.c.id)
        .outerjoin(HELD_BY_PAIR, HELD_BY_PAIR.c.id == PAIR.c.id)
        .where(missing > 0)
        .order_by(missing.desc(), PAIR.c.id)
    )


def _free_items() -> sa.Select[int, int]:
    """Return the query of a pair's items that need ratings and that the annotator has not seen."""
    own, shown = ASSIGNMENT.alias("own"), ITEM.alias("shown")
    seen = sa.select(own.c.item_id).where(own.c.annotator_id == _PERSON)
    prompts = (
        sa.select(shown.c.prompt_id)
        .join(own, own.c.item_id == shown.c.id)
        .where(own.c.annotator_id == _PERSON)
    )
    return (
        sa.select(ITEM.c.id, ITEM.c.target)
        .where(ITEM.c.pair_id == sa.bindparam("pair"), _ROOM > 0, ITEM.c.id.not_in(seen))
        .order_by(ITEM.c.prompt_id.in_(prompts), ITEM.c.id)
        .limit(1)
    )


def _repeatable() -> sa.Select[int, bool]:
    """Return the query of the annotator's rated items that were not repeated."""
    own = ASSIGNMENT.alias("own")
    repeated = sa.select(own.c.item_id).where(own.c.annotator_id == _PERSON, own.c.kind == "repeat")
    return sa.select(ASSIGNMENT.c.item_id, ASSIGNMENT.c.a_is_left).where(
        _OWN,
        ASSIGNMENT.c.kind.in_(COUNTED),
        ASSIGNMENT.c.n_revisions > 0,
        ASSIGNMENT.c.number < sa.bindparam("before"),
        ASSIGNMENT.c.item_id.not_in(repeated),
    )


def _number_where(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)


_NEEDY_PAIRS, _FREE_ITEMS, _REPEATABLE = _needy_pairs(), _free_items(), _repeatable()
_CHECKS = sa.select(ITEM.c.id).where(
    ITEM.c.pair_id.is_(None), ITEM.c.id.not_in(sa.select(ASSIGNMENT.c.item_id).where(_OWN))
)
_HAS_ROOM = sa.select(_ROOM > 0).where(ITEM.c.id == sa.bindparam("item"))
_GIVEN = sa.select(
    sa.func.count(),
    _number_where(ASSIGNMENT.c.n_revisions > 0),
    _number_where(ASSIGNMENT.c.kind == "attention"),
    _number_where(ASSIGNMENT.c.kind == "repeat"),
).where(_OWN)
_N_NEEDY = sa.select(sa.func.count()).select_from(PAIR).where(PAIR.c.n_valid < PAIR.c.target)
_N_ALL_HELD = sa.select(sa.func.count()).select_from(ASSIGNMENT).where(_IS_HELD)


class Chosen(NamedTuple):
    """An item, why it was chosen, and whether continuation A is displayed on the left."""

    item: int
    kind: str
    a_is_left: bool


class Given(NamedTuple):
    """Numbers of the items that an annotator was given: all, rated ones, checks and repeats."""

    n: int
    n_rated: int
    n_checks: int
    n_repeats: int


def given_to(connection: Connection, person: int) -> Given:
    """Return how many items an annotator was given."""
    return Given(*connection.execute(_GIVEN, {"person": person}).one())


def has_room(connection: Connection, kind: str, item: int, now: float) -> bool:
    """Return whether the item of an expired lease still needs a rating; checks always do."""
    if kind not in COUNTED:
        return True
    return bool(connection.execute(_HAS_ROOM, {"item": item, "now": now}).scalar_one())


def choose_item(
    connection: Connection, person: int, given: Given, now: float, settings: StudySettings
) -> Chosen | None:
    """Return an item for the annotator: a check or a repeat if one is due, or the most needed."""
    needed = _most_needed(connection, person, now)
    if needed is None:  # nor are there checks for who has nothing left
        return None
    n_checks = _n_planned(settings, person, given.n + 1, settings.attention_every, "attention")
    if n_checks > given.n_checks:
        items = connection.execute(_CHECKS, {"person": person}).scalars().all()
        if items:
            return Chosen(secrets.choice(items), "attention", _coin())
    if _n_planned(settings, person, given.n + 1, settings.repeat_every, "repeat") > given.n_repeats:
        values = {"person": person, "before": given.n + 1 - _GAP}
        rows = connection.execute(_REPEATABLE, values).all()
        if rows:
            item, a_was_left = secrets.choice(rows)
            return Chosen(item, "repeat", not a_was_left)
    return needed


def why_none(connection: Connection, now: float) -> Reason:
    """Return why no pair has an item for an annotator."""
    if not connection.execute(_N_NEEDY).scalar_one():
        return "complete"
    return "assigned" if connection.execute(_N_ALL_HELD, {"now": now}).scalar_one() else "seen"


def _most_needed(connection: Connection, person: int, now: float) -> Chosen | None:
    """Return an item of the pair furthest below its target that this annotator can be given."""
    for pair in connection.execute(_NEEDY_PAIRS, {"now": now}).scalars().all():
        values = {"pair": pair, "person": person, "now": now}
        item = connection.execute(_FREE_ITEMS, values).one_or_none()
        if item is not None:
            return Chosen(item.id, "normal" if item.target == 1 else "overlap", _coin())
    return None


def _n_planned(settings: StudySettings, person: int, number: int, every: int, what: str) -> int:
    """Return how many of an annotator's first items are to be checks, or repeats.

    One of every `every` items is, at a place drawn at random.
    """
    if not every:
        return 0
    n_blocks, place = divmod(number - 1, every)
    drawn = random.Random(f"{settings.seed} {what} {person} {n_blocks}").randrange(every)
    return n_blocks + (drawn <= place)


def _coin() -> bool:
    return secrets.randbelow(2) == 0
