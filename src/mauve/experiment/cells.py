"""Name the cells of an experiment's tables, and find the rows behind a name."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.experiment.results import SCORING, ExperimentResults, GridRow, GridSetting

_TEXTS = ("task", "model", "decoder", "length")  # name the texts; seeds are averaged over
_SYMBOLS = {"num_buckets": "k", "scaling": "c"}
_UNCUT = "uncut"


@dataclass(frozen=True)
class GridCell:
    """One number of a table: a measure of one setting, over all its seeds.

    Attributes
    ----------
    name : str
    rows : tuple of GridRow
        One for each seed.
    measure : str
    """

    name: str
    rows: tuple[GridRow, ...]
    measure: str


def cell_name(results: ExperimentResults, setting: GridSetting, measure: str) -> str:
    """Return the name of a cell: its setting without the seed, and its measure.

    It has the dimensions in which rows of the experiment differ, and always the decoder; how
    texts are scored only where it is not the base.

    Parameters
    ----------
    results : ExperimentResults
    setting : GridSetting
    measure : str

    Examples
    --------
    >>> settings = [GridSetting("web", model, "greedy", 0, 64, num_buckets=k, n=500)
    ...             for model in ("small", "large") for k in ("auto", 50)]
    >>> rows = tuple(GridRow(setting, {}) for setting in settings)
    >>> results = ExperimentResults("study", {"num_buckets": "auto"}, (), rows, ())
    >>> cell_name(results, settings[0], "zipf"), cell_name(results, settings[-1], "mauve")
    ('small/greedy/zipf', 'large/greedy/k=50/mauve')
    """
    return "/".join([*_setting_parts(results, setting), measure])


def setting_name(results: ExperimentResults, setting: GridSetting) -> str:
    """Return the name of a setting without its seed, as in :func:`cell_name`."""
    return "/".join(_setting_parts(results, setting))


def _setting_parts(results: ExperimentResults, setting: GridSetting) -> list[str]:
    parts = [
        level_name(name, getattr(setting, name))
        for name in _TEXTS
        if name == "decoder" or len(results.levels(name)) > 1
    ]
    parts = [part for part in parts if part]  # a sample from a file has no decoder
    for name in SCORING:
        level = getattr(setting, name)
        if name in results.base and level != results.base[name]:
            parts.append(f"{_SYMBOLS.get(name, name)}={level_name(name, level)}")
    return parts


def level_name(dimension: str, level: object) -> str:
    """Return how tables and names of cells write a value of a dimension.

    Examples
    --------
    >>> level_name("length", None), level_name("scaling", 5.0), level_name("decoder", "greedy")
    ('uncut', '5', 'greedy')
    """
    if dimension == "length" and level is None:
        return _UNCUT
    return f"{level:g}" if isinstance(level, float) else str(level)


def table_cells(results: ExperimentResults) -> dict[str, GridCell]:
    """Return all cells that have a value for some seed, by name.

    Raises
    ------
    InvalidParameterError
        If two settings have one name, which slashes in their names can do.

    Examples
    --------
    >>> from mauve.measures.intervals import Measured
    >>> rows = [GridRow(GridSetting("web", "small", "ancestral", seed, 64),
    ...                 {"zipf": Measured(1.0, (0.9, 1.1), 0.05)}) for seed in (0, 1)]
    >>> cells = table_cells(ExperimentResults("study", {}, (), tuple(rows), ()))
    >>> [(name, len(cell.rows)) for name, cell in cells.items()]
    [('ancestral/zipf', 2)]
    """
    groups: dict[tuple[object, ...], list[GridRow]] = {}
    for row in results:
        groups.setdefault(tuple(row.setting.without("seed").values()), []).append(row)
    cells: dict[str, GridCell] = {}
    for rows in groups.values():
        measures = dict.fromkeys(measure for row in rows for measure in row.values)
        for measure in measures:
            name = cell_name(results, rows[0].setting, measure)
            if name in cells:
                raise InvalidParameterError(
                    f"Two settings of '{escaped(results.name)}' have cells of one name, "
                    f"'{escaped(name)}': give their models, decoders or tasks names without '/'."
                )
            cells[name] = GridCell(name, tuple(rows), measure)
    return cells


def find_cell(results: ExperimentResults, name: str) -> GridCell:
    """Return the cell with a name, or raise an error that names those most like it.

    Examples
    --------
    >>> find_cell(ExperimentResults("study", {}, (), (), ()), "greedy/zipf")
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'study' has no cell 'greedy/zipf': it has no results yet.
    """
    cells = table_cells(results)
    if name in cells:
        return cells[name]
    hint = f"it has {listed(_most_like(name, [*cells]))}" if cells else "it has no results yet"
    raise InvalidParameterError(f"'{escaped(results.name)}' has no cell '{escaped(name)}': {hint}.")


def _most_like(name: str, names: Sequence[str]) -> list[str]:
    return get_close_matches(name, names, n=3, cutoff=0.0)
