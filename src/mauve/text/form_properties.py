r"""Properties of form: what a person would not call content, and an embedder sees all the same.

Of properties that tell samples apart equally well, the earlier one in :data:`FORM_PROPERTIES` is
named, so what is special stands before what it implies: a list has line breaks, and a curly quote
is no ASCII character.
"""

import re
import unicodedata
from collections.abc import Callable

import numpy as np

from mauve.text.emoji import has_emoji, without_emoji
from mauve.text.html_tags import has_html, without_html
from mauve.text.properties import TextProperty
from mauve.text.steps import SPACE_BEFORE_MARK
from mauve.text.view import TextView
from mauve.text.words import word_count

_BULLET = re.compile(r"^[^\S\n]*(?:[-*+•·‣◦▪–—]|\(?\d{1,3}[.)])[^\S\n]+\S", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} +\S", re.MULTILINE)
_EMPHASIS = re.compile(
    r"\*\*[^\s*][^*\n]*\*\*|__[^\s_][^_\n]*__|(?<![\w*])\*[^\s*](?:[^*\n]*[^\s*])?\*(?![\w*])"
)
_CODE_OR_LINK = re.compile(r"`[^`\n]+`|```|\[[^\]\n]+\]\([^)\n]+\)")
_QUOTE_OR_TABLE = re.compile(r"^(?:> ?\S|\|.*\|\s*$|-{3,}\s*$|\*{3,}\s*$)", re.MULTILINE)
# Not those of blank lines, which are counted by themselves.
_SINGLE_BREAK = re.compile(r"(?<=\S)[^\S\n]*\n(?=[^\S\n]*\S)")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_DOUBLE_SPACE = re.compile(r"\S[ \u00a0]{2,}\S")
_SPACE_AT_LINE_END = re.compile(r"[ \t\u00a0]\n")
_INDENT = re.compile(r"\n[ \t\u00a0]+\S")
_ODD_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\x0b\x0c]")
_CURLY = re.compile("[‘’‚‛“”„‟]")
_STRAIGHT = re.compile(r"[\"']")
_DASH = re.compile("[‐‑‒–—―−]")
_DOUBLE_HYPHEN = re.compile(r"(?<!-)--(?!-)")
_OTHER_TYPOGRAPHY = re.compile("[«»‹›′″´`¨ﬀ-ﬆ•·×¼½¾™®©°]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_NOT_COUNTED = re.compile(
    "[‘’‚‛“”„‟‐-―−…«»‹›′″´¨ﬀ-ﬆ•·×¼½¾™®©°\u00a0\u00ad\u2000-\u200f\u2028-\u202f\u205f-\u2064\ufeff]"
)
_THOUSANDS = re.compile(r"\b\d{1,3}(?:,\d{3})+\b")
# Closing quotes and brackets, or marks of emphasis, may follow the end of a sentence, and HTML
# and emoji, which are removed where nothing else ends it.
_ENDS_SENTENCE = re.compile(r"[.!?…。！？][\"'”’»)\]}*_`]*\s*\Z")


def _matches(pattern: re.Pattern[str]) -> Callable[[TextView], bool]:
    search = pattern.search
    return lambda view: search(view.text) is not None


def _contains(letter: str) -> Callable[[TextView], bool]:
    return lambda view: letter in view.text


def _has_line_breaks(view: TextView) -> bool:
    return "\n" in view.text.strip()


def _is_unusual_unicode(view: TextView) -> bool:
    text = view.text
    if text.isascii():
        return False
    return not unicodedata.is_normalized("NFC", text) or _INVISIBLE.search(text) is not None


def _has_other_letters(view: TextView) -> bool:
    text = view.text
    return not text.isascii() and not _NOT_COUNTED.sub("", without_emoji(text)).isascii()


def _ends_unfinished(view: TextView) -> bool:
    text = view.text
    if not text.strip() or _ENDS_SENTENCE.search(text):
        return False
    return _ENDS_SENTENCE.search(without_emoji(without_html(text))) is None


def _first_letter(view: TextView) -> str:
    return next((letter for letter in view.text if letter.isalpha()), "")


def _line_length(view: TextView) -> float:
    lines = [len(line) for line in view.text.strip().split("\n") if line.strip()]
    return float(np.median(lines)) if len(lines) > 1 else np.nan


def _capital_share(view: TextView) -> float:
    return 100 * view.n_capitals / view.n_letters if view.n_letters else np.nan


def _form(
    key: str,
    value: Callable[[TextView], float],
    more: str,
    step: str | None = None,
    verb: str = "have",
) -> TextProperty:
    # What no step removes may differ because of what texts are about.
    return TextProperty(key, value, more, verb=verb, step=step, is_form=step is not None)


#: What texts have or lack, and the step of normalisation that removes it.
FORM_SHARES: tuple[TextProperty, ...] = (
    _form("leading_space", lambda v: v.text[:1].isspace(), "white space", "ends", "start with"),
    _form("trailing_space", lambda v: v.text[-1:].isspace(), "white space", "ends", "end with"),
    _form("html", lambda v: has_html(v.text), "HTML tags or references", "markup"),
    _form("bullets", _matches(_BULLET), "bullets or numbered lists", "markup"),
    _form("headings", _matches(_HEADING), "Markdown headings", "markup"),
    _form("emphasis", _matches(_EMPHASIS), "Markdown bold or italics", "markup"),
    _form("code_links", _matches(_CODE_OR_LINK), "Markdown code or links", "markup"),
    _form("quotes_tables", _matches(_QUOTE_OR_TABLE), "Markdown quotes, tables or rules", "markup"),
    _form("blank_lines", _matches(_BLANK_LINE), "blank lines", "space"),
    _form("indented_lines", _matches(_INDENT), "indented lines", "space"),
    _form("space_at_line_end", _matches(_SPACE_AT_LINE_END), "spaces at ends of lines", "space"),
    _form("tabs", _contains("\t"), "tabs", "space"),
    _form("carriage_returns", _contains("\r"), "carriage returns", "space"),
    _form("line_breaks", _has_line_breaks, "line breaks", "space"),
    _form("double_spaces", _matches(_DOUBLE_SPACE), "double spaces", "space"),
    _form("spaces_before_marks", _matches(SPACE_BEFORE_MARK), "spaces before punctuation", "space"),
    _form("odd_spaces", _matches(_ODD_SPACE), "no-break or other special spaces", "space"),
    _form("curly_quotes", _matches(_CURLY), "curly quotes or apostrophes", "typography"),
    _form("ellipsis_character", _contains("…"), "the ellipsis character …", "typography"),
    _form("dash_characters", _matches(_DASH), "dash characters (– —)", "typography"),
    _form("double_hyphens", _matches(_DOUBLE_HYPHEN), "double hyphens (--)", "typography"),
    _form("other_typography", _matches(_OTHER_TYPOGRAPHY), "typographic symbols", "typography"),
    _form("emoji", lambda v: has_emoji(v.text), "emoji or symbols such as ★", "emoji"),
    _form("unicode_forms", _is_unusual_unicode, "decomposed or invisible characters", "unicode"),
    _form(
        "no_capitals",
        lambda v: v.n_letters > 0 and v.n_capitals == 0,
        "no capital letter",
        "case",
    ),
    _form(
        "all_capitals",
        lambda v: v.n_letters > 1 and v.n_capitals == v.n_letters,
        "capital letters alone",
        "case",
    ),
    _form(
        "starts_lower",
        lambda v: _first_letter(v).islower(),
        "a lower-case letter",
        "case",
        "start with",
    ),
    _form("unfinished", _ends_unfinished, "an unfinished sentence", "sentences", "end in"),
    _form("thousands", _matches(_THOUSANDS), "thousands separators (1,000)"),
    _form("digits", lambda v: v.n_numbers > 0, "numbers in digits"),
    _form("straight_quotes", _matches(_STRAIGHT), "straight quotes or apostrophes"),
    _form("non_ascii", _has_other_letters, "letters or signs beyond ASCII"),
)

_LENGTHS: tuple[TextProperty, ...] = (
    TextProperty(
        "words",
        lambda view: word_count(view.text),
        "longer texts",
        "shorter texts",
        "{} words",
        step="length",
        is_form=True,
        is_count=True,
    ),
    TextProperty(
        "sentences",
        lambda view: view.n_sentences,
        "more sentences per text",
        "fewer sentences per text",
        "{} sentences",
        step="length",
        is_form=True,
        is_count=True,
    ),
)


def _rate(key: str, pattern: re.Pattern[str], what: str, step: str) -> TextProperty:
    """Return how often texts have what many texts of both samples have at least once."""
    return TextProperty(
        key,
        lambda view: view.per_100_words(len(pattern.findall(view.text))),
        f"more {what}",
        f"fewer {what}",
        "{} per 100 words",
        step=step,
        is_form=True,
    )


_RATES: tuple[TextProperty, ...] = (
    _rate("bullet_rate", _BULLET, "bullets or numbered lists", "markup"),
    _rate("blank_line_rate", _BLANK_LINE, "blank lines", "space"),
    _rate("line_break_rate", _SINGLE_BREAK, "line breaks within paragraphs", "space"),
)

#: Numbers that are about form.
FORM_NUMBERS: tuple[TextProperty, ...] = (
    *_LENGTHS,
    *_RATES,
    TextProperty(
        "line_length",
        _line_length,
        "longer lines",
        "shorter lines",
        "{} characters per line",
        step="space",
        is_form=True,
    ),
    TextProperty(
        "capital_share",
        _capital_share,
        "more capital letters",
        "fewer capital letters",
        "{}% of letters are capitals",
        step="case",
        is_form=True,
    ),
)

#: Lengths stand first: texts that are cut to one length are also unfinished.
FORM_PROPERTIES: tuple[TextProperty, ...] = (
    *_LENGTHS,
    *FORM_SHARES,
    *(item for item in FORM_NUMBERS if item not in _LENGTHS),
)

#: Shares that may differ because of what texts are about.
CONTENT_KEYS = frozenset(item.key for item in FORM_SHARES if item.step is None)
