"""mauve study rank, agreement, correlate, export, import: what is done with the ratings."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import typer

import mauve
from mauve.atomic import check_writable
from mauve.cli.option_groups import with_flags
from mauve.cli.options_output import FormatOptions
from mauve.cli.options_score import ConfidenceOptions
from mauve.cli.options_study import (
    AgreementOutput,
    DrawnOutput,
    ImportedFile,
    RankingOptions,
    RatingsOptions,
    RatingsSource,
    ScoresFile,
    WrittenFile,
)
from mauve.cli.outputs import check_picture, write_figure
from mauve.cli.render_study import print_agreement, print_correlations, print_rankings
from mauve.cli.terminal import collected_warnings, printing, say_warnings, warnings_as_lines
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.formatting import format_count, format_list
from mauve.plots.axes import new_axes, styled
from mauve.plots.preference import preference_size
from mauve.study.agreement import agreement
from mauve.study.correlation import correlate
from mauve.study.measure_scores import read_scores
from mauve.study.ranking import Ranking, rank
from mauve.study.rating_files import is_ratings_file, read_ratings, write_ratings
from mauve.study.ratings import Ratings
from mauve.tables import markdown_escaped

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class _HasTables(Protocol):
    def to_markdown(self) -> str: ...

    def to_latex(self) -> str: ...


@with_flags
def rank_command(
    chosen: RatingsOptions,
    ranking: RankingOptions,
    inference: ConfidenceOptions,
    output: DrawnOutput,
) -> None:
    """Rank systems by the ratings of people: Bradley-Terry scores with intervals."""
    if output.plot is not None:
        check_picture(output.plot)
        _check_other(output.plot, chosen.ratings)
    rankings = _rankings(chosen, ranking, inference)
    with printing():
        if output.json:
            result = {
                "version": mauve.__version__,
                "rankings": [ranked.to_dict() for ranked in rankings],
            }
            typer.echo(json.dumps(result, indent=2, allow_nan=False))
        elif output.markdown or output.latex:
            _echo_tables({ranked.question: ranked for ranked in rankings}, output)
        else:
            print_rankings(rankings, chosen.longer_than, quiet=output.quiet)
    if output.plot is not None:
        _draw(rankings, output.plot)


@with_flags
def agreement_command(
    chosen: RatingsOptions, inference: ConfidenceOptions, output: AgreementOutput
) -> None:
    """Show how far annotators agree: Krippendorff's alpha."""
    with warnings_as_lines():
        ratings = _read(chosen.ratings)
        agreements = [
            agreement(ratings, question, longer_than=chosen.longer_than, **inference.keywords())
            for question in _questions(ratings, chosen)
        ]
    with printing():
        if output.json:
            result = {
                "version": mauve.__version__,
                "agreement": [agreed.to_dict() for agreed in agreements],
            }
            typer.echo(json.dumps(result, indent=2, allow_nan=False))
        else:
            print_agreement(agreements, quiet=output.quiet)


@with_flags
def correlate_command(
    chosen: RatingsOptions,
    scored: ScoresFile,
    ranking: RankingOptions,
    inference: ConfidenceOptions,
    output: FormatOptions,
) -> None:
    """Correlate the scores by people with those of automatic measures."""
    names = _names(scored.names or [])
    with warnings_as_lines():
        scores = read_scores(scored.scores)
    correlations = [
        correlate(ranked, scores, names=names, **inference.keywords())
        for ranked in _rankings(chosen, ranking, inference)
    ]
    with printing():
        if output.json:
            result = {
                "version": mauve.__version__,
                "correlations": [found.to_dict() for found in correlations],
            }
            typer.echo(json.dumps(result, indent=2, allow_nan=False))
        elif output.markdown or output.latex:
            _echo_tables({found.question: found for found in correlations}, output)
        else:
            print_correlations(correlations, quiet=output.quiet)


@with_flags
def export_command(source: RatingsSource, written: WrittenFile) -> None:
    """Write the ratings of a study, or of a file, to a file in another format."""
    _check_other(written.out, source.ratings)
    check_writable(written.out)
    with warnings_as_lines():
        ratings = _rated(source.ratings)
    write_ratings(ratings, written.out, written.format)
    with printing():
        typer.echo(f"wrote {_held(ratings)} to {escaped(str(written.out))}")


@with_flags
def import_command(source: RatingsSource, written: ImportedFile) -> None:
    """Check a file of ratings, say what it holds, and write it as JSON lines."""
    _check_other(written.out, source.ratings)
    check_writable(written.out)
    with warnings_as_lines():
        ratings = _rated(source.ratings)
    write_ratings(ratings, written.out, "jsonl")
    n_repeats = sum(row.repeat for row in ratings.rows)
    n_invalid = sum(not row.valid for row in ratings.rows)
    with printing():
        typer.echo(f"ratings:    {len(ratings):,}")
        typer.echo(f"annotators: {len(ratings.annotators):,}")
        typer.echo(f"systems:    {', '.join(map(escaped, ratings.systems))}")
        typer.echo(f"questions:  {', '.join(map(escaped, ratings.questions))}")
        typer.echo(f"repeats:    {n_repeats:,}")
        typer.echo(f"invalid:    {n_invalid:,}")


def _read(source: str) -> Ratings:
    """Return the ratings of a file or of a study."""
    if is_ratings_file(source):
        return read_ratings(source)
    if Path(source).is_file() and not _is_database(source):
        return read_ratings(source)  # which says what it must be
    from mauve.study.store.collected import study_ratings
    from mauve.study.store.opening import open_study

    study = open_study(source)
    try:
        return study_ratings(study, valid_only=False)
    finally:
        study.close()


def _rated(source: str) -> Ratings:
    """Return the ratings of a file or of a study, of which there must be some."""
    ratings = _read(source)
    if not ratings.rows:
        raise InvalidParameterError(
            f"{ratings.called} must have at least one rating, to write it. It has none."
        )
    return ratings


def _is_database(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _questions(ratings: Ratings, chosen: RatingsOptions) -> list[str]:
    questions = list(dict.fromkeys(chosen.questions or ratings.questions))
    for question in questions:
        ratings.question(question)  # raises for one that there is not, before any work
    return questions


def _rankings(
    chosen: RatingsOptions, ranking: RankingOptions, inference: ConfidenceOptions
) -> list[Ranking]:
    with collected_warnings() as messages:
        ratings = _read(chosen.ratings)
        options = ranking.keywords() | inference.keywords()
        options["leave_out"] = ranking.leave_out or ()
        rankings = [
            rank(ratings, question, longer_than=chosen.longer_than, **options)
            for question in _questions(ratings, chosen)
        ]
    say_warnings(messages)
    return rankings


def _names(pairs: list[str]) -> Mapping[str, str]:
    """Return the names in the scores by those in the ratings, of RATED=SCORED."""
    names: dict[str, str] = {}
    for pair in pairs:
        rated, equals, scored = pair.rpartition("=")
        if not (rated and equals and scored) or rated in names:
            raise typer.BadParameter(
                f"--name must be RATED=SCORED, once for each system. Got '{escaped(pair)}' instead."
            )
        names[rated] = scored
    return names


def _check_other(path: Path, source: str) -> None:
    if path.resolve() == Path(source).resolve():
        raise InvalidParameterError(
            f"'{escaped(str(path))}' is the file of the ratings: write to another."
        )


def _echo_tables(tables: Mapping[str, _HasTables], output: FormatOptions) -> None:
    """Print a table for each question, under its name if there are several."""
    for i, (question, table) in enumerate(tables.items()):
        text = table.to_markdown() if output.markdown else table.to_latex()
        if len(tables) > 1:
            heading = f"**{markdown_escaped(question)}**\n" if output.markdown else f"% {question}"
            text = f"{heading}\n{text}"
        typer.echo(f"\n{text}" if i else text)


def _draw(rankings: list[Ranking], path: Path) -> None:
    """Draw a ranking for each question, side by side."""
    width, height = preference_size(len(rankings[0].systems))
    first = new_axes((width * len(rankings), height))
    figure = cast("Figure", first.figure)
    figure.clear()
    for i, ranked in enumerate(rankings, 1):
        ranked.plot(styled(figure.add_subplot(1, len(rankings), i)))
    write_figure(figure, path)


def _held(ratings: Ratings) -> str:
    return (
        f"{format_count(len(ratings), 'rating')} of {format_list([*map(escaped, ratings.systems)])}"
    )
