"""Options of mauve check: the baseline, the accepted loss, and what CI systems read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mauve.cli.option_groups import OptionGroup
from mauve.cli.options_output import Json, Quiet
from mauve.cli.values import between_0_and_1, number


@dataclass(frozen=True)
class CheckOptions(OptionGroup):
    """What scores are checked against, and the accepted loss."""

    panel = "Check"

    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The baseline: what --write wrote, or a comparison that mauve compare --save "
            "wrote, against the same human texts with the same settings.",
        ),
    ] = None
    margin: Annotated[
        float,
        typer.Option(
            metavar="DELTA", callback=between_0_and_1, help="Loss of MAUVE that is accepted."
        ),
    ] = 0.02
    alpha: Annotated[
        float,
        typer.Option(
            metavar="LEVEL",
            callback=number("above 0 and below 0.5", lambda x: 0 < x < 0.5),
            help="Level of the tests: how often a system as good as the baseline is called worse, "
            "and how often a loss of DELTA is called not worse.",
        ),
    ] = 0.05
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the scores as a baseline; with --against only if no system is worse and "
            "there are enough texts to tell.",
        ),
    ] = None


@dataclass(frozen=True)
class CheckOutput(OptionGroup):
    """How the outcome is printed, for people and for CI systems."""

    panel = "Output"

    junit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write JUnit XML, which CI systems show, with a test case for each system.",
        ),
    ] = None
    github: Annotated[
        bool,
        typer.Option(
            "--github", help="Print annotations for GitHub Actions on stderr, one for each system."
        ),
    ] = False
    json: Json = False
    quiet: Quiet = False
