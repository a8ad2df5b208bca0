"""Two folders have one checksum if and only if they hold the same model."""

import os
import sys

import pytest

from mauve.embed.models import folder_checksum


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "1_Pooling" / "config.json").write_text("{}")
    return folder


def test_the_same_after_a_copy(model, tmp_path):
    first = folder_checksum(model)
    assert first == folder_checksum(model.rename(tmp_path / "other"))
    assert len(first) == 16


@pytest.mark.parametrize(
    "name", ["config.json", "model.safetensors", "1_Pooling/config.json", "vocab.txt", "code.py"]
)
def test_another_after_a_change(model, name):
    first = folder_checksum(model)
    (model / name).write_text("changed")
    assert folder_checksum(model) != first


def test_another_after_a_file_has_moved(model):
    first = folder_checksum(model)
    (model / "config.json").rename(model / "other.json")
    assert folder_checksum(model) != first


def test_what_no_feature_depends_on_does_not_count(model):
    first = folder_checksum(model)
    (model / "README.md").write_text("changed")
    (model / "picture.png").write_bytes(b"changed")
    (model / "folder.json").mkdir()
    assert folder_checksum(model) == first


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are always UTF-8")
def test_a_name_that_is_not_utf8(model):
    first = folder_checksum(model)
    (model / os.fsdecode(b"caf\xe9.json")).write_text("{}")
    assert folder_checksum(model) != first


def test_no_folder_has_no_checksum(model):
    assert folder_checksum(model / "missing") is None
    assert folder_checksum(model / "config.json") is None
