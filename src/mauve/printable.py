"""Names that come from users, shown as they are and nothing more."""


def printable(text: str) -> str:
    r"""Return `text` with all that a terminal would act on or hide written out.

    Names and paths come from users: an escape sequence must not colour the table, a
    line break not forge a line, a change of direction not disguise a name.

    Examples
    --------
    >>> print(printable("a\nb\x1b[31m\u202e"))
    a\nb\x1b[31m\u202e
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
