"""Recognise the language of a text by its letters and its common words.

This needs no model and no download. A text is in a language because it has words of it, never
because it lacks English ones: random words, loops and shuffled words of English are not another
language.
"""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from mauve.text.function_words import (
    FUNCTION_WORDS,
    LANGUAGE_ALIASES,
    LANGUAGE_NAMES,
    SHARED_WORDS,
)
from mauve.text.scripts import SCRIPTS_OF_CODE, script_of

#: The language of a text that has enough words and the function words of no list.
ANOTHER = "another language or none"

_N_CHARACTERS = 2000  # at the start of a text, from which its language is recognised

# Different words that a text of another language must have: lists, code and texts that repeat
# themselves have few function words too. 1% of 1,000 English web texts pass nevertheless.
_ENOUGH_WORDS = 40

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")

# What a text must have to be in a language that an embedder does not read. Set so that English of
# any kind does not pass: 4 of 20,000 documents and 25 of 60,000 paragraphs and lines do, nearly all
# of them in another language (docs/model-card.md).
_OWN_SHARE = 0.06  # share of the words that no other language of ours, nor a name, has
_COMMON_SHARE = 0.2  # the same with the words that it shares with English or with names
_TIMES = 1.5  # so many times the common words of any language that the embedder reads
_LETTERS = 5  # fewest letters of another script
_IN_NAMES = frozenset(
    ["da", "das", "der", "des", "dos", "du", "en", "et", "il", "ne", "os", "se", "si", "te"]
)


@dataclass(frozen=True)
class KnownLanguages:
    """Languages that can be read.

    Attributes
    ----------
    names : frozenset of str
        Names of those in Latin letters.
    scripts : frozenset of str
        Scripts of all of them.
    """

    names: frozenset[str]
    scripts: frozenset[str]


def known_languages(codes: Collection[str]) -> KnownLanguages | None:
    """Return languages by their ISO 639 codes, or None if one of them is not known here.

    Examples
    --------
    >>> known = known_languages(["en", "ja"])
    >>> sorted(known.names), sorted(known.scripts)
    (['English'], ['Han', 'Kana', 'Latin'])
    >>> known_languages(["multilingual"]) is None
    True
    """
    names: set[str] = set()
    scripts: set[str] = set()
    for given in codes:
        code = given.lower()
        # "pt-BR" is Portuguese; "zh-tw" stands in the table as it is.
        if code not in SCRIPTS_OF_CODE:
            code = re.split("[-_]", code)[0]
        name = LANGUAGE_NAMES.get(LANGUAGE_ALIASES.get(code, code))
        if name is None and code not in SCRIPTS_OF_CODE:
            return None
        scripts |= SCRIPTS_OF_CODE.get(code, frozenset(["Latin"]))
        if name is not None:
            names.add(name)
    return KnownLanguages(frozenset(names), frozenset(scripts))


@dataclass(frozen=True)
class _Counts:
    """Words at the start of a text: all, and those of each language."""

    words: Counter[str]
    different: Counter[str]  # different words of a language's own
    own: Counter[str]  # words of its own
    common: Counter[str]  # the same with those that it shares with English or with names


@cache
def _languages_of_word() -> dict[str, list[tuple[str, bool]]]:
    """Return the languages of each word, and whether it is their own."""
    languages: dict[str, list[tuple[str, bool]]] = {}
    for is_own, table in ((True, FUNCTION_WORDS), (False, SHARED_WORDS)):
        for name, words in table.items():
            for word in words:
                languages.setdefault(word, []).append((name, is_own))
    return languages


def _count(text: str) -> _Counts:
    words = Counter(_WORD.findall(text[:_N_CHARACTERS].lower().replace("’", "'")))
    different: Counter[str] = Counter()
    own: Counter[str] = Counter()
    common: Counter[str] = Counter()
    languages = _languages_of_word()
    for word, n in words.items():
        for name, is_own in languages.get(word, ()):
            common[name] += n
            if is_own:
                own[name] += n
                different[name] += 1
    return _Counts(words, different, own, common)


def language_of(text: str) -> str:
    """Return the language of a text in Latin letters by the common words at its start.

    The language of which it has most different words, at least two, more than of English and 6%
    of all its words; else `ANOTHER` for a text of 40 different words or more, and "" for one
    with fewer, which is too short to decide.

    Examples
    --------
    >>> language_of("The cat sat on the mat and looked at the dog that was there.")
    'English'
    >>> language_of("Der Hund und die Katze sind nicht im Haus.")
    'German'
    >>> language_of("Yes, sir.")
    ''
    """
    counts = _count(text)
    if counts.different:
        best = max(counts.different, key=lambda name: _rank(counts, name))
        n_best, n_english = counts.different[best], counts.different["English"]
        is_plain = counts.own[best] >= _OWN_SHARE * counts.words.total()
        if n_best >= 2 and is_plain and (best == "English" or n_best > n_english):
            return best
    return ANOTHER if len(counts.words) >= _ENOUGH_WORDS else ""


def foreign_language(text: str, known: KnownLanguages) -> str:
    """Return the language or script of a text that is plainly none of some languages, else "".

    Parameters
    ----------
    text : str
    known : KnownLanguages
        Those that can be read.

    Notes
    -----
    A text is in another script if most of its letters are, at least five. In Latin letters, it
    is in another language if it has at least two different words that are common there and not
    in English (or one, and two words with letters that English lacks), if 6% of its words are
    such and 20% are common in it, and if there are 1.5 times as many as words common in a known
    language.

    Examples
    --------
    >>> english = known_languages(["en"])
    >>> foreign_language("Der Hund und die Katze sind nicht im Haus.", english)
    'German'
    >>> foreign_language("Кошка сидит на окне.", english)
    'Cyrillic script'
    >>> foreign_language("mat the on sat cat the the the the", english)
    ''
    """
    script = script_of(text, at_least=_LETTERS)
    if script and script not in known.scripts:
        return f"{script} script"
    if script != "Latin":
        return ""
    counts = _count(text)
    n_words = counts.words.total()
    n_known = max((counts.common[name] for name in known.names), default=0)
    accented: set[str] = set()
    if known.names <= {"English"}:
        accented = {word for word in counts.words if not word.isascii()}
    best = ""
    for name, n_different in counts.different.items():
        if name in known.names:
            continue
        # One word is enough beside accents, if it does not stand in names: "da", as in Vinci.
        sure = FUNCTION_WORDS[name] & counts.words.keys() - _IN_NAMES
        if n_different < 2 and (len(accented) < 2 or not sure):
            continue
        # Accented words count once, also those that stand in the lists.
        listed = FUNCTION_WORDS[name] | SHARED_WORDS.get(name, frozenset())
        n_accented = sum(counts.words[word] for word in accented - listed)
        n_own, n_common = counts.own[name] + n_accented, counts.common[name] + n_accented
        is_enough = n_own >= _OWN_SHARE * n_words and n_common >= _COMMON_SHARE * n_words
        is_more = n_common > _TIMES * n_known
        if is_enough and is_more and (not best or _rank(counts, name) > _rank(counts, best)):
            best = name
    return best


def _rank(counts: _Counts, name: str) -> tuple[int, int, str]:
    """Order languages by their evidence; the name breaks ties, so that the order is fixed."""
    return counts.different[name], counts.common[name], name
