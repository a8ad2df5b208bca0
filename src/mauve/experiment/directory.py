"""The folder of an experiment: finished steps, and whether their files are as they were written."""

import hashlib
import json
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mauve.atomic import atomic_write
from mauve.errors import InvalidParameterError, OutputError
from mauve.escape import escaped
from mauve.experiment.steps import Record, Step, step_key

FORMAT = 1
CONFIG, ORIGIN, MANIFEST = "config.toml", "experiment.json", "manifest.json"


class Directory:
    """The folder of an experiment, which several processes may work on.

    Each finished step has a record in ``steps/``, named after its key; a record is written after
    the files of the step, so there is none for a step that was killed.

    Parameters
    ----------
    path : Path

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> step = Step("read", "human", {})
    >>> with TemporaryDirectory() as folder:
    ...     directory = Directory(Path(folder))
    ...     directory.is_done(step)
    ...     _ = directory.path.joinpath("human.jsonl").write_text("{}")
    ...     _ = directory.finish(step, ["human.jsonl"])
    ...     Directory(Path(folder)).is_done(step)
    False
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._records: dict[str, Record] = {}
        self._keys: dict[Step, str] = {}

    def make(self) -> None:
        """Make the folder, or raise if nothing can be written in it."""
        try:
            for name in ("steps", "claims"):
                (self.path / name).mkdir(parents=True, exist_ok=True)
            probe = self.path / "claims" / f".probe-{os.getpid()}-{time.monotonic_ns()}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise OutputError(
                f"'{escaped(str(self.path))}' cannot be written ({error.strerror}): name a folder "
                "that you may write to."
            ) from error

    def key(self, step: Step) -> str | None:
        """Return the key of a step; None until all steps are done that it depends on."""
        if step not in self._keys:
            records = [self.record(each) for each in step.inputs]
            digests = [record.digest for record in records if record is not None]
            if len(digests) < len(records):
                return None
            self._keys[step] = step_key(step, digests)
        return self._keys[step]

    def record(self, step: Step) -> Record | None:
        """Return what a finished step has left behind; None if it is not finished."""
        key = self.key(step)
        if key is None:
            return None
        if key not in self._records:
            record = read_record(self.path / "steps" / f"{key}.json")
            if record is None:
                return None
            self._records[key] = record
        return self._records[key]

    def is_done(self, step: Step) -> bool:
        """Return whether a step is finished."""
        return self.record(step) is not None

    def file(self, step: Step) -> Path:
        """Return the file of a finished step."""
        record = self.record(step)
        if record is None:
            raise LookupError(f"{step} is not finished")
        return self.path / record.file

    def finish(
        self,
        step: Step,
        files: Sequence[str],
        *,
        facts: dict[str, Any] | None = None,
        warnings: Sequence[str] = (),
        seconds: float = 0.0,
    ) -> Record:
        """Record that a step has written its files, and return the record."""
        key = self.key(step)
        if key is None:
            raise LookupError(f"{step} has inputs that are not finished")
        inputs = [record.key for each in step.inputs if (record := self.record(each)) is not None]
        record = Record(
            key,
            step.kind,
            step.title,
            tuple(inputs),
            {name: file_digest(self.path / name) for name in files},
            dict(step.settings),
            facts or {},
            tuple(warnings),
            round(seconds, 3),
            f"mauve-eval {version('mauve-eval')} on {platform.node()}",
        )
        target = self.path / "steps" / f"{key}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(target) as file:
            file.write(json.dumps(asdict(record), indent=1).encode() + b"\n")
        self._records[key] = record
        return record

    def check(self, steps: Sequence[Step]) -> None:
        """Check the files of finished steps; steps whose files are missing are done again.

        Raises
        ------
        InvalidParameterError
            If a file is not as its step has written it.
        """
        while missing := self.missing(steps):
            for step in missing:
                self.forget(step)

    def missing(self, steps: Sequence[Step]) -> list[Step]:
        """Return the finished steps with files that are missing, or raise if one was changed."""
        missing: list[Step] = []
        for step in steps:
            record = self.record(step)
            if record is None:
                continue
            for name, digest in record.files.items():
                path = self.path / name
                if not path.is_file():
                    missing.append(step)
                    break
                if file_digest(path) != digest:
                    raise InvalidParameterError(
                        f"'{escaped(str(path))}' was changed after it was written, to "
                        f"{escaped(str(step))}: restore it, or remove it, and it is computed "
                        "again with all that depends on it."
                    )
        return missing

    def forget(self, step: Step) -> None:
        """Remove the record of a step, so that it is done again."""
        key = self._keys.get(step)
        if key is not None:
            (self.path / "steps" / f"{key}.json").unlink(missing_ok=True)
            self._records.pop(key, None)
            self._keys.clear()  # others depend on what it writes


def read_record(path: Path) -> Record | None:
    """Return the record in a file; None if there is none, or it is damaged."""
    try:
        content = json.loads(path.read_bytes())
        for name in ("inputs", "warnings"):
            content[name] = tuple(content[name])
        record = Record(**content)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if record.files and path.stem == record.key else None


def file_digest(path: Path) -> str:
    """Return a checksum of a file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.txt")
    ...     _ = path.write_text("a")
    ...     len(file_digest(path))
    24
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=12)).hexdigest()
