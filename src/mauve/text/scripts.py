"""Recognise the script of a text, and know the scripts that languages are written in."""

from collections.abc import Mapping

import numpy as np

_N_CHARACTERS = 2000  # at the start of a text, from which its script is recognised

# First and last character of the blocks that hold a script's letters. Scripts with few texts
# online are left out.
_BLOCKS = {
    "Latin": [(0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x1E00, 0x1EFF), (0xFF21, 0xFF5A)],
    "Greek": [(0x370, 0x3FF), (0x1F00, 0x1FFF)],
    "Cyrillic": [(0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)],
    "Armenian": [(0x530, 0x58F)],
    "Hebrew": [(0x590, 0x5FF)],
    "Arabic": [(0x600, 0x6FF), (0x750, 0x77F), (0x8A0, 0x8FF), (0xFB50, 0xFEFC)],
    "Syriac": [(0x700, 0x74F)],
    "Thaana": [(0x780, 0x7BF)],
    "N'Ko": [(0x7C0, 0x7FF)],
    "Devanagari": [(0x900, 0x97F)],
    "Bengali": [(0x980, 0x9FF)],
    "Gurmukhi": [(0xA00, 0xA7F)],
    "Gujarati": [(0xA80, 0xAFF)],
    "Odia": [(0xB00, 0xB7F)],
    "Tamil": [(0xB80, 0xBFF)],
    "Telugu": [(0xC00, 0xC7F)],
    "Kannada": [(0xC80, 0xCFF)],
    "Malayalam": [(0xD00, 0xD7F)],
    "Sinhala": [(0xD80, 0xDFF)],
    "Thai": [(0xE00, 0xE7F)],
    "Lao": [(0xE80, 0xEFF)],
    "Tibetan": [(0xF00, 0xFFF)],
    "Burmese": [(0x1000, 0x109F)],
    "Georgian": [(0x10A0, 0x10FF), (0x1C90, 0x1CBF)],
    "Ethiopic": [(0x1200, 0x139F)],
    "Cherokee": [(0x13A0, 0x13FF), (0xAB70, 0xABBF)],
    "Canadian Aboriginal": [(0x1400, 0x167F)],
    "Khmer": [(0x1780, 0x17FF)],
    "Mongolian": [(0x1800, 0x18AF)],
    "Tifinagh": [(0x2D30, 0x2D7F)],
    "Yi": [(0xA000, 0xA4CF)],
    "Hangul": [(0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7AF)],
    "Kana": [(0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)],
    "Han": [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)],
}
_NAMES = ("", *_BLOCKS)

# Japanese is written in Kana and Han, Chinese in Han alone: a tenth of Kana decides.
_WEIGHTS = np.array([10 if name == "Kana" else int(name != "") for name in _NAMES])

#: Scripts other than Latin by the ISO 639 codes of languages that are written in them.
SCRIPTS_OF_CODE: Mapping[str, frozenset[str]] = {
    code: frozenset(scripts.replace("_", " ").split("+"))
    for scripts, codes in {
        "Greek": "el",
        "Cyrillic": "ru uk bg mk be kk ky tg mn tt ba cv os ab rus",
        "Cyrillic+Latin": "sr uz bs",
        "Armenian": "hy",
        "Hebrew": "he iw yi",
        "Arabic": "ar fa ur ps sd ug ckb ara",
        "Arabic+Latin": "ku",
        "Thaana": "dv",
        "Devanagari": "hi mr ne sa kok bho mai",
        "Bengali": "bn as",
        "Gurmukhi+Arabic": "pa",
        "Gujarati": "gu",
        "Odia": "or",
        "Tamil": "ta",
        "Telugu": "te",
        "Kannada": "kn",
        "Malayalam": "ml",
        "Sinhala": "si",
        "Thai": "th",
        "Lao": "lo",
        "Tibetan": "bo dz",
        "Burmese": "my",
        "Georgian": "ka",
        "Ethiopic": "am ti",
        "Khmer": "km",
        "Hangul+Han": "ko kor",
        "Kana+Han": "ja jpn",
        "Han": "zh yue cmn zho zh-cn zh-tw",
    }.items()
    for code in codes.split()
}


def _table() -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    table = np.zeros(0x110000, dtype=np.uint8)
    for number, name in enumerate(_NAMES):
        for first, last in _BLOCKS.get(name, []):
            table[first : last + 1] = number
    table[[0xD7, 0xF7]] = 0  # × and ÷ stand among the letters
    return table


_SCRIPT_OF_CHARACTER = _table()


def script_of(text: str, *, at_least: int = 1) -> str:
    """Return the script of most letters at a text's start, or "" if it has no known letters.

    Parameters
    ----------
    text : str
    at_least : int
        Fewest letters of that script; Kana count tenfold, as Japanese has few of them.

    Examples
    --------
    >>> script_of("A text, 2 words."), script_of("Привет, GPT!"), script_of("42")
    ('Latin', 'Cyrillic', '')
    >>> script_of("日本語は仮名も使う。"), script_of("中文只用漢字。")
    ('Kana', 'Han')
    >>> script_of("λ = 2", at_least=5)
    ''
    """
    # Lone surrogates are no letters.
    start = text[:_N_CHARACTERS].encode("utf-32-le", "surrogatepass")
    scripts = _SCRIPT_OF_CHARACTER[np.frombuffer(start, dtype=np.uint32)]
    counts = np.bincount(scripts, minlength=len(_NAMES)) * _WEIGHTS
    most = int(np.argmax(counts))
    return _NAMES[most] if counts[most] >= at_least else ""
