"""Tables of names and numbers, readable in a pipe and in 80 columns."""

from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mauve.escape import escaped

_NAME_WIDTH = 12  # a name keeps this much, or all of it, whatever the width
_ROOMY_NAME = 20  # columns move closer together before a name of this length is folded


def print_table(
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
    name_rows = [[escaped(name) for name in row] for row, _ in rows]
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


def fitting(
    width: int, names: Sequence[str], columns: Mapping[str, Sequence[str]]
) -> Iterator[list[str]]:
    """Yield the titles of as many columns at a time as fit the width, at least one.

    Examples
    --------
    >>> list(fitting(20, ["human", "model"], {"a": ["0.12"] * 2, "b": ["0.1"], "c": ["0.1234"]}))
    [['a', 'b'], ['c']]
    """
    name_width = min(max(_width(escaped(name)) for name in names), _ROOMY_NAME)
    titles: list[str] = []
    used = name_width
    for title, cells in columns.items():
        own = 2 + max(_width(title), *map(_width, cells))
        if titles and used + own > width:
            yield titles
            titles, used = [], name_width
        titles.append(title)
        used += own
    yield titles
