"""Values of options and arguments."""

import json
from pathlib import Path

import pytest
from running import QUICK, invoke

from mauve.cli.values import InputFile, named_file


@pytest.mark.parametrize(
    ("argument", "name", "path"),
    [
        ("a/b.npy", "b", "a/b.npy"),
        ("b.v1.2.npy", "b.v1.2", "b.v1.2.npy"),
        ("b.npy.gz", "b", "b.npy.gz"),
        ("b.safetensors", "b", "b.safetensors"),
        ("b.dat", "b.dat", "b.dat"),
        (".npy", ".npy", ".npy"),
        ("b.TSV.xz", "b", "b.TSV.xz"),
        ("x=a/b.npy", "x", "a/b.npy"),
        ("x=y=b.npy", "x", "y=b.npy"),
    ],
)
def test_name_of_a_system(argument, name, path):
    assert named_file(argument) == (name, InputFile(Path(path)))


def test_a_file_with_an_equals_sign_is_a_file(features):
    Path("good.npy").rename("lr=0.1.npy")
    result = invoke("compare", "human.npy", "lr=0.1.npy", *QUICK, "--json")
    assert json.loads(result.stdout)["results"][0]["name"] == "lr=0.1"


def test_equal_names_are_a_usage_error(features):
    result = invoke("compare", "human.npy", "good.npy", "runs/good.npy", *QUICK)
    assert result.exit_code == 2
    assert "two systems are called 'good'" in result.stderr
    assert "NAME=runs/good.npy" in result.stderr
    renamed = invoke("compare", "human.npy", "good.npy", "other=good.npy", *QUICK)
    assert renamed.exit_code == 0


@pytest.mark.parametrize("argument", ["=good.npy", "x="])
def test_empty_names_and_paths(features, argument):
    result = invoke("compare", "human.npy", argument)
    assert result.exit_code == 2
    assert "with neither empty" in result.stderr
