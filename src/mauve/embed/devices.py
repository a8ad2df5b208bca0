"""Which torch devices to use, and with which numbers."""

import torch

from mauve.embed import protocol
from mauve.errors import bad_parameter, check_choice

DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name) for name in protocol.DTYPES if name != "auto"
}


def find_devices(device: str, caller: str = "the embedder") -> list[torch.device]:
    """Return the devices that a name stands for, all of them there.

    Parameters
    ----------
    device : str
        "auto" (all GPUs, or the CPU where there is none), "cpu", "cuda", "cuda:1", "mps", or
        several with a comma between them.
    caller : str
        Whose parameter it is, for messages.

    Examples
    --------
    >>> find_devices("cpu")
    [device(type='cpu')]
    """
    if device == "auto":
        n_gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if n_gpus:
            return [torch.device("cuda", i) for i in range(n_gpus)]
        return [torch.device("mps" if torch.backends.mps.is_available() else "cpu")]
    return [_find(name.strip(), device, caller) for name in str(device).split(",")]


def _find(name: str, given: str, caller: str) -> torch.device:
    try:
        found = torch.device(name)
    except RuntimeError:
        found = None
    there = {
        "cpu": 1,
        "cuda": torch.cuda.device_count() if torch.cuda.is_available() else 0,
        "mps": int(torch.backends.mps.is_available()),
    }
    if found is None or (found.index or 0) >= there.get(found.type, 0):
        names = [f"cuda:{i}" for i in range(there["cuda"])] + ["mps"] * there["mps"] + ["cpu"]
        raise bad_parameter(
            caller, "device", f"a device that is there: {', '.join(names)}, or auto", given
        )
    return found


def find_dtype(dtype: str, device: torch.device, caller: str = "the embedder") -> torch.dtype:
    """Return the number type: on a GPU sixteen bits, unless told otherwise.

    Examples
    --------
    >>> find_dtype("auto", torch.device("cpu"))
    torch.float32
    """
    check_choice(caller, "dtype", dtype, protocol.DTYPES)
    if dtype != "auto":
        return DTYPES[dtype]
    if device.type != "cuda":
        return torch.float32
    # Older cards emulate bfloat16, slowly.
    native = torch.cuda.get_device_capability(device) >= (8, 0)
    return torch.bfloat16 if native else torch.float16
