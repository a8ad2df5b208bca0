"""Compare files on the command line without reading them into memory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import mauve
from mauve.calls import option
from mauve.cli.inputs import Inputs
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_output import AddedMeasures, CompareOutput
from mauve.cli.options_scale import ScaleOptions
from mauve.cli.options_score import EquivalenceOptions, InferenceOptions, ScoreOptions
from mauve.cli.outputs import write_picture
from mauve.cli.render import print_comparison_as
from mauve.cli.terminal import collected_warnings, say, say_warnings
from mauve.cli.values import InputFile, input_file, named_systems
from mauve.embed.naming import human_name_beside
from mauve.embed.reading import UnreadablePolicy
from mauve.engine.engines import ENGINES, EngineName
from mauve.engine.limiting import draw_files
from mauve.engine.memory import needed_memory, parse_memory
from mauve.engine.sources import is_many
from mauve.errors import InvalidParameterError
from mauve.explanation.properties import comparison_properties
from mauve.progress import progress_bar
from mauve.text.normalize import EmptyPolicy


def chosen_engine(scale: ScaleOptions, samples: SampleOptions) -> str:
    """Return "memory", or the engine that compares the files part by part."""
    files = _files(samples)
    many = [str(file.path) for file in files.values() if is_many(str(file.path))]
    if scale.engine == "memory" and many:
        raise InvalidParameterError(
            f"--engine memory reads one file for each sample. Got '{many[0]}' instead: use "
            "--engine disk."
        )
    if scale.engine != "auto":
        return scale.engine
    if many or needed_memory([file.path for file in files.values()]) > parse_memory(scale.memory):
        return "disk"
    return "memory"


def check_in_memory(scale: ScaleOptions) -> None:
    """Raise if options are given that a comparison in memory does not use."""
    if scale.engine in ENGINES:  # of a protocol
        raise InvalidParameterError(
            f"{option('engine', scale.engine)} must be left out for what is compared in memory."
        )
    for name, value in {"address": scale.address, "folder": scale.folder}.items():
        if value is not None:
            raise InvalidParameterError(
                f"{option(name)} must be left out for what is compared in memory: use --engine "
                f"{' or '.join(ENGINES)} with it."
            )


def draw_inputs(
    engine: str,
    scale: ScaleOptions,
    samples: SampleOptions,
    texts: TextOptions,
    inference: InferenceOptions,
    *,
    quiet: bool,
) -> Inputs:
    """Draw the texts that --limit asks for, from files that are read part by part."""
    if samples.prompts is not None:
        raise InvalidParameterError(
            "--prompts needs all texts in memory, and these files are read part by part: write "
            "the prompts into the files, in the field 'prompt', and use --by-prompt."
        )
    files = _files(samples)
    with progress_bar(not quiet) as on_progress:
        drawn = draw_files(
            {name: file.path for name, file in files.items()},
            cast(int, texts.limit),
            seed=inference.seed,
            by_prompt=samples.by_prompt,
            field={name: file.field or samples.field for name, file in files.items()},
            empty=cast(EmptyPolicy, texts.empty),
            engine=cast(EngineName, engine),
            address=scale.address,
            workers=scale.workers,
            memory=scale.memory,
            folder=scale.folder,
            progress=on_progress,
        )
    prompts = {name: sample.prompts or [] for name, sample in drawn.items()}
    return Inputs(drawn, prompts if samples.by_prompt else None)


def compare_streamed(
    engine: str,
    scale: ScaleOptions,
    samples: SampleOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    score: ScoreOptions,
    inference: InferenceOptions,
    equivalence: EquivalenceOptions,
    added: AddedMeasures,
    output: CompareOutput,
) -> None:
    """Compare files part by part, and print the result."""
    _refuse_what_needs_memory(samples, texts, score, inference, added, output)
    files = _files(samples)
    fields = {name: file.field or samples.field for name, file in files.items()}
    (_, human), *systems = files.items()
    with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
        comparison = mauve.compare_files(
            human.path,
            {name: file.path for name, file in systems},
            engine=cast(EngineName, engine),
            address=scale.address,
            workers=scale.workers,
            gpus=scale.gpus,
            memory=scale.memory,
            folder=scale.folder,
            n_tested=scale.n_tested,
            field=fields,
            embedder=embedding.embedder,
            embedder_settings={k: v for k, v in embedding.settings().items() if v is not None},
            strip=texts.strip,
            normalize=texts.steps,
            empty=cast(EmptyPolicy, texts.empty),
            unreadable=cast(UnreadablePolicy, texts.unreadable),
            device=embedding.device,
            progress=on_progress,
            **_without(score.keywords(), "clustering"),
            **_without(inference.keywords(), "interval", "n_bootstrap"),
        )
    say_warnings(comparison.reading_warnings)
    drawn = comparison.drawn
    properties = {} if drawn is None else comparison_properties(drawn)
    print_comparison_as(comparison, samples.human, output, None, equivalence.margin, properties)
    say_warnings(message for message in messages if message not in comparison.reading_warnings)
    if not output.quiet:
        for note in comparison.notes:
            say("note", note)
    if output.plot is not None:
        write_picture(comparison, output.plot)


def _files(samples: SampleOptions) -> dict[str, InputFile]:
    systems = named_systems(samples.systems)
    return {human_name_beside([*systems]): input_file(str(samples.human)), **systems}


def _without(keywords: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in keywords.items() if name not in names}


def _refuse_what_needs_memory(
    samples: SampleOptions,
    texts: TextOptions,
    score: ScoreOptions,
    inference: InferenceOptions,
    added: AddedMeasures,
    output: CompareOutput,
) -> None:
    """Raise if an option needs all texts in memory."""
    paths: dict[str, Path | None] = {"save": output.save, "report": output.report}
    given = [name for name, path in paths.items() if path is not None]
    given += ["ladder"] * output.ladder + ["measures"] * (added.measures is not None)
    given += ["prompts"] * (samples.prompts is not None) + ["by_prompt"] * samples.by_prompt
    given += ["match_length"] * texts.match_length
    given += ["clustering"] * (score.clustering != "pair")
    given += ["interval"] * (inference.interval != "influence")
    if given:
        raise InvalidParameterError(
            f"{option(given[0])} needs all texts in memory, and these files are compared part by "
            "part: leave it out, or draw texts at random with --limit 100000."
        )
