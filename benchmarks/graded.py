"""Make texts of systems whose order is known, for ``benchmarks/resolution.py``.

Human text is corrupted at several strengths; the stronger corruption is the worse system:

- characters: each is dropped, or swapped with the next one, with the probability of the strength;
- words: each is replaced, with that probability, by a word drawn from those of all texts;
- sentences: the sentences of that share of the texts are shuffled.

Every text has its own random numbers, which are the same at all strengths: what a weak corruption
changes, a stronger one of its kind changes too.

An n-gram model of some of the human texts is sampled at several temperatures. Which of two
temperatures is better is known only where measures agree, so there are two chains: from 0.7 down
(*cold*) and from 1 up (*hot*). Measured once with about 660 texts per sample, of web texts and of
essays, at least 12 of 14 measures have every step of both chains in that order: MAUVE of `compare`,
of its classifier and of the paper, six others of features, and five of text. Between 0.7 and 1 they
disagree: those of text prefer 1, while the Fréchet distance, MMD and the paper's MAUVE prefer 0.7
or 0.85.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mauve import get_embedder
from mauve.arrays import FloatArray
from mauve.lm.decoding import Temperature
from mauve.lm.generation import generate
from mauve.lm.ngram import END, NGramModel
from mauve.text.read import read_texts
from mauve.text.words import tokenize

#: Strengths of each corruption, in percent; 0 is text as people wrote it.
STRENGTHS: Mapping[str, tuple[float, ...]] = {
    "characters": (0, 0.5, 1, 2, 5),
    "words": (0, 2, 5, 10, 20),
    "sentences": (0, 50, 100),
}
#: Temperatures in known order, best first.
TEMPERATURES: Mapping[str, tuple[float, ...]] = {"cold": (0.7, 0.6, 0.5), "hot": (1.0, 1.1, 1.2)}

KINDS = (*STRENGTHS, *TEMPERATURES)
UNCHANGED = "unchanged"
TOKENS = 64  # of texts of the n-gram model, and of the human texts that they are compared with
LEARNT_SHARE = 1 / 3  # of the human texts: what the n-gram model is estimated from

_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])(\s+)")


@dataclass(frozen=True)
class Graded:
    """Systems of known order, and the human texts that they are compared with.

    Attributes
    ----------
    human : list of str
    systems : dict from label to list of str
    chains : dict from kind to list of labels
        Best first.
    is_paired : bool
        Whether text i of every system is made from human text i. The two are then never in one
        comparison.
    """

    human: list[str]
    systems: dict[str, list[str]]
    chains: dict[str, list[str]]
    is_paired: bool

    @property
    def most_texts(self) -> int:
        """The largest number of texts per sample."""
        if self.is_paired:
            return len(self.human) // 2
        return min(map(len, (self.human, *self.systems.values())))

    def describe(self) -> str:
        """Return the chains and the largest n."""
        return f"{', '.join(self.chains)} up to n = {self.most_texts}"

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of n human texts and those of n texts of every system."""
        order = rng.permutation(len(self.human))
        if self.is_paired:
            return order[:n], order[n : 2 * n]
        shortest = min(map(len, self.systems.values()))
        return order[:n], rng.permutation(shortest)[:n]


def corrupt_characters(text: str, strength: float, rng: np.random.Generator) -> str:
    """Drop some characters, and swap others with the next.

    Examples
    --------
    >>> corrupt_characters("It rained all day.", 0.2, np.random.default_rng(2))
    'It aride al day.'
    """
    is_hit = rng.random(len(text)) < strength
    is_dropped = rng.random(len(text)) < 0.5
    letters = list(text)
    for i in np.flatnonzero(is_hit):
        if is_dropped[i]:
            letters[i] = ""
        elif i + 1 < len(text):
            letters[i], letters[i + 1] = letters[i + 1], letters[i]
    return "".join(letters)


def corrupt_words(
    text: str, strength: float, rng: np.random.Generator, words: Sequence[str]
) -> str:
    """Replace some words by words drawn from `words`; white space stays.

    Examples
    --------
    >>> corrupt_words("It rained all day.", 0.5, np.random.default_rng(0), ["we", "read"])
    'It read all day.'
    """
    parts = re.split(r"(\s+)", text)
    is_hit = rng.random(len(parts)) < strength
    drawn = rng.integers(len(words), size=len(parts))
    return "".join(
        words[drawn[i]] if is_hit[i] and part and not part.isspace() else part
        for i, part in enumerate(parts)
    )


def corrupt_sentences(text: str, strength: float, rng: np.random.Generator) -> str:
    """Shuffle the sentences of a text with the probability `strength`.

    Examples
    --------
    >>> corrupt_sentences("It rained. We read. Nobody came.", 1, np.random.default_rng(0))
    'Nobody came. It rained. We read.'
    """
    is_hit = rng.random() < strength
    parts = _BETWEEN_SENTENCES.split(text)
    if is_hit:
        parts[::2] = [parts[2 * i] for i in rng.permutation(len(parts[::2]))]
    return "".join(parts)


def corrupted(human: list[str], kinds: Sequence[str], seed: int) -> Graded:
    """Return human texts at all strengths of some kinds of corruption."""
    words = [word for text in human for word in text.split()]
    corrupt: dict[str, Callable[[str, float, np.random.Generator], str]] = {
        "characters": corrupt_characters,
        "words": lambda text, strength, rng: corrupt_words(text, strength, rng, words),
        "sentences": corrupt_sentences,
    }
    systems, chains = {UNCHANGED: human}, {}
    for number, (kind, strengths) in enumerate(STRENGTHS.items()):
        if kind not in kinds:
            continue
        chains[kind] = [
            f"{kind} {strength:g}%" if strength else UNCHANGED for strength in strengths
        ]
        for strength, label in zip(strengths, chains[kind], strict=True):
            if not strength:
                continue
            made = (
                corrupt[kind](text, strength / 100, np.random.default_rng([seed, number, i]))
                for i, text in enumerate(human)
            )
            # No text becomes empty: that would be another kind of corruption.
            systems[label] = [
                new if new.strip() else text for new, text in zip(made, human, strict=True)
            ]
    return Graded(human, systems, chains, is_paired=True)


@dataclass(frozen=True)
class Unending:
    """Sampling at a temperature, without the end of a text: all texts have the same length."""

    temperature: float

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return the new probabilities."""
        going_on = probabilities.copy()
        going_on[END] = 0
        return Temperature(self.temperature)(going_on)


def sampled(
    human: list[str], training: list[str] | None, kinds: Sequence[str], n_texts: int, seed: int
) -> Graded:
    """Return texts of an n-gram model at all temperatures of some chains, without prompts.

    Parameters
    ----------
    human : list of str
        Those shorter than the texts of the model are left out, and the others cut.
    training : list of str or None
        What the model is estimated from; a third of the human texts if None, and the human
        texts of the comparison are then the others.
    kinds : sequence of str
        Names of chains.
    n_texts : int
        Number of texts of every temperature.
    seed : int
        Random seed.
    """
    texts = [tokenize(text) for text in human]
    if training is None:
        order = np.random.default_rng([seed, 1]).permutation(len(texts))
        n_learnt = int(len(texts) * LEARNT_SHARE)
        learnt = [texts[i] for i in order[:n_learnt]]
        texts = [texts[i] for i in order[n_learnt:]]
    else:
        learnt = [tokenize(text) for text in training]
    model = NGramModel.fit(learnt)
    chains = {kind: [f"T = {t:g}" for t in TEMPERATURES[kind]] for kind in kinds}
    systems = {
        f"T = {t:g}": generate(model, Unending(t), [""] * n_texts, max_tokens=TOKENS, seed=seed)
        for kind in kinds
        for t in TEMPERATURES[kind]
    }
    cut = ["".join(tokens[:TOKENS]) for tokens in texts if len(tokens) >= TOKENS]
    return Graded(cut, systems, chains, is_paired=False)


def models_of(human: list[str], folder: Path) -> Graded:
    """Return the samples of models in a folder, whose last file in name order is the best."""
    paths = sorted(path for path in folder.iterdir() if ".jsonl" in path.suffixes)
    systems = {f"{folder.name}/{path.name}": read_texts(path).texts for path in reversed(paths)}
    return Graded(human, systems, {folder.name: [*systems]}, is_paired=False)


def make_graded(args: argparse.Namespace) -> list[Graded]:
    """Return the systems that the options of ``benchmarks/resolution.py`` ask for."""
    human = read_texts(args.human).texts
    training = read_texts(args.training).texts if args.training else None
    graded = []
    if kinds := [kind for kind in STRENGTHS if kind in args.kinds]:
        graded.append(corrupted(human, kinds, args.seed))
    if kinds := [kind for kind in TEMPERATURES if kind in args.kinds]:
        n_texts = 2 * min(max(args.n), len(human))
        graded.append(sampled(human, training, kinds, n_texts, args.seed))
    return graded + [models_of(human, folder) for folder in args.models]


def embed(texts: Iterable[str], name: str) -> dict[str, np.ndarray]:
    """Return the features of each text, embedded once."""
    distinct = [*dict.fromkeys(texts)]
    return dict(zip(distinct, get_embedder(name).embed(distinct).features, strict=True))
