"""``mauve compare``: measure how far systems are from human text."""

from typing import cast, get_args

import typer

import mauve
from mauve.cli.compare_files import (
    check_in_memory,
    chosen_engine,
    compare_streamed,
    draw_inputs,
)
from mauve.cli.inputs import (
    make_embedder,
    metadata_fields,
    read_inputs,
    read_training,
    select_metadata,
    text_keywords,
)
from mauve.cli.option_groups import with_flags
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_output import (
    AddedMeasures,
    CompareOutput,
    MeasureOptions,
    MetadataOptions,
)
from mauve.cli.options_scale import ScaleOptions
from mauve.cli.options_score import (
    EquivalenceOptions,
    InferenceOptions,
    ProtocolOptions,
    ScoreOptions,
)
from mauve.cli.outputs import (
    check_distinct,
    check_output,
    check_picture,
    ladder_or_error,
    write_picture,
)
from mauve.cli.protocols import check_fixed, compare_by_protocol
from mauve.cli.render import print_comparison_as
from mauve.cli.render_explanation import unused_fields_note
from mauve.cli.terminal import collected_warnings, say, say_warnings, warnings_as_lines
from mauve.cli.values import named_models
from mauve.errors import InvalidParameterError
from mauve.explanation.properties import comparison_properties
from mauve.lm.scorer import RememberedScorer, get_scorer
from mauve.measures.material import load_training
from mauve.measures.protocol import Need, Variant
from mauve.measures.registry import check_names, get_measures
from mauve.measures.run import measure_samples
from mauve.measures.selection import unchanged_note
from mauve.progress import progress_bar
from mauve.reports.page import check_report
from mauve.reports.run import report_comparison
from mauve.text.normalize import EmptyPolicy

_ALL_NEEDS: set[Need] = set(get_args(Need))


@with_flags
def compare_command(
    samples: SampleOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    following: ProtocolOptions,
    score: ScoreOptions,
    inference: InferenceOptions,
    equivalence: EquivalenceOptions,
    added: AddedMeasures,
    measuring: MeasureOptions,
    explaining: MetadataOptions,
    scale: ScaleOptions,
    output: CompareOutput,
) -> None:
    """Measure how far each system's texts are from human texts.

    Prints a row for each system: MAUVE, 1 where its texts are distributed like human texts and
    near 0 where they hardly overlap; the interval; the same score in buckets of a classifier; the
    ceiling, which human texts reach against human texts; the p-value of a test that both samples
    come from one source; and the two errors, writing what people do not (type I) and not writing
    what people do (type II).
    """
    if following.protocol is not None:
        check_fixed(texts, score, inference, equivalence, explaining, output)
        check_in_memory(scale)
        compare_by_protocol(
            following.protocol, samples, texts, embedding, inference, added, measuring, output
        )
        return
    check_distinct(save=output.save, plot=output.plot, report=output.report)
    if output.plot is not None:
        check_picture(output.plot)
    if output.save is not None:
        check_output(output.save, samples.human, samples.systems)
    if output.report is not None:
        check_report(output.report)
    elif explaining.metadata is not None:
        raise typer.BadParameter("--metadata needs --report.")
    models, variant = named_models(measuring.models), cast(Variant, measuring.variant)
    if added.measures is not None:
        check_names(added.measures)  # now, not after the comparison
    elif models or measuring.training is not None or measuring.variant is not None:
        raise typer.BadParameter("--model, --training and --variant need --measures.")
    engine = chosen_engine(scale, samples)
    if engine != "memory" and texts.limit is None:
        compare_streamed(
            engine,
            scale,
            samples,
            texts,
            embedding,
            score,
            inference,
            equivalence,
            added,
            output,
        )
        return
    if engine == "memory":
        check_in_memory(scale)
        inputs = read_inputs(samples)
    else:
        quiet = output.quiet
        inputs = draw_inputs(engine, scale, samples, texts, inference, quiet=quiet)
    fields = metadata_fields(inputs, explaining.metadata)
    training = read_training(measuring.training, samples.field)
    if output.ladder and not inputs.is_text:
        raise InvalidParameterError(
            f"'{samples.human}' holds features, which have no form to change: leave out --ladder."
        )
    embedder = make_embedder(embedding, inputs, samples.human)
    device = embedding.device
    scorer = None
    if added.measures is not None and inputs.is_text and needs_language_model(added.measures):
        scorer = RememberedScorer(get_scorer(measuring.language_model, device=device))
    with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
        comparison = mauve.compare(
            inputs.human,
            inputs.systems,
            embedder=embedder,
            prompts=inputs.prompts,
            device=device,
            cache=not embedding.no_cache,
            progress=on_progress,
            **text_keywords(texts, inputs),
            **score.keywords(),
            **inference.keywords(),
        )
        ladder, no_ladder = (
            ladder_or_error(comparison, on_progress) if output.ladder else (None, None)
        )
        measurements = None
        if added.measures is not None:
            loaded = comparison.compared.samples
            measurements = measure_samples(
                loaded,
                added.measures,
                variant=variant,
                tokenizer=measuring.tokenizer,
                language_model=scorer or measuring.language_model,
                models=models,
                training=load_training(
                    training,
                    loaded,
                    strip=texts.strip,
                    normalize=texts.steps,
                    empty=cast(EmptyPolicy, texts.empty),
                ),
                confidence=inference.confidence,
                seed=inference.seed,
                device=device,
                comparison=comparison,
                on_progress=on_progress,
            )
    say_warnings(comparison.reading_warnings)  # above the tables, which they put in doubt
    properties = comparison_properties(comparison.compared.samples)
    print_comparison_as(
        comparison, samples.human, output, measurements, equivalence.margin, properties, ladder
    )
    said = (*messages, *(() if measurements is None else measurements.warnings))
    say_warnings(message for message in said if message not in comparison.reading_warnings)
    notes = [inputs.limit_note(texts.limit)]
    if measurements is not None:
        notes.append(unchanged_note(measurements.measures, variant))
    if not output.quiet:
        for message in filter(None, notes):
            say("note", message)
    if output.save is not None:
        comparison.save(output.save)
        if not output.quiet:
            say("saved", str(output.save))
    if output.plot is not None:
        write_picture(comparison, output.plot)
    if output.report is not None:
        with warnings_as_lines(*said), progress_bar(not output.quiet) as on_progress:
            report = report_comparison(
                comparison,
                output.report,
                measurements=measurements,
                metadata=select_metadata(comparison.compared.samples, fields),
                ladder=ladder or not (output.no_ladder or no_ladder),
                language_model=scorer,
                device=device,
                progress=on_progress,
            )
        if not output.quiet:
            unread = inputs.unread if explaining.metadata is None else ()
            if note := unused_fields_note(report.explanation, unread):
                say("note", note)
            say("report", str(report.path))
    if no_ladder is not None:
        raise no_ladder


def needs_language_model(measures: str) -> bool:
    """Return whether any of the measures scores texts with a language model.

    Examples
    --------
    >>> needs_language_model("zipf,default"), needs_language_model("text")
    (True, False)
    """
    return any(
        need.endswith("log_probabilities")
        for measure in get_measures(measures, _ALL_NEEDS)
        for need in measure.needs
    )
