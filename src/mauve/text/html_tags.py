"""Remove HTML from texts: tags, comments and character references."""

import html
import re

_BLOCKS = "address|article|aside|blockquote|body|br|dd|div|dl|dt|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|li|main|nav|ol|p|pre|section|table|tbody|td|tfoot|th|thead|title|tr|ul"  # noqa: E501
# Without <s>, which is how many tokenizers write the beginning and end of a text.
_INLINE = "a|abbr|b|big|button|cite|code|del|em|font|i|iframe|img|input|ins|kbd|label|link|mark|meta|option|q|script|select|small|span|strike|strong|style|sub|sup|svg|tt|u|var|video"  # noqa: E501
# Attributes have values here: "a<b and c>d" is no tag.
_REST = r"(?:\s+[a-z][\w:-]*\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+))*\s*/?>"
_COMMENT = r"<!--(?:(?!<!--|-->).)*-->|<!doctype\b[^<>]*>"
_REFERENCE = (
    r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos|nbsp|copy|reg|trade|hellip|[mn]dash"
    r"|[lr][sd]quo|[lr]aquo|bull|middot|euro|pound|[aeiou](?:acute|grave|circ|uml)|[cs]cedil"
    r"|[an]tilde|szlig);"
)
_FLAGS = re.IGNORECASE | re.DOTALL
_BLOCK = re.compile(rf"</?(?:{_BLOCKS})\b{_REST}", _FLAGS)
_OTHER = re.compile(rf"</?(?:{_INLINE})\b{_REST}|{_COMMENT}", _FLAGS)
_REFERENCES = re.compile(_REFERENCE, _FLAGS)


def has_html(text: str) -> bool:
    """Whether a text has a tag, comment or character reference of HTML.

    Examples
    --------
    >>> has_html("one<br>two"), has_html("you &amp; me"), has_html("a<b and c>d & e")
    (True, True, False)
    """
    is_marked = "<" in text and (_BLOCK.search(text) or _OTHER.search(text))
    return bool(is_marked or ("&" in text and _REFERENCES.search(text)))


def without_html(text: str) -> str:
    r"""Return a text without HTML; what it marks stays.

    Parameters
    ----------
    text : str

    Notes
    -----
    Tags that begin a line of their own in a browser, such as ``<p>`` and ``<br>``, become line
    breaks, others are removed with comments; ``&amp;`` and other references become what they
    stand for. Only names of HTML are tags, so "<sic>" stays.

    Examples
    --------
    >>> without_html('<b>Me</b> &amp; <a href="http://a.org">you</a>')
    'Me & you'
    >>> without_html("one<br/>two, <sic>")
    'one\ntwo, <sic>'
    """
    if "<" in text:
        text = _OTHER.sub("", _BLOCK.sub("\n", text))
    if "&" in text:
        text = _REFERENCES.sub(lambda reference: html.unescape(reference[0]), text)
    return text
