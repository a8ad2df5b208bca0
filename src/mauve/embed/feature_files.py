"""Read features from .npy, .npy.gz and .safetensors files, never from pickles."""

import gzip
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from mauve.errors import InvalidParameterError, MauveError
from mauve.escape import escaped
from mauve.text.files import check_path, suffix_list

_PICKLED = "may run any code when it is read, so it is not: "
_SAVE_TENSOR = 'safetensors.torch.save_file({"features": tensor}, "NAME.safetensors")'
_SAVE_ARRAY = 'np.save("NAME.npy", array)'
#: What to do with files that others write.
_REMEDIES = {
    ".npz": 'holds several arrays: save one of them with np.save("NAME.npy", '
    'np.load("NAME.npz")["ARRAY"])',
    ".pt": f"{_PICKLED}write a tensor with {_SAVE_TENSOR}",
    ".pkl": f"{_PICKLED}write texts as JSON lines, features with {_SAVE_ARRAY}",
    ".arrow": "is not read: write a .parquet file, or pass the column in Python",
    ".xlsx": "is not read: write a .csv file",
    ".zip": "is not unpacked: pass the files in it",
    ".zst": "is not unpacked: decompress it, or use .gz",
}
_REMEDIES |= dict.fromkeys((".pth", ".bin", ".ckpt"), _REMEDIES[".pt"])
_REMEDIES |= dict.fromkeys((".pickle", ".joblib"), _REMEDIES[".pkl"])
_REMEDIES |= {".feather": _REMEDIES[".arrow"], ".xls": _REMEDIES[".xlsx"]}


def read_features(path: Path) -> tuple[NDArray[Any], str | None]:
    """Return the array in a file, and the embedder that made it if the file names that.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/human.npy", np.eye(3))
    ...     array, embedder = read_features(Path(folder, "human.npy"))
    >>> array.shape, embedder
    ((3, 3), None)
    """
    check_path(path)
    suffixes = path.suffixes[-2:] if path.suffix.lower() == ".gz" else path.suffixes[-1:]
    kind = "".join(suffixes).lower()
    quoted = f"'{escaped(str(path))}'"
    try:
        if kind == ".npy":
            with path.open("rb") as file:
                _refuse_objects(file, quoted)
            return np.asanyarray(np.load(path, mmap_mode="r", allow_pickle=False)), None
        if kind == ".npy.gz":
            with gzip.open(path) as packed:
                _refuse_objects(cast(BinaryIO, packed), quoted)
                packed.seek(0)
                return np.asarray(np.load(packed, allow_pickle=False)), None
        if kind == ".safetensors":
            return _read_safetensors(path, quoted)
    except MauveError:
        raise
    # What a damaged header makes NumPy raise is not documented; these were seen.
    except (ValueError, EOFError, OSError, zlib.error, SafetensorError, TokenError) as error:
        raise InvalidParameterError(
            f"{quoted} could not be read as a {kind} file of features ({error}). "
            "It may be cut short: write it again."
        ) from error
    if remedy := _REMEDIES.get(path.suffix.lower()):
        raise InvalidParameterError(f"{quoted} {remedy}.")
    raise InvalidParameterError(
        f"{quoted} must end in .npy, .npy.gz or .safetensors if it holds features, or in "
        f"{suffix_list()} if it holds text. Got '{escaped(kind or path.name)}' instead."
    )


def _refuse_objects(file: BinaryIO, quoted: str) -> None:
    """Raise if an array holds Python objects, which are pickled."""
    if file.read(6) != b"\x93NUMPY":
        return  # np.load says what is wrong
    file.seek(0)
    npy, version = np.lib.format, np.lib.format.read_magic(file)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    if read_header(file)[2].hasobject:
        raise InvalidParameterError(
            f"{quoted} holds Python objects, which {_PICKLED.replace('it is', 'they are')}"
            "write features as an array of numbers, such as np.stack(rows), and texts as JSON "
            "lines."
        )


def _read_safetensors(path: Path, quoted: str) -> tuple[NDArray[Any], str | None]:
    with safe_open(path, framework="numpy") as file:
        names = list(file.keys())
        if "features" not in names and len(names) != 1:
            raise InvalidParameterError(
                f"{quoted} must hold one tensor, or one that is called 'features'. "
                f"Got {', '.join(map(escaped, names)) or 'none'} instead."
            )
        try:
            tensor = file.get_tensor("features" if "features" in names else names[0])
        except TypeError as error:  # NumPy has no bfloat16
            raise InvalidParameterError(
                f"{quoted} must hold a type that NumPy knows ({error}). Convert it to float32."
            ) from error
        return np.asarray(tensor), (file.metadata() or {}).get("embedder")
