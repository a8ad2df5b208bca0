"""Print results as tables, readable in a pipe and in 80 columns, with how to read them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

import mauve
from mauve.cli.options_output import ShowOutput
from mauve.cli.render_properties import print_properties, properties_legend
from mauve.cli.terminal import new_console, printing
from mauve.comparison.comparison import Comparison
from mauve.comparison.ladder import Ladder
from mauve.comparison.pairs import Difference
from mauve.comparison.results import CLASSIFIER_MEANING, MauveResult
from mauve.escape import escaped
from mauve.explanation.property_results import DifferingProperties
from mauve.formatting import SIGNIFICANCE_LEVEL, format_level, format_p_value, format_score
from mauve.measures.results import Measurements
from mauve.tables import cell_width, fitting_columns

_NAME_WIDTH = 12  # a name keeps this width, or all of its own, however narrow the terminal
_ROOMY_NAME = 20  # columns move closer together before a name of this width is folded


def print_comparison_as(
    comparison: Comparison,
    source: Path,
    output: ShowOutput,
    measurements: Measurements | None,
    margin: float | None,
    properties: Mapping[str, DifferingProperties] | None = None,
    ladder: Ladder | None = None,
) -> None:
    """Print a comparison in the format that the options name.

    Parameters
    ----------
    comparison : Comparison
    source : Path
        File of the human texts, or of the comparison.
    output : ShowOutput
    measurements : Measurements or None
        Other measures of the same systems.
    margin : float or None
        Margin of the equivalence tests.
    properties : mapping from system to DifferingProperties, optional
        What differs in plain words.
    ladder : Ladder, optional
        Scores after steps of normalisation.
    """
    with printing():
        if output.json:
            result = _as_dict(comparison, margin)
            if measurements is not None:
                result["measures"] = measurements.to_dict()
            if properties:
                result["properties"] = {n: found.to_dict() for n, found in properties.items()}
            if ladder is not None:
                result["ladder"] = ladder.to_dict()
            typer.echo(json.dumps(result, indent=2, allow_nan=False))
        elif output.markdown or output.latex:
            tables = [table for table in (comparison, ladder, measurements) if table is not None]
            typer.echo(
                "\n\n".join(t.to_markdown() if output.markdown else t.to_latex() for t in tables)
            )
        else:
            print_result(
                comparison,
                source,
                measurements,
                margin=margin,
                properties=properties,
                ladder=ladder,
                quiet=output.quiet,
            )


def _as_dict(comparison: Comparison, margin: float | None) -> dict[str, Any]:
    """Return the comparison with the version, and the equivalence tests if there is a margin."""
    result = {"version": mauve.__version__, **comparison.to_dict()}
    if margin is not None:
        result["margin"] = margin
        for entry in result["results"]:
            entry["p_equivalence"] = comparison[entry["name"]].equivalence(margin)
        for entry, difference in zip(result["differences"], comparison.differences(), strict=True):
            entry["p_equivalence"] = difference.equivalence(margin)
    return result


def print_result(
    comparison: Comparison,
    human: Path,
    measurements: Measurements | None = None,
    *,
    margin: float | None = None,
    properties: Mapping[str, DifferingProperties] | None = None,
    ladder: Ladder | None = None,
    quiet: bool = False,
) -> None:
    """Print the tables of a comparison, how to read them, and the signatures.

    Parameters
    ----------
    comparison : Comparison
    human : Path
        File of the human texts.
    measurements : Measurements, optional
        Other measures of the same systems.
    margin : float, optional
        Margin of the equivalence tests.
    properties : mapping from system to DifferingProperties, optional
        What differs in plain words.
    ladder : Ladder, optional
        Scores after steps of normalisation.
    quiet : bool
        Print the tables only.
    """
    console = new_console()
    results = list(comparison.values())
    if not quiet:
        print_human(console, results[0].n_human, human)
    print_comparison(console, comparison, margin)
    if properties:
        console.print()
        print_properties(console, properties, comparison.rank())
    if ladder is not None:
        console.print()
        print_ladder(console, ladder)
    if measurements is not None:
        console.print()
        print_measurements(console, measurements)
    if quiet:
        return
    console.print()
    console.print(comparison_legend(comparison, margin))
    if properties:
        console.print(properties_legend())
    signatures = [result.signature for result in results]
    if measurements is not None:
        console.print()
        console.print(measurements_legend(measurements))
        signatures.append(measurements.signature)
    print_signatures(console, signatures)


def print_measure_result(
    measurements: Measurements, human: Path, *, gaps: bool, quiet: bool
) -> None:
    """Print the tables of measurements, how to read them, and the signature."""
    console = new_console()
    if not quiet:
        print_human(console, measurements.n_texts[measurements.human_name], human)
    print_measurements(console, measurements, gaps=gaps)
    if not quiet:
        console.print()
        console.print(measurements_legend(measurements, gaps=gaps))
        print_signatures(console, [measurements.signature])


def print_human(console: Console, n_human: int, path: Path) -> None:
    """Print what the systems are compared with."""
    console.print(f"against {n_human} human texts, {escaped(str(path))}", soft_wrap=True)
    console.print()


def print_signatures(console: Console, signatures: Sequence[str]) -> None:
    """Print each signature once, in one line."""
    console.print()
    for signature in dict.fromkeys(signatures):
        console.print(f"signature: {escaped(signature)}", soft_wrap=True)


# Comparisons.


def print_comparison(console: Console, comparison: Comparison, margin: float | None) -> None:
    """Print the scores, best first, then the differences of pairs of systems."""
    rows = [([name], _score_cells(comparison[name], margin)) for name in comparison.rank()]
    print_table(console, ["system"], rows)
    if differences := comparison.shown_differences():
        console.print()
        rows = [([pair.first, pair.second], _pair_cells(pair, margin)) for pair in differences]
        print_table(console, ["higher", "lower"], rows)


def print_ladder(console: Console, ladder: Ladder) -> None:
    """Print the scores after each step of normalisation, and how much of the gap is form."""
    rows = [
        ([name, row.pop("step")], {title.replace(" ", "\n", 1): row[title] for title in row})
        for name, system in ladder.items()
        for row in system.rows()
    ]
    print_table(console, ["system", "step"], rows)
    console.print()
    for sentence in filter(None, [*ladder.sentences, ladder.left_out]):
        console.print(Text(sentence))


def comparison_legend(comparison: Comparison, margin: float | None) -> str:
    """Return how to read the tables of a comparison."""
    sentences = ["MAUVE is 1 if a system writes as people do, and near 0 if it never does."]
    if any(result.classifier is not None for result in comparison.values()):
        sentences.append(CLASSIFIER_MEANING)
    if next(iter(comparison.values())).p_value is not None:
        sentences.append(
            "The ceiling is what human text would get with as many texts. p (= human) is the "
            f"p-value of the test that the system writes as people do: below {SIGNIFICANCE_LEVEL:g}"
            " it is distinguishable from human text."
        )
    sentences.append(
        "Type I and type II are the Kullback-Leibler divergences KL(Q|R) and KL(P|R) of the "
        "system's texts Q and of human text P from their mixture R: the errors of writing what "
        "people do not and of not writing what they do. n is the number of texts."
    )
    n_systems = len(comparison)
    n_pairs, n_shown = n_systems * (n_systems - 1) // 2, len(comparison.shown_differences())
    if n_pairs:
        sentences.append("p (Holm) is the p-value of a difference, corrected for all pairs.")
    if n_shown < n_pairs:
        sentences.append(
            f"Of {n_pairs:,} pairs the {n_shown} neighbours in the ranking are shown; --json has "
            "all."
        )
    if margin is not None:
        sentences.append(
            f"A small p (within {margin:g}) says that MAUVE is above {1 - margin:g}, or that two "
            f"scores differ by less than {margin:g}."
        )
    return " ".join(sentences)


def _score_cells(result: MauveResult, margin: float | None) -> dict[str, str]:
    low, high = map(format_score, result.interval)
    row = {
        "MAUVE": format_score(result.mauve),
        f"{format_level(result.confidence)}\ninterval": f"{low} - {high}",
    }
    if result.classifier is not None:
        row["classi-\nfier"] = format_score(result.classifier.mauve)
    if result.p_value is not None and result.ceiling is not None:
        row["ceiling"] = format_score(result.ceiling)
        # With a margin there is one column more, and 80 characters have room for a narrow one.
        title = "p\n(= human)" if margin is None else "p (=\nhuman)"
        row[title] = format_p_value(result.p_value)
    if margin is not None:
        row[_margin_title(margin)] = format_p_value(result.equivalence(margin))
    row["type\nI"] = format_score(result.type_1)
    row["type\nII"] = format_score(result.type_2)
    row["n"] = str(result.n_model)
    return row


def _pair_cells(difference: Difference, margin: float | None) -> dict[str, str]:
    low, high = map(format_score, difference.interval)
    row = {
        "difference": format_score(difference.difference),
        f"{format_level(difference.confidence)}\ninterval": f"{low} to {high}",
        "p\n(Holm)": format_p_value(difference.p_adjusted),
    }
    if margin is not None:
        row[_margin_title(margin)] = format_p_value(difference.equivalence(margin))
    return row


def _margin_title(margin: float) -> str:
    return f"p\n(within\n{margin:g})"  # in three lines, to fit 80 columns with all others


# Measurements.


def print_measurements(console: Console, measurements: Measurements, *, gaps: bool = False) -> None:
    """Print as many tables as it takes for all columns to fit the width."""
    names = measurements.row_names(gaps=gaps)
    columns = {
        column.heading: [str(cell) for cell in column.cells]
        for column in measurements.columns(gaps=gaps)
    }
    for i, titles in enumerate(
        fitting_columns(console.width, names, columns, widest_name=_ROOMY_NAME)
    ):
        if i:
            console.print()
        rows = [
            ([name], {title: columns[title][row] for title in titles})
            for row, name in enumerate(names)
        ]
        print_table(console, ["system"], rows)


def measurements_legend(measurements: Measurements, *, gaps: bool = False) -> str:
    """Return how to read the tables of measurements."""
    legend = (
        "↑ higher is better, ↓ lower is better, ≈ nearer to human text is better; ± is half the "
        f"width of the {format_level(measurements.confidence)} interval; * marks the best; -- is "
        "not defined."
    )
    if gaps:
        legend += (
            " A statistic T is shown as the gap |T(Q) - T(P)| between the system's texts Q and "
            "human text P."
        )
    legend = " ".join([legend, *measurements.notes])
    return f"{legend} `mauve measure --list` describes all measures."


# Layout.


def print_table(
    console: Console, names: list[str], rows: Sequence[tuple[list[str], dict[str, str]]]
) -> None:
    """Print rows of names and numbers: names fold where they must, numbers never.

    Rich would shorten all columns of a table that is too wide. So the widths are computed
    here, and a terminal narrower than the numbers gets lines that are too long.
    """
    numbers = list(rows[0][1])
    number_widths = [
        max(cell_width(column), *(cell_width(row[column]) for _, row in rows)) for column in numbers
    ]
    name_rows = [[escaped(name) for name in row] for row, _ in rows]
    full_widths = [
        max(cell_width(column), *(cell_width(row[i]) for row in name_rows))
        for i, column in enumerate(names)
    ]
    roomy = sum(number_widths) + sum(min(width, _ROOMY_NAME) for width in full_widths)
    n_spaces = len(names) + len(numbers) - 1
    space = 2 if roomy + 2 * n_spaces <= console.width else 1
    share = (console.width - sum(number_widths) - space * n_spaces) // len(names)
    name_widths = [min(width, max(share, _NAME_WIDTH)) for width in full_widths]

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, space - 1, 0, 0))
    for column, width in zip(names, name_widths, strict=True):
        table.add_column(column, width=width, overflow="fold")
    for column, width in zip(numbers, number_widths, strict=True):
        table.add_column(column, width=width, no_wrap=True, justify="right")
    for name_row, (_, row) in zip(name_rows, rows, strict=True):
        table.add_row(*map(Text, name_row), *row.values())
    console.width = max(console.width, sum(name_widths) + sum(number_widths) + space * n_spaces)
    console.print(table)
