"""Write and read shards: files that hold arrays and a marker of what they were made from."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mauve.archive import Archive
from mauve.calls import option
from mauve.errors import InvalidParameterError, MauveError, OutputError

#: What files of shards hold, and the version of their layout.
KIND, FORMAT = "shard", 1
_LONGEST = 120  # characters of a value in a message


@dataclass(frozen=True)
class Shard:
    """The file of one shard, and what it must have been made from.

    The file is written atomically and holds its own marker, so a shard that is there is whole.

    Attributes
    ----------
    path : Path
    marker : mapping from str to value of JSON
        Input, settings and version; a file with another marker is refused.
    """

    path: Path
    marker: Mapping[str, Any]

    def exists(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    def write(self, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
        """Write arrays, and facts about them."""
        parts = {"marker": dict(self.marker), "facts": dict(facts)}
        with shard_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            Archive(parts, dict(arrays)).write(self.path, KIND, FORMAT)

    def read(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the arrays and the facts, or raise an error that names the shard.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> import numpy as np
        >>> with TemporaryDirectory() as folder:
        ...     shard = Shard(Path(folder, "0.shard"), {"seed": 0})
        ...     shard.write({"labels": np.array([1, 2])}, {"n": 2})
        ...     arrays, facts = shard.read()
        >>> arrays["labels"].tolist(), facts
        ([1, 2], {'n': 2})
        """
        if not self.path.exists():
            raise InvalidParameterError(
                f"The shard '{self.path}' must be there. It is missing: run the same command "
                "again, which makes what is missing."
            )
        archive = read_shard(self.path)
        marker = archive.parts["marker"]
        if marker != json.loads(json.dumps(self.marker)):
            raise InvalidParameterError(self._difference(marker))
        return archive.arrays, archive.parts["facts"]

    def _difference(self, marker: Mapping[str, Any]) -> str:
        """Return the message that a shard was made from something else."""
        differing = [key for key in self.marker if marker.get(key) != self.marker[key]]
        said = f"The shard '{self.path}' was made "
        if "input" not in differing and {"bytes", "modified"} & {*differing}:
            said += f"from '{self.marker['input']}' before that file was changed"
        else:
            said += "with " + ", ".join(
                f"{key} {_short(marker.get(key))} and not {_short(self.marker[key])}"
                for key in differing
            )
        return f"{said}: name another folder, or remove this one."


def read_shard(path: Path) -> Archive:
    """Return what a shard holds, whatever it was made from, or raise an error that names it."""
    remedy = "remove it, and run the same command again"
    if path.is_file() and not path.stat().st_size:  # of a machine that lost its power
        raise InvalidParameterError(f"'{path}' must hold a shard. It is cut short: {remedy}.")
    return Archive.read(path, KIND, FORMAT, remedy)


class UnwrittenShardError(OutputError):
    """A shard cannot be written; :func:`shards_stay` adds what is kept, and what to do."""


@contextmanager
def shard_errors(path: Path) -> Iterator[None]:
    """Turn all errors of writing a shard into one that names it, such as those of a full disk.

    Examples
    --------
    >>> with shard_errors(Path("0.shard")):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    mauve.engine.shards.UnwrittenShardError: The shard '0.shard' cannot be written (No space left \
on device)
    """
    try:
        yield
    except (OSError, InvalidParameterError) as error:
        system = error.__cause__ if isinstance(error, MauveError) else error
        if not isinstance(system, OSError):
            raise
        reason = getattr(system, "strerror", None) or str(error)
        raise UnwrittenShardError(f"The shard '{path}' cannot be written ({reason})") from error


@contextmanager
def shards_stay(folder: Path, *, is_kept: bool = True) -> Iterator[None]:
    """Add to the error of a shard that cannot be written what is kept, and what to do.

    Parameters
    ----------
    folder : Path
        Of all shards.
    is_kept : bool
        Whether the folder stays.
    """
    try:
        yield
    except UnwrittenShardError as error:
        if not is_kept:
            raise OutputError(
                f"{error}: use {option('folder', 'DIR')} with a folder that has more space, where "
                "finished shards stay."
            ) from error
        n = sum(name.endswith(".shard") for _, _, names in os.walk(folder) for name in names)
        raise OutputError(
            f"{error}: make space, or make the folder writable, and run the same command again, "
            f"which reuses the {n} finished shard{'s' * (n != 1)} in '{folder}'."
        ) from error


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"...{text[-_LONGEST:]}"


def checksum(value: Any) -> str:
    """Return a short checksum of a value of JSON.

    Examples
    --------
    >>> checksum({"seed": 0}) == checksum({"seed": 0}), len(checksum([]))
    (True, 16)
    """
    encoded = json.dumps(value, sort_keys=True).encode()
    return hashlib.blake2b(encoded, digest_size=8).hexdigest()
