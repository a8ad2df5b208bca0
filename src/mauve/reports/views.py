"""Arrange results for the templates: order, plots and selected texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from mauve.comparison.comparison import Comparison
from mauve.comparison.ladder import Ladder
from mauve.comparison.results import CLASSIFIER_MEANING, MauveResult
from mauve.comparison.settings import parse_signature
from mauve.escape import escaped
from mauve.explanation.findings import shown_part
from mauve.explanation.results import Explanation, SystemExplanation
from mauve.formatting import format_list, format_score
from mauve.measures.results import Measurements
from mauve.measures.tables import Cell
from mauve.plots import (
    plot_clusters,
    plot_curves,
    plot_errors,
    plot_ladder,
    plot_map,
    plot_ranking,
)
from mauve.plots.axes import MANY, SQUARE, Style, new_axes, ranked_styles, split_ranking
from mauve.plots.clusters import MOST_POINTS, clusters_size, map_size, shown_clusters
from mauve.plots.ladder import ladder_size
from mauve.plots.scores import ranking_size
from mauve.progress import Progress
from mauve.reports.pictures import Pictures
from mauve.reports.selection import Selection, select

_MEANINGS = {
    "mauve": "version of this package",
    "emb": "embedder: turns texts into features",
    "reduce": "projection of the features: order, and share of variance kept",
    "quant": "quantizer: divides the features into buckets",
    "k": "number of buckets",
    "fit": "texts that each clustering was learnt from, and number of clusterings",
    "c": "scaling constant of the score",
    "est": "estimator of the divergences",
    "human": "checksum of the human texts",
    "joint": "checksum of all texts that were clustered together",
    "n": "number of texts, human and the system's",
    "seed": "random seed",
    "texts": "normalisation of the texts that measures count",
    "tok": "tokenizer of the measures",
    "lm": "language model of the perplexity",
    "training": "checksum of the training texts",
    "se": "groups of texts behind the standard errors of measures",
}


@dataclass(frozen=True)
class Setting:
    """One part of a signature."""

    key: str
    values: list[str]
    meaning: str


def settings_of(signatures: Sequence[str]) -> list[Setting]:
    """Return the parts of several signatures, with all values of each.

    Examples
    --------
    >>> for setting in settings_of(["k:50|n:500+500", "k:50|n:500+400"]):
    ...     print(setting.key, setting.values, setting.meaning)
    k ['50'] number of buckets
    n ['500+500', '500+400'] number of texts, human and the system's
    """
    values_of: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for key, value in parse_signature(signature).items():
            values_of.setdefault(key, {})[value] = None
    return [Setting(key, [*values], _MEANINGS.get(key, "")) for key, values in values_of.items()]


@dataclass(frozen=True)
class SystemView:
    """One system; `number` is its place in the ranking, from 1.

    The last four are None without an explanation.
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
        """Number of clusters that differ."""
        clusters = () if self.explained is None else self.explained.clusters
        return sum(cluster.kind != "same" for cluster in clusters)

    @property
    def n_drawn(self) -> int:
        """Number of clusters in the plot."""
        return 0 if self.explained is None else len(shown_clusters(self.explained))


@dataclass(frozen=True)
class DifferenceView:
    """The difference of two systems, the higher score first."""

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
    """Everything that a page shows.

    Attributes
    ----------
    systems : list of SystemView
        Best first.
    ranking, curves, errors : str
        Plots as SVG.
    is_corrected : bool
        Whether the bias of small samples is corrected.
    scaling : float
        The constant c of the curves.
    n_points : int
        Maximum number of texts on a map.
    ladder : Ladder or None
        Scores after steps of normalisation.
    ladder_picture : str or None
        Its plot as SVG; None where no system has a step.
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
    measurements: Measurements | None
    measures: list[MeasureRow]
    warnings: tuple[str, ...]
    settings: list[Setting]
    is_corrected: bool
    scaling: float
    n_points: int = MOST_POINTS
    ladder: Ladder | None = None
    ladder_picture: str | None = None

    @property
    def n_pairs(self) -> int:
        """Number of pairs of systems, of which `differences` may have a part."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def is_long(self) -> bool:
        """Whether there are so many systems that the page folds some."""
        return len(self.systems) > MANY

    @property
    def n_coloured(self) -> int:
        """Number of systems, from the best, in colour in pictures of all."""
        return len(split_ranking({system.name: system.result for system in self.systems})[0])

    @property
    def has_classifier(self) -> bool:
        """Whether there are scores in the buckets of a classifier."""
        return any(system.result.classifier is not None for system in self.systems)

    @property
    def classifier_meaning(self) -> str:
        """What it means if the two scores differ."""
        return CLASSIFIER_MEANING

    @property
    def is_tested(self) -> bool:
        """Whether there are p-values and ceilings."""
        return self.systems[0].result.p_value is not None

    @property
    def signatures(self) -> list[str]:
        """Signatures of the scores and of the measures, without repetition."""
        signatures = [system.result.signature for system in self.systems]
        if self.measurements is not None:
            signatures.append(self.measurements.signature)
        return list(dict.fromkeys(signatures))

    def measured_style(self, name: str) -> Style | None:
        """Return the style of a measured system; None if it is not in the comparison."""
        return next((system.style for system in self.systems if system.name == name), None)


def make_page(
    comparison: Comparison,
    explanation: Explanation | None,
    measurements: Measurements | None,
    title: str | None,
    on_progress: Progress,
    ladder: Ladder | None = None,
) -> Page:
    """Arrange the results of a page and draw its plots."""
    pictures = Pictures()
    systems = []
    for number, name in enumerate(comparison.rank(), start=1):
        on_progress("drawing", number - 1, len(comparison))
        systems.append(_system(number, comparison, name, explanation, pictures))
    on_progress("drawing", len(comparison), len(comparison))
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
            "ranking",
            lambda: plot_ranking(comparison, new_axes(ranking_size(comparison))),
            f"Scores, best first: {_scores(systems)}.",
        ),
        curves=pictures.draw(
            "curves",
            lambda: plot_curves(comparison, new_axes(SQUARE), legend=False),
            f"Divergence curves; the area under each is its score: {_scores(systems)}.",
        ),
        errors=pictures.draw(
            "errors",
            lambda: plot_errors(comparison, new_axes(SQUARE)),
            f"Type I and type II errors in nats: {_errors(systems)}.",
        ),
        explanation=explanation,
        measurements=measurements,
        measures=[] if measurements is None else _measures(measurements),
        warnings=tuple(
            dict.fromkeys(
                comparison.warnings + (() if measurements is None else measurements.warnings)
            )
        ),
        settings=settings_of(
            [system.result.signature for system in systems]
            + ([] if measurements is None else [measurements.signature])
        ),
        is_corrected=compared.settings.estimator == "jackknife",
        scaling=compared.settings.scaling,
        ladder=ladder,
        ladder_picture=None if ladder is None else _ladder_picture(ladder, pictures),
    )


def _ladder_picture(ladder: Ladder, pictures: Pictures) -> str | None:
    if all(len(system.rungs) == 1 for system in ladder.values()):
        return None
    return pictures.draw(
        "ladder",
        lambda: plot_ladder(ladder, new_axes(ladder_size(ladder)), legend=False),
        "Scores as given and after each step that removes a difference of form: "
        + " ".join(ladder.sentences),
    )


def _system(
    number: int,
    comparison: Comparison,
    name: str,
    explanation: Explanation | None,
    pictures: Pictures,
) -> SystemView:
    style, result = ranked_styles(comparison)[name], comparison[name]
    if explanation is None:
        return SystemView(number, name, style, result)
    explained = explanation[name]
    clusters = pictures.draw(
        f"clusters-{number}",
        lambda: plot_clusters(explained, new_axes(clusters_size(explained)), colour=style.colour),
        f"Share of human texts and of those of {escaped(name)} in clusters: "
        + "; ".join(
            f"{escaped(c.label)} {shown_part(c.human_share, result.n_human)} and "
            f"{shown_part(c.model_share, result.n_model)}"
            for c in shown_clusters(explained)
        )
        + ".",
    )
    text_map = pictures.draw(
        f"map-{number}",
        lambda: plot_map(explanation, name, new_axes(map_size(explanation)), colour=style.colour),
        f"Map of {len(explained.clusters)} clusters as discs, with a point for each human text and "
        f"each text of {escaped(name)}.",
    )
    selection = select(explained, len(explanation))
    return SystemView(number, name, style, result, explained, selection, clusters, text_map)


def _title(systems: list[SystemView]) -> str:
    if len(systems) == 1:
        return f"{escaped(systems[0].name)} and human text"
    return f"{len(systems)} systems and human text"


def _scores(systems: list[SystemView]) -> str:
    return format_list(
        [f"{escaped(system.name)} {format_score(system.result.mauve)}" for system in systems]
    )


def _errors(systems: list[SystemView]) -> str:
    return "; ".join(
        f"{escaped(system.name)} {format_score(system.result.type_1)} and "
        f"{format_score(system.result.type_2)}"
        for system in systems
    )


def _differences(comparison: Comparison, systems: list[SystemView]) -> list[DifferenceView]:
    by_name = {system.name: system for system in systems}
    return [
        DifferenceView(
            by_name[pair.first],
            by_name[pair.second],
            pair.difference,
            pair.interval,
            pair.p_adjusted,
        )
        for pair in comparison.shown_differences()
    ]


def _measures(measurements: Measurements) -> list[MeasureRow]:
    return [
        MeasureRow(column.title, column.mark, column.cells) for column in measurements.columns()
    ]
