"""mauve study status, invite, pause and others: what the operator of a study does."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mauve.cli.options_output import Json
from mauve.cli.terminal import new_console, printing
from mauve.formatting import format_count, format_share
from mauve.tables import as_text

if TYPE_CHECKING:
    from mauve.study.store.database import Study
    from mauve.study.store.reports import AnnotatorReport, PairProgress, StudyProgress

Location = Annotated[
    str,
    typer.Argument(
        metavar="STUDY", help="File of the study, or the URL of its PostgreSQL database."
    ),
]
Number = Annotated[
    int, typer.Argument(metavar="NUMBER", help="Number of the annotator, as in mauve study status.")
]
Reason = Annotated[
    str, typer.Option(metavar="TEXT", help="Why; stored with the decision.", show_default=False)
]


def status_command(location: Location, as_json: Json = False) -> None:
    """Show how far each pair is, and how the annotators work."""
    from mauve.study.store.reports import annotator_reports, pair_progress, study_progress

    with _opened(location) as study:
        progress, pairs = study_progress(study), pair_progress(study)
        people = annotator_reports(study)
    with printing():
        if as_json:
            result = {
                "study": progress.to_dict(),
                "pairs": [pair.to_dict() for pair in pairs],
                "annotators": [person.to_dict() for person in people],
            }
            typer.echo(json.dumps(result, indent=2, allow_nan=False))
            return
        console = new_console()
        for line in _lines(progress, pairs, people):
            console.print(line, soft_wrap=True)


def invite_command(
    location: Location,
    n: Annotated[int, typer.Argument(metavar="N", help="Number of people.")],
    url: Annotated[
        str | None,
        typer.Option(
            "--url", metavar="URL", help="Address of the page: prints links and not tokens."
        ),
    ] = None,
) -> None:
    """Make invitations: one line for each person, which is not shown again."""
    from mauve.study.addresses import check_address, invitation_link
    from mauve.study.store.people import create_invites

    if url is not None:
        check_address("url", url)
    with _opened(location) as study:
        tokens = create_invites(study, n)
    with printing():
        for token in tokens:
            typer.echo(token if url is None else invitation_link(url, token))


def pause_command(location: Location) -> None:
    """Give out no items until mauve study resume; assigned ones can still be rated."""
    from mauve.study.store.control import pause

    with _opened(location) as study:
        pause(study)


def resume_command(location: Location) -> None:
    """Give out items again."""
    from mauve.study.store.control import resume

    with _opened(location) as study:
        resume(study)


def exclude_command(location: Location, number: Number, reason: Reason) -> None:
    """Exclude an annotator: no rating of that person counts, and none is deleted."""
    from mauve.study.store.control import exclude

    with _opened(location) as study:
        exclude(study, number, reason)
        _print_valid(study)


def include_command(location: Location, number: Number, reason: Reason) -> None:
    """Include an excluded annotator again."""
    from mauve.study.store.control import include

    with _opened(location) as study:
        include(study, number, reason)
        _print_valid(study)


def rules_command(
    location: Location,
    min_active_seconds: Annotated[
        float | None,
        typer.Option(metavar="X", help="Ratings made in less active time do not count."),
    ] = None,
    max_failed_checks: Annotated[
        int | None,
        typer.Option(metavar="N", help="Ratings by people who failed more checks do not count."),
    ] = None,
) -> None:
    """Show or change which ratings count; all are counted again, and none is deleted."""
    from mauve.study.store.control import change_rules

    asked = {"min_active_seconds": min_active_seconds, "max_failed_checks": max_failed_checks}
    rules: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    with _opened(location) as study:
        settings = change_rules(study, **rules) if rules else study.settings
        with printing():
            typer.echo(f"least active time: {settings.min_active_seconds:g} s")
            typer.echo(f"most failed checks: {settings.max_failed_checks}")
        _print_valid(study)


def operator_command(location: Location) -> None:
    """Print a new token of the operator; the one before is no longer valid."""
    from mauve.study.store.people import new_operator_token

    with _opened(location) as study:
        token = new_operator_token(study)
    with printing():
        typer.echo(token)


def _opened(location: str) -> "Study":
    from mauve.study.store.opening import open_study

    return open_study(location)


def _print_valid(study: "Study") -> None:
    from mauve.study.store.reports import study_progress

    progress = study_progress(study)
    with printing():
        typer.echo(f"{progress.n_valid} of {progress.target} ratings are valid")


def _lines(
    progress: "StudyProgress", pairs: "list[PairProgress]", people: "list[AnnotatorReport]"
) -> Iterator[str]:
    yield (
        f"{progress.n_valid} of {progress.target} ratings, {progress.n_done_pairs} of "
        f"{format_count(progress.n_pairs, 'pair')} done, "
        f"{format_count(progress.n_annotators, 'annotator')}"
        + _invitations(progress)
        + (", paused" if progress.is_paused else "")
    )
    yield ""
    yield as_text(
        ["system A", "system B", "target", "valid", "not valid", "assigned"],
        [
            [p.system_a, p.system_b, *map(str, (p.target, p.n_valid, p.n_invalid, p.n_assigned))]
            for p in pairs
        ],
        left=2,
    )
    if people:
        yield ""
        yield as_text(
            ["annotator", "rated", "valid", "too fast", "median s", "failed checks",
             "self-agreement", "ties", "counts"],
            [_cells(person) for person in people],
        )  # fmt: skip


def _invitations(progress: "StudyProgress") -> str:
    if not progress.n_invitations:
        return ""
    n = format_count(progress.n_invitations, "invitation")
    return f", {progress.n_unused_invitations} of {n} unused"


def _cells(person: "AnnotatorReport") -> list[str]:
    counts = "yes" if person.is_trusted else "excluded" if person.is_excluded else "no"
    return [
        str(person.number),
        str(person.n_rated),
        str(person.n_valid),
        str(person.n_fast),
        "--" if person.median_seconds is None else f"{person.median_seconds:.0f}",
        f"{person.n_failed_checks} of {person.n_checks}",
        "--" if person.self_agreement is None else format_share(person.self_agreement),
        "--" if person.tie_share is None else format_share(person.tie_share),
        counts,
    ]
