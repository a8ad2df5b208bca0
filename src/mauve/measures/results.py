"""What `measure` returns: a value and an interval for every system and measure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mauve.errors import bad_parameter
from mauve.inference.intervals import difference_interval
from mauve.measures.estimate import Estimate, Groups
from mauve.measures.protocol import Measure


@dataclass(frozen=True)
class Measured:
    """What one measure says of one sample.

    Attributes
    ----------
    value : float
        T(Q), or D(P, Q); infinite where it is.
    interval : tuple of float
        Confidence interval of the value.
    standard_error : float
    gap : float or None
        |T(Q) - T(P)| of a statistic; None for what compares both samples anyway, and for
        human text itself.
    gap_interval : tuple of float or None
    gap_error : float or None
        Standard error of the difference T(Q) - T(P).
    """

    value: float
    interval: tuple[float, float]
    standard_error: float
    gap: float | None = None
    gap_interval: tuple[float, float] | None = None
    gap_error: float | None = None

    def as_gap(self) -> "Measured":
        """Return |T(Q) - T(P)| in place of T(Q), or the same where there is none."""
        if self.gap is None or self.gap_interval is None or self.gap_error is None:
            return self
        return Measured(self.gap, self.gap_interval, self.gap_error)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects; what is infinite is null and marked."""
        found: dict[str, Any] = {
            "value": _finite(self.value),
            "interval": [_finite(end) for end in self.interval],
            "standard_error": _finite(self.standard_error),
        }
        if np.isinf(self.value):
            found["infinite"] = True
        if self.gap is not None and self.gap_interval is not None:
            found["gap"] = self.gap
            found["gap_interval"] = list(self.gap_interval)
            found["gap_error"] = self.gap_error
        return found


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None


def measured(
    found: Estimate,
    human: Estimate | None,
    measure: Measure,
    confidence: float,
    groups: Groups,
    human_groups: Groups,
) -> Measured:
    """Make intervals of an estimate.

    Parameters
    ----------
    found, human : Estimate
        Of a system and, for a statistic, of the human texts.
    measure : Measure
    confidence : float
    groups, human_groups : Groups
        Of the texts of the system, and of the human texts.
    """
    sides = [groups] if measure.is_statistic else [groups, human_groups]
    own = _interval(found, measure, confidence, sides)
    if human is None:
        return Measured(found.value, own, found.standard_error)
    signed = found.value - human.value
    people = _interval(human, measure, confidence, [human_groups])
    low, high = _difference((found, own), (human, people))
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return Measured(
        found.value,
        own,
        found.standard_error,
        abs(signed),
        (nearest, max(abs(low), abs(high))),
        found.gap_to(human).standard_error,
    )


def _interval(
    found: Estimate, measure: Measure, confidence: float, sides: Sequence[Groups]
) -> tuple[float, float]:
    if not np.isfinite(found.value):
        return found.value, found.value
    return found.interval(
        confidence,
        low=measure.low,
        high=measure.high,
        n=sides[0].n_independent if measure.is_share else None,
        n_groups=min(groups.n_used for groups in sides),
    )


def _difference(
    first: tuple[Estimate, tuple[float, float]], second: tuple[Estimate, tuple[float, float]]
) -> tuple[float, float]:
    """Return the interval of a difference from those of its two parts."""
    (one, (one_low, one_high)), (other, (other_low, other_high)) = first, second
    correlation = 0.0
    errors = one.standard_error * other.standard_error
    if one.by_prompt and errors > 0:
        correlation = float(np.clip((one.moves * other.moves).sum() / errors, -1, 1))
    low, high = difference_interval(
        (one.value, other.value), (one_low, other_low), (one_high, other_high), correlation
    )
    return float(low), float(high)


class Measurements(Mapping[str, dict[str, Measured]]):
    """Measures of several systems and of human text.

    A mapping from the name of a system to what each measure says of it, in the order given;
    see :func:`mauve.measure`.

    Attributes
    ----------
    measures : tuple of Measure
    human : dict from str to Measured
        T(P) of each statistic.
    human_name : str
        What the human texts are called.
    n_texts : dict from str to int
        Texts of each sample; 0 for a model that was given without any.
    models : dict from str to str
        The model under test behind a system, and its decoder.
    confidence : float
        Level of the intervals.
    signature : str
        The recipe: values with different signatures cannot be compared.
    warnings : tuple of str
        What a reader should know before trusting the numbers.
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
        self._systems = {name: dict(found) for name, found in systems.items()}
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

    def __repr__(self) -> str:
        names = ", ".join(measure.name for measure in self.measures)
        return f"Measurements({', '.join(self)}; {names})"

    def __str__(self) -> str:
        return self.table()

    def distance(self, system: str, measure: str) -> float:
        """Return how far a system is from good by one measure; the least is the best.

        By the measure's direction it is the value, its negative, or the gap to human text.
        """
        found, direction = self[system][measure], self._measure(measure).direction
        if direction == "human" and found.gap is not None:
            return found.gap
        return -found.value if direction == "higher" else found.value

    def rank(self, measure: str) -> list[str]:
        """Return the systems by one measure, best first; those it says nothing of are left out."""
        self._measure(measure)
        known = [name for name, own in self.items() if measure in own]
        return sorted(known, key=lambda name: self.distance(name, measure))

    def best(self, measure: str) -> list[str]:
        """Return the systems that are best by a measure, more than one where they tie."""
        distances = {name: self.distance(name, measure) for name in self.rank(measure)}
        least = min(distances.values(), default=np.inf)
        return [name for name, own in distances.items() if own == least and np.isfinite(own)]

    def _measure(self, name: str) -> Measure:
        for measure in self.measures:
            if measure.name == name:
                return measure
        known = ", ".join(repr(measure.name) for measure in self.measures)
        raise bad_parameter("rank", "measure", f"one of {known}", name)

    def table(self, *, gaps: bool = False) -> str:
        """Return the table as plain text: T(Q) beside T(P), or with |T(Q) - T(P)|."""
        from mauve.measures.tables import as_text

        return as_text(self, gaps=gaps)

    def to_markdown(self, *, gaps: bool = False) -> str:
        """Return the same as a Markdown table."""
        from mauve.measures.tables import as_markdown

        return as_markdown(self, gaps=gaps)

    def to_csv(self) -> str:
        """Return one line for each system and measure, with a header."""
        from mauve.measures.tables import as_csv

        return as_csv(self)

    def to_latex(self, *, gaps: bool = False) -> str:
        """Return a LaTeX table in the paper's layout; it needs the package booktabs."""
        from mauve.measures.tables import as_latex

        return as_latex(self, gaps=gaps)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects, ready for JSON."""
        return {
            "measures": [
                {"name": m.name, "title": m.title, "direction": m.direction} for m in self.measures
            ],
            "confidence": self.confidence,
            "human": {
                "name": self.human_name,
                "n_texts": self.n_texts[self.human_name],
                "measures": {name: found.to_dict() for name, found in self.human.items()},
            },
            "systems": [
                {
                    "name": name,
                    "n_texts": self.n_texts[name],
                    "model": self.models.get(name),
                    "measures": {key: found.to_dict() for key, found in own.items()},
                }
                for name, own in self.items()
            ],
            "signature": self.signature,
            "warnings": list(self.warnings),
        }
