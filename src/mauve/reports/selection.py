"""Which clusters and texts a page has room for."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mauve.explanation.findings import Cluster
from mauve.explanation.results import SystemExplanation
from mauve.explanation.texts import TextShare
from mauve.plots.clusters import importance

LONGEST = 1500  # characters of a text that a page shows
SNIPPET = 150  # characters of a text that is folded

# Line breaks and tabs lay a text out; the two joiners shape Persian, Hindi and emoji.
_KEPT = frozenset("\n\t\u200c\u200d")


@dataclass(frozen=True)
class Shown:
    """A text as a page shows it.

    Attributes
    ----------
    text : str
        Its beginning, all of it where it is short.
    snippet : str
        Its first words on one line.
    n_more : int
        How many characters of the text are left out.
    """

    text: str
    snippet: str
    n_more: int


def visible(text: str) -> str:
    r"""Return `text` with all that a page would act on or hide written out.

    Control characters, changes of direction, lone surrogates and code points that mean
    nothing are written as escapes, so that what is returned can always be encoded and no
    text changes how its neighbours look. Line breaks, tabs, joiners and spaces of any width
    stay.

    Examples
    --------
    >>> print(visible("a\r\nb\x1b[31m\u202e \ud800\x00"))
    a
    b\x1b[31m\u202e \ud800\x00
    """
    return "".join(map(_written, text.replace("\r\n", "\n")))


def _written(letter: str) -> str:
    return letter if _is_plain(letter) else letter.encode("unicode_escape").decode()


def _is_plain(letter: str) -> bool:
    # Not escaped and still plain: spaces that are wider or narrower than the usual one.
    return letter.isprintable() or letter in _KEPT or unicodedata.category(letter) == "Zs"


def shown(text: str, longest: int = LONGEST) -> Shown:
    r"""Return what a page shows of a text.

    Examples
    --------
    >>> shown("One.\nTwo.", longest=5)
    Shown(text='One.\n', snippet='One.', n_more=4)
    """
    lines = text.replace("\r\n", "\n")
    # What is written out takes up to ten characters for one, so count what is shown.
    pieces = [_written(letter) for letter in lines[:longest]]
    n_kept = int(np.searchsorted(np.cumsum([len(piece) for piece in pieces]), longest, "right"))
    start = "".join(pieces[:n_kept])
    return Shown(start, _snippet(start), len(lines) - n_kept)


def _snippet(start: str) -> str:
    line = " ".join(start.split())
    if len(line) <= SNIPPET:
        return line
    words = line[:SNIPPET].rpartition(" ")[0]
    # A text without spaces, as in Chinese, is cut anywhere.
    return f"{words if len(words) > SNIPPET // 2 else line[:SNIPPET]}…"


MOST_TEXTS = 200  # of all systems together
_CARDS = (4, 12, 36)  # of a system at least and at most, and of all systems about
_LONGEST_LIST = 20  # texts that are most machine-like, or least covered
_ROUNDS = 2  # texts of each kind and side of a cluster


@dataclass(frozen=True)
class Example:
    """A text on the page.

    Attributes
    ----------
    share : TextShare
    why : {"typical", "telling", ""}
        Why it was chosen from its cluster.
    shown : Shown or None
        None where features were given.
    """

    share: TextShare
    why: str
    shown: Shown | None


@dataclass(frozen=True)
class Card:
    """A cluster that differs, and some of its texts."""

    cluster: Cluster
    human: list[Example] = field(default_factory=list)
    model: list[Example] = field(default_factory=list)


@dataclass(frozen=True)
class Selection:
    """What a page shows of one system.

    Attributes
    ----------
    cards : list of Card
        Too much, too little, otherwise; by importance within each.
    n_more : int
        Clusters that differ and have no card.
    machine_like, uncovered : list of Example
    """

    cards: list[Card]
    n_more: int
    machine_like: list[Example]
    uncovered: list[Example]

    @property
    def numbers(self) -> set[int]:
        """Numbers of the clusters that have a card."""
        return {card.cluster.number for card in self.cards}


def select(explained: SystemExplanation, n_systems: int) -> Selection:
    """Choose clusters and texts of one of several systems.

    Parameters
    ----------
    explained : SystemExplanation
    n_systems : int
        How many share the page.
    """
    flagged = [*explained.over, *explained.under, *explained.otherwise]
    n_cards = min(max(_CARDS[2] // n_systems, _CARDS[0]), _CARDS[1])
    important = sorted(flagged, key=importance, reverse=True)[:n_cards]
    cards = [Card(cluster) for cluster in flagged if cluster in important]
    n_texts = MOST_TEXTS // n_systems
    n_listed = min(_LONGEST_LIST, max(n_texts // 5, int(n_texts > 1)))
    machine_like = _examples(explained.machine_like(n_listed), "")
    uncovered = _examples(explained.uncovered(n_listed), "")
    _fill(cards, explained.human_name, n_texts - len(machine_like) - len(uncovered))
    return Selection(cards, len(flagged) - len(cards), machine_like, uncovered)


def _fill(cards: list[Card], human_name: str, n_texts: int) -> None:
    """Deal texts to clusters: first one of each that shows its fault, then the others."""
    for turn in range(_ROUNDS):
        for place in range(4):
            for card in cards:
                why, shares = _sources(card.cluster)[place]
                side = card.human if shares[:1] and shares[0].sample == human_name else card.model
                known = {example.share.index for example in side}
                fresh = [s for s in shares if s.text is not None and s.index not in known]
                if len(shares) <= turn or not fresh:
                    continue
                if n_texts <= 0:
                    return
                side.extend(_examples(fresh[:1], why))
                n_texts -= 1


def _sources(cluster: Cluster) -> list[tuple[str, tuple[TextShare, ...]]]:
    """Return texts of a cluster by why they matter, those of the side that has more first."""
    model = [("telling", cluster.telling_model), ("typical", cluster.typical_model)]
    human = [("typical", cluster.typical_human), ("telling", cluster.telling_human)]
    return human[::-1] + model[::-1] if cluster.kind == "under" else model + human


def _examples(shares: Sequence[TextShare], why: str) -> list[Example]:
    return [
        Example(share, why, None if share.text is None else shown(share.text)) for share in shares
    ]
