"""What the operator of a study sees: progress by pair, and a report on each annotator."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mauve.study.ratings import TIE
from mauve.study.settings import StudySettings
from mauve.study.store.choosing import HELD_BY_PAIR
from mauve.study.store.database import Study, settings_of
from mauve.study.store.displayed import displayed
from mauve.study.store.people import code_of
from mauve.study.store.quality import COUNTED, is_trusted
from mauve.study.store.schema import (
    ANNOTATOR,
    ASSIGNMENT,
    EXCLUSION,
    INVITE,
    ITEM,
    PAIR,
    STUDY,
    SYSTEM,
)


@dataclass(frozen=True)
class PairProgress:
    """How far a pair of systems is.

    Attributes
    ----------
    system_a, system_b : str
        The systems.
    target, n_valid : int
        Valid ratings that the pair is to have, and those that it has.
    n_invalid : int
        Ratings that do not count: too fast, or by people who are excluded or failed checks.
    n_assigned : int
        Items that people hold at the moment.
    """

    system_a: str
    system_b: str
    target: int
    n_valid: int
    n_invalid: int
    n_assigned: int

    def to_dict(self) -> dict[str, Any]:
        """Return the values by the names of the attributes."""
        return asdict(self)


@dataclass(frozen=True)
class AnnotatorReport:
    """What a study knows of the work of one annotator.

    Attributes
    ----------
    number : int
        Of the annotator.
    source : str
        How the person came to the study: ``invite``, ``external`` or ``open``.
    external_id : str or None
        Of the person on a recruiting platform.
    enrolled_at : float
        In seconds since 1970.
    n_rated : int
        Items rated, repeats and attention checks among them.
    n_valid : int
        Ratings that count.
    n_fast : int
        Ratings, repeats among them, in less active time than the study asks for.
    median_seconds : float or None
        Median active time of ratings and repeats.
    n_checks, n_failed_checks : int
        Attention checks answered, and failed.
    n_repeats : int
        Repeats rated.
    self_agreement : float or None
        Share of the answers to repeats that favour the same text, or tie again.
    tie_share, left_share : float or None
        Share of all answers that are ties; share of the others that favour the left text.
    is_trusted : bool
        Whether ratings of this person count.
    is_excluded : bool
        Whether the operator has excluded the person.
    reason : str
        Of the operator's last decision about the person.
    completion_code : str or None
        That the person is shown.
    """

    number: int
    source: str
    external_id: str | None
    enrolled_at: float
    n_rated: int
    n_valid: int
    n_fast: int
    median_seconds: float | None
    n_checks: int
    n_failed_checks: int
    n_repeats: int
    self_agreement: float | None
    tie_share: float | None
    left_share: float | None
    is_trusted: bool
    is_excluded: bool
    reason: str
    completion_code: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the values by the names of the attributes."""
        return asdict(self)


@dataclass(frozen=True)
class StudyProgress:
    """How far a study is: counts over all pairs and people.

    Attributes
    ----------
    is_paused : bool
        Whether the operator has paused it.
    target, n_valid, n_invalid, n_assigned : int
        Sums over all pairs, as in :class:`PairProgress`.
    n_pairs, n_done_pairs : int
        Pairs, and those that have all their ratings.
    n_annotators, n_trusted : int
        People who have enrolled, and those whose ratings count.
    n_invitations, n_unused_invitations : int
        Invitations that were made, and those that nobody has opened yet.
    """

    is_paused: bool
    target: int
    n_valid: int
    n_invalid: int
    n_assigned: int
    n_pairs: int
    n_done_pairs: int
    n_annotators: int
    n_trusted: int
    n_invitations: int
    n_unused_invitations: int

    def to_dict(self) -> dict[str, Any]:
        """Return the values by the names of the attributes."""
        return asdict(self)


def pair_progress(study: Study) -> list[PairProgress]:
    """Return how far each pair is, in the order of the systems.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> pair_progress(example_study(ratings_per_pair=4))[0]
    PairProgress(system_a='human', system_b='large', target=4, n_valid=0, n_invalid=0, n_assigned=0)
    """
    with study.reading() as connection:
        return _pairs(connection, study.clock())


def study_progress(study: Study) -> StudyProgress:
    """Return how far a study is.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study_progress(example_study(ratings_per_pair=4)).target
    12
    """
    with study.reading() as connection:
        pairs = _pairs(connection, study.clock())
        trusted = sa.case((is_trusted(settings_of(connection)), 1), else_=0)
        people = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(trusted), 0))
        n_annotators, n_trusted = connection.execute(people.select_from(ANNOTATOR)).one()
        is_paused = connection.execute(sa.select(STUDY.c.is_paused)).scalar_one()
        invitations = sa.select(sa.func.count(), sa.func.count(INVITE.c.annotator_id))
        n_invitations, n_used = connection.execute(invitations.select_from(INVITE)).one()
    return StudyProgress(
        is_paused,
        target=sum(pair.target for pair in pairs),
        n_valid=sum(pair.n_valid for pair in pairs),
        n_invalid=sum(pair.n_invalid for pair in pairs),
        n_assigned=sum(pair.n_assigned for pair in pairs),
        n_pairs=len(pairs),
        n_done_pairs=sum(pair.n_valid >= pair.target for pair in pairs),
        n_annotators=n_annotators,
        n_trusted=n_trusted,
        n_invitations=n_invitations,
        n_unused_invitations=n_invitations - n_used,
    )


def annotator_reports(study: Study) -> list[AnnotatorReport]:
    """Return a report on each annotator, by number.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> from mauve.study.store.people import enrol
    >>> study = example_study()
    >>> _ = enrol(study)
    >>> report, = annotator_reports(study)
    >>> report.number, report.n_rated, report.is_trusted
    (1, 0, True)
    """
    with study.reading() as connection:
        settings = settings_of(connection)
        trusted = is_trusted(settings).label("is_trusted")
        people = connection.execute(sa.select(ANNOTATOR, trusted).order_by(ANNOTATOR.c.id)).all()
        rows = connection.execute(displayed(with_answers=True)).all()
        decisions = connection.execute(sa.select(EXCLUSION).order_by(EXCLUSION.c.id)).all()
    reasons = {decision.annotator_id: decision.reason for decision in decisions}
    own: dict[int, list[sa.Row[Any]]] = {person.id: [] for person in people}
    for row in rows:
        own[row.annotator_id].append(row)
    return [_report(p, own[p.id], reasons.get(p.id, ""), settings) for p in people]


def _pairs(connection: Connection, now: float) -> list[PairProgress]:
    a, b = SYSTEM.alias("a"), SYSTEM.alias("b")
    live = HELD_BY_PAIR
    rated = (
        sa.select(ITEM.c.pair_id.label("id"), sa.func.count().label("n"))
        .join(ASSIGNMENT, ASSIGNMENT.c.item_id == ITEM.c.id)
        .where(ASSIGNMENT.c.n_revisions > 0, ASSIGNMENT.c.kind.in_(COUNTED))
        .group_by(ITEM.c.pair_id)
        .subquery()
    )
    query = (
        sa.select(
            a.c.name,
            b.c.name,
            PAIR.c.target,
            PAIR.c.n_valid,
            sa.func.coalesce(rated.c.n, 0) - PAIR.c.n_valid,
            sa.func.coalesce(live.c.n, 0),
        )
        .join(a, a.c.id == PAIR.c.system_a)
        .join(b, b.c.id == PAIR.c.system_b)
        .outerjoin(live, live.c.id == PAIR.c.id)
        .outerjoin(rated, rated.c.id == PAIR.c.id)
        .order_by(a.c.id, b.c.id)
    )
    return [PairProgress(*row) for row in connection.execute(query, {"now": now}).all()]


def _report(
    person: sa.Row[Any], rows: Sequence[sa.Row[Any]], reason: str, settings: StudySettings
) -> AnnotatorReport:
    checks = [row for row in rows if row.kind == "attention"]
    repeats = [row for row in rows if row.kind == "repeat"]
    first = {row.item_id: row for row in rows if row.kind in COUNTED}
    timed = [*first.values(), *repeats]
    fast = [row for row in timed if row.seconds < settings.min_active_seconds]
    n_valid = len(first) - sum(row.kind in COUNTED for row in fast) if person.is_trusted else 0
    answers = [answer for row in timed for answer in _answers(row)]
    decided = [answer for answer in answers if answer != TIE]
    return AnnotatorReport(
        number=person.id,
        source=person.source,
        external_id=person.external_id,
        enrolled_at=person.enrolled_at,
        n_rated=len(rows),
        n_valid=n_valid,
        n_fast=len(fast),
        median_seconds=median(row.seconds for row in timed) if timed else None,
        n_checks=len(checks),
        n_failed_checks=person.n_failed_checks,
        n_repeats=len(repeats),
        self_agreement=_self_agreement(repeats, first),
        tie_share=_share(answer == TIE for answer in answers),
        left_share=_share(answer < TIE for answer in decided),
        is_trusted=bool(person.is_trusted),
        is_excluded=bool(person.is_excluded),
        reason=reason,
        completion_code=code_of(person, settings),
    )


def _self_agreement(
    repeats: Iterable[sa.Row[Any]], first: Mapping[int, sa.Row[Any]]
) -> float | None:
    """Return the share of answers to repeats that favour what was favoured the first time."""
    pairs = ((row, first[row.item_id]) for row in repeats)
    return _share(
        now == before
        for row, earlier in pairs
        for now, before in zip(_favoured(row), _favoured(earlier), strict=True)
    )


def _favoured(row: sa.Row[Any]) -> list[int]:
    """Return for each question 1 if continuation A of the item is favoured, -1 for B, 0 tied."""
    sign = 1 if row.a_is_left else -1
    return [sign * ((answer < TIE) - (answer > TIE)) for answer in _answers(row)]


def _answers(row: sa.Row[Any]) -> tuple[int, int, int]:
    return row.interesting, row.sensible, row.human_like


def _share(values: Iterable[bool]) -> float | None:
    listed = [*values]
    return sum(listed) / len(listed) if listed else None
