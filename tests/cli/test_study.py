"""``mauve study``: create a study and operate it."""

import json
import re
import sqlite3
from contextlib import closing

import pytest
from running import invoke

from mauve.study.store.assignment import next_item
from mauve.study.store.opening import open_study
from mauve.study.store.people import annotator_of, enrol, is_operator, record_consent
from mauve.study.store.records import Answer
from mauve.study.store.submission import submit

SMALL = ["--ratings-per-pair", "4", "--min-tokens", "5", "--all-prompts"]


@pytest.fixture
def samples(tmp_path, monkeypatch):
    """Work in a folder with two samples of six texts."""
    monkeypatch.chdir(tmp_path)
    for name in ("human", "model"):
        texts = [f" it rained for {i} hours, said {name}." for i in range(6)]
        records = [{"prompt": f"Day {i}:", "text": text} for i, text in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
    return tmp_path


def created(*options):
    result = invoke("study", "create", "a.sqlite", "human.jsonl", "model.jsonl", *SMALL, *options)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def rate(session, name, seconds=40):
    """Rate one item of a.sqlite in the session."""
    study = open_study("a.sqlite")
    annotator = annotator_of(study, session)
    item = next_item(study, annotator)
    submit(study, annotator, Answer(item.lease, name, (1, 1, 5), seconds, seconds))
    study.close()


def enrolled():
    study = open_study("a.sqlite")
    session = enrol(study)
    record_consent(study, annotator_of(study, session), study.settings.consent_version)
    study.close()
    return session


def test_create_prints_the_plan_and_a_token_that_is_stored_as_a_hash(samples):
    printed = created()
    assert "prompts:  6 prompts of human text, 6 of them shared, 6 kept, 6 used" in printed
    assert "plan:     4 ratings, 4 for each of 1 pair of systems" in printed
    token = re.search(r"operator: (\S+)", printed)[1]
    study = open_study("a.sqlite")
    assert is_operator(study, token)
    study.close()
    assert token.encode() not in (samples / "a.sqlite").read_bytes()
    assert (samples / "a.sqlite").stat().st_mode & 0o077 == 0


def test_create_never_overwrites(samples):
    created()
    before = (samples / "a.sqlite").read_bytes()
    result = invoke("study", "create", "a.sqlite", "human.jsonl", "model.jsonl", *SMALL)
    assert result.exit_code == 1
    assert result.stderr == (
        "error: 'a.sqlite' exists already: name another file or database, as a study is never "
        "overwritten.\n"
    )
    assert (samples / "a.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["human.jsonl", "missing.jsonl"], "'missing.jsonl'"),
        (["human.jsonl", "human.jsonl"], "No system may be called 'human'"),
        (["human.jsonl", "no-prompt.jsonl"], "must have a prompt: add the field 'prompt'"),
        (["human.jsonl", "other.jsonl"], "No prompt of the human texts is answered by a system"),
        (["human.jsonl", "empty.jsonl"], "'empty.jsonl' holds no texts"),
        (["human.jsonl", "model.jsonl", "--min-tokens", "99"], "--max-tokens must be"),
        (
            ["human.jsonl", "model.jsonl", "--min-tokens", "90", "--max-tokens", "99"],
            "share no prompt for which both texts have at least 90 tokens",
        ),
    ],
)
def test_bad_samples_are_refused_in_one_sentence_and_leave_nothing(samples, arguments, message):
    (samples / "no-prompt.jsonl").write_text('{"text": "It rained."}\n')
    (samples / "other.jsonl").write_text('{"prompt": "Night 1:", "text": "It rained."}\n')
    (samples / "empty.jsonl").write_text("")
    before = sorted(samples.iterdir())
    options = ["--max-tokens", "50", "--min-tokens", "5", "--all-prompts", *arguments[2:]]
    result = invoke("study", "create", "a.sqlite", *arguments[:2], *options)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(samples.iterdir()) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lease-minutes", "0"], "must be above 0. Got 0 instead"),
        (["--consent", "latin.txt"], "'latin.txt' of --consent must be a text in UTF-8"),
        (["--consent", "blank.txt"], "--consent must be a text that is not empty"),
        (["--overlap", "nan"], "'--overlap': must be"),
        (["--min-active-seconds", "nan"], "'--min-active-seconds': must be"),
        (["--enrolment", "anyhow"], "must be one of invite, external, open"),
        (["--completion-code", ""], "--completion-code must be a text that is not empty"),
    ],
)
def test_bad_options_are_named(samples, options, message):
    (samples / "latin.txt").write_bytes(b"caf\xe9")
    (samples / "blank.txt").write_text("\n")
    result = invoke("study", "create", "a.sqlite", "human.jsonl", "model.jsonl", *SMALL, *options)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert not (samples / "a.sqlite").exists()


def test_invite_prints_links_whose_tokens_enrol(samples):
    created("--enrolment", "invite")
    result = invoke("study", "invite", "a.sqlite", 3, "--url", "https://a.org/x/")
    links = result.stdout.split()
    assert [link.partition("#invite=")[0] for link in links] == ["https://a.org/x/"] * 3
    tokens = {link.partition("=")[2] for link in links}
    study = open_study("a.sqlite")
    people = {annotator_of(study, enrol(study, invite=token)).number for token in tokens}
    study.close()
    assert people == {1, 2, 3}
    result = invoke("study", "invite", "a.sqlite", 3, "--url", "a.org")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "--url must be an address such as https://study.example.org/. Got 'a.org'" in (
        result.stderr
    )


def test_status_counts_invitations_that_nobody_has_opened(samples):
    created("--enrolment", "invite", "--completion-code", "GOOD", "--review-code", "LOOK")
    assert "invitation" not in invoke("study", "status", "a.sqlite").stdout
    token = invoke("study", "invite", "a.sqlite", 3).stdout.split()[0]
    study = open_study("a.sqlite")
    assert study.settings.review_code == "LOOK"
    enrol(study, invite=token)
    enrol(study, invite=token)
    study.close()
    shown = invoke("study", "status", "a.sqlite").stdout.splitlines()[0]
    assert shown.endswith(", 1 annotator, 2 of 3 invitations unused")
    progress = json.loads(invoke("study", "status", "a.sqlite", "--json").stdout)["study"]
    assert (progress["n_invitations"], progress["n_unused_invitations"]) == (3, 2)


def test_status_rules_and_exclusion_recount_and_delete_nothing(samples, monkeypatch):
    created("--enrolment", "open", "--attention-every", "0", "--repeat-every", "0",
            "--min-active-seconds", "0")  # fmt: skip
    session = enrolled()
    for i in range(3):
        rate(session, f"submission-{i}")

    def status():
        return json.loads(invoke("study", "status", "a.sqlite", "--json").stdout)

    assert status()["pairs"] == [
        {"system_a": "human", "system_b": "model", "target": 4, "n_valid": 3, "n_invalid": 0,
         "n_assigned": 0}
    ]  # fmt: skip
    shown = invoke("study", "status", "a.sqlite").stdout
    assert shown.startswith("3 of 4 ratings, 0 of 1 pair done, 1 annotator\n")
    # Within this test no rating took a second by the clock of the server, whatever a page says.
    result = invoke("study", "rules", "a.sqlite", "--min-active-seconds", "25")
    assert result.stdout.splitlines()[-1] == "0 of 4 ratings are valid"
    result = invoke("study", "rules", "a.sqlite", "--min-active-seconds", "0")
    assert result.stdout.splitlines()[-1] == "3 of 4 ratings are valid"
    result = invoke("study", "exclude", "a.sqlite", 1, "--reason", "asked for it")
    assert result.stdout == "0 of 4 ratings are valid\n"
    (report,) = status()["annotators"]
    assert (report["is_excluded"], report["reason"], report["n_rated"]) == (True, "asked for it", 3)
    result = invoke("study", "include", "a.sqlite", 1, "--reason", "changed their mind")
    assert result.stdout == "3 of 4 ratings are valid\n"
    with closing(sqlite3.connect("a.sqlite")) as db:
        assert db.execute("SELECT count(*) FROM rating").fetchone() == (3,)
        assert db.execute("SELECT count(*) FROM exclusion").fetchone() == (2,)


@pytest.mark.parametrize("value", ["-1", "nan", "3601"])
def test_a_bad_rule_changes_nothing(samples, value):
    created()
    result = invoke("study", "rules", "a.sqlite", "--min-active-seconds", value)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "--min-active-seconds must be a number from 0 to 3600. Got" in result.stderr
    assert "25 s" in invoke("study", "rules", "a.sqlite").stdout


def test_pause_and_resume(samples):
    created()
    assert invoke("study", "pause", "a.sqlite").exit_code == 0
    assert ", paused\n" in invoke("study", "status", "a.sqlite").stdout
    assert invoke("study", "resume", "a.sqlite").exit_code == 0
    assert ", paused\n" not in invoke("study", "status", "a.sqlite").stdout


def test_a_new_operator_token_replaces_the_one_before(samples):
    first = re.search(r"operator: (\S+)", created())[1]
    second = invoke("study", "operator", "a.sqlite").stdout.strip()
    study = open_study("a.sqlite")
    assert (is_operator(study, first), is_operator(study, second)) == (False, True)
    study.close()


@pytest.mark.parametrize("command", ["status", "serve"])
def test_a_file_that_is_no_study_is_left_as_it_is(samples, command):
    with closing(sqlite3.connect("other.sqlite")) as db:
        db.execute("CREATE TABLE notes (text TEXT)")
    (samples / "nothing.sqlite").write_bytes(b"")
    for name in ("other.sqlite", "nothing.sqlite"):
        before = (samples / name).read_bytes()
        result = invoke("study", command, name)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"'{name}' holds no study: make one with mauve study create." in result.stderr
        assert (samples / name).read_bytes() == before


def test_a_sample_that_is_given_twice_is_warned_of(samples):
    result = invoke(
        "study", "create", "a.sqlite", "human.jsonl", "a=model.jsonl", "b=model.jsonl", *SMALL
    )
    assert result.exit_code == 0
    assert "warning: 4 of the 4 texts of a and b are the same, so that" in result.stderr


@pytest.mark.parametrize("command", [["status"], ["invite", "1"], ["pause"], ["operator"]])
def test_what_is_no_study_is_named(samples, command):
    result = invoke("study", command[0], "missing.sqlite", *command[1:])
    assert result.exit_code == 1
    assert result.stderr.startswith("error: There is no study 'missing.sqlite': make one")
    assert not (samples / "missing.sqlite").exists()
    result = invoke("study", command[0], "human.jsonl", *command[1:])
    assert result.exit_code == 1
    assert "file is not a database" in result.stderr
