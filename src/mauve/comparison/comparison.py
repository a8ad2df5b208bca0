"""The results of all systems of a comparison."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mauve.comparison.compared import Compared
from mauve.comparison.ladder import Ladder
from mauve.comparison.pack import Metadata, pack
from mauve.comparison.pairs import Difference, difference, is_comparable
from mauve.comparison.results import MauveResult, frame_row, table_row
from mauve.comparison.rungs import make_ladder
from mauve.errors import MauveError, bad_parameter
from mauve.escape import escaped
from mauve.formatting import metric_names
from mauve.frames import make_frame
from mauve.inference.differences import holm
from mauve.progress import ProgressLike, progress_bar
from mauve.tables import (
    as_html,
    as_latex,
    as_markdown,
    as_text,
    titles_and_cells,
    warnings_as_html,
    with_warnings,
)
from mauve.text.steps import Normalize

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_PAIRED = 6  # systems; more have more pairs than a reader wants to see

#: What a file that `save` writes is called in messages, and the version of its layout.
KIND, FORMAT = "saved comparison", 2


class Comparison(Mapping[str, MauveResult]):
    """Scores of several systems against the same human text, in the order given.

    A mapping from name to :class:`MauveResult`; see :func:`mauve.compare`. Two comparisons are
    equal if they have the same results in the same order; like a dict, a comparison is not
    hashable.

    Attributes
    ----------
    compared : Compared
        The samples behind the scores and their buckets.
    """

    # Writes the HTML file of `to_html`. mauve.reports sets it when it is imported, because
    # reports are built on comparisons and not the reverse. An annotation would be in help().
    _write_report = cast("Callable[..., Any] | None", None)

    def __init__(self, results: Mapping[str, MauveResult], compared: Compared) -> None:
        self._results = dict(results)
        self.compared = compared

    def __getitem__(self, name: str) -> MauveResult:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparison):
            return NotImplemented
        return [*self._results.items()] == [*other._results.items()]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        scores = (f"{escaped(n)}={r.mauve:.3f}" for n, r in self.items())
        return f"Comparison({', '.join(scores)})"

    def __str__(self) -> str:
        above = [f"warning: {escaped(message)}" for message in self.reading_warnings]
        return "\n".join([*above, with_warnings(self.table(), self._other_warnings)])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of all results, without repetition; first that texts cannot be read."""
        messages = [message for result in self.values() for message in result.warnings]
        return tuple(dict.fromkeys((*self.reading_warnings, *messages)))

    @property
    def reading_warnings(self) -> tuple[str, ...]:
        """Warnings that the embedder cannot read texts, which stand above the table."""
        return self.compared.samples.all_reading_warnings

    @property
    def _other_warnings(self) -> tuple[str, ...]:
        return tuple(message for message in self.warnings if message not in self.reading_warnings)

    def rank(self) -> list[str]:
        """Return the names, best first."""
        return sorted(self, key=lambda name: -self[name].mauve)

    def differences(self) -> list[Difference]:
        """Compare every pair of comparable systems, with Holm's correction for their number.

        Two systems are not comparable if one has so few texts that its buckets were learnt from
        fewer; its warnings say so.
        """
        return [*self._differences]

    @cached_property
    def _differences(self) -> list[Difference]:
        pairs = [
            difference(self[a], self[b])
            for a, b in itertools.combinations(self, 2)
            if is_comparable(self[a], self[b])
        ]
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

    def shown_differences(self) -> list[Difference]:
        """Return the differences for a table: all, or neighbours in the ranking if many.

        With more than 6 systems, only a system and the next one in the ranking are compared;
        :meth:`differences` has all pairs. The correction is for all pairs in any case.
        """
        differences = self.ranked_differences()
        if len(self) <= _MOST_PAIRED:
            return differences
        neighbours = set(itertools.pairwise(self.rank()))
        return [pair for pair in differences if (pair.first, pair.second) in neighbours]

    def ladder(
        self, steps: "Normalize | None" = None, *, progress: "ProgressLike" = True
    ) -> "Ladder":
        """Return the scores as given, and after each step that removes a difference of form.

        Steps are added one by one, so the last score is without all of them. A score is that of
        :func:`mauve.compare` for human text and this system alone with ``normalize=`` these
        steps. Only texts that a step changes are embedded.

        Parameters
        ----------
        steps : str or sequence of str, optional
            Names of steps (:data:`mauve.text.steps.NORMALIZE_STEPS`), or "all"; by default those
            that remove differences of form that were found.
        progress : bool or callable
            As for :func:`mauve.compare`.

        Returns
        -------
        Ladder
            A mapping from system to its scores.

        Examples
        --------
        >>> import mauve, warnings
        >>> warnings.simplefilter("ignore")  # of the leading space
        >>> human = [f"Number {i * 7919 % 1000} of the texts." for i in range(400)]
        >>> model = [f" Number {i * 7907 % 1000} of the texts." for i in range(400)]
        >>> comparison = mauve.compare(human, model, n_permutations=0)
        >>> print(comparison.ladder()["model"].verdict)
        most of this gap is form
        """
        with progress_bar(progress) as on_progress:
            return make_ladder(self._results, self.compared, steps, on_progress)

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

    def save(self, path: str | Path, *, metadata: Metadata | None = None) -> None:
        """Write the comparison with its texts to one file, for :func:`mauve.load`.

        The file is a zip of JSON and arrays, without pickle, and it is written atomically. It
        holds the texts, their features, prompts and metadata in full; the embedder and the
        quantizer are in it by name.

        Parameters
        ----------
        path : str or Path
            The file, such as ``run.mauve``.
        metadata : mapping from sample to mapping from field to sequence, optional
            As for :func:`mauve.explain`, to be used by reports of the loaded comparison; by
            default the other fields of text files.
        """
        if not isinstance(path, str | PathLike):
            raise bad_parameter("path", "the path of a file", path)
        pack(self._results, self.compared, metadata).write(Path(path), KIND, FORMAT)

    def to_html(self, path: str | Path, **options: Any) -> None:
        """Write the report that :func:`mauve.report` writes, from this comparison.

        Parameters
        ----------
        path : str or Path
            The HTML file; needs the ``report`` extra.
        **options
            As for :func:`mauve.reports.run.report_comparison`: ``title``, ``explanation``,
            ``measurements``, ``measures``, ``metadata``, ``language_model``, ``ladder``.
        """
        writer = type(self)._write_report
        if writer is None:  # only where this module is used without the package
            raise MauveError("Comparison.to_html needs mauve.reports: import mauve.")
        writer(self, path, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return results and differences as plain Python objects for JSON."""
        return {
            "warnings": list(self.warnings),
            "results": [result.to_dict() for result in self.values()],
            "differences": [pair.to_dict() for pair in self.differences()],
        }

    def to_dataframe(self) -> "pd.DataFrame":
        """Return a pandas DataFrame with a row for each system, in the order given.

        Needs the ``pandas`` extra. Columns are named as the attributes of
        :class:`MauveResult`; ``low`` and ``high`` are the ends of the interval.

        Examples
        --------
        >>> import mauve, numpy as np
        >>> rng = np.random.default_rng(0)
        >>> human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + 1
        >>> frame = mauve.compare(human, {"shifted": model}, n_permutations=0).to_dataframe()
        >>> frame[["system", "n_human", "n_model"]].to_dict("records")
        [{'system': 'shifted', 'n_human': 200, 'n_model': 200}]
        """
        return make_frame([frame_row(result) for result in self.values()])

    def to_metrics(self, prefix: str = "mauve") -> dict[str, float]:
        """Return the numbers of all systems as one flat dict, for an experiment tracker.

        Keys are such as ``mauve/gpt2/score``; numbers that were not computed are left out.

        Parameters
        ----------
        prefix : str
            First part of all keys.

        Examples
        --------
        >>> import mauve, numpy as np
        >>> rng = np.random.default_rng(0)
        >>> human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + 1
        >>> metrics = mauve.compare(human, {"shifted": model}, n_permutations=0).to_metrics()
        >>> [*metrics][:3]
        ['mauve/shifted/score', 'mauve/shifted/low', 'mauve/shifted/high']
        """
        return {
            f"{prefix}/{key}/{metric}": number
            for name, key in metric_names([*self]).items()
            for metric, number in self[name].to_metrics().items()
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
        table = as_html(*titles_and_cells(self.rows()))
        above, below = map(warnings_as_html, (self.reading_warnings, self._other_warnings))
        return above + table + below
