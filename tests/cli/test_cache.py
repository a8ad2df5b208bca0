"""``mauve cache``."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from typer.testing import CliRunner

from mauve.cli.cache import cache_commands
from mauve.embed.cache import FeatureCache
from mauve.embed.protocol import Embedded


def invoke(*arguments, columns=80):
    return CliRunner().invoke(cache_commands, arguments, env={"COLUMNS": str(columns)})


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return the cache that the environment names, with two texts of one embedder and one more."""
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "cache"))
    cache = FeatureCache()
    rows = Embedded(np.ones((2, 3), np.float32), np.array([1, 2]), np.array([False, True]))
    cache.store("gpt2:mean", ["a", "b"], rows)
    cache.store("other\x1b[31m", ["a"], Embedded(rows.features[:1], *[rows.n_tokens[:1]] * 2))
    return cache


def test_info(cache):
    result = invoke("info")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        f"folder: {cache.folder}",
        "texts:  3",
        f"size:   {cache.path.stat().st_size / 1000:.1f} kB",
        "           2 gpt2:mean",
        r"           1 other\x1b[31m",
    ]


def test_lines_are_not_broken(cache):
    assert invoke("info", columns=20).stdout.splitlines()[0] == f"folder: {cache.folder}"


def test_info_as_json(cache):
    result = invoke("info", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "folder": str(cache.folder),
        "texts": 3,
        "bytes": cache.path.stat().st_size,
        "embedders": {"gpt2:mean": 2, "other\x1b[31m": 1},
    }


def test_no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "none"))
    assert invoke("info").stdout == f"folder: {tmp_path}/none\ntexts:  0\nsize:   0 bytes\n"
    assert invoke("clear").stdout == "deleted the features of 0 texts\n"
    assert invoke("path").stdout == f"{tmp_path}/none\n"
    assert not (tmp_path / "none").exists()


def test_path(cache):
    result = invoke("path")
    assert (result.exit_code, result.stdout) == (0, f"{cache.folder}\n")


def test_clear(cache):
    result = invoke("clear")
    assert (result.exit_code, result.stdout) == (0, "deleted the features of 3 texts\n")
    assert cache.info().n_texts == 0


def test_clear_one_embedder(cache):
    result = invoke("clear", "--embedder", "other\x1b[31m")
    assert (result.exit_code, result.stdout) == (0, "deleted the features of 1 text\n")
    assert cache.info().embedders == {"gpt2:mean": 2}


def test_clear_an_unknown_embedder(cache):
    result = invoke("clear", "--embedder", "bert")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "error: The embedder to clear must be one that the cache has features of: 'gpt2:mean', "
        r"'other\x1b[31m'. Got 'bert' instead." + "\n"
    )


@pytest.mark.parametrize("arguments", [["info"], ["info", "--json"], ["clear"]])
def test_newer_cache(cache, arguments):
    with closing(sqlite3.connect(cache.path)) as db:
        db.execute("PRAGMA user_version = 7")
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: The cache '{cache.path}' has version 7, and this ")
    assert result.stderr.count("\n") == 1


def test_damaged_cache_is_a_warning(cache):
    cache.path.write_bytes(b"garbage" * 1000)
    result = invoke("info", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["texts"] == 0
    assert result.stderr.startswith(f"warning: The cache '{cache.path}' was damaged (file is not")
    assert result.stderr.count("\n") == 1


def test_a_database_that_is_a_folder(tmp_path, monkeypatch):
    (tmp_path / "folder" / "features.sqlite3").mkdir(parents=True)
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "folder"))
    result = invoke("info")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "cannot be used (unable to open database file)" in result.stderr


def test_no_command_prints_help():
    result = invoke()
    assert result.exit_code == 0
    assert all(command in result.stdout for command in ("info", "clear", "path"))


def test_unknown_command():
    result = invoke("nonsense")
    assert result.exit_code == 2
    assert "No such command 'nonsense'" in result.stderr


@pytest.mark.parametrize("command", ["info", "clear"])
def test_a_file_in_place_of_the_folder(tmp_path, monkeypatch, command):
    (tmp_path / "taken").write_text("mine")
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "taken"))
    done = invoke(command)
    assert done.exit_code == 1
    assert "taken' must be a folder to hold the cache of features. It is a file" in done.stderr
    assert (tmp_path / "taken").read_text() == "mine"
