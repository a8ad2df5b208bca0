"""How much memory work may take: sizes as people write them, and what there is."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from mauve.embed.feature_files import read_features
from mauve.errors import bad_parameter
from mauve.text.files import COMPRESSIONS, is_stream, text_kind

_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kMGT]?)(i?)B?\s*$", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
LEAST_MEMORY = 256 << 20
_SHARE = 0.5  # of what is free
_LABELS = 80 * (4 + 1)  # of a text: its bucket, and whether it is counted, in all clusterings
_TEXT_BYTES, _TEXT_FEATURES, _PACKED = 500, 400, 3


def parse_memory(memory: int | str | None) -> int:
    """Return a number of bytes; half of the memory that is free for None.

    Parameters
    ----------
    memory : int, str or None
        Bytes, or a size such as ``"2GB"`` or ``"512 MiB"``.

    Examples
    --------
    >>> parse_memory("2GB"), parse_memory("512 MiB")
    (2000000000, 536870912)
    """
    if memory is None:
        return max(LEAST_MEMORY, int(available_memory() * _SHARE))
    rule = "a size of at least 256 MiB, such as '2GB'"
    if isinstance(memory, bool) or not isinstance(memory, int | str):
        raise bad_parameter("memory", rule, memory)
    n_bytes = memory
    if isinstance(memory, str):
        match = _SIZE.match(memory)
        if match is None:
            raise bad_parameter("memory", rule, memory)
        base = 1024 if match[3] else 1000
        n_bytes = int(float(match[1]) * base ** _POWERS[match[2].lower()])
    assert isinstance(n_bytes, int)
    if n_bytes < LEAST_MEMORY:
        raise bad_parameter("memory", rule, memory)
    return n_bytes


def needed_memory(paths: Sequence[str | Path]) -> int:
    """Return how many bytes a comparison of files in memory takes, roughly.

    Features are held twice as 32-bit numbers, beside the buckets of every text in 80 clusterings;
    texts are taken to have 500 bytes and 400 features.

    Examples
    --------
    >>> needed_memory([])
    0
    """
    needed = 0
    for path in paths:
        name = str(path).lower()
        if is_stream(path) or not os.path.isfile(path):
            continue
        size = os.path.getsize(path)
        is_packed = name.endswith((*COMPRESSIONS, ".parquet"))
        if name.endswith(".npy"):
            array, _ = read_features(Path(path))  # mapped, so that this reads the header alone
            needed += 2 * 4 * array.size + _LABELS * (len(array) if array.ndim else 1)
        elif text_kind(path) is None:
            needed += 3 * size
        else:
            n_texts = size * (_PACKED if is_packed else 1) // _TEXT_BYTES
            needed += n_texts * (2 * _TEXT_BYTES + 2 * 4 * _TEXT_FEATURES + _LABELS)
    return needed


def available_memory() -> int:
    """Return how many bytes of memory are free on this machine, as far as it is known.

    Examples
    --------
    >>> available_memory() > 0
    True
    """
    try:
        pages = os.sysconf("SC_AVPHYS_PAGES")
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 4 << 30
