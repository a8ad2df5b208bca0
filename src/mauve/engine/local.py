"""Run the stages piece by piece in this process, and what an engine is."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol


class Engine(Protocol):
    """What runs a stage on the pieces of a sample."""

    def run(self, stage: Callable[[int], Any], pieces: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """Yield the number of each piece and what the stage returns for it, in any order."""


class LocalEngine:
    """Runs one piece after another; its texts and clusterings use all cores.

    Examples
    --------
    >>> [*LocalEngine().run(lambda piece: piece * 10, [1, 2])]
    [(1, 10), (2, 20)]
    """

    def run(self, stage: Callable[[int], Any], pieces: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """Yield the number of each piece and what the stage returns for it, in order."""
        for piece in pieces:
            yield piece, stage(piece)
