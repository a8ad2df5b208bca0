"""``mauve measure``: comparison measures of systems, and of human text beside them."""

import json
from typing import cast

import typer

import mauve
from mauve.cli.inputs import make_embedder, read_inputs, read_training, text_keywords
from mauve.cli.option_groups import with_flags
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_output import MeasureNames, MeasureOptions, MeasureOutput
from mauve.cli.options_score import ConfidenceOptions
from mauve.cli.render import print_measure_result
from mauve.cli.terminal import collected_warnings, printing, say, say_warnings
from mauve.cli.values import named_models
from mauve.measures.protocol import Variant
from mauve.measures.selection import unchanged_note
from mauve.progress import progress_bar


@with_flags
def measure_command(
    samples: SampleOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    inference: ConfidenceOptions,
    names: MeasureNames,
    measuring: MeasureOptions,
    output: MeasureOutput,
) -> None:
    """Measure texts by many measures, with a row for human text."""
    models = named_models(measuring.models)
    variant = cast(Variant, measuring.variant)
    inputs = read_inputs(samples)
    embedder = make_embedder(embedding, inputs, samples.human)
    with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
        measurements = mauve.measure(
            inputs.human,
            inputs.systems,
            names.measures,
            variant=variant,
            tokenizer=measuring.tokenizer,
            language_model=measuring.language_model,
            embedder=embedder,
            models=models,
            training=read_training(measuring.training, samples.field),
            prompts=inputs.prompts,
            prompt_context=names.prompt_context,
            device=embedding.device,
            cache=not embedding.no_cache,
            progress=on_progress,
            **text_keywords(texts, inputs),
            **inference.keywords(),
        )
    say_warnings(messages)
    with printing():
        if output.json:
            result = {"version": mauve.__version__, **measurements.to_dict()}
            typer.echo(json.dumps(result, indent=2, allow_nan=False))
        elif output.markdown:
            typer.echo(measurements.to_markdown(gaps=output.gaps))
        elif output.latex:
            typer.echo(measurements.to_latex(gaps=output.gaps))
        elif output.csv:
            typer.echo(measurements.to_csv(), nl=False)
        else:
            print_measure_result(measurements, samples.human, gaps=output.gaps, quiet=output.quiet)
    if not output.quiet:
        notes = (unchanged_note(measurements.measures, variant), inputs.limit_note(texts.limit))
        for note in filter(None, notes):
            say("note", note)
