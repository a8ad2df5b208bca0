"""What a cluster is about: its words, texts, metadata and measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray, HashArray, IntArray, IntegerArray
from mauve.embed.protocol import Progress
from mauve.errors import InvalidParameterError
from mauve.explanation.clusters import Consensus
from mauve.explanation.explained import PairTexts
from mauve.explanation.metadata import dominances, once_a_prompt
from mauve.explanation.results import ClusterMeasure, Dominance, Phrase
from mauve.explanation.wording import PhraseTable, cluster_name
from mauve.lm.protocol import TokenScorer
from mauve.measures.repetition import repeated_lengths
from mauve.measures.tokenizers import Words
from mauve.text.words import word_counts


def text_measures(
    texts: Sequence[str], scorer: TokenScorer | None = None, on_progress: Progress | None = None
) -> dict[str, FloatArray]:
    """Return measures of each text, from which those of any group of texts follow.

    Parameters
    ----------
    texts : sequence of str
        Of all samples, one after another.
    scorer : TokenScorer, optional
        For perplexity; without one it is left out.
    on_progress : callable, optional

    Returns
    -------
    dict of str to array of shape (n,)
        ``"words"``; ``"repetition"``, 1 where a text ends in two copies of a phrase or more,
        else 0; with a scorer also ``"perplexity"``, the mean negative log-probability of a
        token, which is NaN for a text without tokens, and ``"tokens"``, how many there are.

    Examples
    --------
    >>> found = text_measures(["One and one.", "No and no and no and"])
    >>> found["words"].tolist(), found["repetition"].tolist()
    ([3.0, 6.0], [0.0, 1.0])
    """
    (table,) = Words().tables([texts])
    found = {
        "words": word_counts(texts).astype(np.float64),
        "repetition": (repeated_lengths(table) > 0).astype(np.float64),
    }
    if scorer is not None:
        scores = scorer.log_probabilities(texts, on_progress)
        tokens = np.array([len(own) for own in scores], dtype=np.float64)
        surprise = np.array([-own.mean() if len(own) else np.nan for own in scores])
        if not np.isfinite(surprise[tokens > 0]).all():
            bad = int(np.flatnonzero((tokens > 0) & ~np.isfinite(surprise))[0])
            raise InvalidParameterError(
                "The texts must have finite log-probabilities under the language model. "
                f"Got {-surprise[bad]} at position {bad} instead: use another model."
            )
        found |= {"perplexity": surprise, "tokens": tokens}
    return found


def cluster_measures(
    per_text: Mapping[str, FloatArray], human_rows: IntegerArray, model_rows: IntegerArray
) -> tuple[ClusterMeasure, ...]:
    r"""Return the measures of a cluster, of either side.

    Parameters
    ----------
    per_text : mapping of str to array of shape (n,)
        From :func:`text_measures`.
    human_rows, model_rows : array of int
        Texts of either side in the cluster.

    Returns
    -------
    tuple of ClusterMeasure
        A side without texts has None, and so has the perplexity of a side without tokens.

    Notes
    -----
    Words and repetition are means over texts. Perplexity is that of all tokens together, as in
    :func:`mauve.measures.perplexity.corpus_perplexity`: :math:`\exp(\sum_i n_i h_i / \sum_i n_i)`
    for texts of :math:`n_i` tokens with a mean negative log-probability of :math:`h_i`.

    Examples
    --------
    >>> found = text_measures(["One and one.", "No and no and no and"])
    >>> for measure in cluster_measures(found, np.array([0]), np.array([0, 1])):
    ...     print(measure.name, measure.human, measure.model)
    words 3.0 4.5
    repetition 0.0 0.5
    """
    sides = [np.asarray(rows, dtype=np.intp) for rows in (human_rows, model_rows)]
    return tuple(
        ClusterMeasure(name, *(_mean(name, per_text, rows) for rows in sides))
        for name in ("words", "repetition", "perplexity")
        if name in per_text
    )


def _mean(name: str, per_text: Mapping[str, FloatArray], rows: IntegerArray) -> float | None:
    if name != "perplexity":
        return float(per_text[name][rows].mean()) if len(rows) else None
    scored = rows[per_text["tokens"][rows] > 0]
    if not len(scored):
        return None
    return float(np.exp(np.average(per_text[name][scored], weights=per_text["tokens"][scored])))


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
    measures: Mapping[str, FloatArray]
    metadata: Mapping[str, list[str | None]]
    prompts: HashArray | None
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
    def stability(self) -> FloatArray:
        """Mean typicality of the texts of each cluster."""
        members = self.consensus.members
        total = np.bincount(members, weights=self.consensus.typicality)
        return np.asarray(total / np.bincount(members))

    @cached_property
    def closeness(self) -> FloatArray:
        """Minus the distance of every text to the centre of its cluster."""
        members = self.consensus.members
        sums = np.zeros((self.consensus.n_clusters, self.features.shape[1]))
        np.add.at(sums, members, self.features)
        means = sums / np.bincount(members)[:, None]
        return np.asarray(-np.linalg.norm(self.features - means[members], axis=1))

    def describe(self, rows: IntArray, texts: PairTexts) -> list[dict[str, Any]]:
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
        self, c: int, rows: IntArray, texts: PairTexts, metadata: tuple[Dominance, ...]
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

    def _metadata(self, rows: IntArray) -> list[tuple[Dominance, ...]]:
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
