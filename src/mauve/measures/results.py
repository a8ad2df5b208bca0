"""Collect the values of all measures for human text and every system."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mauve.errors import bad_parameter
from mauve.escape import escaped, listed
from mauve.formatting import format_count, metric_names
from mauve.frames import make_frame
from mauve.measures import tables
from mauve.measures.intervals import Measured
from mauve.measures.protocol import Measure
from mauve.tables import fitting_columns, warnings_as_html, with_warnings

if TYPE_CHECKING:
    import pandas as pd


class Measurements(Mapping[str, dict[str, Measured]]):
    """Values of several measures for several systems and for human text.

    A mapping from the name of a system to a dict from the name of a measure to its
    :class:`Measured` value, in the order given to :func:`mauve.measure`. Two measurements are
    equal if all their numbers and settings are; like a dict, measurements are not hashable.

    Attributes
    ----------
    measures : tuple of Measure
    human : dict from str to Measured
        T(P) of each statistic.
    human_name : str
        Name of the human sample.
    n_texts : dict from str to int
        Number of texts of each sample; 0 for a model without texts.
    models : dict from str to str
        The model behind a system, and its decoder.
    confidence : float
        Level of the intervals.
    signature : str
        All settings that values depend on: values with different signatures are not comparable.
    warnings : tuple of str
        Reasons why values may be unreliable.
    notes : tuple of str
        What to allow for in the intervals.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        human: Mapping[str, Measured],
        systems: Mapping[str, Mapping[str, Measured]],
        *,
        human_name: str,
        n_texts: Mapping[str, int],
        models: Mapping[str, str],
        confidence: float,
        signature: str,
        warnings: Sequence[str] = (),
    ) -> None:
        self.measures = tuple(measures)
        self.human = dict(human)
        self._systems = {name: dict(values) for name, values in systems.items()}
        self.human_name = human_name
        self.n_texts = dict(n_texts)
        self.models = dict(models)
        self.confidence = confidence
        self.signature = signature
        self.warnings = tuple(warnings)

    def __getitem__(self, system: str) -> dict[str, Measured]:
        return self._systems[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measurements):
            return NotImplemented
        return vars(self) == vars(other) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Measurements({format_count(len(self), 'system')}: {listed([*self])}; "
            f"{format_count(len(self.measures), 'measure')}: "
            f"{listed([measure.name for measure in self.measures])})"
        )

    def __str__(self) -> str:
        """Return as many tables as it takes for all columns to fit the terminal."""
        columns = {column.heading: column for column in self.columns()}
        cells = {title: [*map(str, column.cells)] for title, column in columns.items()}
        width = shutil.get_terminal_size().columns
        names = ["system", *self._rows(gaps=False)]
        parts = [
            tables.as_text(names[1:], [columns[title] for title in titles])
            for titles in fitting_columns(width, names, cells)
        ]
        return with_warnings("\n\n".join([*parts, *self.notes]), self.warnings)

    def _repr_html_(self) -> str:
        return tables.as_html(self._rows(False), self.columns()) + warnings_as_html(self.warnings)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to allow for in the intervals: those of few texts that a few of them decide."""
        fewest = min((n for n in self.n_texts.values() if n), default=0)
        few = [measure for measure in self.measures if fewest < measure.narrow_below]
        if not few:
            return ()
        limit = max(measure.narrow_below for measure in few)
        return (
            f"A sample of fewer than {limit} texts may lack rare ones, such as texts in loops, "
            f"that decide {listed([measure.name for measure in few])}: the interval is then too "
            "narrow.",
        )

    def distance(self, system: str, measure: str) -> float:
        """Return how bad a system is by one measure; the smallest distance is the best.

        Depending on the direction of the measure it is the value, its negative, or the gap to
        human text. It is infinite if the measure is not defined for the system, or the gap not
        for human text.
        """
        definition, row = self._measure(measure), self[system].get(measure)
        if row is None:
            return np.inf
        if definition.direction == "human" and definition.is_statistic:
            return np.inf if row.gap is None else row.gap
        return -row.value if definition.direction == "higher" else row.value

    def rank(self, measure: str) -> list[str]:
        """Return the systems by one measure, best first, without those it is undefined for."""
        definition = self._measure(measure)
        names = [name for name, values in self.items() if measure in values]
        if definition.direction == "human" and definition.is_statistic:
            names = [name for name in names if self[name][measure].gap is not None]
        return sorted(names, key=lambda name: self.distance(name, measure))

    def best(self, measure: str) -> list[str]:
        """Return the best systems by a measure, more than one if they tie."""
        distances = {name: self.distance(name, measure) for name in self.rank(measure)}
        smallest = min(distances.values(), default=np.inf)
        return [name for name, d in distances.items() if d == smallest and np.isfinite(d)]

    def _measure(self, name: str) -> Measure:
        for measure in self.measures:
            if measure.name == name:
                return measure
        known = ", ".join(repr(measure.name) for measure in self.measures)
        raise bad_parameter("measure", f"one of {known}", name)

    def row_names(self, *, gaps: bool = False) -> list[str]:
        """Return the escaped names of the rows of a table, human last; see :meth:`columns`."""
        return [escaped(name) for name in self._rows(gaps)]

    def columns(self, *, gaps: bool = False) -> list[tables.Column]:
        """Return the columns of the table, one for each measure.

        Parameters
        ----------
        gaps : bool
            Show ``|T(Q) - T(P)|`` of statistics in place of T(Q), without a row for human text.
        """
        columns = []
        for measure in self.measures:
            best = self.best(measure.name) if len(self) > 1 else []  # one system is not ranked
            rows = [values.get(measure.name) for values in self.values()]
            is_best = [name in best for name in self]
            if not gaps:
                rows.append(self.human.get(measure.name))
                is_best.append(False)
            columns.append(tables.make_column(measure, rows, is_best, gaps=gaps))
        return columns

    def _rows(self, gaps: bool) -> list[str]:
        return [*self] if gaps else [*self, self.human_name]

    def table(self, *, gaps: bool = False) -> str:
        """Return the table as plain text: T(Q) beside T(P), or with ``|T(Q) - T(P)|``."""
        return tables.as_text(self._rows(gaps), self.columns(gaps=gaps))

    def to_markdown(self, *, gaps: bool = False) -> str:
        """Return the table in Markdown."""
        return tables.as_markdown(self._rows(gaps), self.columns(gaps=gaps))

    def to_latex(self, *, gaps: bool = False) -> str:
        """Return the table in LaTeX, in the paper's layout; it needs the package booktabs."""
        return tables.as_latex(self._rows(gaps), self.columns(gaps=gaps), has_human=not gaps)

    def to_csv(self) -> str:
        """Return one line for each sample and measure, with a header.

        An undefined value is empty.
        """
        records = [
            tables.Record(
                name,
                self.n_texts[name],
                measure,
                values.get(measure.name),
                values is not self.human and name in self.best(measure.name),
            )
            for name, values in [*self.items(), (self.human_name, self.human)]
            for measure in self.measures
            if values is not self.human or measure.is_statistic
        ]
        return tables.as_csv(records)

    def to_dataframe(self) -> "pd.DataFrame":
        """Return a pandas DataFrame with a row for each system, and human text last.

        Needs the ``pandas`` extra. A measure has a column of its name, and ``..._low`` and
        ``..._high`` for the interval; a statistic has ``..._gap`` too. What is undefined is NaN.

        Examples
        --------
        >>> import mauve
        >>> people = ["It rained all day.", "We stayed in and read.", "Nobody came by."] * 5
        >>> model = ["It rained and rained and rained", "We read and read and read"] * 8
        >>> frame = mauve.measure(people, model, "repetition").to_dataframe()
        >>> frame[["system", "is_human", "repetition"]].values.tolist()
        [['model', False, 1.0], ['human', True, 0.0]]
        """
        rows = []
        for name, values in [*self.items(), (self.human_name, self.human)]:
            row = {
                "system": name,
                "is_human": name == self.human_name,
                "n_texts": self.n_texts[name],
            }
            for measure in self.measures:
                row |= _numbers(measure, values.get(measure.name))
            rows.append(row)
        return make_frame(rows)

    def to_metrics(self, prefix: str = "mauve") -> dict[str, float]:
        """Return the numbers of all samples as one flat dict, for an experiment tracker.

        Keys are such as ``mauve/gpt2/zipf``; what is undefined or infinite is left out.

        Parameters
        ----------
        prefix : str
            First part of all keys.

        Examples
        --------
        >>> import mauve
        >>> people = ["It rained all day.", "We stayed in and read.", "Nobody came by."] * 5
        >>> model = ["It rained and rained and rained", "We read and read and read"] * 8
        >>> metrics = mauve.measure(people, model, "repetition").to_metrics()
        >>> metrics["mauve/model/repetition"], metrics["mauve/human/repetition"]
        (1.0, 0.0)
        """
        samples = {**self, self.human_name: self.human}
        return {
            f"{prefix}/{key}/{metric}": number
            for name, key in metric_names([*samples]).items()
            for measure in self.measures
            for metric, number in _numbers(measure, samples[name].get(measure.name)).items()
            if number is not None and np.isfinite(number)
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects, ready for JSON; None is undefined."""
        return {
            "measures": [
                {"name": m.name, "title": m.title, "direction": m.direction} for m in self.measures
            ],
            "confidence": self.confidence,
            "human": {
                "name": self.human_name,
                "n_texts": self.n_texts[self.human_name],
                "measures": _as_dicts(self.human, [m for m in self.measures if m.is_statistic]),
            },
            "systems": [
                {
                    "name": name,
                    "n_texts": self.n_texts[name],
                    "model": self.models.get(name),
                    "measures": _as_dicts(values, self.measures),
                }
                for name, values in self.items()
            ],
            "signature": self.signature,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }


def _numbers(measure: Measure, row: Measured | None) -> dict[str, float | None]:
    """Return the value of a measure, its interval and its gap, by column."""
    low, high = (None, None) if row is None else row.interval
    numbers = {
        measure.name: None if row is None else row.value,
        f"{measure.name}_low": low,
        f"{measure.name}_high": high,
    }
    if measure.is_statistic:
        numbers[f"{measure.name}_gap"] = None if row is None else row.gap
    return numbers


def _as_dicts(
    values: Mapping[str, Measured], measures: Sequence[Measure]
) -> dict[str, dict[str, Any] | None]:
    """Return the values of some measures as plain Python objects, None if undefined."""
    rows = {measure.name: values.get(measure.name) for measure in measures}
    return {name: None if row is None else row.to_dict() for name, row in rows.items()}
