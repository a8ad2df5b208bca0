"""``mauve compare``: files of texts or features in, a table of scores out."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import mauve
from mauve.cli import comparing, embedding, explaining, measuring, samples
from mauve.cli.embedding import choice
from mauve.cli.files import PICTURES, check_picture, write_picture
from mauve.cli.tables import how_to_read, print_comparison
from mauve.cli.terminal import collected_warnings, new_console, progress_bar, say
from mauve.comparison.comparison import Comparison
from mauve.embed.cached import RememberedEmbedder
from mauve.embed.registry import get_embedder
from mauve.escape import escaped
from mauve.measures.registry import check_names
from mauve.measures.results import Measurements
from mauve.reports.page import check_report

_INTERVALS = ("influence", "bootstrap")


def print_result(
    comparison: Comparison,
    human: Path,
    *,
    measured: Measurements | None = None,
    margin: float | None = None,
    quiet: bool = False,
) -> None:
    """Print what a reader needs: tables, how to read them, recipe."""
    console = new_console()
    n_human = next(iter(comparison.values())).n_human
    if not quiet:
        console.print(f"against {n_human} human texts, {escaped(str(human))}", soft_wrap=True)
        console.print()
    print_comparison(console, comparison, margin)
    if measured is not None:
        console.print()
        measuring.print_measurements(console, measured)
    if quiet:
        return
    console.print()
    console.print(how_to_read(margin))
    signatures = [result.signature for result in comparison.values()]
    if measured is not None:
        console.print()
        console.print(measuring.how_to_read(measured, gaps=False))
        signatures.append(measured.signature)
    console.print()
    for signature in dict.fromkeys(signatures):
        console.print(f"signature: {escaped(signature)}", soft_wrap=True)


def _checked_plot(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in PICTURES:
        raise typer.BadParameter(
            f"'{escaped(str(path))}' must end in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}."
        )
    return path


def compare(
    human: samples.Human,
    systems: samples.Systems,
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
    interval: Annotated[
        str,
        choice(_INTERVALS, f"How the standard error is found: {', '.join(_INTERVALS)}."),
    ] = "influence",
    bootstrap: Annotated[
        int, typer.Option(metavar="N", min=20, help="Resamples, with --interval bootstrap.")
    ] = 200,
    permutations: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Permutations for p-value and ceiling; 0 leaves them out."
        ),
    ] = 1000,
    explained_variance: comparing.ExplainedVariance = 0.9,
    order: comparing.Order = "norm-pca",
    seed: samples.Seed = 0,
    device: comparing.Device = "auto",
    prompts: samples.PromptFile = None,
    by_prompt: samples.ByPrompt = False,
    measures: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help=f"Print other measures too: names with commas between them, "
            f"{measuring.GROUP_HELP}. See mauve measure --list.",
        ),
    ] = None,
    tokenizer: measuring.Tokenizer = "words",
    language_model: measuring.LanguageModel = "bundled",
    model: measuring.Models = None,
    training: measuring.Training = None,
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="DELTA",
            callback=samples.between_0_and_1,
            help="Add p-values for being within DELTA: of human text, and of each other.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=_checked_plot,
            help="Write the divergence curves to a .png, .svg or .pdf file.",
        ),
    ] = None,
    report: explaining.Report = None,
    metadata: explaining.MetadataFields = None,
    as_json: samples.AsJson = False,
    as_markdown: samples.AsMarkdown = False,
    as_latex: samples.AsLatex = False,
    quiet: samples.Quiet = False,
) -> None:
    """Measure how far each system's texts are from human texts."""
    samples.only_one(json=as_json, markdown=as_markdown, latex=as_latex)
    if plot is not None:
        check_picture(plot)
    if report is not None:
        check_report(report)
    elif metadata is not None:
        raise typer.BadParameter("--metadata is for --report, which is not given.")
    models = measuring.named_models(model)
    if measures is None and (model or training is not None):
        raise typer.BadParameter("--model and --training are for --measures, which is not given.")
    if measures is not None:
        check_names(measures)  # now, not after the comparison
    files = samples.read_files(human, systems, field=field, prompts=prompts, by_prompt=by_prompt)
    known = explaining.chosen_metadata(files, metadata)
    trained = measuring.read_training(training, field)
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
    to_measure = (
        explaining.report_measures(is_text=files.is_text)
        if report and measures is None
        else measures
    )
    if to_measure is not None and files.is_text:
        chosen = RememberedEmbedder(get_embedder(chosen))  # texts are read twice
    scorer = None
    if to_measure is not None and files.is_text and explaining.asks_for_perplexity(to_measure):
        scorer = explaining.remembered_scorer(language_model, device)  # and again for a report
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
            interval=interval,
            n_bootstrap=bootstrap,
            n_permutations=permutations,
            prompts=files.prompts,
            explained_variance=explained_variance,
            order=order,
            seed=seed,
            device=device,
            on_progress=on_progress,
        )
        measured = None
        if to_measure is not None:
            measured = mauve.measure(
                files.human,
                files.systems,
                to_measure,
                tokenizer=tokenizer,
                language_model=scorer or language_model,
                embedder=chosen,
                models=models,
                training=trained,
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
        explanation = None
        if report is not None:
            explanation = mauve.explain(
                comparison,
                metadata=known,
                language_model=scorer,
                seed=seed,
                device=device,
                on_progress=on_progress,
            )
    shown = measured if measures is not None else None
    last = comparison.warnings  # said last; the others are of the cache, say
    if measured is not None and shown is None:
        last += measured.warnings  # which the report has
    for message in said:
        if message not in last:
            say("warning", message)
    if plot is not None:
        write_picture(comparison, plot)
    if report is not None and explanation is not None:
        comparison.to_html(report, explanation=explanation, measured=measured)
    if as_json:
        found = _as_dict(comparison, margin)
        if shown is not None:
            found["measures"] = shown.to_dict()
        typer.echo(json.dumps(found, indent=2, allow_nan=False))
    elif as_markdown or as_latex:
        tables = (comparison,) if shown is None else (comparison, shown)
        parts = [own.to_markdown() if as_markdown else own.to_latex() for own in tables]
        typer.echo("\n\n".join(parts))
    else:
        print_result(comparison, human, measured=shown, margin=margin, quiet=quiet)
    if quiet:
        return
    for message in comparison.warnings:
        say("warning", message)
    if report is not None and explanation is not None:
        explaining.say_left_out(files, explanation, metadata)
        say("report", str(report))


def _as_dict(comparison: Comparison, margin: float | None) -> dict[str, Any]:
    """Return the comparison with the version, and with the equivalence tests if asked for."""
    found = {"version": mauve.__version__, **comparison.to_dict()}
    if margin is not None:
        found["margin"] = margin
        for result in found["results"]:
            result["p_equivalence"] = comparison[result["name"]].equivalence(margin)
        for entry, difference in zip(found["differences"], comparison.differences(), strict=True):
            entry["p_equivalence"] = difference.equivalence(margin)
    return found
