"""Write and read shards: files that hold arrays and a marker of what they were made from."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mauve.archive import Archive
from mauve.errors import InvalidParameterError, OutputError

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
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"'{self.path.parent}' cannot be made ({error.strerror}): name a folder that you "
                "may write to."
            ) from error
        parts = {"marker": dict(self.marker), "facts": dict(facts)}
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
        archive = Archive.read(self.path, KIND, FORMAT)
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
