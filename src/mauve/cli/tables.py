"""Comparisons as tables for a terminal, readable in a pipe and in 80 columns."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mauve.printable import printable
from mauve.results import Comparison, Difference, MauveResult

_NAME_WIDTH = 12  # a name keeps this much, or all of it, whatever the width
_ROOMY_NAME = 20  # columns move closer together before a name of this length is folded


def print_comparison(console: Console, comparison: Comparison, margin: float | None) -> None:
    """Print the scores, best first, then the differences of every pair of systems."""
    ranked = comparison.rank()
    _print_table(
        console,
        ["system"],
        [([name], _score_cells(comparison[name], margin)) for name in ranked],
    )
    place = {name: i for i, name in enumerate(ranked)}
    # Each pair with the higher score first, the pairs in the order of the table above.
    pairs = sorted(
        ((sorted([d.first, d.second], key=place.__getitem__), d) for d in comparison.differences()),
        key=lambda pair: [place[name] for name in pair[0]],
    )
    if pairs:
        console.print()
        _print_table(
            console,
            ["higher", "lower"],
            [(names, _difference_cells(d, names[0] == d.first, margin)) for names, d in pairs],
        )


def how_to_read(margin: float | None) -> str:
    """Return the sentence that goes with the tables."""
    reading = (
        "MAUVE is 1 where a system writes as people do; the ceiling is what human text would get "
        "with as many texts; p (= human) is small where the system can be told from people; "
        "type I and II are KL(Q|R) and KL(P|R), the errors of writing what people do not and of "
        "not writing what they do."
    )
    if margin is None:
        return reading
    return (
        f"{reading} A small p under 'gap < {margin:g}' says that MAUVE is above {1 - margin:g}, "
        f"or that two systems differ by less than {margin:g}."
    )


def _score_cells(result: MauveResult, margin: float | None) -> dict[str, str]:
    low, high = result.interval
    cells = {
        "MAUVE": f"{result.mauve:.3f}",
        f"{_percent(result.confidence)}\ninterval": f"{low:.3f} - {high:.3f}",
    }
    if result.p_value is not None and result.ceiling is not None:
        cells["ceiling"] = f"{result.ceiling:.3f}"
        cells["p\n(= human)"] = _p_value(result.p_value)
    if margin is not None:
        cells[f"gap\n< {margin:g}"] = _p_value(result.equivalence(margin))
    cells["type\nI"] = f"{result.type_1:.3f}"
    cells["type\nII"] = f"{result.type_2:.3f}"
    cells["n"] = str(result.n_model)
    cells["k"] = str(result.num_buckets)
    return cells


def _difference_cells(
    difference: Difference, as_given: bool, margin: float | None
) -> dict[str, str]:
    sign = 1 if as_given else -1
    low, high = sorted(sign * end for end in difference.interval)
    cells = {
        "difference": f"{sign * difference.difference:.3f}",
        f"{_percent(difference.confidence)}\ninterval": f"{low:.3f} to {high:.3f}",
        "p\n(Holm)": _p_value(difference.p_adjusted),
    }
    if margin is not None:
        cells[f"gap\n< {margin:g}"] = _p_value(difference.equivalence(margin))
    return cells


def _percent(share: float) -> str:
    return f"{100 * share:g}%"


def _p_value(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "<.0001"


def _print_table(
    console: Console, names: list[str], rows: Sequence[tuple[list[str], dict[str, str]]]
) -> None:
    """Print rows of names and numbers: names fold where they must, numbers never.

    Rich would shorten all columns of a table that is too wide, so the widths are found
    here, and a terminal narrower than the numbers gets lines that are too long.
    """
    numbers = list(rows[0][1])
    number_widths = [
        max(_width(column), *(_width(cells[column]) for _, cells in rows)) for column in numbers
    ]
    name_rows = [[printable(name) for name in row] for row, _ in rows]
    full_widths = [
        max(_width(column), *(_width(row[i]) for row in name_rows))
        for i, column in enumerate(names)
    ]
    roomy = sum(number_widths) + sum(min(width, _ROOMY_NAME) for width in full_widths)
    n_gaps = len(names) + len(numbers) - 1
    gap = 2 if roomy + 2 * n_gaps <= console.width else 1
    share = (console.width - sum(number_widths) - gap * n_gaps) // len(names)
    name_widths = [min(width, max(share, _NAME_WIDTH)) for width in full_widths]

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap - 1, 0, 0))
    for column, width in zip(names, name_widths, strict=True):
        table.add_column(column, width=width, overflow="fold")
    for column, width in zip(numbers, number_widths, strict=True):
        table.add_column(column, width=width, no_wrap=True, justify="right")
    for row, (_, cells) in zip(name_rows, rows, strict=True):
        table.add_row(*map(Text, row), *cells.values())
    console.width = max(console.width, sum(name_widths) + sum(number_widths) + gap * n_gaps)
    console.print(table)


def _width(text: str) -> int:
    return max(cell_len(line) for line in text.split("\n"))
