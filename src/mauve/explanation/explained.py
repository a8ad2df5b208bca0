"""What `explain` returns: why each system scores as it does."""

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mauve.arrays import FloatArray, IntArray
from mauve.atomic import atomic_write
from mauve.comparison.compared import Compared
from mauve.errors import bad_parameter, check_int
from mauve.escape import escaped
from mauve.explanation.clusters import TextMap
from mauve.explanation.results import Cluster, FieldSummary, TextShare

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class PairTexts:
    """The human texts and those of a system, human first, with what each adds to the gap.

    Attributes
    ----------
    names : tuple of str
        Of the human sample and of the system.
    n_human : int
    contributions, typicality : array of shape (n,)
    numbers : array of int, shape (n,)
        Number of each text's cluster.
    texts : list of str or None
    """

    names: tuple[str, str]
    n_human: int
    contributions: FloatArray
    typicality: FloatArray
    numbers: IntArray
    texts: list[str] | None

    @cached_property
    def log_ratios(self) -> FloatArray:
        """What each text adds, times the number of texts of its side."""
        is_human = np.arange(len(self.numbers)) < self.n_human
        return self.contributions * np.where(is_human, self.n_human, (~is_human).sum())

    def telling(self, rows: IntArray, n: int) -> tuple[TextShare, ...]:
        """Return the texts that add most to the gap.

        Where many add about as much, the most typical of them.
        """
        return self.most(rows, self.log_ratios.round(2), n)

    def share_of(self, row: int) -> TextShare:
        """Return what is known of one text."""
        is_human = row < self.n_human
        return TextShare(
            sample=self.names[0 if is_human else 1],
            index=row if is_human else row - self.n_human,
            cluster=int(self.numbers[row]),
            contribution=float(self.contributions[row]),
            log_ratio=float(self.log_ratios[row]),
            typicality=float(self.typicality[row]),
            text=None if self.texts is None else self.texts[row],
        )

    def most(self, rows: IntArray, order: FloatArray, n: int | None) -> tuple[TextShare, ...]:
        """Return the texts with the highest values of `order`, copies of one text once.

        Parameters
        ----------
        rows : array of int
            Texts to choose from.
        order : array of shape (n,)
            A value for every text of the pair.
        n : int or None
            How many at most; None for all, copies included.
        """
        ranked = rows[np.lexsort((-self.typicality[rows], -order[rows]))]
        if n is None:
            return tuple(self.share_of(int(row)) for row in ranked)
        found: dict[object, TextShare] = {}
        for row in ranked.tolist():
            if len(found) == n:
                break
            found.setdefault(row if self.texts is None else self.texts[row], self.share_of(row))
        return tuple(found.values())


@dataclass(frozen=True)
class SystemExplanation:
    """Why one system scores as it does.

    Attributes
    ----------
    name, human_name : str
    mixture : float
        λ, the weight of people in the mixture R.
    confidence : float
        Level of the intervals, and one minus that of the tests.
    type_1, type_2 : float
        KL(Q|R) and KL(P|R) at λ: the shares of all clusters add up to them.
    clusters : tuple of Cluster
        Those with texts of either side, by number.
    pair : PairTexts
        What each text adds.
    """

    name: str
    human_name: str
    mixture: float
    confidence: float
    type_1: float
    type_2: float
    clusters: tuple[Cluster, ...] = field(repr=False)
    pair: PairTexts = field(repr=False)

    @property
    def over(self) -> list[Cluster]:
        """Clusters that the system writes too much of, those that add most to type I first."""
        return self._of_kind("over")

    @property
    def under(self) -> list[Cluster]:
        """Clusters that the system writes too little of, those that add most to type II first."""
        return self._of_kind("under")

    @property
    def otherwise(self) -> list[Cluster]:
        """Clusters whose amount is not shown to differ, but whose way of writing is."""
        return self._of_kind("otherwise")

    def _of_kind(self, kind: str) -> list[Cluster]:
        weights = {"over": (1, 0), "under": (0, 1)}.get(kind, (1, 1))
        found = [cluster for cluster in self.clusters if cluster.kind == kind]
        return sorted(
            found, key=lambda c: -(weights[0] * c.type_1.value + weights[1] * c.type_2.value)
        )

    def cluster(self, number: int) -> Cluster:
        """Return a cluster by its number."""
        for found in self.clusters:
            if found.number == number:
                return found
        numbers = [found.number for found in self.clusters]
        raise bad_parameter("cluster", "number", f"one of {numbers}", number)

    def machine_like(self, n: int = 20) -> tuple[TextShare, ...]:
        """Return the system's texts that add most to type I: people write nothing like them."""
        check_int("machine_like", "n", n, 0)
        rows = np.arange(self.pair.n_human, len(self.pair.numbers))
        return self.pair.telling(rows, n)

    def uncovered(self, n: int = 20) -> tuple[TextShare, ...]:
        """Return the human texts that add most to type II: the system writes nothing like them."""
        check_int("uncovered", "n", n, 0)
        return self.pair.telling(np.arange(self.pair.n_human), n)

    def texts(self) -> tuple[TextShare, ...]:
        """Return all texts, the system's first, by what they add to the gap."""
        human = np.arange(len(self.pair.numbers)) < self.pair.n_human
        sides = (np.flatnonzero(~human), np.flatnonzero(human))
        return sum((self.pair.most(rows, self.pair.contributions, None) for rows in sides), ())

    def table(self) -> str:
        """Return the clusters as plain text, flagged ones first."""
        from mauve.explanation.tables import as_text

        return as_text(self)

    def to_markdown(self) -> str:
        """Return the clusters as a Markdown table, flagged ones first."""
        from mauve.explanation.tables import as_markdown

        return as_markdown(self)

    def to_latex(self) -> str:
        """Return the clusters as a LaTeX table; it needs the package booktabs."""
        from mauve.explanation.tables import as_latex

        return as_latex(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the list of all texts, ready for JSON."""
        return {
            "name": self.name,
            "human_name": self.human_name,
            "mixture": self.mixture,
            "confidence": self.confidence,
            "type_1": self.type_1,
            "type_2": self.type_2,
            "clusters": [cluster.to_dict() for cluster in self.clusters],
        }

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw what each cluster adds to the gap; needs the ``plot`` extra."""
        from mauve.plots import plot_clusters

        return plot_clusters(self, ax)

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        from mauve.explanation.tables import as_html

        return as_html(self)


class Explanation(Mapping[str, SystemExplanation]):
    """Why the systems of a comparison score as they do.

    A mapping from name to :class:`SystemExplanation`, in the order given; see
    :func:`mauve.explain`. The clusters are the same for all systems.

    Attributes
    ----------
    compared : Compared
        What was explained.
    assignment : array of int, shape (n,)
        Number of the cluster of every text, sample after sample.
    text_map : TextMap
        Where each text and cluster lies on the map.
    fields : tuple of FieldSummary
        How well the clusters agree with the metadata.
    fields_left_out : dict from str to str
        Fields of the metadata that say nothing of clusters, and why.
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

    def __repr__(self) -> str:
        found = ((escaped(name), len(own.over), len(own.under)) for name, own in self.items())
        parts = (f"{name}: {over} over, {under} under" for name, over, under in found)
        return f"Explanation({'; '.join(parts)})"

    def __str__(self) -> str:
        return "\n\n".join(f"{escaped(name)}\n{own.table()}" for name, own in self.items())

    @property
    def sizes(self) -> dict[str, int]:
        """Texts of every sample, human first."""
        return self.compared.sizes

    @property
    def human_name(self) -> str:
        """What the human texts are called."""
        return self.compared.human_name

    @cached_property
    def _first(self) -> SystemExplanation:
        return next(iter(self.values()))

    @property
    def mixture(self) -> float:
        """λ, the weight of people in the mixture R."""
        return self._first.mixture

    @property
    def confidence(self) -> float:
        """Level of the intervals, and one minus that of the tests."""
        return self._first.confidence

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the map and the list of all texts, ready for JSON."""
        return {
            "sizes": self.sizes,
            "assignment": self.assignment.tolist(),
            "systems": [own.to_dict() for own in self.values()],
            "fields": [found.to_dict() for found in self.fields],
            "fields_left_out": self.fields_left_out,
        }

    def to_jsonl(self, path: str | Path) -> None:
        """Write one line for each text: what it adds to the gap, and its cluster.

        The texts of a system come first, those that add most on top, then the human texts;
        then the next system, with the human texts once more.
        """
        with atomic_write(Path(path)) as file:
            for name, own in self.items():
                for share in own.texts():
                    line = {"system": name, **share.to_dict()}
                    file.write(json.dumps(line, allow_nan=False).encode() + b"\n")

    def plot(self, system: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw the map of the texts of people and of a system; needs the ``plot`` extra."""
        from mauve.plots import plot_map

        name = next(iter(self)) if system is None else system
        if name not in self:
            raise bad_parameter("plot", "system", f"one of {[*self]}", name)
        return plot_map(self, name, ax)

    def _repr_html_(self) -> str:
        return "".join(
            f"<h4>{html.escape(escaped(name))}</h4>{own._repr_html_()}"
            for name, own in self.items()
        )
