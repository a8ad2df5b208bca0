"""Test which words of the clusters differ between all human texts and all texts of a system.

A cluster that a system writes too much of may have words that the system uses less than people:
its words are those of the cluster, and say nothing about the system. Only words that differ
themselves may stand for the fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mauve.formatting import format_part_of
from mauve.inference.differences import holm
from mauve.text.chance import fisher

LEVEL = 0.05  # chance of any word at all where both samples are alike
LEAST_RATIO = 1.2  # of the two shares; a smaller difference explains nothing


@dataclass(frozen=True)
class Evidence:
    """A word or phrase that one of two samples has more often, over all of their texts.

    Attributes
    ----------
    phrase : str
        Lower case, words with spaces between them.
    n_human, n_model : int
        Human texts and texts of the system that have it.
    human_size, model_size : int
        Texts of the two samples.
    p_value : float
        Of Fisher's exact test, adjusted for all words tested.

    Examples
    --------
    >>> Evidence("as an ai", 0, 140, 500, 500, 1e-9).counted
    '28.0% of its texts, 0 of 500 human texts'
    """

    phrase: str
    n_human: int
    n_model: int
    human_size: int
    model_size: int
    p_value: float

    @property
    def human_share(self) -> float:
        """Share of the human texts that have it."""
        return self.n_human / self.human_size

    @property
    def model_share(self) -> float:
        """Share of the system's texts that have it."""
        return self.n_model / self.model_size

    @property
    def kind(self) -> str:
        """The kind of clusters that it may stand for: "over" or "under"."""
        return "over" if self.model_share > self.human_share else "under"

    @property
    def counted(self) -> str:
        """Both shares in words, the larger one first."""
        human = format_part_of(self.n_human, self.human_size, "human")
        model = format_part_of(self.n_model, self.model_size, "its")
        return f"{model}, {human}" if self.kind == "over" else f"{human}, {model}"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
        return {**vars(self), "human_share": self.human_share, "model_share": self.model_share}


def differing_words(
    phrases: Sequence[str],
    human_counts: Sequence[int],
    model_counts: Sequence[int],
    human_size: int,
    model_size: int,
) -> dict[str, Evidence]:
    """Return the words that one sample has more often than the other.

    Parameters
    ----------
    phrases : sequence of str
        Words and phrases, each once, chosen without looking at which sample a text is from.
    human_counts, model_counts : sequence of int
        Texts of each sample that have them.
    human_size, model_size : int
        Texts of the two samples.

    Returns
    -------
    dict from str to Evidence
        Those whose p-value by Fisher's exact test, adjusted by Holm's method for all of
        `phrases`, is at most 0.05, and that one sample has at least a fifth more often.

    Examples
    --------
    >>> words = differing_words(["as an ai", "season"], [0, 62], [140, 65], 500, 500)
    >>> [(word.phrase, word.kind) for word in words.values()]
    [('as an ai', 'over')]
    """
    counts = list(zip(human_counts, model_counts, strict=True))
    p_values = holm([fisher(h, human_size, m, model_size) for h, m in counts]) if counts else []
    words = {}
    for phrase, (n_human, n_model), p in zip(phrases, counts, p_values, strict=True):
        word = Evidence(phrase, int(n_human), int(n_model), human_size, model_size, float(p))
        low, high = sorted((word.human_share, word.model_share))
        if p <= LEVEL and high >= LEAST_RATIO * low:
            words[phrase] = word
    return words
