"""The people of a study: invitations, enrolment, sessions, consent, and the operator.

Tokens are random and only their SHA-256 is stored, so that who reads the database cannot use them.
"""

import hashlib
import hmac
import secrets
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mauve.errors import check_int
from mauve.study.settings import StudySettings
from mauve.study.store.database import Study, settings_of
from mauve.study.store.quality import is_trusted
from mauve.study.store.records import Annotator, ExternalIds
from mauve.study.store.refusals import ConsentError, EnrolmentError
from mauve.study.store.schema import (
    ANNOTATOR,
    ASSIGNMENT,
    INVITE,
    SESSION,
    STUDY,
)

_LONGEST = 200  # characters of an identifier of a recruiting platform

_N_RATED = (
    sa.select(sa.func.count())
    .where(ASSIGNMENT.c.annotator_id == ANNOTATOR.c.id, ASSIGNMENT.c.n_revisions > 0)
    .scalar_subquery()
)
_OF_SESSION = (
    sa.select(SESSION.c.token_hash, ANNOTATOR.c.id, ANNOTATOR.c.consent_version, _N_RATED)
    .join(ANNOTATOR, ANNOTATOR.c.id == SESSION.c.annotator_id)
    .where(SESSION.c.token_hash == sa.bindparam("hashed"))
)


def create_invites(study: Study, n: int) -> list[str]:
    """Return the tokens of new invitations, one for each person; they are not shown again.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> len(create_invites(example_study(), 3))
    3
    """
    check_int("n", n, 1, 100_000)
    tokens = [_new_token() for _ in range(n)]
    with study.writing() as connection:
        connection.execute(
            sa.insert(INVITE),
            [{"token_hash": _hashed(token), "created_at": study.clock()} for token in tokens],
        )
    return tokens


def enrol(study: Study, *, invite: str | None = None, external: ExternalIds | None = None) -> str:
    """Return the token of a new session of an annotator, who is enrolled if new.

    The same invitation, or the same person of a recruiting platform, is the same annotator on
    each return, in any browser.

    Parameters
    ----------
    study : Study
    invite : str, optional
        Token of an invitation; accepted in every study.
    external : ExternalIds, optional
        Accepted where the study has ``enrolment="external"`` or ``"open"``.

    Raises
    ------
    EnrolmentError
        If the invitation is not one of this study, or if the study does not take people this way.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study = example_study(enrolment="invite")
    >>> token, = create_invites(study, 1)
    >>> first, second = enrol(study, invite=token), enrol(study, invite=token)
    >>> first == second, annotator_of(study, first) == annotator_of(study, second)
    (False, True)
    >>> enrol(study)
    Traceback (most recent call last):
    mauve.study.store.refusals.EnrolmentError: This study needs an invitation: open its link.
    """
    with study.writing() as connection:
        enrolment = settings_of(connection).enrolment
        if invite is not None:
            annotator = _invited(connection, invite, study.clock())
        elif enrolment != "invite" and external is not None:
            annotator = _recruited(connection, external, study.clock())
        elif enrolment == "open":
            annotator = _new_annotator(connection, "open", study.clock())
        elif enrolment == "external":
            raise EnrolmentError("This study needs the link of its recruiting platform: open that.")
        else:
            raise EnrolmentError("This study needs an invitation: open its link.")
        token = _new_token()
        connection.execute(
            sa.insert(SESSION).values(
                token_hash=_hashed(token), annotator_id=annotator, created_at=study.clock()
            )
        )
    return token


def annotator_of(study: Study, session_token: str) -> Annotator | None:
    """Return the annotator of a session, or None if there is no such session.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study = example_study()
    >>> annotator_of(study, enrol(study))
    Annotator(number=1, has_consented=False, n_rated=0, limit=None)
    >>> annotator_of(study, "guess") is None
    True
    """
    hashed = _hashed(session_token)
    with study.reading() as connection:
        row = connection.execute(_OF_SESSION, {"hashed": hashed}).one_or_none()
        settings = settings_of(connection)
    # The database has compared only hashes, whose prefixes tell nothing; the comparison that
    # decides takes the same time for all.
    if row is None or not hmac.compare_digest(row[0], hashed):
        return None
    has_consented = row[2] == settings.consent_version
    return Annotator(row[1], has_consented, row[3], settings.items_per_annotator)


def record_consent(study: Study, annotator: Annotator, version: str) -> None:
    """Store that an annotator has agreed to the consent text of a version.

    Raises
    ------
    ConsentError
        If it is not the version of the current text: the page must show that one.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study = example_study()
    >>> session = enrol(study)
    >>> record_consent(study, annotator_of(study, session), study.settings.consent_version)
    >>> annotator_of(study, session).has_consented
    True
    """
    with study.writing() as connection:
        if not hmac.compare_digest(
            version.encode(), settings_of(connection).consent_version.encode()
        ):
            raise ConsentError("The consent text has changed: load the page again and read it.")
        connection.execute(
            sa.update(ANNOTATOR)
            .where(ANNOTATOR.c.id == annotator.number)
            .values(consent_version=version, consented_at=study.clock())
        )


def completion_code(study: Study, annotator: Annotator) -> str | None:
    """Return the code that tells a recruiting platform that a person has finished.

    None until a person who has rated something was told that no item is left, or none just now.
    Nobody is left without a code, as platforms take work without one for unfinished; a person
    whose ratings do not count gets the `review_code`, if the study has one.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study = example_study(completion_code="C0FFEE")
    >>> completion_code(study, annotator_of(study, enrol(study))) is None
    True
    """
    with study.reading() as connection:
        settings = settings_of(connection)
        query = sa.select(ANNOTATOR, is_trusted(settings).label("is_trusted"))
        person = connection.execute(query.where(ANNOTATOR.c.id == annotator.number)).one()
    return code_of(person, settings)


def code_of(person: sa.Row[Any], settings: StudySettings) -> str | None:
    """Return the completion code of a row of an annotator with `is_trusted`."""
    if person.completed_at is None:
        return None
    if settings.review_code is not None and not person.is_trusted:
        return settings.review_code
    return settings.completion_code or str(person.completion_code)


def new_operator_token(study: Study) -> str:
    """Return a new token of the operator; the one before is no longer valid.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study = example_study()
    >>> is_operator(study, new_operator_token(study)), is_operator(study, "guess")
    (True, False)
    """
    token = _new_token()
    with study.writing() as connection:
        connection.execute(sa.update(STUDY).values(operator_hash=_hashed(token)))
    return token


def is_operator(study: Study, token: str) -> bool:
    """Return whether a token is that of the operator."""
    with study.reading() as connection:
        stored = connection.execute(sa.select(STUDY.c.operator_hash)).scalar_one()
    return stored is not None and hmac.compare_digest(stored, _hashed(token))


def _new_token() -> str:
    return secrets.token_urlsafe(32)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _invited(connection: Connection, token: str, now: float) -> int:
    hashed = _hashed(token)
    invite = connection.execute(
        sa.select(INVITE).where(INVITE.c.token_hash == hashed)
    ).one_or_none()
    if invite is None or not hmac.compare_digest(invite.token_hash, hashed):
        raise EnrolmentError("This invitation is not valid: ask for a new link.")
    if invite.annotator_id is not None:
        return int(invite.annotator_id)
    annotator = _new_annotator(connection, "invite", now)
    connection.execute(
        sa.update(INVITE).where(INVITE.c.id == invite.id).values(annotator_id=annotator)
    )
    return annotator


def _recruited(connection: Connection, external: ExternalIds, now: float) -> int:
    for name in ("person", "study", "session"):
        value = getattr(external, name)
        is_missing = name == "person" and not value.strip()
        if is_missing or len(value) > _LONGEST or not value.isprintable():
            raise EnrolmentError(
                "The link has no valid identifiers of its recruiting platform: open it from there."
            )
    known = sa.select(ANNOTATOR.c.id).where(ANNOTATOR.c.external_id == external.person)
    annotator = connection.execute(known).scalar_one_or_none()
    if annotator is not None:
        return int(annotator)
    return _new_annotator(
        connection, "external", now, external_id=external.person,
        external_study=external.study, external_session=external.session,
    )  # fmt: skip


def _new_annotator(connection: Connection, source: str, now: float, **values: Any) -> int:
    result = connection.execute(
        sa.insert(ANNOTATOR)
        .values(
            source=source, enrolled_at=now, is_excluded=False, n_failed_checks=0,
            completion_code=secrets.token_hex(4).upper(), **values,
        )
        .returning(ANNOTATOR.c.id)
    )  # fmt: skip
    return int(result.scalar_one())
