"""Run the stages piece by piece in this process, and what an engine is."""

from collections.abc import Iterator
from typing import Any, Protocol

from mauve.engine.stages import Together


class Engine(Protocol):
    """What runs the stages of all samples on their pieces."""

    def run(self, together: Together) -> Iterator[tuple[int, Any]]:
        """Yield the number of each piece and what its stage returns, in any order."""


class LocalEngine:
    """Runs one piece after another; its texts and clusterings use all cores.

    Examples
    --------
    >>> [*LocalEngine().run(Together([abs], [(0, -3), (0, 5)]))]
    [(0, 3), (1, 5)]
    """

    def run(self, together: Together) -> Iterator[tuple[int, Any]]:
        """Yield the number of each piece and what its stage returns, in order."""
        for number in range(len(together.pieces)):
            yield number, together(number)
