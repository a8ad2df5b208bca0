"""Select the lines of a figure from the results of an experiment: means and deviations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.experiment.aggregation import OverSeeds, over_seeds
from mauve.experiment.results import ExperimentResults, GridRow, MeasureInfo
from mauve.experiment.tabulation import ordered_levels
from mauve.lm.decoding import Decoding, parse_decoder
from mauve.plots.axes import Style, printed_styles
from mauve.plots.grids import Line

MOST_LINES = 12  # in one panel
_MOST_PANELS = 12
_MARKS = {"higher": " ↑", "lower": " ↓", "human": " ≈"}
#: A path along one dimension may lead elsewhere for each of these.
_LINE = ("task", "model", "decoder")


def line_names(rows: Iterable[GridRow], among: Sequence[str] = _LINE) -> dict[tuple[Any, ...], str]:
    """Return a name for the texts of each row: the dimensions in which rows differ.

    Examples
    --------
    >>> from mauve.experiment.results import GridSetting
    >>> rows = [GridRow(GridSetting("web", "gpt2", decoder, 0, 64), {}) for decoder in "ab"]
    >>> line_names(rows)
    {('web', 'gpt2', 'a'): 'a', ('web', 'gpt2', 'b'): 'b'}
    """
    keys = dict.fromkeys(line_key(row, among) for row in rows)
    differ = [i for i in range(len(among)) if len({key[i] for key in keys}) > 1]
    differ = differ or [len(among) - 1]
    return {
        key: ", ".join(part for i in differ if (part := str(key[i]))) or str(key[1]) for key in keys
    }


def line_key(row: GridRow, among: Sequence[str] = _LINE) -> tuple[Any, ...]:
    """Return what tells the lines of a figure apart."""
    return tuple(getattr(row.setting, name) for name in among)


def styles_of(
    results: ExperimentResults,
    names: dict[tuple[Any, ...], str],
    among: Sequence[str] = _LINE,
) -> dict[str, Style]:
    """Return a style for each name, the same in all figures with lines for these dimensions."""
    keys = dict.fromkeys(line_key(row, among) for row in results)
    place = {key: i for i, key in enumerate(keys)}
    styles = [*printed_styles(map(str, range(len(place)))).values()]
    return {name: styles[place[key]] for key, name in names.items()}


def mean_of(
    results: ExperimentResults, rows: Sequence[GridRow], measure: MeasureInfo
) -> OverSeeds | None:
    """Average a measure over the seeds of one setting, with its gap to human text."""
    if not rows:
        return None
    human = human_value(results, rows[0], measure)
    return over_seeds(rows, measure, human)


def human_value(results: ExperimentResults, row: GridRow, measure: MeasureInfo) -> float | None:
    """Return T(P) for the texts that a row is compared with; None if it has none."""
    at = row.setting
    values = results.human_values(at.task, at.length, n=at.n, embedder=at.embedder)
    measured = values.get(measure.name)
    return None if measured is None or not np.isfinite(measured.value) else measured.value


def lines_over(
    results: ExperimentResults,
    rows: Sequence[GridRow],
    measure: MeasureInfo,
    position: Callable[[GridRow], float | None],
    names: dict[tuple[Any, ...], str],
    *,
    gap: bool = False,
    key: Callable[[GridRow], tuple[Any, ...]] = line_key,
) -> list[Line]:
    """Return a line for each name: the mean over seeds at each position.

    Rows without a position, and positions without a finite value, are left out.

    Parameters
    ----------
    results : ExperimentResults
    rows : sequence of GridRow
    measure : MeasureInfo
    position : callable
        Returns x of a row, or None.
    names : dict
        Name of each line by its key.
    gap : bool
        Draw |T(Q) - T(P)| of a statistic in place of T(Q).
    key : callable
        Returns the key of a row's line.
    """
    groups: dict[tuple[Any, ...], dict[float, list[GridRow]]] = {}
    for row in rows:
        x = position(row)
        if x is not None and key(row) in names:
            groups.setdefault(key(row), {}).setdefault(x, []).append(row)
    lines = []
    for line, by_x in groups.items():
        points = []
        for x in sorted(by_x):
            number = mean_of(results, by_x[x], measure)
            y = None if number is None else number.value(gap=gap and measure.is_statistic)
            if number is not None and y is not None and np.isfinite(y):
                points.append((x, y, np.nan if number.deviation is None else number.deviation))
        if points:
            at, values, deviations = np.array(points).T
            lines.append(Line(names[line], at, values, deviations))
    return lines


def varied(results: ExperimentResults, rows: Sequence[GridRow], dimension: str) -> list[Any]:
    """Return the levels of a dimension, at least two, or raise."""
    levels = [*dict.fromkeys(getattr(row.setting, dimension) for row in rows)]
    if len(levels) < 2:
        raise InvalidParameterError(
            f"'{results.name}' varies no {dimension}: give its config two or more of them for "
            "this figure."
        )
    return levels


def decoder_of(row: GridRow) -> Decoding | None:
    """Return the decoding algorithm of a row, or None if its name is no algorithm's.

    Examples
    --------
    >>> from mauve.experiment.results import GridSetting
    >>> decoder_of(GridRow(GridSetting("web", "gpt2", "nucleus:p=0.9", 0, 64), {}))
    Nucleus(temperature=1.0, p=0.9)
    """
    try:
        return parse_decoder(row.setting.decoder)
    except InvalidParameterError:
        return None


def base_rows(
    results: ExperimentResults, rows: Sequence[GridRow], *free: str, length: bool = False
) -> list[GridRow]:
    """Return the rows scored as the base, but for some dimensions, of the greatest length."""
    base = {name: value for name, value in results.base.items() if name not in free}
    kept = [r for r in rows if all(getattr(r.setting, n) == v for n, v in base.items())]
    if not length and kept:
        last = ordered_levels(kept, "length")[-1]
        kept = [row for row in kept if row.setting.length == last]
    if not kept:
        raise InvalidParameterError(
            f"'{escaped(results.name)}' has no results at its base for these levels: leave out "
            "those of how texts are scored."
        )
    return kept


def check_lines(names: Mapping[Any, str]) -> None:
    """Raise if a panel would have more lines than can be told apart."""
    if len(names) > MOST_LINES:
        raise InvalidParameterError(
            f"A panel has room for {MOST_LINES} lines, and there are {len(names)}: "
            f"{listed([*names.values()])}. Choose a model or some decoders."
        )


def mauve_of(results: ExperimentResults) -> MeasureInfo:
    """Return MAUVE as the experiment describes it, or raise."""
    return results.measure("mauve")


def axis_title(measure: MeasureInfo, *, gap: bool = False) -> str:
    """Return the title of an axis: the measure, and where it is good."""
    if gap and measure.is_statistic:
        return f"{measure.title}, gap to human ↓"
    return measure.title + _MARKS[measure.direction]


def checked_panels(n: int) -> int:
    """Return the number of panels, or raise if it is none or too many."""
    if n == 0:
        raise InvalidParameterError("There is nothing to draw: no row has what the figure shows.")
    if n > _MOST_PANELS:
        raise InvalidParameterError(
            f"A figure has room for {_MOST_PANELS} panels, and there are {n}: choose some "
            "measures, models or decoders."
        )
    return n


def with_values(rows: Sequence[GridRow], measures: Sequence[MeasureInfo]) -> list[MeasureInfo]:
    """Return the measures of which some row has a value."""
    return [m for m in measures if any(m.name in row.values for row in rows)]


def model_styles(results: ExperimentResults, names: dict[tuple[Any, ...], str]) -> dict[str, Any]:
    """Return a style for each model, the same in all figures that have a line for each."""
    keys = [*dict.fromkeys(line_key(row, ("task", "model")) for row in results)]
    all_styles = [*printed_styles(map(str, range(len(keys)))).values()]
    return {name: all_styles[keys.index(key)] for key, name in names.items()}
