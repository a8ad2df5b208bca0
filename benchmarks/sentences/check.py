"""Read the sentences of an explanation, and check each against counts of its texts."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy

from mauve import Cluster, Explanation
from mauve.explanation.headlines import both_shares, headline, words_note
from mauve.explanation.property_results import DifferingProperties

from .numbers import NUMBERS, SHARES, Number
from .words import has_words, runs_of, words_of

#: What a number is called if it is higher and if it is lower, by its unit.
LABELS = {
    "words": ("Longer texts", "Shorter texts"),
    "sentences": ("More sentences per text", "Fewer sentences per text"),
    "words per sentence": ("Longer sentences", "Shorter sentences"),
    "letters per word": ("Longer words", "Shorter words"),
    "characters per line": ("Longer lines", "Shorter lines"),
    "% of letters are capitals": ("More capital letters", "Fewer capital letters"),
    "% of three-word sequences occur earlier in the same text": (
        "More repetition within a text",
        "Less repetition within a text",
    ),
    "% of the first 100 words are different": (
        "A more varied vocabulary",
        "A less varied vocabulary",
    ),
    "% of words are among the 50 most frequent": ("More common words", "Fewer common words"),
    "% of words are in no other text": ("More rare words", "Fewer rare words"),
    "sequences of 5 words that four or more other texts have too": (
        "More wording shared between texts",
        "Less wording shared between texts",
    ),
    "% of long words are in the prompt": (
        "More words of the prompt",
        "Fewer words of the prompt",
    ),
}

_NUMBER = r"-?[\d,]+(?:\.\d+)?"
_SHARE = r"<?[\d.]+"


@dataclass(frozen=True)
class Counted:
    """The texts that a sentence is about, and what is counted in them.

    Attributes
    ----------
    human, model : list of str
    others : list of str
        Texts of other systems of the comparison.
    prompts : tuple of lists of str, or None
        Of the human texts and of the system's.
    """

    human: list[str]
    model: list[str]
    others: list[str] = field(default_factory=list)
    prompts: tuple[Sequence[str], Sequence[str]] | None = None

    @cached_property
    def _known(self) -> dict[str, list[Number]]:
        return {}

    @property
    def both(self) -> tuple[list[str], list[str]]:
        """Human texts and those of the system."""
        return self.human, self.model

    def shares(self, has: Callable[[str], bool]) -> tuple[float, float]:
        """Return the shares of human texts, and of the system's, that have something."""
        human, model = (sum(map(has, texts)) / len(texts) for texts in self.both)
        return human, model

    def values(self, name: str) -> list[Number] | None:
        """Return a number for each text, human ones first; None if the name is not known."""
        of_pair = {
            "% of words are among the 50 most frequent": self._common,
            "% of words are in no other text": self._rare,
            "sequences of 5 words that four or more other texts have too": self._templates,
            "% of long words are in the prompt": self._copied,
        }
        if name not in self._known:
            if name in of_pair:
                self._known[name] = of_pair[name]()
            elif name in NUMBERS:
                self._known[name] = [NUMBERS[name](text) for texts in self.both for text in texts]
        return self._known.get(name)

    def numbers(self, name: str) -> tuple[list[float], list[float]] | None:
        """Return the numbers of the texts of both samples for which they are defined."""
        values = self.values(name)
        if values is None:
            return None
        parts = values[: len(self.human)], values[len(self.human) :]
        human, model = ([value for value in part if value is not None] for part in parts)
        return human, model

    @cached_property
    def _words(self) -> list[tuple[str, ...]]:
        return [words_of(text) for texts in self.both for text in texts]

    def _percent(self, wanted: set[str]) -> list[Number]:
        return [
            100 * sum(word in wanted for word in words) / len(words) if words else None
            for words in self._words
        ]

    def _common(self) -> list[Number]:
        totals = Counter(word for words in self._words for word in words)
        return self._percent({*sorted(totals, key=lambda word: (-totals[word], word))[:50]})

    def _rare(self) -> list[Number]:
        n_texts = Counter(word for words in self._words for word in {*words})
        return self._percent({word for word, n in n_texts.items() if n == 1})

    def _templates(self) -> list[Number]:
        every = [
            {run[i : i + 5] for run in runs_of(text) for i in range(len(run) - 4)}
            for text in (*self.human, *self.model, *self.others)
        ]
        n_texts = Counter(sequence for sequences in every for sequence in sequences)
        pair = every[: len(self.human) + len(self.model)]
        return [float(sum(n_texts[s] >= 5 for s in sequences)) for sequences in pair]

    def _copied(self) -> list[Number]:
        if self.prompts is None:
            return []
        prompts = [words_of(prompt) for sample in self.prompts for prompt in sample]
        values: list[Number] = []
        for words, prompt in zip(self._words, prompts, strict=True):
            long = {word for word in words if len(word) >= 4}
            values.append(100 * len(long & {*prompt}) / len(long) if long else None)
        return values


def _agrees(printed: str, counted: float) -> bool:
    """Whether a number is what is printed, to its last digit."""
    digits = len(printed.partition(".")[2])
    return abs(float(printed.replace(",", "")) - counted) <= 0.5 * 10**-digits + 1e-6


def _share_agrees(printed: str, counted: float) -> bool:
    if printed.startswith("<"):
        return 0 < counted < 0.001
    if printed in ("0", "100"):  # printed without a decimal where it is exactly so
        return counted == float(printed) / 100
    return _agrees(printed, 100 * counted)


def _thing(what: str, texts: Counted) -> Callable[[str], bool] | None:
    """Return what tells whether a text has what a sentence says of it, None if unknown."""
    if what in SHARES:
        return SHARES[what]
    if phrase := re.fullmatch(r"have the words? “(.+)”", what):
        return lambda text: has_words(text, phrase[1])
    if beginning := re.fullmatch(r"begin with “(.+)”", what):
        words = beginning[1].split()
        return lambda text: text.split()[: len(words)] == words
    if exact := re.fullmatch(rf"have exactly ({_NUMBER}) (words|sentences)", what):
        n = float(exact[1].replace(",", ""))
        return lambda text: NUMBERS[exact[2]](text) == n
    if above := re.fullmatch(rf"have more than ({_NUMBER}) (.+?)(?: per 100 words)?", what):
        if above[2] in NUMBERS:
            limit = float(above[1].replace(",", ""))
            return lambda text: (NUMBERS[above[2]](text) or 0) > limit
        return None
    if what.startswith("have ") and what[5:] in NUMBERS:
        return lambda text: (NUMBERS[what[5:]](text) or 0) > 0
    return None


def holds(sentence: str, texts: Counted) -> bool | None:
    """Whether a sentence is true of the texts; None if it cannot be read."""
    if shares := re.fullmatch(
        rf"({_SHARE})% of its texts (.+), ({_SHARE})% of human texts do\.", sentence
    ):
        has = _thing(shares[2], texts)
        if has is None:
            return None
        human, model = texts.shares(has)
        return _share_agrees(shares[1], model) and _share_agrees(shares[3], human)
    if above := re.fullmatch(
        rf"In ({_SHARE})% of its texts more than ({_NUMBER})(% .+), in ({_SHARE})% of human "
        r"texts\.",
        sentence,
    ):
        numbers = texts.numbers(above[3])
        if numbers is None:
            return None
        limit = float(above[2].replace(",", ""))
        human, model = (sum(x > limit for x in values) / len(values) for values in numbers)
        return _share_agrees(above[1], model) and _share_agrees(above[4], human)
    if means := re.fullmatch(
        rf"([^:]+): on average ({_NUMBER})(.+), ({_NUMBER})%? in human texts\.", sentence
    ):
        return _means_hold(means, texts)
    if spread := re.fullmatch(
        rf"Varies (less|more) from text to text: ({_NUMBER}) to ({_NUMBER})(.+?) in the middle "
        rf"half of its texts, ({_NUMBER}) to ({_NUMBER})%? in that of human texts\.",
        sentence,
    ):
        return _quartiles_hold(spread, texts)
    return None


def _means_hold(means: re.Match[str], texts: Counted) -> bool | None:
    label, unit = means[1], means[3].strip()
    if unit == "per 100 words":
        direction, _, unit = label.partition(" ")
        is_more = {"More": True, "Fewer": False}.get(direction)
    else:
        labels = LABELS.get(unit, ())
        is_more = labels.index(label) == 0 if label in labels else None
    numbers = texts.numbers(unit)
    if numbers is None or is_more is None:
        return None
    human, model = map(math.fsum, numbers)
    human, model = human / len(numbers[0]), model / len(numbers[1])
    return _agrees(means[2], model) and _agrees(means[4], human) and (model > human) == is_more


def _quartiles_hold(spread: re.Match[str], texts: Counted) -> bool | None:
    unit = spread[4].strip().removesuffix(" per 100 words")
    numbers = texts.numbers(unit)
    if numbers is None:
        return None
    # Python's own quantiles, which interpolate as NumPy's do with the method "inclusive".
    human, model = (_quartiles(values) for values in numbers)
    printed = (spread[5], spread[6]), (spread[2], spread[3])
    fits = all(
        _agrees(said, value)
        for pair, counted in zip(printed, (human, model), strict=True)
        for said, value in zip(pair, counted, strict=True)
    )
    return fits and (model[1] - model[0] < human[1] - human[0]) == (spread[1] == "less")


def _quartiles(values: Sequence[float]) -> tuple[float, float]:
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, third


def reason_holds(reason: str, text: str, texts: Counted) -> bool | None:
    """Whether what is said of one text is true of it."""
    if lacks := re.fullmatch(r"does not (.+)", reason):
        has = _thing(lacks[1], texts)
        return None if has is None else not has(text)
    if reason == "has a capital letter":
        return any(map(str.isupper, text))
    if number := re.fullmatch(rf"({_NUMBER}(?:e[+-]\d+)?)(.+?)(?: per 100 words)?", reason):
        name = number[2].strip()
        if name in NUMBERS:
            value = NUMBERS[name](text)
        else:
            return None if name not in LABELS else _in_pair(number[1], name, text, texts)
        return value is not None and _shown(value) == number[1]
    verb, _, rest = reason.partition(" ")
    said = f"{'have' if verb == 'has' else verb.removesuffix('s')} {rest}"
    has = _thing(said, texts)
    return None if has is None else has(text)


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


def _in_pair(printed: str, name: str, text: str, texts: Counted) -> bool | None:
    values = texts.values(name)
    if values is None:
        return None
    of_text = values[[*texts.human, *texts.model].index(text)]
    return of_text is not None and _shown(of_text) == printed


def part_holds(part: str, counts: tuple[int, int], texts: Counted) -> bool:
    """Whether a part such as "28.0% of its texts" or "0 of 500 human texts" is true.

    Parameters
    ----------
    part : str
    counts : tuple of int
        Human texts, and texts of the system, that were counted.
    texts : Counted
    """
    place = 0 if "human" in part else 1
    count, total = counts[place], len(texts.both[place])
    if "%" in part:
        return _share_agrees(part.partition("%")[0], count / total)
    return re.findall(r"[\d,]+", part) == [f"{count:,}", f"{total:,}"]


def check_properties(
    found: DifferingProperties, texts: Counted
) -> Iterator[tuple[str, bool | None]]:
    """Yield the sentences about two samples, and whether each is true."""
    for difference in found.ranked:
        yield difference.sentence, holds(difference.sentence, texts)


def check_explanation(
    explanation: Explanation, name: str, texts: Counted
) -> Iterator[tuple[str, bool | None]]:
    """Yield all that an explanation says of a system in words, and whether it is true."""
    system = explanation[name]
    if system.properties is not None:
        yield from check_properties(system.properties, texts)
    for cluster in system.clusters:
        inside = {i for i, c in enumerate(system.pair.numbers.tolist()) if c == cluster.number}
        yield from _check_cluster(cluster, inside, texts)
        yield from _check_note(cluster, system.clusters, texts)
    for share in (*system.machine_like(20), *system.uncovered(20)):
        for reason in share.reasons:
            verdict = reason_holds(reason, share.text or "", texts)
            yield f"{share.sample}, text {share.index}: {reason}", verdict


_PART = r"<?[\d.]+% of (?:human|its) texts|[\d,]+ of (?:its )?[\d,]+ (?:human )?texts"


def _check_cluster(
    cluster: Cluster, inside: set[int], texts: Counted
) -> Iterator[tuple[str, bool | None]]:
    n = len(texts.human)
    every = [*texts.human, *texts.model]
    sizes = sum(i < n for i in inside), sum(i >= n for i in inside)
    for part in re.findall(_PART, both_shares(cluster)):
        yield f"cluster {cluster.number}: {part}", part_holds(part, sizes, texts)
    for word, counted in re.findall(r"“([^”]+)” \(([^)]*)\)", headline(cluster)):
        has = tuple(sum(has_words(text, word) for text in sample) for sample in texts.both)
        for part in re.findall(_PART, counted):
            yield f"cluster {cluster.number}: “{word}” {part}", part_holds(part, has, texts)
    for evidence in cluster.evidence:
        human, model = (
            sum(has_words(text, evidence.phrase) for text in sample) for sample in texts.both
        )
        right = (human, model) == (evidence.n_human, evidence.n_model)
        more = model / len(texts.model) > human / len(texts.human)
        yield f"“{evidence.phrase}” {evidence.counted}", right and more == (cluster.kind == "over")
    of_human = [i for i in inside if i < n]
    of_model = [i for i in inside if i >= n]
    for words, *groups in (
        (cluster.human_words, of_human, of_model),
        (cluster.model_words, of_model, of_human),
    ):
        for phrase in words:
            counts = [sum(has_words(every[i], phrase.phrase) for i in rows) for rows in groups]
            shares = [count / max(1, len(rows)) for count, rows in zip(counts, groups, strict=True)]
            said = f"“{phrase.phrase}” {phrase.shown_share}, {phrase.shown_other_share}"
            right = (
                np.allclose(shares, [phrase.share, phrase.other_share]) and shares[0] > shares[1]
            )
            yield f"cluster {cluster.number}: {said}", bool(right)


def _check_note(
    cluster: Cluster, clusters: Sequence[Cluster], texts: Counted
) -> Iterator[tuple[str, bool | None]]:
    """Check that no word of a cluster differs where it is said that none does."""
    note = words_note(cluster)
    if note is None:
        return
    phrases = [*dict.fromkeys(word.phrase for other in clusters for word in other.words)]
    counts = {p: [sum(has_words(t, p) for t in sample) for sample in texts.both] for p in phrases}
    sizes = len(texts.human), len(texts.model)
    p_values = {
        phrase: scipy.stats.fisher_exact([[h, sizes[0] - h], [m, sizes[1] - m]]).pvalue
        for phrase, (h, m) in counts.items()
    }
    # Holm: the k-th smallest of n, times n - k + 1, and never below one before it.
    significant, worst = set(), 0.0
    for k, phrase in enumerate(sorted(phrases, key=p_values.__getitem__)):
        worst = max(worst, p_values[phrase] * (len(phrases) - k))
        if worst <= 0.05:
            significant.add(phrase)
    for word in cluster.words:
        human, model = (c / size for c, size in zip(counts[word.phrase], sizes, strict=True))
        more, less = (model, human) if cluster.kind == "over" else (human, model)
        differs = word.phrase in significant and more >= 1.2 * less and more > less
        yield f"{cluster.number} note on “{word.phrase}”", not differs
