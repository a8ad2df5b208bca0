"""Write all tables and figures of an experiment into a folder, for a paper."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mauve.atomic import atomic_write, make_folder
from mauve.errors import InvalidParameterError, check_choice
from mauve.experiment.correlations import Correlations, correlate
from mauve.experiment.figures import FIGURES, draw_figure
from mauve.experiment.outside import OutsideScores
from mauve.experiment.results import SCORING, ExperimentResults
from mauve.experiment.tables import ResultsTable
from mauve.experiment.tabulation import main_measures, make_table
from mauve.plots.figures import SUFFIXES, write_figure
from mauve.tables import markdown_escaped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INDEX = "index.md"
_PER_PAGE = 8  # measures in one figure
_DIMENSIONS = ("length", *SCORING)


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes
    ----------
    files : tuple of str
        Names within the folder.
    left_out : dict from str to str
        Why a table or figure was not made, such as a dimension that the experiment does not vary.
    """

    files: tuple[str, ...]
    left_out: dict[str, str]


def export_experiment(
    results: ExperimentResults,
    folder: str | Path,
    *,
    picture: str = ".pdf",
    scores: OutsideScores | None = None,
) -> Exported:
    """Write all tables and figures that an experiment has results for.

    Tables are written as Markdown, LaTeX, CSV and JSON, and ``index.md`` shows them all. Each
    file is written atomically.

    Parameters
    ----------
    results : ExperimentResults
    folder : str or Path
        Made if it is not there; files of the same names are replaced.
    picture : str
        The format of figures: ".pdf", ".png" or ".svg".
    scores : OutsideScores, optional
        What measures are correlated with too.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mauve.experiment.results import GridRow, GridSetting, MeasureInfo
    >>> from mauve.measures.intervals import Measured
    >>> rows = [GridRow(GridSetting("web", "gpt2", "greedy", 0, length),
    ...                 {"mauve": Measured(0.1, (0, 0.2), 0.05)}) for length in (32, 64)]
    >>> mauve = MeasureInfo("mauve", "MAUVE", "higher", False)
    >>> results = ExperimentResults("study", {}, (mauve,), tuple(rows), ())
    >>> with TemporaryDirectory() as folder:
    ...     exported = export_experiment(results, folder)
    >>> [name for name in exported.files if name.endswith((".tex", ".pdf"))]
    ['table-values.tex', 'table-length.tex', 'figure-length.pdf']
    """
    check_choice("picture", picture, SUFFIXES)
    out = Path(folder)
    make_folder(out)
    files: list[str] = []
    left_out: dict[str, str] = {}
    index = [f"# {markdown_escaped(results.name)}", ""]
    for name, make_one in _tables(results, scores):
        try:
            table = make_one()
        except InvalidParameterError as error:
            left_out[name] = str(error)
            continue
        files += _write_table(table, out, name)
        index += [f"## {name}", "", table.to_markdown(), ""]
        if isinstance(table, ResultsTable):
            index += [markdown_escaped(table.caption), ""]
        index += [f"warning: {markdown_escaped(message)}\n" for message in table.warnings]
    for name, draw_one in _figures(results):
        try:
            figure = draw_one()
        except InvalidParameterError as error:
            left_out[name] = str(error)
            continue
        file = f"{name}{picture}"
        write_figure(figure, out / file)
        files.append(file)
        shown = f"[{file}]({file})" if picture == ".pdf" else f"![{name}]({file})"
        index += [f"## {name}", "", shown, ""]
    _write(out / INDEX, "\n".join(index))
    return Exported((*files, INDEX), left_out)


def _tables(
    results: ExperimentResults, scores: OutsideScores | None
) -> Iterator[tuple[str, Callable[[], ResultsTable | Correlations]]]:
    yield "table-values", partial(make_table, results)
    if any(measure.is_statistic for measure in results.measures):
        yield "table-gaps", partial(make_table, results, gaps=True)
    for name in _varied(results):
        yield f"table-{name}", partial(make_table, results, columns=name)
    if len(results.measures) > 1:
        yield "table-correlations", partial(correlate, results, "mauve")
    for name in _varied(results):
        if name in SCORING:
            yield f"table-correlations-{name}", partial(correlate, results, name)
    if scores is not None:
        yield "table-correlations-outside", partial(correlate, results, scores=scores)


def _varied(results: ExperimentResults) -> list[str]:
    return [name for name in _DIMENSIONS if len(results.levels(name)) > 1]


def _figures(results: ExperimentResults) -> Iterator[tuple[str, Callable[[], "Figure"]]]:
    """Yield names of figures and what draws them: by model, and by pages, where many."""
    models = results.levels("model")
    for figure in FIGURES:
        if figure in ("parameters", "frontier"):  # a line for each model
            yield from _pages(results, figure, {})
        elif len(models) > 1:
            for model in models:
                for name, draw_one in _pages(results, figure, {"model": model}):
                    yield f"{name}-{_file_name(model)}", draw_one
            if figure in ("embedders", "quantizers"):
                yield f"figure-{figure}", partial(draw_figure, results, figure)
        else:
            yield from _pages(results, figure, {})


def _pages(
    results: ExperimentResults, figure: str, levels: dict[str, Any]
) -> Iterator[tuple[str, Callable[[], "Figure"]]]:
    measures = main_measures(results)
    if figure != "frontier" or len(measures) <= _PER_PAGE:
        yield f"figure-{figure}", partial(draw_figure, results, figure, levels=levels)
        return
    diversity = next(
        (name for name in measures if name.startswith(("entropy", "distinct", "self-bleu"))),
        measures[0],
    )
    others = [name for name in measures if name != diversity]
    for start in range(0, len(others), _PER_PAGE):
        page = [diversity, *others[start : start + _PER_PAGE]]
        yield (
            f"figure-{figure}-{start // _PER_PAGE + 1}",
            partial(draw_figure, results, figure, page, levels=levels),
        )


def _file_name(name: object) -> str:
    """Return a name as a part of a file name, which has no slashes or spaces."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in str(name))


def _write_table(table: ResultsTable | Correlations, folder: Path, name: str) -> Sequence[str]:
    contents = {
        ".md": table.to_markdown() + "\n",
        ".tex": table.to_latex() + "\n",
        ".csv": table.to_csv(),
        ".json": json.dumps(table.to_dict(), indent=1, allow_nan=False) + "\n",
    }
    for suffix, content in contents.items():
        _write(folder / f"{name}{suffix}", content)
    return [f"{name}{suffix}" for suffix in contents]


def _write(path: Path, content: str) -> None:
    with atomic_write(path) as file:
        file.write(content.encode())
