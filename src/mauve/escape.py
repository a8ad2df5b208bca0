"""Names that come from users, shown as they are and nothing more."""

from collections.abc import Sequence

_SHOWN = 8  # items that a message lists before it only counts


def escaped(text: str) -> str:
    r"""Return `text` with all that a terminal would act on or hide written out.

    Names and paths come from users: an escape sequence must not colour the table, a
    line break not forge a line, a change of direction not disguise a name.

    Examples
    --------
    >>> print(escaped("a\nb\x1b[31m\u202e"))
    a\nb\x1b[31m\u202e
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def listed(items: Sequence[object]) -> str:
    """Return items as a message shows them: the first few, and how many more.

    Examples
    --------
    >>> listed(["text", "prompt"])
    'text, prompt'
    >>> listed(range(100))
    '0, 1, 2, 3, 4, 5, 6, 7 and 92 more'
    """
    shown = ", ".join(escaped(str(item)) for item in items[:_SHOWN])
    return f"{shown} and {len(items) - _SHOWN} more" if len(items) > _SHOWN else shown
