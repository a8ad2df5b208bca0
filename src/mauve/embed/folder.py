"""The identity of a model in a folder."""

import hashlib
import os
from pathlib import Path

_COUNTED = (".json", ".safetensors", ".bin", ".gguf", ".model", ".txt", ".py")


def folder_checksum(folder: Path) -> str | None:
    """Return a checksum of the model files of a folder, or None where there is no folder.

    Examples
    --------
    >>> folder_checksum(Path("no-such-folder")) is None
    True
    """
    if not folder.is_dir():
        return None
    digest = hashlib.blake2b(digest_size=8)
    found = (path for path in folder.rglob("*") if path.suffix in _COUNTED and path.is_file())
    for path in sorted(found):
        digest.update(os.fsencode(path.relative_to(folder)))
        with path.open("rb") as file:
            while chunk := file.read(1 << 24):
                digest.update(chunk)
    return digest.hexdigest()
