"""Cut texts to one line of the terminal."""

from rich.cells import cell_len, set_cell_size

from mauve.escape import escaped
from mauve.explanation.texts import TextShare
from mauve.measures.repetition import repeated_lengths
from mauve.measures.tokenizers import Words

_N_CHARACTERS = 2000  # of a text, at its beginning and end, that an excerpt is made of
_END_SHARE = 0.4  # of an excerpt, for the end of a text that ends in a loop


def excerpt_of(text: TextShare, width: int) -> str:
    """Return a text from where it parts from those of other samples, on one line.

    Examples
    --------
    >>> excerpt_of(TextShare("human", 0, 1, 0.1, 0.5, 1.0, "Go on: one and two", start=7), 40)
    '… one and two'
    """
    if text.text is None:
        return ""
    if not text.start:
        return excerpt(text.text, width)
    return f"… {excerpt(text.text[text.start :], width - 2)}"


def excerpt(text: str, width: int) -> str:
    r"""Return the beginning of a text on one line of `width` columns, at least 20.

    If the text ends in a loop, return its beginning and its end.

    Examples
    --------
    >>> print(excerpt("One\n  and \x1b[31m two", 40))
    One and \x1b[31m two
    >>> excerpt("One and two and three and four", 22)
    'One and two and three…'
    >>> excerpt("It was as ever " + "and round " * 9, 36)
    'It was as ever and round… and round'
    >>> excerpt(" \n", 40)
    '(nothing but white space)'
    """
    width = max(width, 20)
    inner = text.strip()
    if not inner:
        return "(nothing but white space)" if text else "(empty)"
    start = " ".join(inner[:_N_CHARACTERS].split())
    if len(inner) <= _N_CHARACTERS and cell_len(escaped(start)) <= width:
        return escaped(start)
    if not _ends_in_loop(inner):
        return cut(f"{start} …", width)
    end = escaped(" ".join(inner[-_N_CHARACTERS:].split()))[-width:]
    while cell_len(end) > _END_SHARE * width:
        end = end[1:]
    end = end.partition(" ")[2] or end  # not from the middle of a word
    return f"{cut(f'{start} …', width - cell_len(end) - 1)} {end}"


def _ends_in_loop(text: str) -> bool:
    (table,) = Words().tables([[text[-_N_CHARACTERS:]]])
    return bool(repeated_lengths(table)[0])


def cut(text: str, width: int, *, pad: bool = False) -> str:
    """Return text of at most `width` columns, or of exactly `width` if padded.

    Examples
    --------
    >>> cut("one and two", 8), cut("one", 5, pad=True)
    ('one and…', 'one  ')
    """
    line = escaped(text)
    if cell_len(line) > width:
        line = set_cell_size(line, width - 1).rstrip() + "…"
    return set_cell_size(line, width) if pad else line
