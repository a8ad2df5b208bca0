"""Trace a cell of a table back: its texts, its settings, and the steps that it comes from."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.experiment.cells import find_cell
from mauve.experiment.directory import file_digest, read_record
from mauve.experiment.identity import tokenizer_spec
from mauve.experiment.opened import OpenedExperiment, open_experiment
from mauve.experiment.results import GridRow, read_results
from mauve.experiment.steps import Record
from mauve.experiment.texts import StepTexts, read_step_texts
from mauve.lm.text_tokenizer import get_text_tokenizer
from mauve.measures.intervals import Measured

_N_TEXTS = 3


@dataclass(frozen=True)
class TracedText:
    """One text, and the human one that it is compared with.

    Attributes
    ----------
    prompt : str or None
    human, system : str
        As they were scored.
    """

    prompt: str | None
    human: str
    system: str


@dataclass(frozen=True)
class TracedRow:
    """A row of the results, and where it comes from.

    Attributes
    ----------
    row : GridRow
    values : dict from measure to Measured
        That of the cell, or all.
    steps : tuple of Record
        From the first to the last.
    texts : tuple of TracedText
    n : int
        Texts of the row.
    """

    row: GridRow
    values: dict[str, Measured]
    steps: tuple[Record, ...]
    texts: tuple[TracedText, ...]
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects for JSON."""
        return {
            "setting": asdict(self.row.setting),
            "values": {name: value.to_dict() for name, value in self.values.items()},
            "signature": self.row.signature,
            "warnings": list(self.row.warnings),
            "texts": [asdict(text) for text in self.texts],
            "n": self.n,
            "steps": [asdict(step) for step in self.steps],
        }


def show_cell(folder: str | Path, cell: str, *, n_texts: int = _N_TEXTS) -> list[TracedRow]:
    """Return the rows of a cell, each with its first texts and the steps behind it.

    Parameters
    ----------
    folder : str or Path
        What ``mauve experiment run`` writes.
    cell : str
        See :func:`mauve.experiment.cells.find_cell`.
    n_texts : int
        Texts of each row.

    Raises
    ------
    InvalidParameterError
        If there is no such cell, or a file behind it was changed.
    """
    opened = open_experiment(folder)
    rows, measure = find_cell(read_results(opened.directory.path), cell)
    return [_traced(opened, row, measure, n_texts) for row in rows]


def _traced(opened: OpenedExperiment, row: GridRow, measure: str | None, n_texts: int) -> TracedRow:
    folder = opened.directory.path
    steps: dict[str, Record] = {}
    for key in row.steps:
        _add_steps(folder, key, steps)
    values = dict(row.values)
    if measure is not None:
        values = {name: value for name, value in values.items() if name == measure}
    if not row.steps:
        return TracedRow(row, values, (), (), 0)
    human, system = (
        _texts(opened, steps[key], row.setting.length, n_texts)
        for key in steps[row.steps[0]].inputs[:2]
    )
    texts = tuple(
        TracedText(None if system.prompts is None else system.prompts[i], *pair)
        for i, pair in enumerate(zip(human.texts, system.texts, strict=True))
    )
    return TracedRow(row, values, tuple(steps.values()), texts, row.setting.n)


def _add_steps(folder: Path, key: str, steps: dict[str, Record]) -> None:
    """Add a step behind all that it depends on."""
    if key in steps:
        return
    record = read_record(folder / "steps" / f"{key}.json")
    if record is None:
        raise InvalidParameterError(
            f"'{escaped(str(folder))}' lacks the record of a step: run the experiment again."
        )
    for each in record.inputs:
        _add_steps(folder, each, steps)
    for name, digest in record.files.items():
        path = folder / name
        if not path.is_file() or file_digest(path) != digest:
            raise InvalidParameterError(
                f"'{escaped(str(path))}' was changed or removed after it was written: restore it, "
                "or remove it and run the experiment again."
            )
    steps[key] = record


def _texts(opened: OpenedExperiment, step: Record, length: int | None, n: int) -> StepTexts:
    """Return the first texts of a step as they were scored."""
    texts = read_step_texts(opened.directory.path / step.file).first(n)
    if length is None:
        return texts
    return texts.cut(length, get_text_tokenizer(tokenizer_spec(opened.config)))


def record_line(record: Record) -> str:
    """Return a step in one line: what it did, its key, its file, its time.

    Examples
    --------
    >>> record_line(Record("ab12cd34ef", "score", "small", (), {"scores/ab.json": "12"}, {}, {},
    ...                    (), 0.5, "mauve-eval 1.0 on host"))
    'score      ab12cd34  0.5 s  scores/ab.json'
    """
    return f"{record.kind:<10} {record.key[:8]}  {record.seconds:.1f} s  {record.file}"


def settings_line(record: Record) -> str:
    """Return the settings of a step as JSON in one line."""
    return json.dumps(record.settings, ensure_ascii=False)
