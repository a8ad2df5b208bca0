"""The results of all systems of a comparison."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from mauve.comparison.compared import Compared
from mauve.comparison.results import Difference, MauveResult, difference, table_row
from mauve.errors import MauveError
from mauve.inference.differences import holm
from mauve.tables import as_html, as_latex, as_markdown, as_text, titles_and_cells

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes


class Comparison(Mapping[str, MauveResult]):
    """Scores of several systems against the same human text, in the order given.

    A mapping from name to :class:`MauveResult`; see :func:`mauve.compare`.

    Attributes
    ----------
    compared : Compared
        The samples behind the scores and their buckets.
    write_report : callable or None
        Writes the HTML file of :meth:`to_html`. :mod:`mauve.reports` sets it when it is
        imported, because reports are built on comparisons and not the reverse.
    """

    write_report: ClassVar[Callable[..., Any] | None] = None

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
        """Warnings of all results, without repetition."""
        return tuple(dict.fromkeys(w for result in self.values() for w in result.warnings))

    def rank(self) -> list[str]:
        """Return the names, best first."""
        return sorted(self, key=lambda name: -self[name].mauve)

    def differences(self) -> list[Difference]:
        """Compare every pair of systems, with Holm's correction for their number."""
        pairs = [difference(self[a], self[b]) for a, b in itertools.combinations(self, 2)]
        adjusted = holm([pair.p_value for pair in pairs])
        return [replace(pair, p_adjusted=p) for pair, p in zip(pairs, adjusted, strict=True)]

    def ranked_differences(self) -> list[Difference]:
        """Return the differences with the higher score first, in the order of the ranking."""
        place = {name: i for i, name in enumerate(self.rank())}
        turned = [
            pair if place[pair.first] < place[pair.second] else pair.reversed()
            for pair in self.differences()
        ]
        return sorted(turned, key=lambda pair: (place[pair.first], place[pair.second]))

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of the table by column title, best first."""
        return [table_row(self[name]) for name in self.rank()]

    def table(self) -> str:
        """Return a table of plain text, best first."""
        return as_text(*titles_and_cells(self.rows()))

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return as_markdown(*titles_and_cells(self.rows()))

    def to_latex(self) -> str:
        """Return the table in LaTeX; it needs the package booktabs."""
        return as_latex(*titles_and_cells(self.rows()))

    def to_html(self, path: "str | Path", **options: Any) -> None:
        """Write the report that :func:`mauve.report` writes, from this comparison.

        Parameters
        ----------
        path : str or Path
            The HTML file; needs the ``report`` extra.
        **options
            As for :func:`mauve.reports.run.report_comparison`: ``title``, ``explanation``,
            ``measurements``, ``measures``, ``metadata``, ``language_model``.
        """
        writer = type(self).write_report
        if writer is None:  # only where this module is used without the package
            raise MauveError("Comparison.to_html needs mauve.reports: import mauve.")
        writer(self, path, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return results and differences as plain Python objects for JSON."""
        return {
            "results": [result.to_dict() for result in self.values()],
            "differences": [pair.to_dict() for pair in self.differences()],
        }

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Plot the divergence curves of all systems; needs the ``plot`` extra."""
        from mauve.plots import plot_curves

        return plot_curves(self, ax)

    def plot_ranking(self, ax: "Axes | None" = None) -> "Axes":
        """Plot the scores with their intervals and the ceiling; needs the ``plot`` extra."""
        from mauve.plots import plot_ranking

        return plot_ranking(self, ax)

    def plot_errors(self, ax: "Axes | None" = None) -> "Axes":
        """Plot type I against type II errors of all systems; needs the ``plot`` extra."""
        from mauve.plots import plot_errors

        return plot_errors(self, ax)

    def _repr_html_(self) -> str:
        return as_html(*titles_and_cells(self.rows()))
