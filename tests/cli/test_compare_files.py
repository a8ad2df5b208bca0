"""``mauve compare`` of patterns, folders, and files that do not fit in memory."""

import json

import numpy as np
import pytest
from running import invoke

QUICK = ["--n-clusterings", "4", "--n-permutations", "20", "-q"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, shift in {"human": 0.0, "gpt": 0.3}.items():
        (tmp_path / name).mkdir()
        for i in range(2):
            rows = (rng.normal(size=(150, 5)) + shift).astype(np.float32)
            np.save(tmp_path / name / f"{i}.npy", rows)
        parts = [np.load(tmp_path / name / f"{i}.npy") for i in range(2)]
        np.save(tmp_path / f"{name}.npy", np.concatenate(parts))
    return tmp_path


def scores(*arguments):
    done = invoke("compare", *arguments, "--json", *QUICK)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("given", [("human/*.npy", "gpt/*.npy"), ("human", "gpt")])
def test_patterns_and_folders_have_the_score_of_one_file(folder, given):
    [streamed] = scores(*given)["results"]
    [whole] = scores("human.npy", "gpt.npy")["results"]
    assert streamed["name"] == "gpt"
    assert streamed["mauve"] == pytest.approx(whole["mauve"], rel=1e-9)
    assert streamed["signature"] == whole["signature"]


def test_what_does_not_fit_is_compared_in_files(folder, monkeypatch):
    assert "n_tested" not in scores("human.npy", "gpt.npy", "--memory", "1GB")
    monkeypatch.setattr("mauve.cli.compare_files.needed_memory", lambda paths: 2 * 10**9)
    assert scores("human.npy", "gpt.npy", "--memory", "1GB")["n_tested"] == {
        "human": 300,
        "gpt": 300,
    }


def test_a_part_that_is_tested_is_noted(folder):
    rows = np.random.default_rng(0).normal(size=(1200, 3))
    np.save("many.npy", rows)
    arguments = ["many.npy", "many.npy", "--engine", "disk", "--n-tested", "1000"]
    done = invoke("compare", *arguments, "--n-clusterings", "2", "--n-permutations", "20")
    assert "note: the test of P = Q" in done.stderr
    assert "1,000 of 1,200 texts of 'human'" in done.stderr


def test_shards_stay_in_a_folder(folder):
    scores("human", "gpt", "--folder", "work")
    assert len([*(folder / "work").rglob("*.shard")]) == 8


@pytest.mark.parametrize(
    "options",
    [
        ["--report", "page.html"],
        ["--save", "run.mauve"],
        ["--ladder"],
        ["--limit", "100"],
        ["--by-prompt"],
        ["--clustering", "joint"],
        ["--interval", "bootstrap"],
    ],
)
def test_what_needs_memory_is_refused(folder, options):
    done = invoke("compare", "human", "gpt", *options)
    assert done.exit_code == 1
    assert f"error: {options[0]} needs all texts in memory" in done.stderr


def test_options_of_files_are_refused_in_memory(folder):
    done = invoke("compare", "human.npy", "gpt.npy", "--folder", "work")
    assert done.exit_code == 1
    assert "--folder must be left out" in done.stderr


def test_a_pattern_in_memory(folder):
    done = invoke("compare", "human/*.npy", "gpt.npy", "--engine", "memory")
    assert done.exit_code == 1
    assert "human/*.npy" in done.stderr


def test_workers_are_for_ray(folder):
    done = invoke("compare", "human", "gpt", "--workers", "2")
    assert done.exit_code == 1
    assert "--workers must be left out unless engine='ray'" in done.stderr
