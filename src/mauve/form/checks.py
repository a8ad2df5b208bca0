"""The checks of form, one property of texts each; see :func:`mauve.form.check_form`."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from mauve.form.chance import Counts, copies_among, fisher, shared_by_chance, smirnov
from mauve.form.language import ANOTHER, language_of, script_of
from mauve.printable import printable

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


def check_length(human: Counts, model: Counts, unit: str, name: str) -> Iterator[Finding]:
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
    return r"'\ufffd'" if shown == "\ufffd" else f"'{printable(shown)}'"


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
