"""Cut the unfinished last sentence of a text."""

import re

_CLOSING = "\"'”’»›)\\]}*_"
# What ends a sentence, with quotes and brackets that close after it. The marks of Chinese and
# Japanese need no space behind them.
_END = re.compile(rf"(?:[.!?…‽؟।]+[{_CLOSING}]*(?=\s|\Z)|[。！？｡]+[{_CLOSING}」』）]*)")
_BEFORE_DOT = re.compile(r"(?:\w|\.)+\Z")

#: Words with a dot that hardly ever ends a sentence.
_ABBREVIATIONS = frozenset(
    {
        "mr", "mrs", "ms", "dr", "prof", "st", "mt", "rev", "hon", "gen", "col", "capt", "lt",
        "sgt", "gov", "sen", "rep", "fr", "vs", "cf", "al", "fig", "figs", "no",
        "nos", "vol", "pp", "eq", "approx", "ca", "jan", "feb", "apr", "aug", "sept", "oct",
        "nov", "dec",
    }
)  # fmt: skip


def without_unfinished_sentence(text: str) -> str:
    r"""Return a text up to the end of its last whole sentence.

    Parameters
    ----------
    text : str
        One without the end of any sentence is returned as it is, and so is one with nothing but
        white space after its last sentence.

    Notes
    -----
    A sentence ends with ``.``, ``!``, ``?`` or an ellipsis before white space, or with the marks
    of Chinese and Japanese, and with the quotes and brackets after them. The dot of initials
    or of a common abbreviation such as "Mr." ends none, nor does that of a number of a list.

    Examples
    --------
    >>> without_unfinished_sentence('It rained. "Come in!" said Mr. Brown, and clo')
    'It rained. "Come in!"'
    >>> without_unfinished_sentence("no end in sight"), without_unfinished_sentence("Done. \n")
    ('no end in sight', 'Done. \n')
    """
    for end in reversed([*_END.finditer(text)]):
        if not text[end.end() :].strip():
            if _ends_sentence(text, end):
                return text
        elif _ends_sentence(text, end):
            return text[: end.end()]
    return text


def _ends_sentence(text: str, end: re.Match[str]) -> bool:
    """Whether a mark ends a sentence; the dot of an abbreviation does not."""
    if end[0] != ".":
        return True
    word = _BEFORE_DOT.search(text, max(0, end.start() - 20), end.start())
    if word is None:
        return True
    before = word[0].strip(".").casefold()
    letters = before.split(".")  # one for an initial, two for U.S. and e.g.
    is_initial = all(len(part) == 1 and part.isalpha() for part in letters) and before != "i"
    is_list_number = before.isdigit() and not text[: word.start()].rpartition("\n")[2].strip()
    return not (is_initial or is_list_number or before in _ABBREVIATIONS)
