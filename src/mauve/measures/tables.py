"""Measurements as tables: plain text, CSV, LaTeX."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mauve.escape import escaped
from mauve.measures.protocol import Measure
from mauve.measures.results import Measured, Measurements
from mauve.tables import as_markdown as markdown_table
from mauve.tables import as_text as text_table
from mauve.tables import latex_escaped

NOTHING = "--"  # what the paper's tables show where a measure says nothing
_CSV_COLUMNS = (
    "system", "n_texts", "measure", "direction", "value", "low", "high", "standard_error",
    "gap", "gap_low", "gap_high", "best",
)  # fmt: skip
_HUGE = 1e6  # beyond, digits before the point say nothing
_MARKS = {"higher": "↑", "lower": "↓", "human": "≈"}


@dataclass(frozen=True)
class Cell:
    """One number of a table.

    Attributes
    ----------
    value : str
    reach : str
        Half the width of the interval; empty for human text that is only a reference.
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


def column_title(measure: Measure, *, gaps: bool = False) -> str:
    """Return what stands over a column: ↑ higher is better, ↓ lower is, ≈ near human is.

    Examples
    --------
    >>> from mauve.measures.zipf import ZIPF
    >>> column_title(ZIPF), column_title(ZIPF, gaps=True)
    ('Zipf ≈', 'Zipf ↓')
    """
    gap = gaps and measure.is_statistic
    return f"{measure.title} {_MARKS['lower' if gap else measure.direction]}"


def cells(found: Measurements, measure: Measure, *, gaps: bool = False) -> list[Cell]:
    """Return a column: one cell for each system, then one for human text."""
    rows = [own.get(measure.name) for own in found.values()]
    if gaps:
        rows = [None if row is None else row.as_gap() for row in rows]
    human = None if gaps else found.human.get(measure.name)
    decimals = _decimals([row for row in [*rows, human] if row is not None])
    best = found.best(measure.name) if len(found) > 1 else []  # alone, nothing is best
    column = [
        Cell(NOTHING) if row is None else _cell(row, decimals, name in best)
        for name, row in zip(found, rows, strict=True)
    ]
    return [*column, Cell(NOTHING) if human is None else _cell(human, decimals, False)]


def _cell(found: Measured, decimals: int, is_best: bool) -> Cell:
    if not np.isfinite(found.value):
        return Cell("∞", is_best=is_best)
    numbers = (found.value, _reach(found), found.standard_error)
    if max(map(abs, numbers)) >= _HUGE:
        value, reach, error = (f"{number:.3g}" for number in numbers)
    else:  # adding 0 takes the sign off a zero
        value, reach, error = (f"{round(x, decimals) + 0:.{decimals}f}" for x in numbers)
    return Cell(value, reach, error, is_best)


def _reach(found: Measured) -> float:
    low, high = found.interval
    return (high - low) / 2


def _decimals(column: Sequence[Measured]) -> int:
    """Return so many decimals that the interval of a typical row has two digits."""
    reaches = [_reach(found) for found in column if np.isfinite(found.value)]
    reaches = [reach for reach in reaches if reach > 0]
    if not reaches:
        return 3
    return int(np.clip(1 - np.floor(np.log10(reaches).mean()), 0, 7))


def row_names(found: Measurements) -> list[str]:
    """Return the names of the rows, human last as in the paper's tables."""
    return [escaped(name) for name in [*found, found.human_name]]


def as_text(found: Measurements, *, gaps: bool = False) -> str:
    """Return a table of plain text; a star marks the best of each column."""
    return text_table(*_titles_and_rows(found, gaps))


def as_markdown(found: Measurements, *, gaps: bool = False) -> str:
    """Return a Markdown table; a star marks the best of each column."""
    return markdown_table(*_titles_and_rows(found, gaps))


def _titles_and_rows(found: Measurements, gaps: bool) -> tuple[list[str], list[list[str]]]:
    titles = ["system", *(column_title(measure, gaps=gaps) for measure in found.measures)]
    columns = [[str(cell) for cell in cells(found, m, gaps=gaps)] for m in found.measures]
    rows = [list(row) for row in zip([*found, found.human_name], *columns, strict=True)]
    return titles, rows[:-1] if gaps else rows  # human text is at no distance from itself


def as_csv(found: Measurements) -> str:
    """Return one line for each sample and measure."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow(_CSV_COLUMNS)
    for name, own in [*found.items(), (found.human_name, found.human)]:
        for measure in found.measures:
            if measure.name not in own:
                continue
            cell = own[measure.name]
            gap = ["", "", ""] if cell.gap_interval is None else [cell.gap, *cell.gap_interval]
            is_best = own is not found.human and name in found.best(measure.name)
            numbers = [cell.value, *cell.interval, cell.standard_error, *gap]
            write.writerow(
                [
                    _plain(name),
                    found.n_texts[name],
                    measure.name,
                    measure.direction,
                    *numbers,
                    int(is_best),
                ]
            )
    return out.getvalue()


def _plain(name: str) -> str:
    """Return a name that neither a terminal nor a spreadsheet acts upon."""
    shown = escaped(name)
    return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown


def as_latex(found: Measurements, *, gaps: bool = False) -> str:
    r"""Return a ``tabular`` in the paper's layout: subscripts are standard errors.

    The best of each column is bold, and human text stands in a row of its own below a rule.
    """
    arrows = {"↑": r"($\uparrow$)", "↓": r"($\downarrow$)", "≈": ""}
    heads = []
    for measure in found.measures:
        title, _, mark = column_title(measure, gaps=gaps).rpartition(" ")
        heads.append(rf"\textbf{{{latex_escaped(title)}}}{arrows[mark]}")
    columns = [[_latex_cell(c) for c in cells(found, m, gaps=gaps)] for m in found.measures]
    rows = [
        " & ".join([latex_escaped(name), *row]) + r" \\"
        for name, *row in zip(row_names(found), *columns, strict=True)
    ]
    human = [] if gaps else [r"\midrule", rows[-1]]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * len(heads)}}}",
            r"\toprule",
            " & ".join([r"\textbf{System}", *heads]) + r" \\",
            r"\midrule",
            *rows[:-1],
            *human,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _latex_cell(cell: Cell) -> str:
    if cell.value == NOTHING:
        return NOTHING
    value = r"\infty" if cell.value == "∞" else cell.value
    if cell.is_best:
        value = rf"\mathbf{{{value}}}"
    return f"${value}_{{{cell.error}}}$" if cell.error else f"${value}$"
