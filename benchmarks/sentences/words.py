"""Split texts into words and runs of words, by loops over characters."""

import unicodedata
from functools import cache


@cache
def words_of(text: str) -> tuple[str, ...]:
    """Return runs of letters and digits in lower case; an apostrophe within belongs to them."""
    text = text.lower().replace("’", "'")
    words, word = [], ""
    for i, letter in enumerate(text):
        within = letter == "'" and word and text[i + 1 : i + 2].isalnum()
        if letter.isalnum() or within:
            word += letter
        else:
            words.append(word)
            word = ""
    return tuple(filter(None, [*words, word]))


@cache
def runs_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words between punctuation marks; single underscores around words are none."""
    text = text.lower().replace("’", "'")
    runs: list[list[str]] = [[]]
    word = ""
    for i, letter in enumerate(text + " "):
        before, after = text[i - 1 : i] if i else "", text[i + 1 : i + 2]
        inner = letter in "'_" and word and after.isalnum() and before.isalnum()
        is_alone = is_spaceless(letter)
        if (letter.isalnum() or inner or (_is_mark(letter) and word)) and not is_alone:
            word += letter
            continue
        if word:
            runs[-1].append(word)
            word = ""
        if is_alone or (_is_symbol(letter) and letter != before):
            runs[-1].append(letter)
        elif _is_symbol(letter) or (_is_mark(letter) and runs[-1] and _is_symbol(before)):
            runs[-1][-1] += letter
        elif not letter.isspace() and letter != "_":
            runs.append([])
    return tuple(tuple(run) for run in runs if run)


def is_spaceless(letter: str) -> bool:
    """Whether a character is Chinese or Japanese, and a word of its own."""
    return any(
        first <= letter <= last
        for first, last in ("ぁヿ", "㐀\u9fff", "\uf900\ufaff", "ｦﾟ", "\U00020000\U0003ffff")
    )


def _is_symbol(letter: str) -> bool:
    """Whether a character is an emoji or the like, which is a word; repeated, it is one."""
    return unicodedata.category(letter or " ") == "So" and letter != "\ufffd"


def _is_mark(letter: str) -> bool:
    """Whether a character belongs to the one before it."""
    return unicodedata.category(letter)[0] == "M" or letter in "\xad\u200c\u200d"


@cache
def _vocabulary_of(text: str) -> frozenset[str]:
    return frozenset(word for run in runs_of(text) for word in run)


def has_words(text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand in a text, with no mark between them."""
    (wanted,) = runs_of(phrase)
    n = len(wanted)
    if not _vocabulary_of(text).issuperset(wanted):
        return False
    return any(run[i : i + n] == wanted for run in runs_of(text) for i in range(len(run) - n + 1))
