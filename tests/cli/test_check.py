"""mauve check: exit codes, JUnit XML and annotations."""

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from running import QUICK, invoke

RNG = np.random.default_rng(0)


@pytest.fixture
def samples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = RNG.normal(size=(800, 4)) + 0.4
    np.save("human.npy", RNG.normal(size=(800, 4)))
    np.save("old.npy", model)
    np.save("bad.npy", model + 0.5)
    np.save("few.npy", model[:220] + 0.05)
    done = invoke("check", "human.npy", "m=old.npy", *QUICK, "--write", "baseline.json")
    assert (done.exit_code, done.stderr) == (0, "baseline: baseline.json\n")
    return tmp_path


def checked(system, *options):
    return invoke("check", "human.npy", system, *QUICK, "--against", "baseline.json", *options)


def test_exit_codes(samples):
    good = checked("m=old.npy", "--margin", "0.1")
    assert (good.exit_code, good.stdout[:38]) == (0, "'m' is not worse than the baseline: MA")
    bad = checked("m=bad.npy")
    assert (bad.exit_code, bad.stdout[:34]) == (3, "'m' is worse than the baseline: MA")
    few = checked("m=few.npy")
    assert few.exit_code == 4
    assert "has too few texts to tell" in few.stdout
    assert " texts per sample are needed, not 220" in few.stdout


@pytest.mark.parametrize("n", [1, 9, 10, 50, 150, 199])
def test_fewer_texts_than_the_buckets_of_the_baseline_need(samples, n):
    np.save("tiny.npy", np.load("old.npy")[:n])
    done = checked("m=tiny.npy", "--junit", "check.xml", "--github", "--json", "--margin", "0.2")
    assert done.exit_code == 4
    [check] = json.loads(done.stdout)["checks"]
    assert check["outcome"] == "too few texts to tell"
    assert (check["n_texts"], check["n_needed"], check["difference"]) == (n, 200, None)
    assert (check["mauve"] is None) == (n < 10)
    assert check["message"].endswith(f"learnt from 200 texts per sample or more, not {n}")
    assert f"::warning title=mauve check%3A m::{check['message']}" in done.stderr
    [case] = ElementTree.parse("check.xml").getroot()[0]
    assert (case[0].tag, case[0].text) == ("error", check["message"])


def test_the_number_of_texts_that_is_asked_for_is_enough(samples):
    np.save("enough.npy", np.load("old.npy")[:200])
    done = checked("m=enough.npy", "--margin", "0.5")
    assert (done.exit_code, done.stdout[:38]) == (0, "'m' is not worse than the baseline: MA")


def test_systems_beside_one_with_too_few_texts(samples):
    np.save("tiny.npy", np.load("old.npy")[:3])
    systems = ("a=tiny.npy", "b=old.npy")
    invoke("check", "human.npy", "a=old.npy", "b=old.npy", *QUICK, "--write", "baseline.json")
    before = (samples / "baseline.json").read_bytes()
    options = (*QUICK, "--against", "baseline.json", "--write", "baseline.json", "--margin", "0.1")
    done = invoke("check", "human.npy", *systems, *options)
    assert done.exit_code == 4
    assert [line[:20] for line in done.stdout.splitlines()] == [
        "'a' has too few text", "'b' is not worse tha"
    ]  # fmt: skip
    assert (samples / "baseline.json").read_bytes() == before
    done = invoke("check", "human.npy", "c=tiny.npy", "b=old.npy", *options)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "The baseline must have the score of 'c'" in done.stderr


def test_files_without_texts_are_errors(samples):
    (samples / "empty.jsonl").write_text("")
    done = checked("m=empty.jsonl")
    assert (done.exit_code, done.stderr) == (
        1, "error: 'empty.jsonl' holds no texts. It must hold at least one.\n"
    )  # fmt: skip


def test_a_baseline_of_fewer_texts_is_another_one(samples):
    np.save("tiny.npy", np.load("old.npy")[:50])
    invoke("check", "human.npy", "m=tiny.npy", *QUICK, "--write", "baseline.json")
    done = checked("m=old.npy")
    assert done.exit_code == 1
    assert "signatures differ in k (25 and 6)" in done.stderr


def test_the_worst_outcome_counts(samples):
    invoke("check", "human.npy", "a=old.npy", "b=old.npy", *QUICK, "--write", "baseline.json")
    done = invoke(
        "check", "human.npy", "a=few.npy", "b=bad.npy", *QUICK, "--against", "baseline.json"
    )
    assert done.exit_code == 3
    assert len(done.stdout.splitlines()) == 2


def test_junit(samples):
    for system, kind in [("m=bad.npy", "failure"), ("m=few.npy", "error"), ("m=old.npy", None)]:
        done = checked(system, "--junit", "check.xml", "--margin", "0.1")
        suite = ElementTree.parse("check.xml").getroot()[0]
        [case] = suite
        assert suite.get("tests") == "1"
        assert [suite.get("failures"), suite.get("errors")] == [
            str(int(kind == "failure")), str(int(kind == "error"))
        ]  # fmt: skip
        assert case[0].tag == (kind or "system-out")
        assert case[0].text == done.stdout.strip()


def test_annotations(samples):
    levels = {"m=bad.npy": "error", "m=few.npy": "warning", "m=old.npy": "notice"}
    for system, level in levels.items():
        done = checked(system, "--github", "--margin", "0.1")
        [line] = [line for line in done.stderr.splitlines() if line.startswith("::")]
        assert line.startswith(f"::{level} title=mauve check%3A m::'m' ")


def test_json_alone_on_stdout(samples):
    done = checked("m=bad.npy", "--json", "--github")
    value = json.loads(done.stdout)
    assert value["checks"][0]["outcome"] == "worse"
    assert value["results"][0]["name"] == "m"


def test_a_baseline_is_replaced_only_by_what_is_not_worse(samples):
    before = (samples / "baseline.json").read_bytes()
    assert checked("m=bad.npy", "--write", "baseline.json").exit_code == 3
    assert (samples / "baseline.json").read_bytes() == before
    done = checked("m=old.npy", "--write", "new.json", "--margin", "0.1", "--quiet")
    assert (done.exit_code, done.stderr) == (0, "")
    assert (samples / "new.json").read_bytes() == before


def test_against_a_saved_comparison(samples):
    invoke("compare", "human.npy", "m=old.npy", *QUICK, "--save", "run.mauve")
    done = invoke("check", "human.npy", "m=bad.npy", *QUICK, "--against", "run.mauve")
    assert (done.exit_code, done.stdout) == (3, checked("m=bad.npy").stdout)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([], 2, "--against FILE or --write FILE must be given"),
        (["--write", "b.json", "--github"], 2, "--junit and --github need --against"),
        (["--against", "none.json"], 1, "'none.json' must be a baseline"),
        (["--against", "baseline.json", "--margin", "1"], 2, "between 0 and 1"),
        (["--against", "baseline.json", "--margin", "0.99"], 1, "or no loss can be as large"),
        (["--against", "baseline.json", "--alpha", "0.5"], 2, "above 0 and below 0.5"),
        (["--against", "baseline.json", "--scaling", "3"], 1, "signatures differ in c"),
        (["--write", "human.npy"], 2, "is one of the files to read"),
    ],
)
def test_wrong_usage(samples, options, code, message):
    done = invoke("check", "human.npy", "m=old.npy", *QUICK, *options)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.split())
