"""Find the rows of a cell by its name."""

from collections.abc import Sequence
from typing import Any

from mauve.calls import parameter
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.experiment.cell_names import level_name
from mauve.experiment.results import DIMENSIONS, SCORING, ExperimentResults, GridRow

#: What a cell is named by beside the fields of a setting.
MEASURE = "measure"


def find_cell(results: ExperimentResults, cell: str) -> tuple[list[GridRow], str | None]:
    """Return the rows of a cell and its measure, or raise.

    Parameters
    ----------
    results : ExperimentResults
    cell : str
        Parts with slashes between them, each NAME=VALUE or a value alone, such as
        ``small/greedy/64/mauve``. What is left out has any value, but for how texts are scored:
        that is the base.

    Examples
    --------
    >>> from mauve.experiment.results import GridSetting
    >>> rows = tuple(GridRow(GridSetting("t", "small", "greedy", s, 64), {}) for s in (0, 1))
    >>> results = ExperimentResults("study", {"scaling": 5.0}, (), rows, ())
    >>> len(find_cell(results, "small/64")[0]), len(find_cell(results, "seed=1/scaling=5")[0])
    (2, 1)
    """
    levels: dict[str, Any] = {}
    measure = None
    for part in filter(None, (each.strip() for each in cell.split("/"))):
        name, value = _dimension(results, part)
        if name == MEASURE:
            measure = value
        elif name in levels:
            raise _bad(cell, f"it has two values of {name}: give one of them")
        else:
            levels[name] = value
    rows = results.base_rows(*(name for name in SCORING if name in levels), **levels)
    if not rows or not (levels or measure):
        known = "; ".join(
            f"{name}: {_listed(results.levels(name), name)}" for name in DIMENSIONS if len(results)
        )
        raise _bad(cell, f"there are no such rows; there are {known}")
    return rows, measure


def _dimension(results: ExperimentResults, part: str) -> tuple[str, Any]:
    """Return the dimension and the value that a part of a name stands for."""
    name, equals, text = part.partition("=")
    measures = [each.name for each in results.measures]
    if equals and name == MEASURE:
        if text not in measures:
            raise _bad(part, f"the measures are {_listed(measures)}")
        return MEASURE, text
    if equals and name in DIMENSIONS:
        for value in results.levels(name):
            if _is_same(name, value, text):
                return name, value
        raise _bad(part, f"{name} has the values {_listed(results.levels(name), name)}")
    found = [
        (each, value)
        for each in DIMENSIONS
        for value in results.levels(each)
        if _is_same(each, value, part)
    ]
    found += [(MEASURE, part)] if part in measures else []
    # A model called "bundled", or a length of 64, is rather meant than the embedder or the seed.
    found = [each for each in found if each[0] not in (*SCORING, "seed")] or found
    if not found:
        raise _bad(part, f"nothing has this value: write NAME={part} with one of {DIMENSIONS}")
    if len(found) > 1:
        ways = " or ".join(f"{each}={part}" for each, _ in found)
        raise _bad(part, f"it may be several things: write {ways}")
    return found[0]


def _is_same(dimension: str, value: Any, text: str) -> bool:
    if level_name(dimension, value) == text:
        return True
    if isinstance(value, float):
        try:
            return float(text) == value
        except ValueError:
            return False
    return False


def _listed(values: Sequence[Any], dimension: str = "") -> str:
    shown = [escaped(level_name(dimension, value) or "''") for value in values[:12]]
    return ", ".join(shown) + (", …" if len(values) > len(shown) else "")


def _bad(cell: str, problem: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"{parameter('cell')} must name rows of the results. Got '{escaped(cell)}' instead: "
        f"{problem}."
    )
