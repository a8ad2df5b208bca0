"""Say how far an experiment is: which steps are done, and who works on which."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mauve.experiment.claims import owner_of
from mauve.experiment.opened import open_experiment
from mauve.experiment.plan import make_plan
from mauve.experiment.steps import KINDS, WORDS
from mauve.formatting import format_count, format_seconds
from mauve.tables import as_text


@dataclass(frozen=True)
class KindStatus:
    """The steps of one kind.

    Attributes
    ----------
    kind : str
    n_steps, n_done : int
    running : tuple of str
        Each step that is being done, and by whom.
    seconds : float
        What the finished ones took.
    """

    kind: str
    n_steps: int
    n_done: int
    running: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class ExperimentStatus:
    """How far an experiment is.

    Attributes
    ----------
    folder : Path
    kinds : tuple of KindStatus
    missing : tuple of str
        Steps whose files are missing: a run does them again.
    """

    folder: Path
    kinds: tuple[KindStatus, ...]
    missing: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether all steps are done."""
        return all(each.n_done == each.n_steps for each in self.kinds)

    @property
    def summary(self) -> str:
        """How many steps are done, in one sentence."""
        n_done, n_steps = (
            sum(getattr(each, name) for each in self.kinds) for name in ("n_done", "n_steps")
        )
        n_running = sum(len(each.running) for each in self.kinds)
        if self.is_complete:
            return f"all {format_count(n_steps, 'step')} are done"
        return f"{n_done} of {format_count(n_steps, 'step')} are done, {n_running} are being done"

    def table(self) -> str:
        """Return a table of plain text, with a row for each kind of step."""
        rows = [
            [
                WORDS[each.kind],
                str(each.n_steps),
                str(each.n_done),
                str(len(each.running)),
                format_seconds(each.seconds),
            ]
            for each in self.kinds
        ]
        return as_text(["work", "steps", "done", "running", "time"], rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects for JSON."""
        return {
            "folder": str(self.folder),
            "is_complete": self.is_complete,
            "steps": [
                {
                    "kind": each.kind,
                    "steps": each.n_steps,
                    "done": each.n_done,
                    "running": list(each.running),
                    "seconds": each.seconds,
                }
                for each in self.kinds
            ],
            "missing": list(self.missing),
        }


def experiment_status(folder: str | Path) -> ExperimentStatus:
    """Return how far an experiment is; its files are checked as a run would check them.

    Parameters
    ----------
    folder : str or Path
        What ``mauve experiment run`` writes.

    Raises
    ------
    InvalidParameterError
        If it is no experiment, or a file was changed under a finished step.
    """
    opened = open_experiment(folder)
    directory = opened.directory
    plan = make_plan(opened.config, opened.device)
    missing = directory.missing(plan.steps)
    kinds = []
    for kind in KINDS:
        steps = [step for step in plan.steps if step.kind == kind]
        records = [(step, directory.record(step)) for step in steps]
        running = []
        for step, record in records:
            key = directory.key(step)
            owner = None if record or key is None else owner_of(directory.path / "claims" / key)
            if owner is not None and owner.is_alive:
                running.append(f"{step} ({owner})")
        done = [record for step, record in records if record and step not in missing]
        if steps:
            seconds = sum(record.seconds for record in done)
            kinds.append(KindStatus(kind, len(steps), len(done), tuple(running), seconds))
    return ExperimentStatus(directory.path, tuple(kinds), tuple(map(str, missing)))
