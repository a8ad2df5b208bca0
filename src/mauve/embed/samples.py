"""A sample in any form in: features, feature files, texts, text files."""

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError, safe_open

from mauve.errors import InvalidParameterError, MauveError
from mauve.text.normalize import checked_texts
from mauve.text.read import TEXT_SUFFIXES, read_texts

#: What `compare` takes as a sample: features, texts, or the path of a file of either.
SampleLike = ArrayLike | Sequence[str] | str | Path


@dataclass(frozen=True)
class Sample:
    """Features of one sample of texts.

    Attributes
    ----------
    name : str
        What messages and tables call it.
    features : array of shape (n, d)
        Finite numbers of any float or integer type, possibly mapped from a file.
    texts : list of str or None
        What was embedded; None where features were given.
    n_truncated : int
        Texts that were longer than the embedder reads.
    """

    name: str
    features: NDArray[Any]
    texts: list[str] | None = None
    n_truncated: int = 0

    def __len__(self) -> int:
        return len(self.features)


def read_sample(source: SampleLike, name: str) -> NDArray[Any] | list[str]:
    """Turn whatever a user has into features or texts, or say in one sentence why not.

    Parameters
    ----------
    source : array_like, sequence of str, or path
        Features of shape (n, d); texts; a ``.npy``, ``.npy.gz`` or ``.safetensors`` file of
        features; or a file that :func:`mauve.text.read.read_texts` reads.
    name : str
        What to call it.

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
        return checked_features(_read_features(Path(source)), f"'{source}'")
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
            f"Got what NumPy cannot make an array of instead ({error})."
        ) from error
    return checked_features(features, f"'{name}'")


def is_text_file(path: str | Path) -> bool:
    """Return whether a path is that of a file of texts, or standard input.

    Examples
    --------
    >>> is_text_file("human.jsonl.gz"), is_text_file("human.npy"), is_text_file("-")
    (True, False, True)
    """
    name = str(path).lower().removesuffix(".gz")
    return str(path) == "-" or name.endswith(TEXT_SUFFIXES)


def feature_origin(source: SampleLike) -> str | None:
    """Return which embedder made a file of features, where the file says so.

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
    """Return the features of a sample that must not be text.

    Examples
    --------
    >>> load_features([[0.0, 1.0]], "p_features").shape
    (1, 2)
    """
    found = read_sample(source, name)
    if isinstance(found, list):
        raise InvalidParameterError(f"'{name}' must be features of shape (n, d). Got text instead.")
    return found


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


def checked_features(features: NDArray[Any], what: str) -> NDArray[Any]:
    """Return features if they are finite numbers in two dimensions, or raise."""
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
    for start in range(0, len(features), 4096):  # by parts: the file may be larger than memory
        with np.errstate(over="ignore"):  # what does not fit is found below
            part = features[start : start + 4096].astype(np.float32, copy=False)
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
        found = path.is_file()
    except (OSError, ValueError):  # too long for a file name, or with a NUL in it
        found = False
    if not found:
        shown = str(path) if len(str(path)) <= 200 else f"{str(path)[:200]}..."
        raise InvalidParameterError(
            f"{shown!r} must be the path of a file, or a list of texts. No such file was found."
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
