"""Draw a random part of samples in files, as a limit draws it in memory: draw_files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mauve.arrays import HashArray, IntArray
from mauve.comparison.settings import MIN_TEXTS
from mauve.embed.limit import numbered_hashes
from mauve.embed.samples import Sample, sample_of_file
from mauve.engine.drawing import sorted_columns
from mauve.engine.engines import EngineName, open_engine
from mauve.engine.folders import working_folder
from mauve.engine.memory import parse_memory
from mauve.engine.shards import shards_stay
from mauve.engine.sources import FilesLike, Piece, Preparation, ShardedSample, find_sample
from mauve.engine.streaming import HASH_BYTES, LEAST_HASHES, SampleStream, Stream, hash_all
from mauve.errors import InvalidParameterError, check_bool, check_choice, check_int
from mauve.escape import escaped
from mauve.hashes import scramble_hashes, text_keys
from mauve.progress import ProgressLike, progress_bar
from mauve.text.fields import Record
from mauve.text.normalize import EMPTY, EmptyPolicy
from mauve.text.read import collect_records


@dataclass(frozen=True)
class RecordSample(ShardedSample):
    """A sample whose texts are read as they are, with their prompts and metadata."""

    def _text_parts(self, piece: Piece) -> Iterator[list[Record]]:
        for records, where in self._record_parts(piece):
            self.preparation.prepared([record.text for record in records], where)  # checks them
            if self.by_prompt and any(record.prompt is None for record in records):
                raise InvalidParameterError(
                    f"{piece.name} must have the field 'prompt' in every record to draw texts by "
                    "prompt: add it."
                )
            yield records


def draw_files(
    files: Mapping[str, FilesLike],
    limit: int,
    *,
    seed: int = 0,
    by_prompt: bool = False,
    field: str | Mapping[str, str] = "text",
    empty: EmptyPolicy = "error",
    engine: EngineName = "disk",
    address: str | None = None,
    workers: int | None = None,
    memory: int | str | None = None,
    folder: str | Path | None = None,
    progress: ProgressLike = True,
) -> dict[str, Sample]:
    """Draw texts of samples in files, the ones that ``limit`` draws where all are in memory.

    Parameters
    ----------
    files : mapping from name to files
        Files of texts or of features, as :func:`mauve.compare_files` takes them.
    limit : int
        Number of texts of each sample; a sample with fewer is kept whole.
    seed : int
        Random seed; that of the comparison, so that its signature says which texts were drawn.
    by_prompt : bool
        Draw prompts, with all their texts, the same ones in all samples.
    field, empty, engine, address, workers, memory, folder, progress
        As for :func:`mauve.compare_files`.

    Returns
    -------
    dict from name to Sample
        For :func:`mauve.compare`, :func:`mauve.report` and all others that take samples.

    Examples
    --------
    >>> import mauve
    >>> from tempfile import TemporaryDirectory
    >>> rng = np.random.default_rng(0)
    >>> with TemporaryDirectory() as at:
    ...     for i in range(3):
    ...         np.save(f"{at}/{i}.npy", rng.normal(size=(300, 8)))
    ...     samples = draw_files({"human": f"{at}/[01].npy", "model": f"{at}/2.npy"}, 250)
    >>> comparison = mauve.compare(samples["human"], {"model": samples["model"]})
    >>> comparison["model"].n_human, "limit250" in comparison["model"].signature
    (250, True)
    """
    limit = check_int("limit", limit, MIN_TEXTS, why="a comparison needs as many texts")
    seed = check_int("seed", seed, 0)
    check_bool("by_prompt", by_prompt)
    check_choice("empty", empty, EMPTY)
    fields = field if isinstance(field, Mapping) else dict.fromkeys(files, field)
    found = {}
    for name, given in files.items():
        preparation = Preparation(fields.get(name, "text"), empty=empty)
        sample = find_sample(name, given, preparation)
        if by_prompt and not sample.is_text:
            raise InvalidParameterError(
                f"'{escaped(name)}' must be texts to be drawn by prompt. It holds features."
            )
        found[name] = RecordSample(**vars(replace(sample, by_prompt=by_prompt)))
    with (
        progress_bar(progress) as on_progress,
        open_engine(engine, address=address, workers=workers) as opened,
        working_folder(folder) as at,
        shards_stay(at, is_kept=folder is not None),
    ):
        stream = Stream(opened, at, parse_memory(memory), on_progress)
        sources = {
            name: SampleStream.of(sample, number, at, "drawn")
            for number, (name, sample) in enumerate(found.items())
        }
        hash_all(stream, sources)
        for source in sources.values():
            source.locate(*_limited(stream, source, limit, seed))
        return _fetched(stream, sources)


def _limited(
    stream: Stream, source: SampleStream, limit: int, seed: int
) -> tuple[HashArray, HashArray]:
    """Return hashes and keys of the texts that :func:`mauve.embed.limit.draw_rows` draws."""
    names = ["hashes", *["prompts"] * source.sample.by_prompt]
    # Beside the hash of a text there are its prompt, its key and two places in the order.
    at_once = max(LEAST_HASHES, stream.memory // (2 * HASH_BYTES))
    drawn: list[HashArray] = []
    for part in sorted_columns(source.shards, names, source.n_texts, at_once):
        hashes = part["hashes"]
        order = [numbered_hashes(hashes, seed)]
        if source.sample.by_prompt:
            order.append(scramble_hashes(part["prompts"], seed))
        found = [hashes, text_keys(hashes), *order]
        if drawn:
            found = [np.concatenate(both) for both in zip(drawn, found, strict=True)]
        first = np.lexsort(found[2:])[:limit]
        drawn = [column[first] for column in found]
    return drawn[0], drawn[1]


def _fetched(stream: Stream, sources: Mapping[str, SampleStream]) -> dict[str, Sample]:
    """Read the drawn texts of all samples, in the order of the files."""
    found: dict[str, dict[Any, Any]] = {name: {} for name in sources}
    stages = {name: source.fetching for name, source in sources.items()}
    pieces = {name: sorted({p for p, _ in source.located}) for name, source in sources.items()}
    for name, _, values in stream.run("drawing", stages, pieces):
        found[name] |= values
    samples = {}
    for name, source in sources.items():
        source.check_found(found[name])
        parts = [found[name][place] for place in source.places if place in source.located]
        sample = source.sample
        if sample.is_text:
            records = (record for part in parts for record in part)
            made = sample_of_file(collect_records(records, f"'{escaped(name)}'"))
        else:
            made = Sample(np.concatenate(parts), origin=sample.origin)
        samples[name] = replace(made, drawn=_positions(source), n_given=source.n_texts)
    return samples


def _positions(source: SampleStream) -> IntArray:
    """Return the positions of the drawn texts in their sample."""
    positions, start = [], 0
    for place in source.places:
        if place in source.located:
            positions.append(start + source.located[place][0])
        piece, part = place
        start += source.part_sizes[piece][part]
    return np.concatenate(positions)
