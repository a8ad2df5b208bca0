"""The steps of normalisation: their names, and what each does to one text."""

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mauve.calls import parameter
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import escaped, shortened
from mauve.text.emoji import without_emoji
from mauve.text.markup import without_markup
from mauve.text.whole_sentences import without_unfinished_sentence

#: What each step does, in the order in which steps are applied.
NORMALIZE_STEPS: Mapping[str, str] = MappingProxyType(
    {
        "prompt": "remove the prompt at the beginning of texts, given or found",
        "markup": "remove HTML and Markdown: bullets, headings, emphasis, code, links, tables",
        "emoji": "remove emoji and symbols such as ★ and ✓",
        "typography": "write curly quotes, primes, dashes, ellipses and ligatures in ASCII",
        "unicode": "write characters in their compatible form (NFKC), without invisible ones",
        "space": "make every run of white space, blank lines too, one space, and none before marks",
        "ends": "remove white space at both ends (the same as strip)",
        "case": "write all letters in lower case",
        "sentences": "cut an unfinished last sentence",
        "length": "cut all texts to the same number of words (the same as match_length)",
    }
)

#: The steps in the order in which a ladder adds them, and what a score after each is without.
RUNGS: Mapping[str, str] = MappingProxyType(
    {
        "prompt": "without prompts",
        "ends": "without white space at the ends",
        "space": "without differences of white space",
        "typography": "without typography",
        "unicode": "without Unicode variants",
        "markup": "without HTML and Markdown",
        "emoji": "without emoji",
        "case": "without capitals",
        "sentences": "without unfinished sentences",
        "length": "at one length",
    }
)

#: Steps that look at all samples together, or at prompts, and not at one text alone.
JOINT_STEPS = ("prompt", "length")

#: What `normalize` takes: names with commas between them, or a sequence of names.
Normalize = str | Sequence[str]

_QUOTES = {
    "'": "‘’‚‛‹›′‵ʹʻʼʽ´ʾʿˈ＇",
    '"': "“”„‟«»″‶〝〞〟ʺ＂",
    "'''": "‴‷",
    "-": "‐‑‒–−﹣－⁃",
    "--": "—―⸺⸻﹘︱",
    "...": "…⋯",
    "..": "‥",
    "/": "⁄∕",
    "ff": "ﬀ",
    "fi": "ﬁ",
    "fl": "ﬂ",
    "ffi": "ﬃ",
    "ffl": "ﬄ",
    "st": "ﬅﬆ",
}
_TYPOGRAPHY = str.maketrans({mark: ascii_ for ascii_, marks in _QUOTES.items() for mark in marks})
# Soft hyphens, zero-width spaces and joiners, marks of direction, byte order marks, selectors.
_INVISIBLE = re.compile(
    "[\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
)
_SPACE = re.compile(r"\s+")

#: White space before a comma, a full stop and the like, such as tokenised texts have.
SPACE_BEFORE_MARK = re.compile(r"(?<=\S)[ \u00a0]+(?=[,.;:!?](?:\s|\Z|[\"'”’]))")


def _in_ascii_marks(text: str) -> str:
    return text if text.isascii() else text.translate(_TYPOGRAPHY)


def _compatible(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def _single_spaced(text: str) -> str:
    return SPACE_BEFORE_MARK.sub("", _SPACE.sub(" ", text))


_OF_ONE_TEXT: dict[str, Callable[[str], str]] = {
    "markup": without_markup,
    "emoji": without_emoji,
    "typography": _in_ascii_marks,
    "unicode": _compatible,
    "space": _single_spaced,
    "ends": str.strip,
    "case": str.casefold,
    "sentences": without_unfinished_sentence,
}


def check_steps(
    value: Any, *, without: Sequence[str] = (), name: str = "normalize", also: str = ""
) -> tuple[str, ...]:
    """Return the names of steps in the order in which they are applied, or raise.

    Parameters
    ----------
    value : str, sequence of str or None
        Names with commas between them, or a sequence of names; None for no step.
    without : sequence of str
        Steps that the caller cannot apply.
    name : str
        Name of the parameter.
    also : str
        What else it takes, for messages.

    Examples
    --------
    >>> check_steps("space, typography"), check_steps(["ends"]), check_steps(None)
    (('typography', 'space'), ('ends',), ())
    """
    if value is None:
        return ()
    is_sequence = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    if not isinstance(value, str) and not is_sequence:
        raise bad_parameter(name, f"{also}names of steps, {_names(without)}", value)
    names = [part.strip() for part in value.split(",")] if isinstance(value, str) else [*value]
    known = [name for name in NORMALIZE_STEPS if name not in without]
    for step in names:
        if not isinstance(step, str) or step not in known:
            said = repr(shortened(escaped(step))) if isinstance(step, str) else repr(step)
            raise InvalidParameterError(
                f"{parameter(name)} must be {also}names of steps, {_names(without)}. "
                f"Got {said} instead{_hint(step, known)}."
            )
    return tuple(step for step in known if step in names)


def _names(without: Sequence[str]) -> str:
    return ", ".join(name for name in NORMALIZE_STEPS if name not in without)


#: What people call the steps otherwise.
_OTHER_NAMES = {
    "strip": "ends", "trim": "ends", "whitespace": "space", "spaces": "space",
    "quotes": "typography", "dashes": "typography", "nfkc": "unicode", "nfc": "unicode",
    "markdown": "markup", "html": "markup", "emojis": "emoji",
    "lower": "case", "lowercase": "case", "casefold": "case",
    "match_length": "length", "match-length": "length", "words": "length", "sentence": "sentences",
}  # fmt: skip


def _hint(name: Any, known: Sequence[str]) -> str:
    if not isinstance(name, str):
        return ""
    other = _OTHER_NAMES.get(name.lower(), name)
    if other in JOINT_STEPS and other not in known:
        return f": '{other}' looks at more than one sample, or at prompts"
    near = [other] if other in known else difflib.get_close_matches(name.lower(), known, n=1)
    return f": write '{near[0]}'" if near else ""


def normalize_text(text: str, steps: Sequence[str]) -> str:
    r"""Return one text after steps that look at it alone.

    Parameters
    ----------
    text : str
    steps : sequence of str
        Some of :data:`NORMALIZE_STEPS`, in their order; "prompt" and "length", which look at
        more than one text, do nothing here.

    Notes
    -----
    What a step leaves may be a mark for one before it: the compatible form of a wide asterisk is
    an asterisk. So the steps are repeated until none changes the text, and to normalise again
    changes nothing.

    Examples
    --------
    >>> normalize_text("“One …\n\n two”", ["typography", "space"])
    '"One ... two"'
    """
    functions = [_OF_ONE_TEXT[step] for step in steps if step in _OF_ONE_TEXT]
    while True:
        before = text
        for function in functions:
            text = function(text)
        if text == before:
            return text
