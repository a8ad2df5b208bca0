"""Hold scores by a protocol beside ours, and the sentence that says how they were computed."""

from dataclasses import dataclass, field
from typing import Any

from mauve.comparison.comparison import Comparison
from mauve.formatting import format_level, format_p_value, format_score
from mauve.measures.results import Measurements
from mauve.protocols.protocol import Protocol
from mauve.tables import as_html, as_markdown, as_text, titles_and_cells, warnings_as_html


@dataclass(frozen=True)
class Reported:
    """The score of a system as the papers of a protocol report it.

    Attributes
    ----------
    mauve : float
        Mean over the random seeds, between 0 and 1.
    deviation : float or None
        Standard deviation over the seeds; None for one seed.
    by_seed : tuple of float
    num_buckets : int

    Examples
    --------
    >>> Reported(0.9, 0.01, (0.89, 0.91), 50).shown(percent=True)
    '90.0 ± 1.0'
    """

    mauve: float
    deviation: float | None
    by_seed: tuple[float, ...]
    num_buckets: int

    def shown(self, *, percent: bool) -> str:
        """Return the score as it is printed, with its deviation if there is one."""
        numbers = [self.mauve] if self.deviation is None else [self.mauve, self.deviation]
        return " ± ".join(f"{100 * x:.1f}" if percent else format_score(x) for x in numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects."""
        return {
            "mauve": self.mauve,
            "deviation": self.deviation,
            "by_seed": [*self.by_seed],
            "num_buckets": self.num_buckets,
        }


@dataclass(frozen=True)
class ProtocolResult:
    """What :func:`mauve.protocols.run.follow_protocol` returns.

    Attributes
    ----------
    protocol : Protocol
    reported : dict from name to Reported
        Empty for a protocol whose score is ours alone.
    comparison : Comparison
        Our scores of the same features, with intervals.
    measurements : Measurements or None
        The measures that the papers print beside the score.
    deviations : tuple of str
        Where the protocol was not followed.
    warnings : tuple of str
    recipe : str
        How the scores were computed, to paste into a paper.
    """

    protocol: Protocol
    reported: dict[str, Reported]
    comparison: Comparison
    measurements: Measurements | None
    deviations: tuple[str, ...]
    warnings: tuple[str, ...]
    recipe: str = field(repr=False)

    def rows(self) -> list[dict[str, str]]:
        """Return a row for each system: the score as reported, and ours with its interval."""
        percent = self.protocol.score.percent
        rows = []
        for name, result in self.comparison.items():
            low, high = map(format_score, result.interval)
            row = {"system": name}
            if name in self.reported:
                title = f"MAUVE as in {self.protocol.name}" + (" (%)" if percent else "")
                row[title] = self.reported[name].shown(percent=percent)
            row["ours"] = format_score(result.mauve)
            row[f"{format_level(result.confidence)} interval"] = f"{low} - {high}"
            if result.p_value is not None:
                row["p (= human)"] = format_p_value(result.p_value)
            rows.append(row)
        return rows

    def table(self) -> str:
        """Return the scores as plain text."""
        return as_text(*titles_and_cells(self.rows()))

    def to_markdown(self) -> str:
        """Return the scores as a Markdown table."""
        return as_markdown(*titles_and_cells(self.rows()))

    def __str__(self) -> str:
        parts = [self.table()]
        if self.measurements is not None:
            parts.append(self.measurements.table())
        return "\n\n".join([*parts, self.recipe])

    def _repr_html_(self) -> str:
        return as_html(*titles_and_cells(self.rows())) + warnings_as_html(self.warnings)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects."""
        return {
            "protocol": self.protocol.to_dict(),
            "reported": {name: score.to_dict() for name, score in self.reported.items()},
            "comparison": self.comparison.to_dict(),
            "measurements": None if self.measurements is None else self.measurements.to_dict(),
            "deviations": [*self.deviations],
            "warnings": [*self.warnings],
            "recipe": self.recipe,
        }
