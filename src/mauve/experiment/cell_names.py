"""Name the cells of an experiment's tables, as ``mauve experiment show`` takes them."""

from mauve.experiment.results import SCORING, ExperimentResults, GridSetting

_TEXTS = ("task", "model", "decoder", "length")  # name the texts; seeds are averaged over
_UNCUT = "full"


class CellNames:
    """Name the cells of one experiment: a setting without the seed, and a measure.

    A name has the dimensions in which rows of the experiment differ, and always the decoder; how
    texts are scored only where it is not the base. A value that two dimensions have is written
    with the name of its dimension.

    Parameters
    ----------
    results : ExperimentResults

    Examples
    --------
    >>> from mauve.experiment.results import GridRow
    >>> settings = [GridSetting("web", model, "greedy", 0, 64, num_buckets=k, n=500)
    ...             for model in ("small", "large") for k in ("auto", 50)]
    >>> rows = tuple(GridRow(setting, {}) for setting in settings)
    >>> names = CellNames(ExperimentResults("study", {"num_buckets": "auto"}, (), rows, ()))
    >>> names.cell(settings[0], "zipf"), names.cell(settings[-1], "mauve")
    ('small/greedy/zipf', 'large/greedy/num_buckets=50/mauve')
    """

    def __init__(self, results: ExperimentResults) -> None:
        self._base = results.base
        # Once for all names: an experiment has thousands of rows.
        self._levels = {
            name: {level_name(name, level) for level in results.levels(name)} for name in _TEXTS
        }

    def cell(self, setting: GridSetting, measure: str) -> str:
        """Return the name of a measure of a setting."""
        return "/".join([*self._parts(setting), measure])

    def setting(self, setting: GridSetting) -> str:
        """Return the name of a setting without its seed."""
        return "/".join(self._parts(setting))

    def _parts(self, setting: GridSetting) -> list[str]:
        parts = []
        for name in _TEXTS:
            level = level_name(name, getattr(setting, name))
            if level and (name == "decoder" or len(self._levels[name]) > 1):
                others = (levels for other, levels in self._levels.items() if other != name)
                is_elsewhere = any(level in levels for levels in others)
                parts.append(f"{name}={level}" if is_elsewhere else level)
        for name in SCORING:
            level = getattr(setting, name)
            if name in self._base and level != self._base[name]:
                parts.append(f"{name}={level_name(name, level)}")
        return parts


def cell_name(results: ExperimentResults, setting: GridSetting, measure: str) -> str:
    """Return the name of one cell, as :class:`CellNames` does for many.

    Examples
    --------
    >>> from mauve.experiment.results import GridRow
    >>> row = GridRow(GridSetting("web", "small", "greedy", 0, 64), {})
    >>> cell_name(ExperimentResults("study", {}, (), (row,), ()), row.setting, "zipf")
    'greedy/zipf'
    """
    return CellNames(results).cell(setting, measure)


def level_name(dimension: str, level: object) -> str:
    """Return how tables and names of cells write a value of a dimension.

    Examples
    --------
    >>> level_name("length", None), level_name("scaling", 5.0), level_name("decoder", "greedy")
    ('full', '5', 'greedy')
    """
    if dimension == "length" and level is None:
        return _UNCUT
    return f"{level:g}" if isinstance(level, float) else str(level)
