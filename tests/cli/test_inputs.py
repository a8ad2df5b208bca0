"""Files that commands read: texts, features, prompts, metadata."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from running import QUICK, invoke
from safetensors.numpy import save_file

import mauve
from mauve.cli.inputs import Inputs, read_inputs, read_training, select_metadata
from mauve.cli.options_input import SampleOptions
from mauve.errors import InvalidParameterError


def test_kinds_of_files(features):
    features = np.load("good.npy")
    with gzip.open("zipped.npy.gz", "wb") as file:
        np.save(file, features)
    save_file({"features": features}, "safe.safetensors")
    result = invoke("compare", "human.npy", "zipped.npy.gz", "safe.safetensors", *QUICK, "--json")
    assert result.exit_code == 0
    results = json.loads(result.stdout)["results"]
    assert [r["name"] for r in results] == ["zipped", "safe"]
    assert results[0]["mauve"] == results[1]["mauve"]


def test_missing_file(features):
    result = invoke("compare", "human.npy", "nowhere.npy")
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.fullmatch(r"error: 'nowhere\.npy' must be .* No such file .*\n", result.stderr)


@pytest.mark.parametrize("size", [0, 50, 1000])
def test_truncated_file(features, size):
    Path("cut.npy").write_bytes(Path("good.npy").read_bytes()[:size])
    result = invoke("compare", "human.npy", "cut.npy")
    assert result.exit_code == 1
    assert "error: 'cut.npy' could not be read as a .npy file of features" in result.stderr
    assert result.stderr.count("\n") == 1


def test_wrong_dimensions(features):
    np.save("flat.npy", np.zeros(200))
    np.save("wide.npy", np.random.default_rng(0).normal(size=(200, 9)))
    flat = invoke("compare", "human.npy", "flat.npy")
    assert flat.exit_code == 1
    assert "must have two dimensions" in flat.stderr
    wide = invoke("compare", "human.npy", "wide.npy")
    assert wide.exit_code == 1
    assert "'wide' must have as many features as 'human', 8. Got 9 instead" in wide.stderr


def test_text_and_features_cannot_be_mixed(features):
    Path("texts.txt").write_text("one text\n" * 20)
    result = invoke("compare", "human.npy", "texts.txt")
    assert result.exit_code == 1
    assert "must be all text or all features" in result.stderr


def test_file_name_that_is_too_long(features):
    for argument in ("x" * 300 + ".npy", "name=" + "x" * 300 + ".npy"):
        result = invoke("compare", "human.npy", argument)
        assert result.exit_code == 1
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_prompts(features):
    Path("prompts.txt").write_text("".join(f"prompt {i // 2}\n" for i in range(200)))
    arguments = ["compare", "human.npy", "good.npy", *QUICK, "--json"]
    printed = json.loads(invoke(*arguments, "--prompts", "prompts.txt").stdout)
    expected = mauve.compare(
        "human.npy",
        {"good": "good.npy"},
        n_permutations=50,
        n_clusterings=5,
        prompts=[f"prompt {i // 2}" for i in range(200)],
    )
    assert printed["results"] == expected.to_dict()["results"]


def test_blank_lines_and_odd_separators_are_prompts(features):
    # str.splitlines would make two lines of each of the first hundred.
    lines = [f"a\u2028{i}" for i in range(100)] + [""] * 5 + [f"b{i}" for i in range(95)]
    Path("prompts.txt").write_text("\n".join(lines), encoding="utf-8")
    result = invoke("compare", "human.npy", "good.npy", *QUICK, "--prompts", "prompts.txt")
    assert result.exit_code == 0


@pytest.mark.parametrize("n_lines", [0, 199, 201])
def test_wrong_number_of_prompts(features, n_lines):
    Path("prompts.txt").write_text("x\n" * n_lines)
    result = invoke("compare", "human.npy", "good.npy", "--prompts", "prompts.txt")
    assert result.exit_code == 1
    assert "one prompt for each of the 200 texts of 'human'" in result.stderr
    assert f"Got {n_lines} instead" in result.stderr


def test_prompts_that_cannot_be_read(features):
    Path("binary.txt").write_bytes(b"\xff\xfe\n" * 200)
    binary = invoke("compare", "human.npy", "good.npy", "--prompts", "binary.txt")
    assert binary.exit_code == 1
    assert "error: 'binary.txt' must be text in UTF-8" in binary.stderr
    missing = invoke("compare", "human.npy", "good.npy", "--prompts", "nowhere.txt")
    assert missing.exit_code == 1
    assert "error: 'nowhere.txt' must be a file with one prompt a line" in missing.stderr


def test_training_files(tmp_path):
    path = tmp_path / "training.txt"
    path.write_text("one\ntwo\n")
    assert read_training(path, "text") == ["one", "two"]
    assert read_training(tmp_path / "training.npy", "text") == tmp_path / "training.npy"
    assert read_training(None, "text") is None


def test_metadata_of_files(tmp_path):
    path = tmp_path / "texts.jsonl"
    records = [{"text": "a", "venue": venue, "weight": 0.5} for venue in ("web", "book")]
    path.write_text("\n".join(map(json.dumps, records)))
    inputs = read_inputs(SampleOptions(human=path, systems=[f"human={path}"]))
    assert [*inputs.metadata] == ["human (reference)", "human"]
    assert inputs.metadata["human"]["venue"] == ["web", "book"]
    assert inputs.unread == ("weight",)
    assert inputs.n_texts == 4


def test_a_field_that_only_some_files_have_readable_is_left_out():
    metadata = {"human": {"year": [1, 2]}, "model": {"site": ["a", "b"]}}
    inputs = Inputs([], {}, None, True, metadata, unread=("year",))
    assert select_metadata(inputs, None) == {"human": {}, "model": {"site": ["a", "b"]}}
    with pytest.raises(InvalidParameterError, match="The field 'year' of --metadata must have"):
        select_metadata(inputs, "site,year")


@pytest.mark.parametrize("option", ["", "site,", "SITE"])
def test_metadata_that_no_file_has(option):
    inputs = Inputs([], {}, None, True, {"model": {"site": ["a", "b"]}}, unread=())
    with pytest.raises(InvalidParameterError, match=r"a field of the files\. They have site"):
        select_metadata(inputs, option)
