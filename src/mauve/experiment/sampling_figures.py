"""Draw what depends on the parameters of sampling: p, K, and the temperature."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.experiment.results import ExperimentResults, GridRow, MeasureInfo
from mauve.experiment.series import (
    axis_title,
    base_rows,
    check_lines,
    checked_panels,
    decoder_of,
    human_value,
    line_key,
    line_names,
    lines_over,
    mauve_of,
    mean_of,
    model_styles,
    with_values,
)
from mauve.experiment.tabulation import main_measures
from mauve.lm.decoding import Ancestral, Greedy, Nucleus, Temperature, TopK
from mauve.plots.figures import add_legend, new_panels
from mauve.plots.grids import Line, plot_lines, plot_paths

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Measures of how different the texts of a sample are, the preferred ones first.
_DIVERSITY = ("entropy", "distinct", "vendi", "self-bleu", "compression", "zipf")


def draw_parameters(
    results: ExperimentResults, rows: Sequence[GridRow], measures: Sequence[MeasureInfo]
) -> "Figure":
    """MAUVE over p of nucleus sampling and K of top-K sampling, a line for each model."""
    kept = base_rows(results, rows)

    def p_of(row: GridRow) -> float | None:
        decoder = decoder_of(row)
        plain = isinstance(decoder, Nucleus) and decoder.temperature == 1
        if isinstance(decoder, Ancestral):
            return 1.0
        return decoder.p if plain and isinstance(decoder, Nucleus) else None

    def k_of(row: GridRow) -> float | None:
        decoder = decoder_of(row)
        plain = isinstance(decoder, TopK) and decoder.temperature == 1
        return float(decoder.k) if plain and isinstance(decoder, TopK) else None

    names = line_names(kept, ("task", "model"))
    check_lines(names)
    by_model = model_styles(results, names)
    panels = []
    for position, title, log in ((p_of, "p of nucleus sampling", False),
                                 (k_of, "K of top-K sampling", True)):  # fmt: skip
        for measure in with_values(kept, measures or [mauve_of(results)]):
            lines = lines_over(
                results, kept, measure, position, names, gap=True,
                key=lambda row: line_key(row, ("task", "model")),
            )  # fmt: skip
            if any(len(line.x) > 1 for line in lines):
                panels.append((lines, title, log, measure))
    if not panels:
        raise InvalidParameterError(
            f"'{escaped(results.name)}' has no two decoders that differ in p, or in K: give its "
            "config some, such as 'nucleus:p=0.9' and 'nucleus:p=0.95'."
        )
    figure, axes = new_panels(checked_panels(len(panels)))
    for (lines, title, log, measure), ax in zip(panels, axes, strict=True):
        plot_lines(lines, ax, by_model, log=log)
        ax.set(xlabel=title, ylabel=axis_title(measure, gap=True))
    add_legend(figure)
    return figure


def draw_frontier(
    results: ExperimentResults, rows: Sequence[GridRow], measures: Sequence[MeasureInfo]
) -> "Figure":
    """Each measure against a measure of diversity, over the temperature of sampling."""
    kept = base_rows(results, rows)
    diversity, *quality = measures or [_diversity(results)]
    shown = with_values(kept, quality or [m for m in _main(results) if m != diversity])
    among = ("task", "model")
    names = line_names(kept, among)
    check_lines(names)
    styles = model_styles(results, names)
    panels: list[tuple[MeasureInfo, list[Line]]] = []
    for measure in shown:
        lines = []
        for key, name in names.items():
            points = []
            at: dict[float, list[GridRow]] = {}
            for row in kept:
                temperature = _temperature(row)
                if temperature is not None and line_key(row, among) == key:
                    at.setdefault(temperature, []).append(row)
            for temperature in sorted(at):
                x, y = (mean_of(results, at[temperature], m) for m in (diversity, measure))
                if x and y and np.isfinite(x.mean) and np.isfinite(y.mean):
                    points.append((x.mean, y.mean, f"{temperature:g}"))
            if len(points) > 1:
                xs, ys, labels = zip(*points, strict=True)
                lines.append(Line(name, np.array(xs), np.array(ys), np.full(len(xs), np.nan),
                                  labels))  # fmt: skip
        if lines:
            panels.append((measure, lines))
    if not panels:
        raise InvalidParameterError(
            f"'{escaped(results.name)}' has no two temperatures: give its config decoders such "
            "as 'temperature:0.7', 'ancestral' (temperature 1) and 'greedy' (0)."
        )
    figure, axes = new_panels(checked_panels(len(panels)))
    for (measure, lines), ax in zip(panels, axes, strict=True):
        human = (human_value(results, kept[0], diversity), human_value(results, kept[0], measure))
        plot_paths(lines, ax, styles, human=human)
        ax.set(xlabel=axis_title(diversity), ylabel=axis_title(measure))
    add_legend(figure)
    return figure


def _main(results: ExperimentResults) -> list[MeasureInfo]:
    return [results.measure(name) for name in main_measures(results)]


def _temperature(row: GridRow) -> float | None:
    """Return the temperature at which all tokens may be drawn: 0 is greedy, 1 ancestral."""
    decoder = decoder_of(row)
    if isinstance(decoder, Greedy):
        return 0.0
    if isinstance(decoder, Ancestral):
        return 1.0
    return decoder.temperature if isinstance(decoder, Temperature) else None


def _diversity(results: ExperimentResults) -> MeasureInfo:
    for family in _DIVERSITY:
        for measure in results.measures:
            if measure.name.split("-")[0] == family or measure.name.startswith(family):
                return measure
    raise InvalidParameterError(
        f"'{escaped(results.name)}' has no measure of diversity: give its config one, such as "
        "'entropy-2' or 'distinct-4'."
    )
