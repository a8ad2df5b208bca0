"""Read one sample: texts, features, or a file of either."""

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError, safe_open

from mauve.calls import by_world
from mauve.errors import InvalidParameterError, MauveError
from mauve.text.normalize import checked_texts
from mauve.text.read import TEXT_SUFFIXES, read_texts

_CHUNK = 1024  # rows read at a time: a mapped file may be larger than memory

#: A sample as users pass it: features, texts, or the path of a file of either.
SampleLike = ArrayLike | Sequence[str] | str | Path


def read_sample(source: SampleLike, name: str) -> NDArray[Any] | list[str]:
    """Return a sample as texts or as features, or raise an error that names the remedy.

    Parameters
    ----------
    source : array_like, sequence of str, or path
        Features of shape (n, d); texts; a ``.npy``, ``.npy.gz`` or ``.safetensors`` file of
        features; or a file that :func:`mauve.text.read.read_texts` reads.
    name : str
        Name of the sample in error messages.

    Returns
    -------
    array of shape (n, d), or list of str

    Examples
    --------
    >>> read_sample([[0.0, 1.0], [1.0, 0.0]], "human").shape
    (2, 2)
    >>> read_sample(("a text", "another"), "human")
    ['a text', 'another']
    """
    if isinstance(source, str | Path):
        if is_text_file(source):
            return read_texts(source).texts
        return check_features(_read_features(Path(source)), f"'{source}'")
    if _is_text(source):
        return _texts(source, name)
    if isinstance(source, Iterator):
        raise InvalidParameterError(
            f"'{name}' must be a list or an array, which can be read more than once. Got "
            f"{type(source).__name__} instead: pass list(...) of it."
        )
    try:
        features = np.asarray(source)
    except (ValueError, TypeError, RuntimeError) as error:  # the latter two from torch tensors
        raise InvalidParameterError(
            f"'{name}' must be features of shape (n, d), texts, or a path. "
            f"Got a value that NumPy cannot convert to an array instead ({error})."
        ) from error
    return check_features(features, f"'{name}'")


def is_text_file(path: str | Path) -> bool:
    """Return whether a path names a text file or standard input.

    Examples
    --------
    >>> is_text_file("human.jsonl.gz"), is_text_file("human.npy"), is_text_file("-")
    (True, False, True)
    """
    name = str(path).lower().removesuffix(".gz")
    return str(path) == "-" or name.endswith(TEXT_SUFFIXES)


def feature_origin(source: SampleLike) -> str | None:
    """Return the embedder that made a feature file, if the file names it.

    Examples
    --------
    >>> feature_origin("human.npy") is None
    True
    """
    if not isinstance(source, str | Path) or Path(source).suffix != ".safetensors":
        return None
    with safe_open(source, framework="numpy") as file:
        return (file.metadata() or {}).get("embedder")


def load_features(source: SampleLike, name: str) -> NDArray[Any]:
    """Return the features of a sample; text is rejected.

    Examples
    --------
    >>> load_features([[0.0, 1.0]], "p_features").shape
    (1, 2)
    """
    features = read_sample(source, name)
    if isinstance(features, list):
        raise InvalidParameterError(f"'{name}' must be features of shape (n, d). Got text instead.")
    return features


def _texts(source: Any, name: str) -> list[str]:
    texts = [str(text) for text in checked_texts(list(source), name)]
    # Not Path.is_file, which raises where a name is too long in bytes.
    if all(len(text) < 256 and "\n" not in text and os.path.isfile(text) for text in texts[:20]):
        raise InvalidParameterError(
            f"'{name}' must hold texts. Got names of files, such as {texts[0]!r}, instead: pass "
            "one path for a sample, or a mapping from names to paths for several systems."
        )
    return texts


def _is_text(source: object) -> bool:
    if isinstance(source, np.ndarray):
        objects = source.dtype.kind == "O" and any(isinstance(item, str) for item in source.flat)
        return bool(source.dtype.kind == "U" or objects)
    return isinstance(source, Sequence) and any(isinstance(item, str) for item in source)


def check_features(features: NDArray[Any], what: str) -> NDArray[Any]:
    """Return `features` if they are finite numbers of shape (n, d), else raise.

    Parameters
    ----------
    features : array
    what : str
        Subject of error messages, such as the quoted name of the sample.
    """
    if features.dtype.kind not in "fiu":
        raise InvalidParameterError(
            f"{what} must hold real numbers. Got the type {features.dtype} instead."
        )
    if features.ndim != 2:
        raise InvalidParameterError(
            f"{what} must have two dimensions, texts and features. "
            f"Got the shape {features.shape} instead."
        )
    if 0 in features.shape:
        raise InvalidParameterError(
            f"{what} must hold at least one text with at least one feature. "
            f"Got the shape {features.shape} instead."
        )
    for start in range(0, len(features), _CHUNK):
        with np.errstate(over="ignore"):  # an overflow becomes infinite, which is rejected below
            part = features[start : start + _CHUNK].astype(np.float32, copy=False)
        bad = ~np.isfinite(part).all(axis=1)
        if bad.any():
            row = start + int(np.flatnonzero(bad)[0])
            raise InvalidParameterError(
                f"{what} must hold finite numbers that fit 32 bits. "
                f"Got NaN, infinity or a larger number in row {row} instead."
            )
    return features


def _read_features(path: Path) -> NDArray[Any]:
    suffixes = path.suffixes[-2:] if path.suffix == ".gz" else path.suffixes[-1:]
    kind = "".join(suffixes)
    try:
        exists = path.is_file()
    except (OSError, ValueError):  # too long for a file name, or with a NUL in it
        exists = False
    if not exists:
        start = str(path) if len(str(path)) <= 200 else f"{str(path)[:200]}..."
        raise InvalidParameterError(
            f"{start!r} must be the path of a file"
            f"{by_world(python=', or a list of texts', command='')}. No such file was found."
        )
    try:
        if kind == ".npy":
            return np.asanyarray(np.load(path, mmap_mode="r", allow_pickle=False))
        if kind == ".npy.gz":
            with gzip.open(path) as file:
                return np.asarray(np.load(file, allow_pickle=False))
        if kind == ".safetensors":
            return _read_safetensors(path)
    except MauveError:
        raise
    # What a damaged header makes NumPy raise is not documented; these were seen.
    except (ValueError, EOFError, OSError, zlib.error, SafetensorError, TokenError) as error:
        raise InvalidParameterError(
            f"'{path}' could not be read as a {kind} file of features ({error}). "
            "It may be cut short: write it again."
        ) from error
    raise InvalidParameterError(
        f"'{path}' must end in .npy, .npy.gz or .safetensors if it holds features, or in "
        f"{', '.join(TEXT_SUFFIXES)} if it holds text. Got '{kind or path.name}' instead."
    )


def _read_safetensors(path: Path) -> NDArray[Any]:
    with safe_open(path, framework="numpy") as file:
        names = list(file.keys())
        if "features" not in names and len(names) != 1:
            raise InvalidParameterError(
                f"'{path}' must hold one tensor, or one that is called 'features'. "
                f"Got {', '.join(names) or 'none'} instead."
            )
        try:
            return np.asarray(file.get_tensor("features" if "features" in names else names[0]))
        except TypeError as error:  # NumPy has no bfloat16
            raise InvalidParameterError(
                f"'{path}' must hold a type that NumPy knows ({error}). Convert it to float32."
            ) from error
