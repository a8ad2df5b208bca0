"""The difference of two systems' scores, where they can be compared."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from mauve.comparison.results import MauveResult
from mauve.comparison.settings import parse_signature
from mauve.errors import InvalidParameterError, bad_parameter, check_real, check_share
from mauve.escape import escaped
from mauve.formatting import (
    format_interval,
    format_level,
    format_list,
    format_p_value,
    format_signed,
    p_value_phrase,
)
from mauve.inference.differences import Influence, ScorePair, correlation
from mauve.inference.intervals import texts_needed
from mauve.tables import as_html, as_text, titles_and_cells


class Scored(Protocol):
    """What two scores need to be compared: a :class:`MauveResult`, or what a baseline keeps."""

    @property
    def name(self) -> str:
        """Name of the system."""

    @property
    def mauve(self) -> float:
        """The score."""

    @property
    def deviance_error(self) -> float:
        """Standard error of the score's deviance."""

    @property
    def influence(self) -> Influence:
        """Influence of every text."""

    @property
    def signature(self) -> str:
        """Settings, and checksums of the texts."""


@dataclass(frozen=True, repr=False)
class Difference:
    """The difference of two systems' scores.

    Two differences are equal if all their numbers are; differences are hashable.

    Attributes
    ----------
    first, second : str
        Names of the systems.
    difference : float
        Score of the first minus that of the second.
    interval : tuple of float
        Its confidence interval; the correlation through shared human texts is included.
    p_value : float
        Two-sided, of no difference.
    p_adjusted : float
        The same after Holm's correction for all pairs of the comparison.
    """

    first: str
    second: str
    difference: float
    interval: tuple[float, float]
    p_value: float
    p_adjusted: float
    pair: ScorePair = field(repr=False)
    n_texts: int = field(repr=False)
    confidence: float = field(repr=False)

    def reversed(self) -> "Difference":
        """Return the same difference with the second system first."""
        low, high = self.interval
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            interval=(-high, -low),
            pair=self.pair.reversed(),
        )

    def equivalence(self, margin: float) -> float:
        """Return the p-value of the test that the scores differ by less than `margin`."""
        check_real("margin", margin, above=0)
        return self.pair.equivalence_p_value(margin)

    def texts_needed(self, difference: float | None = None, power: float = 0.8) -> int:
        """Return the number of texts per sample that show a difference, by default this one."""
        wanted = abs(self.difference) if difference is None else difference
        check_real("difference", wanted, above=0, up_to=1)
        check_share("power", power)
        low, high = self.pair.limits(0.6827)  # one standard error to either side
        return texts_needed(
            self.n_texts, (high - low) / 2, wanted, power=power, confidence=self.confidence
        )

    def __repr__(self) -> str:
        names = f"{escaped(self.first)} - {escaped(self.second)}"
        numbers = f"{format_signed(self.difference)}, {format_interval(self.interval)}"
        return f"Difference({names}: {numbers}, {p_value_phrase(self.p_value)})"

    def __str__(self) -> str:
        return as_text(*titles_and_cells([self._row()]), left=2)

    def _repr_html_(self) -> str:
        return as_html(*titles_and_cells([self._row()]))

    def _row(self) -> dict[str, str]:
        """Return the table row, by column title."""
        row = {
            "first": self.first,
            "second": self.second,
            "difference": format_signed(self.difference),
            f"{format_level(self.confidence)} interval": format_interval(self.interval),
            "p": format_p_value(self.p_value),
        }
        if self.p_adjusted != self.p_value:
            row["p (Holm)"] = format_p_value(self.p_adjusted)
        return row

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": list(self.interval),
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
        }


def difference(first: MauveResult, second: MauveResult) -> Difference:
    """Compare two scores against the same human texts.

    They may be of one call of :func:`mauve.compare`, of separate ones or loaded from files, and
    of any numbers of texts. A score with ``clustering="joint"`` depends on all systems of its
    call, so such scores can only be compared if both calls were given the same texts.

    Parameters
    ----------
    first, second : MauveResult
        The scores are paired, because the human texts are the same.

    Raises
    ------
    InvalidParameterError
        If the signatures differ in anything but the number of texts.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, near, far = (rng.normal(size=(200, 4)) + shift for shift in (0, 0.2, 1))
    >>> comparison = mauve.compare(human, {"near": near, "far": far}, n_permutations=0)
    >>> mauve.difference(comparison["near"], comparison["far"]).p_value < 0.05
    True
    """
    for name, result in (("first", first), ("second", second)):
        if not isinstance(result, MauveResult):
            why = "index a comparison by a system's name" if isinstance(result, Mapping) else ""
            raise bad_parameter(name, "a MauveResult, such as comparison['gpt2']", result, why)
    check_comparable(first, second)
    pair = score_pair(first, second)
    p_value = pair.p_value()
    return Difference(
        first.name,
        second.name,
        pair.difference,
        pair.limits(first.confidence),
        p_value,
        p_value,
        pair,
        min(first.n_human, first.n_model, second.n_model),
        first.confidence,
    )


def score_pair(first: Scored, second: Scored) -> ScorePair:
    """Return two scores with their errors and the correlation through texts that they share."""
    return ScorePair(
        (first.mauve, second.mauve),
        (first.deviance_error, second.deviance_error),
        correlation(first.influence, second.influence),
    )


def is_comparable(first: MauveResult, second: MauveResult) -> bool:
    """Return whether two scores have the same signature but for the number of texts."""
    return not _differing(first, second)


def check_comparable(first: Scored, second: Scored) -> None:
    """Raise an error that names the differences if two scores have different signatures."""
    differing = _differing(first, second)
    reasons = []
    # Other human texts make for other clusterings too, so one reason is enough.
    if "human" in differing:
        reasons.append("they were computed against different human texts")
    elif "joint" in differing:
        reasons.append("they were clustered together with different systems")
    settings = [text for key, text in differing.items() if key not in ("human", "joint")]
    if settings:
        reasons.append(f"their signatures differ in {', '.join(settings)}")
    if not reasons:
        return
    remedies = []
    if "human" in differing:
        remedies.append("compare both with the same human texts")
    elif "joint" in differing:
        remedies.append("pass both systems to one call of compare, or use clustering='pair'")
    if settings:
        # Buckets follow from the number of texts if no setting chooses them.
        as_many = ", and as many texts for both" if {*differing} <= {"human", "k", "fit"} else ""
        remedies.append(f"use the same settings{as_many}")
    raise InvalidParameterError(
        f"The scores of '{first.name}' and '{second.name}' cannot be compared: "
        f"{format_list(reasons)}. To compare them, {format_list(remedies)}."
    )


def _differing(first: Scored, second: Scored) -> dict[str, str]:
    """Return the parts in which two signatures differ, with both values."""
    ours, theirs = (parse_signature(result.signature) for result in (first, second))
    # The bias correction makes scores of different n comparable; without it they are not.
    ignored = {"n"} if ours.get("est") == theirs.get("est") == "jackknife" else set()
    return {
        key: f"{key} ({ours.get(key)} and {theirs.get(key)})"
        for key in dict.fromkeys([*ours, *theirs])
        if key not in ignored and ours.get(key) != theirs.get(key)
    }
