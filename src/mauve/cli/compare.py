"""``mauve compare``: files of texts or features in, a table of scores out."""

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer

import mauve
from mauve.cli import embedding, measuring, samples
from mauve.cli.embedding import choice
from mauve.cli.files import PICTURES, check_picture, write_picture
from mauve.cli.tables import how_to_read, print_comparison
from mauve.cli.terminal import (
    collected_warnings,
    new_console,
    progress_bar,
    say,
)
from mauve.embed.registry import get_embedder
from mauve.embed.remembered import RememberedEmbedder
from mauve.estimate import ESTIMATORS
from mauve.measures.registry import check_names
from mauve.measures.results import Measurements
from mauve.printable import printable
from mauve.quantize.reduce import ORDERS
from mauve.quantize.registry import QUANTIZERS
from mauve.results import Comparison

_INTERVALS = ("influence", "bootstrap")


def print_report(
    comparison: Comparison,
    human: Path,
    *,
    measured: Measurements | None = None,
    margin: float | None = None,
    quiet: bool = False,
) -> None:
    """Print what a reader needs: tables, how to read them, recipe, warnings."""
    console = new_console()
    n_human = next(iter(comparison.values())).n_human
    if not quiet:
        console.print(f"against {n_human} human texts, {printable(str(human))}", soft_wrap=True)
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
        console.print(f"signature: {printable(signature)}", soft_wrap=True)
    for message in comparison.warnings:
        say("warning", message)


def _buckets(value: str) -> int | str:
    if value == "auto":
        return value
    try:
        return int(value)
    except ValueError:
        raise typer.BadParameter(
            f"must be a whole number or 'auto'. Got '{printable(value)}' instead."
        ) from None


def _checked_buckets(value: str) -> str:
    return str(_buckets(value))


def _checked_plot(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in PICTURES:
        raise typer.BadParameter(
            f"'{printable(str(path))}' must end in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}."
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
    buckets: Annotated[
        str,
        typer.Option(
            metavar="K",
            callback=_checked_buckets,
            help="Number of cells, or 'auto': a tenth of the smallest sample, from 2 to 500; the "
            "nearest cube for drmm, 744 for lattice.",
        ),
    ] = "auto",
    quantizer: Annotated[
        str,
        choice(
            QUANTIZERS,
            f"What divides the features into cells: {', '.join(QUANTIZERS)}; the latter two are "
            "trained, and need torch.",
        ),
    ] = "kmeans",
    clusterings: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=5,
            help="Clusterings to average over, a multiple of 5; 40 by default, or 5 of a quantizer "
            "that is trained.",
        ),
    ] = None,
    scaling: Annotated[
        float,
        typer.Option(
            metavar="C",
            callback=samples.number("above 0", lambda x: 0 < x < math.inf),
            help="The constant c of the paper.",
        ),
    ] = 5.0,
    estimator: Annotated[
        str,
        choice(ESTIMATORS, f"How divergences are estimated from counts: {', '.join(ESTIMATORS)}."),
    ] = "jackknife",
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
    explained_variance: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            callback=samples.number("above 0 and at most 1", lambda x: 0 < x <= 1),
            help="Share of the variance that the principal components keep.",
        ),
    ] = 0.9,
    order: Annotated[
        str,
        choice(ORDERS, f"Unit length before the projection or after it: {', '.join(ORDERS)}."),
    ] = "norm-pca",
    seed: samples.Seed = 0,
    device: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="'auto' embeds on the GPUs that are there and clusters on the CPU; 'cpu', or a "
            "torch device such as 'cuda', does both there. The bundled model stays on the CPU.",
        ),
    ] = "auto",
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
    as_json: samples.AsJson = False,
    quiet: samples.Quiet = False,
) -> None:
    """Measure how far each system's texts are from human texts."""
    if plot is not None:
        check_picture(plot)
    models = measuring.named_models(model)
    if measures is None and (model or training is not None):
        raise typer.BadParameter("--model and --training are for --measures, which is not given.")
    if measures is not None:
        check_names(measures)  # now, not after the comparison
    files = samples.read_files(human, systems, field=field, prompts=prompts, by_prompt=by_prompt)
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
    if measures is not None and files.is_text:
        chosen = RememberedEmbedder(get_embedder(chosen))  # texts are read twice
    with collected_warnings() as said, progress_bar(not quiet) as on_progress:
        comparison = mauve.compare(
            files.human,
            files.systems,
            embedder=chosen,
            cache=not no_cache,
            strip=strip,
            match_length=match_length,
            empty=empty,
            num_buckets=_buckets(buckets),
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
        if measures is not None:
            measured = mauve.measure(
                files.human,
                files.systems,
                measures,
                tokenizer=tokenizer,
                language_model=language_model,
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
    for message in said:
        if message not in comparison.warnings:  # of the cache, say; the others come last
            say("warning", message)
    if plot is not None:
        write_picture(comparison, plot)
    if as_json:
        found = _as_dict(comparison, margin)
        if measured is not None:
            found["measures"] = measured.to_dict()
        typer.echo(json.dumps(found, indent=2, allow_nan=False))
        if not quiet:
            for message in comparison.warnings:
                say("warning", message)
    else:
        print_report(comparison, human, measured=measured, margin=margin, quiet=quiet)


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
