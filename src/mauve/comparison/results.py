"""Scores of systems against human text."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray
from mauve.equality import ExactEquality
from mauve.errors import check_real, check_share
from mauve.escape import escaped
from mauve.formatting import (
    SIGNIFICANCE_LEVEL,
    format_interval,
    format_level,
    format_p_value,
    format_score,
    p_value_phrase,
)
from mauve.inference.differences import Influence, share_of_model
from mauve.inference.intervals import equivalence_to_one, score_error, texts_needed
from mauve.tables import as_html, as_text, titles_and_cells, warnings_as_html, with_warnings
from mauve.text.form import FormReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What the score by the classifier says beside that by another quantizer.
CLASSIFIER_MEANING = (
    "Classifier is MAUVE in the buckets of a classifier, a sharper bound: where it is much lower, "
    "the system differs less in what its texts are about than in how they are written."
)


@dataclass(frozen=True, eq=False, repr=False)
class MauveResult(ExactEquality):
    """The score of one system against human text.

    Two results are equal if all their numbers are; results are hashable.

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
        added to every bucket, over the same clusterings and all texts; for buckets of a
        classifier, which knows the samples, over the texts that are `counted`.
    frontier_integral, js : float
        The mean error along the frontier and the Jensen-Shannon divergence.
    type_1, type_2 : float
        KL(Q|R) and KL(P|R) at λ = 1/2: what the model writes and people do not, and what
        people write and the model does not.
    p_value : float or None
        Of the exact permutation test of P = Q on the features; None without permutations.
    test_statistic : str or None
        The statistic that is farthest from what P = Q gives: what kind of difference it is.
    ceiling, ceiling_low : float or None
        Mean, and lower limit at the level of the interval, of the score of two samples of one
        source at this n and k.
    divergence_curve : array of shape (n_points, 2)
        The curve whose area is `mauve`.
    p_hist, q_hist : array of shape (n_clusterings, k)
        Histograms of all texts; for buckets of a classifier, of those that are `counted`.
    labels : array of int, shape (n_clusterings, n_human + n_model)
        Bucket of every text, human first, in the order given.
    counted : array of bool, same shape
        Texts that a clustering was not fitted on; only they enter the score.
    num_buckets : int
        Number of buckets k.
    n_learning : int or None
        Texts that each clustering was learnt from; None for joint clusterings, which are learnt
        from two fifths of all texts.
    n_human, n_model : int
        Number of texts of each sample.
    warnings : tuple of str
        Reasons why the score may be unreliable.
    signature : str
        Settings, and checksums of the texts, that must be equal for two scores to be comparable.
    form : FormReport or None
        Differences of form between the texts; None if features were passed.
    classifier : MauveResult or None
        The score in the buckets of a classifier, a sharper bound; None if the score itself is.
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
    test_statistic: str | None
    ceiling: float | None
    ceiling_low: float | None
    divergence_curve: FloatArray = field(repr=False)
    p_hist: FloatArray = field(repr=False)
    q_hist: FloatArray = field(repr=False)
    labels: NDArray[np.int32] = field(repr=False)
    counted: BoolArray = field(repr=False)
    num_buckets: int
    n_learning: int | None
    n_human: int
    n_model: int
    warnings: tuple[str, ...]
    signature: str
    deviance_error: float = field(repr=False)
    influence: Influence = field(repr=False)
    form: FormReport | None = field(repr=False, default=None)
    classifier: "MauveResult | None" = field(repr=False, default=None)

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
        check_share("margin", margin)
        return equivalence_to_one(self.mauve, self.deviance_error, margin)

    def texts_needed(self, difference: float, power: float = 0.8) -> int:
        """Return the number of texts per sample that detect a score `difference` from this one.

        For two systems with scores near this one, both measured on that many texts of
        their own against the same human texts.
        """
        check_real("difference", difference, above=0, up_to=1)
        check_share("power", power)
        # The human texts are shared, so only the variance of the systems' texts counts, twice.
        n = min(self.n_human, self.n_model)
        error = np.sqrt(2 * share_of_model(self.influence))
        error *= score_error(self.mauve, self.deviance_error)
        return texts_needed(n, error, difference, power=power, confidence=self.confidence)

    def __repr__(self) -> str:
        p_value = "" if self.p_value is None else f", {p_value_phrase(self.p_value)}"
        score = f"{format_score(self.mauve)}, {format_interval(self.interval)}"
        return f"MauveResult({escaped(self.name)}: {score}{p_value})"

    def __str__(self) -> str:
        table = as_text(*titles_and_cells([table_row(self)]))
        return with_warnings(f"{table}\n{escaped(self.name)}: {self.verdict}", self.warnings)

    def to_metrics(self) -> dict[str, float]:
        """Return the numbers for an experiment tracker; those that are None are left out."""
        numbers = {
            "score": self.mauve,
            "low": self.interval[0],
            "high": self.interval[1],
            "p_value": self.p_value,
            "ceiling": self.ceiling,
            "ceiling_low": self.ceiling_low,
            "type_1": self.type_1,
            "type_2": self.type_2,
            "frontier_integral": self.frontier_integral,
            "js": self.js,
        }
        if self.classifier is not None:
            low, high = self.classifier.interval
            numbers |= {
                "classifier": self.classifier.mauve,
                "classifier_low": low,
                "classifier_high": high,
            }
        return {name: number for name, number in numbers.items() if number is not None}

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
            "test_statistic": self.test_statistic,
            "ceiling": self.ceiling,
            "ceiling_low": self.ceiling_low,
            "num_buckets": self.num_buckets,
            "n_learning": self.n_learning,
            "n_human": self.n_human,
            "n_model": self.n_model,
            "divergence_curve": self.divergence_curve.tolist(),
            "warnings": list(self.warnings),
            "signature": self.signature,
            "form": None if self.form is None else self.form.to_dict(),
            "classifier": None if self.classifier is None else self._classifier_dict(),
        }

    def _classifier_dict(self) -> dict[str, Any]:
        """Return the numbers of the score by the classifier that differ from this one's."""
        shared = ("name", "confidence", "p_value", "test_statistic", "warnings", "form")
        absent = ("ceiling", "ceiling_low", "classifier", "n_human", "n_model")
        numbers = {} if self.classifier is None else self.classifier.to_dict()
        return {key: value for key, value in numbers.items() if key not in (*shared, *absent)}

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Plot the divergence curve and shade its area; needs the ``plot`` extra."""
        from mauve.plots import plot_curves

        return plot_curves({self.name: self}, ax)

    def _repr_html_(self) -> str:
        return as_html(*titles_and_cells([table_row(self)])) + warnings_as_html(self.warnings)


def frame_row(result: MauveResult) -> dict[str, Any]:
    """Return the row of a data frame, by column."""
    numbers = result.to_dict()
    low, high = numbers.pop("interval")
    for name in ("name", "divergence_curve", "warnings", "form", "mauve", "confidence"):
        numbers.pop(name)
    sharper = numbers.pop("classifier")
    ends = (None, None) if sharper is None else sharper["interval"]
    numbers["classifier"] = None if sharper is None else sharper["mauve"]
    numbers["classifier_low"], numbers["classifier_high"] = ends
    return {
        "system": result.name,
        "mauve": result.mauve,
        "low": low,
        "high": high,
        "confidence": result.confidence,
        **numbers,
    }


def table_row(result: MauveResult) -> dict[str, str]:
    """Return the table row of a result, by column title."""
    low, high = result.interval
    row = {
        "system": result.name,
        "MAUVE": f"{result.mauve:.3f}",
        f"{format_level(result.confidence)} interval": f"{low:.3f} - {high:.3f}",
    }
    if result.classifier is not None:
        row["classifier"] = format_score(result.classifier.mauve)
    if result.p_value is not None and result.ceiling is not None:
        row["ceiling"] = f"{result.ceiling:.3f}"
        row["p (= human)"] = format_p_value(result.p_value)
    row["type I"] = f"{result.type_1:.3f}"
    row["type II"] = f"{result.type_2:.3f}"
    row["n"] = f"{result.n_human} + {result.n_model}"
    return row
