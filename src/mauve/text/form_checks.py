"""The checks of form: one function for each kind of difference between two samples."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.calls import has_option, option
from mauve.escape import escaped
from mauve.hashes import text_hashes, text_keys
from mauve.text.beginnings import begins_with, common_beginning
from mauve.text.chance import copies_among, fisher, shared_by_chance, smirnov
from mauve.text.distinction import crossfit, difference_p_value, distinction, halves
from mauve.text.form_properties import FORM_NUMBERS, FORM_SHARES
from mauve.text.language import ANOTHER, language_of
from mauve.text.properties import TextProperty, format_pair
from mauve.text.scripts import script_of
from mauve.text.shared_prompts import MOST, found_prompts
from mauve.text.view import TextView

#: Level of each of the checks for faults, and of each of the 39 for habits. Texts of one source
#: get a finding in at most 2% of comparisons, and in far fewer, since a difference must also be
#: large.
LEVEL, HABIT_LEVEL = 0.001, 0.0003

QUARTILES = {"median": 0.5, "first quartile's": 0.25, "third quartile's": 0.75}
LENGTH_RATIO = 1.2  # quartiles of length that differ by more than this factor matter
HABIT = 0.1  # difference of shares that matters for habits, such as a space before a text
DISTINCTION = 0.02  # what a habit explains of the samples that matters, such as 0% and 4% of texts
FAULT = 0.01  # share, or difference of shares, that matters for faults, such as markers
MARKERS_WRITTEN = 0.001  # share of human texts that mention markers
_ONE_LENGTH = 0.25  # what a length explains if quartiles are alike: all texts were cut to it
BEGINNING = 0.5  # share of texts with one beginning that is no chance

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
        ``length``, ``markers``, ``damage``, ``copies``, ``overlap``, ``script``, ``language``,
        ``prompt``, ``beginning``, or the key of a property of
        :mod:`mauve.text.form_properties`, such as ``blank_lines``.
    human, model : float
        The two numbers compared: a quartile for lengths, medians for other numbers, else shares
        of texts.
    message : str
        What differs, by how much, and the remedy, in one sentence.
    step : str or None
        Step of :func:`mauve.text.normalize.normalize_texts` that removes it, if there is one.
    distinction : float
        How well it alone tells the samples apart, from 0 to 1: see
        :mod:`mauve.text.distinction`.
    summary : str
        What differs and by how much, in a few words.
    """

    kind: str
    human: float
    model: float
    message: str
    step: str | None = None
    distinction: float = 0.0
    summary: str = ""


@dataclass(frozen=True)
class TextPair:
    """Human texts, the texts of a system, and its name in messages."""

    human: list[str]
    model: list[str]
    name: str

    @cached_property
    def is_model(self) -> BoolArray:
        """Whether each text, human ones first, is the system's."""
        return np.repeat([False, True], [len(self.human), len(self.model)])

    @cached_property
    def _halves(self) -> BoolArray:
        return halves(text_keys(text_hashes(self.human + self.model)))

    def distinction(self, values: FloatArray) -> float:
        """Return how well a number tells the samples apart, from 0 to 1."""
        return distinction(crossfit(values, self.is_model, self._halves), self.is_model)

    @property
    def both(self) -> tuple[list[str], list[str]]:
        """The texts of the two samples, human first."""
        return self.human, self.model

    def differing(self, has: Callable[[str], bool], size: float) -> Shares | None:
        """Return the shares of texts with a property if they differ enough, else None."""
        k_human, k_model = (sum(map(has, texts)) for texts in self.both)
        return _differing(k_human, len(self.human), k_model, len(self.model), size)

    def differing_habit(self, k_human: int, k_model: int) -> Shares | None:
        """Return the shares of texts with a habit if they differ enough, else None."""
        n_human, n_model = len(self.human), len(self.model)
        shares = k_human / n_human, k_model / n_model
        if abs(shares[0] - shares[1]) <= HABIT and share_distinction(*shares) < DISTINCTION:
            return None
        return _differing(k_human, n_human, k_model, n_model, 0, HABIT_LEVEL)

    def finding(
        self,
        kind: str,
        shares: Shares,
        what_and_remedy: str,
        step: str | None = None,
        summary: str = "",
    ) -> Finding:
        """Return a finding on two shares of texts."""
        human, model = shares
        who = (
            f"{_percent(model)} of the texts of '{self.name}' and {_percent(human)} of human texts"
        )
        message = f"{who} {what_and_remedy}"
        numbers = f"({_percent(model)}, human {_percent(human)})"
        return Finding(
            kind,
            human,
            model,
            message,
            step,
            share_distinction(human, model),
            f"{summary or kind} {numbers}",
        )


def check_length(pair: TextPair, human: IntArray, model: IntArray, unit: str) -> Iterator[Finding]:
    """Compare the lengths of texts, human and model."""
    p_lengths, q_lengths = (np.quantile(sample, [*QUARTILES.values()]) for sample in (human, model))
    # The 1 keeps a difference of one word between very short texts from counting.
    ratios = (np.maximum(p_lengths, q_lengths) + 1) / (np.minimum(p_lengths, q_lengths) + 1)
    most = 0 if ratios[0] > LENGTH_RATIO else int(np.argmax(ratios))  # the median if it differs
    explained = pair.distinction(np.concatenate([human, model]).astype(np.float64))
    # Texts cut to one length may have the same median, but spread less. A shift by a token is none.
    spread = abs(np.ptp(p_lengths) - np.ptp(q_lengths)) / (min(p_lengths[0], q_lengths[0]) + 1)
    is_cut = explained > _ONE_LENGTH and spread > LENGTH_RATIO - 1
    if smirnov(human, model) < LEVEL and (ratios[most] > LENGTH_RATIO or is_cut):
        p_length, q_length = float(p_lengths[most]), float(q_lengths[most])
        yield Finding(
            "length",
            p_length,
            q_length,
            f"The {[*QUARTILES][most]} length is {q_length:.4g} {unit} for '{pair.name}' and "
            f"{p_length:.4g} for human texts: cut all texts to one length with "
            f"{option('match_length', True)}.",
            "length",
            explained,
            f"length ({q_length:.4g} {unit}, human {p_length:.4g})",
        )


def check_habits(pair: TextPair) -> Iterator[Finding]:
    """Compare the habits of writing: white space, typography, case, marks, unfinished ends."""
    views = [TextView(text) for texts in pair.both for text in texts]
    found = {}
    for item in FORM_SHARES:
        of_human, of_model = np.split(item.of(views), [len(pair.human)])
        if shares := pair.differing_habit(int(of_human.sum()), int(of_model.sum())):
            what = f"{item.verb} {item.more}"
            said = f"{what}{_remedy(item)}.", item.step, what.removeprefix("have ")
            found[item.key] = pair.finding(item.key, shares, *said)
    # Straight quotes in place of curly ones are the same difference.
    curly, straight = found.get("curly_quotes"), found.get("straight_quotes")
    if curly and straight and (curly.model > curly.human) != (straight.model > straight.human):
        del found["straight_quotes"]
    yield from found.values()
    for item in FORM_NUMBERS:
        if item.key != "words":  # which are checked as the length
            yield from _check_number(pair, item, item.of(views))


def _check_number(pair: TextPair, item: TextProperty, values: FloatArray) -> Iterator[Finding]:
    """Compare a number that is about form, by its medians."""
    human, model = (part[~np.isnan(part)] for part in np.split(values, [len(pair.human)]))
    if min(len(human), len(model)) < 2 or np.isnan(values).mean() > 1 - HABIT:
        return
    explained = pair.distinction(values)
    if explained < HABIT or difference_p_value(values, pair.is_model) >= HABIT_LEVEL:
        return
    p, q = float(np.median(human)), float(np.median(model))
    of_human, of_model = format_pair(p, q)
    label = item.more if q > p else item.less
    if of_human != of_model:
        yield Finding(
            item.key,
            p,
            q,
            f"'{pair.name}' has {label}: {item.unit.format(of_model)} in its median text, "
            f"{item.unit.format(of_human)} in that of human texts{_remedy(item)}.",
            item.step,
            explained,
            f"{label} ({of_model}, human {of_human})",
        )


def _remedy(item: TextProperty) -> str:
    if item.step == "ends":
        return f": strip all texts with {option('strip', True)}"
    if item.step == "length":
        return f": cut all texts to one length with {option('match_length', True)}"
    if item.step is None or not has_option("normalize"):
        return ""
    return f": remove the difference{_with_step(item.step)}"


def _with_step(step: str) -> str:
    return f" with {option('normalize', step)}" if has_option("normalize") else ""


def check_beginnings(pair: TextPair) -> Iterator[Finding]:
    """Look for a beginning that most texts of one sample share, such as "Sure, here is"."""
    for texts, others in (pair.both, pair.both[::-1]):
        beginning, count = common_beginning(texts)
        # A single word, such as "The", is more often style than a phrase of the system.
        if " " not in beginning or count < BEGINNING * len(texts):
            continue
        n_others = sum(begins_with(text, beginning) for text in others)
        counts = (count, n_others) if texts is pair.human else (n_others, count)
        if shares := pair.differing_habit(*counts):
            said = f"begin with '{escaped(beginning)}': remove it if it is no part of the text."
            yield pair.finding("beginning", shares, said)


def check_prompts(pair: TextPair) -> Iterator[Finding]:
    """Look for prompts that were left in: most texts begin as one of the other sample does."""
    shares = _beginning_alike(*pair.both)
    # Texts that also begin as others of their own sample do, such as fairy tales, share a habit.
    of_one_sample = min(_beginning_alike(texts[::2], texts[1::2])[0] for texts in pair.both)
    if min(shares) > MOST and of_one_sample < min(shares) / 2:
        yield pair.finding(
            "prompt",
            shares,
            "begin as a text of the other sample does, so they hold their prompts, which makes the "
            f"samples more alike: remove them{_with_step('prompt')}.",
            "prompt",
            "prompts left in",
        )


def _beginning_alike(first: Sequence[str], second: Sequence[str]) -> Shares:
    """Return the shares of two samples' texts that begin as one of the other sample does."""
    found = found_prompts({"first": first, "second": second})
    shares = [np.count_nonzero(lengths) / max(len(lengths), 1) for lengths in found.values()]
    return shares[0], shares[1]


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


def share_distinction(p: float, q: float) -> float:
    """Return how well two shares of texts tell the samples apart, from 0 to 1.

    Examples
    --------
    >>> share_distinction(0.0, 1.0), share_distinction(0.5, 0.5)
    (1.0, 0.0)
    """
    return sum((a - b) ** 2 / (2 * (a + b)) for a, b in ((p, q), (1 - p, 1 - q)) if a + b)


def _percent(share: float) -> str:
    """Return a share in whole per cent, with a decimal below 10% and above 99%."""
    digits = 1 if 0 < share < 0.1 or 0.99 < share < 1 else 0
    return f"{100 * share:.{digits}f}%"
