"""Write the texts of a run: load models one after another, and write what files lack."""

import time
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mauve.calls import option, parameter
from mauve.embed.endpoint_address import is_endpoint
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import escaped
from mauve.formatting import format_count
from mauve.generation.files import SampleFile, WrittenText, check_prompts, read_sample
from mauve.generation.generated import GeneratedSample
from mauve.generation.perplexity import perplexity_path, with_perplexity
from mauve.generation.settings import ModelLike, Setting, settings_of
from mauve.lm.decoding import Decoding
from mauve.lm.writers import get_writer
from mauve.lm.writing import Writer, WritingOptions
from mauve.progress import Progress

_LONG_GAP = 64  # written texts: rewriting fewer costs less than starting the model's batch again


@dataclass(frozen=True)
class Loader:
    """Makes writers of models; see :func:`mauve.generate`."""

    device: str = "auto"
    dtype: str = "auto"
    revision: str | None = None
    token_budget: int | None = None
    endpoint: Mapping[str, Any] = field(default_factory=dict)

    def writer(self, model: ModelLike) -> Writer:
        """Return the writer of a model; only an endpoint is given the options of endpoints."""
        return get_writer(
            model,
            device=self.device,
            dtype=self.dtype,
            revision=self.revision,
            token_budget=self.token_budget,
            **(self.endpoint if is_endpoint(model) else {}),
        )


@dataclass(frozen=True)
class PromptSet:
    """What is continued.

    Attributes
    ----------
    ids, prompts : list of str
    references : list of str or None
        How people went on.

    Examples
    --------
    >>> len(PromptSet(["a", "b"], ["Once", "Twice"]))
    2
    """

    ids: list[str]
    prompts: list[str]
    references: list[str] | None = None

    def __post_init__(self) -> None:
        if not self.prompts:
            raise bad_parameter("prompts", "at least one prompt", self.prompts)

    def __len__(self) -> int:
        return len(self.prompts)


@dataclass(frozen=True)
class Run:
    """Models that continue prompts with several decoders and seeds.

    Attributes
    ----------
    models : dict from name to model
    decodings : list of Decoding
    seeds : list of int
    options : WritingOptions
        The seed is that of each file.
    folder : Path
    loader : Loader
    """

    models: dict[str, ModelLike]
    decodings: list[Decoding]
    seeds: list[int]
    options: WritingOptions
    folder: Path
    loader: Loader

    def __post_init__(self) -> None:
        given = [name for name, value in self.loader.endpoint.items() if value is not None]
        if given and not any(map(is_endpoint, self.models.values())):
            raise InvalidParameterError(
                f"{parameter('models')} must have an endpoint for its options. Got "
                f"{', '.join(option(name, self.loader.endpoint[name]) for name in given)} without "
                "one: leave them out."
            )

    @property
    def settings(self) -> list[Setting]:
        """One setting for each file."""
        return settings_of(self.models, self.decodings, self.seeds)

    def write(
        self,
        prompts: PromptSet,
        on_progress: Progress,
        writers: Mapping[str, Writer] | None = None,
    ) -> list[GeneratedSample]:
        """Write what files lack, and return what they have then.

        Parameters
        ----------
        prompts : PromptSet
        on_progress : callable
        writers : mapping from model to Writer, optional
            Those that are loaded already.
        """
        loaded = dict(writers or {})
        pace = Pace(len(self.settings) * len(prompts), on_progress)
        samples: list[GeneratedSample] = []
        for name, model in self.models.items():
            # Two models may not fit the memory, so none is kept.
            writer = loaded.pop(name, None) or self.loader.writer(model)
            decodings = with_perplexity(
                self.decodings,
                writer,
                model,
                prompts.prompts,
                prompts.references,
                remember=perplexity_path(self.folder, name),
                device=self.loader.device,
                on_progress=on_progress,
            )
            for decoding in decodings:  # one that it does not have is found before the first text
                _check_decoding(writer, decoding, self.options)
            settings = settings_of([name], decodings, self.seeds)
            samples += write_samples(writer, settings, prompts, self.folder, self.options, pace)
            del writer
        return samples


class Pace:
    """Counts the texts of a job and reports them with the tokens per second.

    Parameters
    ----------
    total : int
        Texts of the job, those that are in files included.
    on_progress : callable

    Examples
    --------
    >>> pace = Pace(4, lambda step, done, total: print(step, done, total))
    >>> pace.add(texts=2, tokens=0)
    writing 2 4
    """

    def __init__(self, total: int, on_progress: Progress) -> None:
        self.total, self._on_progress = total, on_progress
        self.done = self.tokens = 0
        self._started = time.perf_counter()

    def add(self, texts: int, tokens: int) -> None:
        """Count texts that are done, with the tokens that were written for them just now."""
        self.done += texts
        self.tokens += tokens
        rate = self.tokens / max(time.perf_counter() - self._started, 1e-9)
        detail = f" · {rate:,.0f} tokens/s" if self.tokens else ""
        self._on_progress(f"writing{detail}", self.done, self.total)


def write_samples(
    writer: Writer,
    settings: Sequence[Setting],
    prompts: PromptSet,
    folder: Path,
    options: WritingOptions,
    pace: Pace,
) -> Iterator[GeneratedSample]:
    """Write what is missing in the files of one model, and yield what they have then.

    Parameters
    ----------
    writer : Writer
    settings : sequence of Setting
        Of one model.
    prompts : PromptSet
    folder : Path
    options : WritingOptions
        The seed is that of each setting.
    pace : Pace
    """
    for setting in settings:
        path = setting.path(folder)
        seeded = WritingOptions(options.max_tokens, options.min_tokens, setting.seed)
        labels = {"seed": setting.seed, "decoder": setting.decoder, "model": setting.model}
        with SampleFile(path, file_settings(writer, setting, options), labels) as file:
            check_prompts(path, file.texts, prompts.ids, prompts.prompts)
            known = {position for position in file.texts if position < len(prompts)}
            pace.add(len(known), 0)
            started = time.perf_counter()
            try:
                new = _write(writer, setting, seeded, prompts, file, known, pace)
            except BaseException as error:
                n_kept = 0
                # Counted in the file: Ctrl-C may come between a text's line there and its place
                # here. A file that is gone has no note, and does not hide the error.
                with suppress(InvalidParameterError):
                    n_kept = sum(text.position < len(prompts) for text in read_sample(path))
                if n_kept:
                    error.add_note(
                        f"{n_kept:,} of {format_count(len(prompts), 'text')} are kept in "
                        f"'{escaped(str(path))}'; the same call continues after them"
                    )
                raise
            seconds = time.perf_counter() - started
            texts = [file.texts[position] for position in range(len(prompts))]
        yield GeneratedSample(
            setting.model,
            writer.signature,
            setting.decoder,
            setting.seed,
            path,
            n_texts=len(texts),
            n_tokens=sum(text.n_tokens for text in texts),
            n_ended=sum(text.ended for text in texts),
            n_new=len(new),
            n_new_tokens=sum(text.n_tokens for text in new),
            seconds=seconds,
        )


def file_settings(writer: Writer, setting: Setting, options: WritingOptions) -> dict[str, Any]:
    """Return what the texts of a file depend on, beside the prompts."""
    return {
        "model": writer.signature,
        "decoder": setting.decoder,
        "seed": setting.seed,
        "max_tokens": options.max_tokens,
        "min_tokens": options.min_tokens,
    }


def _check_decoding(writer: Writer, decoding: Decoding, options: WritingOptions) -> None:
    """Raise what a writer raises for a decoder that it does not have."""
    for _ in writer.write([], decoding, options):
        pass


def _write(
    writer: Writer,
    setting: Setting,
    options: WritingOptions,
    prompts: PromptSet,
    file: SampleFile,
    known: AbstractSet[int],
    pace: Pace,
) -> list[WrittenText]:
    """Write the texts that are not known; return them."""
    new: list[WrittenText] = []
    for start, end in missing_parts(known, len(prompts)):
        part = prompts.prompts[start:end]
        for place, text in writer.write(part, setting.decoding, options, first=start):
            position = start + place
            if position in file.texts:
                continue  # texts finish in any order, so some after the first gap are there
            id_, prompt = prompts.ids[position], prompts.prompts[position]
            written = WrittenText(position, id_, prompt, text.text, text.n_tokens, text.ended)
            file.add(written)
            new.append(written)
            pace.add(1, text.n_tokens)
    return new


def missing_parts(
    known: AbstractSet[int], n: int, long_gap: int = _LONG_GAP
) -> list[tuple[int, int]]:
    """Return the parts of ``range(n)`` to write: first position, and the one after the last.

    The random numbers of a text follow from its position, and a writer takes prompts in a row.
    So a few known texts between missing ones are written again, and dropped.

    Examples
    --------
    >>> missing_parts({0, 1, 3}, 6), missing_parts({*range(100)} - {5}, 101)
    ([(2, 6)], [(5, 6), (100, 101)])
    """
    parts: list[tuple[int, int]] = []
    for position in range(n):
        if position in known:
            continue
        if parts and position - parts[-1][1] < long_gap:
            parts[-1] = parts[-1][0], position + 1
        else:
            parts.append((position, position + 1))
    return parts
