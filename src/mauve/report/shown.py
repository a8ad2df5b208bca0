"""Texts that come from anywhere, shown as they are and nothing more."""

import unicodedata
from dataclasses import dataclass

import numpy as np

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
    # Not printable and still plain: spaces that are wider or narrower than the usual one.
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
