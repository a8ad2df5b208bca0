"""A sample in any form in, features out: arrays, feature files, text through an embedder."""

import gzip
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError, safe_open

from mauve.errors import InvalidParameterError, MauveError, MissingExtraError

#: A callable that turns n texts into features of shape (n, d).
Embedder = Callable[[list[str]], ArrayLike]

#: What `compare` takes as a sample: features, texts, or the path of a file of either.
SampleLike = ArrayLike | Sequence[str] | str | Path

_TEXT_SUFFIXES = (".txt", ".jsonl", ".csv", ".parquet")
_NO_EMBEDDER = (
    "{what} is text, and this release has no embedder built in: pass "
    "embedder=FUNCTION, which takes a list of strings and returns features of shape (n, d), "
    "or features instead of text."
)


@dataclass(frozen=True)
class Sample:
    """Features of one sample of texts.

    Attributes
    ----------
    name : str
        What messages and tables call it.
    features : array of shape (n, d)
        Finite numbers of any float or integer type, possibly mapped from a file.
    """

    name: str
    features: NDArray[Any]

    def __len__(self) -> int:
        return len(self.features)


def load_sample(source: SampleLike, name: str, embedder: Embedder | str | None = None) -> Sample:
    """Turn whatever a user has into a sample, or say in one sentence why not.

    Parameters
    ----------
    source : array_like, sequence of str, or path
        Features of shape (n, d); texts; or a ``.npy`` or ``.safetensors`` file of
        features, also ``.npy.gz``.
    name : str
        What to call it.
    embedder : callable, optional
        Turns texts into features.

    Examples
    --------
    >>> len(load_sample([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]], "human"))
    3
    >>> lengths = lambda texts: [[len(text), text.count(" ")] for text in texts]
    >>> load_sample(["a text", "another"], "human", lengths).features.tolist()
    [[6, 1], [7, 0]]
    """
    if isinstance(source, str | Path):
        return Sample(name, _checked(_read_features(Path(source)), f"'{source}'"))
    if _is_text(source):
        if not callable(embedder):
            raise MissingExtraError(_NO_EMBEDDER.format(what=f"'{name}'"))
        texts = _texts(source, name)
        features = _checked(np.asarray(embedder(texts)), f"The embedder's result for '{name}'")
        if len(features) != len(texts):
            raise InvalidParameterError(
                f"The 'embedder' parameter must return one row of features for each text. Got "
                f"{len(features)} rows for the {len(texts)} texts of '{name}' instead."
            )
        return Sample(name, features)
    try:
        features = np.asarray(source)
    except (ValueError, TypeError, RuntimeError) as error:  # the latter two from torch tensors
        raise InvalidParameterError(
            f"'{name}' must be features of shape (n, d), texts, or a path. "
            f"Got what NumPy cannot make an array of instead ({error})."
        ) from error
    return Sample(name, _checked(features, f"'{name}'"))


def _texts(source: Any, name: str) -> list[str]:
    for position, item in enumerate(source):
        if not isinstance(item, str):
            raise InvalidParameterError(
                f"'{name}' must hold texts only. Got {type(item).__name__} at position {position} "
                "instead."
            )
    return [str(text) for text in source]


def _is_text(source: object) -> bool:
    if isinstance(source, np.ndarray):
        objects = source.dtype.kind == "O" and any(isinstance(item, str) for item in source.flat)
        return bool(source.dtype.kind == "U" or objects)
    return isinstance(source, Sequence) and any(isinstance(item, str) for item in source)


def _checked(features: NDArray[Any], what: str) -> NDArray[Any]:
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
    if kind.removesuffix(".gz") in _TEXT_SUFFIXES:
        raise MissingExtraError(_NO_EMBEDDER.format(what=f"'{path}'"))
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
        f"'{path}' must end in .npy, .npy.gz or .safetensors. Got '{kind or path.name}' instead."
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
