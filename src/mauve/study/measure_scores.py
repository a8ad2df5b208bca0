"""Read the scores of systems by automatic measures from what the command line printed as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.inference.rank_correlation import draws_from_intervals
from mauve.text.files import check_path, open_text, read_lines

_REMEDY = "write it with mauve compare --json or mauve measure --json"


@dataclass(frozen=True)
class MeasureScores:
    """Scores of systems by one measure, turned so that higher is better.

    Attributes
    ----------
    measure : str
    title : str
        Its heading in tables.
    scores : dict from str to float
        By system. Of a statistic T it is -|T(Q) - T(P)|.
    intervals : dict from str to tuple of float
        Confidence intervals of the scores; where there is none, the score itself.
    gap_errors : dict from str to float
        Standard errors of T(Q) - T(P), of a statistic.
    confidence : float
        Level of the intervals.
    """

    measure: str
    title: str
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    gap_errors: Mapping[str, float]
    confidence: float

    def draws(self, systems: Sequence[str], *, n_draws: int, seed: int) -> FloatArray:
        """Return what the scores could have been, shape (n_draws, n_systems).

        Examples
        --------
        >>> zipf = MeasureScores("zipf", "Zipf", {"a": -0.1}, {}, {"a": 0.05}, 0.95)
        >>> draws = zipf.draws(["a"], n_draws=1000, seed=0)
        >>> bool((draws <= 0).all()), round(float(draws.std()), 2)
        (True, 0.05)
        """
        if all(name in self.gap_errors for name in systems):
            # The size of a difference that may change its sign.
            deviates = np.random.default_rng(seed).normal(size=(n_draws, len(systems)))
            errors = np.array([self.gap_errors[name] for name in systems])
            gaps = np.array([self.scores[name] for name in systems])
            return np.asarray(-np.abs(gaps + deviates * errors))
        values = [self.scores[name] for name in systems]
        ends = [self.intervals.get(name, (self.scores[name],) * 2) for name in systems]
        return draws_from_intervals(
            values, ends, confidence=self.confidence, n_draws=n_draws, seed=seed
        )


def read_scores(path: str | Path) -> list[MeasureScores]:
    """Read the scores that ``mauve compare --json`` or ``mauve measure --json`` printed.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    list of MeasureScores
        Of MAUVE, and of each other measure in the file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> result = {"name": "xl", "mauve": 0.9, "interval": [0.8, 0.95], "confidence": 0.95}
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "compared.json")
    ...     _ = path.write_text(json.dumps({"results": [result]}))
    ...     read_scores(path)[0].scores
    {'xl': 0.9}
    """
    check_path(path)
    name = f"'{escaped(str(path))}'"
    with open_text(path, name) as file:
        text = "".join(line for _, line in read_lines(file, name))
    try:
        parsed = json.loads(text)
        found = [*_comparison(parsed), *_measurements(parsed)]
        _check_numbers(found)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InvalidParameterError(
            f"{name} must be the scores of systems as JSON: {_REMEDY}."
        ) from error
    if not found:
        raise InvalidParameterError(f"{name} must hold the scores of a system: {_REMEDY}.")
    # The first of each name: measurements within a comparison may hold MAUVE again.
    return [*{scores.measure: scores for scores in reversed(found)}.values()][::-1]


def _comparison(parsed: dict[str, Any]) -> Iterator[MeasureScores]:
    """Yield MAUVE, and that of the classifier's buckets, from the JSON of a comparison."""
    results = parsed.get("results", [])
    if results:
        yield _of_results("mauve", "MAUVE", {entry["name"]: entry for entry in results}, results[0])
    classified = {
        entry["name"]: entry["classifier"] for entry in results if entry.get("classifier")
    }
    if classified:
        yield _of_results("classifier", "MAUVE of a classifier", classified, results[0])


def _of_results(
    measure: str, title: str, entries: Mapping[str, Any], first: Mapping[str, Any]
) -> MeasureScores:
    return MeasureScores(
        measure,
        title,
        {name: float(entry["mauve"]) for name, entry in entries.items()},
        {
            name: (float(entry["interval"][0]), float(entry["interval"][1]))
            for name, entry in entries.items()
            if entry.get("interval")
        },
        {},
        float(first["confidence"]),
    )


def _measurements(parsed: dict[str, Any]) -> Iterator[MeasureScores]:
    """Yield each measure of measurements, which may stand within a comparison."""
    measured = parsed if isinstance(parsed.get("systems"), list) else parsed.get("measures") or {}
    if not isinstance(measured, dict) or not measured:
        return
    for measure in measured["measures"]:
        entries = {
            system["name"]: system["measures"][measure["name"]]
            for system in measured["systems"]
            if system["measures"].get(measure["name"]) is not None
        }
        yield _measured(measure, entries, float(measured["confidence"]))


def _measured(
    measure: Mapping[str, Any], entries: Mapping[str, Any], confidence: float
) -> MeasureScores:
    is_gap = measure["direction"] == "human" and any("gap" in e for e in entries.values())
    if is_gap:
        entries = {name: entry for name, entry in entries.items() if entry.get("gap") is not None}
    sign = 1.0 if measure["direction"] == "higher" else -1.0
    key = "gap" if is_gap else "value"
    ends = "gap_interval" if is_gap else "interval"
    return MeasureScores(
        measure["name"],
        measure["title"],
        {name: sign * float(entry[key]) for name, entry in entries.items()},
        {
            name: (min(sign * low, sign * high), max(sign * low, sign * high))
            for name, entry in entries.items()
            if entry.get(ends)
            for low, high in [entry[ends]]
        },
        {
            name: float(entry["gap_error"])
            for name, entry in entries.items()
            if is_gap and entry.get("gap_error") is not None
        },
        confidence,
    )


def _check_numbers(found: list[MeasureScores]) -> None:
    for scores in found:
        numbers = [*scores.scores.values(), *scores.gap_errors.values(), scores.confidence]
        if not np.isfinite(numbers).all() or not 0 < scores.confidence < 1:
            raise ValueError(f"{scores.measure} has a value that is no number")


def systems_of(found: Sequence[MeasureScores]) -> list[str]:
    """Return the names of all systems with a score, in their order.

    Examples
    --------
    >>> systems_of([MeasureScores("mauve", "MAUVE", {"b": 0.9, "a": 0.5}, {}, {}, 0.95)])
    ['b', 'a']
    """
    return list(dict.fromkeys(name for scores in found for name in scores.scores))


def listed_systems(found: Sequence[MeasureScores]) -> str:
    """Return the same for a message."""
    return listed(systems_of(found))
