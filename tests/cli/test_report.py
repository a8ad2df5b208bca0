"""``mauve compare --report``, and its tables for papers and pages."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from mauve.cli import app
from mauve.cli.explaining import asks_for_perplexity, chosen_metadata
from mauve.cli.samples import Files, read_files
from mauve.errors import InvalidParameterError

QUICK = ["--permutations", "50", "--clusterings", "5"]
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def invoke(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "80"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reported")
    rng = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "one", "dog", "ran", "far", "from"]
    for name, ending in {"human": ".", "good": ".", "loop": " and on and on"}.items():
        records = [
            {
                "text": " ".join(rng.choice(words, size=20)) + ending,
                "prompt": f"p{i}",
                "venue": ["web", "book"][i % 2],
                "weight": 0.5,
            }
            for i in range(60)
        ]
        lines = map(json.dumps, records)
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def features(feature_files, tmp_path, monkeypatch):
    for path in feature_files.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text_of(page):
    """Return what a reader sees of a page."""
    body = re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


# The report


def test_report_of_texts(here, tmp_path):
    path = tmp_path / "report.html"
    arguments = ["compare", "human.jsonl", "good.jsonl", "loop.jsonl", *QUICK]
    done = invoke(*arguments, "--report", path)
    assert done.exit_code == 0, done.stderr
    *others, note, named = done.stderr.splitlines()
    assert all(line.startswith("warning: ") for line in others)
    assert note == (
        "note: fields that are not used as metadata: weight (not all values are short strings or "
        "whole numbers)"
    )
    assert named == f"report: {path}"
    assert done.stdout == invoke(*arguments).stdout  # the table is the same
    shown = text_of(path.read_text())
    for part in ("good", "loop", "MAUVE", "venue", "Self-BLEU", "Zipf", "Fréchet"):
        assert part in shown
    assert "Gen. PPL" not in shown  # which takes its time


def test_report_has_the_measures_that_are_asked_for(here, tmp_path):
    path = tmp_path / "report.html"
    done = invoke(
        "compare", "human.jsonl", "loop.jsonl", *QUICK, "--report", path,
        "--measures", "perplexity,repetition",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "Gen. PPL" in done.stdout
    shown = text_of(path.read_text())
    assert "Gen. PPL" in shown
    assert "Self-BLEU" not in shown


def test_json_stays_pure(here, tmp_path):
    path = tmp_path / "report.html"
    arguments = ["compare", "human.jsonl", "good.jsonl", *QUICK, "--json"]
    done = invoke(*arguments, "--report", path)
    assert json.loads(done.stdout) == json.loads(invoke(*arguments).stdout)
    assert path.exists()
    quiet = invoke(*arguments, "--report", path, "--quiet")
    assert (quiet.exit_code, quiet.stderr) == (0, "")


def test_report_of_features(features):
    done = invoke("compare", "human.npy", "good.npy", "bad.npy", *QUICK, "--report", "report.html")
    assert (done.exit_code, done.stderr) == (0, "report: report.html\n")
    assert "Fréchet" in text_of(Path("report.html").read_text())


def test_same_input_same_report(features):
    for name in ("a.html", "b.HTML"):
        invoke("compare", "human.npy", "bad.npy", *QUICK, "--report", name)
    assert Path("a.html").read_bytes() == Path("b.HTML").read_bytes()


def test_hostile_names_in_the_report(features):
    done = invoke(
        "compare", "human.npy", f"{HOSTILE}=bad.npy", "good.npy", *QUICK, "--report", "report.html"
    )
    assert done.exit_code == 0, done.stderr
    page = Path("report.html").read_text()
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert r"\x1b[31m\u202e" in page


def test_metadata_is_for_the_report(here, tmp_path):
    path = tmp_path / "report.html"
    arguments = ["compare", "human.jsonl", "good.jsonl", *QUICK, "--metadata", "none"]
    alone = invoke(*arguments)
    assert alone.exit_code == 2
    assert "--metadata is for --report" in alone.stderr
    done = invoke(*arguments, "--report", path)
    assert "note" not in done.stderr
    assert "venue" not in text_of(path.read_text())


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_what_is_missing_is_said_before_the_work(features, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    done = invoke("compare", "human.npy", "nowhere.npy", "--report", "report.html")
    assert done.exit_code == 1
    assert done.stderr == (
        f"error: The report needs {package}, which is not installed: "
        'pip install "mauve-eval[report]".\n'
    )


def test_reports_are_html(features):
    done = invoke("compare", "human.npy", "good.npy", "--report", "report.txt")
    assert done.exit_code == 2
    assert "'report.txt' must end in .html" in " ".join(done.stderr.split())


@pytest.mark.parametrize("name", ["nowhere/a.html", "human.npy/a.html", "folder.html"])
def test_report_where_nothing_can_be_written(features, name):
    Path("folder.html").mkdir()
    # The missing system shows that the report is checked first.
    done = invoke("compare", "human.npy", "nowhere.npy", "--report", name)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: '{name}' ")
    assert done.stderr.count("\n") == 1


def test_killed_half_way_leaves_no_part_of_a_report(features):
    np.save("long.npy", np.random.default_rng(0).normal(size=(1000, 8)))
    os.mkfifo("prompts")  # which tells when the program is past its start
    Path("report.html").write_text("old")
    before = sorted(features.iterdir())
    process = subprocess.Popen(
        [
            sys.executable, "-m", "mauve", "compare", "long.npy", "other=long.npy",
            "--prompts", "prompts", "--permutations", "200000", "--report", "report.html",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    with open("prompts", "w") as prompts:
        prompts.writelines(f"prompt {i}\n" for i in range(1000))
    time.sleep(1)
    assert process.poll() is None
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert sorted(features.iterdir()) == before
    assert Path("report.html").read_text() == "old"


# Tables


def test_markdown_and_latex(features):
    arguments = ["compare", "human.npy", "bad.npy", "g_1=good.npy", *QUICK]
    markdown = invoke(*arguments, "--markdown")
    assert markdown.exit_code == 0
    title, rule, best, worst = markdown.stdout.splitlines()
    assert title.startswith("| system | MAUVE | 95% interval |")
    assert set(rule) == {*"|-:"}
    assert best.startswith(r"| g\_1 | ")
    assert worst.startswith("| bad | ")
    latex = invoke(*arguments, "--latex", "--measures", "frechet").stdout
    assert latex.startswith(r"\begin{tabular}{l")
    assert latex.count(r"\begin{tabular}") == 2
    assert r"g\_1" in latex
    wrong = invoke(*arguments, "--latex", "--markdown")
    assert wrong.exit_code == 2
    assert "only one of --json, --markdown and --latex" in " ".join(wrong.stderr.split())


def test_measures_in_markdown(here):
    done = invoke(
        "measure", "good.jsonl", "--human", "human.jsonl", "--measures", "zipf,repetition",
        "--markdown", "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0
    title, _, good, human = done.stdout.splitlines()
    assert title == "| system | Zipf ≈ | Rep. ≈ |"
    assert good.startswith("| good | ")
    assert human.startswith("| human | ")


# Metadata


def test_metadata_of_files(here):
    files = read_files(
        Path("human.jsonl"), ["human=good.jsonl"], field="text", prompts=None, by_prompt=False
    )
    assert [*files.metadata] == ["human (reference)", "human"]
    assert files.metadata["human"]["venue"][:3] == ["web", "book", "web"]
    assert files.unread == ("weight",)


def test_a_field_that_only_some_files_have_readable_is_left_out():
    read = {"human": {"year": [1, 2]}, "model": {"site": ["a", "b"]}}
    files = Files([], {}, None, True, read, ("year",))
    assert chosen_metadata(files, None) == {"human": {}, "model": {"site": ["a", "b"]}}
    with pytest.raises(InvalidParameterError, match="The field 'year' of --metadata must have"):
        chosen_metadata(files, "site,year")


@pytest.mark.parametrize("asked", ["", "site,", "SITE"])
def test_fields_are_named_as_they_are(asked):
    files = Files([], {}, None, True, {"model": {"site": ["a", "b"]}}, ())
    with pytest.raises(InvalidParameterError, match=r"a field of the files\. They have site"):
        chosen_metadata(files, asked)


def test_measures_with_a_language_model():
    assert asks_for_perplexity("zipf,perplexity")
    assert asks_for_perplexity("all")
    assert not asks_for_perplexity("text,features,model")
