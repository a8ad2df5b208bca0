"""Recognise prompts that are well-formed English, as the paper's human evaluation selected them.

The authors selected 1,831 of 5,000 prompts of web text by hand (appendix on the human evaluation)
and excluded headers of pages and error messages. These rules do it without a person.
"""

import re

from mauve.text.function_words import FUNCTION_WORDS
from mauve.text.language import foreign_language, known_languages

_FEWEST_WORDS = 8
_FUNCTION_SHARE = 0.25  # of the words; English prose has 0.4 to 0.5, menus and lists of names 0.1
_CAPITAL_SHARE = 0.45  # of the words but the first; a line in title case has 0.7 and more
_UPPER_SHARE = 0.2  # of the words
_DIGIT_SHARE = 0.1  # of the characters that are no white space

_MORE_WORDS = (
    "a i am as was in on at for so me us he no not may might must one all over under between "
    "against again also both each few own same too very here there now off down while until "
    "during without within since whether either neither every another much many some"
)
_FUNCTION_WORDS = FUNCTION_WORDS["English"] | frozenset(_MORE_WORDS.split())

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_START = re.compile(r"[\"'“‘(]{0,2}[A-Z]")
# How a line ends that is a sentence, or, if it is more than a label, says that another comes.
_LINE_END = re.compile(r"[.!?…][\"'”’)\]]*\s*\Z|\w\W+\w+\W+\w+\W+\w+.*[:;]\s*\Z")
# What stands before a text and is no part of it: the name of a field, a button, an author.
_LABEL = re.compile(
    r"\A(?:(?:Title|Subject|Author|Date|From|Source|Re|By|Tags):|(?:Share|Close|SHARE|CLOSE)\b)"
    r"|\b(?:Posted|Published|Updated|Submitted|Written) (?:by|on|at|in)\b"
)
_ADDRESS = re.compile(r"(?i)https?:|www\.|\b[\w.]+@[\w.]+\.\w|\b\w+\.(?:com|org|net|html?|php)\b/?")
# Program code, markup, and marks of lists and menus. Two dashes are a dash in plain text.
_MARKUP = re.compile(
    r"[{}<>=|\\~^_*•►▶●■»«©®™→←\u0080-\u009f\ufffd]|\[\w*\]|//|\.\.\.\.|\$\w*\(|@\w|#\d"
)

# What pages say of themselves to their readers: of players, browsers, accounts and rights.
_BOILERPLATE = re.compile(
    r"""(?ix)
    \b(?: ad[ -]?block | your\ (?:web\ )?browser | java\ ?script | cookies?\ (?:policy|to)
    | we\ use\ cookies | having\ trouble\ (?:viewing|playing|loading)
    | (?:media|video)\ (?:playback|is\ unsupported)
    | (?:sign|log)(?:ed)?\ (?:up|in)\ (?:for|to|now|with) | log\ ?in\b
    | subscri(?:be|ption)\b | newsletters?\b
    | click\ (?:here|on|to) | read\ more | skip\ to | toggle\ (?:caption|navigation)
    | (?:share|follow|like|tweet|email)\ (?:this|us|on|via|by)\b | share\ on
    | (?:image|photo|picture|video|media)\ (?:copyright|caption|credit|courtesy|by|via)\b
    | buy\ photo | file\ photo | getty\ images | screenshot | hide\ caption
    | last\ updated
    | all\ rights\ reserved | copyright | fair\ use | terms\ (?:of\ (?:use|service)|and\ conditions)
    | privacy\ policy | advertisements?\b | continued\ below | table\ of\ contents
    | page\ not\ found
    | error\ (?:code|message|\d) | access\ denied | please\ (?:enable|wait|try\ again|upgrade)
    | add\ to\ (?:cart|wish) | home\ page | front\ page | main\ menu | free\ shipping
    )"""
)


def prompt_problem(prompt: str) -> str:
    r"""Return why a prompt is no well-formed English, in a few words; empty if it is.

    Parameters
    ----------
    prompt : str
        The beginning of a text; it may end within a sentence, or within a word.

    Notes
    -----
    A prompt is well-formed if

    - it has 8 words or more and begins with a capital letter, after a quote or not;
    - it is in English, and 25% of its words are function words ("the", "of", "she");
    - fewer than 45% of the words after the first begin with a capital letter, and fewer than 20%
      are written in capitals: it is no headline and no menu;
    - every line but the last ends as a sentence does: no title, author or date stands above it;
    - it has no address, no markup or program code, and few digits;
    - it is not what a page says of itself, such as how to view a video or where to sign up.

    Examples
    --------
    >>> prompt_problem("It rained all day, and in the evening they said that they would st")
    ''
    >>> prompt_problem("Front Page Torrents Favorites My Home My Galleries Toplists Bounties News")
    'few function words'
    """
    text = prompt.strip()
    words = _WORD.findall(text)
    if len(words) < _FEWEST_WORDS:
        return f"fewer than {_FEWEST_WORDS} words"
    if not _START.match(text):
        return "no capital letter at its beginning"
    if _ADDRESS.search(text):
        return "an address"
    if _MARKUP.search(text):
        return "markup, code or marks of a list"
    if sum(map(str.isdigit, text)) > _DIGIT_SHARE * len(re.sub(r"\s", "", text)):
        return "many digits"
    # Without the last word, which may be cut.
    n_function = sum(word.lower().replace("’", "'") in _FUNCTION_WORDS for word in words[:-1])
    if n_function < _FUNCTION_SHARE * (len(words) - 1):
        return "few function words"
    if sum(word.isupper() and len(word) > 1 for word in words) >= _UPPER_SHARE * len(words):
        return "words in capitals"
    if sum(word[0].isupper() for word in words[1:]) >= _CAPITAL_SHARE * (len(words) - 1):
        return "words that begin with capitals"
    lines = [line for line in text.split("\n") if line.strip()]
    if _LABEL.search(text) or any(not _LINE_END.search(line) for line in lines[:-1]):
        return "a line that is no sentence"
    if _BOILERPLATE.search(text):
        return "words of a page about itself"
    english = known_languages(["en"])
    if english is not None and foreign_language(text, english):
        return "another language"
    return ""


def is_well_formed(prompt: str) -> bool:
    """Return whether a prompt is well-formed English; see :func:`prompt_problem`.

    Examples
    --------
    >>> is_well_formed("Having trouble viewing the video? Try disabling any ad blocking extensions")
    False
    """
    return not prompt_problem(prompt)
