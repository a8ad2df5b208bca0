"""Texts of a system and of people in, one line on the plainest difference out."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mauve.arrays import FloatArray
from mauve.text.words import word_runs

Words = list[str]

_SENTENCE_ENDS = frozenset(".!?")
_COMMON = 50  # words
_SMALL = 0.2  # standard deviations: below, a difference is not worth a line


@dataclass(frozen=True)
class Symptom:
    """A statistic of texts, and what to say where a system has more of it, or less."""

    measure: Callable[[list[Words], list[Words]], FloatArray]
    more: str
    less: str


def _repeated(texts: list[Words], _: list[Words]) -> FloatArray:
    """Return the share of three-word sequences that stand in the same text before."""

    def share(words: Words) -> float:
        found = [tuple(words[i : i + 3]) for i in range(len(words) - 2)]
        return 1 - len(set(found)) / len(found) if found else 0.0

    return np.array([share(words) for words in texts])


def _shared(texts: list[Words], _: list[Words]) -> FloatArray:
    """Return the share of five-word sequences that other texts of the sample have too."""
    own = [{tuple(words[i : i + 5]) for i in range(len(words) - 4)} for words in texts]
    owners = Counter(sequence for sequences in own for sequence in sequences)
    return np.array(
        [sum(owners[s] > 1 for s in sequences) / max(len(sequences), 1) for sequences in own]
    )


def _common(texts: list[Words], every: list[Words]) -> FloatArray:
    """Return the share of words that are among the most frequent of both sides together.

    Those of the human side alone would be a little less frequent in any other sample.
    """
    counts = Counter(word for words in every for word in words)
    frequent = {word for word, _ in counts.most_common(_COMMON)}
    return np.array([sum(w in frequent for w in words) / max(len(words), 1) for words in texts])


def _sentence(texts: list[Words], _: list[Words]) -> FloatArray:
    """Return the words of a sentence."""
    return np.array(
        [len(words) / max(1, sum(w in _SENTENCE_ENDS for w in words)) for words in texts]
    )


SYMPTOMS = (
    Symptom(
        _repeated,
        "repeats itself: {q:.0%} of its three-word sequences stand in the same text before, "
        "{p:.0%} in human text",
        "repeats itself less than people do: {q:.0%} of its three-word sequences stand in the "
        "same text before, {p:.0%} in human text",
    ),
    Symptom(
        _shared,
        "says the same in many texts: {q:.0%} of its five-word sequences stand in more than one, "
        "{p:.0%} in human text",
        "varies more from text to text than people do: {q:.0%} of its five-word sequences stand "
        "in more than one, {p:.0%} in human text",
    ),
    Symptom(
        _common,
        "keeps to common words: {q:.0%} of its words are among the fifty most frequent, "
        "{p:.0%} in human text",
        "avoids common words: {q:.0%} of its words are among the fifty most frequent, "
        "{p:.0%} in human text",
    ),
    Symptom(
        _sentence,
        "writes long sentences: {q:.0f} words, {p:.0f} in human text",
        "writes short sentences: {q:.0f} words, {p:.0f} in human text",
    ),
)


def plainest_symptom(human: Sequence[str], model: Sequence[str]) -> str | None:
    """Return what tells a system's texts from human ones most plainly, of a few statistics.

    Parameters
    ----------
    human, model : sequence of str

    Returns
    -------
    str or None
        None where no statistic differs by a fifth of a standard deviation.

    Examples
    --------
    >>> human = ["The cat sat down.", "A dog ran to the river and drank.", "It rained all day."]
    >>> print(plainest_symptom(human, ["So it is, and so on."] * 3))
    says the same in many texts: 100% of its five-word sequences stand in more than one, 0% in \
human text
    """
    sides = [[word_runs(text.lower()) for text in texts] for texts in (human, model)]
    best, line = _SMALL, None
    if not any(sides[1]):
        return "writes no words"
    for symptom in SYMPTOMS:
        p, q = (symptom.measure(side, sides[0] + sides[1]) for side in sides)
        spread = float(np.sqrt((p.var() + q.var()) / 2)) or 1e-9
        distance = float(q.mean() - p.mean()) / spread
        if abs(distance) > best:
            best = abs(distance)
            line = (symptom.more if distance > 0 else symptom.less).format(p=p.mean(), q=q.mean())
    return line
