"""Names of devices and number types, on whatever this machine has."""

import re

import pytest
import torch

from mauve.embed.models import DTYPES, find_devices, find_dtype
from mauve.errors import InvalidParameterError

N_GPUS = torch.cuda.device_count()
CPU = torch.device("cpu")


def test_auto_is_every_gpu_or_else_the_cpu():
    found = find_devices("auto")
    if N_GPUS:
        assert found == [torch.device("cuda", i) for i in range(N_GPUS)]
    else:
        assert found in ([CPU], [torch.device("mps")])


@pytest.mark.parametrize(("name", "n"), [("cpu", 1), ("cpu,cpu", 2), (" cpu , cpu:0,cpu", 3)])
def test_the_cpu_is_always_there(name, n):
    assert [device.type for device in find_devices(name)] == ["cpu"] * n


@pytest.mark.parametrize(
    "name",
    [f"cuda:{N_GPUS + 7}", "nonsense", "", "cpu,", "cpu:1", "meta", "auto,cpu", "cpu,cuda:99", 0]
    + ["cuda", "cuda:0"] * (N_GPUS == 0),
)
def test_a_device_that_is_not_there(name):
    pattern = rf"'device' parameter of the embedder must be .* cpu, or auto\. Got {name!r} instead"
    with pytest.raises(InvalidParameterError, match=pattern):
        find_devices(name)


def test_number_types():
    assert find_dtype("auto", CPU) == torch.float32
    for name, dtype in DTYPES.items():
        assert find_dtype(name, CPU) == dtype
        assert str(dtype) == f"torch.{name}"


@pytest.mark.parametrize("dtype", ["float8", "int8", "", None, torch.float32])
def test_unknown_number_type(dtype):
    pattern = re.escape("must be one of 'auto', 'float32', 'float64', 'bfloat16', 'float16'. Got")
    with pytest.raises(InvalidParameterError, match=pattern):
        find_dtype(dtype, CPU)
