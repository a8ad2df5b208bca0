"""Checks of form: differences between human and model text that are not about content.

An embedder sees a space before the first word, a marker after the last and the number of
words as well as it sees meaning, so such a difference moves a score that should be about
the text.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import IntArray
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.text.chance import copies_among, fisher, shared_by_chance, smirnov
from mauve.text.language import ANOTHER, language_of, script_of
from mauve.text.words import checked_texts, word_counts

#: Level of each test. Ten are made (markers on each side), so texts of one source get a
#: finding in at most 1% of comparisons, and in far fewer, since size counts too.
LEVEL = 0.001

QUARTILES = {"median": 0.5, "first quartile's": 0.25, "third quartile's": 0.75}
LENGTH_RATIO = 1.2  # relevant: quartiles of length further apart than by this factor
HABIT = 0.1  # relevant difference of shares of what is no fault in itself,
FAULT = 0.01  # and of what is one
MARKERS_WRITTEN = 0.001  # share of texts that may well be about markers

_MARKER = re.compile(
    r"<\|[a-z_]{2,30}\|>|<｜[^｜\s]{2,30}｜>|</s>|<(?:eos|bos|pad|eot|eod)>"
    r"|<(?:start|end)_of_turn>|\[/?INST\]|\[(?:SEP|CLS|PAD|EOS)\]",
    re.IGNORECASE,
)
# Tabs, line breaks and form feeds belong to text; other control characters do not.
_BROKEN = re.compile("[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ud800-\udfff]")
# UTF-8 read as Latin-1 or Windows-1252: é is Ã©, ’ begins with â€, an emoji with ðŸ.
_MOJIBAKE = re.compile("[ÂÃ][\x80-\xbf]|ÃŸ|â[€\x80]|ð[Ÿ\x9f]|ï¿½|ï»¿|(?:[ÐÑ][\x80-\xbf]){2}")


Shares = tuple[float, float]  # of human texts, and of the model's


@dataclass(frozen=True)
class Finding:
    """A difference of form.

    Attributes
    ----------
    kind : str
        ``length``, ``leading_space``, ``trailing_space``, ``markers``, ``damage``,
        ``copies``, ``overlap``, ``script`` or ``language``.
    human, model : float
        The two numbers compared: median lengths for ``length``, else shares of texts.
    message : str
        What differs, by how much, and the remedy, in one sentence.
    """

    kind: str
    human: float
    model: float
    message: str


@dataclass(frozen=True)
class Sides:
    """The texts of either side, and what messages call the model."""

    human: list[str]
    model: list[str]
    name: str

    @property
    def both(self) -> tuple[list[str], list[str]]:
        """The texts of the two sides."""
        return self.human, self.model

    def differing(self, has: Callable[[str], bool], size: float) -> Shares | None:
        """Return the shares of texts that have a property, if they differ enough."""
        k_human, k_model = (sum(map(has, texts)) for texts in self.both)
        return _differing(k_human, len(self.human), k_model, len(self.model), size)

    def finding(self, kind: str, shares: Shares, what_and_remedy: str) -> Finding:
        """Return a finding on two shares of texts."""
        human, model = shares
        who = (
            f"{_percent(model)} of the texts of '{self.name}' and {_percent(human)} of human texts"
        )
        return Finding(kind, human, model, f"{who} {what_and_remedy}")


def check_length(human: IntArray, model: IntArray, unit: str, name: str) -> Iterator[Finding]:
    """Compare the lengths of texts."""
    _, _, p_value = smirnov(human, model)
    p_lengths, q_lengths = (np.quantile(side, [*QUARTILES.values()]) for side in (human, model))
    # One word more or less is no habit, whatever the test says of it.
    apart = (np.maximum(p_lengths, q_lengths) + 1) / (np.minimum(p_lengths, q_lengths) + 1)
    most = 0 if apart[0] > LENGTH_RATIO else int(np.argmax(apart))  # the median, if it will do
    if p_value < LEVEL and apart[most] > LENGTH_RATIO:
        p_length, q_length = float(p_lengths[most]), float(q_lengths[most])
        yield Finding(
            "length",
            p_length,
            q_length,
            f"The {[*QUARTILES][most]} length is {q_length:.4g} {unit} for '{name}' and "
            f"{p_length:.4g} for human texts: cut all texts to one length with --match-length.",
        )


def check_space(sides: Sides) -> Iterator[Finding]:
    """Compare how often texts start, and end, with white space."""
    remedy = "with white space: strip all texts with --strip."
    if shares := sides.differing(lambda text: text[:1].isspace(), HABIT):
        yield sides.finding("leading_space", shares, f"start {remedy}")
    if shares := sides.differing(lambda text: text[-1:].isspace(), HABIT):
        yield sides.finding("trailing_space", shares, f"end {remedy}")


def check_markers(sides: Sides) -> Iterator[Finding]:
    """Look for markers of the end of a text, which no embedder should read as text."""
    p_found, q_found = (_matches(_MARKER, texts) for texts in sides.both)
    if _too_many(len(p_found), len(sides.human)) or _too_many(len(q_found), len(sides.model)):
        shares = len(p_found) / len(sides.human), len(q_found) / len(sides.model)
        yield sides.finding(
            "markers",
            shares,
            f"hold end-of-text markers, mostly {_commonest(p_found + q_found)}: decode without "
            "special tokens, or cut each text at its first marker.",
        )


def check_damage(sides: Sides) -> Iterator[Finding]:
    """Compare how often characters are lost or garbled."""
    if shares := sides.differing(_is_damaged, FAULT):
        texts = sides.human + sides.model
        common = _commonest(_matches(_BROKEN, texts) + _matches(_MOJIBAKE, texts))
        yield sides.finding(
            "damage",
            shares,
            f"hold damaged characters, mostly {common}: write them again from their source, read "
            "as UTF-8 and not cut within a character.",
        )


def check_copies(sides: Sides) -> Iterator[Finding]:
    """Compare how often a text is a copy, of its own side or of the other one."""
    human, model = (Counter(text.strip() for text in texts) for texts in sides.both)
    n = min(len(sides.human), len(sides.model))
    k_human, k_model = (round(copies_among(np.array([*c.values()]), n)) for c in (human, model))
    if shares := _differing(k_human, n, k_model, n, FAULT):
        yield sides.finding(
            "copies",
            shares,
            f"are copies of an earlier one among {n} of their side: check that seeds and prompts "
            "differ, or remove the copies.",
        )
    times = np.array([(human[text], model[text]) for text in human | model]).T
    p_shared, q_shared = times[:, (times > 0).all(axis=0)].sum(axis=1) / times.sum(axis=1)
    if max(p_shared, q_shared) > FAULT and shared_by_chance(*times) < LEVEL:
        yield sides.finding(
            "overlap",
            (float(p_shared), float(q_shared)),
            "stand word for word on the other side too: check that no files were mixed up, or "
            "remove them from both sides.",
        )


def check_language(sides: Sides) -> Iterator[Finding]:
    """Compare the scripts of texts, and the languages of those in Latin letters."""
    p_scripts, q_scripts = ([script_of(text) for text in texts] for texts in sides.both)
    remedy = "compare texts of one language at a time."
    if found := _differing_label(p_scripts, q_scripts):
        script, shares = found
        yield sides.finding("script", shares, f"are mainly in {script} letters: {remedy}")
    p_languages, q_languages = (
        [
            language_of(text)
            for text, script in zip(texts, scripts, strict=True)
            if script == "Latin"
        ]
        for texts, scripts in zip(sides.both, (p_scripts, q_scripts), strict=True)
    )
    if found := _differing_label(p_languages, q_languages):
        language, shares = found
        yield sides.finding("language", shares, f"are in {language} by their words: {remedy}")


def _too_many(k: int, n: int) -> bool:
    """Say if `k` of `n` texts are more than chance makes of the markers people write."""
    return k > FAULT * n and float(scipy.special.bdtrc(k - 1, n, MARKERS_WRITTEN)) < LEVEL


def _commonest(found: Sequence[str]) -> str:
    shown, _ = Counter(found).most_common(1)[0]
    return r"'\ufffd'" if shown == "\ufffd" else f"'{escaped(shown)}'"


def _is_damaged(text: str) -> bool:
    if _BROKEN.search(text):
        return True
    return not text.isascii() and _MOJIBAKE.search(text) is not None


def _matches(pattern: re.Pattern[str], texts: Sequence[str]) -> list[str]:
    """Return the first match of each text that has one."""
    return [match.group() for match in map(pattern.search, texts) if match]


def _differing(
    k_human: int, n_human: int, k_model: int, n_model: int, size: float, level: float = LEVEL
) -> Shares | None:
    shares = k_human / n_human, k_model / n_model
    if abs(shares[0] - shares[1]) <= size or fisher(k_human, n_human, k_model, n_model) >= level:
        return None
    return shares


def _differing_label(human: Sequence[str], model: Sequence[str]) -> tuple[str, Shares] | None:
    """Return the label whose shares differ most, among texts with one, if enough."""
    p, q = (Counter(label for label in side if label) for side in (human, model))
    if not p or not q:
        return None
    n_human, n_model = p.total(), q.total()
    # What has a name comes first: of two languages that trade places, it says more.
    labels = sorted(p | q, key=lambda label: (label == ANOTHER, label))
    most = max(labels, key=lambda label: abs(p[label] / n_human - q[label] / n_model))
    shares = _differing(p[most], n_human, q[most], n_model, HABIT, LEVEL / len(labels))
    return (most, shares) if shares else None


def _percent(share: float) -> str:
    """Return a share as per cent, with a digit more next to none and to all."""
    digits = 1 if 0 < share < 0.1 or 0.99 < share < 1 else 0
    return f"{100 * share:.{digits}f}%"


Tokens = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class FormReport:
    """What `check_form` found.

    Attributes
    ----------
    name : str
        The system's name.
    n_human, n_model : int
        Texts on either side.
    human_length, model_length : float
        Median lengths.
    unit : str
        What they are counted in, ``tokens`` or ``words``.
    findings : tuple of Finding
        Empty where the two sides have the same form.
    """

    name: str
    n_human: int
    n_model: int
    human_length: float
    model_length: float
    unit: str
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python objects, ready for JSON."""
        return asdict(self) | {"findings": [asdict(finding) for finding in self.findings]}


def check_form(
    human: Sequence[str],
    model: Sequence[str],
    *,
    name: str,
    human_tokens: Tokens | None = None,
    model_tokens: Tokens | None = None,
) -> FormReport:
    """Find the differences between two samples of texts that are not about content.

    Parameters
    ----------
    human, model : sequence of str
        The texts of either side.
    name : str
        What messages call the model.
    human_tokens, model_tokens : array of int, shape (n,), optional
        Number of tokens of each text, for both sides or none. Words are counted instead
        where they are not given, or where one is below 0: its embedder does not say.

    Returns
    -------
    FormReport

    Notes
    -----
    A difference is reported where it is beyond chance, by a test at the level of 0.001,
    *and* large enough to matter:

    - ``length``: Smirnov's test, and a quartile that differs by a factor above 1.2.
    - ``leading_space``, ``trailing_space``: share of texts that start or end with white
      space; Fisher's exact test, and a difference above 0.1.
    - ``markers``: share of texts with ``<|endoftext|>``, ``</s>`` and the like, on either
      side and not the difference, since people do not write them: above 0.01, and more
      than chance puts into a sample where one text in 1,000 has them.
    - ``damage``: share of texts with U+FFFD, mojibake, lone surrogates or control
      characters; Fisher's test, and a difference above 0.01.
    - ``copies``: share of texts that are copies of an earlier one on their side, among as
      many texts on either side; Fisher's test, and a difference above 0.01.
    - ``overlap``: share of texts that stand on both sides; above 0.01, and more texts than
      there would be if their sides were drawn by lot.
    - ``script``: share of texts mainly in one script; Fisher's test, corrected for the
      number of scripts, and a difference above 0.1.
    - ``language``: the same for languages, told from function words, among the texts in
      Latin letters whose language can be told.

    These are at most ten tests, so two samples of one source get a finding in at most 1%
    of cases, whatever the source, unless it holds markers in more than one text of
    1,000. Tests take texts as independent. Copies and overlap are counted without the
    white space at the ends of texts, which has a check of its own.

    Examples
    --------
    >>> human = [f" and then {i} of them came." for i in range(50)]
    >>> model = [f"and then {i} of them went." for i in range(50)]
    >>> for finding in check_form(human, model, name="typical").findings:
    ...     print(finding.message)
    0% of the texts of 'typical' and 100% of human texts start with white space: strip all \
texts with --strip.
    """
    sides = Sides(checked_texts(human, "human"), checked_texts(model, name), escaped(name))
    lengths, unit = _lengths(sides, human_tokens, model_tokens)
    findings = (
        *check_length(*lengths, unit, sides.name),
        *check_space(sides),
        *check_markers(sides),
        *check_damage(sides),
        *check_copies(sides),
        *check_language(sides),
    )
    p_length, q_length = (float(np.median(side)) for side in lengths)
    return FormReport(name, len(human), len(model), p_length, q_length, unit, findings)


def _lengths(
    sides: Sides, human_tokens: Tokens | None, model_tokens: Tokens | None
) -> tuple[tuple[IntArray, IntArray], str]:
    if (human_tokens is None) != (model_tokens is None):
        missing = "human_tokens" if human_tokens is None else "model_tokens"
        raise InvalidParameterError(
            f"The '{missing}' parameter of check_form must be given where the other side's is: "
            "pass both, or none to count words."
        )
    if human_tokens is not None and model_tokens is not None:
        human = _checked_tokens(human_tokens, "human_tokens", len(sides.human))
        model = _checked_tokens(model_tokens, "model_tokens", len(sides.model))
        if min(human.min(), model.min()) >= 0:
            return (human, model), "tokens"
    return (word_counts(sides.human), word_counts(sides.model)), "words"


def _checked_tokens(tokens: Tokens, name: str, n: int) -> IntArray:
    found = np.asarray(tokens)
    if found.shape != (n,) or found.dtype.kind not in "iu":
        raise InvalidParameterError(
            f"The '{name}' parameter of check_form must hold an int for each of the {n} texts. "
            f"Got the shape {found.shape} and the type {found.dtype} instead."
        )
    return found.astype(np.int64)
