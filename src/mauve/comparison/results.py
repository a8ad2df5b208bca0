"""Scores of systems against human text, and their differences."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray
from mauve.comparison.settings import parse_signature
from mauve.errors import InvalidParameterError, check_real
from mauve.formatting import (
    SIGNIFICANCE_LEVEL,
    format_level,
    format_list,
    format_p_value,
    p_value_phrase,
)
from mauve.inference.differences import Influence, ScorePair, correlation, share_of_model
from mauve.inference.intervals import equivalence_to_one, score_error, texts_needed
from mauve.tables import as_html, titles_and_cells
from mauve.text.form import FormReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class MauveResult:
    """The score of one system against human text.

    Attributes
    ----------
    name : str
        The system's name.
    mauve : float
        The score, in (0, 1]; 1 is human.
    interval : tuple of float
        Confidence interval of the score.
    confidence : float
        Its level.
    mauve_plugin, mauve_star : float
        The paper's plug-in estimate, without bias correction, and the one with half a text
        added to every bucket, over the same clusterings and all texts.
    frontier_integral, js : float
        The mean error along the frontier and the Jensen-Shannon divergence.
    type_1, type_2 : float
        KL(Q|R) and KL(P|R) at λ = 1/2: what the model writes and people do not, and what
        people write and the model does not.
    p_value : float or None
        Of the exact permutation test of P = Q; None without permutations.
    ceiling, ceiling_low : float or None
        Mean, and lower limit at the level of the interval, of the score of two samples of one
        source at this n and k.
    divergence_curve : array of shape (n_points, 2)
        The curve whose area is `mauve`.
    p_hist, q_hist : array of shape (n_clusterings, k)
        Histograms of all texts.
    labels : array of int, shape (n_clusterings, n_human + n_model)
        Bucket of every text, human first, in the order given.
    counted : array of bool, same shape
        Texts that a clustering was not fitted on; only they enter the score.
    num_buckets : int
        Number of buckets k.
    n_human, n_model : int
        Number of texts of each sample.
    warnings : tuple of str
        Reasons why the score may be unreliable.
    signature : str
        Settings, and checksums of the texts, that must be equal for two scores to be comparable.
    form : FormReport or None
        Differences of form between the texts; None if features were passed.
    """

    name: str
    mauve: float
    interval: tuple[float, float]
    confidence: float
    mauve_plugin: float
    mauve_star: float
    frontier_integral: float
    js: float
    type_1: float
    type_2: float
    p_value: float | None
    ceiling: float | None
    ceiling_low: float | None
    divergence_curve: FloatArray = field(repr=False)
    p_hist: FloatArray = field(repr=False)
    q_hist: FloatArray = field(repr=False)
    labels: NDArray[np.int32] = field(repr=False)
    counted: BoolArray = field(repr=False)
    num_buckets: int
    n_human: int
    n_model: int
    warnings: tuple[str, ...]
    signature: str
    deviance_error: float = field(repr=False)
    influence: Influence = field(repr=False)
    form: FormReport | None = field(repr=False, default=None)

    @property
    def is_distinguishable(self) -> bool | None:
        """Whether the test rejects P = Q at the 5% level; None without a test."""
        return None if self.p_value is None else self.p_value < SIGNIFICANCE_LEVEL

    @property
    def verdict(self) -> str:
        """What the test of P = Q says, in a few words."""
        if self.p_value is None:
            return "not tested against human text"
        if self.is_distinguishable:
            return f"distinguishable from human text ({p_value_phrase(self.p_value)})"
        return (
            "not distinguishable from human text with these samples "
            f"({p_value_phrase(self.p_value)})"
        )

    def equivalence(self, margin: float) -> float:
        """Return the p-value of the test that the score is above 1 - `margin`.

        A small value says that the system is as good as human up to `margin`.
        """
        check_real("margin", margin, above=0, up_to=1 - 1e-9)
        return equivalence_to_one(self.mauve, self.deviance_error, margin)

    def texts_needed(self, difference: float, power: float = 0.8) -> int:
        """Return the number of texts per sample that detect a score `difference` from this one.

        For two systems with scores near this one, both measured on that many texts of
        their own against the same human texts.
        """
        check_real("difference", difference, above=0, up_to=1)
        check_real("power", power, above=0, up_to=1 - 1e-9)
        # The human texts are shared, so only the variance of the systems' texts counts, twice.
        n = min(self.n_human, self.n_model)
        error = np.sqrt(2 * share_of_model(self.influence))
        error *= score_error(self.mauve, self.deviance_error)
        return texts_needed(n, error, difference, power=power, confidence=self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects for JSON."""
        return {
            "name": self.name,
            "mauve": self.mauve,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "mauve_plugin": self.mauve_plugin,
            "mauve_star": self.mauve_star,
            "frontier_integral": self.frontier_integral,
            "js": self.js,
            "type_1": self.type_1,
            "type_2": self.type_2,
            "p_value": self.p_value,
            "ceiling": self.ceiling,
            "ceiling_low": self.ceiling_low,
            "num_buckets": self.num_buckets,
            "n_human": self.n_human,
            "n_model": self.n_model,
            "divergence_curve": self.divergence_curve.tolist(),
            "warnings": list(self.warnings),
            "signature": self.signature,
            "form": None if self.form is None else self.form.to_dict(),
        }

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Plot the divergence curve and shade its area; needs the ``plot`` extra."""
        from mauve.plots import plot_curves

        return plot_curves({self.name: self}, ax)

    def _repr_html_(self) -> str:
        return as_html(*titles_and_cells([table_row(self)]))


@dataclass(frozen=True)
class Difference:
    """The difference of two systems' scores.

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
        check_real("power", power, above=0, up_to=1 - 1e-9)
        low, high = self.pair.limits(0.6827)  # one standard error to either side
        return texts_needed(
            self.n_texts, (high - low) / 2, wanted, power=power, confidence=self.confidence
        )

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
    """Compare two scores of one call of :func:`mauve.compare`.

    A score depends on the human texts and on all systems that were clustered with them, so
    scores of separate calls can only be compared if both were given the same texts.

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
    check_comparable(first, second)
    pair = ScorePair(
        (first.mauve, second.mauve),
        (first.deviance_error, second.deviance_error),
        correlation(first.influence, second.influence),
    )
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


def check_comparable(first: MauveResult, second: MauveResult) -> None:
    """Raise an error that names the differences if two scores have different signatures."""
    ours, theirs = (parse_signature(result.signature) for result in (first, second))
    # The bias correction makes scores of different n comparable; without it they are not.
    ignored = {"n"} if ours.get("est") == theirs.get("est") == "jackknife" else set()
    differing = {
        key: f"{key} ({ours.get(key)} and {theirs.get(key)})"
        for key in dict.fromkeys([*ours, *theirs])
        if key not in ignored and ours.get(key) != theirs.get(key)
    }
    reasons = []
    # Other human texts make for other clusterings too, so one reason is enough.
    if "human" in differing:
        reasons.append("they were computed against different human texts")
    elif "joint" in differing:
        reasons.append("they were clustered together with different systems")
    settings = [text for key, text in differing.items() if key not in ("human", "joint")]
    if settings:
        reasons.append(f"their signatures differ in {', '.join(settings)}")
    if reasons:
        alike = " with the same settings" if settings else ""
        raise InvalidParameterError(
            f"The scores of '{first.name}' and '{second.name}' cannot be compared: "
            f"{format_list(reasons)}. Pass both systems to one call of compare{alike}."
        )


def table_row(result: MauveResult) -> dict[str, str]:
    """Return the table row of a result, by column title."""
    low, high = result.interval
    row = {
        "system": result.name,
        "MAUVE": f"{result.mauve:.3f}",
        f"{format_level(result.confidence)} interval": f"{low:.3f} - {high:.3f}",
    }
    if result.p_value is not None and result.ceiling is not None:
        row["ceiling"] = f"{result.ceiling:.3f}"
        row["p (= human)"] = format_p_value(result.p_value)
    row["type I"] = f"{result.type_1:.3f}"
    row["type II"] = f"{result.type_2:.3f}"
    row["n"] = f"{result.n_human} + {result.n_model}"
    row["k"] = str(result.num_buckets)
    return row
