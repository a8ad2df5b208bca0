"""What the analysis reads out of a study, in SQLite and PostgreSQL, counted by hand beside it."""

import json
import random

import numpy as np
import pytest
from annotating import Clock, answer, enrolled
from typer.testing import CliRunner

from mauve.cli import app
from mauve.study.bradley_terry import bradley_terry
from mauve.study.rating_files import read_ratings
from mauve.study.settings import StudySettings
from mauve.study.store.assignment import next_item
from mauve.study.store.control import exclude
from mauve.study.store.creation import create_study
from mauve.study.store.records import Assignment
from mauve.study.store.submission import submit

#: What each system writes, and how much people like it.
TEXTS = {
    "human": "came later than anybody had thought, and we talked about it.",
    "large": "came in the end, and everybody said that they had known it.",
    "medium": "was a thing that came, and things that come are things.",
    "small": "came and came and came, which was what it had always done.",
}
SYSTEMS = [*TEXTS]
MERIT = [1.0, 0.4, 0.2, -0.5]
FAST, EXCLUDED = 11, 3  # numbers of annotators


def invoke(*arguments):
    result = CliRunner().invoke(app, ["study", *map(str, arguments)], env={"COLUMNS": "80"})
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def source(text):
    """Return the position of the system that wrote a text, or None for shuffled words."""
    return next((i for i, words in enumerate(TEXTS.values()) if words == text), None)


def annotate(study, clock):
    """Have twelve people rate all that they are given, and return what each of them did."""
    rng = random.Random(0)
    people = [enrolled(study) for _ in range(12)]
    done = []
    while people:
        person = rng.choice(people)
        item = next_item(study, person)
        if not isinstance(item, Assignment):
            people.remove(person)
            continue
        left, right = source(item.left), source(item.right)
        if None in (left, right):
            answers = (1, 1, 1) if right is None else (5, 5, 5)
        else:
            lead = MERIT[left] - MERIT[right]
            answers = tuple(int(np.clip(round(3 - lead + rng.gauss(0, 1.2)), 1, 5)) for _ in "123")
            done.append((person.number, item.context, left, right, answers))
        seconds = 10.0 if person.number == FAST else 60.0
        clock.now += seconds
        submit(study, person, answer(item, answers, active=seconds))
    return done


@pytest.mark.slow
def test_every_number_of_the_analysis_is_that_counted_by_hand(location, opened, tmp_path):
    clock = Clock()
    settings = StudySettings(
        ratings_per_pair=15, overlap=0.6, min_tokens=3, well_formed=False, repeat_every=6,
        attention_every=6, enrolment="open",
    )  # fmt: skip
    prompts = [f"On day {i} the train" for i in range(15)]
    human, *systems = (
        [{"prompt": prompt, "text": text} for prompt in prompts] for text in TEXTS.values()
    )
    samples = dict(zip(SYSTEMS[1:], systems, strict=True))
    study = opened(create_study(location, settings, human, samples, clock=clock))
    done = annotate(study, clock)
    exclude(study, EXCLUDED, "asked to be left out")
    firsts, repeats = {}, []
    for person, prompt, left, right, answers in done:
        turned = answers if left < right else tuple(6 - a for a in answers)
        key = person, prompt, min(left, right), max(left, right)
        if key in firsts:
            repeats.append((key, turned))
        else:
            firsts[key] = turned
    counted = {key: a for key, a in firsts.items() if key[0] not in (FAST, EXCLUDED)}
    wins = np.zeros((4, 4))
    for (_, _, i, j), turned in counted.items():
        share = {1: 1, 2: 1, 3: 0.5, 4: 0, 5: 0}[turned[2]]
        wins[i, j] += share
        wins[j, i] += 1 - share

    options = ["--question", "human-like", "--json", "--ties", "half"]
    (ranking,) = json.loads(invoke("rank", location, *options))["rankings"]
    scores = {row["name"]: row["score"] for row in ranking["systems"]}
    expected = dict(zip(SYSTEMS, bradley_terry(wins), strict=True))
    assert scores == pytest.approx(expected, abs=1e-9)
    counts = ranking["counts"]
    assert counts["counted"] == len(counted)
    assert counts["ties"] == sum(turned[2] == 3 for turned in counted.values())
    n_invalid = sum(who in (FAST, EXCLUDED) for who, *_ in done)
    assert counts["invalid"] == n_invalid
    assert counts["counted"] + counts["invalid"] + counts["repeats"] == len(done)
    assert counts["annotators"] == 10

    (agreed,) = json.loads(invoke("agreement", location, *options[:3]))["agreement"]
    same = [
        np.sign(a[2] - 3) == np.sign(firsts[key][2] - 3)
        for key, a in repeats
        if key[0] not in (FAST, EXCLUDED)
    ]
    assert (agreed["n_repeats"], agreed["self_agreement"]) == (len(same), np.mean(same))

    measured = [
        {"name": name, "mauve": mauve, "interval": [mauve - 0.1, mauve + 0.1], "confidence": 0.95}
        for name, mauve in zip(SYSTEMS, [0.2, 0.9, 0.5, 0.4], strict=True)
    ]
    (tmp_path / "scores.json").write_text(json.dumps({"results": measured}))
    found = json.loads(invoke("correlate", location, tmp_path / "scores.json", *options))
    spearman = found["correlations"][0]["measures"][0]["correlation"]["rho"]
    ranks = [sorted(expected.values()).index(expected[name]) for name in SYSTEMS]
    assert spearman == pytest.approx(np.corrcoef(ranks, [0, 3, 2, 1])[0, 1])

    for name, format in (("a.csv", "authors"), ("l.csv", "long"), ("j.jsonl", "jsonl")):
        invoke("export", location, tmp_path / name, "--format", format)
        rows = read_ratings(tmp_path / name).rows
        assert (len(rows), sum(not row.valid for row in rows)) == (len(done), n_invalid)
        (again,) = json.loads(invoke("rank", tmp_path / name, *options))["rankings"]
        # Items have numbers in each format, so that not even a draw of the bootstrap moves.
        assert again["systems"] == ranking["systems"]
    assert "invalid:    " + str(n_invalid) in invoke(
        "import", tmp_path / "a.csv", tmp_path / "again.jsonl"
    )
