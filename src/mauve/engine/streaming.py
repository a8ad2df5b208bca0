"""Take samples in files through the stages: hash, draw, learn, assign, merge."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from mauve.arrays import Features, FloatArray, HashArray, IntArray
from mauve.comparison.settings import MIN_TEXTS
from mauve.embed.load import embed_texts
from mauve.embed.protocol import Embedder
from mauve.embed.remembered import RememberedEmbedder
from mauve.engine.drawing import DrawnTexts, Learning, Locator, draw_texts
from mauve.engine.influences import Influences, InfluenceStage
from mauve.engine.local import Engine
from mauve.engine.shards import Shard, checksum
from mauve.engine.sources import ShardedSample
from mauve.engine.stages import (
    Assigned,
    AssignStage,
    EmbedderChoice,
    FetchStage,
    HashStage,
    Job,
    Place,
    Together,
)
from mauve.errors import InvalidParameterError
from mauve.progress import Progress

#: Memory that one hash takes while it is sorted and drawn, and how many are taken at the least.
HASH_BYTES, LEAST_HASHES = 64, 1 << 16


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

    def run(
        self, step: str, stages: Mapping[str, Any], pieces: Mapping[str, Sequence[int]]
    ) -> Iterator[tuple[str, int, Any]]:
        """Yield what the stages return: the sample, the number of its piece, and the result.

        Parameters
        ----------
        step : str
            Name of the step, for a progress bar.
        stages : mapping from sample to stage
        pieces : mapping from sample to its pieces
        """
        names = [*stages]
        numbered = [(i, piece) for i, name in enumerate(names) for piece in pieces[name]]
        together = Together([*stages.values()], numbered)
        for done, (number, result) in enumerate(self.engine.run(together), 1):
            stage, piece = numbered[number]
            yield names[stage], piece, result
            self.on_progress(step, done, len(numbered))

    def totals(self, stages: Mapping[str, AssignStage]) -> dict[str, Assigned]:
        """Assign all texts of all samples; return their counts."""
        totals = {name: Assigned() for name in stages}
        pieces = {name: range(len(stage.sample.pieces)) for name, stage in stages.items()}
        for name, _, part in self.run("assigning", stages, pieces):
            totals[name].add(part)
        return totals

    def influences(self, stages: Mapping[str, InfluenceStage]) -> dict[str, Influences]:
        """Return the sums over all texts of all samples; of floats in the order of the groups."""
        products: dict[str, dict[int, FloatArray]] = {name: {} for name in stages}
        by_unit: dict[str, list[IntArray]] = {}
        groups = {name: range(len(stage.groups)) for name, stage in stages.items()}
        for name, group, part in self.run("merging", stages, groups):
            products[name][group] = part.products
            known = by_unit.setdefault(name, part.by_unit)
            if known is not part.by_unit:
                by_unit[name] = [one + more for one, more in zip(known, part.by_unit, strict=True)]
        return {
            name: Influences(
                np.sum([parts[group] for group in sorted(parts)], axis=0), by_unit[name]
            )
            for name, parts in products.items()
        }


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
    def of(
        cls, sample: ShardedSample, number: int, folder: Path, name: str = "hashes"
    ) -> "SampleStream":
        """Return a sample before its first stage, with the name of the folder of its hashes."""
        preparation = sample.preparation
        settings = {
            "version": version("mauve-eval"),
            "prepared": checksum(
                [preparation.field, preparation.strip, preparation.normalize, preparation.empty]
                + ["prompts"] * sample.by_prompt
            ),
        }
        return cls(sample, HashStage(sample, folder / f"{name}-{number}", settings))

    @cached_property
    def n_texts(self) -> int:
        """Number of texts."""
        return sum(map(sum, self.part_sizes.values()))

    @property
    def places(self) -> list[Place]:
        """All parts, in the order of the texts."""
        return [(n, part) for n, sizes in self.part_sizes.items() for part in range(len(sizes))]

    @property
    def shards(self) -> list[Shard]:
        """The hashes of all parts."""
        return [self.hashing.shard(place) for place in self.places]

    def draw(
        self, stream: Stream, learnings: list[Learning], n_tested: int, seed: int
    ) -> DrawnTexts:
        """Draw texts, and find them."""
        at_once = max(LEAST_HASHES, stream.memory // HASH_BYTES)
        drawn = draw_texts(self.shards, self.n_texts, learnings, n_tested, seed, at_once)
        self.locate(drawn.hashes, drawn.keys)
        return drawn

    def locate(self, hashes: HashArray, keys: HashArray) -> None:
        """Find drawn texts in the shards."""
        locator = Locator(hashes, keys)
        for place in self.places:
            arrays, _ = self.hashing.shard(place).read()
            rows, which = locator.find(arrays["hashes"], arrays["order"])
            if len(rows):
                self.located[place] = rows, which
        assert not locator.n_missing

    @property
    def fetching(self) -> FetchStage:
        """The stage that reads the drawn texts."""
        return FetchStage(self.sample, {place: rows for place, (rows, _) in self.located.items()})

    def check_found(self, found: Mapping[Place, Any]) -> None:
        """Raise unless all parts with drawn texts were read."""
        if found.keys() != self.located.keys():
            raise InvalidParameterError(
                f"The files of '{self.sample.name}' must stay as they are while they are read. "
                "They have fewer texts now: run again, with a new folder for the shards."
            )

    def arranged(self, found: Mapping[Place, Any], drawn: DrawnTexts) -> "list[str] | Features":
        """Return the texts that were read, or their features, in the order of the draw."""
        self.check_found(found)
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


def hash_all(stream: Stream, sources: Mapping[str, SampleStream]) -> None:
    """Hash all texts of all samples."""
    sizes: dict[str, dict[int, list[int]]] = {name: {} for name in sources}
    stages = {name: source.hashing for name, source in sources.items()}
    pieces = {name: range(len(source.sample.pieces)) for name, source in sources.items()}
    for name, piece, part_sizes in stream.run("hashing", stages, pieces):
        sizes[name][piece] = part_sizes
    for name, source in sources.items():
        source.part_sizes = {piece: sizes[name][piece] for piece in sorted(sizes[name])}
        if source.n_texts < MIN_TEXTS:
            raise InvalidParameterError(
                f"'{name}' must have at least {MIN_TEXTS} texts. Got {source.n_texts} instead: "
                "collect more, some hundreds to detect a difference."
            )


def fetch_all(
    stream: Stream, sources: Mapping[str, SampleStream], drawn: Mapping[str, DrawnTexts]
) -> "dict[str, list[str] | Features]":
    """Read the drawn texts of all samples, or their features."""
    found: dict[str, dict[Place, Any]] = {name: {} for name in sources}
    stages = {name: source.fetching for name, source in sources.items()}
    pieces = {name: sorted({p for p, _ in source.located}) for name, source in sources.items()}
    for name, _, values in stream.run("drawing", stages, pieces):
        found[name] |= values
    return {name: source.arranged(found[name], drawn[name]) for name, source in sources.items()}


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
