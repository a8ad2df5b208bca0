"""Escape untrusted text so that it cannot change how a terminal or a page looks."""

import unicodedata
from collections.abc import Sequence

_LISTED = 8  # items of a list in a message
_NAME_LENGTH = 40  # characters; what is longer is a text, and would hide the message
# Line breaks and tabs lay a text out; the two joiners shape Persian, Hindi and emoji.
_LAYOUT = frozenset("\n\t\u200c\u200d")


def escaped(text: str) -> str:
    r"""Return `text` on one line, with escapes for all characters that do not print.

    Names and paths come from users: a terminal escape sequence must not colour a table, a line
    break must not forge a line, a change of direction must not disguise a name.

    Examples
    --------
    >>> print(escaped("a\nb\x1b[31m\u202e"))
    a\nb\x1b[31m\u202e
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def listed(items: Sequence[object]) -> str:
    """Return the first items of a list, and the number of the others.

    Examples
    --------
    >>> listed(["text", "prompt"])
    'text, prompt'
    >>> listed(range(100))
    '0, 1, 2, 3, 4, 5, 6, 7 and 92 more'
    """
    first = ", ".join(escaped(str(item)) for item in items[:_LISTED])
    return f"{first} and {len(items) - _LISTED} more" if len(items) > _LISTED else first


def shortened(name: str) -> str:
    """Return a name, or the beginning of one that is longer than a name is.

    Examples
    --------
    >>> shortened("text"), shortened("a text that stands where a name should be")
    ('text', 'a text that stands where a name should b...')
    """
    return name if len(name) <= _NAME_LENGTH else f"{name[:_NAME_LENGTH]}..."


def listed_as(noun: str, items: Sequence[object]) -> str:
    """Return the items of a list after their noun, in the plural if there are several.

    Examples
    --------
    >>> listed_as("position", [7]), listed_as("line", [2, 4])
    ('position 7', 'lines 2, 4')
    """
    return f"{noun}{'s' * (len(items) != 1)} {listed(items)}"


def escaped_text(text: str) -> str:
    r"""Return `text` of any number of lines, with escapes for what would not be visible.

    Control characters, changes of direction, lone surrogates and unassigned code points are
    escaped, so that the result can be encoded and does not change how its surroundings look.
    Line breaks, tabs, joiners and spaces of any width stay.

    Examples
    --------
    >>> print(escaped_text("a\r\nb\x1b[31m\u202e \ud800\x00"))
    a
    b\x1b[31m\u202e \ud800\x00
    """
    return "".join(map(escaped_letter, text.replace("\r\n", "\n")))


def escaped_letter(letter: str) -> str:
    r"""Return one character of a text, escaped if it would not be visible.

    Examples
    --------
    >>> escaped_letter("a"), escaped_letter("\x1b")
    ('a', '\\x1b')
    """
    # Spaces that are wider or narrower than the usual one are harmless and not "printable".
    is_visible = letter.isprintable() or letter in _LAYOUT or unicodedata.category(letter) == "Zs"
    return letter if is_visible else letter.encode("unicode_escape").decode()
