"""Remove HTML, and Markdown marks: bullets, headings, emphasis, code, links, quotes, tables."""

import re
from re import Pattern

from mauve.text.html_tags import without_html

_LINE = r"^[^\S\n]*"  # the white space at the beginning of a line

# Lines that are nothing but marks are removed with their line end.
_EMPTY_LINES = re.compile(
    rf"{_LINE}(?:"
    r"(?:```|~~~)[^`\n]*"  # a fence, with the name of a language
    r"|(?:-[^\S\n]*){3,}|(?:\*[^\S\n]*){3,}|(?:_[^\S\n]*){3,}|={3,}[^\S\n]*"  # a rule
    r"|\|(?:[^\S\n]*:?-+:?[^\S\n]*\|)+[^\S\n]*"  # below the titles of a table
    r")(?:\n|\Z)",
    re.MULTILINE,
)
_TABLE_ROW = re.compile(rf"{_LINE}\|(.*)\|[^\S\n]*$", re.MULTILINE)
_CELL_END = re.compile(r"[^\S\n]*\|[^\S\n]*")

#: Marks and what takes their place, in the order of their use.
_MARKS: list[tuple[Pattern[str], str]] = [
    (re.compile(rf"{_LINE}(?:>[^\S\n]?)+", re.MULTILINE), ""),
    (re.compile(rf"{_LINE}#{{1,6}}[^\S\n]+(.*?)(?:[^\S\n]+#+)?[^\S\n]*$", re.MULTILINE), r"\1"),
    # A dash, a star or a number is a bullet only with white space after it.
    (re.compile(rf"{_LINE}(?:[-*+–•‣⁃◦▪●○·]|\d{{1,3}}[.)])[^\S\n]+", re.MULTILINE), ""),
    (re.compile(rf"{_LINE}[•‣⁃◦▪●○]", re.MULTILINE), ""),
    (re.compile(rf"{_LINE}\[[ xX]\][^\S\n]+", re.MULTILINE), ""),
    (re.compile(r"!?\[([^\[\]\n]+)\]\([^()\s]*(?:[^\S\n]+\"[^\"\n]*\")?\)"), r"\1"),
    (re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]+)(?<!`)\1(?!`)"), r"\2"),
    (re.compile(r"(\*{2,3})(?=[^\s*])([^\n]+?)(?<=[^\s*])\1"), r"\2"),
    (re.compile(r"(?<![\w_])(_{2,3})(?=[^\s_])([^\n]+?)(?<=[^\s_])\1(?![\w_])"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+)(?<=[^\s*])\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]+)(?<=[^\s_])_(?![\w_])"), r"\1"),
    (re.compile(r"~~(?=[^\s~])([^\n]+?)(?<=[^\s~])~~"), r"\1"),
    (re.compile(r"(?<!\S)\*\*(?=\w)"), ""),  # where the text ends before the second one
]


def without_markup(text: str) -> str:
    r"""Return a text without the marks of HTML and Markdown; what they mark stays.

    Parameters
    ----------
    text : str

    Notes
    -----
    Removed are HTML (:func:`mauve.text.html_tags.without_html`), bullets and the numbers of
    lists at the beginning of lines, the # of headings, > of quotes, stars and underscores
    around words, backticks, the address of a link, the bars of tables, and lines that are
    nothing but a rule or a fence. Stars within a word or with white space on both sides are
    multiplication, and stay.

    Examples
    --------
    >>> print(without_markup("## Plan\n\n- **First** the [dough](http://a.org)\n2. then `bake`"))
    Plan
    <BLANKLINE>
    First the dough
    then bake
    >>> without_markup("2 * 3 * 4 and snake_case_name - fine")
    '2 * 3 * 4 and snake_case_name - fine'
    """
    text = _EMPTY_LINES.sub("", without_html(text))
    if "|" in text:
        text = _TABLE_ROW.sub(lambda row: _CELL_END.sub(" ", row[1]).strip(), text)
    for pattern, kept in _MARKS:
        text = pattern.sub(kept, text)
    return text
