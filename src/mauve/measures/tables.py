"""Lay out measured values as tables: plain text, Markdown, CSV, LaTeX."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mauve import tables
from mauve.measures.intervals import Measured
from mauve.measures.protocol import Measure

UNDEFINED = "--"  # as in the paper's tables
_CSV_COLUMNS = (
    "system", "n_texts", "measure", "direction", "value", "low", "high", "standard_error",
    "gap", "gap_low", "gap_high", "best",
)  # fmt: skip
_ROUNDING = 1e-9  # share of the widest interval that is an error of rounding
_HUGE = 1e6  # numbers from here on are in scientific notation
_MARKS = {"higher": "↑", "lower": "↓", "human": "≈"}
_LATEX_MARKS = {"↑": r"($\uparrow$)", "↓": r"($\downarrow$)", "≈": ""}


class Described(Protocol):
    """What a table must know of a measure, such as :class:`Measure`."""

    @property
    def name(self) -> str:
        """By which it is selected."""

    @property
    def title(self) -> str:
        """Of its column."""

    @property
    def direction(self) -> str:
        """Which values are good: "higher", "lower" or "human"."""

    @property
    def is_statistic(self) -> bool:
        """Whether human text has a value."""


@dataclass(frozen=True)
class Cell:
    """One number of a table.

    Attributes
    ----------
    value : str
    reach : str
        Half the width of the interval; empty for an infinite or undefined value.
    error : str
        The standard error.
    is_best : bool
        Whether no other system is better by this measure.
    """

    value: str
    reach: str = ""
    error: str = ""
    is_best: bool = False

    def __str__(self) -> str:
        return self.value + (f" ±{self.reach}" if self.reach else "") + "*" * self.is_best

    def to_latex(self) -> str:
        """Return the value, bold if it is the best, with the standard error as subscript."""
        if self.value == UNDEFINED:
            return UNDEFINED
        value = r"\infty" if self.value == "∞" else self.value
        if self.is_best:
            value = rf"\mathbf{{{value}}}"
        return f"${value}_{{{self.error}}}$" if self.error else f"${value}$"


@dataclass(frozen=True)
class Column:
    """The column of one measure.

    Attributes
    ----------
    measure : str
        Name of the measure.
    title : str
    mark : str
        ↑ if higher is better, ↓ if lower is, ≈ if nearer to human text is.
    cells : list of Cell
        One for each row.
    """

    measure: str
    title: str
    mark: str
    cells: list[Cell]

    @property
    def heading(self) -> str:
        """Title and mark."""
        return f"{self.title} {self.mark}"


def make_column(
    measure: Described,
    rows: Sequence[Measured | None],
    is_best: Sequence[bool],
    *,
    gaps: bool = False,
    digits: int = 2,
) -> Column:
    """Return the column of a measure.

    Parameters
    ----------
    measure : Described
    rows : sequence of Measured or None
        What each row shows; None where the measure is not defined.
    is_best : sequence of bool
        Whether each row is the best by this measure.
    gaps : bool
        Show |T(Q) - T(P)| of a statistic in place of T(Q).
    digits : int
        How many digits half the width of a typical interval has.

    Examples
    --------
    >>> from mauve.measures.zipf import ZIPF
    >>> column = make_column(ZIPF, [Measured(1.0, (0.9, 1.1), 0.05), None], [True, False])
    >>> column.heading, [str(cell) for cell in column.cells]
    ('Zipf ≈', ['1.00 ±0.10*', '--'])
    """
    if gaps:
        # Where the statistic is not defined for human text, there is no gap to it.
        rows = [
            None if row is None or (measure.is_statistic and row.gap is None) else row.as_gap()
            for row in rows
        ]
    decimals = _decimals([row for row in rows if row is not None], digits)
    cells = [
        Cell(UNDEFINED) if row is None else _cell(row, decimals, best)
        for row, best in zip(rows, is_best, strict=True)
    ]
    direction = "lower" if gaps and measure.is_statistic else measure.direction
    return Column(measure.name, measure.title, _MARKS[direction], cells)


def _cell(row: Measured, decimals: int, is_best: bool) -> Cell:
    if not np.isfinite(row.value):
        return Cell("∞", is_best=is_best)
    numbers = (row.value, _reach(row), row.standard_error)
    if max(map(abs, numbers)) >= _HUGE:
        value, reach, error = (f"{number:.3g}" for number in numbers)
    else:  # adding 0 removes the sign of a negative zero
        value, reach, error = (f"{round(x, decimals) + 0:.{decimals}f}" for x in numbers)
    return Cell(value, reach, error, is_best)


def _reach(row: Measured) -> float:
    low, high = row.interval
    return (high - low) / 2


def _decimals(rows: Sequence[Measured], digits: int) -> int:
    """Return the number of decimals that gives half the width of a typical interval its digits."""
    reaches = [_reach(row) for row in rows if np.isfinite(row.value)]
    # Equal texts have an interval of no width but for rounding, which says nothing of the others'.
    reaches = [reach for reach in reaches if reach > _ROUNDING * max(reaches)]
    if not reaches:
        return 3
    return int(np.clip(digits - 1 - np.floor(np.log10(reaches).mean()), 0, 7))


def as_text(names: Sequence[str], columns: Sequence[Column]) -> str:
    """Return a table of plain text; a star marks the best of each column."""
    return tables.as_text(*_titles_and_rows(names, columns))


def as_markdown(names: Sequence[str], columns: Sequence[Column]) -> str:
    """Return a Markdown table; a star marks the best of each column."""
    return tables.as_markdown(*_titles_and_rows(names, columns))


def as_html(names: Sequence[str], columns: Sequence[Column]) -> str:
    """Return an HTML table; a star marks the best of each column."""
    return tables.as_html(*_titles_and_rows(names, columns))


def _titles_and_rows(
    names: Sequence[str], columns: Sequence[Column]
) -> tuple[list[str], list[list[str]]]:
    titles = ["system", *(column.heading for column in columns)]
    cells = [[str(cell) for cell in column.cells] for column in columns]
    return titles, [list(row) for row in zip(names, *cells, strict=True)]


def as_latex(names: Sequence[str], columns: Sequence[Column], *, has_human: bool) -> str:
    r"""Return a ``tabular`` in the paper's layout: subscripts are standard errors.

    The best of each column is bold. If `has_human`, the last row, of human text, stands below
    a rule.
    """
    titles = [
        rf"\textbf{{{tables.latex_escaped(column.title)}}}{_LATEX_MARKS[column.mark]}"
        for column in columns
    ]
    cells = [[cell.to_latex() for cell in column.cells] for column in columns]
    rows = [
        " & ".join([tables.latex_escaped(name), *row]) + r" \\"
        for name, *row in zip(names, *cells, strict=True)
    ]
    if has_human:
        rows.insert(-1, r"\midrule")
    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
            r"\toprule",
            " & ".join([r"\textbf{System}", *titles]) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


@dataclass(frozen=True)
class Record:
    """One line of the CSV table: a measure of a sample, None if it is undefined."""

    sample: str
    n_texts: int
    measure: Measure
    measured: Measured | None
    is_best: bool


def as_csv(records: Iterable[Record]) -> str:
    """Return one line for each sample and measure, with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for record in records:
        row = record.measured
        numbers: list[float] = []
        if row is not None:
            numbers = [row.value, *row.interval, row.standard_error]
            if row.gap is not None and row.gap_interval is not None:
                numbers += [row.gap, *row.gap_interval]
        # An infinite value may have a standard error that is not a number.
        cells = ["" if np.isnan(number) else number for number in numbers]
        writer.writerow(
            [
                tables.csv_escaped(record.sample),
                record.n_texts,
                record.measure.name,
                record.measure.direction,
                *cells,
                *[""] * (7 - len(cells)),
                int(record.is_best),
            ]
        )
    return out.getvalue()
