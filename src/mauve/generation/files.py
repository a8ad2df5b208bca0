"""The texts of one model, decoder and seed in a file that can be written in several runs."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mauve.atomic import atomic_write
from mauve.calls import has_option, option
from mauve.errors import InvalidParameterError, OutputError
from mauve.escape import escaped
from mauve.generation.locks import lock

#: Version of the files.
FORMAT = 1

_FIELDS: dict[str, type] = {
    "position": int, "id": str, "prompt": str, "text": str, "n_tokens": int, "ended": bool,
}  # fmt: skip


@dataclass(frozen=True)
class WrittenText:
    """A text in the file.

    Attributes
    ----------
    position : int
        Position of the prompt in the job. With the seed it decides the random numbers.
    id, prompt : str
        Of the example that was continued.
    text : str
        The continuation, without the prompt.
    n_tokens : int
        Tokens that were written, without the one that ended the text.
    ended : bool
        Whether the text ended by itself.
    """

    position: int
    id: str
    prompt: str
    text: str
    n_tokens: int
    ended: bool


class SampleFile:
    """The JSON lines of one setting, open for one process, and a sidecar with the settings.

    A line is on its way to the disk as soon as its text is finished, so a process that is killed
    loses no finished text; every few seconds the disk is told to keep what it has. The next
    opening removes a last line that was written in part, and continues after it.

    Parameters
    ----------
    path : Path
        A ``.jsonl`` file; the sidecar is the ``.json`` file beside it.
    settings : mapping from str to JSON value
        What the texts depend on beside the prompts. A file that was written with others is
        refused.
    labels : mapping from str to JSON value
        Fields that every line has beside its text.
    sync_seconds : float
        Time after which what was written is made durable, which is what a power failure loses.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "seed-0.jsonl")
    ...     with SampleFile(path, {"seed": 0}) as file:
    ...         file.add(WrittenText(0, "a", "Once", " upon a time.", 4, True))
    ...     with SampleFile(path, {"seed": 0}) as file:
    ...         [*file.texts]
    [0]
    """

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, Any],
        labels: Mapping[str, Any] | None = None,
        *,
        sync_seconds: float = 2.0,
    ) -> None:
        self.path = path
        self.sidecar = _sidecar(path)
        self.settings = dict(settings)
        self.labels = dict(labels or {})
        #: Texts by position: those in the file and those added.
        self.texts: dict[int, WrittenText] = {}
        self._sync_seconds = sync_seconds
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b", buffering=0)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        try:
            lock(self._file.fileno(), self.path, "written")
            self._file.seek(0)
            content = self._file.read()
            self._end = content.rfind(b"\n") + 1  # of the last whole line
            self.texts = parse_lines(content[: self._end], self.path)
            if self.texts:
                check_settings(self.path, _written_settings(self.path), self.settings)
            if self._end < len(content):
                self._file.truncate(self._end)
            self._write_sidecar()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._file:
            self._sync()
            if not self.texts:  # nothing to continue, and no trace of a model that cannot write
                self.path.unlink(missing_ok=True)
                self.sidecar.unlink(missing_ok=True)

    def add(self, text: WrittenText) -> None:
        """Append a text, whole or not at all."""
        line = json.dumps({**asdict(text), **self.labels}).encode() + b"\n"
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            self._file.truncate(self._end)  # a part of a line, on a full disk
            raise _unwritable(self.path, error) from error
        self._end = self._file.tell()
        self.texts[text.position] = text
        if time.monotonic() - self._synced > self._sync_seconds:
            self._sync()

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _unwritable(self.path, error) from error
        self._synced = time.monotonic()

    def _write_sidecar(self) -> None:
        written_by = f"mauve-eval {version('mauve-eval')}"
        content = {"format": FORMAT, "written_by": written_by, "settings": self.settings}
        if self.texts and _written_settings(self.path) == self.settings:
            return  # a second run changes no file
        with atomic_write(self.sidecar) as file:
            file.write(json.dumps(content, indent=1).encode() + b"\n")


def read_sample(path: Path) -> list[WrittenText]:
    """Return the texts of a file by position, also while another process writes it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "seed-0.jsonl")
    ...     with SampleFile(path, {}) as file:
    ...         file.add(WrittenText(0, "a", "Once", " upon a time.", 4, True))
    ...     read_sample(path)[0].text
    ' upon a time.'
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidParameterError(f"'{path}' cannot be read ({error.strerror}).") from error
    texts = parse_lines(content[: content.rfind(b"\n") + 1], path)
    return [texts[position] for position in sorted(texts)]


def parse_lines(content: bytes, path: Path) -> dict[int, WrittenText]:
    r"""Return the texts of whole lines by position, or raise.

    Examples
    --------
    >>> line = '{"position": 0, "id": "a", "prompt": "", "text": "It.", "n_tokens": 2, '
    >>> parse_lines(f'{line}"ended": true}}\n'.encode(), Path("seed-0.jsonl"))[0].text
    'It.'
    """
    texts: dict[int, WrittenText] = {}
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            record = json.loads(line)
            values = {name: record[name] for name in _FIELDS}
        except (ValueError, KeyError, TypeError):
            values = {}
        if not values or any(type(values[name]) is not kind for name, kind in _FIELDS.items()):
            raise InvalidParameterError(
                f"Line {number} of '{path}' must be a text that was generated. It is damaged: "
                "remove the line, and its text is written again."
            )
        text = WrittenText(**values)
        if text.position in texts:
            raise InvalidParameterError(
                f"'{path}' must have every text once. Line {number} has another text of position "
                f"{text.position}: remove one of them."
            )
        texts[text.position] = text
    return texts


def check_prompts(
    path: Path, texts: Mapping[int, WrittenText], ids: Sequence[str], prompts: Sequence[str]
) -> None:
    """Raise if texts continue other prompts than those at their positions.

    Examples
    --------
    >>> text = WrittenText(1, "b", "Twice", " a day.", 3, True)
    >>> check_prompts(Path("seed-0.jsonl"), {1: text}, ["a", "b"], ["Once", "Twice"])
    """
    for position, text in texts.items():
        if position < len(prompts) and (text.id, text.prompt) != (ids[position], prompts[position]):
            raise InvalidParameterError(
                f"'{path}' has texts of other prompts: at position {position} it continues "
                f"'{escaped(text.prompt[:40])}', and '{escaped(prompts[position][:40])}' is asked "
                "for. Name another folder, or remove the file."
            )


def _sidecar(path: Path) -> Path:
    return path.with_suffix(".json")


def _written_settings(path: Path) -> dict[str, Any]:
    """Return the settings that a file was written with, or raise."""
    try:
        settings = json.loads(_sidecar(path).read_bytes())["settings"]
        if not isinstance(settings, dict):
            raise TypeError
    except (OSError, ValueError, KeyError, TypeError):
        raise InvalidParameterError(
            f"'{path}' must have its settings beside it, in '{_sidecar(path).name}', which cannot "
            "be read: restore it, or remove both files."
        ) from None
    return settings


def check_settings(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Raise if a file was written with other settings than those that are asked for.

    Examples
    --------
    >>> check_settings(Path("seed-0.jsonl"), {"seed": 0}, {"seed": 0})
    """
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) == new.get(name):
            continue
        was, asked = (str(values.get(name)) for values in (old, new))
        remedy = "name another folder, or remove the file"
        if has_option(name):
            remedy = f"use {option(name, old.get(name))}, {remedy}"
        raise InvalidParameterError(
            f"'{path}' was written with another {name.replace('_', ' ')}: '{escaped(was)}', and "
            f"'{escaped(asked)}' is asked for. {remedy[0].upper()}{remedy[1:]}."
        )


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"'{path}' cannot be written ({error.strerror or 'the disk may be full'}): make space, or "
        "name a folder that you may write to."
    )
