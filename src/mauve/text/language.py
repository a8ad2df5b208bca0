"""Recognise the script and the language of a text by its letters and its function words.

This needs no model and no download. It is enough to see that two samples are not in the same
language, but it knows ten languages only.
"""

from collections.abc import Mapping

import numpy as np

_N_CHARACTERS = 2000  # at the start of a text, from which script and language are recognised

# First and last character of the blocks that hold a script's letters. Scripts with few texts
# online are left out.
_BLOCKS = {
    "Latin": [(0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x1E00, 0x1EFF), (0xFF21, 0xFF5A)],
    "Greek": [(0x370, 0x3FF), (0x1F00, 0x1FFF)],
    "Cyrillic": [(0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)],
    "Armenian": [(0x530, 0x58F)],
    "Hebrew": [(0x590, 0x5FF)],
    "Arabic": [(0x600, 0x6FF), (0x750, 0x77F), (0x8A0, 0x8FF), (0xFB50, 0xFEFC)],
    "Devanagari": [(0x900, 0x97F)],
    "Bengali": [(0x980, 0x9FF)],
    "Tamil": [(0xB80, 0xBFF)],
    "Telugu": [(0xC00, 0xC7F)],
    "Thai": [(0xE00, 0xE7F)],
    "Georgian": [(0x10A0, 0x10FF)],
    "Ethiopic": [(0x1200, 0x139F)],
    "Khmer": [(0x1780, 0x17FF)],
    "Hangul": [(0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7AF)],
    "Kana": [(0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)],
    "Han": [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)],
}
_NAMES = ("", *_BLOCKS)

# Japanese is written in Kana and Han, Chinese in Han alone: a tenth of Kana decides.
_WEIGHTS = np.array([10 if name == "Kana" else int(name != "") for name in _NAMES])


def _table() -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    table = np.zeros(0x110000, dtype=np.uint8)
    for number, name in enumerate(_NAMES):
        for first, last in _BLOCKS.get(name, []):
            table[first : last + 1] = number
    table[[0xD7, 0xF7]] = 0  # × and ÷ stand among the letters
    return table


_SCRIPT_OF_CHARACTER = _table()

# The commonest function words of each language that are in none of the other lists, so
# that every word belongs to one language only.
FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "English": "the and that with for this are have from which they not would there were "
        "his you but been their she what",
        "German": "der und nicht ist mit sich auf für ein eine dem von auch aus wird bei nach "
        "sind oder einen werden zum",
        "French": "les est une dans pour pas avec ce sont aux cette être nous vous elle leur "
        "ont fait était même où comme",
        "Spanish": "el los las y más pero sus muy también hay fue había cuando donde hasta esto "
        "eran años otros ella",
        "Italian": "di che è gli della sono nel alla anche questo delle dei più dalla perché "
        "nella degli loro stato ho",
        "Portuguese": "não uma com os em ao são pelo pela seu muito foi também você isso ele "
        "ela mas já nos",
        "Dutch": "het een van dat niet zijn op voor ook naar aan deze maar wordt bij uit heeft "
        "nog geen hun",
        "Swedish": "och att det som på är av för inte till ett jag hade från eller också när "
        "mycket vid skulle",
        "Polish": "nie się jest że jak przez od są był która oraz tym dla jego może już który "
        "tylko po być",
        "Turkish": "ve bir bu için ile olarak çok daha gibi ama kadar olan sonra değil olduğu "
        "ise şey ben onun ne",
    }.items()
}

#: The language of a text that has enough words and the function words of no list.
ANOTHER = "another language or none"

# Different words that a text of another language must have: lists, code and texts that repeat
# themselves have few function words too. 1% of 1,000 English web texts pass nevertheless.
_ENOUGH_WORDS = 40


def script_of(text: str) -> str:
    """Return the script of most letters at a text's start, or "" if it has no known letters.

    Examples
    --------
    >>> script_of("A text, 2 words."), script_of("Привет, GPT!"), script_of("42")
    ('Latin', 'Cyrillic', '')
    >>> script_of("日本語は仮名も使う。"), script_of("中文只用漢字。")
    ('Kana', 'Han')
    """
    # Lone surrogates are no letters.
    start = text[:_N_CHARACTERS].encode("utf-32-le", "surrogatepass")
    scripts = _SCRIPT_OF_CHARACTER[np.frombuffer(start, dtype=np.uint32)]
    counts = np.bincount(scripts, minlength=len(_NAMES)) * _WEIGHTS
    return _NAMES[int(np.argmax(counts))] if counts.any() else ""


def language_of(text: str) -> str:
    """Return the language of a text in Latin letters by the function words at its start.

    The language whose function words it has most of, at least two and more than of any
    other; else `ANOTHER` for a text of 40 different words or more, and "" for one with
    fewer, which is too short to decide.

    Examples
    --------
    >>> language_of("The cat sat on the mat and looked at the dog that was there.")
    'English'
    >>> language_of("Der Hund und die Katze sind nicht im Haus.")
    'German'
    >>> language_of("Yes, sir.")
    ''
    """
    words = set(text[:_N_CHARACTERS].lower().split())
    hits = {name: len(known & words) for name, known in FUNCTION_WORDS.items()}
    second, first = sorted(hits.values())[-2:]
    if first >= 2 and first > second:
        return max(hits, key=hits.__getitem__)
    return ANOTHER if len(words) >= _ENOUGH_WORDS else ""
