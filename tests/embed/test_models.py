"""Checksums of folders, and the devices and number types of this machine."""

import os
import re
import subprocess
import sys

import pytest
import torch

from mauve.embed.models import (
    find_device,
    find_devices,
    find_dtype,
    folder_checksum,
    load_quietly,
    model_identity,
)
from mauve.embed.protocol import DTYPES
from mauve.errors import InvalidParameterError

N_GPUS = torch.cuda.device_count()
CPU = torch.device("cpu")


def test_auto_is_every_gpu_or_else_the_cpu():
    devices = find_devices("auto")
    if N_GPUS:
        assert devices == [torch.device("cuda", i) for i in range(N_GPUS)]
    else:
        assert devices in ([CPU], [torch.device("mps")])


@pytest.mark.parametrize(("name", "n"), [("cpu", 1), ("cpu,cpu", 2), (" cpu , cpu:0,cpu", 3)])
def test_the_cpu_is_always_there(name, n):
    assert [device.type for device in find_devices(name)] == ["cpu"] * n


@pytest.mark.parametrize(
    "name",
    [f"cuda:{N_GPUS + 7}", "nonsense", "", "cpu,", "cpu:1", "meta", "auto,cpu", "cpu,cuda:99", 0]
    + ["cuda", "cuda:0"] * (N_GPUS == 0),
)
def test_a_device_that_is_not_there(name):
    pattern = rf"'device' parameter of find_devices must be a device .*\. Got {name!r} instead"
    with pytest.raises(InvalidParameterError, match=pattern):
        find_devices(name)


def test_a_single_device():
    assert find_device("cpu") == CPU
    pattern = r"'device' must be .* Got 'warp' instead \(.*\): use auto .*or cpu"
    with pytest.raises(InvalidParameterError, match=pattern):
        find_device("warp")


def test_number_types():
    assert find_dtype("auto", CPU) == torch.float32
    for name in set(DTYPES) - {"auto"}:
        assert str(find_dtype(name, CPU)) == f"torch.{name}"


@pytest.mark.parametrize("dtype", ["float8", "int8", "", None, torch.float32])
def test_unknown_number_type(dtype):
    pattern = re.escape("must be one of 'auto', 'float32', 'float64', 'bfloat16', 'float16'. Got")
    with pytest.raises(InvalidParameterError, match=pattern):
        find_dtype(dtype, CPU)


# Folders: two have one checksum if and only if they hold the same model.


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


def test_a_folder_is_known_by_its_checksum_and_a_name_by_its_commit(model):
    assert model_identity(str(model), None) == f"model@{folder_checksum(model)[:8]}"
    assert model_identity("org/name", "0123456789") == "org/name@01234567"
    assert model_identity("org/name", None) == "org/name@unknown"


# Loading


def test_an_error_of_a_loader_is_one_sentence():
    def fail(model):
        raise OSError(f"no\n file   {model}")

    pattern = r"^It must be x\. Got 'x', which could not be loaded \(no file x\)\. Look again\.$"
    with pytest.raises(InvalidParameterError, match=pattern) as caught:
        load_quietly(fail, "x", "It must be x.", " Look again.")
    assert caught.value.__suppress_context__


def test_the_module_is_imported_without_torch():
    script = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "from mauve.embed.models import UNKNOWN_VERSION, load_quietly\n"
        "print(load_quietly(str.upper, 'loaded', 'It must be text.'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("LOADED\n", "")
