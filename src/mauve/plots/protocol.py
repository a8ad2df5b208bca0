"""Define what pictures need to know of results.

The results themselves belong to packages above this one, which call it to draw themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from mauve.arrays import FloatArray, IntArray


class HasScore(Protocol):
    """A score."""

    @property
    def mauve(self) -> float:
        """The score."""


class HasCurve(HasScore, Protocol):
    """A score and the divergence curve whose area it is."""

    @property
    def divergence_curve(self) -> FloatArray:
        """Points of shape (n, 2)."""


class HasInterval(HasScore, Protocol):
    """A score with its interval, and the score of human text where that was estimated."""

    @property
    def interval(self) -> tuple[float, float]:
        """Low and high end of its confidence interval."""

    @property
    def ceiling(self) -> float | None:
        """Mean score of two samples of one source."""

    @property
    def ceiling_low(self) -> float | None:
        """Lower end of the scores of two samples of one source."""


class DrawnRung(HasScore, Protocol):
    """A score after some steps of normalisation."""

    @property
    def interval(self) -> tuple[float, float]:
        """Low and high end of its confidence interval."""

    @property
    def step(self) -> str | None:
        """The last step; None for the texts as given."""


class HasRungs(HasScore, Protocol):
    """The scores of a system as given, and after steps, as :class:`mauve.Ladder` has them."""

    @property
    def rungs(self) -> Sequence[DrawnRung]:
        """The first is for the texts as given."""

    @property
    def ceiling(self) -> float | None:
        """Mean score of two samples of one source."""


class HasErrors(HasScore, Protocol):
    """A score and the two errors of a system, in nats."""

    @property
    def type_1(self) -> float:
        """KL(Q|R)."""

    @property
    def type_2(self) -> float:
        """KL(P|R)."""


class HasValue(Protocol):
    """A part of a divergence."""

    @property
    def value(self) -> float:
        """In nats."""


class HasPhrase(Protocol):
    """A characteristic word or phrase."""

    @property
    def phrase(self) -> str:
        """Its words."""


class DrawnCluster(Protocol):
    """A cluster of texts, as :class:`mauve.Cluster` describes it."""

    @property
    def number(self) -> int:
        """From 1."""

    @property
    def name(self) -> str:
        """A few words."""

    @property
    def title(self) -> str:
        """Number and label."""

    @property
    def label(self) -> str:
        """What it is called where it differs."""

    @property
    def kind(self) -> str:
        """One of "over", "under", "otherwise" and "same"."""

    @property
    def kind_title(self) -> str:
        """The kind in words."""

    @property
    def n_human(self) -> int:
        """Human texts."""

    @property
    def n_model(self) -> int:
        """Texts of the system."""

    @property
    def human_share(self) -> float:
        """Share of the human texts."""

    @property
    def model_share(self) -> float:
        """Share of the system's texts."""

    @property
    def type_1(self) -> HasValue:
        """Part of KL(Q|R)."""

    @property
    def type_2(self) -> HasValue:
        """Part of KL(P|R)."""

    @property
    def words(self) -> Sequence[HasPhrase]:
        """Characteristic words."""


class HasClusters(Protocol):
    """The clusters of one system, as :class:`mauve.SystemExplanation` has them."""

    @property
    def name(self) -> str:
        """Name of the system."""

    @property
    def clusters(self) -> Sequence[DrawnCluster]:
        """All clusters."""

    @property
    def over(self) -> Sequence[DrawnCluster]:
        """Those that the system writes too much of."""

    @property
    def under(self) -> Sequence[DrawnCluster]:
        """Those that the system writes too little of."""

    @property
    def otherwise(self) -> Sequence[DrawnCluster]:
        """Those that the system writes differently."""


class Layout(Protocol):
    """Positions of texts, and the discs of their clusters."""

    @property
    def positions(self) -> FloatArray:
        """Of every text, shape (n, 2)."""

    @property
    def centres(self) -> FloatArray:
        """Of every disc, shape (n_clusters, 2)."""

    @property
    def radii(self) -> FloatArray:
        """Of every disc, shape (n_clusters,)."""


class HasRows(Protocol):
    """The samples of a comparison, one after another."""

    def rows_of(self, sample: str) -> IntArray:
        """Return where the texts of a sample lie among all texts."""


class HasMap(Protocol):
    """Clusters of several systems on one map, as :class:`mauve.Explanation` has them."""

    def __getitem__(self, system: str, /) -> HasClusters: ...

    def __iter__(self) -> Iterator[str]: ...

    @property
    def text_map(self) -> Layout:
        """Where texts and clusters lie."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """Texts of every sample."""

    @property
    def human_name(self) -> str:
        """Name of the human sample."""

    @property
    def compared(self) -> HasRows:
        """Where the texts of each sample are."""


class HasMatrix(Protocol):
    """Scores of samples against each other."""

    @property
    def names(self) -> tuple[str, ...]:
        """All samples."""

    @property
    def human_name(self) -> str:
        """The human sample."""

    @property
    def spread(self) -> tuple[float, ...]:
        """Scores of halves of the human texts against each other."""

    def array(self) -> FloatArray:
        """Return the scores in the order of `names`."""

    def linkage(self) -> FloatArray:
        """Return the tree of the samples."""

    def order(self) -> tuple[str, ...]:
        """Return the samples in the order of the leaves."""


class HasMeasured(Protocol):
    """A value with its interval."""

    @property
    def value(self) -> float:
        """The value."""

    @property
    def interval(self) -> tuple[float, float]:
        """Low and high end of its confidence interval."""


class HasTitle(Protocol):
    """A measure."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def title(self) -> str:
        """The title of its column."""


class HasMeasures(Protocol):
    """Measures of systems and of human text, as :class:`mauve.Measurements` has them."""

    @property
    def measures(self) -> Sequence[HasTitle]:
        """The measures."""

    @property
    def human(self) -> Mapping[str, HasMeasured]:
        """Those of human text, by name."""

    def __iter__(self) -> Iterator[str]:
        """Iterate over the systems."""

    def __getitem__(self, name: str, /) -> Mapping[str, HasMeasured]:
        """Return the measures of a system, by name."""
