"""Remove emoji from texts, and symbols such as stars and check marks."""

import re

# Clocks, players' buttons, stars, hearts, check marks, flags, faces, keycaps.
_SYMBOL = (
    "(?:[\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f000-\U0001faff]|[0-9#*]\ufe0f?\u20e3)"
)
_JOINED = "[\ufe0e\ufe0f\u200d\U000e0020-\U000e007f]*"  # variants, joiners, regions of flags

_EMOJI = re.compile(_SYMBOL)
_AT_LINE_START = re.compile(rf"^(?:{_SYMBOL}{_JOINED})+[^\S\n]+", re.MULTILINE)
# The white space before belongs to it; a run of it is tried from its beginning alone.
_ELSEWHERE = re.compile(rf"(?:(?<![^\S\n])[^\S\n]+)?{_SYMBOL}{_JOINED}")


def has_emoji(text: str) -> bool:
    """Whether a text has an emoji or a symbol such as ★ and ✓.

    Examples
    --------
    >>> has_emoji("Done 🎉"), has_emoji("10 % – #1 © é")
    (True, False)
    """
    return not text.isascii() and _EMOJI.search(text) is not None


def without_emoji(text: str) -> str:
    """Return a text without emoji and symbols such as ★ and ✓, and the space before each.

    Examples
    --------
    >>> without_emoji("✅ Done 🎉 well 👩‍🚀.")
    'Done well.'
    """
    if text.isascii():
        return text
    return _ELSEWHERE.sub("", _AT_LINE_START.sub("", text))
