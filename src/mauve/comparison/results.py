"""The scores of several systems against the same human text."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray
from mauve.comparison.compared import Compared
from mauve.errors import InvalidParameterError, check_real
from mauve.formatting import SIGNIFICANCE_LEVEL, format_level, format_p_value
from mauve.frontier.score import gap_of, score_at
from mauve.inference.differences import Influence, ScorePair, correlation, holm, share_of_model
from mauve.inference.intervals import equivalence_to_one, texts_needed
from mauve.tables import as_html, as_latex, as_markdown, as_text, titles_and_cells
from mauve.text.form import FormReport

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from mauve.explanation.results import Explanation
    from mauve.measures.results import Measurements


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
        The paper's estimate, without correction, and the one with half a text added to
        every cell, over the same clusterings and all texts.
    frontier_integral, js : float
        The mean error along the frontier and the Jensen-Shannon divergence.
    type_1, type_2 : float
        KL(Q|R) and KL(P|R) at λ = 1/2: what the model writes and people do not, and what
        people write and the model does not.
    p_value : float or None
        Of the exact permutation test of P = Q; None without permutations.
    ceiling, ceiling_low : float or None
        Mean, and lower end at the level of the interval, of the score that texts of one
        and the same source get at this n and k.
    divergence_curve : array of shape (n_points, 2)
        The curve whose area is `mauve`.
    p_hist, q_hist : array of shape (n_clusterings, k)
        Histograms of all texts.
    labels : array of int, shape (n_clusterings, n_human + n_model)
        Cell of every text, human first, in the order given.
    counted : array of bool, same shape
        Texts that a clustering was not fitted on; only they enter the score.
    num_buckets : int
        Number of cells k.
    n_human, n_model : int
        Texts on either side.
    warnings : tuple of str
        What a reader should know before trusting the number.
    signature : str
        The recipe: scores with different signatures cannot be compared.
    form : FormReport or None
        Differences of form between the texts; None where features were given.
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
    gap_error: float = field(repr=False)
    influence: Influence = field(repr=False)
    form: FormReport | None = field(repr=False, default=None)

    @property
    def is_distinguishable(self) -> bool | None:
        """Whether the system can be told from people at the 5% level; None where not tested."""
        return None if self.p_value is None else self.p_value < SIGNIFICANCE_LEVEL

    def equivalence(self, margin: float) -> float:
        """Return the p-value of the test that the score is above 1 - `margin`.

        A small value says that the system is as good as human up to `margin`.
        """
        check_real("equivalence", "margin", margin, above=0, up_to=1 - 1e-9)
        return equivalence_to_one(self.mauve, self.gap_error, margin)

    def texts_needed(self, difference: float, power: float = 0.8) -> int:
        """Return how many texts a side show that a score is `difference` away from this one.

        For two systems with scores near this one, both measured on that many texts of
        their own against the same human texts.
        """
        check_real("texts_needed", "difference", difference, above=0, up_to=1)
        check_real("texts_needed", "power", power, above=0, up_to=1 - 1e-9)
        # A score of 1 has no room above, so measure the reach below.
        reach = self.mauve - float(score_at(float(gap_of(self.mauve)) + self.gap_error))
        # The model's half of the variance counts for both systems, the human half for none.
        n = min(self.n_human, self.n_model)
        error = np.sqrt(2 * share_of_model(self.influence)) * reach
        return texts_needed(n, error, difference, power=power, confidence=self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
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
        """Draw the divergence curve and shade its area; needs the ``plot`` extra."""
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
        Its confidence interval, with the shared human texts taken into account.
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

    def equivalence(self, margin: float) -> float:
        """Return the p-value of the test that the scores differ by less than `margin`."""
        check_real("equivalence", "margin", margin, above=0)
        return self.pair.equivalence_p_value(margin)

    def texts_needed(self, difference: float | None = None, power: float = 0.8) -> int:
        """Return how many texts a side show a difference, by default the one found."""
        wanted = abs(self.difference) if difference is None else difference
        check_real("texts_needed", "difference", wanted, above=0, up_to=1)
        check_real("texts_needed", "power", power, above=0, up_to=1 - 1e-9)
        low, high = self.pair.limits(0.6827)  # one standard error to either side
        return texts_needed(
            self.n_texts, (high - low) / 2, wanted, power=power, confidence=self.confidence
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": list(self.interval),
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
        }


def difference(first: MauveResult, second: MauveResult) -> Difference:
    """Compare two scores, of one comparison or of two with the same signature.

    The human texts are taken as the same where their features are.
    """
    check_comparable(first, second)
    pair = ScorePair(
        (first.mauve, second.mauve),
        (first.gap_error, second.gap_error),
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
    """Raise unless both scores were made by the same recipe, naming what differs."""
    ours, theirs = (dict(_signature_parts(r.signature)) for r in (first, second))
    # The correction makes scores of different n comparable; without it they are not.
    ignored = {"n"} if ours.get("est") == theirs.get("est") == "jackknife" else set()
    differing = [
        f"{key} ({ours.get(key)} and {theirs.get(key)})"
        for key in dict.fromkeys([*ours, *theirs])
        if key not in ignored and ours.get(key) != theirs.get(key)
    ]
    if differing:
        raise InvalidParameterError(
            f"The scores of '{first.name}' and '{second.name}' cannot be compared: their "
            f"signatures differ in {', '.join(differing)}. Compute both with the same settings."
        )


def _signature_parts(signature: str) -> Iterator[tuple[str, str]]:
    for part in signature.split("|"):
        key, _, value = part.partition(":")
        yield key, value


def table_row(result: MauveResult) -> dict[str, str]:
    """Return what the row of a result shows, by the titles of the columns."""
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


class Comparison(Mapping[str, MauveResult]):
    """Scores of several systems against the same human text, in the order given.

    A mapping from name to :class:`MauveResult`; see :func:`mauve.compare`.

    Attributes
    ----------
    compared : Compared
        The texts behind the scores with their cells; its ``clustering`` can label other texts.
    """

    def __init__(self, results: Mapping[str, MauveResult], compared: Compared) -> None:
        self._results = dict(results)
        self.compared = compared

    def __getitem__(self, name: str) -> MauveResult:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        return f"Comparison({', '.join(f'{n}={r.mauve:.3f}' for n, r in self.items())})"

    def __str__(self) -> str:
        return self.table()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Every warning of the results, once."""
        return tuple(dict.fromkeys(w for result in self.values() for w in result.warnings))

    def rank(self) -> list[str]:
        """Return the names, best first."""
        return sorted(self, key=lambda name: -self[name].mauve)

    def differences(self) -> list[Difference]:
        """Compare every pair of systems, with Holm's correction for their number."""
        found = [difference(self[a], self[b]) for a, b in itertools.combinations(self, 2)]
        adjusted = holm([d.p_value for d in found])
        return [replace(d, p_adjusted=p) for d, p in zip(found, adjusted, strict=True)]

    def rows(self) -> list[dict[str, str]]:
        """Return the table as rows of text, best first."""
        return [table_row(self[name]) for name in self.rank()]

    def table(self) -> str:
        """Return the table as plain text, best first."""
        return as_text(*titles_and_cells(self.rows()))

    def to_markdown(self) -> str:
        """Return the same as a Markdown table."""
        return as_markdown(*titles_and_cells(self.rows()))

    def to_latex(self) -> str:
        """Return the same as a LaTeX table; it needs the package booktabs."""
        return as_latex(*titles_and_cells(self.rows()))

    def to_html(
        self,
        path: "str | Path",
        *,
        explanation: "Explanation | None" = None,
        measured: "Measurements | None" = None,
        title: str | None = None,
    ) -> None:
        """Write a report: one file that opens in any browser; needs the ``report`` extra.

        Parameters
        ----------
        path : str or Path
        explanation : Explanation, optional
            What :func:`mauve.explain` says of this comparison, which it does with its
            defaults if it is left out.
        measured : Measurements, optional
            What :func:`mauve.measure` says of the same samples, to stand in the report.
        title : str, optional
        """
        from mauve.explanation.run import explain
        from mauve.reports.page import check_report, write_report

        check_report(path)  # before the work
        write_report(
            self,
            path,
            explanation=explanation or explain(self),
            measured=measured,
            title=title,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return results and differences as plain Python objects, ready for JSON."""
        return {
            "results": [result.to_dict() for result in self.values()],
            "differences": [d.to_dict() for d in self.differences()],
        }

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the divergence curves of all systems; needs the ``plot`` extra."""
        from mauve.plots import plot_curves

        return plot_curves(self, ax)

    def plot_ranking(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the scores with their intervals, and the ceiling; needs the ``plot`` extra."""
        from mauve.plots import plot_ranking

        return plot_ranking(self, ax)

    def plot_errors(self, ax: "Axes | None" = None) -> "Axes":
        """Draw type I against type II errors of all systems; needs the ``plot`` extra."""
        from mauve.plots import plot_errors

        return plot_errors(self, ax)

    def _repr_html_(self) -> str:
        return as_html(*titles_and_cells(self.rows()))
