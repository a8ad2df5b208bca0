import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

from mauve.synthetic import FAULTS, synthetic_features

ENV = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"} | {"COLUMNS": "80"}


def run(*arguments, cwd, env=ENV):
    return subprocess.run(
        [sys.executable, "-m", "mauve", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env,
        timeout=120,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return folder, run("demo", cwd=folder)


def test_writes_features_and_picture(demo):
    folder, done = demo
    assert (done.returncode, done.stderr) == (0, "")
    names = {f"{name}.npy" for name in ["human", *FAULTS]} | {"curves.png"}
    assert {path.name for path in (folder / "demo").iterdir()} == names
    assert (folder / "demo" / "curves.png").read_bytes().startswith(b"\x89PNG")
    for name, features in synthetic_features(seed=1).items():
        np.testing.assert_array_equal(np.load(folder / "demo" / f"{name}.npy"), features)


def test_says_what_it_is(demo):
    out = demo[1].stdout
    assert "Synthetic features" in out
    assert "no text was written" in out
    for name, fault in FAULTS.items():
        assert re.search(rf"{name} +{re.escape(fault)}", out)


def test_table_is_ranked_and_has_differences(demo):
    out = demo[1].stdout
    table = out[out.index("MAUVE") :]
    places = [table.index(name) for name in FAULTS]
    assert places == sorted(places)
    assert "(Holm)" in out


def test_the_printed_command_gives_the_same_table(demo):
    folder, done = demo
    command = shlex.split(re.search("^again: (.*)$", done.stdout, re.MULTILINE)[1])
    assert command[:2] == ["mauve", "compare"]
    again = run(*command[1:], cwd=folder)
    assert again.returncode == 0
    assert again.stdout in done.stdout


def test_out_names_the_folder_and_may_exist(tmp_path):
    target = "some where/deep"
    for _ in range(2):
        done = run("demo", "--out", target, cwd=tmp_path)
        assert done.returncode == 0
    assert f"mauve compare '{target}/human.npy'" in done.stdout
    assert (tmp_path / target / "curves.png").is_file()


def test_out_that_is_a_file(tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = run("demo", "--out", "taken", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert "'taken'" in done.stderr
    assert (tmp_path / "taken").read_text() == "mine"


def test_without_matplotlib_nothing_is_started(tmp_path):
    hidden = tmp_path / "hidden" / "matplotlib"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ImportError('as if it were not installed')")
    env = ENV | {"PYTHONPATH": str(hidden.parent)}
    done = run("demo", cwd=tmp_path, env=env)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: Pictures need matplotlib: pip install 'mauve-eval[plot]'.\n"
    assert not (tmp_path / "demo").exists()
