"""``mauve finetune``."""

import json

import pytest
from running import invoke, word_texts

SMALL = ["--block-size", "32", "--batch", "8", "--device", "cpu", "--from-scratch"]


@pytest.mark.slow
def test_train_show_and_train_no_more(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.txt").write_text("\n".join(word_texts(0, 40)))
    first = invoke("finetune", "1x32", "texts.txt", "-o", "model", *SMALL, "--validation", "0.1")
    assert (first.exit_code, first.stderr) == (0, "")
    texts, steps, perplexity, model = first.stdout.splitlines()
    assert texts.startswith("36 texts, ")
    assert " blocks of 32 tokens; " in texts
    assert " steps of 8 blocks, 8 at once; loss " in steps
    assert perplexity.startswith("validation perplexity ")
    assert perplexity.endswith(" before (4 texts)")
    assert model == "model: model"
    again = invoke("finetune", "1x32", "texts.txt", "-o", "model", *SMALL, "--validation", "0.1")
    assert "nothing was left to do" in again.stdout
    result = invoke(
        "finetune", "1x32", "texts.txt", "-o", "model", *SMALL, "--validation", "0.1", "--json"
    )
    assert json.loads(result.stdout)["was_finished"] is True
    other = invoke("finetune", "1x32", "texts.txt", "-o", "model", *SMALL, "--seed", "3")
    assert other.exit_code == 1
    assert "--out must be a new folder" in other.stderr
    assert "seed is 0 and not 3" in other.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--epochs", "0"], 2, "must be above 0"),
        (["--validation", "1"], 2, "at least 0 and below 1"),
        (["--task", "poems"], 2, "must be one of webtext"),
        (["--device", "tpu"], 2, "must be one of auto, cpu"),
        (["--batch-size", "3"], 1, "--batch-size must divide the 8 blocks"),
        (["--block-size", "2000"], 1, "--block-size must be at most the 1024 tokens"),
    ],
)
def test_bad_options(tmp_path, monkeypatch, options, code, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.txt").write_text("\n".join(word_texts(0, 40)))
    done = invoke("finetune", "1x32", "texts.txt", "-o", "model", *SMALL, *options)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_missing_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = invoke("finetune", "1x32", "gone.txt", "-o", "model", *SMALL)
    assert done.exit_code == 1
    assert "gone.txt" in done.stderr
