"""Select the clusters and texts of a page."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mauve.escape import escaped_letter, escaped_text
from mauve.explanation.findings import Cluster
from mauve.explanation.property_results import PropertyDifference
from mauve.explanation.results import SystemExplanation
from mauve.explanation.texts import TextShare
from mauve.plots.clusters import importance

MAX_CHARACTERS = 1500  # of a text on a page
SNIPPET = 150  # characters of a folded text
MAX_TEXTS = 200  # of all systems together
_MIN_CARDS, _MAX_CARDS, _TOTAL_CARDS = 4, 12, 36  # per system, and of all systems about
_MAX_LISTED = 20  # texts that are most machine-like, or least covered
_MAX_SHOWN = 4  # properties with texts
_ROUNDS = 2  # texts of each kind and sample of a cluster


@dataclass(frozen=True)
class Excerpt:
    """The beginning of a text, escaped.

    Attributes
    ----------
    text : str
        The beginning, or all of a short text.
    snippet : str
        Its first words on one line, after a beginning that both samples share.
    n_more : int
        Number of characters that are left out at the end.
    n_skipped : int
        Number of characters that are left out at the beginning.
    """

    text: str
    snippet: str
    n_more: int
    n_skipped: int = 0


def excerpt_of(text: str, max_characters: int = MAX_CHARACTERS, start: int = 0) -> Excerpt:
    r"""Return the beginning of a text for a page.

    Parameters
    ----------
    text : str
    max_characters : int
    start : int
        Where the text parts from those of the other samples. The snippet begins there, and so
        does the text if half of `max_characters` would be what the samples share.

    Examples
    --------
    >>> excerpt_of("One.\nTwo.", max_characters=5)
    Excerpt(text='One.\n', snippet='One.', n_more=4, n_skipped=0)
    >>> excerpt_of("Say two. Two.", start=9)
    Excerpt(text='Say two. Two.', snippet='… Two.', n_more=0, n_skipped=0)
    """
    n_skipped = start if start > max_characters // 2 else 0
    lines = text[n_skipped:].replace("\r\n", "\n")
    # An escape takes up to ten characters, so the limit is on the escaped text.
    pieces = [escaped_letter(letter) for letter in lines[:max_characters]]
    lengths = np.cumsum([len(piece) for piece in pieces])
    n_kept = int(np.searchsorted(lengths, max_characters, "right"))
    beginning = "".join(pieces[:n_kept])
    snippet = _snippet(escaped_text(text[start : start + max_characters])[:max_characters])
    if start:
        snippet = f"… {snippet}"
    return Excerpt(beginning, snippet, len(lines) - n_kept, n_skipped)


def _snippet(beginning: str) -> str:
    line = " ".join(beginning.split())
    if len(line) <= SNIPPET:
        return line
    words = line[:SNIPPET].rpartition(" ")[0]
    # A text without spaces, as in Chinese, is cut anywhere.
    return f"{words if len(words) > SNIPPET // 2 else line[:SNIPPET]}…"


@dataclass(frozen=True)
class Example:
    """A text on the page.

    Attributes
    ----------
    share : TextShare
    why : {"typical", "telling", ""}
        Why it was selected from its cluster.
    excerpt : Excerpt or None
        None if features were compared.
    """

    share: TextShare
    why: str
    excerpt: Excerpt | None


@dataclass(frozen=True)
class Card:
    """A cluster that differs, and some of its texts."""

    cluster: Cluster
    human: list[Example] = field(default_factory=list)
    model: list[Example] = field(default_factory=list)


@dataclass(frozen=True)
class PropertyView:
    """A property that differs, and a text of either sample that shows it."""

    difference: PropertyDifference
    human: Example | None
    model: Example | None


@dataclass(frozen=True)
class Selection:
    """The clusters and texts of one system on a page.

    Attributes
    ----------
    cards : list of Card
        Too much, too little, otherwise; by importance within each.
    n_more : int
        Number of clusters that differ and have no card.
    machine_like, uncovered : list of Example
    properties : list of PropertyView
        What differs in plain words; the first few have texts.
    """

    cards: list[Card]
    n_more: int
    machine_like: list[Example]
    uncovered: list[Example]
    properties: list[PropertyView] = field(default_factory=list)

    @property
    def has_negative(self) -> bool:
        """Whether a text is shown with a log-ratio below 0."""
        of_cards = (example for card in self.cards for example in card.human + card.model)
        examples = [*of_cards, *self.machine_like, *self.uncovered]
        return any(round(example.share.log_ratio, 3) < 0 for example in examples)

    @property
    def numbers(self) -> set[int]:
        """Numbers of the clusters that have a card."""
        return {card.cluster.number for card in self.cards}


def select(explained: SystemExplanation, n_systems: int) -> Selection:
    """Select clusters and texts of one of several systems.

    Parameters
    ----------
    explained : SystemExplanation
    n_systems : int
        Number of systems on the page.
    """
    flagged = [*explained.over, *explained.under, *explained.otherwise]
    n_cards = min(max(_TOTAL_CARDS // n_systems, _MIN_CARDS), _MAX_CARDS)
    important = sorted(flagged, key=importance, reverse=True)[:n_cards]
    cards = [Card(cluster) for cluster in flagged if cluster in important]
    n_texts = MAX_TEXTS // n_systems
    n_listed = min(_MAX_LISTED, max(n_texts // 5, int(n_texts > 1)))
    machine_like = _examples(explained.machine_like(n_listed), "")
    uncovered = _examples(explained.uncovered(n_listed), "")
    properties = _properties(explained, min(_MAX_SHOWN, n_texts // 10))
    n_used = len(machine_like) + len(uncovered) + 2 * sum(p.human is not None for p in properties)
    _fill(cards, explained.human_name, n_texts - n_used)
    return Selection(cards, len(flagged) - len(cards), machine_like, uncovered, properties)


def _properties(explained: SystemExplanation, n_shown: int) -> list[PropertyView]:
    """Return the properties that differ, the first `n_shown` with texts."""
    views = []
    differences = () if explained.properties is None else explained.properties.ranked
    for place, difference in enumerate(differences):
        human = model = None
        if place < n_shown:
            pair = explained.pair
            rows = difference.human_text, pair.n_human + difference.model_text
            human, model = _examples([pair.share_of(row) for row in rows], "")
        views.append(PropertyView(difference, human, model))
    return views


def _fill(cards: list[Card], human_name: str, n_texts: int) -> None:
    """Add texts to the cards in turn: first the kind that shows the fault, then the others."""
    for turn in range(_ROUNDS):
        for place in range(4):
            for card in cards:
                why, shares = _sources(card.cluster)[place]
                is_human = bool(shares) and shares[0].sample == human_name
                examples = card.human if is_human else card.model
                used = {example.share.index for example in examples}
                unused = [s for s in shares if s.text is not None and s.index not in used]
                if len(shares) <= turn or not unused:
                    continue
                if n_texts <= 0:
                    return
                examples.extend(_examples(unused[:1], why))
                n_texts -= 1


def _sources(cluster: Cluster) -> list[tuple[str, tuple[TextShare, ...]]]:
    """Return the texts of a cluster by kind, those of the sample with more texts first."""
    model = [("telling", cluster.telling_model), ("typical", cluster.typical_model)]
    human = [("typical", cluster.typical_human), ("telling", cluster.telling_human)]
    return human[::-1] + model[::-1] if cluster.kind == "under" else model + human


def _examples(shares: Sequence[TextShare], why: str) -> list[Example]:
    return [
        Example(
            share,
            why,
            None if share.text is None else excerpt_of(share.text, start=share.start),
        )
        for share in shares
    ]
