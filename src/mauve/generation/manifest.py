"""Which steps of an evaluation are done, with what, so that a later call does the others alone."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mauve.atomic import atomic_write

FORMAT = 1


class Manifest:
    """The file ``manifest.json`` of a folder: the settings, and the key of every step.

    A step is current if its key is that of the last call, and its files are unchanged.

    Parameters
    ----------
    folder : Path

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     manifest = Manifest(Path(folder))
    ...     _ = Path(folder, "table.md").write_text("| a |")
    ...     manifest.done("table", "key", "table.md")
    ...     again = Manifest(Path(folder))
    ...     again.is_current("table", "key"), again.is_current("table", "other")
    (True, False)
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "manifest.json"
        try:
            content = json.loads(self.path.read_bytes())
            self.settings: dict[str, Any] = dict(content["settings"])
            self._steps: dict[str, dict[str, Any]] = dict(content["steps"])
        except (OSError, ValueError, KeyError, TypeError):
            self.settings, self._steps = {}, {}  # nothing is known to be done

    def is_current(self, step: str, key: str) -> bool:
        """Return whether the files of a step are there, made with the same key, and unchanged."""
        try:
            entry = self._steps[step]
            files = entry["files"].items()
            return bool(entry["key"] == key) and all(
                _checksum(self.path.parent / name) == checksum for name, checksum in files
            )
        except (KeyError, TypeError, AttributeError, OSError):
            return False

    def done(self, step: str, key: str, *files: str) -> None:
        """Record that a step has written its files."""
        checksums = {name: _checksum(self.path.parent / name) for name in files}
        self._steps[step] = {"key": key, "files": checksums}
        self._write()

    def set_settings(self, settings: Mapping[str, Any]) -> None:
        """Record the settings, which are there for people to read."""
        if self.settings != settings:
            self.settings = dict(settings)
            self._write()

    def _write(self) -> None:
        content = {
            "format": FORMAT,
            "written_by": f"mauve-eval {version('mauve-eval')}",
            "settings": self.settings,
            "steps": self._steps,
        }
        with atomic_write(self.path) as file:
            file.write(json.dumps(content, indent=1).encode() + b"\n")


def step_key(**parts: Any) -> str:
    """Return a key that changes with any part; the version of the package is one.

    An object is known by its signature; one without any gives a new key each time.

    Examples
    --------
    >>> step_key(seed=0) == step_key(seed=0), step_key(seed=0) == step_key(seed=1)
    (True, False)
    >>> step_key(embedder=len) == step_key(embedder=len)  # its code may have changed
    False
    """
    parts["version"] = version("mauve-eval")
    content = json.dumps(parts, sort_keys=True, default=_described)
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


def _described(value: Any) -> str:
    signature = getattr(value, "signature", None)
    return signature if isinstance(signature, str) else secrets.token_hex(16)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=8)).hexdigest()
