"""Find the files of a sample, cut them into pieces, and read a piece part by part."""

import glob
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import HashArray
from mauve.calls import option
from mauve.embed.feature_files import read_features
from mauve.embed.samples import check_features
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.hashes import feature_hashes, text_hashes
from mauve.text.fields import Fields, Record, json_record
from mauve.text.files import check_path, is_stream, text_kind
from mauve.text.hub_datasets import dataset_rows
from mauve.text.normalize import EmptyPolicy, prepare_texts
from mauve.text.records import file_name, file_records
from mauve.text.sources import parse_source

#: Rows of a part: what is read, embedded and assigned at once.
PART_ROWS = 16_384

#: In a folder that mauve embed --shard wrote: the folder of markers, and what mauve merge adds.
MARKERS, MERGED = ".shards", "merged.json"

_MAGIC = frozenset("*?[")
_DATASET = "hf:"
_FEATURES = (".npy", ".npy.gz", ".safetensors")

#: One path, pattern or folder, or several.
FilesLike = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class Piece:
    """What one worker reads: a file of texts, or some rows of a file of features.

    Attributes
    ----------
    path : str
    start, stop : int
        Rows of a file of features; 0 and 0 for all of a file.
    size, modified : int
        Bytes of the file, and when it was changed, by which a change is noticed.
    """

    path: str
    start: int = 0
    stop: int = 0
    size: int = 0
    modified: int = 0

    @property
    def name(self) -> str:
        """The file as messages name it."""
        return file_name(self.path)

    def check_unchanged(self) -> None:
        """Raise if the file has changed since the pieces were listed."""
        if self != self.of(self.path, self.start, self.stop):
            raise InvalidParameterError(
                f"{self.name} must stay as it is while it is read. It has changed: run again, "
                "with a new folder for the shards."
            )

    @classmethod
    def of(cls, path: str, start: int = 0, stop: int = 0) -> "Piece":
        """Return a piece of a file as it is now."""
        if path.startswith(_DATASET):
            return cls(path, start, stop)
        try:
            state = os.stat(path)
        except OSError as error:
            raise InvalidParameterError(
                f"{file_name(path)} must stay where it is while it is read. It cannot be found "
                f"({error.strerror})."
            ) from error
        return cls(path, start, stop, state.st_size, state.st_mtime_ns)


@dataclass(frozen=True)
class Preparation:
    """How texts are taken from files and prepared; see :func:`mauve.compare`."""

    field: str = "text"
    strip: bool = False
    normalize: tuple[str, ...] = ()
    empty: EmptyPolicy = "error"

    def prepared(self, texts: list[str], name: str) -> tuple[list[str], str]:
        """Return prepared texts, and the recipe for signatures."""
        prepared, recipe = prepare_texts(
            {name: texts}, strip=self.strip, normalize=self.normalize, empty=self.empty
        )
        return prepared[name], recipe


@dataclass(frozen=True)
class Part:
    """Some rows of a piece: texts or features.

    Attributes
    ----------
    number : int
        Of the part within its piece, from 0.
    values : list of str or of Record, or array of shape (n, d)
    is_last : bool
        Whether it is the last one of its piece.
    """

    number: int
    values: list[Any] | NDArray[Any]
    is_last: bool

    def hashes(self) -> HashArray:
        """Return a 64-bit hash of every text, or of its features."""
        values = self.values
        if not isinstance(values, list):
            return feature_hashes(values)
        return text_hashes([v.text if isinstance(v, Record) else v for v in values])

    def prompt_hashes(self) -> HashArray:
        """Return a 64-bit hash of the prompt of every text."""
        assert isinstance(self.values, list)
        return text_hashes([v.prompt or "" for v in self.values if isinstance(v, Record)])


@dataclass(frozen=True)
class ShardedSample:
    """A sample in files.

    Attributes
    ----------
    name : str
    pieces : tuple of Piece
    is_text : bool
    width : int or None
        Number of features; None for texts.
    origin : str or None
        The embedder that made the features, if all files name it.
    preparation : Preparation
    by_prompt : bool
        Whether texts are drawn by prompt, and their prompts are hashed.
    """

    name: str
    pieces: tuple[Piece, ...]
    is_text: bool
    width: int | None
    origin: str | None
    preparation: Preparation = Preparation()
    by_prompt: bool = False

    def parts(self, piece: Piece) -> Iterator[Part]:
        """Read a piece part by part; texts are prepared."""
        piece.check_unchanged()
        values = self._text_parts(piece) if self.is_text else _feature_parts(piece)
        if (first := next(values, None)) is None:
            raise InvalidParameterError(
                f"{piece.name} holds no texts. It must hold at least one: leave the file out, or "
                "write it again if it was cut short."
            )
        yield from _numbered(itertools.chain([first], values))

    def _text_parts(self, piece: Piece) -> Iterator[Any]:
        for records, where in self._record_parts(piece):
            yield self.preparation.prepared([record.text for record in records], where)[0]

    def _record_parts(self, piece: Piece) -> Iterator[tuple[list[Record], str]]:
        """Read the records of a piece part by part, with the name of the part for messages."""
        records = _records_of(piece, self.preparation.field)
        start = 0
        while part := list(itertools.islice(records, PART_ROWS)):
            yield part, piece.path if start == 0 else f"{piece.path}, from text {start} on"
            start += len(part)


def _numbered(values: Iterator[Any]) -> Iterator[Part]:
    """Yield parts, each of which knows whether it is the last."""
    number, held = 0, next(values, None)
    while held is not None:
        following = next(values, None)
        yield Part(number, held, following is None)
        number, held = number + 1, following


def _records_of(piece: Piece, field: str) -> Iterator[Record]:
    fields = Fields(piece.name, field)
    if piece.path.startswith(_DATASET):
        source = parse_source(piece.path)
        split, config = source.options.get("split"), source.options.get("config")
        revision = source.options.get("revision")
        fields = Fields(source.name, source.options.get("field", field))
        rows = dataset_rows(source.path, split=split, config=config, revision=revision)
        return (json_record(row, fields, f"Row {i}") for i, row in enumerate(rows, 1))
    return file_records(piece.path, fields)


def _feature_parts(piece: Piece) -> Iterator[NDArray[Any]]:
    array, _ = read_features(Path(piece.path))
    rows = array[piece.start : piece.stop] if piece.stop else array
    for start in range(0, len(rows), PART_ROWS):
        part = np.asarray(rows[start : start + PART_ROWS])
        yield check_features(part, piece.name, piece.start + start)


def find_sample(name: str, files: FilesLike, preparation: Preparation) -> ShardedSample:
    """Find the files of a sample, and cut them into pieces.

    Parameters
    ----------
    name : str
    files : path, pattern, folder, or sequence of these
        A pattern such as ``human/*.parquet``; a folder stands for the files in it; ``hf:NAME``
        is a dataset.
    preparation : Preparation

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for i in range(2):
    ...         np.save(f"{folder}/{i}.npy", np.eye(20_000, 3))
    ...     sample = find_sample("human", f"{folder}/*.npy", Preparation())
    >>> [(piece.start, piece.stop) for piece in sample.pieces], sample.width
    ([(0, 16384), (16384, 20000), (0, 16384), (16384, 20000)], 3)
    """
    paths = matching_files(files)
    if not paths:
        raise InvalidParameterError(
            f"'{escaped(name)}' must have at least one file. Got {files!r} instead."
        )
    is_text = {path: path.startswith(_DATASET) or text_kind(path) is not None for path in paths}
    if len(set(is_text.values())) == 2:
        one, other = (next(p for p in paths if is_text[p] == kind) for kind in (True, False))
        raise InvalidParameterError(
            f"'{escaped(name)}' must be files of texts or files of features. Got both instead, "
            f"such as {file_name(one)} and {file_name(other)}."
        )
    if is_text[paths[0]]:
        return ShardedSample(name, tuple(map(Piece.of, paths)), True, None, None, preparation)
    return _features_of(name, paths)


def _features_of(name: str, paths: Sequence[str]) -> ShardedSample:
    pieces: list[Piece] = []
    widths: dict[int, str] = {}
    origins = set()
    for path in paths:
        array, origin = read_features(Path(path))
        if array.ndim != 2 or 0 in array.shape:
            check_features(array, file_name(path))  # raises
        widths.setdefault(array.shape[1], path)
        origins.add(origin)
        if path.endswith(".gz"):  # cannot be read from the middle
            pieces.append(Piece.of(path))
            continue
        n = len(array)
        pieces += [
            Piece.of(path, start, min(start + PART_ROWS, n)) for start in range(0, n, PART_ROWS)
        ]
    if len(widths) > 1:
        (width, first), (other, second), *_ = widths.items()
        raise InvalidParameterError(
            f"{file_name(second)} must have as many features as {file_name(first)}, {width}. "
            f"Got {other} instead: embed all texts with one model."
        )
    if len(origins) > 1:
        made = listed(sorted(escaped(str(o)) if o else "an unknown one" for o in origins))
        raise InvalidParameterError(
            f"The files of '{escaped(name)}' must be features of one embedder. Got {made} instead."
        )
    return ShardedSample(name, tuple(pieces), False, next(iter(widths)), next(iter(origins)))


def matching_files(files: FilesLike) -> list[str]:
    """Return the files that paths, patterns and folders stand for; those of each sorted by name.

    Examples
    --------
    >>> matching_files("hf:stas/openwebtext-10k?split=train")
    ['hf:stas/openwebtext-10k?split=train']
    """
    if isinstance(files, str | Path):
        files = [files]
    found: list[str] = []
    for entry in files:
        path = str(entry)
        if path.startswith(_DATASET):
            found.append(path)
        elif os.path.isdir(path):
            if os.path.isdir(Path(path, MARKERS)) and not os.path.exists(Path(path, MERGED)):
                raise InvalidParameterError(
                    f"'{escaped(path)}' must hold all of its shards. Whether it does is not known: "
                    f"run mauve merge {escaped(path)} first."
                )
            inside = [str(file) for file in sorted(Path(path).iterdir()) if _is_read(file)]
            if not inside:
                raise InvalidParameterError(
                    f"The folder '{escaped(path)}' must hold files of texts or features. Got none "
                    "that can be read instead: name those of its subfolders with a pattern, such "
                    f"as '{escaped(os.path.join(path, '**', '*.jsonl'))}'."
                )
            found += inside
        elif is_pattern(path):
            matches = [
                match for match in sorted(glob.glob(path, recursive=True)) if _is_read(match)
            ]
            if not matches:
                raise InvalidParameterError(
                    f"'{escaped(path)}' must be the path of a file, or a pattern of paths. No file "
                    "that can be read matches it."
                )
            found += matches
        else:
            if is_stream(path):
                raise InvalidParameterError(
                    f"{file_name(path)} must be a file, which can be read more than once. It is a "
                    f"pipe: write a file, or use {option('engine', 'memory')}."
                )
            check_path(path)
            found.append(path)
    twice = [path for path in found if found.count(path) > 1] if len(found) < 1000 else []
    if twice or len(set(found)) < len(found):
        such_as = f", {file_name(twice[0])}" if twice else ""
        raise InvalidParameterError(f"A sample must have every file once. Got one twice{such_as}.")
    return found


def is_pattern(path: str) -> bool:
    """Whether a path is a pattern that stands for many files.

    Examples
    --------
    >>> is_pattern("human/*.parquet"), is_pattern("human.parquet")
    (True, False)
    """
    return is_wild(path) and not os.path.exists(path) and not path.startswith(_DATASET)


def is_wild(path: str) -> bool:
    """Whether a path, or a part of one, has wild cards.

    Examples
    --------
    >>> is_wild("*.parquet")
    True
    """
    return bool(_MAGIC & set(path))


def is_many(path: str) -> bool:
    """Whether a path is a pattern, a folder or a dataset, and not one file.

    Examples
    --------
    >>> is_many("human/*.parquet"), is_many("hf:stas/openwebtext-10k"), is_many("human.txt")
    (True, True, False)
    """
    return is_pattern(path) or path.startswith(_DATASET) or os.path.isdir(path)


def _is_read(path: str | Path) -> bool:
    name = os.path.basename(path).lower()
    if name.startswith(".") or name == MERGED or os.path.isdir(path):
        return False
    return text_kind(path) is not None or name.endswith(_FEATURES)
