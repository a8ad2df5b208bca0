"""The result of an evaluation: samples, comparison and measures, and the files they are in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mauve.comparison.comparison import Comparison
from mauve.comparison.results import MauveResult
from mauve.generation.generated import GeneratedSample
from mauve.measures.results import Measurements


@dataclass(frozen=True)
class Evaluation(Mapping[str, MauveResult]):
    """The result of :func:`mauve.evaluate`, a mapping from system to its score.

    Attributes
    ----------
    folder : Path
        Holds ``human.jsonl``, ``samples/``, ``comparison.mauve``, ``measures.json``,
        ``results.json``, ``results.md``, ``report.html`` and ``manifest.json``.
    comparison : Comparison
    measurements : Measurements or None
        None if no measures were asked for.
    samples : tuple of GeneratedSample
        One for each model, decoder and seed.
    report : Path or None
    settings : dict
        The task, the source, the models and the options.
    """

    folder: Path
    comparison: Comparison
    measurements: Measurements | None
    samples: tuple[GeneratedSample, ...] = field(repr=False)
    report: Path | None
    settings: dict[str, Any] = field(repr=False)

    def __getitem__(self, system: str) -> MauveResult:
        return self.comparison[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self.comparison)

    def __len__(self) -> int:
        return len(self.comparison)

    def __str__(self) -> str:
        tables = [str(table) for table in (self.comparison, self.measurements) if table is not None]
        return "\n\n".join(tables)

    @property
    def n_new(self) -> int:
        """Texts that this call wrote."""
        return sum(sample.n_new for sample in self.samples)

    def table(self) -> str:
        """Return the scores and the measures as tables of plain text."""
        return "\n\n".join(table.table() for table in self._tables())

    def to_markdown(self) -> str:
        """Return the scores and the measures as tables in Markdown."""
        return "\n\n".join(table.to_markdown() for table in self._tables())

    def to_latex(self) -> str:
        """Return the scores and the measures as tables in LaTeX."""
        return "\n\n".join(table.to_latex() for table in self._tables())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects for JSON."""
        measures = {} if self.measurements is None else {"measures": self.measurements.to_dict()}
        return {
            "version": version("mauve-eval"),
            "folder": str(self.folder),
            "report": None if self.report is None else str(self.report),
            "settings": self.settings,
            "samples": [sample.to_dict() for sample in self.samples],
            **self.comparison.to_dict(),
            **measures,
        }

    def _tables(self) -> list[Comparison | Measurements]:
        return [table for table in (self.comparison, self.measurements) if table is not None]
