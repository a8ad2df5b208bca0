"""Experiments compute what is missing, once, however they are stopped and started."""

import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest
from small_study import STEPS, STUDY, change, quietly, start, write_study

import mauve
from mauve.errors import InvalidParameterError, MauveWarning, OutputError
from mauve.experiment.results import read_results
from mauve.experiment.run import run_experiment
from mauve.experiment.status import experiment_status
from mauve.experiment.texts import read_step_texts


@pytest.fixture
def copied(finished, tmp_path):
    """Copy the finished experiment, to be changed."""
    config, run = finished
    shutil.copytree(config.parent, tmp_path / "copy")
    return tmp_path / "copy" / config.name, tmp_path / "copy" / run.name


def test_a_second_run_does_nothing_and_says_so(copied):
    config, run = copied
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    again = quietly(config, run)
    assert again.n_done == 0
    assert again.summary == f"nothing to do: all {sum(STEPS.values())} steps are done already"
    changed = {path for path, then in before.items() if path.stat().st_mtime_ns != then}
    assert {path.name for path in changed} <= {"experiment.json"}  # it names the config's place


def test_all_rows_are_there(finished):
    results = read_results(finished[1])
    assert results.is_complete
    assert len(results) == STEPS["score"]
    assert len(results.base_rows()) == 6
    assert {row.setting.length for row in results.select(scaling=1.0)} == {16}
    for row in results:
        assert 0 < row.value("mauve") <= 1
        assert row.curve
        assert sum(row.p_hist) == pytest.approx(1)
        assert ("zipf" in row.values) == (row.setting.scaling == 5)
    assert results.human_values("reference", 8)["zipf"].value > 0


def test_a_score_is_what_compare_gives(finished):
    """The same texts, cut to the same tokens, by the function that people call."""
    _, run = finished
    row = read_results(run).base_rows(decoder="ancestral", seed=1, length=8)[0]
    [path] = (run / "samples").rglob("ancestral/seed-1-*.jsonl")
    [human_path] = (run / "tasks").rglob("human.jsonl")
    from mauve.lm.text_tokenizer import get_text_tokenizer

    tokenizer = get_text_tokenizer("bundled")
    texts, human = (read_step_texts(each).cut(8, tokenizer) for each in (path, human_path))
    name = "n-gram ancestral seed 1"
    with pytest.warns(MauveWarning):
        comparison = mauve.compare(
            human.texts,
            {name: texts.texts},
            prompts={"human": human.prompts, name: texts.prompts},
            empty="keep",
            n_permutations=0,
            n_clusterings=4,
        )
    assert row.value("mauve") == comparison[name].mauve
    assert row.signature == comparison[name].signature


@pytest.mark.parametrize(
    ("old", "new", "done"),
    [
        ("scaling = [5, 1]", "scaling = [5, 1, 2]", {"score": 3}),
        ("scaling = [5, 1]", "scaling = [5]", {}),
        ('"zipf", "repetition"', '"zipf"', {"measure": 6}),
        ("n_permutations = 0", "n_permutations = 10", {"score": 9}),
        (
            "seeds = [0, 1]",
            "seeds = [0, 1, 2]",
            {"generate": 1, "embed": 2, "score": 3, "measure": 2},
        ),
        (
            'decoders = ["greedy", ',
            'decoders = ["nucleus:0.9", "greedy", ',
            {"generate": 2, "embed": 4, "score": 6, "measure": 4},
        ),
        # Texts of 8 tokens are the beginnings of those of 16, so none is written.
        ("lengths = [8, 16]", "lengths = [8, 12, 16]", {"embed": 4, "score": 3, "measure": 3}),
        ('name = "small"', 'name = "other"', {}),
    ],
)
def test_a_change_computes_only_what_depends_on_it(copied, old, new, done):
    config, run = copied
    change(config, old, new)
    again = quietly(config, run)
    assert {kind: n for kind, n in again.done.items() if n} == done
    assert again.results.is_complete


@pytest.mark.slow
def test_other_prompts_compute_everything(copied):
    config, run = copied
    change(config, "prompt_tokens = 8", "prompt_tokens = 6")
    assert quietly(config, run).done == STEPS


def test_another_model_under_the_same_name_computes_what_depends_on_it(copied):
    config, run = copied
    training = config.parent / "training.jsonl"
    training.write_text("".join(training.read_text().splitlines(keepends=True)[:-1]))
    assert quietly(config, run).done == {**STEPS, "task": 0, "embed": 6}


@pytest.mark.parametrize("kind", ["tasks", "samples", "features", "scores", "measures"])
def test_a_changed_file_under_a_finished_step_is_found_first(copied, kind):
    config, run = copied
    change(config, "seeds = [0, 1]", "seeds = [0, 1, 2]")  # there would be work to do
    path = min(path for path in (run / kind).rglob("*") if path.is_file())
    path.write_bytes(path.read_bytes() + b" ")
    n_files = len([*run.rglob("*")])
    message = f"'{re.escape(str(path))}' was changed after it was written, to .*: restore it, or"
    with pytest.raises(InvalidParameterError, match=message):
        quietly(config, run)
    assert len([*run.rglob("*")]) == n_files


def test_a_missing_file_is_written_again_and_no_other(copied):
    config, run = copied
    before = (run / "results.json").read_bytes()
    [path] = (run / "samples").rglob("greedy/*.jsonl")
    path.unlink()
    assert "generate texts" in experiment_status(run).missing[0]
    again = quietly(config, run)
    assert {kind: n for kind, n in again.done.items() if n} == {"generate": 1}
    assert (run / "results.json").read_bytes() == before


def test_status(copied):
    config, run = copied
    assert experiment_status(run).is_complete
    change(config, "seeds = [0, 1]", "seeds = [0, 1, 2]")
    shutil.copy(config, run / "config.toml")
    status = experiment_status(run)
    assert not status.is_complete
    assert {each.kind: each.n_steps - each.n_done for each in status.kinds} == {
        "task": 0, "generate": 1, "embed": 2, "score": 3, "measure": 2,
    }  # fmt: skip


@pytest.mark.slow
def test_killed_at_random_points_and_resumed_with_an_identical_result(finished, study, tmp_path):
    """SIGKILL at six random moments, each later than the last; one is at the end, or none."""
    rng = random.Random(18)
    n_killed = 0
    for _ in range(6):
        process = start(study, tmp_path / "run")
        try:
            process.wait(timeout=rng.uniform(1.0, 4.0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            n_killed += 1
        process.communicate()
    assert n_killed >= 1
    quietly(study, tmp_path / "run")
    expected = (finished[1] / "results.json").read_bytes()
    assert (tmp_path / "run" / "results.json").read_bytes() == expected
    assert not [*(tmp_path / "run").rglob("*.tmp")] or n_killed  # of a kill within a write
    assert [*(tmp_path / "run" / "claims").iterdir()] == []


@pytest.mark.slow
def test_two_processes_share_the_work(finished, study, tmp_path):
    processes = [start(study, tmp_path / "run") for _ in range(2)]
    errors = [process.communicate(timeout=120)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    counts = [re.search(r"note: (?:(\d+) of \d+ steps done now|nothing)", text) for text in errors]
    assert sum(int(count[1] or 0) for count in counts) == sum(STEPS.values())
    expected = (finished[1] / "results.json").read_bytes()
    assert (tmp_path / "run" / "results.json").read_bytes() == expected


@pytest.mark.slow
def test_a_step_of_a_dead_process_is_taken_over(study, tmp_path):
    process = start(study, tmp_path / "run")
    claims = tmp_path / "run" / "claims"
    deadline = time.monotonic() + 60
    while not (claims.is_dir() and [p for p in claims.iterdir() if not p.name.startswith(".")]):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert quietly(study, tmp_path / "run").results.is_complete


@pytest.mark.slow
def test_a_full_disk_ends_the_run_and_a_later_one_continues(finished, study, tmp_path):
    """Files of at most 12 kB stand for a full disk: writing fails in the same place."""
    script = (
        "import resource, sys; from mauve.__main__ import main; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000)); main()"
    )
    command = [sys.executable, "-c", script, "experiment", "run", study, "--out", tmp_path / "run"]
    ended = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert ended.returncode == 1
    assert re.search(r"^error: '.*' cannot be written \(.*\): make space", ended.stderr, re.M)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 12_000
    quietly(study, tmp_path / "run")
    expected = (finished[1] / "results.json").read_bytes()
    assert (tmp_path / "run" / "results.json").read_bytes() == expected


def test_folders_that_cannot_be_used(study, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidParameterError, match="must be a folder"):
        run_experiment(study, tmp_path / "file")
    with pytest.raises(OutputError, match="cannot be written"):
        run_experiment(study, tmp_path / "file" / "run")
    with pytest.raises(InvalidParameterError, match="has other files"):
        run_experiment(study, tmp_path)


def test_too_few_texts_in_the_source(study, tmp_path):
    change(study, "n = 30", "n = 300")
    with pytest.raises(InvalidParameterError, match=r"line 4: 'texts.n' must be at most \d+"):
        quietly(study, tmp_path / "run")


GIVEN = """
[samples.weather]
human = "human.txt"
[samples.weather.systems]
plain = "plain.txt"
gpt = {greedy = "plain.txt", "nucleus:p=0.9" = ["a.txt", "b.txt"]}
"""


@pytest.fixture
def given(tmp_path):
    """Write files of texts, and a config without models."""
    for word, name in [("rained", "human"), ("snowed", "plain"), ("blew", "a"), ("shone", "b")]:
        lines = [f"It {word} for {i} days, and we stayed in." for i in range(24)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    (tmp_path / "given.toml").write_text(GIVEN)
    return tmp_path / "given.toml"


def test_an_experiment_on_texts_that_are_there(given, tmp_path):
    results = quietly(given, tmp_path / "run").results
    settings = [(row.setting.model, row.setting.decoder, row.setting.seed) for row in results]
    assert settings == [
        ("plain", "", 0), ("gpt", "greedy", 0), ("gpt", "nucleus:p=0.9", 0),
        ("gpt", "nucleus:p=0.9", 1),
    ]  # fmt: skip
    assert {(row.setting.n, row.setting.length) for row in results} == {(24, None)}
    assert results.rows[0].value("mauve") == results.rows[1].value("mauve")  # the same texts


def test_texts_that_are_there_can_be_cut(given, tmp_path):
    given.write_text(given.read_text() + "[texts]\nlengths = [4, 8]\n")
    assert quietly(given, tmp_path / "run").results.levels("length") == [4, 8]


def test_files_with_too_few_texts_are_found_first(given, tmp_path):
    given.write_text(given.read_text() + "[texts]\nn = 25\n")
    with pytest.raises(InvalidParameterError, match=r"line 3: .*human.txt' must have at least"):
        quietly(given, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_files_that_are_not_there_are_found_first(given, tmp_path):
    change(given, '"b.txt"', '"c.txt"')
    with pytest.raises(InvalidParameterError, match=r"'given.toml', line 6: .*c.txt"):
        quietly(given, tmp_path / "run")


def test_equal_texts_have_no_score_and_do_not_end_the_run(given, tmp_path):
    for name in ("human", "plain"):
        (tmp_path / f"{name}.txt").write_text("\n".join(["It rained."] * 24))
    results = quietly(given, tmp_path / "run").results
    assert len(results) == 4
    assert all(row.warnings for row in results)


def test_all_combinations(tmp_path):
    text = STUDY.replace("scaling = [5, 1]", 'scaling = [5, 1]\nn = [30, 20]\nvary = "all"')
    config = write_study(tmp_path, text.replace("seeds = [0, 1]", "seeds = 0"))
    results = quietly(config, tmp_path / "run").results
    assert len(results.select(length=16, decoder="greedy")) == 4
    assert len(results.select(length=8, decoder="greedy")) == 1
    assert results.human_values("reference", 16, n=20)["zipf"].value > 0
