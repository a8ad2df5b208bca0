"""``mauve compare``: measure how far systems are from human text."""

import json
from typing import Any

import typer

import mauve
from mauve.cli.inputs import make_embedder, read_inputs, read_training, select_metadata
from mauve.cli.option_groups import with_flags
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_output import AddedMeasures, CompareOutput, MeasureOptions, MetadataOptions
from mauve.cli.options_score import EquivalenceOptions, InferenceOptions, ScoreOptions
from mauve.cli.outputs import check_picture, report_measures, write_picture
from mauve.cli.render import print_result
from mauve.cli.render_explanation import unused_fields_note
from mauve.cli.terminal import collected_warnings, progress_bar, say
from mauve.cli.values import named_models
from mauve.comparison.results import Comparison
from mauve.embed.cached import RememberedEmbedder
from mauve.embed.registry import get_embedder
from mauve.lm.remembered import RememberedScorer
from mauve.lm.scorer import get_scorer
from mauve.measures.protocol import Need
from mauve.measures.registry import check_names, get_measures
from mauve.reports.page import check_report

_ALL_NEEDS: set[Need] = {
    "texts", "tokens", "log_probabilities", "features", "model", "training",
}  # fmt: skip


@with_flags
def compare_command(
    samples: SampleOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    score: ScoreOptions,
    inference: InferenceOptions,
    equivalence: EquivalenceOptions,
    added: AddedMeasures,
    measuring: MeasureOptions,
    explaining: MetadataOptions,
    output: CompareOutput,
) -> None:
    """Measure how far each system's texts are from human texts."""
    if output.plot is not None:
        check_picture(output.plot)
    if output.report is not None:
        check_report(output.report)
    elif explaining.metadata is not None:
        raise typer.BadParameter("--metadata is for --report, which is not given.")
    models = named_models(measuring.models)
    if added.measures is not None:
        check_names(added.measures)  # now, not after the comparison
    elif models or measuring.training is not None:
        raise typer.BadParameter("--model and --training are for --measures, which is not given.")
    inputs = read_inputs(samples)
    metadata = select_metadata(inputs, explaining.metadata)
    training = read_training(measuring.training, samples.field)
    embedder = make_embedder(embedding, inputs, samples.human)
    measures = added.measures
    if measures is None and output.report is not None:
        measures = report_measures(is_text=inputs.is_text)
    scorer = None
    if measures is not None and inputs.is_text:
        embedder = RememberedEmbedder(get_embedder(embedder))  # measures read the texts again
        if needs_language_model(measures):  # so does the explanation of a report
            scorer = RememberedScorer(get_scorer(measuring.language_model, device=embedding.device))
    device, cache = embedding.device, not embedding.no_cache
    with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
        comparison = mauve.compare(
            inputs.human,
            inputs.systems,
            embedder=embedder,
            prompts=inputs.prompts,
            device=device,
            cache=cache,
            on_progress=on_progress,
            **texts.keywords(),
            **score.keywords(),
            **inference.keywords(),
        )
        measured = explanation = None
        if measures is not None:
            measured = mauve.measure(
                inputs.human,
                inputs.systems,
                measures,
                tokenizer=measuring.tokenizer,
                language_model=scorer or measuring.language_model,
                embedder=embedder,
                models=models,
                training=training,
                prompts=inputs.prompts,
                confidence=inference.confidence,
                seed=inference.seed,
                device=device,
                cache=cache,
                comparison=comparison,
                on_progress=on_progress,
                **texts.keywords(),
            )
        if output.report is not None:
            explanation = mauve.explain(
                comparison,
                metadata=metadata,
                language_model=scorer,
                seed=inference.seed,
                device=device,
                on_progress=on_progress,
            )
    printed = None if added.measures is None else measured
    later = comparison.warnings  # printed last; the others are of the cache, say
    if measured is not None and printed is None:
        later += measured.warnings  # which the report has
    for message in messages:
        if message not in later:
            say("warning", message)
    if output.plot is not None:
        write_picture(comparison, output.plot)
    if output.report is not None and explanation is not None:
        comparison.to_html(output.report, explanation=explanation, measured=measured)
    if output.json:
        result = _as_dict(comparison, equivalence.margin)
        if printed is not None:
            result["measures"] = printed.to_dict()
        typer.echo(json.dumps(result, indent=2, allow_nan=False))
    elif output.markdown or output.latex:
        tables = (comparison,) if printed is None else (comparison, printed)
        typer.echo(
            "\n\n".join(t.to_markdown() if output.markdown else t.to_latex() for t in tables)
        )
    else:
        print_result(
            comparison, samples.human, printed, margin=equivalence.margin, quiet=output.quiet
        )
    if output.quiet:
        return
    for message in comparison.warnings:
        say("warning", message)
    if output.report is not None and explanation is not None:
        unread = inputs.unread if explaining.metadata is None else ()
        if note := unused_fields_note(explanation, unread):
            say("note", note)
        say("report", str(output.report))


def needs_language_model(measures: str) -> bool:
    """Return whether a language model is to read the texts.

    Examples
    --------
    >>> needs_language_model("zipf,default"), needs_language_model("text")
    (True, False)
    """
    return any(
        "log_probabilities" in measure.needs for measure in get_measures(measures, _ALL_NEEDS)
    )


def _as_dict(comparison: Comparison, margin: float | None) -> dict[str, Any]:
    """Return the comparison with the version, and the equivalence tests if there is a margin."""
    result = {"version": mauve.__version__, **comparison.to_dict()}
    if margin is not None:
        result["margin"] = margin
        for entry in result["results"]:
            entry["p_equivalence"] = comparison[entry["name"]].equivalence(margin)
        for entry, difference in zip(result["differences"], comparison.differences(), strict=True):
            entry["p_equivalence"] = difference.equivalence(margin)
    return result
