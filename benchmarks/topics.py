"""Human texts of nine known topics, and models of which it is known what they do wrong.

The folder of real text has ``corpus/modern.txt.xz`` and ``corpus/books.txt.xz`` (documents
between lines ``<|doc|>``) and ``data/decoders`` and ``data/ghostbuster`` (JSON lines). Texts
are passages of one length, so that nothing but what they say tells topics apart.
"""

import gzip
import json
import lzma
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from mauve import get_embedder
from mauve.embed.cache import FeatureCache
from mauve.embed.cached import CachedEmbedder

#: Documents of ``modern.txt.xz`` by topic; textbooks on other subjects lie between them.
MODERN = {
    "biology": (0, 678),
    "society": (736, 930),
    "history": (1040, 1302),
    "kubernetes": (1302, 2570),
    "python": (2570, 3296),
}
RECORDS = {
    "web": "decoders/human",
    "stories": "ghostbuster/stories-human",
    "essays": "ghostbuster/essays-human",
}
TOPICS = (*MODERN, "fiction", *RECORDS)

#: What kind of source a topic is of.
KINDS = {"biology": "textbooks", "society": "textbooks", "history": "textbooks"}

_BOOKS = 30_000_000  # characters of the books that are read


@dataclass(frozen=True)
class Pool:
    """Texts with their topic and the document they stand in.

    Attributes
    ----------
    texts : list of str
    topic, document : array of int, shape (n,)
    """

    texts: list[str]
    topic: np.ndarray
    document: np.ndarray

    @cached_property
    def features(self) -> np.ndarray:
        """Features of the bundled model, shape (n, d); they are kept in its cache on disk."""
        embedder = CachedEmbedder(get_embedder("bundled"), FeatureCache())
        return embedder.embed(self.texts).features

    @cached_property
    def words(self) -> np.ndarray:
        """Words of some of the texts, as often as they occur."""
        return np.array([w for text in self.texts[::5] for w in text.split() if w.isalpha()])

    def rows(self, topic: int) -> np.ndarray:
        """Return the positions of the texts of a topic."""
        return np.flatnonzero(self.topic == topic)

    @property
    def kinds(self) -> list[str]:
        """Kind of source of each text."""
        return [KINDS.get(TOPICS[topic], TOPICS[topic]) for topic in self.topic]


def documents(shared: Path) -> dict[str, list[str]]:
    """Return the documents of every topic."""
    modern = _split(shared / "corpus" / "modern.txt.xz")
    by_topic = {topic: modern[first:end] for topic, (first, end) in MODERN.items()}
    by_topic["fiction"] = _split(shared / "corpus" / "books.txt.xz", _BOOKS)
    for topic, name in RECORDS.items():
        with gzip.open(shared / "data" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            by_topic[topic] = [json.loads(line)["text"] for line in lines]
    return by_topic


def _split(path: Path, limit: int = -1) -> list[str]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return file.read(limit).split("<|doc|>")


def passages(document: str, n_words: int, at_most: int) -> list[str]:
    """Return passages of a document, one after another."""
    words = document.split()
    starts = range(0, len(words) - n_words + 1, n_words)[:at_most]
    return [" ".join(words[start : start + n_words]) for start in starts]


def read_pool(shared: Path, n_topic: int = 800, n_words: int = 120, at_most: int = 4) -> Pool:
    """Return up to `n_topic` texts of each topic, at most so many of one document."""
    texts: list[str] = []
    topics: list[int] = []
    numbers: list[int] = []  # of the documents
    for topic, of_topic in enumerate(documents(shared).values()):
        # Neighbouring documents are of one book, so take them from everywhere.
        order = np.random.default_rng(topic).permutation(len(of_topic))
        chosen: list[tuple[str, int]] = []
        for i in order.tolist():
            chosen += [(text, i) for text in passages(of_topic[i], n_words, at_most)]
            if len(chosen) >= n_topic:
                break
        for text, i in chosen[:n_topic]:
            texts.append(text)
            topics.append(topic)
            numbers.append(topic * 100_000 + i)
    return Pool(texts, np.array(topics), np.array(numbers))


@dataclass(frozen=True)
class Planted:
    """Samples of which it is known what the second leaves out, overdoes and repeats.

    Attributes
    ----------
    human, model : array of shape (n, d)
    human_texts, model_texts : list of str
        The texts that these are features of.
    topic : array of int, shape (2 n,)
        Of all texts, human first; :data:`TEMPLATE` for the texts made of the template.
    omitted, over : int
        The topic that the model leaves out, and the one that it writes in its place.
    """

    human: np.ndarray
    model: np.ndarray
    human_texts: list[str]
    model_texts: list[str]
    topic: np.ndarray
    omitted: int
    over: int


TEMPLATE = len(TOPICS)


def plant(
    pool: Pool,
    topics: Sequence[int],
    n: int,
    seed: int,
    times: float = 3.0,
    template: float = 0.05,
) -> Planted:
    """Draw human texts, and those of a model that differs from people in three ways.

    In place of one topic the model writes of another, so many times as often as people do, and
    a share of its texts is made of one template. It has as much of all others as people, who
    write of all topics alike, but for the one that the model overdoes.
    """
    rng = np.random.default_rng([seed, n])
    omitted, over = rng.choice(topics, 2, replace=False).tolist()
    human = np.where(np.isin(np.arange(len(TOPICS)), topics), 1.0, 0.0)
    # The share of the omitted topic makes room for the template and the growth of the other.
    human *= (1 + template / (times - 1)) / (len(topics) - 1 + 1 / (times - 1))
    human[over] = (human[omitted] - template) / (times - 1)
    model = human.copy()
    model[omitted], model[over] = 0.0, times * human[over]
    n_template = round(template * n)
    of_human = rng.multinomial(n, human)
    of_model = rng.multinomial(n - n_template, model / (1 - template))
    samples: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for topic in topics:
        rows = rng.permutation(pool.rows(topic))
        ends = of_human[topic], of_human[topic] + of_model[topic]
        samples[0].append(rows[: ends[0]])
        samples[1].append(rows[ends[0] : ends[1]])
    p, q = map(np.concatenate, samples)
    # A template on the topic that is left out would be some of it, written otherwise.
    known = np.isin(pool.topic, topics) & (pool.topic != omitted)
    unused = np.setdiff1d(np.flatnonzero(known), np.concatenate([p, q]))
    repeated = fill_template(pool, pool.texts[rng.choice(unused)], n_template, rng)
    template_features = get_embedder("bundled").embed(repeated).features
    return Planted(
        pool.features[p],
        np.concatenate([pool.features[q], template_features]),
        [pool.texts[row] for row in p],
        [*(pool.texts[row] for row in q), *repeated],
        np.concatenate([pool.topic[p], pool.topic[q], np.full(n_template, TEMPLATE)]),
        omitted,
        over,
    )


def fill_template(pool: Pool, text: str, n: int, rng: np.random.Generator) -> list[str]:
    """Return copies of a text with three in ten of its words replaced, each by some other."""
    words = np.array(text.split(), dtype=object)
    is_slot = rng.random(len(words)) < 0.3
    copies = []
    for _ in range(n):
        filled = words.copy()
        filled[is_slot] = rng.choice(pool.words, is_slot.sum())
        copies.append(" ".join(filled))
    return copies


def read_books(shared: Path, n_books: int, n_words: int = 120) -> list[list[str]]:
    """Return passages of different books, eight of each.

    The file has the excerpts of a book one after another, but not where one ends. Eight in a
    row are of one book if the last has some rare names of the first.
    """
    books: list[list[str]] = []
    excerpts = _split(shared / "corpus" / "books.txt.xz")
    for start in range(0, len(excerpts) - 8, 60):
        run = excerpts[start : start + 8]
        if len(_names(run[0]) & _names(run[-1])) >= 3:
            books.append([passages(text, n_words, 1)[0] for text in run])
        if len(books) == n_books:
            break
    return books


def _names(text: str) -> set[str]:
    words = Counter(re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b", text))
    return {word for word, times in words.items() if times > 1 and word.lower() not in text}
