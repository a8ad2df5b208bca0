"""Properties of style: sentences, function words, punctuation, names, repetition."""

import re
from collections.abc import Callable

import numpy as np

from mauve.text.function_words import FUNCTION_WORDS
from mauve.text.properties import TextProperty
from mauve.text.view import TextView


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FIRST = _set("i me my mine myself we us our ours ourselves i'm i've i'd i'll we're we've")
_SECOND = _set("you your yours yourself yourselves you're you've you'll you'd")
_THIRD = _set("he him his himself she her hers herself they them their theirs themselves")
_HEDGES = _set(
    "perhaps maybe possibly probably likely might may could seem seems seemed appears appeared "
    "somewhat rather quite generally typically often sometimes usually suggest suggests"
)
_CONNECTIVES = _set(
    "however moreover furthermore therefore thus additionally consequently nevertheless "
    "nonetheless overall ultimately finally similarly instead meanwhile hence"
)
_NEGATIONS = _set("not no never none nothing nobody nowhere neither nor cannot")
# The list by which English is recognised leaves out words that other languages share.
_FUNCTION = FUNCTION_WORDS["English"] | _set("a in for on as he i so all was me no")
_QUOTATION = re.compile(r"[\"“”„«»]")
# Within a line: at its beginning, a dash is the mark of a list.
_DASHES = re.compile(r"(?<=\S)[–—―]|(?<=\S )(?:--?|[–—―])(?=\s)|(?<=\w)--(?=\w)")
_VARIETY_WORDS = 100  # of the beginning of a text, so that its length does not matter


def _per_100(words: frozenset[str]) -> Callable[[TextView], float]:
    def value(view: TextView) -> float:
        counts = view.counts
        return view.per_100_words(sum(counts[word] for word in words if word in counts))

    return value


def _mark(letters: str) -> Callable[[TextView], float]:
    return lambda view: view.per_100_words(sum(map(view.text.count, letters)))


def _pattern(pattern: re.Pattern[str]) -> Callable[[TextView], float]:
    return lambda view: view.per_100_words(len(pattern.findall(view.text)))


def _contractions(view: TextView) -> float:
    return view.per_100_words(sum("'" in word for word in view.words))


def _negations(view: TextView) -> float:
    counts = view.counts
    n = sum(counts[word] for word in _NEGATIONS if word in counts)
    return view.per_100_words(n + sum(word.endswith("n't") for word in view.words))


def _word_length(view: TextView) -> float:
    return sum(map(len, view.words)) / len(view.words) if view.words else np.nan


def _sentence_length(view: TextView) -> float:
    return len(view.words) / view.n_sentences if view.words else np.nan


def _variety(view: TextView) -> float:
    words = view.words[:_VARIETY_WORDS]
    return 100 * len(set(words)) / len(words) if words else np.nan


def _repetition(view: TextView) -> float:
    words = view.words
    n = len(words) - 2
    if n < 1:
        return np.nan
    return 100 * (1 - len(set(zip(words, words[1:], words[2:], strict=False))) / n)


def _style(
    key: str, value: Callable[[TextView], float], more: str, less: str, unit: str
) -> TextProperty:
    return TextProperty(key, value, more, less, unit)


def _frequency(key: str, value: Callable[[TextView], float], what: str) -> TextProperty:
    return _style(key, value, f"more {what}", f"fewer {what}", "{} per 100 words")


#: In the order in which they are named where several tell samples apart equally well.
STYLE_PROPERTIES: tuple[TextProperty, ...] = (
    _style(
        "repetition",
        _repetition,
        "more repetition within a text",
        "less repetition within a text",
        "{}% of three-word sequences occur earlier in the same text",
    ),
    _style(
        "sentence_length",
        _sentence_length,
        "longer sentences",
        "shorter sentences",
        "{} words per sentence",
    ),
    _style("word_length", _word_length, "longer words", "shorter words", "{} letters per word"),
    _style(
        "variety",
        _variety,
        "a more varied vocabulary",
        "a less varied vocabulary",
        f"{{}}% of the first {_VARIETY_WORDS} words are different",
    ),
    _frequency("first_person", _per_100(_FIRST), "first-person pronouns (I, we)"),
    _frequency("second_person", _per_100(_SECOND), "second-person pronouns (you)"),
    _frequency("third_person", _per_100(_THIRD), "third-person pronouns (he, she, they)"),
    _frequency("contractions", _contractions, "contractions or possessives (don't)"),
    _frequency("names", lambda view: view.per_100_words(view.n_names), "names (capitalised words)"),
    _frequency("numbers", lambda view: view.per_100_words(view.n_numbers), "numbers"),
    _frequency("quotation_marks", _pattern(_QUOTATION), "quotation marks"),
    _frequency("questions", _mark("?"), "question marks"),
    _frequency("exclamations", _mark("!"), "exclamation marks"),
    _frequency("commas", _mark(","), "commas"),
    _frequency("full_stops", _mark("."), "full stops"),
    _frequency("semicolons", _mark(";"), "semicolons"),
    _frequency("colons", _mark(":"), "colons"),
    _frequency("parentheses", _mark("(["), "brackets"),
    _frequency("dashes", _pattern(_DASHES), "dashes"),
    _frequency("hedges", _per_100(_HEDGES), "hedges (perhaps, might, seems)"),
    _frequency("connectives", _per_100(_CONNECTIVES), "connectives (however, therefore, overall)"),
    _frequency("negations", _negations, "negations (not, never)"),
    _frequency("function_words", _per_100(_FUNCTION), "function words (the, of, and)"),
)
