"""The identity of a model in a folder."""

import hashlib
import os
from pathlib import Path

#: In the signature of an embedder whose model may change without notice.
UNKNOWN = "unknown"

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


def model_identity(model: str, commit: str | None) -> str:
    """Return a name that no other model has: with the checksum of a folder, or the commit.

    A model of the hub whose commit is not known is called so; its features are not cached.

    Examples
    --------
    >>> model_identity("gpt2-large", "32b71b12589c2f8d625668d2335a01cac3249519")
    'gpt2-large@32b71b12'
    >>> model_identity("org/name", None)
    'org/name@unknown'
    """
    checksum = folder_checksum(Path(model))
    if checksum is not None:
        return f"{Path(model).name}@{checksum[:8]}"
    return f"{model}@{commit[:8] if commit else UNKNOWN}"
