"""Files that commands read: texts, features, prompts, metadata."""

import gzip
import json
import os
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from running import QUICK, invoke, word_texts
from safetensors.numpy import save_file

import mauve
from mauve.cli.inputs import Inputs, metadata_fields, read_inputs, read_training
from mauve.cli.options_input import SampleOptions
from mauve.embed.samples import Sample
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
    assert read_training(path, "text").values == ["one", "two"]
    np.save(tmp_path / "training.npy", np.eye(3))
    assert read_training(tmp_path / "training.npy", "text").values.shape == (3, 3)
    (tmp_path / "training.jsonl").write_text('{"story": "three"}')
    assert read_training(Path(f"{tmp_path}/training.jsonl:story"), "text").values == ["three"]
    assert read_training(None, "text") is None


def test_metadata_of_files(tmp_path):
    path = tmp_path / "texts.jsonl"
    records = [{"text": "a", "venue": venue, "weight": 0.5} for venue in ("web", "book")]
    path.write_text("\n".join(map(json.dumps, records)))
    inputs = read_inputs(SampleOptions(human=path, systems=[f"human={path}"]))
    assert [*inputs.samples] == ["human (reference)", "human"]
    assert inputs.systems["human"].metadata["venue"] == ["web", "book"]
    assert inputs.unread == ("weight",)
    assert (inputs.n_texts(None), inputs.n_texts(1)) == (4, 2)


def test_a_field_that_only_some_files_have_readable_is_left_out():
    human = Sample(["x", "y"], metadata={"year": [1, 2]})
    model = Sample(["x", "y"], metadata={"site": ["a", "b"]}, unread=("year",))
    inputs = Inputs({"human": human, "model": model})
    assert metadata_fields(inputs, None) == ["site"]
    assert metadata_fields(inputs, "none") == []
    with pytest.raises(InvalidParameterError, match="The field 'year' of --metadata must have"):
        metadata_fields(inputs, "site,year")


@pytest.mark.parametrize("option", ["", "site,", "SITE"])
def test_metadata_that_no_file_has(option):
    inputs = Inputs({"model": Sample(["x", "y"], metadata={"site": ["a", "b"]})})
    with pytest.raises(InvalidParameterError, match=r"a field of the files\. They have site"):
        metadata_fields(inputs, option)


def fields_of(*arguments):
    """Return the first text of every sample that arguments name."""
    human, *systems = arguments
    inputs = read_inputs(SampleOptions(human=Path(human), systems=systems))
    return [sample.values[0] for sample in inputs.samples.values()]


class TestFieldOfAFile:
    @pytest.fixture(autouse=True)
    def files(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        record = {"text": "T", "story": "S", "a": {"b": ["N"]}, "x:y": "C"}
        Path("a.jsonl").write_text(json.dumps(record))

    def test_in_every_argument(self):
        assert fields_of("a.jsonl:story", "a.jsonl", "m=a.jsonl:a.b.0", "n=a.jsonl:x:y") == (
            ["S", "T", "N", "C"]
        )

    def test_beside_the_option_for_all(self):
        options = SampleOptions(human=Path("a.jsonl"), systems=["m=a.jsonl:story"], field="a.b.0")
        assert [s.values for s in read_inputs(options).samples.values()] == [["N"], ["S"]]

    def test_a_file_of_that_name_comes_first(self):
        Path("a.jsonl:story.txt").write_text("the file\n")
        Path("lr=1:2.jsonl").write_text('{"text": "T2", "story": "S2"}')
        assert fields_of("a.jsonl:story.txt", "lr=1:2.jsonl", "m=lr=1:2.jsonl:story") == (
            ["the file", "T2", "S2"]
        )

    @pytest.mark.parametrize(
        ("argument", "message"),
        [
            ("no.jsonl:story", r"^'no\.jsonl' must be the path of a file, .* No such"),
            ("C:/no.jsonl", r"^'C:/no\.jsonl' must be the path of a file, .* No such"),
            ("https://a.org/b.jsonl", r"Got an address instead"),
            ("a.jsonl:body", r"must have the field 'body'\. Got text, story, a\.b\.0, x:y instead"),
        ],
    )
    def test_errors_name_the_file(self, argument, message):
        with pytest.raises(InvalidParameterError, match=message):
            fields_of("a.jsonl", argument)

    def test_empty_fields(self):
        result = invoke("compare", "a.jsonl", "a.jsonl:")
        assert result.exit_code == 2
        assert "must be a file or FILE:FIELD, with neither empty" in result.stderr

    def test_fields_of_files_that_have_none(self):
        Path("b.txt").write_text("one\n")
        with pytest.raises(InvalidParameterError, match=r"left out .* Got 'story' for 'm' instead"):
            fields_of("a.jsonl", "m=b.txt:story")

    @pytest.mark.skipif(sys.platform == "win32", reason="a pipe of Unix")
    def test_pipes(self):
        os.mkfifo("pipe")
        writer = threading.Thread(target=Path("pipe").write_text, args=('{"story": "P"}',))
        writer.start()
        assert fields_of("a.jsonl", "m=pipe:story") == ["T", "P"]
        writer.join()


class TestLimit:
    @pytest.fixture(autouse=True)
    def files(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for name, n in (("human", 200), ("model", 150)):
            records = [
                {"text": text, "prompt": str(i), "half": "odd" if i % 2 else "even"}
                for i, text in enumerate(word_texts(name, n))
            ]
            Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))

    @pytest.mark.slow
    def test_the_same_texts_as_in_python_with_their_metadata(self):
        arguments = ["human.jsonl", "model.jsonl", "--limit", "120", "--seed", "3", "--by-prompt"]
        quick = [*QUICK[2:], "--num-buckets", "10", "--n-clusters", "4"]
        result = invoke("explain", *arguments, *quick, "--json")
        printed = json.loads(result.stdout)
        assert "120 of 200 texts of 'human', 120 of 150 texts of 'model' (--limit 120)" in (
            result.stderr
        )
        prompts = {"human": [*map(str, range(200))], "model": [*map(str, range(150))]}
        expected = mauve.compare(
            "human.jsonl",
            {"model": "model.jsonl"},
            limit=120,
            seed=3,
            prompts=prompts,
            num_buckets=10,
            n_clusterings=5,
        )
        assert printed["results"] == expected.to_dict()["results"]
        signature = printed["results"][0]["signature"]
        assert "|n:120of200+120of150|" in signature
        assert ":limit120|" in signature
        kept = expected.compared.samples
        for name, texts in kept.texts.items():
            whole = word_texts(name, 200 if name == "human" else 150)
            halves = ["odd" if whole.index(text) % 2 else "even" for text in texts]
            assert kept.metadata[name]["half"] == halves
        [field] = printed["explanation"]["fields"]
        assert field["field"] == "half"

    @pytest.mark.slow
    def test_metadata_of_all_texts_can_be_passed_to_explain(self):
        comparison = mauve.compare(
            "human.jsonl",
            "model.jsonl",
            limit=120,
            num_buckets=10,
            n_clusterings=5,
            n_permutations=0,
        )
        metadata = {
            "human": {"half": ["even", "odd"] * 100},
            "model": {"half": ["even", "odd"] * 75},
        }
        explanation = mauve.explain(comparison, n_clusters=4, metadata=metadata)
        drawn = mauve.explain(
            comparison, n_clusters=4, metadata=comparison.compared.samples.metadata
        )
        assert explanation.to_dict() == drawn.to_dict()

    def test_measure(self):
        result = invoke(
            "measure",
            "human.jsonl",
            "model.jsonl",
            "--measures",
            "zipf",
            "--limit",
            "120",
            "--json",
        )
        assert "|texts:limit120|" in json.loads(result.stdout)["signature"]
        assert "120 of 200 texts of 'human'" in result.stderr

    def test_too_small(self):
        result = invoke("compare", "human.jsonl", "model.jsonl", "--limit", "9")
        assert result.exit_code == 2
        assert "--limit" in result.stderr


@pytest.mark.parametrize(
    ("flag", "hint"),
    [
        ("--human", "HUMAN is the first argument, without a flag."),
        ("--lm", "--language-model is its name."),
        ("--column", "--field is its name."),
    ],
)
def test_options_that_people_try_get_a_hint(features, flag, hint):
    result = invoke("measure", "human.npy", "good.npy", flag, "x")
    assert result.exit_code == 2
    assert f"No such option: {flag}" in result.stderr
    assert " ".join(result.stderr.split()).endswith(hint)
