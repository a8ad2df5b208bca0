"""``mauve study rank``, ``agreement``, ``correlate``, ``export`` and ``import``."""

import json

import numpy as np
import pytest
from running import invoke

from mauve.study.bradley_terry import win_probability
from mauve.study.rating_files import read_ratings, write_ratings
from mauve.study.ratings import Rating, Ratings
from mauve.study.store.assignment import next_item
from mauve.study.store.example import example_study
from mauve.study.store.people import annotator_of, enrol, record_consent
from mauve.study.store.records import Answer
from mauve.study.store.submission import submit

TRUE = {"human": 60.0, "xl": 30, "large": 0, "medium": -30, "small": -60}


@pytest.fixture(scope="module")
def ratings():
    rng = np.random.default_rng(0)
    rows = []
    for person in range(40):
        for i in range(8):
            a, b = map(str, rng.permutation([*TRUE])[:2])
            p = win_probability(TRUE[a] - TRUE[b])
            choices = tuple(int(rng.choice([1, 2] if rng.random() < p else [4, 5])) for _ in "123")
            rows.append(
                Rating(
                    f"{person}-{i}", f"p{person}", a, b, choices,
                    wall_seconds=float(20 + i * 10), context="<b>", text_a=a, text_b=b,
                )
            )  # fmt: skip
    for person in range(0, 40, 2):  # two people rate one pair of texts
        first = rows[person * 8]
        rows.append(Rating(**(vars(first) | {"annotator": f"p{person + 1}"})))
    return Ratings(tuple(rows))


@pytest.fixture
def folder(tmp_path, monkeypatch, ratings):
    monkeypatch.chdir(tmp_path)
    write_ratings(ratings, "ratings.csv", "authors")
    return tmp_path


def ok(*arguments):
    result = invoke("study", *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def failed(*arguments):
    result = invoke("study", *arguments)
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    return result.stderr


def test_rank_prints_a_table_for_each_question_in_80_columns(folder):
    printed = ok("rank", "ratings.csv")
    assert [line for line in printed.splitlines() if line.endswith(":")] == [
        "interesting:", "sensible:", "human-like:",
    ]  # fmt: skip
    assert "340 ratings of 320 items by 40 annotators" in printed
    assert max(map(len, printed.splitlines())) <= 80
    one = ok("rank", "ratings.csv", "--question", "human-like", "--quiet")
    assert "human-like:" not in one
    assert one.split()[:2] == ["95%", "system"]


def test_rank_filters_strictly(folder):
    printed = ok("rank", "ratings.csv", "--question", "sensible", "--longer-than", "20")
    n_fast = sum(row.wall_seconds <= 20 for row in read_ratings("ratings.csv").rows)
    assert f"left out: {n_fast} that took 20 seconds or less." in " ".join(printed.split())


def test_rank_as_json_markdown_latex_and_picture(folder):
    parsed = json.loads(ok("rank", "ratings.csv", "--json", "--ties", "davidson"))
    assert [ranking["question"] for ranking in parsed["rankings"]][2] == "human-like"
    assert len(parsed["rankings"][0]["pairs"]) == 10
    assert ok("rank", "ratings.csv", "--markdown").count("| system | score |") == 3
    assert "% sensible" in ok("rank", "ratings.csv", "--latex", "--plot", "scores.png")
    assert (folder / "scores.png").read_bytes().startswith(b"\x89PNG")
    assert "only one of" in failed("rank", "ratings.csv", "--json", "--latex")


def test_agreement(folder):
    assert "two people chose the same of five in" in " ".join(
        ok("agreement", "ratings.csv").split()
    )
    parsed = json.loads(ok("agreement", "ratings.csv", "--json", "--question", "sensible"))
    assert [entry["n_units"] for entry in parsed["agreement"]] == [20]


def test_correlate_with_the_json_of_a_comparison(folder):
    results = [
        {"name": name, "mauve": mauve, "interval": [mauve - 0.02, mauve], "confidence": 0.95}
        for name, mauve in {"gpt2-xl": 0.94, "large": 0.9, "medium": 0.8, "small": 0.3}.items()
    ]
    (folder / "scores.json").write_text(json.dumps({"results": results}))
    options = ["ratings.csv", "scores.json", "--question", "human-like", "--name", "xl=gpt2-xl"]
    printed = ok("correlate", *options)
    assert "+1.000" in printed
    assert "Without scores, and left out: human." in printed
    parsed = json.loads(ok("correlate", *options, "--json"))
    found = parsed["correlations"][0]["measures"][0]["correlation"]
    assert found["p_value"] == pytest.approx(2 / 24)
    assert "| MAUVE |" in ok("correlate", *options, "--markdown")
    assert "--name must be RATED=SCORED" in failed("correlate", *options[:-1], "xl")


def test_files_are_converted_without_loss(folder, ratings):
    said = ok("import", "ratings.csv", "ratings.jsonl")
    assert "systems:    human, large, medium, small, xl" in said
    assert read_ratings("ratings.jsonl").rows == ratings.rows
    assert "wrote 340 ratings" in ok("export", "ratings.jsonl", "again.csv", "--format", "authors")
    assert (folder / "again.csv").read_bytes() == (folder / "ratings.csv").read_bytes()


def test_a_study_is_read_from_its_database(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = example_study("study.sqlite")
    for person in range(3):
        session = enrol(study)
        annotator = annotator_of(study, session)
        record_consent(study, annotator, study.settings.consent_version)
        item = next_item(study, annotator)
        submit(study, annotator, Answer(item.lease, f"submission{person}", (1, 3, 5), 40, 60))
    study.close()
    assert "wrote 3 ratings of" in ok("export", "study.sqlite", "out.jsonl")
    rows = read_ratings("out.jsonl").rows
    assert [row.choices for row in rows] == [(1, 3, 5)] * 3
    assert all(row.active_seconds is not None for row in rows)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["export", "empty.sqlite", "x.csv"], "must have at least one rating, to write it"),
        (["import", "empty.jsonl", "x.jsonl"], "at least one rating"),
        (["rank", "none.csv"], "No such file was found"),
        (["rank", "none.sqlite"], "There is no study"),
        (["rank", "ratings.txt"], "must be a file of ratings that ends in"),
        (["rank", "."], "must be a file or the URL"),
        (["rank", "ratings.csv", "--question", "fun"], "'fun' must be a question"),
        (["rank", "ratings.csv", "--ties", "coin"], "must be one of random, half, davidson"),
        (["rank", "ratings.csv", "--leave-out", "gpt"], "'gpt' must be a system"),
        (["rank", "ratings.csv", "--longer-than", "1e9"], "at least one rating that counts"),
        (["rank", "ratings.csv", "--longer-than", "nan"], "must be at least 0"),
        (["rank", "ratings.csv", "--plot", "scores.bmp"], "must end in .png, .svg or .pdf"),
        (["correlate", "ratings.csv", "ratings.csv"], "must be the scores of systems as JSON"),
        (["export", "ratings.csv", "ratings.csv"], "is the file of the ratings"),
        (["export", "ratings.csv", "none/x.csv"], "cannot be written"),
        (["export", "ratings.csv", "x.csv", "--format", "xlsx"], "must be one of authors, long"),
    ],
)
def test_errors_are_one_line(folder, arguments, says):
    (folder / "ratings.txt").write_text("a")
    (folder / "empty.jsonl").write_text("")
    if "empty.sqlite" in arguments:
        example_study("empty.sqlite").close()
    message = failed(*arguments)
    assert says in message
    assert "Traceback" not in message
