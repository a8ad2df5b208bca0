"""Read, check, hash and embed the samples of one call, each text once."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import HashArray, IntArray
from mauve.calls import called, parameter
from mauve.embed.cached import cached_if_known
from mauve.embed.convert import TEXT_FIELD
from mauve.embed.limit import draw_rows
from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.reading import UNREADABLE, SampleReadings, UnreadablePolicy
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.embed.samples import (
    FieldLike,
    SampleLike,
    check_features,
    common_origin,
    common_width,
    read_samples,
    usable_metadata,
)
from mauve.errors import InvalidParameterError, check_bool, check_choice, check_int
from mauve.hashes import digest_hashes, text_hashes
from mauve.progress import Progress
from mauve.text.form import FormReport, check_form
from mauve.text.normalize import EMPTY, EmptyPolicy, prepare_texts
from mauve.text.prompts import Prompts, prompts_by_sample
from mauve.text.steps import Normalize, check_steps


@dataclass(frozen=True, eq=False)
class Samples:
    """Human text and text of systems, human first, for all steps of a job.

    Texts are read, checked and hashed before this object is created, and embedded when the
    features are first needed. All steps that use this object share the work.

    Attributes
    ----------
    texts : dict from name to list of str, or None
        Normalised texts; None if features were passed.
    given_features : dict from name to array of shape (n, d), or None
        Features as passed; None if texts were.
    recipe : str
        Normalisation of the texts, or the embedder that made the feature files.
    embedder : Embedder or None
        None if features were passed.
    hashes : array of int, shape (n,)
        A 64-bit hash of every text, or of its features, sample after sample. Features of one
        text differ in the last bit between processors, so texts are hashed where there are any.
    prompts : dict from name to list of str, or None
        The prompt that each text answers.
    on_progress : callable or None
        Called while texts are embedded.
    metadata : dict from name to dict from field to list
        Other fields of the records of text files, one value for each text.
    kept : dict from name to array of int
        Positions of the texts that were drawn, of the samples that a limit made smaller.
    n_given : dict from name to int
        Number of texts of every sample before the limit.
    unreadable : {"error", "warn"}
        What to do where the embedder cannot read most human texts.
    saved_warnings : dict from name to tuple of str, or None
        `reading_warnings` of a comparison that was saved, whose embedder is not there.
    """

    texts: dict[str, list[str]] | None
    given_features: dict[str, NDArray[Any]] | None
    recipe: str
    embedder: Embedder | None
    hashes: HashArray
    prompts: dict[str, list[str]] | None = None
    on_progress: Progress | None = field(default=None, repr=False)
    metadata: dict[str, dict[str, list[Any]]] = field(default_factory=dict, repr=False)
    kept: dict[str, IntArray] = field(default_factory=dict, repr=False)
    n_given: dict[str, int] = field(default_factory=dict, repr=False)
    unreadable: UnreadablePolicy = "error"
    saved_warnings: dict[str, tuple[str, ...]] | None = field(default=None, repr=False)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of texts of every sample."""
        samples: Mapping[str, Sized] = self.texts or self.given_features or {}
        return {name: len(sample) for name, sample in samples.items()}

    @property
    def human_name(self) -> str:
        """Name of the human sample."""
        return next(iter(self.sizes))

    @property
    def system_names(self) -> list[str]:
        """Names of the systems."""
        return [*self.sizes][1:]

    @property
    def origin(self) -> str:
        """Where the features come from, for the signature: embedder and normalisation."""
        if self.embedder is None:
            return self.recipe
        signature = self.embedder.signature
        return f"{signature}:{self.recipe}" if self.recipe else signature

    @cached_property
    def prompt_hashes(self) -> HashArray | None:
        """A hash of the prompt of every text; None without prompts."""
        if self.prompts is None:
            return None
        return np.concatenate([text_hashes(prompts) for prompts in self.prompts.values()])

    @property
    def all_prompts(self) -> list[str] | None:
        """The prompts of all texts, sample after sample; None without prompts."""
        return None if self.prompts is None else [*chain.from_iterable(self.prompts.values())]

    def digest(self, name: str) -> str:
        """Return a checksum of a sample's texts and prompts, in any order."""
        rows, prompts = self.slice_of(name), self.prompt_hashes
        return digest_hashes(self.hashes[rows], None if prompts is None else prompts[rows])

    @cached_property
    def joint_digest(self) -> str:
        """A checksum of all samples, in any order: what is clustered together."""
        digests = sorted(self.digest(name) for name in self.sizes)
        return digest_hashes(text_hashes(digests))

    @cached_property
    def embedded(self) -> Embedded | None:
        """Embedded texts of all samples; None if features were passed."""
        if self.texts is None or self.embedder is None:
            return None
        if self.unreadable == "error":  # before the work
            self.readings.check()
        texts = [text for sample in self.texts.values() for text in sample]
        return embed_texts(texts, self.embedder, self.on_progress)

    @cached_property
    def features(self) -> dict[str, NDArray[Any]]:
        """Features of every sample, each of shape (n, d)."""
        if self.embedded is None:
            return self.given_features or {}
        return {name: self.embedded.features[self.slice_of(name)] for name in self.sizes}

    @cached_property
    def forms(self) -> dict[str, FormReport]:
        """Differences of form between every system and human text; empty for features."""
        if self.texts is None or self.embedded is None:
            return {}
        n_tokens, human = self.embedded.n_tokens, self.human_name
        return {
            name: check_form(
                self.texts[human],
                self.texts[name],
                name=name,
                human_tokens=n_tokens[self.slice_of(human)],
                model_tokens=n_tokens[self.slice_of(name)],
            )
            for name in self.system_names
        }

    @cached_property
    def readings(self) -> SampleReadings:
        """What the embedder can read, and how many texts of every sample it cannot."""
        return SampleReadings.of(self.texts or {}, self.embedder)

    @cached_property
    def reading_warnings(self) -> dict[str, tuple[str, ...]]:
        """Warnings of texts that the embedder cannot read, by sample; all texts are embedded."""
        if self.saved_warnings is not None:
            return self.saved_warnings
        if self.embedded is None:
            return dict.fromkeys(self.sizes, ())
        n_tokens = self.embedded.n_tokens
        return {
            name: self.readings.warnings(name, n_tokens[self.slice_of(name)]) for name in self.sizes
        }

    @property
    def all_reading_warnings(self) -> tuple[str, ...]:
        """The warnings of all samples."""
        return tuple(chain.from_iterable(self.reading_warnings.values()))

    def n_truncated(self, name: str) -> int:
        """Return how many texts of a sample are longer than the embedder reads."""
        if self.embedded is None:
            return 0
        return int(self.embedded.truncated[self.slice_of(name)].sum())

    def aligned(self, metadata: Any) -> Any:
        """Return metadata of the texts as passed, for those that a limit drew.

        Parameters
        ----------
        metadata : mapping from sample to mapping from field to sequence
            What is no such mapping, or has another number of values, is returned as it is.
        """
        if not self.kept or not isinstance(metadata, Mapping):
            return metadata
        return {
            name: {field: self._drawn(name, values) for field, values in fields.items()}
            if isinstance(fields, Mapping)
            else fields
            for name, fields in metadata.items()
        }

    def _drawn(self, name: str, values: Any) -> Any:
        is_whole = isinstance(values, Sized) and len(values) == self.n_given.get(name)
        if name not in self.kept or isinstance(values, str) or not is_whole:
            return values
        items = [*values]  # a Series is indexed by its labels
        return [items[row] for row in self.kept[name]]

    def slice_of(self, name: str) -> slice:
        """Return the slice of all texts that holds the texts of a sample."""
        names = [*self.sizes]
        start = sum(self.sizes[before] for before in names[: names.index(name)])
        return slice(start, start + self.sizes[name])

    def rows_of(self, name: str) -> IntArray:
        """Return the positions of a sample's texts among all texts."""
        rows = self.slice_of(name)
        return np.arange(rows.start, rows.stop)

    def hashes_of(self, name: str) -> HashArray:
        """Return the hashes of a sample's texts."""
        return self.hashes[self.slice_of(name)]


def load_samples(
    sources: Mapping[str, SampleLike],
    *,
    field: FieldLike = TEXT_FIELD,
    limit: int | None = None,
    seed: int = 0,
    embedder: EmbedderLike | None = None,
    device: str = "auto",
    cache: bool = True,
    strip: bool = False,
    match_length: bool = False,
    normalize: Normalize | None = None,
    empty: EmptyPolicy = "error",
    unreadable: UnreadablePolicy = "error",
    prompts: Prompts | None = None,
    min_texts: int = 1,
    on_progress: Progress | None = None,
) -> Samples:
    """Read, check and hash samples, to be embedded when their features are needed.

    Parameters
    ----------
    sources : mapping from name to sample
        Human first; see :func:`mauve.embed.naming.name_samples`.
    field, limit, seed, embedder, device, cache, strip, match_length, normalize, empty, \
unreadable, prompts, on_progress
        As for :func:`mauve.compare`.
    min_texts : int
        Smallest sample that is accepted.

    Examples
    --------
    >>> samples = load_samples({"human": np.eye(10), "m": np.ones((12, 10))})
    >>> samples.sizes, samples.origin
    ({'human': 10, 'm': 12}, 'features-10')
    >>> samples = load_samples({"a": ["one text "] * 3, "b": ["a text"] * 2}, strip=True)
    >>> samples.recipe, samples.texts["b"]
    ('strip', ['a text', 'a text'])
    >>> samples = load_samples({"human": np.eye(10), "m": np.ones((12, 10))}, limit=11)
    >>> samples.sizes, samples.n_given["m"], samples.recipe
    ({'human': 10, 'm': 11}, 12, 'features-10:limit11')
    """
    check_choice("empty", empty, EMPTY)
    check_choice("unreadable", unreadable, UNREADABLE)
    for name, flag in {"strip": strip, "match_length": match_length, "cache": cache}.items():
        check_bool(name, flag)
    steps = check_steps(normalize)
    if limit is not None:
        limit = check_int("limit", limit, min_texts, why="a comparison needs as many texts")
    loaded = read_samples(sources, field)
    for name, sample in loaded.items():
        if len(sample) < min_texts:
            raise InvalidParameterError(
                f"'{name}' must have at least {min_texts} texts for {called()}, which learns from "
                f"half of them and counts the rest. Got {len(sample)} instead: collect more, some "
                "hundreds to detect a difference."
            )
    texts = {name: sample.values for name, sample in loaded.items() if sample.is_text}
    if texts and len(texts) < len(loaded):
        raise InvalidParameterError(
            f"{parameter('human', 'systems')} must be all text or all features. "
            f"Got text for {', '.join(texts)} alone instead."
        )
    if not texts:
        changes = {"strip": strip, "match_length": match_length, "normalize": bool(steps)}
        for name, is_given in changes.items():
            if is_given:
                raise InvalidParameterError(
                    f"{parameter(name)} must be left out for features, which have no text to "
                    "change: give the texts instead."
                )
        if embedder is not None:
            raise InvalidParameterError(
                f"{parameter('embedder')} must be left out for features, which no embedder reads: "
                "give the texts instead."
            )
    width = None if texts else common_width(loaded)  # first: it may differ for one embedder too
    n_given = {name: sample.total for name, sample in loaded.items()}
    drawn_before = [len(sample) for sample in loaded.values() if len(sample) < sample.total]
    if drawn_before and limit is None:
        limit = max(drawn_before)
    checked_prompts = prompts_by_sample(prompts, {n: len(s) for n, s in loaded.items()})
    kept: dict[str, IntArray] = {}
    if limit is not None and limit < max(n_given.values()):
        if texts:  # refuses empty ones now, so that messages have their positions before the draw
            prepare_texts(
                {name: [*map(str, sample)] for name, sample in texts.items()},
                strip=strip,
                normalize=[step for step in steps if step != "length"],
                empty=empty,
                prompts=checked_prompts,
            )
        hashes = {name: sample.hashes() for name, sample in loaded.items()}
        rows = draw_rows(hashes, checked_prompts, limit, check_int("seed", seed, 0))
        kept = {name: drawn for name, drawn in rows.items() if len(drawn) < n_given[name]}
        for name, drawn in kept.items():
            loaded[name] = loaded[name].at(drawn)
            if checked_prompts is not None:
                checked_prompts[name] = [checked_prompts[name][row] for row in drawn]
            before = loaded[name].drawn
            kept[name] = drawn if before is None else before
    drawn_to = [f"limit{limit}"] if kept else []
    if not texts:
        origin = common_origin([*loaded.values()]) or f"features-{width}"
        return Samples(
            None,
            {name: np.asarray(sample.values) for name, sample in loaded.items()},
            ":".join([origin, *drawn_to]),
            None,
            np.concatenate([sample.hashes() for sample in loaded.values()]),
            checked_prompts,
            kept=kept,
            n_given=n_given,
        )
    chosen = get_embedder("bundled" if embedder is None else embedder, device=device)
    normalised, recipe = prepare_texts(
        {name: [*map(str, sample.values)] for name, sample in loaded.items()},
        strip=strip,
        same_length=match_length,
        normalize=steps,
        empty=empty,
        prompts=checked_prompts,
    )
    return Samples(
        normalised,
        None,
        "+".join([*drawn_to, *filter(None, [recipe])]),
        cached_if_known(chosen) if cache else chosen,
        np.concatenate([text_hashes(sample) for sample in normalised.values()]),
        checked_prompts,
        on_progress,
        usable_metadata(loaded),
        kept,
        n_given,
        unreadable,
    )


def embed_texts(
    texts: Sequence[str], embedder: Embedder, on_progress: Progress | None = None
) -> Embedded:
    """Embed texts and check that there is one row of finite numbers for each.

    Examples
    --------
    >>> lengths = get_embedder(lambda texts: [[len(text), 1.0] for text in texts])
    >>> embed_texts(["a text", "another"], lengths).features.tolist()
    [[6.0, 1.0], [7.0, 1.0]]
    """
    embedded = embedder.embed(texts, on_progress)
    features = check_features(np.asarray(embedded.features), "The embedder's result")
    if len(features) != len(texts):
        raise InvalidParameterError(
            f"{parameter('embedder')} must return one row of features for each text. "
            f"Got {len(features)} rows for {len(texts)} texts instead."
        )
    return embedded
