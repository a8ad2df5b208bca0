"""Name the cells of an experiment's tables, as ``mauve experiment show`` takes them."""

from mauve.experiment.results import SCORING, ExperimentResults, GridSetting

_TEXTS = ("task", "model", "decoder", "length")  # name the texts; seeds are averaged over
_UNCUT = "full"


def cell_name(results: ExperimentResults, setting: GridSetting, measure: str) -> str:
    """Return the name of a cell: its setting without the seed, and its measure.

    It has the dimensions in which rows of the experiment differ, and always the decoder; how
    texts are scored only where it is not the base. A value that two dimensions have is written
    with the name of its dimension.

    Parameters
    ----------
    results : ExperimentResults
    setting : GridSetting
    measure : str

    Examples
    --------
    >>> from mauve.experiment.results import GridRow
    >>> settings = [GridSetting("web", model, "greedy", 0, 64, num_buckets=k, n=500)
    ...             for model in ("small", "large") for k in ("auto", 50)]
    >>> rows = tuple(GridRow(setting, {}) for setting in settings)
    >>> results = ExperimentResults("study", {"num_buckets": "auto"}, (), rows, ())
    >>> cell_name(results, settings[0], "zipf"), cell_name(results, settings[-1], "mauve")
    ('small/greedy/zipf', 'large/greedy/num_buckets=50/mauve')
    """
    parts = []
    for name in _TEXTS:
        level = level_name(name, getattr(setting, name))
        if level and (name == "decoder" or len(results.levels(name)) > 1):
            parts.append(f"{name}={level}" if _is_elsewhere(results, name, level) else level)
    for name in SCORING:
        level = getattr(setting, name)
        if name in results.base and level != results.base[name]:
            parts.append(f"{name}={level_name(name, level)}")
    return "/".join([*parts, measure])


def _is_elsewhere(results: ExperimentResults, dimension: str, level: str) -> bool:
    return any(
        level == level_name(other, value)
        for other in _TEXTS
        if other != dimension
        for value in results.levels(other)
    )


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
