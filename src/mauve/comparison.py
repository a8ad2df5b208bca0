"""The scores of several systems against the same human text."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mauve.compared import Compared
from mauve.inference import holm
from mauve.results import Difference, MauveResult, difference, table_row
from mauve.tables import as_html, as_latex, as_markdown, as_text, titles_and_cells

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from mauve.explanation.explained import Explanation
    from mauve.measures.results import Measurements


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
        from mauve.explain import explain
        from mauve.report.page import check_report, write_report

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
        from mauve.plot import plot_curves

        return plot_curves(self, ax)

    def plot_ranking(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the scores with their intervals, and the ceiling; needs the ``plot`` extra."""
        from mauve.plot import plot_ranking

        return plot_ranking(self, ax)

    def plot_errors(self, ax: "Axes | None" = None) -> "Axes":
        """Draw type I against type II errors of all systems; needs the ``plot`` extra."""
        from mauve.plot import plot_errors

        return plot_errors(self, ax)

    def _repr_html_(self) -> str:
        return as_html(*titles_and_cells(self.rows()))
