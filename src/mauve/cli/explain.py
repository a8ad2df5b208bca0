"""``mauve explain``: what makes systems differ from human text."""

import json

import typer

import mauve
from mauve import tables
from mauve.cli.inputs import (
    make_embedder,
    metadata_fields,
    read_inputs,
    select_metadata,
    text_keywords,
)
from mauve.cli.option_groups import with_flags
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_output import ExplainOutput, ExplanationOptions
from mauve.cli.options_score import PermutationOptions, ScoreOptions
from mauve.cli.outputs import check_output
from mauve.cli.render_explanation import print_explanation, unused_fields_note
from mauve.cli.terminal import collected_warnings, printing, say, say_warnings, warnings_as_lines
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.explanation.clusters import check_clusters
from mauve.explanation.differing import least_permutations
from mauve.explanation.results import Explanation
from mauve.lm.scorer import RememberedScorer, get_scorer
from mauve.progress import progress_bar
from mauve.reports.page import check_report
from mauve.reports.run import FEATURE_MEASURES, TEXT_MEASURES, report_comparison


@with_flags
def explain_command(
    samples: SampleOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    score: ScoreOptions,
    inference: PermutationOptions,
    explaining: ExplanationOptions,
    output: ExplainOutput,
) -> None:
    """Show what a system writes too much, too little or differently.

    Splits the divergence between the system's texts and human texts over clusters of texts,
    and tests which clusters differ. Shows their words, metadata and example texts, and the
    texts that differ most from the other sample.
    """
    fewest = least_permutations(inference.confidence)
    if inference.n_permutations < fewest:
        raise typer.BadParameter(
            f"--n-permutations must be at least {fewest} with --confidence "
            f"{inference.confidence:g}. Got {inference.n_permutations} instead."
        )
    if output.texts is not None:
        check_output(output.texts, samples.human, samples.systems)
    if output.report is not None:
        check_report(output.report)
    inputs = read_inputs(samples)
    check_clusters(explaining.n_clusters, inputs.n_texts(texts.limit))
    fields = metadata_fields(inputs, explaining.metadata)
    embedder = make_embedder(embedding, inputs, samples.human)
    scorer = None
    if explaining.language_model is not None:
        if not inputs.is_text:
            raise InvalidParameterError(
                f"'{samples.human}' holds features, which no language model reads: leave out "
                "--language-model."
            )
        scorer = RememberedScorer(get_scorer(explaining.language_model, device=embedding.device))
    with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
        comparison = mauve.compare(
            inputs.human,
            inputs.systems,
            embedder=embedder,
            prompts=inputs.prompts,
            device=embedding.device,
            cache=not embedding.no_cache,
            progress=on_progress,
            **text_keywords(texts, inputs),
            **score.keywords(),
            **inference.keywords(),
        )
        explanation = mauve.explain(
            comparison,
            n_clusters=explaining.n_clusters,
            mixture=explaining.mixture,
            metadata=select_metadata(comparison.compared.samples, fields),
            language_model=scorer,
            n_texts=max(explaining.n_texts, output.examples),
            n_permutations=inference.n_permutations,
            seed=inference.seed,
            device=embedding.device,
            progress=on_progress,
        )
    say_warnings(comparison.reading_warnings)  # above the tables, which they put in doubt
    with printing():
        if output.json:
            result = {"version": mauve.__version__, **comparison.to_dict()}
            result["explanation"] = explanation.to_dict()
            typer.echo(json.dumps(result, indent=2, allow_nan=False))
        elif output.markdown or output.latex:
            typer.echo(_tables(explanation, comparison.rank(), as_markdown=output.markdown))
        else:
            print_explanation(
                comparison,
                explanation,
                samples.human,
                top=output.top,
                examples=output.examples,
                quiet=output.quiet,
            )
    say_warnings(message for message in messages if message not in comparison.reading_warnings)
    if output.texts is not None:
        explanation.to_jsonl(output.texts)
    if output.report is not None:
        measures = TEXT_MEASURES if inputs.is_text else FEATURE_MEASURES
        with warnings_as_lines(*messages), progress_bar(not output.quiet) as on_progress:
            report_comparison(
                comparison,
                output.report,
                explanation=explanation,
                measures=measures if scorer is None else f"perplexity,{measures}",
                ladder=not output.no_ladder,
                language_model=scorer,
                device=embedding.device,
                progress=on_progress,
            )
    if output.quiet:
        return
    if note := inputs.limit_note(texts.limit):
        say("note", note)
    unread = inputs.unread if explaining.metadata is None else ()
    if note := unused_fields_note(explanation, unread):
        say("note", note)
    for kind, path in (("texts", output.texts), ("report", output.report)):
        if path is not None:
            say(kind, str(path))


def _tables(explanation: Explanation, names: list[str], *, as_markdown: bool) -> str:
    """Return a table for each system, with its name above."""
    if as_markdown:
        parts = [
            f"## {tables.markdown_escaped(name)}\n\n{explanation[name].to_markdown()}"
            for name in names
        ]
    else:  # the name in a comment of one line
        parts = [f"% {escaped(name)}\n{explanation[name].to_latex()}" for name in names]
    return "\n\n".join(parts)
