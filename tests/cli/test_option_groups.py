"""Groups of options, and help texts with a section for each panel."""

import inspect
import re
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from running import invoke
from typer.testing import CliRunner

from mauve.cli.option_groups import OptionGroup, PanelCommand, choice, with_flags


@dataclass(frozen=True)
class Paint(OptionGroup):
    panel = "Paint"

    wall: Annotated[str, typer.Argument(metavar="WALL")]
    colour: Annotated[str, choice(["red", "blue"], "Which colour.")] = "red"
    n_coats: Annotated[int, typer.Option(min=1, help="How often.")] = 2


@dataclass(frozen=True)
class Price(OptionGroup):
    panel = "Price"

    cheap: Annotated[bool, typer.Option("--cheap")] = False


@with_flags
def command(paint: Paint, price: Price) -> None:
    """Paint a wall."""
    typer.echo(f"{paint.keywords()} {price.keywords()}")


app = typer.Typer(rich_markup_mode=None)
app.command(cls=PanelCommand)(command)


def test_fields_become_parameters_with_their_defaults():
    parameters = inspect.signature(command).parameters
    assert [*parameters] == ["wall", "colour", "n_coats", "cheap"]
    assert parameters["wall"].default is inspect.Parameter.empty
    assert parameters["n_coats"].default == 2
    assert command.__doc__ == "Paint a wall."


def test_command_gets_the_groups():
    done = CliRunner().invoke(app, ["north", "--n-coats", "3", "--cheap"])
    assert done.stdout == "{'wall': 'north', 'colour': 'red', 'n_coats': 3} {'cheap': True}\n"


def test_choices_are_checked():
    done = CliRunner().invoke(app, ["north", "--colour", "green"])
    assert done.exit_code == 2
    assert "must be one of red, blue. Got 'green' instead" in done.stderr


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("compare", "Arguments Input Embedder Score Inference Measures Explanation Scale Output"),
        ("explain", "Arguments Input Embedder Score Inference Explanation Output"),
        ("measure", "Arguments Input Embedder Inference Measures Output"),
        ("embed", "Arguments Input Embedder Output"),
        ("demo", "Output"),
    ],
)
@pytest.mark.parametrize("colour", [{}, {"FORCE_COLOR": "1", "TERM": "xterm-256color"}])
def test_help_has_a_section_for_each_panel(name, titles, colour):
    printed = invoke(name, "--help", **colour).stdout
    assert re.findall(r"^(\w[\w ]*):$", printed, re.M) == [*titles.split(), "Other options"]
    assert "\x1b" not in printed
    assert max(map(len, printed.splitlines())) <= 80
    starts = {
        re.match(r"  (-\S.*?)  +(?=\S)", line).end()
        for line in printed.splitlines()
        if re.match(r"  -\S.*?  +\S", line)
    }
    assert len(starts) == 1  # all sections line up


COMMANDS = [
    "evaluate", "generate", "finetune", "compare", "check", "explain", "measure", "matrix",
    "domains", "show", "protocols", "embed", "merge", "demo", "experiment", "cache", "study",
]  # fmt: skip
CACHE_COMMANDS = ["info", "clear", "path"]


@pytest.mark.parametrize(("group", "names"), [([], COMMANDS), (["cache"], CACHE_COMMANDS)])
def test_summaries_of_commands_are_whole(group, names):
    for width in (80, 60):
        listed = invoke(*group, "--help", COLUMNS=str(width)).stdout.split("Commands:\n")[1]
        assert "..." not in listed
        summaries = dict(re.findall(r"^  (\w+) +(\S.*(?:\n {4,}.*)*)", listed, re.M))
        assert [*summaries] == names
        for name, summary in summaries.items():
            said = invoke(*group, name, "--help").stdout.split("\n\n")[1]
            assert summary.split() == said.split(), "as the help of the command begins"
            assert width < 80 or "\n" not in summary, "one line of 80 columns"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("compare", " HUMAN SYSTEM..."), ("embed", " TEXTS"), ("demo", ""), ("cache clear", "")],
)
def test_usage_names_the_arguments(name, arguments):
    usage = f"Usage: mauve {name} [OPTIONS]{arguments}\n"
    assert invoke(*name.split(), "--help").stdout.startswith(usage)


def test_an_argument_that_may_be_left_out_is_in_brackets():
    optional = typer.Typer(rich_markup_mode=None)

    @optional.command(cls=PanelCommand)
    def paint(walls: Annotated[list[str] | None, typer.Argument(metavar="WALL")] = None) -> None:
        """Paint walls."""

    usage = CliRunner().invoke(optional, ["--help"], prog_name="paint").stdout.splitlines()[0]
    assert usage == "Usage: paint [OPTIONS] [WALL...]"
