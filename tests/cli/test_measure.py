"""``mauve measure`` and the measures of ``mauve compare``."""

import csv
import io
import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from mauve.cli import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    rng = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "dog", "ran", "far"]
    for name, ending in {"human": ".", "good": ".", "loop": " and on and on"}.items():
        rows = rng.choice(words, size=(40, 20))
        lines = [
            json.dumps({"text": " ".join(row) + ending, "prompt": f"p{i}"})
            for i, row in enumerate(rows)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def _run(folder, *arguments):
    paths = [
        str(folder / argument) if re.fullmatch(r"\w+\.jsonl", argument) else argument
        for argument in arguments
    ]
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, paths)


def test_tables_fit_and_have_human_in_their_last_row(folder):
    done = _run(folder, "measure", "good.jsonl", "loop.jsonl", "--human", "human.jsonl")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("40 human texts")
    tables = lines[2 : next(i for i, line in enumerate(lines) if line.startswith("↑"))]
    assert max(map(len, tables)) <= 80
    assert sum(line.startswith("human") for line in lines) == sum(
        line.startswith("loop") for line in lines
    )
    assert "Gen. PPL ≈" in done.stdout
    assert "MAUVE ↑" in done.stdout
    assert "signature: mauve:" in done.stdout
    assert "below 100 the interval is wide" in done.stderr  # 40 texts


def test_gaps(folder):
    done = _run(
        folder, "measure", "loop.jsonl", "--human", "human.jsonl", "--measures", "repetition,zipf",
        "--gaps", "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0
    assert "Rep. ↓" in done.stdout
    assert not any(line.startswith("human") for line in done.stdout.splitlines())
    assert done.stderr == ""


def test_json(folder):
    done = _run(
        folder, "measure", "good.jsonl", f"x={folder / 'loop.jsonl'}",
        "--human", "human.jsonl", "--measures", "text", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    held = json.loads(done.stdout)
    assert [system["name"] for system in held["systems"]] == ["good", "x"]
    assert held["systems"][1]["measures"]["repetition"]["value"] == 1


def test_csv_and_latex(folder):
    arguments = ["measure", "good.jsonl", "--human", "human.jsonl", "--measures", "zipf,distinct-2"]
    done = _run(folder, *arguments, "--csv")
    assert [row["measure"] for row in csv.DictReader(io.StringIO(done.stdout))] == [
        "zipf", "distinct-2", "zipf", "distinct-2",
    ]  # fmt: skip
    done = _run(folder, *arguments, "--latex")
    assert done.stdout.startswith(r"\begin{tabular}{lrr}")


def test_by_prompt(folder):
    done = _run(
        folder, "measure", "good.jsonl", "--human", "human.jsonl", "--measures", "zipf",
        "--by-prompt", "--json",
    )  # fmt: skip
    assert "-by-prompt" in json.loads(done.stdout)["signature"]


def test_list_names_every_measure(folder):
    done = _run(folder, "measure", "--list")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert any(line.startswith("self-bleu") and "nearest to human" in line for line in lines)
    assert any("mauve-eval[classifier]" in line for line in lines)


def test_compare_prints_measures_too(folder):
    done = _run(
        folder, "compare", "human.jsonl", "good.jsonl", "loop.jsonl", "--permutations", "0",
        "--measures", "repetition,self-bleu",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "type" in done.stdout
    assert "Self-BLEU ≈" in done.stdout
    assert done.stdout.count("signature: ") == 2


def test_compare_json_has_measures(folder):
    done = _run(
        folder, "compare", "human.jsonl", "good.jsonl", "--permutations", "0", "--no-cache",
        "--measures", "frechet", "--json", "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    held = json.loads(done.stdout)
    assert held["measures"]["systems"][0]["measures"]["frechet"]["value"] > 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--measures", "blue"], 1, "Got 'blue' instead"),
        (["--measures", "copying-8"], 1, "needs what the systems were trained on"),
        (["--json", "--csv"], 2, "only one of --json, --markdown, --latex and --csv"),
        (["--model", "gpt2"], 2, "--model must be NAME=MODEL@DECODER"),
        (["--model", "a=b@greedy", "--model", "a=c"], 2, "--model must name 'a' once"),
        (["--model", "a=b@red", "--measures", "sparsemax"], 1, "Got 'red' instead"),
        (["--prompt-context"], 1, "'prompt_context' parameter of measure must be False"),
        (["--training", "no.txt", "--measures", "copying-8"], 1, "no.txt"),
        (["--tokenizer", "no/such/tokenizer.json"], 1, "no/such/tokenizer.json"),
        (["--lm", "no/such/model"], 1, "no/such/model"),
    ],
)
def test_what_cannot_be_used_ends_in_one_line(folder, arguments, code, message):
    done = _run(folder, "measure", "good.jsonl", "--human", "human.jsonl", *arguments)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""
    if code == 1:
        assert len(done.stderr.strip().splitlines()) == 1
