"""The folder of a fine-tuning: its settings, its checkpoints, and the model at the end."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mauve.atomic import atomic_write, make_folder
from mauve.calls import parameter
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.generation.locks import locked_folder

_RECORD, _CHECKPOINTS, _UNFINISHED = "finetune.json", "checkpoints", ".unfinished-model"
#: Without it Transformers loads no model, so it is the last file that is put in its place.
_LAST = "config.json"


class TrainingFolder:
    """A folder that holds one training, which may have been interrupted.

    Parameters
    ----------
    path : Path

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     TrainingFolder(Path(folder, "a")).open({"seed": 0})
    ...     TrainingFolder(Path(folder, "a")).open({"seed": 1})
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'out' must be a new folder, or one of a training with \
the same settings. Got '...a', where seed is 0 and not 1: name another, or use its settings.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / _CHECKPOINTS
        self._record: dict[str, Any] = {}

    def open(self, settings: dict[str, Any]) -> None:
        """Take the folder for a training, or raise if it holds something else.

        Parameters
        ----------
        settings : dict
            All that the trained model depends on, to be written as JSON.
        """
        rule = (
            f"{parameter('out')} must be a new folder, or one of a training with the same "
            f"settings. Got '{escaped(str(self.path))}', "
        )
        settings = json.loads(json.dumps(settings))  # as it is read again
        record = self._read(rule)
        if record is None:
            record = {"settings": settings}
        known = record["settings"]
        differing = [
            f"{name} is {known.get(name)!r} and not {settings.get(name)!r}"
            for name in {**settings, **known}
            if known.get(name) != settings.get(name)
        ]
        if differing:
            raise InvalidParameterError(
                f"{rule}where {', '.join(differing)}: name another, or use its settings."
            )
        self._record = record
        make_folder(self.path)
        self.note()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder against other processes; remove what an interrupted save has left."""
        with locked_folder(self.path, "trained in"):
            shutil.rmtree(self.path / _UNFINISHED, ignore_errors=True)
            yield

    def _read(self, rule: str) -> dict[str, Any] | None:
        """Return the record of the folder, None where it is new or empty."""
        if self.path.exists() and not self.path.is_dir():
            raise InvalidParameterError(f"{rule}which is a file: name another.")
        try:
            record = json.loads((self.path / _RECORD).read_text(encoding="utf-8"))
        except FileNotFoundError:
            if self.path.exists() and any(self.path.iterdir()):
                raise InvalidParameterError(
                    f"{rule}which holds other files: name another."
                ) from None
            return None
        except ValueError:
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("settings"), dict):
            raise InvalidParameterError(f"{rule}whose {_RECORD} is damaged: name another.")
        return record

    def note(self, **values: Any) -> None:
        """Add values to the record of the training."""
        self._record |= values
        with atomic_write(self.path / _RECORD) as file:
            file.write(json.dumps(self._record, indent=1).encode() + b"\n")

    def noted(self, name: str) -> Any:
        """Return a value of the record, None if there is none."""
        return self._record.get(name)

    def last_checkpoint(self) -> Path | None:
        """Return the last checkpoint that was written to its end; None before the first.

        A Trainer writes its state last, so a checkpoint whose writing was interrupted has none
        that can be read.
        """
        numbers = []
        for folder in self.checkpoints.glob("checkpoint-*"):
            try:
                state = json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))
                numbers.append((int(state["global_step"]), folder))
            except (OSError, ValueError, KeyError, TypeError):
                shutil.rmtree(folder, ignore_errors=True)
        return max(numbers)[1] if numbers else None

    def save(self, model: Any, tokenizer: Any) -> None:
        """Write the model so that the folder holds all of it, or none that can be loaded."""
        unfinished = self.path / _UNFINISHED
        try:
            model.save_pretrained(unfinished)
            tokenizer.save_pretrained(unfinished)
            names = sorted(os.listdir(unfinished), key=lambda name: name == _LAST)
            for name in names:
                os.replace(unfinished / name, self.path / name)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def remove_checkpoints(self) -> None:
        """Remove the checkpoints, which a finished training does not need."""
        shutil.rmtree(self.checkpoints, ignore_errors=True)
