"""``mauve show``: the tables, pictures and report of a saved comparison."""

import mauve
from mauve.cli.option_groups import with_flags
from mauve.cli.options_input import SavedFile
from mauve.cli.options_output import ShowOutput
from mauve.cli.options_score import EquivalenceOptions
from mauve.cli.outputs import check_output, check_picture, ladder_or_error, write_picture
from mauve.cli.render import print_comparison_as
from mauve.cli.terminal import say, say_warnings, warnings_as_lines
from mauve.explanation.properties import comparison_properties
from mauve.progress import progress_bar
from mauve.reports.page import check_report
from mauve.reports.run import report_comparison


@with_flags
def show_command(saved: SavedFile, equivalence: EquivalenceOptions, output: ShowOutput) -> None:
    """Show a saved comparison again: its tables, pictures and report."""
    if output.plot is not None:
        check_picture(output.plot)
    if output.report is not None:
        check_report(output.report)
    for path in filter(None, (output.plot, output.report)):
        check_output(path, saved.path, [])
    comparison = mauve.load(saved.path)
    say_warnings(comparison.reading_warnings)  # above the tables, which they put in doubt
    ladder, no_ladder = (
        ladder_or_error(comparison, not output.quiet) if output.ladder else (None, None)
    )
    properties = comparison_properties(comparison.compared.samples)
    print_comparison_as(
        comparison, saved.path, output, None, equivalence.margin, properties, ladder
    )
    say_warnings(m for m in comparison.warnings if m not in comparison.reading_warnings)
    if output.plot is not None:
        write_picture(comparison, output.plot)
    if output.report is not None:
        with (
            warnings_as_lines(*comparison.warnings),
            progress_bar(not output.quiet) as on_progress,
        ):
            report_comparison(
                comparison,
                output.report,
                ladder=ladder or not (output.no_ladder or no_ladder),
                progress=on_progress,
            )
        if not output.quiet:
            say("report", str(output.report))
    if no_ladder is not None:
        raise no_ladder
