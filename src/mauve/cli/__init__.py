"""The command line, ``mauve COMMAND``, with a module for each command."""

import io
import logging
import sys
from typing import Annotated

import typer

from mauve import __version__
from mauve.cli.cache import cache_commands
from mauve.cli.check import check_command
from mauve.cli.compare import compare_command
from mauve.cli.demo import demo_command
from mauve.cli.domains import domains_command
from mauve.cli.embed import embed_command
from mauve.cli.evaluate import evaluate_command
from mauve.cli.experiment import experiment_commands
from mauve.cli.explain import explain_command
from mauve.cli.finetune import finetune_command
from mauve.cli.generate import generate_command
from mauve.cli.matrix import matrix_command
from mauve.cli.measure import measure_command
from mauve.cli.option_groups import PanelCommand
from mauve.cli.protocols import protocols_command
from mauve.cli.sharded import merge_command
from mauve.cli.show import show_command
from mauve.cli.study import study_commands
from mauve.cli.terminal import one_line_errors, printing, say
from mauve.errors import OutputError

app = typer.Typer(
    name="mauve",
    help="How far is the text a model writes from the text people write, in what way, and is "
    "the difference real?\n\nThe score is MAUVE (Pillutla et al., 2021, called the paper in help "
    "texts): 1 where a model's texts are distributed like human texts, and near 0 where they "
    "hardly overlap. 'mauve demo' shows all of it on small samples.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # plain help: the same in a pipe, in a file and in the docs
    pretty_exceptions_enable=False,  # a bug shows Python's own traceback
)
for name, command in {
    "evaluate": evaluate_command,
    "generate": generate_command,
    "finetune": finetune_command,
    "compare": compare_command,
    "check": check_command,
    "explain": explain_command,
    "measure": measure_command,
    "matrix": matrix_command,
    "domains": domains_command,
    "show": show_command,
    "protocols": protocols_command,
    "embed": embed_command,
    "merge": merge_command,
    "demo": demo_command,
}.items():
    app.command(name, cls=PanelCommand)(one_line_errors(command))
app.add_typer(experiment_commands)
app.add_typer(cache_commands)
app.add_typer(study_commands)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mauve {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _without_command(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name that the terminal's encoding lacks must not end the program.
            stream.reconfigure(errors="backslashreplace")
    # Where the home folder cannot be written, Matplotlib says so at length and goes on without.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        with printing():  # also of help texts and lists, which no command prints
            app(prog_name="mauve")
    except OutputError as error:
        say("error", str(error))
        sys.exit(1)
