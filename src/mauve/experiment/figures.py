"""Draw the figures of the paper, and the frontier of quality and diversity, from results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import escaped
from mauve.experiment.cell_names import level_name
from mauve.experiment.results import ExperimentResults, GridRow, MeasureInfo
from mauve.experiment.sampling_figures import draw_frontier, draw_parameters
from mauve.experiment.series import (
    axis_title,
    base_rows,
    check_lines,
    checked_panels,
    line_key,
    line_names,
    lines_over,
    mauve_of,
    mean_of,
    styles_of,
    varied,
    with_values,
)
from mauve.inference.rank_correlation import RankCorrelation, rank_correlation
from mauve.plots.axes import short
from mauve.plots.figures import add_legend, new_panels
from mauve.plots.grids import plot_agreement, plot_histograms, plot_lines
from mauve.plots.scores import plot_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SQUARE = (3.4, 3.2)
_DECODER = ("decoder",)
_SYMBOLS = {"num_buckets": "number of buckets, k", "scaling": "scaling constant, c",
            "n": "number of texts, n", "length": "length in tokens"}  # fmt: skip
#: Measures that the paper draws against the length of texts.
_BY_LENGTH = ("mauve", "perplexity", "sparsemax", "frechet")


@dataclass(frozen=True)
class _Score:
    """What plot_curves needs of a result."""

    mauve: float
    divergence_curve: FloatArray


def draw_figure(
    results: ExperimentResults,
    figure: str,
    measures: Sequence[str] | None = None,
    *,
    levels: Mapping[str, Any] | None = None,
) -> "Figure":
    """Draw a figure of an experiment.

    Parameters
    ----------
    results : ExperimentResults
    figure : str
        One of FIGURES.
    measures : sequence of str, optional
        Those with a panel, where a figure has one for each measure. For "frontier", the first is
        the measure of diversity.
    levels : mapping from dimension to value, optional
        Which rows: ``{"model": "small"}``, or a list of values.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> from mauve.experiment.results import GridSetting
    >>> from mauve.measures.intervals import Measured
    >>> rows = [GridRow(GridSetting("web", "gpt2", "greedy", 0, length),
    ...                 {"mauve": Measured(0.1, (0, 0.2), 0.05)}) for length in (32, 64)]
    >>> mauve = MeasureInfo("mauve", "MAUVE", "higher", False)
    >>> drawn = draw_figure(ExperimentResults("study", {}, (mauve,), tuple(rows), ()), "length")
    >>> drawn.axes[0].lines[0].get_xdata().tolist()
    [32.0, 64.0]
    """
    if figure not in FIGURES:
        raise bad_parameter("figure", f"one of {', '.join(FIGURES)}", figure)
    selected = results.select(**dict(levels or {}))
    if not selected:
        raise InvalidParameterError(
            f"'{escaped(results.name)}' has no results to draw: name levels that it has, or run "
            "it first."
        )
    described = [results.measure(name) for name in measures or ()]
    return FIGURES[figure](results, selected, described)


def _curves(
    results: ExperimentResults, rows: Sequence[GridRow], measures: Sequence[MeasureInfo]
) -> "Figure":
    """Divergence curves of one seed, with the area under each shaded; a panel for each model."""
    kept = [row for row in base_rows(results, rows) if row.curve]
    names = line_names(kept, ("task", "model"))
    # A decoder has one style in all panels, so that the legend names it once.
    decoders = line_names(kept, _DECODER)
    styles = styles_of(results, decoders, _DECODER)
    figure, axes = new_panels(checked_panels(len(names)), size=_SQUARE)
    for (key, title), ax in zip(names.items(), axes, strict=True):
        inside = [row for row in kept if line_key(row, ("task", "model")) == key]
        scores: dict[str, _Score] = {}
        for row in inside:  # the first seed
            name = decoders[line_key(row, _DECODER)]
            score = _Score(row.value("mauve") or 0.0, np.array(row.curve))
            scores.setdefault(name, score)
        check_lines({name: name for name in scores})
        plot_curves(scores, ax, legend=False, styles=styles)
        for line, name in zip(ax.lines, scores, strict=True):
            line.set_label(short(name))
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set_fontsize(9)
        if len(names) > 1:
            ax.set_title(escaped(title), fontsize=10, parse_math=False)
    add_legend(figure)
    return figure


def _length(
    results: ExperimentResults, rows: Sequence[GridRow], measures: Sequence[MeasureInfo]
) -> "Figure":
    """Measures against the length of the texts, with a band of one deviation over seeds."""
    kept = [row for row in base_rows(results, rows, length=True) if row.setting.length is not None]
    varied(results, kept, "length")
    of_paper = [m for m in results.measures if m.name in _BY_LENGTH]
    shown = with_values(kept, measures or of_paper or results.measures[:4])
    figure, axes = new_panels(checked_panels(len(shown)))
    names = line_names(kept)
    check_lines(names)
    styles = styles_of(results, names)
    for measure, ax in zip(shown, axes, strict=True):
        # Statistics of human text differ by length, so their gaps are drawn, as in the paper.
        lines = lines_over(results, kept, measure, lambda row: row.setting.length, names, gap=True)
        plot_lines(lines, ax, styles, log=True)
        ax.set(xlabel=_SYMBOLS["length"], ylabel=axis_title(measure, gap=True))
    add_legend(figure)
    return figure


def _of_dimension(dimension: str) -> "Draw":
    def draw(
        results: ExperimentResults, rows: Sequence[GridRow], measures: Sequence[MeasureInfo]
    ) -> "Figure":
        kept = base_rows(results, rows, dimension)
        kept = [row for row in kept if not isinstance(getattr(row.setting, dimension), str)]
        varied(results, kept, dimension)
        names = line_names(kept)
        check_lines(names)
        shown = with_values(kept, measures or [mauve_of(results)])
        figure, axes = new_panels(checked_panels(len(shown)), size=(4.6, 3.0))
        for measure, ax in zip(shown, axes, strict=True):
            lines = lines_over(
                results, kept, measure, lambda row: float(getattr(row.setting, dimension)), names,
                gap=True,
            )  # fmt: skip
            plot_lines(lines, ax, styles_of(results, names), log=True)
            ax.set(xlabel=_SYMBOLS[dimension], ylabel=axis_title(measure, gap=True))
        add_legend(figure)
        return figure

    draw.__doc__ = f"MAUVE against the {_SYMBOLS[dimension]}."
    return draw


def _between(dimension: str) -> "Draw":
    def draw(
        results: ExperimentResults, rows: Sequence[GridRow], measures: Sequence[MeasureInfo]
    ) -> "Figure":
        kept = base_rows(results, rows, dimension)
        first, *others = varied(results, kept, dimension)
        names = line_names(kept)
        measure = measures[0] if measures else mauve_of(results)
        figure, axes = new_panels(checked_panels(len(others)), size=_SQUARE)
        for other, ax in zip(others, axes, strict=True):
            pairs = {
                name: [
                    mean_of(
                        results,
                        [r for r in kept
                         if line_key(r) == key and getattr(r.setting, dimension) == level],
                        measure,
                    )
                    for level in (first, other)
                ]
                for key, name in names.items()
            }  # fmt: skip
            defined = {n: (x, y) for n, (x, y) in pairs.items()
                       if x and y and np.isfinite(x.mean) and np.isfinite(y.mean)}  # fmt: skip
            numbers = np.array([[x.mean, y.mean] for x, y in defined.values()]).reshape(-1, 2)
            spreads = np.array([[x.deviation or np.nan, y.deviation or np.nan]
                                for x, y in defined.values()]).reshape(-1, 2)  # fmt: skip
            plot_agreement(
                [*defined], numbers[:, 0], numbers[:, 1], ax, styles_of(results, names),
                deviations=(spreads[:, 0], spreads[:, 1]), title=_correlation_title(numbers),
            )  # fmt: skip
            ax.set(
                xlabel=f"{measure.title}, {level_name(dimension, first)}",
                ylabel=f"{measure.title}, {level_name(dimension, other)}",
            )
        add_legend(figure)
        return figure

    draw.__doc__ = f"MAUVE of each setting by one {dimension} against another, with Spearman's ρ."
    return draw


def _correlation_title(numbers: FloatArray) -> str:
    try:
        found: RankCorrelation = rank_correlation(*numbers.T)
    except InvalidParameterError:  # too few settings, or all equal
        return "too few settings to correlate"
    low, high = found.interval
    return f"Spearman's ρ = {found.rho:.2f} ({low:.2f} to {high:.2f})"


def _histogram(
    results: ExperimentResults, rows: Sequence[GridRow], measures: Sequence[MeasureInfo]
) -> "Figure":
    """Shares of human and model texts in the buckets of one clustering, a panel each setting."""
    kept = [row for row in base_rows(results, rows) if row.p_hist and row.q_hist]
    names = line_names(kept)
    first: dict[str, GridRow] = {}
    for row in kept:
        first.setdefault(names[line_key(row)], row)
    figure, axes = new_panels(checked_panels(len(first)), size=(3.4, 2.2))
    styles = styles_of(results, names)
    for (name, row), ax in zip(first.items(), axes, strict=True):
        plot_histograms(row.p_hist, row.q_hist, ax, styles[name], name="model text, Q")
        score = row.value("mauve")
        title = escaped(name) if score is None else f"{escaped(name)}: MAUVE {score:.3f}"
        ax.set_title(title, fontsize=9, parse_math=False)
    add_legend(figure)
    return figure


Draw = Callable[[ExperimentResults, Sequence[GridRow], Sequence[MeasureInfo]], "Figure"]

#: Figures by name.
FIGURES: dict[str, Draw] = {
    "curves": _curves,
    "length": _length,
    "scaling": _of_dimension("scaling"),
    "buckets": _of_dimension("num_buckets"),
    "texts": _of_dimension("n"),
    "parameters": draw_parameters,
    "embedders": _between("embedder"),
    "quantizers": _between("quantizer"),
    "histogram": _histogram,
    "frontier": draw_frontier,
}
