"""HTML and emoji of texts, found by the HTML parser of Python and by character."""

from html import unescape
from html.entities import html5
from html.parser import HTMLParser

_NAMES_OF_TAGS = """
    a abbr article b big blockquote body br button center cite code dd div dl dt em font
    footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input li link meta nav ol
    p pre script section small span strong style sub sup table tbody td th thead title tr tt
    u ul
"""
_NAMES = {*_NAMES_OF_TAGS.split()}

_SYMBOLS = {*map(chr, (0x231A, 0x231B, 0x2B1B, 0x2B1C, 0x2B50, 0x2B55))}
_SYMBOLS |= {*map(chr, (*range(0x23E9, 0x23FB), *range(0x2600, 0x27C0), *range(0x2B05, 0x2B08)))}
_JOINERS = {"\u200d", "\ufe0e", "\ufe0f"} | {*map(chr, range(0xE0020, 0xE0080))}


def without_emoji(text: str) -> str:
    """Return a text without emoji and symbols, character by character."""
    kept = ""
    is_joined = False
    for letter in text:
        is_emoji = letter in _SYMBOLS or 0x1F000 <= ord(letter) < 0x1FB00
        is_joined = is_emoji or (is_joined and letter in _JOINERS)
        if letter == "\u20e3":  # a keycap, around the digit before it
            kept = kept.removesuffix("\ufe0f")[:-1]
        elif not is_joined:
            kept += letter
    return kept


class Tags(HTMLParser):
    """Count the tags, comments and references of a text, and keep the rest."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.n, self.rest = 0, ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count a tag."""
        self._is_tag(tag in _NAMES and all(value is not None for _, value in attrs))

    def handle_endtag(self, tag: str) -> None:
        """Count a tag."""
        self._is_tag(tag in _NAMES)

    def _is_tag(self, known: bool) -> None:
        self.n += known
        self.rest += "" if known else "<"

    def handle_comment(self, data: str) -> None:
        """Count a comment."""
        self.n += 1

    def handle_charref(self, name: str) -> None:
        """Count a number of a character."""
        self.n += 1
        self.rest += unescape(f"&#{name};")

    def handle_entityref(self, name: str) -> None:
        """Count a name of a character."""
        self.n += f"{name};" in html5
        self.rest += unescape(f"&{name};")

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.rest += data
