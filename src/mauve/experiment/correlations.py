"""Correlate measures with each other, between embedders, and with scores from outside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mauve import tables
from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import listed
from mauve.experiment.aggregation import badness
from mauve.experiment.cell_names import CellNames, level_name
from mauve.experiment.outside import OutsideScores
from mauve.experiment.results import SCORING, ExperimentResults, GridRow, MeasureInfo
from mauve.experiment.series import base_rows, human_value, mean_of
from mauve.experiment.tabulation import main_measures
from mauve.formatting import format_p_value
from mauve.inference.rank_correlation import RankCorrelation, rank_correlation

_N_DRAWS = 2000
_COLUMNS = ("row", "against", "spearman", "low", "high", "p", "settings")


@dataclass(frozen=True)
class Correlated:
    """The rank correlation of two ratings of the same settings.

    Attributes
    ----------
    first, second : str
        What rates: a measure, a level such as an embedder, or a score from outside.
    correlation : RankCorrelation or None
        None where it is not defined.
    settings : tuple of str
        Names of the settings that both rate.
    why : str
        Why there is none.
    """

    first: str
    second: str
    correlation: RankCorrelation | None
    settings: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True)
class Correlations:
    """Rank correlations, positive where two ratings agree on what is good.

    Attributes
    ----------
    rows : tuple of Correlated
    confidence : float
    warnings : tuple of str
    """

    rows: tuple[Correlated, ...]
    confidence: float
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the table as plain text, with its warnings."""
        return tables.with_warnings(self.to_text(), self.warnings)

    def titles_and_cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the titles of the table and the cells of its rows."""
        titles = ["rated by", "against", "Spearman", f"{self.confidence:.0%} interval", "p",
                  "settings"]  # fmt: skip
        return titles, [[row.first, row.second, *_cells(row)] for row in self.rows]

    def to_text(self) -> str:
        """Return the table as plain text."""
        return tables.as_text(*self.titles_and_cells(), left=2)

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return tables.as_markdown(*self.titles_and_cells(), left=2)

    def to_latex(self) -> str:
        """Return the table in LaTeX; it needs the package booktabs."""
        return tables.as_latex(*self.titles_and_cells(), left=2)

    def to_csv(self) -> str:
        """Return a line for each correlation, with a header and all digits."""
        return tables.as_csv(
            [
                dict(zip(_COLUMNS, [row.first, row.second, *_numbers(row), len(row.settings)],
                         strict=True))
                for row in self.rows
            ]
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects, ready for JSON; None is undefined."""
        return {
            "confidence": self.confidence,
            "correlations": [
                {
                    "first": row.first,
                    "second": row.second,
                    **({} if row.correlation is None else row.correlation.to_dict()),
                    "settings": list(row.settings),
                    **({"undefined": row.why} if row.why else {}),
                }
                for row in self.rows
            ],
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True)
class _Ratings:
    """How good each setting is, and draws of that from the errors; shape (n_draws, n)."""

    name: str
    by_setting: Mapping[tuple[Any, ...], tuple[float, FloatArray]]


def correlate(
    results: ExperimentResults,
    against: str | None = None,
    *,
    measures: Sequence[str] | None = None,
    scores: OutsideScores | None = None,
    levels: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Correlations:
    """Correlate how measures rank the settings of an experiment.

    Parameters
    ----------
    results : ExperimentResults
    against : str, optional
        A measure, such as "mauve"; a dimension of how texts are scored, such as "embedder",
        which correlates its levels with the first one; or the name of a score from outside. By
        default all scores from outside if there are any, and "mauve" if not.
    measures : sequence of str, optional
        What is correlated with that: by default those of a table, or MAUVE for a dimension.
    scores : OutsideScores, optional
        Scores from outside, such as those of people.
    levels : mapping from dimension to value, optional
        Which settings: by default those of texts of the greatest length.
    confidence : float
    seed : int

    Notes
    -----
    A statistic T counts by its gap -|T(Q) - T(P)|, so that all correlations are of what is good.
    A value is the mean over seeds; its error is the greater of the standard deviation over
    seeds divided by the root of their number, and the standard error within seeds; a number
    without a standard error counts as exact within a seed.
    :func:`mauve.inference.rank_correlation.rank_correlation` says how both enter the interval.

    Examples
    --------
    >>> from mauve.experiment.results import GridSetting
    >>> from mauve.measures.intervals import Measured
    >>> rows = [GridRow(GridSetting("web", "m", decoder, 0, 64),
    ...                 {"mauve": Measured(i / 5, (0, 1), 0.01),
    ...                  "frechet": Measured(5.0 - i, (0, 9), 0.1)})
    ...         for i, decoder in enumerate(["greedy", "beam:b=4", "ancestral", "top-k:k=9"])]
    >>> measures = (MeasureInfo("frechet", "Fréchet", "lower", False),
    ...             MeasureInfo("mauve", "MAUVE", "higher", False))
    >>> found = correlate(ExperimentResults("study", {}, measures, tuple(rows), ()))
    >>> [(row.first, row.second, row.correlation.rho) for row in found.rows]
    [('Fréchet', 'MAUVE', 1.0)]
    """
    chosen = results.select(**dict(levels or {}))
    length = "length" in (levels or {})
    names = list(measures) if measures is not None else None
    references: list[_Ratings]
    rated: list[_Ratings]
    if against in SCORING:
        rows = base_rows(results, chosen, against, length=length)
        described = results.measure((names or ["mauve"])[0])
        found = dict.fromkeys(getattr(row.setting, against) for row in rows)
        if len(found) < 2:
            raise InvalidParameterError(
                f"'{results.name}' varies no {against}: give its config two or more of them."
            )
        at = {
            level: _rate(
                results, [r for r in rows if getattr(r.setting, against) == level], described,
                level_name(against, level), seed,
            )
            for level in found
        }  # fmt: skip
        base = results.base.get(against, next(iter(found)))
        references = [at.pop(base)]
        rated = [*at.values()]
    else:
        rows = base_rows(results, chosen, length=length)
        reference_names = _references(results, against, scores)
        asked = names or main_measures(results)
        described_all = [results.measure(name) for name in asked]
        rated = [_rate(results, rows, m, m.title, seed) for m in described_all
                 if m.name not in reference_names]  # fmt: skip
        references = [
            _rate(results, rows, results.measure(name), results.measure(name).title, seed + 1)
            if scores is None or name not in scores.names
            else _Ratings(name, _outside(scores, name, rows, seed + 1))
            for name in reference_names
        ]
    keys = _first_rows(rows)
    cells = CellNames(results)
    setting_names = {key: cells.setting(row.setting) for key, row in keys.items()}
    pairs = [
        _correlated(one, other, setting_names, confidence, seed)
        for other in references
        for one in rated
    ]
    return Correlations(tuple(pairs), confidence, _warnings(references, setting_names))


def _first_rows(rows: Sequence[GridRow]) -> dict[tuple[Any, ...], GridRow]:
    """Return the first row of each setting, whatever its seed and however it is scored."""
    first: dict[tuple[Any, ...], GridRow] = {}
    for row in rows:
        first.setdefault(tuple(row.setting.without("seed", *SCORING).values()), row)
    return first


def _references(
    results: ExperimentResults, against: str | None, scores: OutsideScores | None
) -> list[str]:
    outside = [] if scores is None else [*scores.names]
    if against is None:
        return outside or ["mauve"]
    known = [measure.name for measure in results.measures]
    if against not in (*outside, *known):
        rule = f"one of {', '.join([*known, *SCORING, *outside])}"
        raise bad_parameter("against", rule, against)
    return [against]


def _rate(
    results: ExperimentResults, rows: Sequence[GridRow], measure: MeasureInfo, name: str, seed: int
) -> _Ratings:
    groups: dict[tuple[Any, ...], list[GridRow]] = {}
    for row in rows:
        groups.setdefault(tuple(row.setting.without("seed", *SCORING).values()), []).append(row)
    rng = np.random.default_rng(seed)
    rated = {}
    for key, members in groups.items():
        deviates = rng.normal(size=_N_DRAWS)  # also for what is undefined: others keep theirs
        number = mean_of(results, members, measure)
        bad = badness(number, measure)
        if number is None or not np.isfinite(bad):
            continue
        within = 0.0 if number.deviation is None else number.deviation / np.sqrt(number.n_seeds)
        error = number.error if np.isfinite(number.error) else 0.0  # of what has none
        drawn = number.mean + max(within, error) * deviates
        human = human_value(results, members[0], measure)
        if measure.direction == "human" and measure.is_statistic and human is not None:
            draws = -np.abs(drawn - human)
        else:
            draws = drawn if measure.direction == "higher" else -drawn
        rated[key] = (-bad, draws)
    return _Ratings(name, rated)


def _outside(
    scores: OutsideScores, name: str, rows: Sequence[GridRow], seed: int
) -> dict[tuple[Any, ...], tuple[float, FloatArray]]:
    keys = _first_rows(rows)
    seeds = [int(state) for state in np.random.SeedSequence(seed).generate_state(len(keys))]
    return {
        key: score
        for i, (key, row) in enumerate(keys.items())
        if (score := scores.of(name, row.setting, _N_DRAWS, seeds[i])) is not None
    }


def _correlated(
    one: _Ratings,
    other: _Ratings,
    names: Mapping[tuple[Any, ...], str],
    confidence: float,
    seed: int,
) -> Correlated:
    both = [key for key in names if key in one.by_setting and key in other.by_setting]
    settings = tuple(names[key] for key in both)
    first, second = (
        (np.array([side.by_setting[key][0] for key in both]),
         np.array([side.by_setting[key][1] for key in both]).T)
        for side in (one, other)
    )  # fmt: skip
    if len(both) < 4:
        return Correlated(one.name, other.name, None, settings, "fewer than 4 settings")
    if np.ptp(first[0]) == 0 or np.ptp(second[0]) == 0:
        return Correlated(one.name, other.name, None, settings, "all values are equal")
    found = rank_correlation(
        first[0], second[0], first_draws=first[1], second_draws=second[1],
        confidence=confidence, seed=seed,
    )  # fmt: skip
    return Correlated(one.name, other.name, found, settings)


def _warnings(
    references: Sequence[_Ratings], names: Mapping[tuple[Any, ...], str]
) -> tuple[str, ...]:
    warnings = []
    for reference in references:
        missing = [name for key, name in names.items() if key not in reference.by_setting]
        if missing:
            warnings.append(
                f"{reference.name} has no value for {listed(missing)}, which are left out."
            )
    return tuple(warnings)


def _numbers(row: Correlated) -> list[float | None]:
    found = row.correlation
    return [None] * 4 if found is None else [found.rho, *found.interval, found.p_value]


def _cells(row: Correlated) -> list[str]:
    found, n = row.correlation, str(len(row.settings))
    if found is None:
        return ["--", "--", "--", n]
    low, high = found.interval
    return [f"{found.rho:.3f}", f"{low:.2f} to {high:.2f}", format_p_value(found.p_value), n]
