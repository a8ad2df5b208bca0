"""Read scores of settings from outside: of people, or of a discriminator, from CSV or JSON."""

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.experiment.cell_names import level_name
from mauve.experiment.results import GridSetting
from mauve.inference.rank_correlation import draws_from_intervals

_KEYS = ("task", "model", "decoder", "length")
_ENDS = ("_low", "_high")


@dataclass(frozen=True)
class OutsideScores:
    """Scores of settings that something else than this package computed.

    Attributes
    ----------
    names : tuple of str
        Of the scores.
    lower : frozenset of str
        Those of which lower is better.
    records : tuple of mapping
        Of each setting: the dimensions that name it, as text, and its scores.
    """

    names: tuple[str, ...]
    lower: frozenset[str]
    records: tuple[Mapping[str, Any], ...]

    def of(
        self, name: str, setting: GridSetting, n_draws: int, seed: int
    ) -> tuple[float, FloatArray] | None:
        """Return a score, higher is better, and draws from its interval; None without one."""
        matching = [record for record in self.records if _is_of(record, setting)]
        if len(matching) > 1:
            raise InvalidParameterError(
                f"Several outside scores are of {escaped(setting.model)}, "
                f"{escaped(setting.decoder)}: name each setting once, with its length or task if "
                "it has several."
            )
        if not matching or matching[0].get(name) is None:
            return None
        value = float(matching[0][name])
        low, high = (matching[0].get(name + end) for end in _ENDS)
        ends = (value, value) if low is None or high is None else (float(low), float(high))
        drawn = draws_from_intervals([value], [ends], n_draws=n_draws, seed=seed)[:, 0]
        return (-value, -drawn) if name in self.lower else (value, drawn)


def _is_of(record: Mapping[str, Any], setting: GridSetting) -> bool:
    return all(
        str(record[key]) == level_name(key, getattr(setting, key)) for key in _KEYS if key in record
    )


def read_outside(path: Path, *, lower: Sequence[str] = ()) -> OutsideScores:
    r"""Read scores from a CSV file, or a JSON file with a list of objects.

    Each line or object names a setting by "model", "decoder", "task" and "length", those of them
    that tell settings apart, and has scores in all other columns. ``NAME_low`` and
    ``NAME_high`` are the ends of the 95% interval of the score NAME.

    Parameters
    ----------
    path : Path
    lower : sequence of str
        Names of the scores of which lower is better, such as a discriminator's accuracy.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("model,decoder,human-like\nsmall,ancestral,-27.52\n")
    ...     read_outside(path).names
    ('human-like',)
    """
    records = _records(path)
    if not records:
        raise InvalidParameterError(f"'{path}' must have scores. It has none: add some lines.")
    columns = list(dict.fromkeys(key for record in records for key in record))
    scores = [c for c in columns if c not in _KEYS and not c.endswith(_ENDS)]
    if not scores or not any(key in columns for key in _KEYS):
        raise InvalidParameterError(
            f"'{path}' must name settings ({', '.join(_KEYS)}) and have a column for each score. "
            f"It has {listed(columns)}."
        )
    if unknown := [name for name in lower if name not in scores]:
        raise InvalidParameterError(
            f"'{path}' has no score '{escaped(unknown[0])}', of which lower is better: it has "
            f"{listed(scores)}."
        )
    cleaned = []
    for i, record in enumerate(records, 1):
        kept: dict[str, Any] = {}
        for key, value in record.items():
            if key in _KEYS:
                kept[key] = value
            elif value not in (None, ""):
                kept[key] = _number(path, i, key, value)
        cleaned.append(kept)
    return OutsideScores(tuple(scores), frozenset(lower), tuple(cleaned))


def _records(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not in UTF-8"
        raise InvalidParameterError(
            f"'{path}' cannot be read ({reason}): name a CSV or JSON file with scores."
        ) from error
    if path.suffix.lower() != ".json":
        rows = [*csv.DictReader(text.splitlines())]
        if any(None in row or None in row.values() for row in rows):
            raise InvalidParameterError(
                f"'{path}' must have as many fields in each line as in its header."
            )
        return [{str(key).strip(): value.strip() for key, value in row.items()} for row in rows]
    try:
        content = json.loads(text)
    except ValueError as error:
        raise InvalidParameterError(f"'{path}' is no JSON ({error}): mend it.") from error
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise InvalidParameterError(f"'{path}' must be a list of objects, one for each setting.")
    return content


def _number(path: Path, i: int, name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise InvalidParameterError(
            f"'{path}' must have numbers as scores; leave out what there is none of. Setting {i} "
            f"has {value!r} for '{escaped(name)}'."
        )
    return number
