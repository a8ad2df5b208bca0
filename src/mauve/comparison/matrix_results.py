"""Hold the scores of all samples against each other, and what they say of who writes like whom."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.formatting import format_score
from mauve.frontier.score import deviance_of
from mauve.tables import as_html, as_latex, as_markdown, as_text, warnings_as_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MatrixScore(NamedTuple):
    """The score of two samples against each other, with its interval."""

    mauve: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Matrix:
    """What :func:`mauve.comparison.matrices.score_matrix` returns.

    Attributes
    ----------
    names : tuple of str
        All samples, human first.
    human_name : str
    scores : dict from pair of str to MatrixScore
        Of each pair, in the order of `names`; a score does not depend on the order of a pair.
    spread : tuple of float
        Scores of halves of the human texts against each other, ascending: a base line. Empty
        if they cannot be divided.
    num_buckets : int
    confidence : float
    n_texts : dict from str to int
    signature : str
    warnings : tuple of str

    Examples
    --------
    >>> scores = {("human", "a"): MatrixScore(0.5, (0.4, 0.6)), ("human", "b"):
    ...     MatrixScore(0.4, (0.3, 0.5)), ("a", "b"): MatrixScore(0.9, (0.8, 1.0))}
    >>> matrix = Matrix(("human", "a", "b"), "human", scores, (0.98, 0.99), 10, 0.95, {}, "")
    >>> matrix["b", "a"].mauve, matrix.nearest("a")
    (0.9, 'b')
    >>> print(matrix.table())
           human      a      b
    human  0.985  0.500  0.400
    a      0.500         0.900
    b      0.400  0.900
    """

    names: tuple[str, ...]
    human_name: str
    scores: dict[tuple[str, str], MatrixScore]
    spread: tuple[float, ...]
    num_buckets: int
    confidence: float
    n_texts: dict[str, int]
    signature: str
    warnings: tuple[str, ...] = field(default=(), repr=False)

    def __getitem__(self, pair: tuple[str, str]) -> MatrixScore:
        if pair in self.scores:
            return self.scores[pair]
        if pair[::-1] in self.scores:
            return self.scores[pair[1], pair[0]]
        raise KeyError(pair)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def others(self, name: str) -> list[str]:
        """Return all samples but one, the most alike first."""
        if name not in self.names:
            names = listed([f"'{escaped(each)}'" for each in self.names])
            raise InvalidParameterError(
                f"'name' must be one of {names}. Got '{escaped(name)}' instead."
            )
        others = [other for other in self.names if other != name]
        return sorted(others, key=lambda other: -self[name, other].mauve)

    def nearest(self, name: str) -> str:
        """Return the sample that is most like another one."""
        return self.others(name)[0]

    def array(self) -> FloatArray:
        """Return the scores as an array in the order of `names`, with 1 in the diagonal."""
        n = len(self.names)
        scores = np.ones((n, n))
        for i, first in enumerate(self.names):
            for j, second in enumerate(self.names):
                if i != j:
                    scores[i, j] = self[first, second].mauve
        return scores

    def linkage(self) -> FloatArray:
        r"""Return the tree of the samples, as SciPy's hierarchical clustering has it.

        Notes
        -----
        Average linkage of the deviances :math:`\sqrt{-\log \text{score}}`: they are distances
        with 0 for equal samples, and do not saturate as 1 minus the score does. A score that
        rounds to 0 has the largest finite one.
        """
        deviances = np.asarray(deviance_of(np.maximum(self.array(), np.finfo(float).tiny)))
        upper = np.triu_indices(len(self.names), 1)
        made: FloatArray = scipy.cluster.hierarchy.linkage(
            deviances[upper], "average", optimal_ordering=True
        )
        return made

    def order(self) -> tuple[str, ...]:
        """Return the samples in the order of the tree's leaves: alike samples are adjacent."""
        leaves = scipy.cluster.hierarchy.leaves_list(self.linkage())
        return tuple(self.names[i] for i in leaves)

    @property
    def systems(self) -> tuple[str, ...]:
        """All samples but the human one."""
        return tuple(name for name in self.names if name != self.human_name)

    def sentences(self) -> list[str]:
        """Return what the scores say: who is nearest to whom, and whether systems are alike."""
        human = self.human_name
        sentences = []
        for name in self.systems:
            first, *_ = self.others(name)
            of_human = self[name, human]
            if first != human and of_human.interval[1] < self[name, first].interval[0]:
                sentences.append(
                    f"'{escaped(name)}' writes more like '{escaped(first)}' "
                    f"({format_score(self[name, first].mauve)}) than like human text "
                    f"({format_score(of_human.mauve)})."
                )
        if len(self.systems) > 1:
            among = fmean(self[pair].mauve for pair in self.scores if human not in pair)
            to_human = fmean(self[name, human].mauve for name in self.systems)
            sentences.append(
                f"On average systems score {format_score(among)} against each other and "
                f"{format_score(to_human)} against human text."
            )
        if self.spread:
            sentences.append(
                f"Halves of the human texts score {format_score(median(self.spread))} against "
                f"each other ({format_score(self.spread[0])} to {format_score(self.spread[-1])} "
                f"in {len(self.spread)} divisions)."
            )
        return sentences

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Return titles and cells of the table; the human row begins with the human spread."""
        order = [self.human_name, *(name for name in self.order() if name != self.human_name)]
        halves = format_score(median(self.spread)) if self.spread else ""
        rows = []
        for name in order:
            cells = [
                (halves if name == self.human_name else "")
                if other == name
                else format_score(self[name, other].mauve)
                for other in order
            ]
            rows.append([name, *cells])
        return ["", *order], rows

    def table(self) -> str:
        """Return the scores as plain text; that of human text with itself is of its halves."""
        return as_text(*self.rows())

    def to_markdown(self) -> str:
        """Return the scores as a Markdown table."""
        return as_markdown(*self.rows())

    def to_latex(self) -> str:
        """Return the scores as a LaTeX table."""
        return as_latex(*self.rows())

    def _repr_html_(self) -> str:
        return as_html(*self.rows()) + warnings_as_html(self.warnings)

    def __str__(self) -> str:
        return "\n".join([self.table(), "", *self.sentences()])

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain Python objects."""
        return {
            "samples": [*self.names],
            "human": self.human_name,
            "pairs": [
                {"samples": [*pair], "mauve": score.mauve, "interval": [*score.interval]}
                for pair, score in self.scores.items()
            ],
            "human_spread": [*self.spread],
            "order": [*self.order()],
            "num_buckets": self.num_buckets,
            "confidence": self.confidence,
            "n_texts": dict(self.n_texts),
            "signature": self.signature,
            "sentences": self.sentences(),
            "warnings": [*self.warnings],
        }

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw a heat map with a tree; needs the ``plot`` extra."""
        from mauve.plots.matrix import plot_matrix

        return plot_matrix(self, ax)
