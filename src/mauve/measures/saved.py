"""Turn measurements that were written as JSON back into an object."""

from collections.abc import Mapping
from math import inf
from typing import Any, get_args

from mauve.errors import InvalidParameterError
from mauve.measures.intervals import Measured
from mauve.measures.protocol import Measure, Need
from mauve.measures.registry import get_measures
from mauve.measures.results import Measurements


def measurements_from_dict(content: Mapping[str, Any]) -> Measurements:
    """Return the measurements that :meth:`mauve.Measurements.to_dict` wrote.

    Parameters
    ----------
    content : mapping from str to JSON value

    Raises
    ------
    InvalidParameterError
        If it is something else, or a measure is no longer known.

    Examples
    --------
    >>> import mauve
    >>> people = ["It rained all day.", "We stayed in and read.", "Nobody came by."] * 5
    >>> model = ["It rained and rained and rained", "We read and read and read"] * 8
    >>> measurements = mauve.measure(people, model, "repetition")
    >>> measurements_from_dict(measurements.to_dict()) == measurements
    True
    """
    try:
        names = [entry["name"] for entry in content["measures"]]
        measures = get_measures(names, {*get_args(Need)})
        human, systems = content["human"], content["systems"]
        return Measurements(
            measures,
            _values(human["measures"], measures),
            {entry["name"]: _values(entry["measures"], measures) for entry in systems},
            human_name=human["name"],
            n_texts={entry["name"]: entry["n_texts"] for entry in [*systems, human]},
            models={e["name"]: e["model"] for e in systems if e["model"] is not None},
            confidence=content["confidence"],
            signature=content["signature"],
            warnings=content["warnings"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidParameterError(
            f"Measurements must be what Measurements.to_dict returns. Got {error!r} instead."
        ) from error


def _values(rows: Mapping[str, Any], measures: tuple[Measure, ...]) -> dict[str, Measured]:
    defined = {m.name: rows[m.name] for m in measures if rows.get(m.name) is not None}
    return {name: measured_from_dict(row) for name, row in defined.items()}


def measured_from_dict(row: Mapping[str, Any]) -> Measured:
    """Return the value that :meth:`mauve.measures.intervals.Measured.to_dict` wrote.

    Examples
    --------
    >>> value = Measured(inf, (inf, inf), inf)
    >>> measured_from_dict(value.to_dict()) == value
    True
    """
    # JSON has no infinity, so it is None, and marked if the value itself is.
    is_infinite = row.get("infinite", False)
    value = inf if is_infinite else row["value"]
    if "gap" not in row:
        return Measured(
            value, _interval(row["interval"], is_infinite), _number(row["standard_error"])
        )
    gap = _number(row["gap"])
    return Measured(
        value,
        _interval(row["interval"], is_infinite),
        _number(row["standard_error"]),
        gap,
        _interval(row["gap_interval"], gap == inf),
        None if row["gap_error"] is None else row["gap_error"],
    )


def _number(number: float | None) -> float:
    return inf if number is None else number


def _interval(ends: list[float | None], is_infinite: bool) -> tuple[float, float]:
    low, high = ends
    return (_number(low) if is_infinite or low is not None else -inf), _number(high)
