"""``mauve embed``, and ``mauve compare`` on files of texts."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors import safe_open
from typer.testing import CliRunner

from mauve.cli import app
from mauve.embed.bundled import BundledEmbedder

WORDS = "the a cat dog sat ran under over green table house while nobody looked at it".split()  # noqa: SIM905
QUICK = ["--clusterings", "5", "--permutations", "50"]


def texts(seed, n=120):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=30)) + "." for _ in range(n)]


def invoke(*arguments, stdin=None):
    return CliRunner().invoke(app, [*map(str, arguments)], input=stdin)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    for seed, name in enumerate(("human", "model")):
        lines = [json.dumps({"text": t, "prompt": f"p{i}"}) for i, t in enumerate(texts(seed))]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


class TestEmbed:
    def test_npy(self, folder):
        done = invoke("embed", "human.jsonl", "--out", "human.npy")
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout.startswith("120 texts, 130 features: human.npy\nembedder: bundled-")
        wanted = BundledEmbedder().embed(texts(0)).features
        np.testing.assert_allclose(np.load("human.npy"), wanted, atol=1e-4)

    def test_safetensors_says_what_made_it(self, folder):
        done = invoke("embed", "human.jsonl", "-o", "human.safetensors", "--quiet")
        assert (done.exit_code, done.output) == (0, "")
        with safe_open("human.safetensors", framework="numpy") as file:
            assert file.metadata() == {"embedder": BundledEmbedder().signature}
            assert file.get_tensor("features").shape == (120, 130)

    def test_options_reach_the_embedder(self, folder):
        done = invoke(
            "embed", "human.jsonl", "-o", "h.npy", "--pooling", "mean", "--max-length", 16
        )
        assert done.exit_code == 0
        assert ":mean:16" in done.stdout
        assert "warning: 120 texts are longer than the embedder reads." in done.stderr
        assert np.load("h.npy").shape == (120, 128)

    def test_stdin(self, folder):
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
            (["embed", "human.jsonl", "-o", "h.npy", "--layer", "3"], "Got layer instead"),
            (["embed", "human.jsonl", "-o", "h.npy", "--embedder", "./none"], "'./none'"),
        ],
    )
    def test_errors(self, folder, arguments, message):
        (folder / "empty.txt").write_text("")
        (folder / "hole.jsonl").write_text('{"text": "a"}\n{"text": ""}\n')
        np.save("human.npy", np.ones((3, 2)))
        done = invoke(*arguments)
        assert done.exit_code == 1
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
        assert message in done.stderr
        assert not (folder / "h.npy").exists()

    def test_wrong_suffix_is_a_usage_error(self, folder):
        done = invoke("embed", "human.jsonl", "-o", "human.csv")
        assert done.exit_code == 2
        assert "must end in .npy or .safetensors" in done.stderr


class TestKilled:
    @pytest.mark.parametrize("after", [0.3, 1.0, 1.5, 2.0, 2.5])
    def test_whatever_is_left_is_right(self, folder, after):
        """Kill a run, then embed the same texts, with the cache it left."""
        many = [f"{text} {i}" for i, text in enumerate(texts(3, 3000))]
        (folder / "many.txt").write_text("\n".join(many) + "\n")
        command = [sys.executable, "-m", "mauve", "embed", "many.txt", "-o", "many.npy"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = {path.name for path in folder.iterdir()} - {"cache", "many.txt"}
        assert {n for n in left if not n.startswith(".mauve-")} <= {
            "human.jsonl", "model.jsonl", "many.npy",
        }  # fmt: skip
        some = many[::100]
        (folder / "some.txt").write_text("\n".join(some) + "\n")
        done = invoke("embed", "some.txt", "-o", "some.npy")
        assert done.exit_code == 0
        wanted = BundledEmbedder().embed(some).features
        np.testing.assert_allclose(np.load("some.npy"), wanted, atol=1e-4)


class TestCompare:
    def test_files_of_texts(self, folder):
        done = invoke("compare", "human.jsonl", "model.jsonl", *QUICK)
        assert done.exit_code == 0
        assert "against 120 human texts" in done.stdout
        assert f"emb:{BundledEmbedder().signature}" in done.stdout

    def test_other_formats_give_the_same_score(self, folder):
        (folder / "human.txt").write_text("\n".join(texts(0)) + "\n")
        (folder / "model.csv.gz").write_bytes(
            gzip.compress(("text\n" + "\n".join(texts(1)) + "\n").encode())
        )
        wanted = invoke("compare", "human.jsonl", "model.jsonl", "--json", *QUICK)
        found = invoke("compare", "human.txt", "model.csv.gz", "--json", *QUICK)
        piped = invoke(
            "compare", "human.txt", "model=-", "--json", *QUICK,
            stdin=(folder / "model.jsonl").read_text(),
        )  # fmt: skip
        scores = [json.loads(done.stdout)["results"][0] for done in (wanted, found, piped)]
        assert scores[0] == scores[1] == scores[2]
        assert scores[0]["name"] == "model"
        assert scores[0]["form"]["findings"] == []

    def test_features_of_embed_give_about_the_same_score(self, folder):
        # Texts are dealt into blocks by a hash of the text here and of its features there, so
        # the clusterings differ, by what another seed would make.
        for name in ("human", "model"):
            assert invoke("embed", f"{name}.jsonl", "-o", f"{name}.npy").exit_code == 0
        wanted = json.loads(
            invoke("compare", "human.jsonl", "model.jsonl", "--json", *QUICK).stdout
        )
        found = json.loads(invoke("compare", "human.npy", "model.npy", "--json", *QUICK).stdout)
        assert found["results"][0]["mauve"] == pytest.approx(wanted["results"][0]["mauve"], abs=0.1)

    def test_by_prompt(self, folder):
        alone = json.loads(invoke("compare", "human.jsonl", "model.jsonl", "--json", *QUICK).stdout)
        done = invoke("compare", "human.jsonl", "model.jsonl", "--by-prompt", "--json", *QUICK)
        assert done.exit_code == 0
        assert json.loads(done.stdout)["results"][0]["mauve"] != alone["results"][0]["mauve"]

    def test_by_prompt_without_prompts(self, folder):
        (folder / "model.txt").write_text("\n".join(texts(1)) + "\n")
        done = invoke("compare", "human.jsonl", "model.txt", "--by-prompt")
        assert done.exit_code == 1
        assert "'model.txt' must have the field 'prompt' in every record" in done.stderr

    def test_form_is_warned_of_and_mended(self, folder):
        lines = [json.dumps({"text": " " + text}) for text in texts(0)]
        (folder / "human.jsonl").write_text("\n".join(lines) + "\n")
        done = invoke("compare", "human.jsonl", "model.jsonl", *QUICK)
        assert "start with white space: strip all texts with --strip." in done.stderr
        mended = invoke("compare", "human.jsonl", "model.jsonl", "--strip", *QUICK)
        assert "white space" not in mended.stderr
        assert ":strip|" in mended.stdout

    def test_no_cache(self, folder):
        done = invoke("compare", "human.jsonl", "model.jsonl", "--no-cache", *QUICK)
        assert done.exit_code == 0
        assert not (folder / "cache").exists()

    def test_cache_that_cannot_be_written_is_told_and_no_more(self, folder):
        (folder / "cache").write_text("a file where a folder should be")
        done = invoke("compare", "human.jsonl", "model.jsonl", *QUICK)
        assert done.exit_code == 0
        assert done.stderr.startswith("warning: ")
        assert "cache" in done.stderr

    def test_two_files_from_stdin(self, folder):
        done = invoke("compare", "-", "model=-", stdin="a\n")
        assert done.exit_code == 2
        assert "only one of the files can be -" in done.stderr


def test_two_at_once(folder):
    env = os.environ | {"MAUVE_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "mauve", "embed", "human.jsonl", "-o"]
    both = [subprocess.Popen([*command, f"{i}.npy"], env=env) for i in range(2)]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    np.testing.assert_allclose(np.load("0.npy"), np.load("1.npy"), atol=1e-4)
