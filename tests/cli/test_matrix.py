"""``mauve matrix``: table, sentences, JSON and picture."""

import json

import numpy as np
import pytest
from running import invoke


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    for name, shift in (("human", 0), ("a", 1), ("b", 1)):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(120, 4)) + shift)
    return [str(tmp_path / f"{name}.npy") for name in ("human", "a", "b")]


def test_tables_json_and_picture(files, tmp_path):
    picture = tmp_path / "m.png"
    done = invoke("matrix", *files, "--plot", picture, "--splits", "5")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("sample")
    text = " ".join(done.stdout.split())
    assert "On average systems score" in text
    assert "(0.9" in text or "1.000" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    as_dict = json.loads(invoke("matrix", *files, "--json").stdout)
    assert as_dict["samples"] == ["human", "a", "b"]
    assert len(as_dict["human_spread"]) == 20
    assert invoke("matrix", *files, "--markdown").stdout.startswith("|")


def test_a_report_and_latex(files, tmp_path):
    page = tmp_path / "m.html"
    done = invoke("matrix", *files, "--report", page, "--splits", "2", "--latex")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(r"\begin{tabular}")
    assert "Scores of pairs" in page.read_text()
    assert "report" in done.stderr
    done = invoke("matrix", *files, "--report", page, "--plot", page)
    assert done.exit_code != 0
    assert "different files" in done.stderr


def test_errors_are_one_line(files, tmp_path):
    done = invoke("matrix", *files, "--plot", tmp_path / "m.gif")
    assert done.exit_code != 0
    done = invoke("matrix", *files, "--splits", "1")
    assert done.exit_code == 2
    done = invoke("matrix", files[0], tmp_path / "absent.npy")
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
