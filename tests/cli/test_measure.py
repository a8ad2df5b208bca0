"""``mauve measure``, and the measures of ``mauve compare``."""

import csv
import io
import json

import numpy as np
import pytest
from running import invoke


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


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.mark.slow
def test_tables_fit_and_have_human_in_their_last_row():
    done = invoke("measure", "human.jsonl", "good.jsonl", "loop.jsonl")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "against 40 human texts, human.jsonl"
    tables = lines[2 : next(i for i, line in enumerate(lines) if line.startswith("↑"))]
    assert max(map(len, tables)) <= 80
    assert sum(line.startswith("human") for line in lines) == sum(
        line.startswith("loop") for line in lines
    )
    assert "Gen. PPL ≈" in done.stdout
    assert "MAUVE ↑" in done.stdout
    assert "signature: mauve:" in done.stdout
    assert "below 100" in done.stderr  # there are 40 texts


def test_gaps():
    done = invoke(
        "measure", "human.jsonl", "loop.jsonl", "--measures", "repetition,zipf",
        "--gaps", "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0
    assert "Rep. ↓" in done.stdout
    assert not any(line.startswith("human") for line in done.stdout.splitlines())
    assert done.stderr == ""


def test_legend_of_gaps():
    done = invoke("measure", "human.jsonl", "loop.jsonl", "--measures", "zipf", "--gaps")
    assert "the gap |T(Q) - T(P)| between the system's texts Q and human text P" in " ".join(
        done.stdout.split()
    )


def test_json():
    done = invoke(
        "measure", "human.jsonl", "good.jsonl", "x=loop.jsonl", "--measures", "text", "--json"
    )
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert [system["name"] for system in result["systems"]] == ["good", "x"]
    assert result["systems"][1]["measures"]["repetition"]["value"] == 1


def test_csv_and_latex():
    arguments = ["measure", "human.jsonl", "good.jsonl", "--measures", "zipf,distinct-2"]
    done = invoke(*arguments, "--csv")
    assert [row["measure"] for row in csv.DictReader(io.StringIO(done.stdout))] == [
        "zipf", "distinct-2", "zipf", "distinct-2",
    ]  # fmt: skip
    done = invoke(*arguments, "--latex")
    assert done.stdout.startswith(r"\begin{tabular}{lrr}")


def test_by_prompt():
    done = invoke(
        "measure", "human.jsonl", "good.jsonl", "--measures", "zipf",
        "--by-prompt", "--json",
    )  # fmt: skip
    assert "-by-prompt" in json.loads(done.stdout)["signature"]


def test_list_names_every_measure():
    done = invoke("measure", "--list")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert any(line.startswith("self-bleu") and "nearest to human" in line for line in lines)
    assert any("mauve-eval[classifier]" in line for line in lines)


def test_compare_prints_measures_too():
    done = invoke(
        "compare", "human.jsonl", "good.jsonl", "loop.jsonl", "--n-permutations", "0",
        "--measures", "repetition,self-bleu",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "type" in done.stdout
    assert "Self-BLEU ≈" in done.stdout
    assert done.stdout.count("signature: ") == 2


def test_compare_json_has_measures():
    done = invoke(
        "compare", "human.jsonl", "good.jsonl", "--n-permutations", "0", "--no-cache",
        "--measures", "frechet", "--json", "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["measures"]["systems"][0]["measures"]["frechet"]["value"] > 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--measures", "blue"], 1, "Got 'blue' instead"),
        (["--measures", "copying-8"], 1, "needs what the systems were trained on"),
        (["--json", "--csv"], 2, "only one of --json, --markdown, --latex and --csv"),
        (["--model", "gpt2"], 2, "--model must be NAME=MODEL@DECODER"),
        (["--model", "a=b@greedy", "--model", "a=c"], 2, "--model must name 'a' once"),
        (["--model", "a=b@red", "--measures", "sparsemax"], 1, "Got 'red' instead"),
        (
            ["--prompt-context"],
            1,
            "--prompt-context must be left out without --prompts or",
        ),
        (["--training", "no.txt", "--measures", "copying-8"], 1, "no.txt"),
        (["--tokenizer", "no/such/tokenizer.json"], 1, "no/such/tokenizer.json"),
        (["--language-model", "no/such/model"], 1, "no/such/model"),
    ],
)
def test_what_cannot_be_used_ends_in_one_line(arguments, code, message):
    done = invoke("measure", "human.jsonl", "good.jsonl", *arguments)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""
    if code == 1:
        assert len(done.stderr.strip().splitlines()) == 1


def test_measures_in_markdown():
    done = invoke(
        "measure", "human.jsonl", "good.jsonl", "--measures", "zipf,repetition",
        "--markdown", "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0
    title, _, good, human = done.stdout.splitlines()
    assert title == "| system | Zipf ≈ | Rep. ≈ |"
    assert good.startswith("| good | ")
    assert human.startswith("| human | ")


def test_the_variant_of_the_authors():
    options = ("measure", "human.jsonl", "loop.jsonl", "--variant", "authors", "--measures")
    done = invoke(*options, "zipf,distinct-2", "--json")
    assert done.exit_code == 0
    assert [*json.loads(done.stdout)["systems"][0]["measures"]] == ["zipf-authors", "distinct-2"]
    assert "note: without a variant 'authors', computed as always: distinct-2" in done.stderr
    assert "note" not in invoke(*options, "zipf", "--quiet").stderr
    done = invoke(*options, "distinct-2")
    assert (done.exit_code, done.stderr[:48]) == (
        1,
        "error: --variant must be left out where no measu",
    )
    assert "--variant need --measures" in invoke(
        "compare", "human.jsonl", "loop.jsonl", "--variant", "authors"
    ).stderr  # fmt: skip
    done = invoke(
        "compare", "human.jsonl", "loop.jsonl", "--variant", "authors", "--protocol", "alce"
    )
    assert (done.exit_code, "--variant cannot be given" in " ".join(done.stderr.split())) == (
        2,
        True,
    )
