"""One colour for people and one for each system, the same in every picture."""

from collections.abc import Iterable
from dataclasses import dataclass

#: Name of a colour: what it is on white, and on the report's dark ground. Told apart by people
#: who lack any one kind of cone, and at a contrast of 3 to 1 and better to the ground; tests
#: check both.
PALETTE = {
    "paper": ("#ffffff", "#1b181f"),
    "ink": ("#1d1a22", "#eeebf2"),
    "soft": ("#4d4756", "#c0b9cb"),
    "rule": ("#dbd7e2", "#3d3846"),
    "human": ("#0b6bb3", "#4fa9f2"),
    "system-1": ("#e0650f", "#f08a48"),
    "system-2": ("#64288f", "#9a5fe6"),
    "system-3": ("#1f9c86", "#72dfc0"),
    "system-4": ("#b81d5c", "#d63e74"),
    "system-5": ("#6b3a06", "#f3e06a"),
    "system-6": ("#9a7cf2", "#d8c4ff"),
}

PAPER, INK, SOFT, RULE, HUMAN = (
    PALETTE[name][0] for name in ("paper", "ink", "soft", "rule", "human")
)

_SYSTEMS = tuple(name for name in PALETTE if name.startswith("system-"))
# As many as do not divide the number of colours, so that pairs of them repeat late.
_MARKERS = ("o", "s", "^", "D", "v")
_DASHES: tuple[str, ...] = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Style:
    """How a system is drawn.

    Attributes
    ----------
    role : str
        The name of its colour.
    marker, dashes : str
        Of points and lines, so that colour is not all that tells systems apart.
    """

    role: str
    marker: str
    dashes: str

    @property
    def colour(self) -> str:
        """What the colour is on white."""
        return PALETTE[self.role][0]


def styles(systems: Iterable[str]) -> dict[str, Style]:
    """Return a style for each system, by its place.

    Examples
    --------
    >>> found = styles(["greedy", "nucleus"])
    >>> found["greedy"].role, found["nucleus"].role
    ('system-1', 'system-2')
    """
    return {
        name: Style(
            _SYSTEMS[i % len(_SYSTEMS)],
            _MARKERS[i % len(_MARKERS)],
            _DASHES[i // len(_SYSTEMS) % len(_DASHES)],
        )
        for i, name in enumerate(systems)
    }
