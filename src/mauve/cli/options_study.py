"""Options in the panels *Ratings* and *Scores*: which ratings count, and how systems are ranked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mauve.cli.option_groups import OptionGroup, choice
from mauve.cli.options_output import FormatOptions, Json, Quiet
from mauve.cli.values import number
from mauve.study.bootstrap import RESAMPLE
from mauve.study.rating_formats import FORMATS
from mauve.study.wins import TIES

_RATINGS_HELP = (
    "Ratings: a .csv file with the columns of the paper's authors or with item, system_a, "
    "system_b, annotator and choice; a .jsonl file; or a study, by its file or the URL of its "
    "PostgreSQL database."
)


@dataclass(frozen=True)
class RatingsSource(OptionGroup):
    """The ratings."""

    panel = "Ratings"

    ratings: Annotated[str, typer.Argument(metavar="RATINGS", help=_RATINGS_HELP)]


@dataclass(frozen=True)
class RatingsOptions(RatingsSource):
    """The ratings, and which of them count."""

    questions: Annotated[
        list[str] | None,
        typer.Option(
            "--question",
            metavar="NAME",
            help="Only this question; may be given again. By default all.",
            show_default=False,
        ),
    ] = None
    longer_than: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            callback=number("at least 0", lambda x: 0 <= x < float("inf")),
            help="Leave out ratings that took this long or less, in active time where it was "
            "measured. "
            "The paper's filter is 25.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class RankingOptions(OptionGroup):
    """How systems are ranked."""

    panel = "Scores"

    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SYSTEM",
            help="Leave out the pairs of this system; may be given again.",
            show_default=False,
        ),
    ] = None
    ties: Annotated[
        str,
        choice(
            TIES,
            "A tie is a win of one of the two at random, as in the paper ('random'), half a win "
            "for each ('half'), or an outcome of its own in Davidson's model ('davidson').",
        ),
    ] = "random"
    resample: Annotated[
        str,
        choice(
            RESAMPLE,
            "What intervals generalise to: other 'annotators', other 'items' (prompts), or 'both'.",
        ),
    ] = "annotators"
    n_draws: Annotated[int, typer.Option(metavar="N", min=100, help="Draws of the bootstrap.")] = (
        1000
    )


@dataclass(frozen=True)
class ScoresFile(OptionGroup):
    """The scores of measures, and what systems are called in them."""

    panel = "Measures"

    scores: Annotated[
        Path,
        typer.Argument(
            metavar="SCORES",
            help="What mauve compare --json or mauve measure --json printed.",
        ),
    ]
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="RATED=SCORED",
            help="A system of the ratings that the scores call otherwise; may be given again.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class DrawnOutput(FormatOptions):
    """The format of a ranking, and its picture."""

    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the scores with their intervals to a .png, .svg or .pdf file.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class AgreementOutput(OptionGroup):
    """The format of the agreement."""

    panel = "Output"

    json: Json = False
    quiet: Quiet = False


@dataclass(frozen=True)
class ImportedFile(OptionGroup):
    """The file that an import writes."""

    panel = "Output"

    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write, in JSON lines (.jsonl).")
    ]


@dataclass(frozen=True)
class WrittenFile(OptionGroup):
    """The file of ratings to write."""

    panel = "Output"

    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write.")]
    format: Annotated[
        str | None,
        choice(
            FORMATS,
            "'authors' for the columns of the paper's authors, with ties written apart; 'long' "
            "for a row for each answer; 'jsonl' keeps everything. By default 'jsonl' for a file "
            "that ends so, and 'long' for others.",
        ),
    ] = None
