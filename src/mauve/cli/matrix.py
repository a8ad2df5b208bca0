"""``mauve matrix``: every sample against every other."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

import mauve
from mauve.cli.inputs import make_embedder, read_inputs, text_keywords
from mauve.cli.option_groups import OptionGroup, with_flags
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_output import FormatOptions
from mauve.cli.options_score import ConfidenceOptions
from mauve.cli.outputs import check_distinct, check_output, check_picture, write_figure
from mauve.cli.render import print_table
from mauve.cli.terminal import collected_warnings, new_console, printing, say, say_warnings
from mauve.cli.values import at_least, path_ending_in
from mauve.comparison.matrices import score_matrix
from mauve.comparison.matrix_results import Matrix
from mauve.plots.matrix import plot_matrix
from mauve.progress import progress_bar
from mauve.reports.matrix import write_matrix
from mauve.reports.page import check_report

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class MatrixOptions(OptionGroup):
    """What ``mauve matrix`` computes and draws."""

    panel = "Score"

    splits: Annotated[
        int,
        typer.Option(
            metavar="N",
            callback=at_least(2, "one division shows no spread"),
            help="Random halves of the human texts to score against each other: the score that "
            "texts of one source reach.",
        ),
    ] = 20
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the scores as a heat map with a tree: .png, .svg or .pdf.",
        ),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=path_ending_in(".html"),
            help="Write the heat map, every score with its interval and the signature to a .html "
            "file.",
        ),
    ] = None


@with_flags
def matrix_command(
    samples: SampleOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    inference: ConfidenceOptions,
    matrix: MatrixOptions,
    output: FormatOptions,
) -> None:
    """Score every sample against every other: who writes like whom."""
    check_distinct(plot=matrix.plot, report=matrix.report)
    if matrix.plot is not None:
        check_picture(matrix.plot)
        check_output(matrix.plot, samples.human, samples.systems)
    if matrix.report is not None:
        check_report(matrix.report)
    inputs = read_inputs(samples)
    embedder = make_embedder(embedding, inputs, samples.human)
    keywords = text_keywords(texts, inputs)
    keywords.pop("unreadable", None)
    with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
        result = score_matrix(
            inputs.human,
            inputs.systems,
            embedder=embedder,
            prompts=inputs.prompts,
            n_splits=matrix.splits,
            device=embedding.device,
            cache=not embedding.no_cache,
            progress=on_progress,
            **keywords,
            **inference.keywords(),
        )
    with printing():
        if output.json:
            as_dict = {"version": mauve.__version__, **result.to_dict()}
            typer.echo(json.dumps(as_dict, indent=2, allow_nan=False))
        elif output.markdown:
            typer.echo(result.to_markdown())
        elif output.latex:
            typer.echo(result.to_latex())
        else:
            _print_matrix(result, quiet=output.quiet)
    say_warnings(messages)
    if matrix.plot is not None:
        write_figure(cast("Figure", plot_matrix(result).figure), matrix.plot)
        if not output.quiet:
            say("plot", str(matrix.plot))
    if matrix.report is not None:
        write_matrix(result, matrix.report)
        if not output.quiet:
            say("report", str(matrix.report))


def _print_matrix(result: Matrix, *, quiet: bool) -> None:
    console = new_console()
    titles, rows = result.rows()
    print_table(
        console,
        ["sample"],
        [([row[0]], dict(zip(titles[1:], row[1:], strict=True))) for row in rows],
    )
    console.print()
    for sentence in result.sentences():
        console.print(sentence, highlight=False, markup=False)
    if not quiet:
        console.print()
        console.print(
            f"MAUVE of each two samples in {result.num_buckets} buckets of all samples together; "
            "that of human text with itself is of its halves. Scores depend on the other samples: "
            "compare them with each other alone.",
            highlight=False,
            markup=False,
        )
