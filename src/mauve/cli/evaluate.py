"""mauve evaluate: from models to their scores and a report, in one command."""

import json
from pathlib import Path

import typer

import mauve
from mauve.cli.option_groups import with_flags
from mauve.cli.options_generation import (
    ComparedTexts,
    DecodingOptions,
    DrawOptions,
    EvaluateMeasures,
    EvaluateOutput,
    ModelArguments,
    ModelOptions,
    TaskOptions,
)
from mauve.cli.options_input import EmbedderOptions
from mauve.cli.options_score import InferenceOptions, ScoreOptions
from mauve.cli.render import print_result
from mauve.cli.terminal import collected_warnings, printing, say, say_warnings
from mauve.cli.values import writers_by_name
from mauve.embed.registry import get_embedder
from mauve.explanation.properties import comparison_properties
from mauve.formatting import format_count
from mauve.progress import progress_bar


@with_flags
def evaluate_command(
    models: ModelArguments,
    task: TaskOptions,
    drawing: DrawOptions,
    decoding: DecodingOptions,
    loading: ModelOptions,
    compared: ComparedTexts,
    embedding: EmbedderOptions,
    score: ScoreOptions,
    inference: InferenceOptions,
    measuring: EvaluateMeasures,
    output: EvaluateOutput,
) -> None:
    """Generate texts with models, compare with human ones, report.

    Draws prompts from human texts, lets the models continue them, compares what they write with
    what people wrote, measures both and writes a report. Each step is kept in the folder: the same
    command again continues where it was stopped, and another decoder or option computes only what
    depends on it.
    """
    embedder = None
    if embedding.embedder is not None or any(v is not None for v in embedding.settings().values()):
        embedder = get_embedder(embedding.name, device=embedding.device, **embedding.settings())
    no_measures = measuring.measures.strip().lower() == "none"
    with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
        evaluation = mauve.evaluate(
            writers_by_name(models.models),
            **task.keywords(),
            folder=output.out,
            measures=None if no_measures else measuring.measures,
            tokenizer=measuring.tokenizer,
            language_model=measuring.language_model,
            report=not output.no_report,
            ladder=not output.no_ladder,
            embedder=embedder,
            cache=not embedding.no_cache,
            device=embedding.device,
            progress=on_progress,
            **drawing.keywords(),
            **decoding.keywords(),
            **loading.keywords(),
            **compared.keywords(),
            **score.keywords(),
            **inference.keywords(),
        )
    comparison, measurements = evaluation.comparison, evaluation.measurements
    say_warnings(comparison.reading_warnings)  # above the tables, which they put in doubt
    with printing():
        if output.json:
            typer.echo(json.dumps(evaluation.to_dict(), indent=2, allow_nan=False))
        elif output.markdown:
            typer.echo(evaluation.to_markdown())
        elif output.latex:
            typer.echo(evaluation.to_latex())
        else:
            human = Path(output.out, "human.jsonl")
            properties = comparison_properties(comparison.compared.samples)
            print_result(comparison, human, measurements, properties=properties, quiet=output.quiet)
    say_warnings(message for message in messages if message not in comparison.reading_warnings)
    if not output.quiet:
        n_new = format_count(evaluation.n_new, "text")
        say("note", f"{n_new} written now, in {output.out / 'samples'}")
        if evaluation.report is not None:
            say("report", str(evaluation.report))
