"""mauve compare --save and mauve show."""

import json

import pytest
from running import QUICK, invoke, run

import mauve

FILES = ["human.npy", "good.npy", "bad.npy"]


@pytest.fixture
def saved(features):
    done = invoke("compare", *FILES, *QUICK, "--save", "run.mauve")
    assert done.exit_code == 0
    assert "saved: run.mauve" in done.stderr
    return done


def test_prints_the_same_tables(saved):
    shown = invoke("show", "run.mauve")
    assert shown.exit_code == 0
    first, *lines = saved.stdout.splitlines()
    assert shown.stdout.splitlines()[1:] == lines
    assert shown.stdout.startswith(first.rpartition(",")[0] + ", run.mauve")


@pytest.mark.parametrize("flag", ["--json", "--markdown", "--latex"])
def test_prints_the_same_in_every_format(features, flag):
    done = invoke("compare", *FILES, *QUICK, "--save", "run.mauve", flag, "--margin", "0.1")
    assert invoke("show", "run.mauve", flag, "--margin", "0.1").stdout == done.stdout


@pytest.mark.slow
def test_writes_picture_and_report(saved, tmp_path):
    shown = invoke("show", "run.mauve", "--plot", "curves.png", "--report", "page.html")
    assert shown.exit_code == 0
    assert "report: page.html" in shown.stderr
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "<!doctype html>" in (tmp_path / "page.html").read_text()


@pytest.mark.slow
def test_metadata_is_saved_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("human", "model"):
        lines = (
            json.dumps({"text": f"{name} {i} {i % 7}", "site": f"{i % 2}.org"}) for i in range(100)
        )
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    done = invoke("compare", "human.jsonl", "model.jsonl", *QUICK, "--save", "run.mauve")
    assert done.exit_code == 0, done.stderr
    loaded = mauve.load("run.mauve")
    sites = [f"{i % 2}.org" for i in range(100)]
    assert loaded.compared.samples.metadata["model"]["site"] == sites


def test_a_file_to_read_is_not_replaced(features, tmp_path):
    before = (tmp_path / FILES[0]).read_bytes()
    done = invoke("compare", *FILES, *QUICK, "--save", FILES[0])
    assert done.exit_code == 2
    assert "is one of the files to read" in done.stderr
    assert (tmp_path / FILES[0]).read_bytes() == before


def test_what_cannot_be_written_is_said_before_the_work(features):
    done = invoke("compare", *FILES, *QUICK, "--save", "nowhere/run.mauve")
    assert done.exit_code == 1
    assert "nowhere/run.mauve' cannot be written" in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
def test_a_bad_file_is_one_line(features):
    code, out, err = run("show", FILES[0])
    assert code == 1
    assert out == ""
    assert err.count("\n") == 1
    assert "must hold a saved comparison. It is a file of another kind" in err
