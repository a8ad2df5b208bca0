"""How much memory work may take: sizes as people write them, and what there is."""

import os
import re

from mauve.errors import bad_parameter

_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kMGT]?)(i?)B?\s*$", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
LEAST_MEMORY = 256 << 20
_SHARE = 0.5  # of what is free


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
