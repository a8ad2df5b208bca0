"""Find the beginning that many texts of a sample share."""

from collections import Counter
from collections.abc import Sequence

_LONGEST = 12  # words of a beginning
_KEPT = 0.9  # share of the texts that must have the longer beginning too


def begins_with(text: str, beginning: str) -> bool:
    """Whether a text begins with some whole words; "Then" does not begin with "The".

    Examples
    --------
    >>> begins_with("Sure, here is one.", "Sure, here"), begins_with("Then it rained.", "The")
    (True, False)
    """
    words = beginning.split()
    return text.split(maxsplit=len(words))[: len(words)] == words


def common_beginning(texts: Sequence[str]) -> tuple[str, int]:
    """Return the most common beginning of texts in words, and how many texts have it.

    The most common first word is extended by the most common next word as long as nine tenths of
    the texts have it too.

    Examples
    --------
    >>> common_beginning(["Sure, here is one.", "Sure, here is another.", "No."])
    ('Sure, here is', 2)
    """
    words = [text.split(maxsplit=_LONGEST)[:_LONGEST] for text in texts]
    beginning: list[str] = []
    n = len(words)
    while words:
        place = len(beginning)
        nexts = Counter(row[place] for row in words if len(row) > place)
        if not nexts:
            break
        word, count = min(nexts.items(), key=lambda item: (-item[1], item[0]))
        if beginning and count < _KEPT * n:
            break
        beginning.append(word)
        n = count
        words = [row for row in words if len(row) > place and row[place] == word]
    return " ".join(beginning), n if beginning else 0
