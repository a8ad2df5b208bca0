"""Embed the texts of many files in shards that run apart, and merge what they wrote."""

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from mauve.atomic import atomic_write
from mauve.embed.load import embed_texts
from mauve.embed.reading import SampleReadings, UnreadablePolicy
from mauve.engine.shards import Shard, checksum, read_shard, shard_errors, shards_stay
from mauve.engine.sources import MARKERS, MERGED, Part, ShardedSample
from mauve.engine.stages import EmbedderChoice
from mauve.errors import InvalidParameterError
from mauve.progress import Progress


@dataclass(frozen=True)
class EmbeddedShard:
    """What one shard wrote.

    Attributes
    ----------
    n_texts, n_new : int
        Texts of the shard, and those of them that were embedded now.
    n_truncated : int
        Texts that are longer than the embedder reads.
    origin : str
        The embedder, and how texts were prepared.
    """

    n_texts: int
    n_new: int
    n_truncated: int
    origin: str


@dataclass(frozen=True)
class MergedShards:
    """What all shards wrote: numbers of texts and files, and where the features come from."""

    n_texts: int
    n_files: int
    origin: str


def owner(piece: int, part: int, n_pieces: int, n_shards: int) -> int:
    """Return the shard that a part of a piece belongs to, from 0.

    Whole files, so that a shard reads its own alone; parts of files if there are fewer files than
    shards.

    Examples
    --------
    >>> owner(5, 1, n_pieces=100, n_shards=4), owner(0, 5, n_pieces=1, n_shards=4)
    (1, 1)
    """
    return (piece if n_pieces >= n_shards else piece + part) % n_shards


def embed_shard(
    sample: ShardedSample,
    folder: Path,
    shard: int,
    n_shards: int,
    *,
    embedder: EmbedderChoice,
    unreadable: UnreadablePolicy,
    on_progress: Progress,
) -> EmbeddedShard:
    """Embed the texts of one shard, those that are not embedded yet.

    Every part is a file of features, and has a marker beside it once it is whole.

    Parameters
    ----------
    sample : ShardedSample
        The files of all shards.
    folder : Path
        Where features and markers are written, by all shards.
    shard, n_shards : int
        Number of this shard, from 0, and of all.
    embedder : EmbedderChoice
    unreadable : {"error", "warn"}
    on_progress : callable
    """
    if folder.exists() and not folder.is_dir():
        raise InvalidParameterError(f"'{folder}' must be a folder. It is a file: name another one.")
    _, recipe = sample.preparation.prepared(["text"], "text")
    signature = embedder.embedder.signature
    origin = f"{signature}:{recipe}" if recipe else signature
    marker = {
        "version": version("mauve-eval"),
        "embedder": origin,
        "files": [piece.path for piece in sample.pieces],
        "state": checksum([[piece.size, piece.modified] for piece in sample.pieces]),
        "shards": n_shards,
    }
    n_pieces = len(sample.pieces)
    totals = np.zeros(3, dtype=np.int64)
    for number, piece in enumerate(sample.pieces):
        if n_pieces < n_shards or owner(number, 0, n_pieces, n_shards) == shard:
            for part in sample.parts(piece):
                if owner(number, part.number, n_pieces, n_shards) == shard:
                    made = _Part(folder, marker, number, part)
                    with shards_stay(folder):
                        totals += made.embed(embedder, origin, unreadable, piece.path)
            piece.check_unchanged()
        on_progress("embedding", number + 1, n_pieces)
    return EmbeddedShard(int(totals[0]), int(totals[1]), int(totals[2]), origin)


@dataclass(frozen=True)
class _Part:
    """The features of one part, and their marker."""

    folder: Path
    marker: dict[str, Any]
    piece: int
    part: Part

    def embed(
        self, choice: EmbedderChoice, origin: str, unreadable: UnreadablePolicy, path: str
    ) -> tuple[int, int, int]:
        """Return the numbers of texts: all, new and truncated."""
        name = f"{self.piece:06d}-{self.part.number:06d}"
        marker = Shard(self.folder / MARKERS / f"{name}.shard", self.marker)
        texts = self.part.values
        assert isinstance(texts, list)
        digest = hashlib.blake2b(self.part.hashes().tobytes(), digest_size=8).hexdigest()
        if marker.exists():
            facts = marker.read()[1]
            _check_file(self.folder / f"{name}.safetensors", facts)
            if facts["texts"] != digest:
                raise InvalidParameterError(
                    f"'{path}' must hold the texts that '{marker.path}' was made from. It has "
                    "changed: name another folder, or remove this one."
                )
            return int(facts["n"]), 0, int(facts["n_truncated"])
        if unreadable == "error":
            SampleReadings.of({path: texts}, choice.embedder).check()
        embedded = embed_texts(texts, choice.embedder)
        features = np.ascontiguousarray(embedded.features, dtype=np.float32)
        written = save({"features": features}, {"embedder": origin})
        path_of_features = self.folder / f"{name}.safetensors"
        with shard_errors(path_of_features):
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / MERGED).unlink(missing_ok=True)  # it must be merged again
            with atomic_write(path_of_features) as file:
                file.write(written)
        facts = {
            "n": len(texts),
            "n_truncated": embedded.n_truncated,
            "is_last": self.part.is_last,
            "bytes": len(written),
            "texts": digest,
        }
        marker.write({}, facts)
        return len(texts), len(texts), embedded.n_truncated


def _check_file(path: Path, facts: dict[str, Any]) -> None:
    """Raise unless the features of a part are as long as their marker says."""
    size = path.stat().st_size if path.exists() else None
    if size != facts["bytes"]:
        got = "It is missing" if size is None else f"It has {size}, so it was cut short or changed"
        raise InvalidParameterError(
            f"The features '{path}' must have {facts['bytes']} bytes. {got}: remove its marker in "
            f"'{path.parent / MARKERS}' and embed its shard again."
        )


def merge_shards(folder: Path) -> MergedShards:
    """Check that all shards are there and whole, and note it for :func:`mauve.compare_files`.

    Parameters
    ----------
    folder : Path
        What all shards were written to.

    Raises
    ------
    InvalidParameterError
        If a part is missing, cut short, or made from other files or with other settings; the
        message names it.
    """
    markers = {path.stem: path for path in sorted((folder / MARKERS).glob("*.shard"))}
    if not markers:
        raise InvalidParameterError(
            f"'{folder}' must be a folder that mauve embed --shard wrote. It has no markers."
        )
    found = {name: read_shard(path).parts for name, path in markers.items()}
    first_name, first = next(iter(found.items()))
    for name, parts in found.items():
        differing = [k for k, value in first["marker"].items() if parts["marker"].get(k) != value]
        if differing:
            raise InvalidParameterError(
                f"All shards of '{folder}' must be made from the same files, with the same "
                f"settings and version. '{name}' and '{first_name}' differ in "
                f"{', '.join(differing)}: embed "
                "into a new folder."
            )
    files, n_shards = first["marker"]["files"], first["marker"]["shards"]
    n_texts = 0
    for piece, path in enumerate(files):
        part, is_last = 0, False
        while not is_last:
            name = f"{piece:06d}-{part:06d}"
            if name not in found:
                shard = owner(piece, part, len(files), n_shards) + 1
                raise InvalidParameterError(
                    f"Part {part} of '{path}' must be embedded. It is missing: run mauve embed "
                    f"again with --shard {shard}/{n_shards}."
                )
            facts = found[name]["facts"]
            _check_file(folder / f"{name}.safetensors", facts)
            n_texts += int(facts["n"])
            part, is_last = part + 1, bool(facts["is_last"])
    merged = MergedShards(n_texts, len(found), first["marker"]["embedder"])
    with atomic_write(folder / MERGED) as file:
        file.write(json.dumps({"texts": n_texts, "embedder": merged.origin}, indent=1).encode())
    return merged
