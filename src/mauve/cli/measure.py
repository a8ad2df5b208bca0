"""``mauve measure``: files of texts in, a table of comparison measures out."""

import json
from pathlib import Path
from typing import Annotated

import typer

import mauve
from mauve.cli import embedding, measuring, samples
from mauve.cli.terminal import collected_warnings, new_console, progress_bar, say
from mauve.escape import escaped
from mauve.measures.registry import MEASURES
from mauve.measures.results import Measurements


def _print_list(wanted: bool) -> None:
    if not wanted:
        return
    words = {
        "higher": "higher is better",
        "lower": "lower is better",
        "human": "nearest to human",
    }
    for name, measure in MEASURES.items():
        extra = f" (needs mauve-eval[{measure.extra}])" if measure.extra else ""
        typer.echo(f"{name:20} {words[measure.direction]:20} {measure.summary}{extra}")
    raise typer.Exit


def measure(
    systems: samples.Systems,
    human: Annotated[Path, typer.Option("--human", metavar="HUMAN", help=samples.HUMAN_HELP)],
    measures: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"Names of measures with commas between them, {measuring.GROUP_HELP}. "
            "--list shows all measures.",
        ),
    ] = "default",
    list_all: Annotated[
        bool,
        typer.Option("--list", callback=_print_list, is_eager=True, help="List all measures."),
    ] = False,
    gaps: measuring.Gaps = False,
    tokenizer: measuring.Tokenizer = "words",
    language_model: measuring.LanguageModel = "bundled",
    model: measuring.Models = None,
    training: measuring.Training = None,
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
    prompts: samples.PromptFile = None,
    by_prompt: samples.ByPrompt = False,
    prompt_context: measuring.PromptContext = False,
    confidence: samples.Confidence = 0.95,
    seed: samples.Seed = 0,
    device: Annotated[
        str, typer.Option(metavar="NAME", help="'auto', 'cpu', or a torch device such as 'cuda'.")
    ] = "auto",
    as_json: samples.AsJson = False,
    as_markdown: samples.AsMarkdown = False,
    as_latex: Annotated[
        bool, typer.Option("--latex", help="Print a LaTeX table in the paper's layout.")
    ] = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print one line for each system and measure.")
    ] = False,
    quiet: samples.Quiet = False,
) -> None:
    """Measure texts by many measures, with human text in a row of its own."""
    samples.only_one(json=as_json, markdown=as_markdown, latex=as_latex, csv=as_csv)
    models = measuring.named_models(model)
    files = samples.read_files(human, systems, field=field, prompts=prompts, by_prompt=by_prompt)
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
    with collected_warnings() as said, progress_bar(not quiet) as on_progress:
        found = mauve.measure(
            files.human,
            files.systems,
            measures,
            tokenizer=tokenizer,
            language_model=language_model,
            embedder=chosen,
            models=models,
            training=measuring.read_training(training, field),
            prompts=files.prompts,
            prompt_context=prompt_context,
            confidence=confidence,
            cache=not no_cache,
            strip=strip,
            match_length=match_length,
            empty=empty,
            seed=seed,
            device=device,
            on_progress=on_progress,
        )
    if as_json:
        whole = {"version": mauve.__version__, **found.to_dict()}
        typer.echo(json.dumps(whole, indent=2, allow_nan=False))
    elif as_markdown:
        typer.echo(found.to_markdown(gaps=gaps))
    elif as_latex:
        typer.echo(found.to_latex(gaps=gaps))
    elif as_csv:
        typer.echo(found.to_csv(), nl=False)
    else:
        _print(found, human, gaps=gaps, quiet=quiet)
    if not quiet:
        for message in said:
            say("warning", message)


def _print(found: Measurements, human: Path, *, gaps: bool, quiet: bool) -> None:
    console = new_console()
    if not quiet:
        n = found.n_texts[found.human_name]
        console.print(f"{n} human texts, {escaped(str(human))}", soft_wrap=True)
        console.print()
    measuring.print_measurements(console, found, gaps=gaps)
    if not quiet:
        console.print()
        console.print(measuring.how_to_read(found, gaps=gaps))
        console.print()
        console.print(f"signature: {escaped(found.signature)}", soft_wrap=True)
