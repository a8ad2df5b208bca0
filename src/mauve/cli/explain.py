"""``mauve explain``: files of texts or features in, what makes the difference out."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.rule import Rule

import mauve
from mauve import tables
from mauve.cli import comparing, embedding, explaining, samples
from mauve.cli.explained import how_to_read, print_fields, print_lines, print_system
from mauve.cli.terminal import collected_warnings, new_console, progress_bar, say
from mauve.comparison.results import Comparison
from mauve.embed.cached import RememberedEmbedder
from mauve.embed.registry import get_embedder
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.explanation.clusters import check_clusters
from mauve.explanation.differing import least_permutations
from mauve.explanation.results import Explanation
from mauve.reports.page import check_report

_KEPT_TEXTS = 5  # of either side of a cluster, for the report and for JSON


def explain(
    human: samples.Human,
    systems: samples.Systems,
    clusters: Annotated[
        str,
        typer.Option(
            metavar="K",
            callback=comparing.checked_number,
            help="Clusters to tell the gap by, or 'auto': up to 30, fewer where there are few "
            "texts.",
        ),
    ] = "auto",
    mixture: Annotated[
        float,
        typer.Option(
            metavar="LAMBDA",
            callback=samples.between_0_and_1,
            help="Weight of people in the mixture R that both sides are held against.",
        ),
    ] = 0.5,
    metadata: explaining.MetadataFields = None,
    language_model: Annotated[
        str | None,
        typer.Option(
            "--lm",
            metavar="NAME",
            help="Add the perplexity of each cluster: 'bundled', or a causal Transformers model "
            "on the hub or in a folder.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="N", min=0, help="Clusters of each kind to describe.")
    ] = 3,
    examples: Annotated[
        int, typer.Option(metavar="N", min=0, help="Texts of either side to show of each cluster.")
    ] = 1,
    texts: explaining.Texts = None,
    report: explaining.Report = None,
    embedder: embedding.EmbedderName = "bundled",
    pooling: embedding.Pooling = None,
    layer: embedding.Layer = None,
    max_length: embedding.MaxLength = None,
    dtype: embedding.Dtype = None,
    revision: embedding.Revision = None,
    field: embedding.Field = "text",
    strip: embedding.Strip = False,
    match_length: samples.MatchLength = False,
    empty: embedding.Empty = "error",
    no_cache: embedding.NoCache = False,
    buckets: comparing.Buckets = "auto",
    quantizer: comparing.Quantizer = "kmeans",
    clusterings: comparing.Clusterings = None,
    scaling: comparing.Scaling = 5.0,
    estimator: comparing.Estimator = "jackknife",
    confidence: samples.Confidence = 0.95,
    permutations: Annotated[
        int,
        typer.Option(metavar="N", min=100, help="Permutations for the p-values."),
    ] = 1000,
    explained_variance: comparing.ExplainedVariance = 0.9,
    order: comparing.Order = "norm-pca",
    seed: samples.Seed = 0,
    device: comparing.Device = "auto",
    prompts: samples.PromptFile = None,
    by_prompt: samples.ByPrompt = False,
    as_json: samples.AsJson = False,
    as_markdown: samples.AsMarkdown = False,
    as_latex: samples.AsLatex = False,
    quiet: samples.Quiet = False,
) -> None:
    """Say what a system writes too much of, too little of, or otherwise than people.

    Splits the gap between the system's texts and human ones over clusters of texts, and tests
    which of them differ. Shows their words, metadata and texts, and the single texts that
    tell most.
    """
    samples.only_one(json=as_json, markdown=as_markdown, latex=as_latex)
    if permutations < least_permutations(confidence):
        raise typer.BadParameter(
            f"--permutations must be at least {least_permutations(confidence)} with --confidence "
            f"{confidence:g}. Got {permutations} instead."
        )
    if texts is not None:
        samples.check_output(texts, human, systems)
    if report is not None:
        check_report(report)
    files = samples.read_files(human, systems, field=field, prompts=prompts, by_prompt=by_prompt)
    wanted_clusters = comparing.number_or_auto(clusters)
    if files.n_texts is not None:  # else it is checked when the features are read
        check_clusters(wanted_clusters, files.n_texts)
    known = explaining.chosen_metadata(files, metadata)
    chosen = samples.chosen_embedder(
        files,
        human,
        embedder,
        pooling=pooling,
        layer=layer,
        max_length=max_length,
        dtype=dtype,
        device=device,
        revision=revision,
    )
    if report is not None and files.is_text:
        chosen = RememberedEmbedder(get_embedder(chosen))  # texts are read twice
    scorer = None
    if language_model is not None:
        if not files.is_text:
            raise InvalidParameterError(
                f"'{human}' holds features, which no language model reads: leave out --lm."
            )
        scorer = explaining.remembered_scorer(language_model, device)  # the same
    with collected_warnings() as said, progress_bar(not quiet) as on_progress:
        comparison = mauve.compare(
            files.human,
            files.systems,
            embedder=chosen,
            cache=not no_cache,
            strip=strip,
            match_length=match_length,
            empty=empty,
            num_buckets=comparing.number_or_auto(buckets),
            n_clusterings=clusterings,
            quantizer=quantizer,
            scaling=scaling,
            estimator=estimator,
            confidence=confidence,
            n_permutations=permutations,
            prompts=files.prompts,
            explained_variance=explained_variance,
            order=order,
            seed=seed,
            device=device,
            on_progress=on_progress,
        )
        explanation = mauve.explain(
            comparison,
            n_clusters=wanted_clusters,
            mixture=mixture,
            metadata=known,
            language_model=scorer,
            n_texts=max(examples, _KEPT_TEXTS),
            n_permutations=permutations,
            seed=seed,
            device=device,
            on_progress=on_progress,
        )
        measured = None
        if report is not None:
            wanted = explaining.report_measures(is_text=files.is_text)
            measured = mauve.measure(
                files.human,
                files.systems,
                wanted if scorer is None else f"perplexity,{wanted}",
                language_model=scorer or "bundled",
                embedder=chosen,
                prompts=files.prompts,
                confidence=confidence,
                cache=not no_cache,
                strip=strip,
                match_length=match_length,
                empty=empty,
                seed=seed,
                device=device,
                comparison=comparison,
                on_progress=on_progress,
            )
    if texts is not None:
        explanation.to_jsonl(texts)
    if report is not None:
        comparison.to_html(report, explanation=explanation, measured=measured)
    if as_json:
        found = {"version": mauve.__version__, **comparison.to_dict()}
        found["explanation"] = explanation.to_dict()
        typer.echo(json.dumps(found, indent=2, allow_nan=False))
    elif as_markdown or as_latex:
        typer.echo(_tables(explanation, comparison.rank(), as_markdown=as_markdown))
    else:
        _print(comparison, explanation, human, top=top, examples=examples, quiet=quiet)
    if quiet:
        return
    for message in said:
        if measured is None or message not in measured.warnings:  # which the report has
            say("warning", message)
    explaining.say_left_out(files, explanation, metadata)
    for kind, path in (("texts", texts), ("report", report)):
        if path is not None:
            say(kind, str(path))


def _tables(explanation: Explanation, names: list[str], *, as_markdown: bool) -> str:
    """Return a table for each system, with its name above."""
    if as_markdown:
        parts = [
            f"## {tables.markdown_escaped(n)}\n\n{explanation[n].to_markdown()}" for n in names
        ]
    else:  # the name in a comment, of which there is one line
        parts = [f"% {escaped(n)}\n{explanation[n].to_latex()}" for n in names]
    return "\n\n".join(parts)


def _print(
    comparison: Comparison,
    explanation: Explanation,
    human: Path,
    *,
    top: int,
    examples: int,
    quiet: bool,
) -> None:
    console = new_console()
    width = console.width
    if not quiet:
        n_human = explanation.sizes[explanation.human_name]
        console.print(f"against {n_human} human texts, {escaped(str(human))}", soft_wrap=True)
        console.print()
    for i, name in enumerate(comparison.rank()):
        if i:
            console.print()
            console.print(Rule(style="none"))
        print_system(
            console, comparison[name], explanation[name], top=top, examples=examples, quiet=quiet
        )
        console.width = width
    if explanation.fields:
        console.print()
        print_fields(console, explanation)
    if quiet:
        return
    console.print()
    reading = how_to_read(explanation, has_texts=comparison.compared.texts is not None)
    print_lines(console, reading, width)
    console.print()
    for signature in dict.fromkeys(result.signature for result in comparison.values()):
        console.print(f"signature: {escaped(signature)}", soft_wrap=True)
