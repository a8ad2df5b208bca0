"""Options in the panel *Scale*: what runs a comparison, and in how much memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mauve.cli.option_groups import OptionGroup, choice
from mauve.cli.values import at_least
from mauve.engine.engines import ENGINES
from mauve.engine.run import N_TESTED

#: What runs a comparison: memory, an engine, or what the size of the input asks for.
ENGINE_CHOICES = ("auto", "memory", *ENGINES)


@dataclass(frozen=True)
class ScaleOptions(OptionGroup):
    """What runs a comparison of samples that need not fit in memory."""

    panel = "Scale"

    engine: Annotated[
        str,
        choice(
            ENGINE_CHOICES,
            "What runs the comparison: 'memory'; 'disk', part by part in files; 'ray', a cluster; "
            "or 'auto', 'disk' for folders, patterns, datasets and what does not fit in --memory.",
        ),
    ] = "auto"
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Ray cluster that this machine is part of: 'auto' or HOST:PORT. By default "
            "--engine ray starts Ray on this machine.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Ray actors at the most, each with a model; one for each core."
        ),
    ] = None
    gpus: Annotated[
        float, typer.Option(metavar="N", min=0.0, help="GPUs of each Ray actor, such as 1 or 0.5.")
    ] = 0.0
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Memory to work in, such as 2GB; half of what is free by default."
        ),
    ] = None
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep the shards in a folder, so that the next run goes on where this one ended. "
            "All machines of a cluster must see it.",
        ),
    ] = None
    n_tested: Annotated[
        int,
        typer.Option(
            metavar="N",
            callback=at_least(1000, "fewer see little"),
            help="Texts of each sample, drawn at random, on which 'disk' and 'ray' test P = Q and "
            "check form.",
        ),
    ] = N_TESTED
