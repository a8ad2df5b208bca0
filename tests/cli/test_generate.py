"""mauve generate: files that survive kills, Ctrl-C, full disks and other settings."""

import json
import resource

import pytest
from generation_runs import QUICK, start_and_wait, write_passages
from running import ENV, INTERRUPTIBLE, interrupt, invoke, start

from mauve.generation.files import read_sample


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with texts to learn from and 2,000 prompts."""
    monkeypatch.chdir(tmp_path)
    write_passages(tmp_path / "texts.jsonl")
    prompts = [f"The value of {i} is" for i in range(2000)]
    (tmp_path / "prompts.txt").write_text("\n".join(prompts) + "\n")
    return tmp_path


def arguments(out, *options):
    return ["generate", "ngram:texts.jsonl", "--prompts", "prompts.txt", "--max-tokens", "60",
            "--out", out, *options]  # fmt: skip


def sample(folder, out):
    return folder / out / "samples" / "ngram_texts" / "ancestral" / "seed-0.jsonl"


@pytest.mark.slow
def test_a_killed_command_is_continued(folder):
    path = sample(folder, "run")
    process = start_and_wait(folder, path, *arguments("run"), n_lines=100)
    process.kill()  # SIGKILL: it cannot clean up
    process.communicate()
    n_kept = len(read_sample(path))
    assert 100 <= n_kept < 2000
    with path.open("ab") as file:
        file.write(b'{"position": 1999, "id": "19')  # as if killed within a line
    done = invoke(*arguments("run"))
    assert done.exit_code == 0, done.stderr
    assert f" {2000 - n_kept:,} " in done.stdout
    assert invoke(*arguments("whole")).exit_code == 0
    assert read_sample(path) == read_sample(sample(folder, "whole"))
    assert path.read_bytes().count(b"\n") == 2000
    again = invoke(*arguments("run", "--json"))
    assert [entry["n_new"] for entry in json.loads(again.stdout)["samples"]] == [0]


@pytest.mark.slow
def test_two_processes_and_ctrl_c(folder):
    path = sample(folder, "run")
    first = start_and_wait(
        folder, path, *arguments("run"), n_lines=20, program=("-c", INTERRUPTIBLE), text=True
    )
    second = invoke(*arguments("run"))
    assert second.exit_code == 1
    assert second.stderr == (
        f"error: '{path.relative_to(folder)}' is being written by another process: wait until it "
        "has ended, or name another folder.\n"
    )
    code, out, err = interrupt(first)
    n_kept = len(read_sample(path))
    assert (code, out) == (130, "")
    assert err == (
        f"error: interrupted\nnote: {n_kept:,} of 2,000 texts are kept in "
        f"'{path.relative_to(folder)}'; the same call continues after them\n"
    )


@pytest.mark.slow
def test_a_full_disk(folder):
    limit = 20_000
    process = start(
        *arguments("run"),
        text=True,
        cwd=folder,
        env={**ENV, "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    out, err = process.communicate(timeout=120)
    path = sample(folder, "run")
    assert (process.returncode, out) == (1, "")
    texts = read_sample(path)
    assert path.read_bytes().endswith(b"\n")
    assert err == (
        f"error: '{path.relative_to(folder)}' cannot be written (File too large): make space, or "
        f"name a folder that you may write to.\nnote: {len(texts)} of 2,000 texts are kept in "
        f"'{path.relative_to(folder)}'; the same call continues after them\n"
    )
    assert invoke(*arguments("run")).exit_code == 0
    assert len(read_sample(path)) == 2000


@pytest.mark.slow
def test_a_task_with_several_decoders(folder):
    command = [
        "generate", "small=ngram:texts.jsonl", "--source", "texts.jsonl", "-n", "40", *QUICK,
        "--decoders", "greedy,top-k:k=5,temperature=0.8", "--seeds", "1,2", "-o", "run",
    ]  # fmt: skip
    done = invoke(*command)
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == [
        "model", "decoder", "seed", "texts", "new", "tokens", "ended", "tokens/s",
    ]  # fmt: skip
    assert [line.split()[1:3] for line in lines[1:4]] == [
        ["greedy", "0"], ["top-k:k=5,temperature=0.8", "1"], ["top-k:k=5,temperature=0.8", "2"],
    ]  # fmt: skip
    assert lines[5:] == [
        f"run/samples/small/{name}.jsonl"
        for name in ("greedy/seed-0", "top-k_k=5_temperature=0.8/seed-1",
                     "top-k_k=5_temperature=0.8/seed-2")
    ]  # fmt: skip
    assert (folder / "run" / "human.jsonl").read_bytes().count(b"\n") == 40
    assert invoke(*command, "--quiet").stdout == ""
    other = invoke(*command[:-2], "--out", "run", "--max-tokens", "13")
    assert other.exit_code == 1
    assert other.stderr == (
        "error: 'run/human.jsonl' was written with another max tokens: '12', and '13' is asked "
        "for. Use --max-tokens 12, name another folder, or remove the file.\n"
    )


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["bundled", "--out", "run"], 2, "either --prompts or --source must be given."),
        (["bundled", "--prompts", "prompts.txt"], 2, "Missing option '--out'"),
        (["bundled", "--prompts", "prompts.txt", "--task", "news", "-o", "run"], 2,
         "--task needs --source: --prompts are continued as they are."),
        (["bundled", "--prompts", "none.txt", "-o", "run"], 1, "'none.txt'"),
        pytest.param(["no/such/model", "--prompts", "prompts.txt", "-o", "run"], 1,
                     "no/such/model", marks=pytest.mark.slow),
        (["bundled", "x=bundled", "bundled", "--prompts", "prompts.txt", "-o", "run"], 2,
         "two models are called 'bundled'. Give one of them another name: NAME=bundled"),
        (["bundled", "--prompts", "prompts.txt", "-o", "run", "--decoders", "nuclear"], 1,
         "--decoders must be a decoder"),
        (["bundled", "--prompts", "prompts.txt", "-o", "run", "--decoders", "top-k:p=1"], 1,
         "--decoders must be of the form"),
        (["bundled", "--prompts", "prompts.txt", "-o", "run", "--seeds", "a"], 2,
         "must be whole numbers with commas between them. Got 'a' instead."),
        (["bundled", "--prompts", "prompts.txt", "-o", "run", "--max-tokens", "510"], 1,
         "prompt and continuation have at most"),
        (["bundled", "--prompts", "prompts.txt", "-o", "run", "--decoders", "adversarial"], 1,
         "must have a perplexity where there are no human continuations"),
        (["bundled", "--prompts", "prompts.txt", "-o", "texts.jsonl"], 1, "must be a folder"),
    ],
)  # fmt: skip
def test_errors_in_one_sentence_that_leave_no_file(folder, options, code, message):
    done = invoke("generate", *options)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.split())
    assert not [path for path in (folder / "run").rglob("*") if path.is_file()]
