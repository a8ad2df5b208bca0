"""``mauve experiment table``, ``plot``, ``export`` and ``correlate``: what an experiment found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mauve.cli.option_groups import PanelCommand
from mauve.cli.outputs import check_picture
from mauve.cli.render import print_table
from mauve.cli.terminal import new_console, one_line_errors, printing, say, say_warnings
from mauve.cli.values import one_of
from mauve.escape import escaped, listed
from mauve.experiment.cell_names import level_name
from mauve.experiment.correlations import Correlations, correlate
from mauve.experiment.export import export_experiment
from mauve.experiment.figures import FIGURES, draw_figure
from mauve.experiment.outside import OutsideScores, read_outside
from mauve.experiment.results import DIMENSIONS, ExperimentResults, read_results
from mauve.experiment.tables import ResultsTable
from mauve.experiment.tabulation import ALL, COLUMNS, MEASURE, make_table
from mauve.plots.figures import SUFFIXES, write_figure
from mauve.tables import cell_width, fitting_columns

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="What mauve experiment run writes.")]
Measures = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Names of measures with commas between them."),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Show only these rows: model=small, length=64, or length=all. May be repeated.",
    ),
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print LaTeX for the package booktabs.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV with all digits.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
Scores = Annotated[
    Path | None,
    typer.Option(
        "--scores",
        metavar="FILE",
        help="CSV or JSON with scores of settings from outside, such as those of people: "
        "columns 'model', 'decoder', and one for each score.",
    ),
]
Lower = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Scores of --scores of which lower is better, with commas."),
]


def table_command(
    folder: Folder,
    measures: Measures = None,
    columns: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            callback=one_of(COLUMNS),
            help=f"What has a column each: {', '.join(COLUMNS)}.",
        ),
    ] = MEASURE,
    gaps: Annotated[
        bool, typer.Option("--gaps", help="Show |T(Q) - T(P)| of statistics in place of T(Q).")
    ] = False,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="With --latex: a row for each measure.")
    ] = False,
    where: Where = None,
    markdown: Markdown = False,
    latex: Latex = False,
    csv: Csv = False,
    as_json: AsJson = False,
) -> None:
    """Print a table: means over seeds with their standard deviation, the best marked."""
    _check_one(markdown=markdown, latex=latex, csv=csv, json=as_json)
    if transpose and not latex:
        raise typer.BadParameter("--transpose needs --latex: give both.")
    results = read_results(folder)
    table = make_table(
        results, _names(measures), columns=columns, gaps=gaps, levels=_levels(results, where)
    )
    with printing():
        if latex:
            typer.echo(table.to_latex(transposed=transpose))
        else:
            _print(table, markdown, csv, as_json)
    if not as_json:
        say_warnings(table.warnings)


def plot_command(
    folder: Folder,
    figure: Annotated[
        str,
        typer.Argument(
            metavar="FIGURE", callback=one_of(FIGURES), help=f"One of {', '.join(FIGURES)}."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help=f"A file: {', '.join(SUFFIXES)}.")
    ],
    measures: Measures = None,
    where: Where = None,
) -> None:
    """Draw a figure of an experiment, readable in grey."""
    check_picture(out)
    results = read_results(folder)
    drawn = draw_figure(results, figure, _names(measures), levels=_levels(results, where))
    write_figure(drawn, out)


def export_command(
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where to write.")],
    picture: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            callback=one_of(["pdf", "png", "svg"]),
            help="Format of figures: pdf, png or svg.",
        ),
    ] = "pdf",
    scores: Scores = None,
    lower: Lower = None,
) -> None:
    """Write all tables and figures of an experiment into a folder, with an index."""
    results = read_results(folder)
    exported = export_experiment(
        results, out, picture=f".{picture}", scores=_outside(scores, lower)
    )
    for name, why in exported.left_out.items():
        say("note", f"no {name}: {why}")
    say("note", f"{len(exported.files)} files are in {out}, listed in {out / 'index.md'}")


def correlate_command(
    folder: Folder,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A measure, a dimension such as 'embedder', or a score of --scores.",
        ),
    ] = None,
    measures: Measures = None,
    scores: Scores = None,
    lower: Lower = None,
    where: Where = None,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Level of the intervals.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(metavar="SEED", min=0, help="Random seed.")] = 0,
    markdown: Markdown = False,
    latex: Latex = False,
    csv: Csv = False,
    as_json: AsJson = False,
) -> None:
    """Print Spearman's correlations over settings, with p-values and intervals.

    Without options, of every measure with MAUVE; with --scores, with those from outside.
    """
    _check_one(markdown=markdown, latex=latex, csv=csv, json=as_json)
    results = read_results(folder)
    found = correlate(
        results, against, measures=_names(measures), scores=_outside(scores, lower),
        levels=_levels(results, where), confidence=confidence, seed=seed,
    )  # fmt: skip
    with printing():
        if latex:
            typer.echo(found.to_latex())
        else:
            _print(found, markdown, csv, as_json)
    if not as_json:
        say_warnings(found.warnings)


def add_result_commands(experiment: typer.Typer) -> None:
    """Add the commands of this module to those of ``mauve experiment``."""
    commands: dict[str, Callable[..., None]] = {
        "table": table_command,
        "plot": plot_command,
        "export": export_command,
        "correlate": correlate_command,
    }
    for name, command in commands.items():
        experiment.command(name, cls=PanelCommand)(one_line_errors(command))


def _print(table: ResultsTable | Correlations, markdown: bool, csv: bool, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(table.to_dict(), indent=2, allow_nan=False))
    elif csv:
        typer.echo(table.to_csv(), nl=False)
    elif markdown:
        typer.echo(table.to_markdown())
    elif isinstance(table, ResultsTable):
        _print_results(table)
    else:
        titles, cells = table.titles_and_cells()
        rows = [(line[:2], dict(zip(titles[2:], line[2:], strict=True))) for line in cells]
        print_table(new_console(), titles[:2], rows)


def _print_results(table: ResultsTable) -> None:
    """Print as many tables as it takes for all columns to fit the terminal."""
    console = new_console()
    columns = {column.heading: [*map(str, column.cells)] for column in table.columns}
    names = ["  ".join(name) for name in table.names]
    widths = [max(map(cell_width, column)) for column in zip(*table.names, strict=True)]
    # Columns of names share what the numbers leave equally, so the widest needs as much of it.
    width = console.width - (len(widths) * max(widths) - sum(widths))
    for i, titles in enumerate(fitting_columns(width, names, columns)):
        if i:
            console.print()
        rows = [
            ([*name], {title: columns[title][row] for title in titles})
            for row, name in enumerate(table.names)
        ]
        print_table(console, [*map(table.title, table.headings)], rows)
    console.print()
    console.print(table.caption)


def _names(measures: str | None) -> list[str] | None:
    return None if measures is None else [name.strip() for name in measures.split(",")]


def _outside(scores: Path | None, lower: str | None) -> OutsideScores | None:
    if scores is None:
        if lower is not None:
            raise typer.BadParameter("--lower needs --scores: give both.")
        return None
    return read_outside(scores, lower=_names(lower) or ())


def _check_one(**given: bool) -> None:
    chosen = [f"--{name}" for name, is_given in given.items() if is_given]
    if len(chosen) > 1:
        raise typer.BadParameter(f"{' and '.join(chosen)} are different formats: give one.")


def _levels(results: ExperimentResults, where: list[str] | None) -> dict[str, Any]:
    """Return the levels that --where names; those of one dimension are alternatives."""
    levels: dict[str, list[Any]] = {}
    for item in where or ():
        name, equals, text = item.partition("=")
        if not equals or name not in DIMENSIONS:
            raise typer.BadParameter(
                f"--where must be NAME=VALUE with a name among {', '.join(DIMENSIONS)}. Got "
                f"'{escaped(item)}'."
            )
        if text == ALL:
            levels[name] = results.levels(name)
            continue
        known = {level_name(name, level): level for level in results.levels(name)}
        if text not in known:
            raise typer.BadParameter(
                f"--where {escaped(item)} selects nothing: {name} has {listed([*known])}."
            )
        levels.setdefault(name, []).append(known[text])
    return dict(levels)
