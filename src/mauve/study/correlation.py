"""Correlate what people prefer with what automatic measures say, with the errors of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mauve.errors import InvalidParameterError, check_int, check_share
from mauve.escape import escaped, listed
from mauve.formatting import format_interval, format_level, format_p_value, format_signed
from mauve.inference.rank_correlation import RankCorrelation, rank_correlation
from mauve.study.measure_scores import MeasureScores, listed_systems, systems_of
from mauve.study.ranking import Ranking
from mauve.tables import as_latex, as_markdown, as_text, titles_and_cells

_LEAST = 4  # systems: fewer can be ranked in so few ways that nothing follows


@dataclass(frozen=True)
class MeasureCorrelation:
    """Spearman's correlation of one measure with the scores by people.

    Attributes
    ----------
    measure, title : str
    correlation : RankCorrelation or None
        None where it is not defined.
    why_not : str
        The reason, where there is none.
    """

    measure: str
    title: str
    correlation: RankCorrelation | None
    why_not: str = ""


@dataclass(frozen=True)
class Correlations:
    """Correlations of several measures with one question of a study.

    Attributes
    ----------
    question : str
    measures : tuple of MeasureCorrelation
    systems : tuple of str
        Systems that people rated and measures scored, best by people first.
    only_rated, only_scored : tuple of str
        Systems that have ratings alone, such as human text, or scores alone.
    confidence : float
    """

    question: str
    measures: tuple[MeasureCorrelation, ...]
    systems: tuple[str, ...]
    only_rated: tuple[str, ...]
    only_scored: tuple[str, ...]
    confidence: float

    def __getitem__(self, measure: str) -> RankCorrelation | None:
        for row in self.measures:
            if row.measure == measure:
                return row.correlation
        known = listed([row.measure for row in self.measures])
        raise InvalidParameterError(f"'{escaped(measure)}' must be one of the measures {known}.")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "question": self.question,
            "systems": list(self.systems),
            "only_rated": list(self.only_rated),
            "only_scored": list(self.only_scored),
            "confidence": self.confidence,
            "measures": [
                {
                    "measure": row.measure,
                    "title": row.title,
                    "correlation": None if row.correlation is None else row.correlation.to_dict(),
                    "why_not": row.why_not,
                }
                for row in self.measures
            ],
        }

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of the table, highest correlation first, as cells by their titles."""

        def height(row: MeasureCorrelation) -> float:
            return -2.0 if row.correlation is None else row.correlation.rho

        return [
            {
                "measure": row.title,
                "Spearman": _or_dashes(row.correlation, lambda c: format_signed(c.rho)),
                f"{format_level(self.confidence)} interval": _or_dashes(
                    row.correlation, lambda c: format_interval(c.interval, 2)
                ),
                "p": _or_dashes(row.correlation, lambda c: format_p_value(c.p_value)),
                "systems": _or_dashes(row.correlation, lambda c: str(c.n)),
            }
            for row in sorted(self.measures, key=height, reverse=True)
        ]

    def notes(self) -> list[str]:
        """Return why a correlation is missing, and which systems were left out."""
        notes = [f"{row.title}: {row.why_not}" for row in self.measures if row.why_not]
        if self.only_rated:
            notes.append(f"Without scores, and left out: {listed(self.only_rated)}.")
        if self.only_scored:
            notes.append(f"Without ratings, and left out: {listed(self.only_scored)}.")
        return notes

    def __str__(self) -> str:
        return "\n".join([self.table(), *self.notes()])

    def table(self) -> str:
        """Return the table as plain text."""
        return as_text(*titles_and_cells(self.rows()))

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return as_markdown(*titles_and_cells(self.rows()))

    def to_latex(self) -> str:
        """Return the table in LaTeX; it needs the package booktabs."""
        return as_latex(*titles_and_cells(self.rows()))


def correlate(
    ranking: Ranking,
    scores: Sequence[MeasureScores],
    *,
    names: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    n_bootstrap: int = 2000,
    seed: int = 0,
) -> Correlations:
    """Correlate the scores of a ranking with those of measures.

    Parameters
    ----------
    ranking : Ranking
        From :func:`mauve.study.ranking.rank`.
    scores : sequence of MeasureScores
        From :func:`mauve.study.measure_scores.read_scores`.
    names : mapping from str to str, optional
        Name in the scores of a system that the ratings call otherwise.
    confidence : float
        Level of the intervals.
    n_bootstrap : int
    seed : int

    Returns
    -------
    Correlations
        Positive where the measure says what people say: all measures are turned so that higher
        is better, statistics by their gap to human text. The interval carries the error of the
        human scores (the draws of the ranking), that of the measure (its intervals), and which
        systems there happen to be; see :func:`mauve.inference.rank_correlation.rank_correlation`.

    Notes
    -----
    Errors of the measure are drawn for each system on its own. Scores of systems share their
    human texts, which moves all of them alike and hardly their order; so the interval is
    rather too wide.

    Examples
    --------
    >>> from mauve.study.ranking import rank
    >>> from mauve.study.ratings import Rating, Ratings
    >>> rows = [Rating(f"{i}{a}{b}", str(i), a, b, (1 if (i + ord(a)) % 4 else 5,))
    ...         for i in range(12) for a in "vwxyz" for b in "vwxyz" if a < b]
    >>> ranking = rank(Ratings(tuple(rows), ("better",)))
    >>> scores = {"v": 0.9, "w": 0.8, "x": 0.5, "y": 0.7}
    >>> mauve = MeasureScores("mauve", "MAUVE", scores, {}, {}, 0.95)
    >>> correlations = correlate(ranking, [mauve])
    >>> correlations.systems, correlations.only_rated
    (('v', 'w', 'x', 'y'), ('z',))
    >>> round(correlations["mauve"].rho, 3)
    0.8
    """
    check_share("confidence", confidence)
    check_int("n_bootstrap", n_bootstrap, 100)
    check_int("seed", seed, 0)
    names = dict(names or {})
    for name in names:
        if name not in ranking.systems:
            raise InvalidParameterError(
                f"'{escaped(name)}' must be a system of the ratings, which are "
                f"{listed(ranking.systems)}."
            )
    called = {system: names.get(system, system) for system in ranking.systems}
    if len(set(called.values())) < len(called):
        raise InvalidParameterError(
            f"Systems must have different names in the scores. Got {listed([*called.values()])}."
        )
    scored = systems_of(scores)
    both = tuple(system for system in ranking.systems if called[system] in scored)
    if len(both) < _LEAST:
        raise InvalidParameterError(
            f"A correlation needs at least {_LEAST} systems with ratings and scores. Got "
            f"{len(both)}: the ratings are of {listed(ranking.systems)}, the scores of "
            f"{listed_systems(scores)}; name systems alike, or add systems."
        )
    used = {called[system] for system in both}
    measures = (
        _of_measure(ranking, part, both, called, confidence, n_bootstrap, seed) for part in scores
    )
    return Correlations(
        ranking.question,
        tuple(measures),
        systems=both,
        only_rated=tuple(system for system in ranking.systems if system not in both),
        only_scored=tuple(name for name in scored if name not in used),
        confidence=float(confidence),
    )


def _of_measure(
    ranking: Ranking,
    part: MeasureScores,
    both: Sequence[str],
    called: Mapping[str, str],
    confidence: float,
    n_bootstrap: int,
    seed: int,
) -> MeasureCorrelation:
    systems = [system for system in both if called[system] in part.scores]
    by_measure = [called[system] for system in systems]
    values = np.array([part.scores[name] for name in by_measure])
    why_not = ""
    if len(systems) < _LEAST:
        why_not = f"it is defined for {len(systems)} of the systems alone, and {_LEAST} are needed."
    elif np.ptp(values) == 0:
        why_not = "it is the same for all systems."
    if why_not:
        return MeasureCorrelation(part.measure, part.title, None, why_not)
    columns = [ranking.systems.index(system) for system in systems]
    correlation = rank_correlation(
        ranking.scores[columns],
        values,
        first_draws=ranking.draws[:, columns],
        second_draws=part.draws(by_measure, n_draws=n_bootstrap, seed=seed + 1),
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        seed=seed,
    )
    return MeasureCorrelation(part.measure, part.title, correlation)


def _or_dashes(correlation: RankCorrelation | None, cell: Any) -> str:
    return "--" if correlation is None else str(cell(correlation))
