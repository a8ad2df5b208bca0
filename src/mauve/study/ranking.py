"""Rank systems by the ratings of people, with intervals: rank and its result."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mauve.arrays import FloatArray
from mauve.equality import ExactEquality
from mauve.errors import bad_parameter, check_int, check_share, warn_caller
from mauve.escape import listed
from mauve.formatting import format_fixed, format_interval, format_level
from mauve.plots.preference import plot_preference
from mauve.study.bootstrap import bootstrap_draws, effective_clusters, intervals, n_clusters
from mauve.study.bradley_terry import bradley_terry, win_probability
from mauve.study.davidson import davidson
from mauve.study.rating_counts import Counts
from mauve.study.ratings import Ratings
from mauve.study.wins import Preferences, preferences
from mauve.tables import as_latex, as_markdown, as_text, titles_and_cells, with_warnings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW_CLUSTERS = 10  # of fewer, the spread is hardly known


class Preferred(NamedTuple):
    """How likely people prefer a system to another.

    Attributes
    ----------
    probability : float
        That a rating that is no tie prefers the first system, in the fitted model.
    interval : tuple of float
        Its confidence interval.
    certainty : float
        Share of the draws in which the first system has the higher score: how sure it is that
        people prefer it at all.
    """

    probability: float
    interval: tuple[float, float]
    certainty: float


@dataclass(frozen=True, eq=False)
class Ranking(ExactEquality):
    """Scores of systems from ratings of pairs, for one question.

    Attributes
    ----------
    question : str
    systems : tuple of str
        Best first.
    scores : array of float, shape (n_systems,)
        On the scale of the paper: 100 for each unit of the log odds, with mean 0.
    draws : array of float, shape (n_draws, n_systems)
        Scores of reweighted ratings; their spread is the uncertainty of the scores.
    wins : array of float, shape (n_systems, n_systems)
        How often the row was preferred to the column.
    counts : Counts
    ties : str
        What became of ties: "random", "half" or "davidson".
    tie_parameter : float or None
        ν of the model of Davidson.
    resample : str
        What is drawn again: "annotators", "items" or "both".
    n_clusters : int
        How many there are.
    effective_clusters : float
        How many of equal size would tell as much.
    confidence : float
        Level of the intervals.
    seed : int
    warnings : tuple of str
        Reasons why scores or intervals may be unreliable.
    """

    question: str
    systems: tuple[str, ...]
    scores: FloatArray = field(repr=False)
    draws: FloatArray = field(repr=False)
    wins: FloatArray = field(repr=False)
    counts: Counts = field(repr=False)
    ties: str
    tie_parameter: float | None
    resample: str
    n_clusters: int
    effective_clusters: float
    confidence: float
    seed: int
    warnings: tuple[str, ...] = ()

    @property
    def intervals(self) -> FloatArray:
        """Confidence intervals of the scores, shape (n_systems, 2)."""
        return self._intervals(self.scores, self.draws)

    def score(self, system: str) -> float:
        """Return the score of a system."""
        return float(self.scores[self._position(system)])

    def interval(self, system: str) -> tuple[float, float]:
        """Return the confidence interval of a score."""
        low, high = self.intervals[self._position(system)]
        return float(low), float(high)

    def ranks(self, system: str) -> tuple[int, int]:
        """Return the best and the worst rank that a system may have.

        Systems whose difference of scores has an interval on one side of 0 are in that order.
        """
        i = self._position(system)
        differences = self._intervals(self.scores - self.scores[i], self.draws - self.draws[:, [i]])
        others = np.arange(len(self.systems)) != i
        better = int((differences[others, 0] > 0).sum())
        worse = int((differences[others, 1] < 0).sum())
        return 1 + better, len(self.systems) - worse

    def preferred(self, first: str, second: str) -> Preferred:
        """Return how likely people prefer the first system to the second."""
        i, j = self._position(first), self._position(second)
        if i == j:
            raise bad_parameter("second", "another system than the first", second)
        differences = self.draws[:, i] - self.draws[:, j]
        gap = self.scores[i] - self.scores[j]
        low, high = win_probability(self._intervals(gap[None], differences[:, None])[0])
        return Preferred(
            float(win_probability(gap)),
            (float(low), float(high)),
            float((differences > 0).mean() + (differences == 0).mean() / 2),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the draws as JSON has it."""
        return {
            "question": self.question,
            "systems": [
                {
                    "name": name,
                    "score": float(self.scores[i]),
                    "interval": [float(end) for end in self.intervals[i]],
                    "ranks": list(self.ranks(name)),
                }
                for i, name in enumerate(self.systems)
            ],
            "pairs": [
                {
                    "first": first,
                    "second": second,
                    "wins": float(self.wins[i, j]),
                    "losses": float(self.wins[j, i]),
                    **self.preferred(first, second)._asdict(),
                }
                for i, first in enumerate(self.systems)
                for j, second in enumerate(self.systems)
                if i < j
            ],
            "counts": self.counts._asdict(),
            "ties": self.ties,
            "tie_parameter": self.tie_parameter,
            "resample": self.resample,
            "n_clusters": self.n_clusters,
            "effective_clusters": self.effective_clusters,
            "n_draws": len(self.draws),
            "confidence": self.confidence,
            "seed": self.seed,
            "warnings": list(self.warnings),
        }

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of the table, as cells by their titles."""
        n_ratings = (self.wins + self.wins.T).sum(axis=1)
        cells = []
        for i, name in enumerate(self.systems):
            best, worst = self.ranks(name)
            cells.append(
                {
                    "system": name,
                    "score": format_fixed(self.scores[i], 1),
                    f"{format_level(self.confidence)} interval": format_interval(
                        self.interval(name), 1
                    ),
                    "rank": str(best) if best == worst else f"{best} to {worst}",
                    "compared": f"{n_ratings[i]:,.0f}",
                }
            )
        return cells

    def __str__(self) -> str:
        return with_warnings(self.table(), self.warnings)

    def table(self) -> str:
        """Return the table as plain text."""
        return as_text(*titles_and_cells(self.rows()))

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return as_markdown(*titles_and_cells(self.rows()))

    def to_latex(self) -> str:
        """Return the table in LaTeX; it needs the package booktabs."""
        return as_latex(*titles_and_cells(self.rows()))

    def plot(self, ax: "Axes | None" = None, *, human: str = "human") -> "Axes":
        """Draw the scores with their intervals; needs the ``plot`` extra."""
        return plot_preference(
            self.systems,
            self.scores,
            self.intervals,
            ax,
            human=human,
            label=f"{self.question}: Bradley-Terry score",
        )

    def _position(self, system: str) -> int:
        if system not in self.systems:
            raise bad_parameter("system", f"one of {listed(self.systems)}", system)
        return self.systems.index(system)

    def _intervals(self, scores: FloatArray, draws: FloatArray) -> FloatArray:
        return intervals(
            scores, draws, confidence=self.confidence, n_clusters=self.effective_clusters
        )


def rank(
    ratings: Ratings,
    question: str | None = None,
    *,
    ties: str = "random",
    longer_than: float | None = None,
    leave_out: Sequence[str] = (),
    resample: str = "annotators",
    n_draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Ranking:
    """Rank systems by the ratings of people.

    Parameters
    ----------
    ratings : Ratings
        From :func:`mauve.study.rating_files.read_ratings`, or from a study.
    question : str, optional
        Needed where there are several.
    ties : {"random", "half", "davidson"}
        A tie is a win of one of the two at random, as in the paper, half a win for each, or an
        outcome of its own in the model of Davidson.
    longer_than : float, optional
        Seconds that a rating must exceed to count; the paper leaves out those under 25.
    leave_out : sequence of str
        Systems whose pairs are left out.
    resample : {"annotators", "items", "both"}
        What intervals generalise to: other annotators, other prompts, or both.
    n_draws : int
        Of the bootstrap.
    confidence : float
        Level of the intervals.
    seed : int
        Random seed of ties and of the bootstrap.

    Returns
    -------
    Ranking

    Examples
    --------
    >>> from mauve.study.ratings import Rating
    >>> choices = {("human", "xl"): (1, 2, 2, 4), ("human", "small"): (1, 1, 1, 5),
    ...            ("small", "xl"): (4, 5, 5, 2)}
    >>> rows = [Rating(str(i), f"person {i % 4}", a, b, (choice,))
    ...         for (a, b), chosen in choices.items() for i, choice in enumerate(3 * chosen)]
    >>> ranking = rank(Ratings(tuple(rows), ("better",)), resample="items")
    >>> ranking.systems, round(ranking.preferred("human", "small").probability, 2)
    (('human', 'xl', 'small'), 0.82)
    """
    check_int("n_draws", n_draws, 100)
    check_share("confidence", confidence)
    if question is None:
        if len(ratings.questions) > 1:
            raise bad_parameter("question", f"one of {listed(ratings.questions)}", question)
        (question,) = ratings.questions
    left = ratings.without(leave_out)
    valid = left.counted()
    counted = valid if longer_than is None else left.counted(longer_than=longer_than)
    preferred = preferences(counted, question, seed=seed)
    scores, tie_parameter = _fit(preferred, ties)
    draws = bootstrap_draws(
        preferred,
        lambda weights: scores if weights is None else _fit(preferred, ties, weights)[0],
        resample=resample,
        n_draws=n_draws,
        seed=seed,
    )
    warnings = _warnings(preferred, resample, draws)
    for message in warnings:
        warn_caller(message)
    order = np.argsort(-scores, kind="stable")
    n_invalid = sum(not row.valid for row in left.rows)
    return Ranking(
        question,
        tuple(preferred.systems[i] for i in order),
        scores[order],
        draws[:, order],
        wins=preferred.wins("half")[np.ix_(order, order)],
        counts=Counts(
            counted=len(preferred),
            ties=preferred.n_ties,
            invalid=n_invalid,
            repeats=len(left) - len(valid) - n_invalid,
            fast=len(valid) - len(counted),
            unanswered=preferred.n_unanswered,
            annotators=preferred.n_annotators,
            items=preferred.n_items,
        ),
        ties=ties,
        tie_parameter=tie_parameter,
        resample=resample,
        n_clusters=n_clusters(preferred, resample),
        effective_clusters=effective_clusters(preferred, resample),
        confidence=confidence,
        seed=seed,
        warnings=warnings,
    )


def _fit(
    preferred: Preferences, ties: str, weights: FloatArray | None = None
) -> tuple[FloatArray, float | None]:
    """Return scores, and ν of all ratings if ties are an outcome of their own."""
    wins = preferred.wins(ties, weights)
    if ties != "davidson":
        return bradley_terry(wins, preferred.systems), None
    fit = davidson(wins, preferred.ties(weights), preferred.systems)
    return fit.scores, float(fit.tie) if weights is None else None


def _warnings(preferred: Preferences, resample: str, draws: FloatArray) -> tuple[str, ...]:
    warnings = []
    n = n_clusters(preferred, resample)
    if n < _FEW_CLUSTERS:
        kind = resample if resample != "both" else "annotators or items"
        warnings.append(
            f"The intervals rest on {n} {kind}, whose spread is hardly known from so few: collect "
            f"ratings of at least {_FEW_CLUSTERS}."
        )
    if np.ptp(draws, axis=0).max() < 1e-6:  # far below what is printed of scores
        warnings.append(
            "The intervals have no width, since all resamples of the ratings give the same scores "
            f"({preferred.n_ties:,} of {len(preferred):,} ratings are ties): they do not show how "
            "far scores of other ratings would lie."
        )
    return (*warnings,)
