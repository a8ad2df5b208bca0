"""What an embedder can read, and which texts of a sample it cannot."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from mauve.arrays import IntArray
from mauve.calls import either, has_option, option
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import escaped
from mauve.formatting import format_share
from mauve.text.code import is_code
from mauve.text.function_words import LANGUAGE_ALIASES, LANGUAGE_NAMES
from mauve.text.language import foreign_language, known_languages

#: Choices where an embedder cannot read most human texts: raise an error, or warn.
UnreadablePolicy = Literal["error", "warn"]
UNREADABLE: tuple[UnreadablePolicy, ...] = get_args(UnreadablePolicy)

#: Share of a sample's texts from which on a warning is given. In English samples of
#: any kind at most 0.4% are taken for something else, which they mostly are (docs/model-card.md),
#: so 5% are no mistake.
WARN_SHARE = 0.05
#: The same for short texts, of which the embedder sees little but not nothing: they must be many to
#: matter.
SHORT_SHARE = 0.25
#: Share above which human texts are refused: the score is then mostly about texts that the
#: embedder cannot read.
REFUSE_SHARE = 0.5

_CODE = "code"
_MULTILINGUAL = "sentence:intfloat/multilingual-e5-small"


@dataclass(frozen=True)
class Reading:
    """What an embedder can read; None where it is not known, and then it is not checked.

    Attributes
    ----------
    languages : frozenset of str, optional
        ISO 639 codes of languages, such as ``{"en", "de"}``.
    min_tokens, max_tokens : int, optional
        Length of the shortest texts that it was made for, and most tokens that it reads of one.
    code : bool, optional
        Whether it was made for program code too.

    Examples
    --------
    >>> Reading(languages=frozenset({"en"}), max_tokens=512).described
    'English'
    """

    languages: frozenset[str] | None = None
    min_tokens: int | None = None
    max_tokens: int | None = None
    code: bool | None = None

    @property
    def described(self) -> str:
        """The languages by name, or their number if they are many."""
        codes = sorted(self.languages or ())
        if len(codes) > 4:
            return f"{len(codes)} other languages"
        names = [LANGUAGE_NAMES.get(LANGUAGE_ALIASES.get(code, code), code) for code in codes]
        return " and ".join(names) or "other texts"


def reading_of(embedder: object) -> Reading | None:
    """Return what an embedder says of what it can read, in its attribute `reads`, if it does.

    Examples
    --------
    >>> from mauve.embed.bundled import BundledEmbedder
    >>> reading_of(BundledEmbedder()).languages
    frozenset({'en'})
    >>> reading_of(len) is None
    True
    """
    reading = getattr(embedder, "reads", None)
    if reading is not None and not isinstance(reading, Reading):
        raise bad_parameter(
            either("embedder", "spec"), "an embedder whose 'reads' is a mauve.Reading", reading
        )
    return reading


def count_unreadable(texts: Sequence[str], reading: Reading | None) -> Counter[str]:
    """Return how many texts are code, or in each language, that an embedder cannot read.

    Examples
    --------
    >>> english = Reading(languages=frozenset({"en"}))
    >>> count_unreadable(["Das ist nicht das Haus, das ich suche.", "A house."], english)
    Counter({'German': 1})
    """
    kinds: Counter[str] = Counter()
    if reading is None:
        return kinds
    known = None if reading.languages is None else known_languages(reading.languages)
    for text in texts:
        if reading.code is False and is_code(text):
            kinds[_CODE] += 1
        elif known is not None and (language := foreign_language(text, known)):
            kinds[language] += 1
    return kinds


@dataclass(frozen=True)
class SampleReadings:
    """How many texts of every sample an embedder cannot read.

    Attributes
    ----------
    reading : Reading or None
    sizes : mapping from sample to int
        Number of texts.
    counts : mapping from sample to Counter
        Results of :func:`count_unreadable`.
    """

    reading: Reading | None
    sizes: Mapping[str, int]
    counts: Mapping[str, Counter[str]]

    @classmethod
    def of(cls, texts: Mapping[str, Sequence[str]], embedder: object) -> "SampleReadings":
        """Count the texts of samples that an embedder cannot read."""
        reading = reading_of(embedder)
        sizes = {name: len(sample) for name, sample in texts.items()}
        counts = {name: count_unreadable(sample, reading) for name, sample in texts.items()}
        return cls(reading, sizes, counts)

    def check(self) -> None:
        """Raise if most texts of the first sample are in languages the embedder cannot read.

        The first is the human text. A system that writes another language than people do is
        far from them, and its low score says so; a warning is enough, and no other system's
        score is lost.
        """
        name, kinds = next(iter(self.counts.items()))
        languages, n_texts = _languages(kinds), self.sizes[name]
        if self.reading is not None and languages.total() > REFUSE_SHARE * n_texts:
            raise InvalidParameterError(
                f"{_found(name, languages, n_texts)}, and the embedder reads "
                f"{self.reading.described}: the score would say little about them. {_remedy()}, or "
                f"compute it nevertheless with {option('unreadable', 'warn')}."
            )

    def warns_of_languages(self, name: str) -> bool:
        """Return whether a warning says that texts are in languages the embedder cannot read."""
        return self.reading is not None and _is_common(
            _languages(self.counts[name]).total(), self.sizes[name]
        )

    def warnings(self, name: str, n_tokens: IntArray) -> tuple[str, ...]:
        """Return the warnings of a sample, given the number of tokens of each text, or -1."""
        shortest = 0 if self.reading is None else self.reading.min_tokens or 0
        n_short = int(((n_tokens >= 0) & (n_tokens < shortest)).sum())
        kinds, n_texts = self.counts[name], self.sizes[name]
        return unreadable_warnings(name, kinds, n_short, n_texts, self.reading)


def unreadable_warnings(
    name: str, kinds: Counter[str], n_short: int, n_texts: int, reading: Reading | None
) -> tuple[str, ...]:
    """Return a warning for each kind of text that an embedder cannot read, if it is common.

    Parameters
    ----------
    name : str
        The sample's name.
    kinds : Counter
        Result of :func:`count_unreadable`.
    n_short, n_texts : int
        Number of texts that are shorter than the embedder was made for, and of all texts.
    reading : Reading or None

    Examples
    --------
    >>> reading = Reading(min_tokens=10)
    >>> print(*unreadable_warnings("human", Counter(), 30, 100, reading))
    30.0% of the texts of 'human' have fewer than 10 tokens: so short, the embedder hardly sees \
how they are written. Compare longer texts.
    """
    if reading is None:
        return ()
    messages = []
    languages = _languages(kinds)
    if _is_common(languages.total(), n_texts):
        messages.append(
            f"{_found(name, languages, n_texts)}, and the embedder reads {reading.described}: "
            f"the score says little about them. {_remedy()}."
        )
    if _is_common(kinds[_CODE], n_texts):
        messages.append(
            f"{_share(name, kinds[_CODE], n_texts)} are code, and the embedder was made for prose: "
            "it sees less of how code is written. Use a model of code"
            f"{_by_option('NAME', 'by')} or remove these texts."
        )
    if n_short >= max(SHORT_SHARE * n_texts, 1):
        messages.append(
            f"{_share(name, n_short, n_texts)} have fewer than {reading.min_tokens} tokens: so "
            "short, the embedder hardly sees how they are written. Compare longer texts."
        )
    return tuple(messages)


def _is_common(n: int, n_texts: int) -> bool:
    return n >= max(WARN_SHARE * n_texts, 1)


def _languages(kinds: Counter[str]) -> Counter[str]:
    return Counter({kind: n for kind, n in kinds.items() if kind != _CODE})


def _share(name: str, n: int, n_texts: int) -> str:
    return f"{format_share(n / n_texts)} of the texts of '{escaped(name)}'"


def _found(name: str, languages: Counter[str], n_texts: int) -> str:
    """Return the share of texts in other languages, and the commonest of these."""
    (commonest, n), *others = languages.most_common()
    mostly = "mostly " if others and n < languages.total() else ""
    return f"{_share(name, languages.total(), n_texts)} are in other languages, {mostly}{commonest}"


def _remedy() -> str:
    return (
        f"Use a multilingual model{_by_option(_MULTILINGUAL)} or an endpoint, or remove these texts"
    )


def _by_option(value: str, how: str = "such as") -> str:
    name = either("embedder", "featurize_model_name")
    return f", {how} {option(name, value)}," if has_option(name) else ""
