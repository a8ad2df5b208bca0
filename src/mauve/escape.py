"""Escape untrusted text, such as names and paths, for messages and tables."""

from collections.abc import Sequence

_MAX_ITEMS = 8  # that a message lists; the others are counted


def escaped(text: str) -> str:
    r"""Return `text` with all unprintable characters replaced by escape sequences.

    Names and paths come from users. A control sequence must not colour a table, a line break
    must not forge a line, and a change of direction must not disguise a name.

    Examples
    --------
    >>> print(escaped("a\nb\x1b[31m\u202e"))
    a\nb\x1b[31m\u202e
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def listed(items: Sequence[object]) -> str:
    """Return the first eight items, escaped, and the number of the others.

    Examples
    --------
    >>> listed(["text", "prompt"])
    'text, prompt'
    >>> listed(range(100))
    '0, 1, 2, 3, 4, 5, 6, 7 and 92 more'
    """
    first = ", ".join(escaped(str(item)) for item in items[:_MAX_ITEMS])
    return f"{first} and {len(items) - _MAX_ITEMS} more" if len(items) > _MAX_ITEMS else first
