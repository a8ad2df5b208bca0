"""mauve evaluate: the whole way in one command, and what the second command repeats."""

import json
import sys
from pathlib import Path

import pytest
from generation_runs import QUICK, write_passages
from running import QUICK as QUICK_SCORE
from running import invoke

sys.path.insert(0, str(Path(__file__).parents[1] / "embed"))  # for the tiny models

OPTIONS = ["--source", "texts.jsonl", "-n", "60", *QUICK, *QUICK_SCORE]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with texts."""
    monkeypatch.chdir(tmp_path)
    write_passages(tmp_path / "texts.jsonl")
    return tmp_path


def times(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_from_the_bundled_model_to_the_report(folder):
    command = ["evaluate", "bundled", *OPTIONS, "--decoders", "greedy,nucleus:p=0.9", "-o", "run"]
    done = invoke(*command, "--no-ladder")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("against 60 human texts, run/human.jsonl\n")
    assert "nucleus:p=0.9" in done.stdout
    assert "Gen. PPL" in done.stdout
    last = done.stderr.splitlines()[-2:]
    assert last == ["note: 120 texts written now, in run/samples", "report: run/report.html"]
    assert "nucleus:p=0.9" in (folder / "run" / "report.html").read_text()

    before = times(folder / "run")
    again = invoke(*command, "--no-ladder", "--json")
    assert times(folder / "run") == before
    result = json.loads(again.stdout)
    assert [sample["n_new"] for sample in result["samples"]] == [0, 0]
    assert [entry["name"] for entry in result["results"]] == ["greedy", "nucleus:p=0.9"]
    assert [entry["name"] for entry in result["measures"]["systems"]] == ["greedy", "nucleus:p=0.9"]
    assert result["report"] == "run/report.html"

    markdown = invoke(*command, "--no-ladder", "--markdown")
    assert markdown.stdout == (folder / "run" / "results.md").read_text()
    shown = invoke("show", "run/comparison.mauve", "--json")
    assert json.loads(shown.stdout)["results"] == result["results"]


@pytest.mark.slow
def test_other_models_and_a_target_for_adversarial_text(folder):
    from tiny_models import save

    save("gpt2", folder / "tiny")
    command = [
        "evaluate", "bundled", "tiny", "words=ngram:texts.jsonl", *OPTIONS, "--prompt-tokens", "6",
        "-o", "run", "--no-report", "--measures", "none",
    ]  # fmt: skip
    done = invoke(*command, "--json")
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert [entry["name"] for entry in result["results"]] == [
        "bundled ancestral", "tiny ancestral", "words ancestral",
    ]  # fmt: skip
    assert "measures" not in result
    one = [part for part in command if part not in ("tiny", "words=ngram:texts.jsonl")]
    adversarial = invoke(*one, "--json", "--decoders", "adversarial")
    assert adversarial.exit_code == 0, adversarial.stderr
    decoder = json.loads(adversarial.stdout)["samples"][0]["decoder"]
    kept = json.loads((folder / "run" / "samples" / "bundled" / "perplexity.json").read_bytes())
    assert decoder == f"adversarial:perplexity={kept['perplexity']:g}"
    assert kept["perplexity"] > 1


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([], 2, "Missing argument 'MODEL'"),
        (["bundled"], 2, "Missing option '--source'"),
        (["bundled", "--source", "none.jsonl"], 1, "none.jsonl"),
        (["bundled", "--source", "texts.jsonl", "--task", "poems"], 2, "must be one of webtext"),
        (["bundled", *OPTIONS, "--measures", "zip"], 1, "zip"),
        (["bundled", *OPTIONS, "-n", "3"], 1, "must have at least"),
        (["bundled", *OPTIONS, "--json", "--latex"], 2, "only one of"),
        (["bundled", *OPTIONS, "--max-tokens", "600"], 1, "600"),
    ],
)
def test_errors_come_before_the_first_text(folder, options, code, message):
    done = invoke("evaluate", *options)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.split())
    assert not [*(folder / "evaluation").rglob("seed-*")]
