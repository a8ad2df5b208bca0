"""Lay out the results of an experiment as the paper's tables: means, deviations, the best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mauve import tables
from mauve.experiment.aggregation import OverSeeds
from mauve.measures.tables import Cell, Column

_HEADINGS = {"num_buckets": "k", "scaling": "c"}
_LATEX_MARKS = {"↑": r"($\uparrow$)", "↓": r"($\downarrow$)", "≈": ""}


@dataclass(frozen=True)
class ResultsTable:
    """A table of an experiment.

    Attributes
    ----------
    caption : str
        What all its cells have in common, and what its numbers are.
    headings : tuple of str
        Of the columns that name a row.
    names : tuple of tuple of str
        Of each row, as many as headings.
    columns : tuple of Column
    numbers : tuple of tuple of OverSeeds or None
        The numbers of each row, one for each column.
    cells : tuple of tuple of str or None
        Names of the cells, which ``mauve experiment show`` takes; None for human text and where
        there is no value.
    n_human : int
        How many of the last rows are of human text.
    warnings : tuple of str
    """

    caption: str
    headings: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    columns: tuple[Column, ...]
    numbers: tuple[tuple[OverSeeds | None, ...], ...]
    cells: tuple[tuple[str | None, ...], ...]
    n_human: int = 0
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the table as plain text, with its caption and warnings."""
        return tables.with_warnings(f"{self.to_text()}\n\n{self.caption}", self.warnings)

    def rows(self) -> list[list[Cell]]:
        """Return the cells of each row."""
        by_column = [column.cells for column in self.columns]
        return [list(row) for row in zip(*by_column, strict=True)]

    def title(self, heading: str) -> str:
        """Return the title of a column that names a row."""
        return _HEADINGS.get(heading, heading)

    def to_text(self) -> str:
        """Return the table as plain text; a star marks the best of each column."""
        return tables.as_text(*self._as_strings(), left=len(self.headings))

    def to_markdown(self) -> str:
        """Return the table in Markdown; a star marks the best of each column."""
        return tables.as_markdown(*self._as_strings(), left=len(self.headings))

    def _as_strings(self) -> tuple[list[str], list[list[str]]]:
        titles = [*map(self.title, self.headings), *(column.heading for column in self.columns)]
        rows = zip(self.names, self.rows(), strict=True)
        return titles, [[*names, *map(str, cells)] for names, cells in rows]

    def to_latex(self, *, transposed: bool = False) -> str:
        r"""Return a ``tabular`` of the package booktabs, as in the paper.

        Subscripts are standard deviations over seeds, bold marks the best.

        Parameters
        ----------
        transposed : bool
            Give each measure a row and each setting a column, as in tables 3 and 4 of the paper.
        """
        columns = [self._latex_title(column) for column in self.columns]
        body = [[cell.to_latex() for cell in row] for row in self.rows()]
        if transposed:
            titles = [[rf"\textbf{{{tables.latex_escaped(name)}}}" for name in row]
                      for row in self._differing_names()]  # fmt: skip
            heads = [[""] + [names[i] for names in titles] for i in range(len(titles[0]))]
            lines = [
                [title, *cells]
                for title, cells in zip(columns, zip(*body, strict=True), strict=True)
            ]
            return _tabular(1, heads, lines, set())
        headings = [
            rf"\textbf{{{tables.latex_escaped(self.title(heading).capitalize())}}}"
            if len(self.title(heading)) > 1 else f"${heading}$"
            for heading in self.headings
        ]  # fmt: skip
        names = self._merged_names()
        lines = [[*map(tables.latex_escaped, name), *row]
                 for name, row in zip(names, body, strict=True)]  # fmt: skip
        rules = {i for i, name in enumerate(names) if i and len(name) > 1 and name[0]}
        if len(rules) == len(names) - self.n_human - 1:  # each row would be a block of its own
            rules = set()
        if self.n_human:
            rules.add(len(lines) - self.n_human)
        return _tabular(len(self.headings), [[*headings, *columns]], lines, rules)

    def _latex_title(self, column: Column) -> str:
        return (
            rf"\textbf{{{tables.latex_escaped(column.title)}}}{_LATEX_MARKS.get(column.mark, '')}"
        )

    def _merged_names(self) -> list[tuple[str, ...]]:
        """Return the names of the rows, without those that the row above has too."""
        merged = []
        before: tuple[str, ...] = ()
        for name in self.names:
            n_same = 0
            while n_same < len(name) - 1 and name[: n_same + 1] == before[: n_same + 1]:
                n_same += 1
            merged.append(("",) * n_same + name[n_same:])
            before = name
        return merged

    def _differing_names(self) -> list[list[str]]:
        """Return the parts of the names in which rows differ, the last one always."""
        last = len(self.headings) - 1
        kept = [i for i in range(last + 1) if i == last or len({n[i] for n in self.names}) > 1]
        return [[name[i] for i in kept] for name in self.names]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each cell, with all digits; None is undefined."""
        return [
            {
                "cell": cell,
                **dict(zip(self.headings, names, strict=True)),
                "is_human": i >= len(self.names) - self.n_human,
                "measure": column.measure,
                "column": column.title,
                **_as_dict(number),
                "is_best": shown.is_best,
            }
            for i, (names, numbers, cells) in enumerate(
                zip(self.names, self.numbers, self.cells, strict=True)
            )
            for column, number, cell, shown in zip(
                self.columns, numbers, cells, self.rows()[i], strict=True
            )
        ]

    def to_csv(self) -> str:
        """Return one line for each cell, with a header; an undefined value is empty."""
        return tables.as_csv(self.to_records())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects, ready for JSON."""
        return {
            "caption": self.caption,
            "cells": [_finite(record) for record in self.to_records()],
            "warnings": list(self.warnings),
        }


def show_without_deviation(column: Column, numbers: Sequence[OverSeeds | None]) -> Column:
    """Return a column without deviations where there is one seed, as for greedy decoding.

    Examples
    --------
    >>> column = Column("mauve", "MAUVE", "↑", [Cell("0.012", "0.000", "0.000")])
    >>> str(show_without_deviation(column, [OverSeeds(0.012, None, 0.01, 1)]).cells[0])
    '0.012'
    """
    cells = [
        cell if number is not None and number.deviation is not None
        else replace(cell, reach="", error="")
        for cell, number in zip(column.cells, numbers, strict=True)
    ]  # fmt: skip
    return replace(column, cells=cells)


def _as_dict(number: OverSeeds | None) -> dict[str, Any]:
    if number is None:
        return dict.fromkeys(("mean", "deviation", "gap", "n_seeds"))
    return {
        "mean": number.mean,
        "deviation": number.deviation,
        "gap": number.gap,
        "n_seeds": number.n_seeds,
    }


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record for JSON, which has no infinity: it is None, and marked."""
    infinite = [name for name in ("mean", "gap") if record[name] == float("inf")]
    marks = {"infinite": True} if infinite else {}
    return record | dict.fromkeys(infinite) | marks


def _tabular(n_names: int, heads: list[list[str]], lines: list[list[str]], rules: set[int]) -> str:
    body = []
    for i, line in enumerate(lines):
        if i in rules:
            body.append(r"\midrule")
        body.append(" & ".join(line) + r" \\")
    n_numbers = len(lines[0]) - n_names
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * n_names}{'r' * n_numbers}}}",
            r"\toprule",
            *(" & ".join(head) + r" \\" for head in heads),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
