"""Say in one line how a system's texts differ most plainly from human text."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mauve.arrays import FloatArray
from mauve.text.words import word_runs

Words = list[str]

_SENTENCE_ENDS = frozenset(".!?")
_N_COMMON = 50  # most frequent words
_SMALLEST = 0.2  # difference worth a line, in standard deviations


@dataclass(frozen=True)
class Property:
    """A property of texts that a number measures.

    Attributes
    ----------
    measure : callable
        Takes the texts of a sample, and of both samples; returns a value for each text.
    more, less : str
        What to say of a system with a higher or lower mean; ``{p}`` and ``{q}`` are the means
        of human text and of the system.
    """

    measure: Callable[[list[Words], list[Words]], FloatArray]
    more: str
    less: str


def _repeated(texts: list[Words], _: list[Words]) -> FloatArray:
    """Return the share of three-word sequences that occur earlier in the same text."""

    def share(words: Words) -> float:
        sequences = [tuple(words[i : i + 3]) for i in range(len(words) - 2)]
        return 1 - len(set(sequences)) / len(sequences) if sequences else 0.0

    return np.array([share(words) for words in texts])


def _shared(texts: list[Words], _: list[Words]) -> FloatArray:
    """Return the share of five-word sequences that other texts of the sample have too."""
    by_text = [{tuple(words[i : i + 5]) for i in range(len(words) - 4)} for words in texts]
    n_texts = Counter(sequence for sequences in by_text for sequence in sequences)
    return np.array(
        [sum(n_texts[s] > 1 for s in sequences) / max(len(sequences), 1) for sequences in by_text]
    )


def _common(texts: list[Words], both: list[Words]) -> FloatArray:
    """Return the share of words that are among the most frequent of both samples together.

    The most frequent words of the human sample alone are less frequent in any other sample.
    """
    counts = Counter(word for words in both for word in words)
    frequent = {word for word, _ in counts.most_common(_N_COMMON)}
    return np.array([sum(w in frequent for w in words) / max(len(words), 1) for words in texts])


def _sentence(texts: list[Words], _: list[Words]) -> FloatArray:
    """Return the mean number of words of a sentence."""
    return np.array(
        [len(words) / max(1, sum(w in _SENTENCE_ENDS for w in words)) for words in texts]
    )


PROPERTIES = (
    Property(
        _repeated,
        "repeats itself: {q:.0%} of its three-word sequences occur earlier in the same text, "
        "{p:.0%} in human text",
        "repeats itself less than people do: {q:.0%} of its three-word sequences occur earlier "
        "in the same text, {p:.0%} in human text",
    ),
    Property(
        _shared,
        "says the same in many texts: {q:.0%} of its five-word sequences occur in more than one, "
        "{p:.0%} in human text",
        "varies more from text to text than people do: {q:.0%} of its five-word sequences occur "
        "in more than one, {p:.0%} in human text",
    ),
    Property(
        _common,
        "keeps to common words: {q:.0%} of its words are among the fifty most frequent, "
        "{p:.0%} in human text",
        "avoids common words: {q:.0%} of its words are among the fifty most frequent, "
        "{p:.0%} in human text",
    ),
    Property(
        _sentence,
        "writes long sentences: {q:.0f} words, {p:.0f} in human text",
        "writes short sentences: {q:.0f} words, {p:.0f} in human text",
    ),
)


def plainest_difference(human: Sequence[str], model: Sequence[str]) -> str | None:
    """Return the property in which a system differs most from human text, as a phrase.

    Parameters
    ----------
    human, model : sequence of str

    Returns
    -------
    str or None
        None where no property differs by a fifth of a standard deviation.

    Examples
    --------
    >>> human = ["The cat sat down.", "A dog ran to the river and drank.", "It rained all day."]
    >>> print(plainest_difference(human, ["So it is, and so on."] * 3))
    says the same in many texts: 100% of its five-word sequences occur in more than one, 0% in \
human text
    """
    samples = [[word_runs(text.lower()) for text in texts] for texts in (human, model)]
    largest, line = _SMALLEST, None
    if not any(samples[1]):
        return "writes no words"
    for item in PROPERTIES:
        p, q = (item.measure(sample, samples[0] + samples[1]) for sample in samples)
        spread = float(np.sqrt((p.var() + q.var()) / 2)) or 1e-9
        difference = float(q.mean() - p.mean()) / spread
        if abs(difference) > largest:
            largest = abs(difference)
            line = (item.more if difference > 0 else item.less).format(p=p.mean(), q=q.mean())
    return line
