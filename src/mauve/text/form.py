"""Check human and system texts for differences of form, such as length or white space.

An embedder sees a space before the first word, a marker after the last and the number of
words as well as it sees meaning, so such a difference changes a score that should be about
content.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy

from mauve.arrays import IntArray, IntegerArray
from mauve.calls import option, parameter
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.text.chance import copies_among, fisher, shared_by_chance, smirnov
from mauve.text.language import ANOTHER, language_of
from mauve.text.normalize import checked_texts
from mauve.text.scripts import script_of
from mauve.text.words import word_counts

#: Level of each of the ten tests, of which markers need two. Texts of one source get a finding in
#: at most 1% of comparisons, and in far fewer, since a difference must also be large.
LEVEL = 0.001

QUARTILES = {"median": 0.5, "first quartile's": 0.25, "third quartile's": 0.75}
LENGTH_RATIO = 1.2  # quartiles of length that differ by more than this factor matter
HABIT = 0.1  # difference of shares that matters for habits, such as a space before a text
FAULT = 0.01  # share, or difference of shares, that matters for faults, such as markers
MARKERS_WRITTEN = 0.001  # share of human texts that mention markers

_MARKER = re.compile(
    r"<\|[a-z_]{2,30}\|>|<｜[^｜\s]{2,30}｜>|</s>|<(?:eos|bos|pad|eot|eod)>"
    r"|<(?:start|end)_of_turn>|\[/?INST\]|\[(?:SEP|CLS|PAD|EOS)\]",
    re.IGNORECASE,
)
# Tabs, line breaks and form feeds belong to text; other control characters do not.
_BROKEN = re.compile("[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ud800-\udfff]")
# UTF-8 read as Latin-1 or Windows-1252: é is Ã©, ’ begins with â€, an emoji with ðŸ.
_MOJIBAKE = re.compile("[ÂÃ][\x80-\xbf]|ÃŸ|â[€\x80]|ð[Ÿ\x9f]|ï¿½|ï»¿|(?:[ÐÑ][\x80-\xbf]){2}")

Shares = tuple[float, float]  # of human texts, and of the system's


@dataclass(frozen=True)
class Finding:
    """A difference of form.

    Attributes
    ----------
    kind : str
        ``length``, ``leading_space``, ``trailing_space``, ``markers``, ``damage``,
        ``copies``, ``overlap``, ``script`` or ``language``.
    human, model : float
        The two numbers compared: a quartile of the lengths for ``length``, else shares of
        texts.
    message : str
        What differs, by how much, and the remedy, in one sentence.
    step : str or None
        Step of :func:`mauve.text.normalize.normalize_texts` that removes it, if there is one.
    """

    kind: str
    human: float
    model: float
    message: str
    step: str | None = None


@dataclass(frozen=True)
class FormReport:
    """Lengths and differences of form of human text and one system.

    Attributes
    ----------
    name : str
        The system's name.
    n_human, n_model : int
        Number of human texts, and of the system's.
    human_length, model_length : float
        Median lengths.
    unit : str
        Unit of the lengths, ``tokens`` or ``words``.
    findings : tuple of Finding
        Empty where the two samples have the same form.
    """

    name: str
    n_human: int
    n_model: int
    human_length: float
    model_length: float
    unit: str
    findings: tuple[Finding, ...]

    @property
    def steps(self) -> tuple[str, ...]:
        """Steps of normalisation that remove differences found here, without repetition."""
        return tuple(dict.fromkeys(found.step for found in self.findings if found.step))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python objects, ready for JSON."""
        return asdict(self) | {"findings": [asdict(finding) for finding in self.findings]}


@dataclass(frozen=True)
class TextPair:
    """Human texts, the texts of a system, and its name in messages."""

    human: list[str]
    model: list[str]
    name: str

    @property
    def both(self) -> tuple[list[str], list[str]]:
        """The texts of the two samples, human first."""
        return self.human, self.model

    def differing(self, has: Callable[[str], bool], size: float) -> Shares | None:
        """Return the shares of texts with a property if they differ enough, else None."""
        k_human, k_model = (sum(map(has, texts)) for texts in self.both)
        return _differing(k_human, len(self.human), k_model, len(self.model), size)

    def finding(self, kind: str, shares: Shares, what_and_remedy: str) -> Finding:
        """Return a finding on two shares of texts."""
        human, model = shares
        who = (
            f"{_percent(model)} of the texts of '{self.name}' and {_percent(human)} of human texts"
        )
        return Finding(kind, human, model, f"{who} {what_and_remedy}")


def check_form(
    human: Sequence[str],
    model: Sequence[str],
    *,
    name: str,
    human_tokens: IntegerArray | None = None,
    model_tokens: IntegerArray | None = None,
) -> FormReport:
    """Find the differences between two samples of texts that are not about content.

    Parameters
    ----------
    human, model : sequence of str
        Human texts, and those of the system.
    name : str
        Name of the system in messages.
    human_tokens, model_tokens : array of int, shape (n,), optional
        Number of tokens of each text, for both samples or none. Without them, or where one is
        below 0 because the embedder does not count tokens, words are counted.

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
    - ``markers``: share of texts with ``<|endoftext|>``, ``</s>`` and the like, in either
      sample and not the difference, since people do not write them: above 0.01, and more
      than expected by chance where one text in 1,000 has them.
    - ``damage``: share of texts with U+FFFD, mojibake, lone surrogates or control
      characters; Fisher's test, and a difference above 0.01.
    - ``copies``: share of texts that are copies of an earlier one in their sample, among as
      many texts of either sample; Fisher's test, and a difference above 0.01.
    - ``overlap``: share of texts that stand in both samples; above 0.01, and more texts than
      expected if texts were assigned to samples at random.
    - ``script``: share of texts mainly in one script; Fisher's test, corrected for the
      number of scripts, and a difference above 0.1.
    - ``language``: the same for languages, recognised by function words, among the texts in
      Latin letters whose language is recognised.

    These are at most ten tests, so two samples of one source get a finding in at most 1%
    of cases, whatever the source, unless it holds markers in more than one text of
    1,000. The tests assume independent texts. Copies and overlap are counted without the
    white space at the ends of texts, which has a check of its own.

    Examples
    --------
    >>> human = [f" and then {i} of them came." for i in range(50)]
    >>> model = [f"and then {i} of them went." for i in range(50)]
    >>> for finding in check_form(human, model, name="typical").findings:
    ...     print(finding.message)
    0% of the texts of 'typical' and 100% of human texts start with white space: strip all \
texts with strip=True.
    """
    pair = TextPair(checked_texts(human, "human"), checked_texts(model, name), escaped(name))
    lengths, unit = _lengths(pair, human_tokens, model_tokens)
    findings = (
        *check_length(*lengths, unit, pair.name),
        *check_space(pair),
        *check_markers(pair),
        *check_damage(pair),
        *check_copies(pair),
        *check_language(pair),
    )
    p_length, q_length = (float(np.median(sample)) for sample in lengths)
    return FormReport(name, len(human), len(model), p_length, q_length, unit, findings)


def _lengths(
    pair: TextPair, human_tokens: IntegerArray | None, model_tokens: IntegerArray | None
) -> tuple[tuple[IntArray, IntArray], str]:
    if (human_tokens is None) != (model_tokens is None):
        missing = "human_tokens" if human_tokens is None else "model_tokens"
        raise InvalidParameterError(
            f"{parameter(missing)} must be given where the other sample's is: "
            "pass both, or none to count words."
        )
    if human_tokens is not None and model_tokens is not None:
        human = _checked_tokens(human_tokens, "human_tokens", len(pair.human))
        model = _checked_tokens(model_tokens, "model_tokens", len(pair.model))
        if min(human.min(), model.min()) >= 0:
            return (human, model), "tokens"
    return (word_counts(pair.human), word_counts(pair.model)), "words"


def _checked_tokens(tokens: IntegerArray, name: str, n: int) -> IntArray:
    counts = np.asarray(tokens)
    if counts.shape != (n,) or counts.dtype.kind not in "iu":
        raise InvalidParameterError(
            f"{parameter(name)} must hold an int for each of the {n} texts. "
            f"Got the shape {counts.shape} and the type {counts.dtype} instead."
        )
    return counts.astype(np.int64)


def check_length(human: IntArray, model: IntArray, unit: str, name: str) -> Iterator[Finding]:
    """Compare the lengths of texts."""
    p_lengths, q_lengths = (np.quantile(sample, [*QUARTILES.values()]) for sample in (human, model))
    # The 1 keeps a difference of one word between very short texts from counting.
    ratios = (np.maximum(p_lengths, q_lengths) + 1) / (np.minimum(p_lengths, q_lengths) + 1)
    most = 0 if ratios[0] > LENGTH_RATIO else int(np.argmax(ratios))  # the median if it differs
    if smirnov(human, model) < LEVEL and ratios[most] > LENGTH_RATIO:
        p_length, q_length = float(p_lengths[most]), float(q_lengths[most])
        yield Finding(
            "length",
            p_length,
            q_length,
            f"The {[*QUARTILES][most]} length is {q_length:.4g} {unit} for '{name}' and "
            f"{p_length:.4g} for human texts: cut all texts to one length with "
            f"{option('match_length', True)}.",
        )


def check_space(pair: TextPair) -> Iterator[Finding]:
    """Compare how often texts start, and end, with white space."""
    remedy = f"with white space: strip all texts with {option('strip', True)}."
    if shares := pair.differing(lambda text: text[:1].isspace(), HABIT):
        yield pair.finding("leading_space", shares, f"start {remedy}")
    if shares := pair.differing(lambda text: text[-1:].isspace(), HABIT):
        yield pair.finding("trailing_space", shares, f"end {remedy}")


def check_markers(pair: TextPair) -> Iterator[Finding]:
    """Look for markers of the end of a text, which no embedder should read as text."""
    p_markers, q_markers = (_matches(_MARKER, texts) for texts in pair.both)
    n_human, n_model = len(pair.human), len(pair.model)
    if _too_many(len(p_markers), n_human) or _too_many(len(q_markers), n_model):
        shares = len(p_markers) / n_human, len(q_markers) / n_model
        yield pair.finding(
            "markers",
            shares,
            f"hold end-of-text markers, mostly {_commonest(p_markers + q_markers)}: decode without "
            "special tokens, or cut each text at its first marker.",
        )


def check_damage(pair: TextPair) -> Iterator[Finding]:
    """Compare how often characters are lost or garbled."""
    if shares := pair.differing(_is_damaged, FAULT):
        texts = pair.human + pair.model
        common = _commonest(_matches(_BROKEN, texts) + _matches(_MOJIBAKE, texts))
        yield pair.finding(
            "damage",
            shares,
            f"hold damaged characters, mostly {common}: write them again from their source, read "
            "as UTF-8 and not cut within a character.",
        )


def check_copies(pair: TextPair) -> Iterator[Finding]:
    """Compare how often a text is a copy of another one, in its sample or in the other."""
    human, model = (Counter(text.strip() for text in texts) for texts in pair.both)
    n = min(len(pair.human), len(pair.model))
    k_human, k_model = (round(copies_among(np.array([*c.values()]), n)) for c in (human, model))
    if shares := _differing(k_human, n, k_model, n, FAULT):
        yield pair.finding(
            "copies",
            shares,
            f"are copies of an earlier text, among {n} of each sample: check that random seeds and "
            "prompts differ, or remove the copies.",
        )
    times = np.array([(human[text], model[text]) for text in human | model]).T
    p_shared, q_shared = times[:, (times > 0).all(axis=0)].sum(axis=1) / times.sum(axis=1)
    if max(p_shared, q_shared) > FAULT and shared_by_chance(*times) < LEVEL:
        yield pair.finding(
            "overlap",
            (float(p_shared), float(q_shared)),
            "also stand in the other sample, word for word: check that no files were mixed up, or "
            "remove them from both samples.",
        )


def check_language(pair: TextPair) -> Iterator[Finding]:
    """Compare the scripts of texts, and the languages of those in Latin letters."""
    p_scripts, q_scripts = ([script_of(text) for text in texts] for texts in pair.both)
    remedy = "compare texts of one language at a time."
    if difference := _differing_label(p_scripts, q_scripts):
        script, shares = difference
        yield pair.finding("script", shares, f"are mainly in {script} letters: {remedy}")
    p_languages, q_languages = (
        [
            language_of(text)
            for text, script in zip(texts, scripts, strict=True)
            if script == "Latin"
        ]
        for texts, scripts in zip(pair.both, (p_scripts, q_scripts), strict=True)
    )
    if difference := _differing_label(p_languages, q_languages):
        language, shares = difference
        yield pair.finding("language", shares, f"are in {language} by their words: {remedy}")


def _too_many(k: int, n: int) -> bool:
    """Return whether `k` of `n` texts with markers are more than expected of human writers."""
    return k > FAULT * n and float(scipy.special.bdtrc(k - 1, n, MARKERS_WRITTEN)) < LEVEL


def _commonest(matches: Sequence[str]) -> str:
    commonest, _ = Counter(matches).most_common(1)[0]
    return r"'\ufffd'" if commonest == "\ufffd" else f"'{escaped(commonest)}'"


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
    p, q = (Counter(label for label in labels if label) for labels in (human, model))
    if not p or not q:
        return None
    n_human, n_model = p.total(), q.total()
    # Of two languages that differ equally, the one with a name says more, so it comes first.
    labels = sorted(p | q, key=lambda label: (label == ANOTHER, label))
    most = max(labels, key=lambda label: abs(p[label] / n_human - q[label] / n_model))
    shares = _differing(p[most], n_human, q[most], n_model, HABIT, LEVEL / len(labels))
    return (most, shares) if shares else None


def _percent(share: float) -> str:
    """Return a share in whole per cent, with a decimal below 10% and above 99%."""
    digits = 1 if 0 < share < 0.1 or 0.99 < share < 1 else 0
    return f"{100 * share:.{digits}f}%"
