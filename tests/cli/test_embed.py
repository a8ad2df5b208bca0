"""``mauve embed``."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from running import invoke, word_texts
from safetensors import safe_open

from mauve.embed.bundled import BundledEmbedder


@pytest.mark.slow
def test_npy(text_folder):
    done = invoke("embed", "human.jsonl", "--out", "human.npy")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("120 texts, 130 features: human.npy\nembedder: bundled-")
    wanted = BundledEmbedder().embed(word_texts(0)).features
    np.testing.assert_allclose(np.load("human.npy"), wanted, atol=1e-4)


@pytest.mark.slow
def test_safetensors_says_what_made_it(text_folder):
    done = invoke("embed", "human.jsonl", "-o", "human.safetensors", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    with safe_open("human.safetensors", framework="numpy") as file:
        assert file.metadata() == {"embedder": BundledEmbedder().signature}
        assert file.get_tensor("features").shape == (120, 130)


def test_options_reach_the_embedder(text_folder):
    done = invoke("embed", "human.jsonl", "-o", "h.npy", "--pooling", "mean", "--max-length", 16)
    assert done.exit_code == 0
    assert ":mean:16" in done.stdout
    assert "warning: 120 texts are longer than the embedder reads." in done.stderr
    assert np.load("h.npy").shape == (120, 128)


def test_stdin(text_folder):
    done = invoke("embed", "-", "-o", "h.npy", stdin="one text\nanother\n")
    assert done.exit_code == 0
    assert np.load("h.npy").shape == (2, 130)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["embed", "human.npy", "-o", "h.npy"], "must be a file of texts"),
        (["embed", "gone.jsonl", "-o", "h.npy"], "gone.jsonl"),
        (["embed", "human.jsonl", "-o", "no/h.npy"], "'no' must be a folder"),
        (["embed", "empty.txt", "-o", "h.npy"], "empty.txt"),
        (["embed", "hole.jsonl", "-o", "h.npy"], "Got empty ones at position 1"),
        (["embed", "human.jsonl", "-o", "h.npy", "--field", "body"], "field 'body'"),
        (["embed", "human.jsonl", "-o", "h.npy", "--layer", "3"], "Got --layer instead"),
        (["embed", "human.jsonl", "-o", "h.npy", "--embedder", "./none"], "'./none'"),
    ],
)
def test_errors(text_folder, arguments, message):
    (text_folder / "empty.txt").write_text("")
    (text_folder / "hole.jsonl").write_text('{"text": "a"}\n{"text": ""}\n')
    np.save("human.npy", np.ones((3, 2)))
    done = invoke(*arguments)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not (text_folder / "h.npy").exists()


def test_wrong_suffix_is_a_usage_error(text_folder):
    done = invoke("embed", "human.jsonl", "-o", "human.csv")
    assert done.exit_code == 2
    assert "must end in .npy or .safetensors" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.3, 1.0, 1.5, 2.0, 2.5])
def test_whatever_is_left_is_right(text_folder, after):
    """Kill a run, then embed the same texts, with the cache it left."""
    many = [f"{text} {i}" for i, text in enumerate(word_texts(3, 3000))]
    (text_folder / "many.txt").write_text("\n".join(many) + "\n")
    command = [sys.executable, "-m", "mauve", "embed", "many.txt", "-o", "many.npy"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = {path.name for path in text_folder.iterdir()} - {"cache", "many.txt"}
    assert {n for n in left if not n.startswith(".mauve-")} <= {
        "human.jsonl", "model.jsonl", "many.npy",
    }  # fmt: skip
    some = many[::100]
    (text_folder / "some.txt").write_text("\n".join(some) + "\n")
    done = invoke("embed", "some.txt", "-o", "some.npy")
    assert done.exit_code == 0
    wanted = BundledEmbedder().embed(some).features
    np.testing.assert_allclose(np.load("some.npy"), wanted, atol=1e-4)


@pytest.mark.slow
def test_two_at_once(text_folder):
    env = os.environ | {"MAUVE_CACHE": str(text_folder / "cache")}
    command = [sys.executable, "-m", "mauve", "embed", "human.jsonl", "-o"]
    both = [subprocess.Popen([*command, f"{i}.npy"], env=env) for i in range(2)]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    np.testing.assert_allclose(np.load("0.npy"), np.load("1.npy"), atol=1e-4)
