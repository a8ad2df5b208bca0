"""``mauve compare --report``."""

import json
import re
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from running import QUICK, invoke, start_long_work

pytestmark = pytest.mark.slow

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


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
def in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def text_of(page):
    """Return what a reader sees of a page."""
    body = re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


# The report


@pytest.mark.slow
def test_report_of_texts(in_folder, tmp_path):
    path = tmp_path / "report.html"
    arguments = ["compare", "human.jsonl", "good.jsonl", "loop.jsonl", *QUICK]
    done = invoke(*arguments, "--report", path)
    assert done.exit_code == 0, done.stderr
    *others, note, named = done.stderr.splitlines()
    assert all(line.startswith("warning: ") for line in others)
    assert note.startswith("note: fields that are not used as metadata: weight (not all values")
    assert named == f"report: {path}"
    assert done.stdout == invoke(*arguments).stdout  # the table is the same
    page = text_of(path.read_text())
    for part in ("good", "loop", "MAUVE", "venue", "Self-BLEU", "Zipf", "Fréchet"):
        assert part in page
    assert "Gen. PPL" not in page  # which takes its time


def test_report_has_the_measures_that_are_named(in_folder, tmp_path):
    path = tmp_path / "report.html"
    done = invoke(
        "compare", "human.jsonl", "loop.jsonl", *QUICK, "--report", path,
        "--measures", "perplexity,repetition",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "Gen. PPL" in done.stdout
    page = text_of(path.read_text())
    assert "Gen. PPL" in page
    assert "Self-BLEU" not in page


def test_json_stays_pure(in_folder, tmp_path):
    path = tmp_path / "report.html"
    arguments = ["compare", "human.jsonl", "good.jsonl", *QUICK, "--json"]
    done = invoke(*arguments, "--report", path)
    assert json.loads(done.stdout) == json.loads(invoke(*arguments).stdout)
    assert path.exists()
    quiet = invoke(*arguments, "--report", path, "--quiet")
    assert quiet.exit_code == 0
    assert all(line.startswith("warning: ") for line in quiet.stderr.splitlines())


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


def test_metadata_is_for_the_report(in_folder, tmp_path):
    path = tmp_path / "report.html"
    arguments = ["compare", "human.jsonl", "good.jsonl", *QUICK, "--metadata", "none"]
    alone = invoke(*arguments)
    assert alone.exit_code == 2
    assert "--metadata needs --report" in alone.stderr
    done = invoke(*arguments, "--report", path)
    assert "note" not in done.stderr
    assert "venue" not in text_of(path.read_text())


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_missing_packages_are_named_before_the_work(features, monkeypatch, package):
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


@pytest.mark.slow
def test_killed_half_way_leaves_no_part_of_a_report(features):
    Path("report.html").write_text("old")
    process, files = start_long_work(features, "compare", "--report", "report.html")
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert sorted(features.iterdir()) == files
    assert Path("report.html").read_text() == "old"
