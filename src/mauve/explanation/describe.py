"""What a cluster is about: its words, texts, metadata and measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.explanation.cluster_measures import cluster_measures
from mauve.explanation.consensus import Consensus
from mauve.explanation.explained import PairTexts
from mauve.explanation.metadata import dominances, once_a_prompt
from mauve.explanation.results import Dominance, Phrase
from mauve.explanation.wording import PhraseTable, cluster_name

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_QUOTED = 36  # characters of a text that name a cluster


@dataclass(frozen=True)
class Describer:
    """Describes the clusters of all texts of a comparison.

    Attributes
    ----------
    consensus : Consensus
    features : array of shape (n, m)
        What was clustered.
    texts : list of str or None
        None where features were given.
    phrases : PhraseTable or None
        The same.
    measures : mapping from name to array of shape (n,)
        Of every text.
    metadata : mapping from field to list of str or None
        Values of every text.
    prompts : array of int, shape (n,), or None
        Equal for texts of one prompt.
    n_texts : int
        Examples of each kind and side.
    seed : int
    """

    consensus: Consensus
    features: NDArray[np.float32]
    texts: list[str] | None
    phrases: PhraseTable | None
    measures: Mapping[str, Array]
    metadata: Mapping[str, list[str | None]]
    prompts: NDArray[np.uint64] | None
    n_texts: int
    seed: int

    @cached_property
    def words(self) -> list[tuple[Phrase, ...]]:
        """Words of each cluster against those of all others, whoever wrote them."""
        members = self.consensus.members
        if self.phrases is None:
            return [() for _ in range(self.consensus.n_clusters)]
        return [
            self.phrases.characteristic(np.flatnonzero(members == c), np.flatnonzero(members != c))
            for c in range(self.consensus.n_clusters)
        ]

    @cached_property
    def names(self) -> list[str]:
        """A few words for each cluster, or the beginning of its most typical text."""
        return [
            cluster_name(words) or self._quoted(c) or f"cluster {c + 1}"
            for c, words in enumerate(self.words)
        ]

    def _quoted(self, c: int) -> str | None:
        if self.texts is None:
            return None
        rows = np.flatnonzero(self.consensus.members == c)
        nearest = rows[np.argmax(self.closeness[rows])]
        text = " ".join(self.texts[nearest][: 4 * _QUOTED].split())
        cut = text[:_QUOTED].rpartition(" ")[0] or text[:_QUOTED]
        shown = text if len(text) <= _QUOTED else f"{cut}…"
        return f"texts like “{shown}”" if shown else None

    @cached_property
    def stability(self) -> Array:
        """Mean typicality of the texts of each cluster."""
        members = self.consensus.members
        total = np.bincount(members, weights=self.consensus.typicality)
        return np.asarray(total / np.bincount(members))

    @cached_property
    def closeness(self) -> Array:
        """Minus the distance of every text to the centre of its cluster."""
        members = self.consensus.members
        sums = np.zeros((self.consensus.n_clusters, self.features.shape[1]))
        np.add.at(sums, members, self.features)
        means = sums / np.bincount(members)[:, None]
        return np.asarray(-np.linalg.norm(self.features - means[members], axis=1))

    def describe(self, rows: Rows, texts: PairTexts) -> list[dict[str, Any]]:
        """Return the descriptive fields of every cluster for one system.

        Parameters
        ----------
        rows : array of int, shape (n_pair,)
            Where the human texts and the system's lie among all texts.
        texts : PairTexts
            The same texts with what they add to the gap.
        """
        metadata = self._metadata(rows)
        return [self._describe(c, rows, texts, metadata[c]) for c in range(len(metadata))]

    def _describe(
        self, c: int, rows: Rows, texts: PairTexts, metadata: tuple[Dominance, ...]
    ) -> dict[str, Any]:
        inside = np.flatnonzero(texts.numbers == c + 1)
        human, model = inside[inside < texts.n_human], inside[inside >= texts.n_human]
        close = self.closeness[rows]
        found: dict[str, Any] = {
            "number": c + 1,
            "name": self.names[c],
            "stability": float(self.stability[c]),
            "words": self.words[c],
            "typical_human": texts.most(human, close, self.n_texts),
            "typical_model": texts.most(model, close, self.n_texts),
            "telling_human": texts.telling(human, self.n_texts),
            "telling_model": texts.telling(model, self.n_texts),
            "metadata": metadata,
            "measures": cluster_measures(self.measures, rows[human], rows[model]),
        }
        if self.phrases is not None:
            found["human_words"] = self.phrases.characteristic(rows[human], rows[model])
            found["model_words"] = self.phrases.characteristic(rows[model], rows[human])
        return found

    def _metadata(self, rows: Rows) -> list[tuple[Dominance, ...]]:
        n_clusters, numbers = self.consensus.n_clusters, self.consensus.members[rows] + 1
        prompts = None if self.prompts is None else self.prompts[rows]
        by_field = [
            dominances(
                field,
                once_a_prompt([own[row] for row in rows], prompts),
                numbers,
                n_clusters,
                self.seed,
            )
            for field, own in self.metadata.items()
        ]
        return [
            tuple(own for found in by_field if (own := found[c]) is not None)
            for c in range(n_clusters)
        ]
