"""The work on one piece of a sample: hash its texts, read some of them, assign all to buckets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import Features, IntArray
from mauve.embed.load import embed_texts
from mauve.embed.protocol import Embedder
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.engine.shards import Shard
from mauve.engine.sources import Part, Piece, ShardedSample
from mauve.frontier.histogram import count_labels
from mauve.quantize.assigning import RowAssigner
from mauve.quantize.reduce import OrderName, scaled_rows

#: Piece and part of a shard, from 0.
Place = tuple[int, int]


@dataclass(frozen=True)
class EmbedderChoice:
    """What makes the embedder, on each machine anew: models do not travel."""

    name: EmbedderLike
    settings: Mapping[str, Any]
    device: str = "auto"

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder, made when it is first needed; all samples share it."""
        settings = {key: value for key, value in self.settings.items() if value is not None}
        return get_embedder(self.name, device=self.device, **settings)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the embedder where the choice travels to another process."""
        return {key: value for key, value in self.__dict__.items() if key != "embedder"}


@dataclass(frozen=True)
class Stage:
    """The shards that a stage writes for one sample.

    Attributes
    ----------
    sample : ShardedSample
    folder : Path
        Of this stage and sample.
    settings : dict from str to value of JSON
        What shards of this stage depend on, beside their input.
    """

    sample: ShardedSample
    folder: Path
    settings: dict[str, Any]

    def shard(self, place: Place) -> Shard:
        """Return the shard of a part of a piece."""
        piece = self.sample.pieces[place[0]]
        given = {
            "input": piece.path,
            "rows": [piece.start, piece.stop],
            "bytes": piece.size,
            "modified": piece.modified,
        }
        path = self.folder / f"{place[0]:06d}-{place[1]:06d}.shard"
        return Shard(path, given | self.settings)

    def read_all(self, number: int) -> Iterator[tuple[Place, dict[str, NDArray[Any]], Any]]:
        """Yield place, arrays and facts of all shards of a piece."""
        part, is_last = 0, False
        while not is_last:
            place = (number, part)
            arrays, facts = self.shard(place).read()
            yield place, arrays, facts
            part, is_last = part + 1, bool(facts["is_last"])

    def is_done(self, number: int) -> bool:
        """Whether all shards of a piece are there."""
        part = 0
        while (shard := self.shard((number, part))).exists():
            if shard.read()[1]["is_last"]:
                return True
            part += 1
        return False

    def missing_parts(self, number: int) -> Iterator[Part]:
        """Read the parts of a piece whose shards are not there."""
        piece: Piece = self.sample.pieces[number]
        for part in self.sample.parts(piece):
            if not self.shard((number, part.number)).exists():
                yield part
        piece.check_unchanged()


@dataclass(frozen=True)
class HashStage(Stage):
    """Hashes the texts of a piece, and writes the hashes in ascending order; with their prompts."""

    def __call__(self, number: int) -> list[int]:
        """Return the number of texts of each part of a piece."""
        if not self.is_done(number):
            for part in self.missing_parts(number):
                hashes = part.hashes()
                order = np.argsort(hashes, kind="stable")
                rows = order.astype(np.int32)
                arrays: dict[str, NDArray[Any]] = {"hashes": hashes[order], "order": rows}
                if self.sample.by_prompt:
                    arrays["prompts"] = part.prompt_hashes()[order]
                facts = {"n": len(hashes), "is_last": part.is_last}
                self.shard((number, part.number)).write(arrays, facts)
        return [int(facts["n"]) for _, _, facts in self.read_all(number)]


@dataclass(frozen=True)
class Together:
    """The stages of all samples as one, whose pieces are numbered through.

    Attributes
    ----------
    stages : sequence of stages, one for each sample
    pieces : sequence of (stage, piece)
    """

    stages: Sequence[Any]
    pieces: Sequence[tuple[int, int]]

    @property
    def holds_model(self) -> bool:
        """Whether a worker is worth keeping."""
        return any(isinstance(stage, AssignStage) for stage in self.stages)

    def prepare(self) -> None:
        """Load what all pieces need."""
        for stage in self.stages:
            if isinstance(stage, AssignStage):
                stage.prepare()

    def __call__(self, number: int) -> Any:
        """Return what the stage of a piece returns."""
        stage, piece = self.pieces[number]
        return self.stages[stage](piece)


@dataclass(frozen=True)
class FetchStage:
    """Reads the drawn texts, or their features, of a piece.

    Attributes
    ----------
    sample : ShardedSample
    rows : dict from Place to array of int
        Rows of each part that are wanted.
    """

    sample: ShardedSample
    rows: Mapping[Place, IntArray]

    def __call__(self, number: int) -> dict[Place, list[str] | NDArray[Any]]:
        """Return what was read, by the place of the part."""
        wanted = {part for piece, part in self.rows if piece == number}
        found: dict[Place, list[str] | NDArray[Any]] = {}
        if not wanted:
            return found
        for part in self.sample.parts(self.sample.pieces[number]):
            place = (number, part.number)
            if place in self.rows:
                rows, values = self.rows[place], part.values
                found[place] = (
                    [values[row] for row in rows]
                    if isinstance(values, list)
                    else np.asarray(values[rows], dtype=np.float32)
                )
            if part.number == max(wanted):
                break
        return found


@dataclass(frozen=True)
class Job:
    """The buckets of one system, by one quantizer."""

    system: str
    assign: RowAssigner
    num_buckets: int


@dataclass
class Assigned:
    """What is known of the texts of a piece when they are in buckets.

    Attributes
    ----------
    n_texts, n_truncated : int
    counts : list of array of int, shape (n_clusterings, k)
        Of all texts, for each job.
    drawn : array of int, shape (m,)
        Which of the drawn texts are in this piece.
    labels : array of int, shape (n_all_clusterings, m)
        Their buckets.
    """

    n_texts: int = 0
    n_truncated: int = 0
    counts: list[IntArray] = field(default_factory=list)
    drawn: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    labels: IntArray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))

    def add(self, other: "Assigned") -> None:
        """Add the texts of other pieces or parts."""
        self.n_texts += other.n_texts
        self.n_truncated += other.n_truncated
        is_first = not self.counts
        self.counts = (
            other.counts
            if is_first
            else [one + more for one, more in zip(self.counts, other.counts, strict=True)]
        )
        self.drawn = np.concatenate([self.drawn, other.drawn])
        self.labels = (
            other.labels if is_first else np.concatenate([self.labels, other.labels], axis=1)
        )


@dataclass(frozen=True)
class AssignStage(Stage):
    """Embeds the texts of a piece, assigns them to buckets, and counts them.

    Attributes
    ----------
    jobs : sequence of Job
    order : {"norm-pca", "pca-norm"}
    embedder : EmbedderChoice or None
        None for features.
    located : dict from Place to two arrays of int
        Rows of each part that were drawn, and which of the drawn texts they are.
    """

    jobs: Sequence[Job] = ()
    order: OrderName = "norm-pca"
    embedder: EmbedderChoice | None = None
    located: Mapping[Place, tuple[IntArray, IntArray]] = field(default_factory=dict)

    def prepare(self) -> None:
        """Load the model now, and not with the first piece."""
        if self.embedder is not None:
            _ = self.embedder.embedder

    def __call__(self, number: int) -> Assigned:
        """Return the counts of a piece."""
        if not self.is_done(number):
            for part in self.missing_parts(number):
                self._assign(number, part)
        total = Assigned()
        for place, arrays, facts in self.read_all(number):
            labels = arrays["labels"]
            rows, drawn = self.located.get(place, (np.empty(0, np.int64), np.empty(0, np.int64)))
            counts = [
                count_labels(part, job.num_buckets)
                for job, part in zip(self.jobs, self.by_job(labels), strict=True)
            ]
            total.add(
                Assigned(
                    int(facts["n"]),
                    int(facts["n_truncated"]),
                    counts,
                    drawn,
                    labels[:, rows].astype(np.int64),
                )
            )
        return total

    def by_job(self, labels: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the part of the labels, shape (n_all_clusterings, n), that belongs to each job."""
        ends = np.cumsum([job.assign.n_clusterings for job in self.jobs])
        return np.split(labels, ends[:-1])

    def _assign(self, number: int, part: Part) -> None:
        features, n_truncated = self._features(number, part)
        scaled = scaled_rows(features, self.order)
        most = max(job.num_buckets for job in self.jobs)
        dtype = np.uint8 if most <= 1 << 8 else np.uint16
        labels = np.concatenate([job.assign(scaled) for job in self.jobs]).astype(dtype)
        facts = {"n": len(scaled), "n_truncated": n_truncated, "is_last": part.is_last}
        self.shard((number, part.number)).write({"labels": labels}, facts)

    def _features(self, number: int, part: Part) -> tuple[Features, int]:
        values = part.values
        if not isinstance(values, list):
            return np.array(values, dtype=np.float32), 0  # a copy, which is scaled
        assert self.embedder is not None  # texts have one
        embedded = embed_texts(values, self.embedder.embedder)
        return np.array(embedded.features, dtype=np.float32), embedded.n_truncated
