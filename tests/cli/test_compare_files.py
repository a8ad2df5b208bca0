"""``mauve compare`` of patterns, folders, and files that do not fit in memory."""

import json
from pathlib import Path

import numpy as np
import pytest
from running import invoke

import mauve

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
        ["--by-prompt"],
        ["--clustering", "joint"],
        ["--interval", "bootstrap"],
    ],
)
def test_what_needs_memory_is_refused(folder, options):
    done = invoke("compare", "human", "gpt", *options)
    assert done.exit_code == 1
    assert f"error: {options[0]} needs all texts in memory" in done.stderr
    assert "--limit 100000" in done.stderr


def test_a_limit_draws_from_files_what_it_draws_from_memory(folder):
    assert scores("human", "gpt", "--limit", "90") == scores(
        "human.npy", "gpt.npy", "--limit", "90"
    )
    done = invoke("compare", "human", "gpt", "--limit", "90", *QUICK[:-1])
    assert "90 of 300 texts of 'human', 90 of 300 texts of 'gpt' (--limit 90)" in done.stderr


@pytest.mark.slow
def test_what_needs_memory_is_made_of_the_texts_that_are_drawn(folder):
    rng = np.random.default_rng(0)
    for i in range(4):
        words = rng.choice(["rain", "sun", "wind", "snow", "cloud"], size=(40, 12))
        lines = [{"text": " ".join(row) + ".", "prompt": str(j)} for j, row in enumerate(words)]
        Path(f"{i}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    outputs = ["--report", "page.html", "--save", "run.mauve", "--interval", "bootstrap"]
    arguments = ["[01].jsonl", "gpt=[23].jsonl", "--limit", "30", "--by-prompt"]
    done = invoke("compare", *arguments, *outputs, "--n-bootstrap", "20", *QUICK)
    assert done.exit_code == 0, done.stderr
    assert Path("page.html").stat().st_size > 10_000
    samples = mauve.load("run.mauve").compared.samples
    assert samples.sizes == {"human": 30, "gpt": 30}
    assert {*samples.prompts["human"]} == {*samples.prompts["gpt"]}


def test_prompts_of_another_file_are_refused(folder):
    Path("prompts.txt").write_text("one\n" * 300)
    done = invoke("compare", "human", "gpt", "--limit", "90", "--prompts", "prompts.txt")
    assert done.exit_code == 1
    assert "error: --prompts needs all texts in memory" in done.stderr
    assert "--by-prompt" in done.stderr


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
