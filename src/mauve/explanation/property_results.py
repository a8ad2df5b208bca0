"""Hold the properties that differ between human text and a system, and the reasons of each text."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from mauve.arrays import FloatArray
from mauve.equality import ExactEquality
from mauve.explanation.property_sentences import reason

_N_REASONS = 3  # of one text
_CLEAR = 0.65  # probability of its sample from which on a property is a reason


@dataclass(frozen=True)
class PropertyDifference:
    """A property that differs between human text and a system.

    Attributes
    ----------
    key : str
    sentence : str
        What differs, with the numbers of both samples.
    human, model : float
        The two numbers in the sentence.
    p_value : float
        Of the test that the property is distributed alike, adjusted for all properties by the
        method of Benjamini and Hochberg.
    alone : float
        How well it alone tells the samples apart, out of sample: 0 not at all, 1 completely.
    beyond : float
        What it adds to those of its kind, form or other, ranked above it.
    is_form : bool
        Whether it is about form: white space, typography, length and the like.
    step : str or None
        The step of normalisation that removes it.
    human_text, model_text : int
        Positions of a human text and of one of the system that show it.
    """

    key: str
    sentence: str
    human: float
    model: float
    p_value: float
    alone: float
    beyond: float
    is_form: bool
    step: str | None
    human_text: int
    model_text: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class DifferingProperties(ExactEquality):
    """The properties that differ between human text and a system, ranked.

    Attributes
    ----------
    ranked : tuple of PropertyDifference
        Those that add most to others of their kind first. Form and other properties are ranked
        apart, since a difference of form that tells the samples apart completely must not hide
        one of content. Properties that add next to nothing are left out.
    n_tested, n_significant : int
        Properties that were tested, and that differ significantly.
    """

    ranked: tuple[PropertyDifference, ...]
    n_tested: int
    n_significant: int
    _labels: tuple[tuple[str, str, str], ...] = field(repr=False)
    _values: FloatArray = field(repr=False)
    _probabilities: FloatArray = field(repr=False)

    @property
    def form(self) -> tuple[PropertyDifference, ...]:
        """Those that are about form."""
        return tuple(difference for difference in self.ranked if difference.is_form)

    @property
    def content(self) -> tuple[PropertyDifference, ...]:
        """Those that are about style and content."""
        return tuple(difference for difference in self.ranked if not difference.is_form)

    @property
    def sentences(self) -> list[str]:
        """The sentences, the property that tells the samples apart best first."""
        return [difference.sentence for difference in self.ranked]

    @property
    def none_ranked(self) -> str:
        """Why nothing is ranked, in one sentence; empty where something is."""
        if self.ranked:
            return ""
        if not self.n_significant:
            return f"None of {self.n_tested} properties of texts differs by more than chance."
        verb = "differs" if self.n_significant == 1 else "differ"
        return (
            f"{self.n_significant} of {self.n_tested} properties of texts {verb} by more than "
            "chance, but none by enough to say which sample a text is from."
        )

    def reasons(self, row: int, *, is_model: bool) -> tuple[str, ...]:
        """Return the properties that make a text look as if it were of its sample.

        Parameters
        ----------
        row : int
            The text, human ones first.
        is_model : bool
            Whether it is the system's.
        """
        probability = self._probabilities[row] if is_model else 1 - self._probabilities[row]
        best = np.argsort(-probability, kind="stable")[:_N_REASONS]
        reasons = []
        for j in best.tolist():
            value = float(self._values[row, j])
            # A number that is not defined, as lengths of lines in one line, says nothing.
            if probability[j] >= _CLEAR and not np.isnan(value):
                verb, more, unit = self._labels[j]
                reasons.append(reason(verb, more, unit, value))
        return tuple(reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects, ready for JSON."""
        return {
            "n_tested": self.n_tested,
            "n_significant": self.n_significant,
            "ranked": [difference.to_dict() for difference in self.ranked],
        }
