"""Hold what `explain` returns: the clusters and texts that make each system's score."""

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mauve import tables
from mauve.arrays import IntArray
from mauve.atomic import atomic_write
from mauve.comparison.compared import Compared
from mauve.equality import is_equal
from mauve.errors import bad_parameter, check_int
from mauve.escape import escaped
from mauve.explanation.findings import Cluster, FieldSummary, clusters_of_kind
from mauve.explanation.map import TextMap
from mauve.explanation.property_results import DifferingProperties
from mauve.explanation.tables import TEXT_COLUMNS, titles_and_rows
from mauve.explanation.texts import PairTexts, TextShare

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class SystemExplanation:
    """Why one system scores as it does.

    Attributes
    ----------
    name, human_name : str
    mixture : float
        λ, the weight of human text in the mixture R.
    confidence : float
        Level of the intervals; the tests use one minus it.
    type_1, type_2 : float
        KL(Q|R) and KL(P|R) at λ: the shares of all clusters add up to them.
    clusters : tuple of Cluster
        Those with human texts or texts of the system, by number.
    pair : PairTexts
        What each text adds.
    properties : DifferingProperties or None
        Properties of texts that differ, in plain words; None if features were compared.
    """

    name: str
    human_name: str
    mixture: float
    confidence: float
    type_1: float
    type_2: float
    clusters: tuple[Cluster, ...] = field(repr=False)
    pair: PairTexts = field(repr=False)
    properties: DifferingProperties | None = field(repr=False, default=None)

    @property
    def over(self) -> list[Cluster]:
        """Clusters that the system writes too much of, those that add most to type I first."""
        return clusters_of_kind(self.clusters, "over")

    @property
    def under(self) -> list[Cluster]:
        """Clusters that the system writes too little of, those that add most to type II first."""
        return clusters_of_kind(self.clusters, "under")

    @property
    def otherwise(self) -> list[Cluster]:
        """Clusters that the system writes differently, those that add most to both errors first."""
        return clusters_of_kind(self.clusters, "otherwise")

    def cluster(self, number: int) -> Cluster:
        """Return a cluster by its number."""
        for cluster in self.clusters:
            if cluster.number == number:
                return cluster
        numbers = [cluster.number for cluster in self.clusters]
        raise bad_parameter("number", f"one of {numbers}", number)

    def machine_like(self, n: int = 20) -> tuple[TextShare, ...]:
        """Return the system's texts that add most to type I: least like human texts."""
        check_int("n", n, 0)
        rows = np.arange(self.pair.n_human, len(self.pair.numbers))
        return self.pair.telling(rows, n)

    def uncovered(self, n: int = 20) -> tuple[TextShare, ...]:
        """Return the human texts that add most to type II: least like the system's texts."""
        check_int("n", n, 0)
        return self.pair.telling(np.arange(self.pair.n_human), n)

    def texts(self) -> tuple[TextShare, ...]:
        """Return all texts, the system's first, those that add most on top."""
        rows = np.arange(len(self.pair.numbers))
        human, model = rows[: self.pair.n_human], rows[self.pair.n_human :]
        order = self.pair.contributions
        return self.pair.most(model, order, None) + self.pair.most(human, order, None)

    def table(self) -> str:
        """Return the clusters as plain text, flagged ones first."""
        return tables.as_text(*titles_and_rows(self.clusters), left=TEXT_COLUMNS)

    def to_markdown(self) -> str:
        """Return the clusters as a Markdown table, flagged ones first."""
        return tables.as_markdown(*titles_and_rows(self.clusters), left=TEXT_COLUMNS)

    def to_latex(self) -> str:
        """Return the clusters as a LaTeX table; it needs the package booktabs."""
        return tables.as_latex(*titles_and_rows(self.clusters), left=TEXT_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the list of all texts, ready for JSON."""
        return {
            "name": self.name,
            "human_name": self.human_name,
            "mixture": self.mixture,
            "confidence": self.confidence,
            "type_1": self.type_1,
            "type_2": self.type_2,
            "properties": None if self.properties is None else self.properties.to_dict(),
            "clusters": [cluster.to_dict() for cluster in self.clusters],
        }

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the share of each cluster in both samples; needs the ``plot`` extra."""
        from mauve.plots import plot_clusters

        return plot_clusters(self, ax)

    def __str__(self) -> str:
        errors = f"type I error {self.type_1:.3f}, type II error {self.type_2:.3f}"
        sentences = [] if self.properties is None else self.properties.sentences
        return "\n".join([f"{escaped(self.name)}: {errors}", *sentences, self.table()])

    def _repr_html_(self) -> str:
        return tables.as_html(*titles_and_rows(self.clusters))


class Explanation(Mapping[str, SystemExplanation]):
    """Why the systems of a comparison score as they do.

    A mapping from name to :class:`SystemExplanation`, in the order given; see
    :func:`mauve.explain`. The clusters are the same for all systems. Two explanations are equal
    if all their numbers and texts are; like a dict, an explanation is not hashable.

    Attributes
    ----------
    compared : Compared
        The samples and their buckets.
    assignment : array of int, shape (n,)
        Number of the cluster of every text, sample after sample.
    text_map : TextMap
        Where each text and cluster lies on the map.
    fields : tuple of FieldSummary
        How well the clusters agree with the metadata.
    fields_left_out : dict from str to str
        Fields of the metadata that cannot describe clusters, and why.
    mixture, confidence : float
    """

    def __init__(
        self,
        systems: Mapping[str, SystemExplanation],
        *,
        compared: Compared,
        assignment: IntArray,
        text_map: TextMap,
        fields: tuple[FieldSummary, ...] = (),
        fields_left_out: Mapping[str, str] | None = None,
    ) -> None:
        self._systems = dict(systems)
        self.compared = compared
        self.assignment = assignment
        self.text_map = text_map
        self.fields = fields
        self.fields_left_out = dict(fields_left_out or {})

    def __getitem__(self, name: str) -> SystemExplanation:
        return self._systems[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Explanation):
            return NotImplemented
        return self._compared_by() == other._compared_by() and is_equal(
            self.assignment, other.assignment
        )

    __hash__ = None  # type: ignore[assignment]

    def _compared_by(self) -> tuple[Any, ...]:
        systems = [*self._systems.items()]
        return systems, self.sizes, self.text_map, self.fields, self.fields_left_out

    def __repr__(self) -> str:
        parts = (
            f"{escaped(name)}: {len(system.over)} over, {len(system.under)} under"
            for name, system in self.items()
        )
        return f"Explanation({'; '.join(parts)})"

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.values()))

    @property
    def sizes(self) -> dict[str, int]:
        """Texts of every sample, human first."""
        return self.compared.sizes

    @property
    def human_name(self) -> str:
        """Name of the human sample."""
        return self.compared.human_name

    @cached_property
    def _first(self) -> SystemExplanation:
        return next(iter(self.values()))

    @property
    def mixture(self) -> float:
        """λ, the weight of human text in the mixture R."""
        return self._first.mixture

    @property
    def confidence(self) -> float:
        """Level of the intervals; the tests use one minus it."""
        return self._first.confidence

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the map and the list of all texts, ready for JSON."""
        return {
            "sizes": self.sizes,
            "assignment": self.assignment.tolist(),
            "systems": [system.to_dict() for system in self.values()],
            "fields": [summary.to_dict() for summary in self.fields],
            "fields_left_out": self.fields_left_out,
        }

    def to_jsonl(self, path: str | Path) -> None:
        """Write one line for each text: what it adds to the divergence, and its cluster.

        For each system, its texts come first and then the human texts, those that add most
        on top.
        """
        with atomic_write(Path(path)) as file:
            for name, system in self.items():
                for share in system.texts():
                    line = {"system": name, **share.to_dict()}
                    file.write(json.dumps(line, allow_nan=False).encode() + b"\n")

    def plot(self, system: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw the map of the human texts and those of a system; needs the ``plot`` extra."""
        from mauve.plots import plot_map

        name = next(iter(self)) if system is None else system
        if name not in self:
            raise bad_parameter("system", f"one of {[*self]}", name)
        return plot_map(self, name, ax)

    def _repr_html_(self) -> str:
        return "".join(
            f"<h4>{html.escape(escaped(name))}</h4>{system._repr_html_()}"
            for name, system in self.items()
        )
