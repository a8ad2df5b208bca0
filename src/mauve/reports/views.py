"""What the templates show: results put in order, with pictures and the texts chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

from mauve.comparison.results import Comparison, Difference, MauveResult
from mauve.escape import escaped
from mauve.explanation.results import Explanation, SystemExplanation
from mauve.formatting import format_list, format_score, format_share
from mauve.measures.results import Measurements
from mauve.measures.tables import Cell, cells, column_title
from mauve.plots import plot_clusters, plot_curves, plot_errors, plot_map, plot_ranking
from mauve.plots.axes import SMALL, Style, new_axes, styles
from mauve.plots.clusters import MOST_POINTS, shown_clusters
from mauve.reports.pictures import Pictures
from mauve.reports.selection import Selection, select

_MEANINGS = {
    "mauve": "version of this package",
    "emb": "what turned texts into features",
    "reduce": "projection of the features: order, and share of variance kept",
    "quant": "what divided the features into cells",
    "k": "cells",
    "fit": "blocks of texts that each clustering was fitted on, and number of clusterings",
    "c": "scaling constant of the score",
    "est": "how divergences were estimated from counts",
    "n": "texts, human and the system's",
    "seed": "what everything random follows from",
}


@dataclass(frozen=True)
class Setting:
    """One part of a signature."""

    key: str
    values: list[str]
    meaning: str


def settings_of(signatures: Sequence[str]) -> list[Setting]:
    """Return the parts of signatures, with all values of each.

    Examples
    --------
    >>> for setting in settings_of(["k:50|n:500+500", "k:50|n:500+400"]):
    ...     print(setting.key, setting.values, setting.meaning)
    k ['50'] cells
    n ['500+500', '500+400'] texts, human and the system's
    """
    found: dict[str, list[str]] = {}
    for signature in signatures:
        for part in signature.split("|"):
            key, _, value = part.partition(":")
            values = found.setdefault(key, [])
            if value not in values:
                values.append(value)
    return [Setting(key, values, _MEANINGS.get(key, "")) for key, values in found.items()]


@dataclass(frozen=True)
class SystemView:
    """One system; `number` is its place in the ranking, from 1.

    The last four are None where there is no explanation.
    """

    number: int
    name: str
    style: Style
    result: MauveResult
    explained: SystemExplanation | None = None
    selection: Selection | None = None
    clusters: str | None = None
    map: str | None = None

    @property
    def n_flagged(self) -> int:
        """Clusters that differ."""
        clusters = () if self.explained is None else self.explained.clusters
        return sum(cluster.kind != "same" for cluster in clusters)

    @property
    def n_drawn(self) -> int:
        """Clusters of the picture."""
        return 0 if self.explained is None else len(shown_clusters(self.explained))


@dataclass(frozen=True)
class DifferenceView:
    """The difference of two systems, turned so that it is above 0."""

    higher: SystemView
    lower: SystemView
    difference: float
    interval: tuple[float, float]
    p_adjusted: float


@dataclass(frozen=True)
class MeasureRow:
    """One measure of all systems and of human text."""

    title: str
    mark: str
    cells: list[Cell]


@dataclass(frozen=True)
class Page:
    """All of a page.

    Attributes
    ----------
    systems : list of SystemView
        Best first.
    ranking, curves, errors : str
        Pictures.
    is_corrected : bool
        Whether the bias of small samples was taken out.
    n_points : int
        Texts that a map has room for.
    """

    title: str
    human_name: str
    n_human: int
    confidence: float
    systems: list[SystemView]
    differences: list[DifferenceView]
    pictures: Pictures
    ranking: str
    curves: str
    errors: str
    explanation: Explanation | None
    measured: Measurements | None
    measures: list[MeasureRow]
    warnings: tuple[str, ...]
    settings: list[Setting]
    is_corrected: bool
    n_points: int = MOST_POINTS

    @property
    def is_tested(self) -> bool:
        """Whether there are p-values and ceilings."""
        return self.systems[0].result.p_value is not None

    @property
    def signatures(self) -> list[str]:
        """Recipes of the scores and of the measures, each once."""
        found = [system.result.signature for system in self.systems]
        return list(dict.fromkeys(found + ([self.measured.signature] if self.measured else [])))

    def measured_style(self, name: str) -> Style | None:
        """Return the style of a system of the measures, which may be in no comparison."""
        return next((own.style for own in self.systems if own.name == name), None)


def make_page(
    comparison: Comparison,
    explanation: Explanation | None,
    measured: Measurements | None,
    title: str | None,
) -> Page:
    """Put everything in order and draw the pictures."""
    pictures = Pictures()
    systems = [
        _system(number, comparison, name, explanation, pictures)
        for number, name in enumerate(comparison.rank(), start=1)
    ]
    compared, first = comparison.compared, systems[0].result
    return Page(
        title=title or _title(systems),
        human_name=compared.human_name,
        n_human=first.n_human,
        confidence=first.confidence,
        systems=systems,
        differences=_differences(comparison, systems),
        pictures=pictures,
        ranking=pictures.draw(
            "ranking", lambda: plot_ranking(comparison), f"Scores, best first: {_scores(systems)}."
        ),
        curves=pictures.draw(
            "curves",
            lambda: plot_curves(comparison, new_axes((SMALL[0], 4.0)), legend=False),
            f"Divergence curves; the area under each is its score: {_scores(systems)}.",
        ),
        errors=pictures.draw(
            "errors",
            lambda: plot_errors(comparison),
            f"Type I and type II errors in nats: {_errors(systems)}.",
        ),
        explanation=explanation,
        measured=measured,
        measures=[] if measured is None else _measures(measured),
        warnings=tuple(
            dict.fromkeys(comparison.warnings + (() if measured is None else measured.warnings))
        ),
        settings=settings_of([system.result.signature for system in systems]),
        is_corrected=compared.settings.estimator == "jackknife",
    )


def _system(
    number: int,
    comparison: Comparison,
    name: str,
    explanation: Explanation | None,
    pictures: Pictures,
) -> SystemView:
    style, result = styles(comparison)[name], comparison[name]
    if explanation is None:
        return SystemView(number, name, style, result)
    explained = explanation[name]
    clusters = pictures.draw(
        f"clusters-{number}",
        lambda: plot_clusters(explained, colour=style.colour),
        f"Share of human texts and of those of {escaped(name)} in clusters: "
        + "; ".join(
            f"{escaped(c.name)} {format_share(c.human_share)} and {format_share(c.model_share)}"
            for c in shown_clusters(explained)
        )
        + ".",
    )
    text_map = pictures.draw(
        f"map-{number}",
        lambda: plot_map(explanation, name, colour=style.colour),
        f"Map of {len(explained.clusters)} clusters as discs, with a point for each text of "
        f"people and of {escaped(name)}.",
    )
    selection = select(explained, len(explanation))
    return SystemView(number, name, style, result, explained, selection, clusters, text_map)


def _title(systems: list[SystemView]) -> str:
    if len(systems) == 1:
        return f"{escaped(systems[0].name)} and human text"
    return f"{len(systems)} systems and human text"


def _scores(systems: list[SystemView]) -> str:
    return format_list([f"{escaped(own.name)} {format_score(own.result.mauve)}" for own in systems])


def _errors(systems: list[SystemView]) -> str:
    return "; ".join(
        f"{escaped(system.name)} {format_score(system.result.type_1)} and "
        f"{format_score(system.result.type_2)}"
        for system in systems
    )


def _differences(comparison: Comparison, systems: list[SystemView]) -> list[DifferenceView]:
    by_name = {system.name: system for system in systems}

    def turned(found: Difference) -> DifferenceView:
        first, second = by_name[found.first], by_name[found.second]
        low, high = found.interval
        if first.number < second.number:
            return DifferenceView(first, second, found.difference, (low, high), found.p_adjusted)
        return DifferenceView(second, first, -found.difference, (-high, -low), found.p_adjusted)

    views = [turned(found) for found in comparison.differences()]
    return sorted(views, key=lambda view: (view.higher.number, view.lower.number))


def _measures(measured: Measurements) -> list[MeasureRow]:
    rows = []
    for measure in measured.measures:
        title, _, mark = column_title(measure).rpartition(" ")
        rows.append(MeasureRow(title, mark, cells(measured, measure)))
    return rows
