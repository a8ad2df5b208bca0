"""mauve experiment: models, decoders, seeds and lengths in a grid, from one config file."""

import json
from pathlib import Path
from typing import Annotated, cast

import typer

from mauve.cli.experiment_results import add_result_commands
from mauve.cli.option_groups import PanelCommand, SummaryGroup, choice
from mauve.cli.terminal import (
    new_console,
    one_line_errors,
    printing,
    say,
    warnings_as_lines,
)
from mauve.escape import escaped
from mauve.experiment.example import write_example
from mauve.experiment.run import STEP_ENGINES, StepEngine, run_experiment
from mauve.experiment.status import experiment_status
from mauve.experiment.trace import TracedRow, record_line, settings_line, show_cell
from mauve.formatting import format_interval, format_seconds
from mauve.progress import progress_bar

experiment_commands = typer.Typer(
    name="experiment",
    cls=SummaryGroup,
    help="Run models, decoders, seeds and lengths as one experiment.",
    rich_markup_mode=None,
)

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="What mauve experiment run writes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no notes.")]


@experiment_commands.callback(invoke_without_command=True)
def _without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@experiment_commands.command(cls=PanelCommand)
@one_line_errors
def example(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to write; made if it is not there.")
    ],
) -> None:
    """Write a small config and its texts into a folder, to start from."""
    config = write_example(folder)
    with printing():
        typer.echo(escaped(str(config)))
    say("note", f"run it: mauve experiment run {config} --out {folder / 'run'}")


@experiment_commands.command(cls=PanelCommand)
@one_line_errors
def run(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The experiment, a TOML file.")],
    folder: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where everything is kept.")
    ],
    device: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where to compute: 'auto' takes the GPUs that are there; 'cpu', or torch devices "
            "such as 'cuda:0,cuda:1'.",
        ),
    ] = "auto",
    engine: Annotated[
        str,
        choice(
            STEP_ENGINES,
            "What does the steps: 'process', this one; 'ray', a cluster, each step as a task.",
        ),
    ] = "process",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Ray cluster: 'auto', HOST:PORT or ray://HOST:PORT, whose machines all see FOLDER "
            "and the files of CONFIG. By default --engine ray starts Ray on this machine.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Steps that Ray on this machine does at once; one for each core by default.",
        ),
    ] = None,
    gpus: Annotated[
        float, typer.Option(metavar="N", min=0.0, help="GPUs of each step on Ray, such as 1.")
    ] = 0.0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Do the steps of an experiment that are not done yet.

    The same command again continues where it was stopped, a changed config computes only what
    depends on the change, and several processes may run it at once.
    """
    with warnings_as_lines(), progress_bar(not quiet) as on_progress:
        finished = run_experiment(
            config,
            folder,
            device=device,
            engine=cast(StepEngine, engine),
            address=address,
            workers=workers,
            gpus=gpus,
            progress=on_progress,
        )
    if as_json:
        with printing():
            typer.echo(json.dumps(finished.results.to_dict(), indent=1, allow_nan=False))
    elif not quiet:
        say("note", f"{finished.summary}, in {format_seconds(finished.seconds)}")
        say("note", f"results are in {folder / 'results.json'}")


@experiment_commands.command(cls=PanelCommand)
@one_line_errors
def status(folder: Folder, as_json: AsJson = False) -> None:
    """Show how many steps are done, and which are being done by whom."""
    found = experiment_status(folder)
    with printing():
        if as_json:
            typer.echo(json.dumps(found.to_dict(), indent=1))
            return
        console = new_console()
        console.print(found.table(), soft_wrap=True)
        console.print()
        console.print(found.summary, soft_wrap=True)
        for each in found.kinds:
            for step in each.running:
                console.print(f"running: {escaped(step)}", soft_wrap=True)
        for step in found.missing:
            console.print(f"files are missing, to {escaped(step)}", soft_wrap=True)


@experiment_commands.command(cls=PanelCommand)
@one_line_errors
def show(
    folder: Folder,
    cell: Annotated[
        str,
        typer.Argument(
            metavar="CELL",
            help="Parts of its name with slashes between them, each NAME=VALUE or a value alone: "
            "small/greedy/64/mauve, or model=small/length=64/measure=zipf.",
        ),
    ],
    n_texts: Annotated[
        int, typer.Option("-n", "--n", metavar="N", min=0, help="Texts to print of each row.")
    ] = 3,
    as_json: AsJson = False,
) -> None:
    """Print what is behind a cell of a table: its texts, settings and steps."""
    rows = show_cell(folder, cell, n_texts=n_texts)
    with printing():
        if as_json:
            typer.echo(json.dumps([row.to_dict() for row in rows], indent=1, allow_nan=False))
            return
        for i, row in enumerate(rows):
            if i:
                typer.echo()
            _print_row(row)


def _print_row(row: TracedRow) -> None:
    console = new_console()

    def line(text: str) -> None:
        console.print(escaped(text), soft_wrap=True)

    setting = row.row.setting.without()
    line(" ".join(f"{name}={value}" for name, value in setting.items() if value != ""))
    for name, value in row.values.items():
        gap = "" if value.gap is None else f", {value.gap:.4g} from human text"
        has_interval = value.interval[0] > float("-inf")
        interval = f" ({format_interval(value.interval)})" if has_interval else ""
        line(f"  {name}: {value.value:.4g}{interval}{gap}")
    line(f"  signature: {row.row.signature}")
    for message in row.row.warnings:
        line(f"  warning: {message}")
    for step in row.steps:
        line(f"  {record_line(step)}")
        line(f"    {settings_line(step)}")
    for i, text in enumerate(row.texts, 1):
        line(f"  text {i} of {row.n}")
        if text.prompt is not None:
            line(f"    prompt: {text.prompt!r}")
        line(f"    human:  {text.human!r}")
        line(f"    system: {text.system!r}")


add_result_commands(experiment_commands)
