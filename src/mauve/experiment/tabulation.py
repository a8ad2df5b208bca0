"""Tabulate the results of an experiment: settings in rows, measures or levels in columns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import escaped, listed
from mauve.experiment.aggregation import OverSeeds, best_of, defined, over_seeds
from mauve.experiment.cell_names import CellNames, level_name
from mauve.experiment.collect import COMPANIONS
from mauve.experiment.results import (
    DIMENSIONS,
    SCORING,
    ExperimentResults,
    GridRow,
    GridSetting,
    MeasureInfo,
)
from mauve.experiment.tables import ResultsTable, show_without_deviation
from mauve.measures.intervals import Measured
from mauve.measures.tables import make_column

MEASURE = "measure"
ALL = "all"
#: What columns can be.
COLUMNS = (MEASURE, *(name for name in DIMENSIONS if name != "seed"))

_TEXTS = ("task", "length", "model", "decoder")  # the order of rows: blocks are comparable
_DIGITS = 1  # of a deviation over seeds, of which there are few
_PREFIXES = {"num_buckets": "k=", "scaling": "c=", "n": "n=", "length": "length "}


@dataclass(frozen=True)
class _Column:
    """A measure at one level of the dimension in columns, or at none."""

    measure: MeasureInfo
    title: str
    level: dict[str, Any]


def make_table(
    results: ExperimentResults,
    measures: Sequence[str] | None = None,
    *,
    columns: str = MEASURE,
    gaps: bool = False,
    levels: Mapping[str, Any] | None = None,
) -> ResultsTable:
    """Return a table of an experiment.

    Parameters
    ----------
    results : ExperimentResults
    measures : sequence of str, optional
        By default all but the numbers beside a score, such as its ceiling, or MAUVE alone if
        columns are levels of a dimension.
    columns : str
        "measure", or a dimension such as "length" or "embedder", whose levels are the columns.
    gaps : bool
        Show |T(Q) - T(P)| of statistics in place of T(Q), without rows for human text.
    levels : mapping from dimension to value, optional
        Which rows: a value, a list of values, or "all". By default texts of the greatest length,
        scored as the base is.

    Returns
    -------
    ResultsTable

    Examples
    --------
    >>> rows = [GridRow(GridSetting("web", "gpt2", decoder, 0, 64),
    ...                 {"mauve": Measured(score, (score - 0.1, score + 0.1), 0.05)})
    ...         for decoder, score in (("greedy", 0.1), ("ancestral", 0.8))]
    >>> mauve = MeasureInfo("mauve", "MAUVE", "higher", False)
    >>> table = make_table(ExperimentResults("study", {}, (mauve,), tuple(rows), ()))
    >>> print(table.to_text())
    decoder    MAUVE ↑
    greedy        0.10
    ancestral    0.80*
    """
    if columns not in COLUMNS:
        raise bad_parameter("columns", f"one of {', '.join(COLUMNS)}", columns)
    rows, fixed = _selected(results, columns, dict(levels or {}))
    asked = _columns(results, rows, measures, columns)
    headings = _headings(rows, columns, fixed)
    groups: dict[tuple[Any, ...], list[GridRow]] = {}
    for row in _sorted(rows, headings):
        groups.setdefault(tuple(getattr(row.setting, name) for name in headings), []).append(row)
    blocks = [(members[0].setting.task, members[0].setting.length) for members in groups.values()]
    human = [] if gaps else _human_rows(results, rows, headings, columns, asked)
    cell_names = CellNames(results)
    numbers, cells, made = [], [], []
    for column in asked:
        per_row, names = [], []
        for members in groups.values():
            matching = _matching(members, column.level)
            per_row.append(
                over_seeds(matching, column.measure, _human_value(results, matching, column))
            )
            names.append(cell_names.cell(matching[0].setting, column.measure.name)
                         if per_row[-1] is not None else None)  # fmt: skip
        best = [False] * len(per_row)
        for block in dict.fromkeys(blocks):
            inside = [i for i, other in enumerate(blocks) if other == block]
            for i, mark in zip(
                inside, best_of([per_row[i] for i in inside], column.measure), strict=True
            ):
                best[i] = mark
        values = [*per_row, *(_human_number(results, setting, column) for _, setting in human)]
        described = replace(column.measure, title=column.title)
        have_deviations = any(value is not None and value.deviation is not None for value in values)
        laid_out = make_column(
            described,
            [_as_measured(value, have_deviations) for value in values],
            best + [False] * len(human),
            gaps=gaps,
            digits=_DIGITS,
        )
        made.append(show_without_deviation(laid_out, values))
        numbers.append(values)
        cells.append(names + [None] * len(human))
    return ResultsTable(
        _caption(results, rows, fixed, headings, asked, gaps),
        headings,
        tuple(
            [tuple(map(level_name, headings, key)) for key in groups] + [name for name, _ in human]
        ),
        tuple(made),
        tuple(zip(*numbers, strict=True)),
        tuple(zip(*cells, strict=True)),
        len(human),
        _warnings(results, groups, asked, cell_names),
    )


def _selected(
    results: ExperimentResults, columns: str, levels: dict[str, Any]
) -> tuple[list[GridRow], dict[str, Any]]:
    """Return the rows of a table, and the dimensions that are given or at the base."""
    for name in levels:
        if name not in DIMENSIONS:
            raise bad_parameter("levels", f"among {', '.join(DIMENSIONS)}", name)
    fixed = {name: value for name, value in results.base.items() if name in SCORING}
    if lengths := results.levels("length"):
        fixed["length"] = None if None in lengths else max(lengths)
    fixed.pop(columns, None)
    fixed.update(levels)
    fixed = {name: value for name, value in fixed.items() if value != ALL}
    rows = results.select(**fixed)
    if not rows:
        given = ", ".join(f"{name} {level_name(name, value)}" for name, value in levels.items())
        has = "; ".join(
            f"{name} {listed([level_name(name, level) for level in results.levels(name)])}"
            for name in levels
        )
        raise InvalidParameterError(
            f"'{escaped(results.name)}' has no results for {escaped(given)}: it has {has}."
            if levels
            else f"'{escaped(results.name)}' has no results yet: run the experiment first."
        )
    return rows, fixed


def _columns(
    results: ExperimentResults,
    rows: Sequence[GridRow],
    measures: Sequence[str] | None,
    columns: str,
) -> list[_Column]:
    if measures is None:
        has_mauve = any(measure.name == "mauve" for measure in results.measures)
        only = columns != MEASURE and has_mauve
        measures = ["mauve"] if only else main_measures(results)
    described = [results.measure(name) for name in measures]
    if not described:
        raise bad_parameter("measures", "at least one measure", [])
    if columns == MEASURE:
        return [_Column(measure, measure.title, {}) for measure in described]
    if len(described) > 1:
        rule = f"one measure, as columns are levels of {columns}"
        raise bad_parameter("measures", rule, [measure.name for measure in described])
    return [
        _Column(described[0], _PREFIXES.get(columns, "") + level_name(columns, level),
                {columns: level})
        for level in ordered_levels(rows, columns)
    ]  # fmt: skip


def _headings(rows: Sequence[GridRow], columns: str, fixed: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the dimensions that name a row: those in which rows differ, and the decoder."""

    def n_levels(name: str) -> int:
        return len({getattr(row.setting, name) for row in rows})

    headings = [name for name in (*_TEXTS, *SCORING) if name != columns and n_levels(name) > 1]
    if not {"model", "decoder"} & {*headings}:
        has_decoder = columns != "decoder" and any(row.setting.decoder for row in rows)
        headings.append("decoder" if has_decoder else "model" if columns != "model" else "task")
    return tuple(dict.fromkeys(name for name in (*_TEXTS, *SCORING) if name in headings))


def main_measures(results: ExperimentResults) -> list[str]:
    """Return the names of all measures but the numbers beside a score, such as its ceiling.

    Examples
    --------
    >>> measures = [MeasureInfo(name, name, "higher", False) for name in ("mauve", "ceiling")]
    >>> main_measures(ExperimentResults("study", {}, tuple(measures), (), ()))
    ['mauve']
    """
    names = [measure.name for measure in results.measures]
    return [name for name in names if name not in COMPANIONS] or names


def ordered_levels(rows: Iterable[GridRow], dimension: str) -> list[Any]:
    """Return the values of a dimension: names as they come, then numbers by size, then None.

    Examples
    --------
    >>> settings = [GridSetting("web", "m", "greedy", 0, length) for length in (None, 64, 32)]
    >>> ordered_levels([GridRow(setting, {}) for setting in settings], "length")
    [32, 64, None]
    """
    found = [*dict.fromkeys(getattr(row.setting, dimension) for row in rows)]
    numbers = sorted(level for level in found if isinstance(level, int | float))
    names = [level for level in found if isinstance(level, str)]
    return [*names, *numbers, *([None] if None in found else [])]


def _sorted(rows: Sequence[GridRow], headings: Sequence[str]) -> list[GridRow]:
    places = {name: ordered_levels(rows, name) for name in headings}
    return sorted(
        rows, key=lambda row: [places[n].index(getattr(row.setting, n)) for n in headings]
    )


def _matching(rows: Sequence[GridRow], level: Mapping[str, Any]) -> list[GridRow]:
    return [
        row for row in rows
        if all(getattr(row.setting, name) == value for name, value in level.items())
    ]  # fmt: skip


def _human_value(
    results: ExperimentResults, rows: Sequence[GridRow], column: _Column
) -> float | None:
    if not rows:
        return None
    number = _human_number(results, rows[0].setting, column)
    return None if number is None else number.mean


def _human_number(
    results: ExperimentResults, setting: GridSetting, column: _Column
) -> OverSeeds | None:
    at = replace(setting, **column.level)
    values = results.human_values(at.task, at.length, n=at.n, embedder=at.embedder)
    measured = values.get(column.measure.name)
    if measured is None or np.isnan(measured.value):
        return None
    return OverSeeds(measured.value, None, measured.standard_error, 1)


def _human_rows(
    results: ExperimentResults,
    rows: Sequence[GridRow],
    headings: Sequence[str],
    columns: str,
    asked: Sequence[_Column],
) -> list[tuple[tuple[str, ...], GridSetting]]:
    """Return names and settings of the rows of human text, one for each task and length."""
    differing = ("task", "length", "embedder", "n")
    settings = {tuple(getattr(row.setting, name) for name in differing if name != columns):
                row.setting for row in reversed(rows)}  # fmt: skip
    found = [
        setting for setting in reversed(settings.values())
        if any(_human_number(results, setting, column) for column in asked)
    ]  # fmt: skip
    place = next(
        i for i, name in enumerate(headings) if name in ("model", "decoder", *headings[-1:])
    )
    return [
        (
            tuple(
                "human" if i == place
                else level_name(name, getattr(setting, name)) if name in differing else ""
                for i, name in enumerate(headings)
            ),
            setting,
        )
        for setting in found
    ]  # fmt: skip


def _as_measured(number: OverSeeds | None, have_deviations: bool) -> Measured | None:
    """Return a mean with its deviation in place of an interval, from which come the decimals.

    They come from the standard errors if no setting of a column has several seeds.
    """
    if number is None:
        return None
    spread = (number.deviation or 0.0) if have_deviations else number.error
    if not np.isfinite(spread):  # of what has no standard error, such as a p-value
        spread = 0.0
    around = (number.mean - spread, number.mean + spread)
    if number.gap is None:
        return Measured(number.mean, around, spread)
    return Measured(
        number.mean, around, spread, number.gap, (number.gap - spread, number.gap + spread), spread
    )


def _caption(
    results: ExperimentResults,
    rows: Sequence[GridRow],
    fixed: Mapping[str, Any],
    headings: Sequence[str],
    asked: Sequence[_Column],
    gaps: bool,
) -> str:
    in_columns = {name for column in asked for name in column.level}
    common = [
        f"{name.replace('num_buckets', 'k').replace('scaling', 'c')} "
        f"{level_name(name, getattr(rows[0].setting, name))}"
        for name in (*_TEXTS, *SCORING)
        if name not in headings
        and name not in in_columns
        and (name in fixed or name in _TEXTS)
        and getattr(rows[0].setting, name) != ""
    ]
    n_seeds = len({row.setting.seed for row in rows})
    sentences = [f"{escaped(results.name)}: {escaped(', '.join(common))}."]
    if any(column.level for column in asked):
        sentences.append(f"Values are {asked[0].measure.title}.")
    if n_seeds > 1:
        sentences.append(f"Means over up to {n_seeds} random seeds; ± is the standard deviation.")
    if gaps:
        sentences.append("Statistics are gaps to human text, |T(Q) - T(P)|.")
    sentences.append("* is the best, -- is not defined.")
    return " ".join(sentences)


def _warnings(
    results: ExperimentResults,
    groups: Mapping[tuple[Any, ...], Sequence[GridRow]],
    asked: Sequence[_Column],
    cell_names: CellNames,
) -> tuple[str, ...]:
    warnings = []
    if not results.is_complete:
        warnings.append(
            "The experiment is not complete: 'mauve experiment run' computes what is missing."
        )
    for column in asked:
        lacking = []
        for members in groups.values():
            matching = _matching(members, column.level)
            n_defined = len(defined(matching, column.measure))
            given = [row for row in matching if column.measure.name in row.values]
            if n_defined < len(given) or 0 < n_defined < len(matching):
                name = cell_names.cell(matching[0].setting, column.measure.name)
                lacking.append(f"{name} ({n_defined} of {len(matching)} seeds)")
        if lacking:
            warnings.append(f"Some seeds have no value, and are left out of: {listed(lacking)}.")
    return tuple(warnings)
