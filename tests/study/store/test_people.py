"""People: invitations, enrolment, sessions, consent, the operator."""

import logging

import pytest
from annotating import enrolled

from mauve.errors import InvalidParameterError
from mauve.study.store.control import exclude
from mauve.study.store.example import example_study
from mauve.study.store.opening import open_study
from mauve.study.store.people import (
    annotator_of,
    create_invites,
    enrol,
    is_operator,
    new_operator_token,
    record_consent,
)
from mauve.study.store.records import ExternalIds
from mauve.study.store.refusals import ConsentError, EnrolmentError


def everything(study):
    """Return all that the database holds, as one text."""
    import sqlalchemy as sa

    from mauve.study.store.schema import METADATA

    with study.reading() as connection:
        tables = [connection.execute(sa.select(table)).all() for table in METADATA.sorted_tables]
    return repr(tables)


def test_an_invitation_is_one_person_in_any_browser(location, opened):
    study = opened(example_study(location, enrolment="invite"))
    first, second = create_invites(study, 2)
    sessions = [enrol(study, invite=token) for token in (first, first, second)]
    assert [annotator_of(study, session).number for session in sessions] == [1, 1, 2]
    assert len(set(sessions)) == 3
    with pytest.raises(EnrolmentError, match="This invitation is not valid"):
        enrol(study, invite="guess")
    with pytest.raises(EnrolmentError, match="needs an invitation"):
        enrol(study)
    with pytest.raises(EnrolmentError, match="needs an invitation"):
        enrol(study, external=ExternalIds("person"))


def test_a_person_of_a_platform_is_one_annotator():
    study = example_study(enrolment="external")
    sessions = [enrol(study, external=ExternalIds(*ids)) for ids in ("abc", "abd", "xbc")]
    assert [annotator_of(study, session).number for session in sessions] == [1, 1, 2]
    with pytest.raises(EnrolmentError, match="link of its recruiting platform"):
        enrol(study)
    for wrong in ("", "  ", "a" * 201, "a\nb"):
        with pytest.raises(EnrolmentError, match="no valid identifiers"):
            enrol(study, external=ExternalIds(wrong))


def test_tokens_differ_and_are_stored_and_logged_nowhere(location, opened, caplog):
    caplog.set_level(logging.DEBUG)
    study = opened(example_study(location))
    study.engine.echo = True  # all statements, with what is bound to them
    invites = create_invites(study, 3)
    tokens = [*invites, *(enrol(study, invite=t) for t in invites), new_operator_token(study)]
    for token in tokens:
        annotator_of(study, token)
        is_operator(study, token)
    assert len(set(tokens)) == 7
    assert min(map(len, tokens)) >= 43  # 256 bits
    assert "INSERT INTO session" in caplog.text, "statements were logged"
    for token in tokens:
        assert token not in caplog.text
        assert token not in everything(study)


def test_wrong_tokens_open_nothing():
    study = example_study()
    assert not is_operator(study, "")
    session, operator = enrol(study), new_operator_token(study)
    for wrong in ("", session[:-1], session + "a", operator, "\ud800", "🦄"):
        assert annotator_of(study, wrong) is None
        assert is_operator(study, wrong) is (wrong == operator)
    assert not is_operator(study, session)


def test_consent_is_to_a_version_and_stored_with_its_time():
    study = example_study(consent="First text.", clock=lambda: 5.0)
    session = enrol(study)
    annotator = annotator_of(study, session)
    with pytest.raises(ConsentError, match="has changed"):
        record_consent(study, annotator, "00000000")
    assert not annotator_of(study, session).has_consented
    record_consent(study, annotator, study.settings.consent_version)
    assert annotator_of(study, session).has_consented
    with study.reading() as connection:
        row = connection.exec_driver_sql("SELECT consent_version, consented_at FROM annotator")
        version, time = row.one()
    assert (version, time) == (study.settings.consent_version, 5.0)


def test_a_session_outlives_the_server(location, opened):
    study = opened(example_study(location))
    session = enrol(study)
    study.close()
    assert annotator_of(opened(open_study(location)), session).number == 1


@pytest.mark.parametrize("reason", ["", "  ", "a" * 501])
def test_an_exclusion_has_a_reason(reason):
    study = example_study()
    with pytest.raises(InvalidParameterError, match="1 to 500 characters"):
        exclude(study, enrolled(study).number, reason)
