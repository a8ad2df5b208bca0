"""mauve experiment: an example, a run, its state, and what is behind a cell."""

import json
import sys
from pathlib import Path

import pytest
from running import invoke

sys.path.insert(0, str(Path(__file__).parents[1] / "experiment"))  # for the small study

from small_study import STEPS, write_study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with a small study."""
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_run_status_and_show(folder):
    done = invoke("experiment", "run", "study.toml", "--out", "run")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    assert f"note: {sum(STEPS.values())} of {sum(STEPS.values())} steps done now" in done.stderr
    assert "warning: 9 of 9 rows have warnings, such as" in done.stderr
    again = invoke("experiment", "run", "study.toml", "--out", "run", "--json")
    assert json.loads(again.stdout) == json.loads(Path("run/results.json").read_text())
    assert again.exit_code == 0

    status = invoke("experiment", "status", "run")
    assert status.stdout.startswith("work ")
    assert status.stdout.rstrip().endswith(f"all {sum(STEPS.values())} steps are done")
    as_json = json.loads(invoke("experiment", "status", "run", "--json").stdout)
    assert as_json["is_complete"]
    assert sum(each["done"] for each in as_json["steps"]) == sum(STEPS.values())

    shown = invoke("experiment", "show", "run", "n-gram/greedy/16/zipf", "-n", "1")
    assert shown.exit_code == 0, shown.stderr
    assert "task=reference model=n-gram decoder=greedy seed=0 length=16" in shown.stdout
    for part in (
        "  zipf: ",
        " from human text",
        "  signature: mauve:",
        "  generate   ",
        "  text 1 of 30",
    ):
        assert part in shown.stdout
    rows = json.loads(invoke("experiment", "show", "run", "ancestral/16", "--json").stdout)
    assert [row["setting"]["seed"] for row in rows] == [0, 1]
    assert len(rows[0]["texts"]) == 3


def test_errors_are_one_line(folder):
    for command, message in [
        (["run", "no.toml", "--out", "run"], "error: 'no.toml' cannot be read"),
        (["status", "."], "error: '.' must be the folder of an experiment"),
        (["show", ".", "greedy"], "error: '.' must be the folder of an experiment"),
    ]:
        failed = invoke("experiment", *command)
        assert failed.exit_code == 1
        assert failed.stderr.startswith(message)
        assert failed.stderr.count("\n") == 1
    Path("study.toml").write_text("[texts]\nn = 3\n")
    failed = invoke("experiment", "run", "study.toml", "--out", "run")
    assert failed.stderr == (
        "error: 'study.toml', line 2: 'texts.n' must be an int of at least 10. Got 3 instead.\n"
    )


def test_the_example_is_written_once(folder):
    first = invoke("experiment", "example", "new")
    assert first.stdout == "new/experiment.toml\n"
    assert "mauve experiment run new/experiment.toml --out new/run" in first.stderr
    assert invoke("experiment", "example", "new").exit_code == 0
    Path("new/experiment.toml").write_text("mine")
    assert "is there already" in invoke("experiment", "example", "new").stderr
    assert Path("new/experiment.toml").read_text() == "mine"


def test_without_a_command_the_help_is_printed():
    assert "Run models, decoders, seeds and lengths" in invoke("experiment").stdout
