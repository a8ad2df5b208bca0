"""Take samples in files through the stages: hash, draw, learn, assign, merge."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mauve.arrays import Features, IntArray
from mauve.embed.load import embed_texts
from mauve.embed.protocol import Embedder
from mauve.embed.remembered import RememberedEmbedder
from mauve.engine.drawing import DrawnTexts, Learning, Locator, draw_texts
from mauve.engine.local import Engine
from mauve.engine.shards import checksum
from mauve.engine.sources import ShardedSample
from mauve.engine.stages import (
    Assigned,
    AssignStage,
    EmbedderChoice,
    FetchStage,
    HashStage,
    Influences,
    InfluenceStage,
    Job,
    Place,
)
from mauve.errors import InvalidParameterError
from mauve.progress import Progress

R = TypeVar("R")

_HASH_BYTES = 64  # memory that one hash takes while it is sorted and drawn


@dataclass(frozen=True)
class Stream:
    """What runs the stages, where their shards are, and how much memory they may take.

    Attributes
    ----------
    engine : Engine
    folder : Path
    memory : int
        Bytes.
    on_progress : callable
    """

    engine: Engine
    folder: Path
    memory: int
    on_progress: Progress

    def run(self, step: str, stage: Callable[[int], R], n_pieces: int) -> dict[int, R]:
        """Return what a stage returns for every piece, by the number of the piece."""
        results = {}
        for piece, result in self.engine.run(stage, range(n_pieces)):
            results[piece] = result
            self.on_progress(step, len(results), n_pieces)
        return {piece: results[piece] for piece in sorted(results)}

    def total(self, stage: AssignStage) -> Assigned:
        """Assign all texts of a sample; return their counts."""
        total = Assigned()
        for done, (_, part) in enumerate(
            self.engine.run(stage, range(len(stage.sample.pieces))), 1
        ):
            total.add(part)
            self.on_progress("assigning", done, len(stage.sample.pieces))
        return total

    def influences(self, stage: InfluenceStage) -> Influences:
        """Return the sums over all texts of a sample; of floats in the order of the pieces."""
        products, by_unit = {}, None
        n_pieces = len(stage.assigned.sample.pieces)
        for piece, part in self.engine.run(stage, range(n_pieces)):
            products[piece] = part.products
            if by_unit is None:
                by_unit = part.by_unit
            else:
                by_unit = [one + more for one, more in zip(by_unit, part.by_unit, strict=True)]
            self.on_progress("merging", len(products), n_pieces)
        summed = np.sum([products[piece] for piece in sorted(products)], axis=0)
        return Influences(summed, by_unit or [])


@dataclass
class SampleStream:
    """One sample on its way through the stages.

    Attributes
    ----------
    sample : ShardedSample
    hashing : HashStage
    part_sizes : dict from piece to list of int
        Number of texts of each part.
    """

    sample: ShardedSample
    hashing: HashStage
    part_sizes: dict[int, list[int]] = field(default_factory=dict)
    located: dict[Place, tuple[IntArray, IntArray]] = field(default_factory=dict)

    @classmethod
    def of(cls, sample: ShardedSample, number: int, folder: Path) -> "SampleStream":
        """Return a sample before its first stage."""
        preparation = sample.preparation
        settings = {
            "version": version("mauve-eval"),
            "prepared": checksum(
                [preparation.field, preparation.strip, preparation.normalize, preparation.empty]
            ),
        }
        return cls(sample, HashStage(sample, folder / f"hashes-{number}", settings))

    @cached_property
    def n_texts(self) -> int:
        """Number of texts."""
        return sum(map(sum, self.part_sizes.values()))

    @property
    def places(self) -> list[Place]:
        """All parts, in the order of the texts."""
        return [(n, part) for n, sizes in self.part_sizes.items() for part in range(len(sizes))]

    def hash(self, stream: Stream) -> None:
        """Hash all texts."""
        self.part_sizes = stream.run("hashing", self.hashing, len(self.sample.pieces))
        if not self.n_texts:
            raise InvalidParameterError(f"The files of '{self.sample.name}' hold no texts.")

    def draw(
        self, stream: Stream, learnings: list[Learning], n_tested: int, seed: int
    ) -> DrawnTexts:
        """Draw texts, and find them."""
        shards = [self.hashing.shard(place) for place in self.places]
        at_once = max(1 << 16, stream.memory // _HASH_BYTES)
        drawn = draw_texts(shards, self.n_texts, learnings, n_tested, seed, at_once)
        locator = Locator(drawn)
        for place in self.places:
            arrays, _ = self.hashing.shard(place).read()
            rows, which = locator.find(arrays["hashes"], arrays["order"])
            if len(rows):
                self.located[place] = rows, which
        assert not locator.n_missing
        return drawn

    def fetch(self, stream: Stream, drawn: DrawnTexts) -> "list[str] | Features":
        """Read the drawn texts, or their features."""
        stage = FetchStage(self.sample, {place: rows for place, (rows, _) in self.located.items()})
        pieces = sorted({piece for piece, _ in self.located})
        found: dict[Place, Any] = {}
        for done, (_, values) in enumerate(stream.engine.run(stage, pieces), 1):
            found |= values
            stream.on_progress("drawing", done, len(pieces))
        if found.keys() != self.located.keys():
            raise InvalidParameterError(
                f"The files of '{self.sample.name}' must stay as they are while they are read. "
                "They have fewer texts now: run again, with a new folder for the shards."
            )
        n = len(drawn.keys)
        if self.sample.is_text:
            texts = [""] * n
            for place, (_, which) in self.located.items():
                for position, text in zip(which, found[place], strict=True):
                    texts[position] = text
            return texts
        features = np.empty((n, self.sample.width or 0), dtype=np.float32)
        for place, (_, which) in self.located.items():
            features[which] = found[place]
        return features


def embed_drawn(
    texts: Mapping[str, list[str]], embedder: Embedder, on_progress: Progress
) -> tuple[dict[str, Features], RememberedEmbedder]:
    """Return the features of drawn texts by sample, and an embedder that remembers them."""
    together = [*chain.from_iterable(texts.values())]
    embedded = embed_texts(together, embedder, on_progress)
    ends = np.cumsum([len(sample) for sample in texts.values()])
    parts = np.split(np.asarray(embedded.features, dtype=np.float32), ends[:-1])
    remembered = RememberedEmbedder(embedder, together, embedded)
    return dict(zip(texts, parts, strict=True)), remembered


def assign_stage(
    stream: Stream,
    source: SampleStream,
    number: int,
    jobs: list[Job],
    *,
    recipe: Mapping[str, Any],
    order: Any,
    embedder: EmbedderChoice | None,
) -> AssignStage:
    """Return the stage that assigns a sample to buckets.

    Parameters
    ----------
    stream, source, number, jobs
    recipe : mapping from str to value of JSON
        What the buckets were learnt from, and how.
    order : {"norm-pca", "pca-norm"}
    embedder : EmbedderChoice or None
    """
    settings = {**source.hashing.settings, "buckets": checksum(recipe)}
    return AssignStage(
        source.sample,
        stream.folder / f"buckets-{number}",
        settings,
        jobs=jobs,
        order=order,
        embedder=embedder,
        located=source.located,
    )


def comparison_hash(digests: Mapping[str, str]) -> int:
    """Return a hash of all samples: results of other samples have no influences in common.

    Examples
    --------
    >>> comparison_hash({"human": "0a"}) == comparison_hash({"human": "0b"})
    False
    """
    joined = "|".join(f"{name}:{digest}" for name, digest in digests.items())
    return int.from_bytes(hashlib.blake2b(joined.encode(), digest_size=8).digest(), "big")
