"""Describe clusters: their words, example texts, metadata, and measures of their texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mauve.arrays import Features, FloatArray, HashArray, IntArray, IntegerArray
from mauve.errors import InvalidParameterError
from mauve.explanation.agreement import dominances
from mauve.explanation.clusters import Consensus
from mauve.explanation.evidence import Evidence, differing_words
from mauve.explanation.findings import QUOTING, ClusterMeasure, Dominance, Phrase
from mauve.explanation.metadata import once_per_prompt
from mauve.explanation.texts import PairTexts
from mauve.explanation.wording import PhraseTable, cluster_name
from mauve.lm.protocol import TokenScorer
from mauve.measures.repetition import repeated_lengths
from mauve.measures.tokenizers import Words
from mauve.progress import Progress
from mauve.text.words import word_counts

_QUOTED = 36  # characters of a text that name a cluster


def text_measures(
    texts: Sequence[str], scorer: TokenScorer | None = None, on_progress: Progress | None = None
) -> dict[str, FloatArray]:
    """Return measures of each text, which :func:`cluster_measures` averages over clusters.

    Parameters
    ----------
    texts : sequence of str
        Of all samples, one after another.
    scorer : TokenScorer, optional
        For perplexity, which is left out without one.
    on_progress : callable, optional

    Returns
    -------
    dict of str to array of shape (n,)
        ``"words"``, the number of words; ``"repetition"``, 1 where a text ends in two or more
        copies of a phrase, else 0; with a scorer also ``"perplexity"``, the mean negative
        log-probability of a token (NaN for a text without tokens), and ``"tokens"``, the number
        of tokens.

    Examples
    --------
    >>> per_text = text_measures(["One and one.", "No and no and no and"])
    >>> per_text["words"].tolist(), per_text["repetition"].tolist()
    ([3.0, 6.0], [0.0, 1.0])
    """
    (table,) = Words().tables([texts])
    per_text = {
        "words": word_counts(texts).astype(np.float64),
        "repetition": (repeated_lengths(table) > 0).astype(np.float64),
    }
    if scorer is not None:
        scores = scorer.log_probabilities(texts, on_progress)
        tokens = np.array([len(logs) for logs in scores], dtype=np.float64)
        surprisals = np.array([-logs.mean() if len(logs) else np.nan for logs in scores])
        if not np.isfinite(surprisals[tokens > 0]).all():
            bad = int(np.flatnonzero((tokens > 0) & ~np.isfinite(surprisals))[0])
            raise InvalidParameterError(
                "The texts must have finite log-probabilities under the language model. "
                f"Got {-surprisals[bad]} at position {bad} instead: use another model."
            )
        per_text |= {"perplexity": surprisals, "tokens": tokens}
    return per_text


def cluster_measures(
    per_text: Mapping[str, FloatArray], human_rows: IntegerArray, model_rows: IntegerArray
) -> tuple[ClusterMeasure, ...]:
    r"""Return the measures of a cluster, for its human texts and for the system's.

    Parameters
    ----------
    per_text : mapping of str to array of shape (n,)
        From :func:`text_measures`.
    human_rows, model_rows : array of int
        Human texts and texts of the system in the cluster.

    Returns
    -------
    tuple of ClusterMeasure
        With None for a sample without texts, and for the perplexity of texts without tokens.

    Notes
    -----
    Words and repetition are means over texts. Perplexity is that of all tokens together, as in
    :func:`mauve.measures.perplexity.corpus_perplexity`: :math:`\exp(\sum_i n_i h_i / \sum_i n_i)`
    for texts of :math:`n_i` tokens with a mean negative log-probability of :math:`h_i`.

    Examples
    --------
    >>> per_text = text_measures(["One and one.", "No and no and no and"])
    >>> for measure in cluster_measures(per_text, np.array([0]), np.array([0, 1])):
    ...     print(measure.name, measure.human, measure.model)
    words 3.0 4.5
    repetition 0.0 0.5
    """
    samples = [np.asarray(rows, dtype=np.intp) for rows in (human_rows, model_rows)]
    return tuple(
        ClusterMeasure(name, *(_mean(name, per_text, rows) for rows in samples))
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


@dataclass(frozen=True)
class Describer:
    """Describes the clusters of a comparison.

    Attributes
    ----------
    consensus : Consensus
    features : array of shape (n, m)
        Of all texts, as they were clustered.
    texts, phrases : list of str and PhraseTable, or None
        None if features were passed.
    measures : mapping from name to array of shape (n,)
        From :func:`text_measures`.
    metadata : mapping from field to list of str or None
        Values of every text.
    prompts : array of int, shape (n,), or None
        Equal for texts of one prompt.
    n_texts : int
        Examples of each kind, for each sample.
    seed : int
        Random seed.
    starts : array of int, shape (n,), or None
        Where each text parts from those of other samples; a name that quotes one begins there.
    """

    consensus: Consensus
    features: Features
    texts: list[str] | None
    phrases: PhraseTable | None
    measures: Mapping[str, FloatArray]
    metadata: Mapping[str, list[str | None]]
    prompts: HashArray | None
    n_texts: int
    seed: int
    starts: IntArray | None = None

    @cached_property
    def words(self) -> list[tuple[Phrase, ...]]:
        """Characteristic words of each cluster against all others, of all samples together."""
        return [tuple(phrase for _, phrase in ranked) for ranked in self._ranked_words]

    @cached_property
    def _ranked_words(self) -> list[list[tuple[int, Phrase]]]:
        """The same, each with its number in the table of phrases."""
        members = self.consensus.members
        if self.phrases is None:
            return [[] for _ in range(self.consensus.n_clusters)]
        return [
            self.phrases.ranked(np.flatnonzero(members == c), np.flatnonzero(members != c))
            for c in range(self.consensus.n_clusters)
        ]

    def evidence(self, rows: IntArray, n_human: int) -> dict[str, Evidence]:
        """Return the words of the clusters that all human texts and a system's have unequally.

        Words of all clusters are tested, and not only of those that differ: neither clusters
        nor words depend on which sample a text is from, so the test is exact.

        Parameters
        ----------
        rows : array of int, shape (n_pair,)
            The human texts and the system's among all texts.
        n_human : int
        """
        if self.phrases is None:
            return {}
        numbers = {word.phrase: number for words in self._ranked_words for number, word in words}
        chosen = np.array([*numbers.values()], dtype=np.intp)
        human, model = (
            self.phrases.presence.counts(sample)[chosen].tolist()
            for sample in (rows[:n_human], rows[n_human:])
        )
        return differing_words([*numbers], human, model, n_human, len(rows) - n_human)

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
        start = 0 if self.starts is None else int(self.starts[nearest])
        quote = " ".join(self.texts[nearest][start : start + 4 * _QUOTED].split())
        if len(quote) > _QUOTED:
            quote = f"{quote[:_QUOTED].rpartition(' ')[0] or quote[:_QUOTED]}…"
        return f"{QUOTING}{'…' if start else ''}{quote}”" if quote else None

    @cached_property
    def stability(self) -> FloatArray:
        """Mean typicality of the texts of each cluster."""
        members = self.consensus.members
        total = np.bincount(members, weights=self.consensus.typicality)
        return np.asarray(total / np.bincount(members))

    @cached_property
    def closeness(self) -> FloatArray:
        """Negative distance of every text to the centre of its cluster."""
        members = self.consensus.members
        sums = np.zeros((self.consensus.n_clusters, self.features.shape[1]))
        np.add.at(sums, members, self.features)
        means = sums / np.bincount(members)[:, None]
        return np.asarray(-np.linalg.norm(self.features - means[members], axis=1))

    def describe(
        self, rows: IntArray, texts: PairTexts, kinds: Sequence[str]
    ) -> list[dict[str, Any]]:
        """Return the descriptive fields of every cluster for one system.

        Parameters
        ----------
        rows : array of int, shape (n_pair,)
            Where the human texts and the system's lie among all texts.
        texts : PairTexts
            The same texts with what each adds to the divergences.
        kinds : sequence of str
            How each cluster differs: "over", "under", "otherwise" or "same".

        Returns
        -------
        list of dict
            Arguments of :class:`~mauve.explanation.findings.Cluster`, one dict for each cluster.
        """
        metadata = self._dominances(rows)
        words = self.evidence(rows, texts.n_human)
        described = []
        for c, kind in enumerate(kinds):
            evidence = [words[word.phrase] for word in self.words[c] if word.phrase in words]
            fields = self._describe(c, rows, texts, metadata[c])
            fields["evidence"] = tuple(
                sorted(
                    (word for word in evidence if word.kind == kind),
                    key=lambda word: -abs(word.model_share - word.human_share),
                )
            )
            described.append(fields)
        return described

    def _describe(
        self, c: int, rows: IntArray, texts: PairTexts, metadata: tuple[Dominance, ...]
    ) -> dict[str, Any]:
        members = np.flatnonzero(texts.numbers == c + 1)
        human, model = members[members < texts.n_human], members[members >= texts.n_human]
        closeness = self.closeness[rows]
        fields: dict[str, Any] = {
            "number": c + 1,
            "name": self.names[c],
            "stability": float(self.stability[c]),
            "words": self.words[c],
            "typical_human": texts.most(human, closeness, self.n_texts),
            "typical_model": texts.most(model, closeness, self.n_texts),
            "telling_human": texts.telling(human, self.n_texts),
            "telling_model": texts.telling(model, self.n_texts),
            "metadata": metadata,
            "human_size": texts.n_human,
            "model_size": len(rows) - texts.n_human,
            "measures": cluster_measures(self.measures, rows[human], rows[model]),
        }
        if self.phrases is not None:
            fields["human_words"] = self.phrases.characteristic(rows[human], rows[model])
            fields["model_words"] = self.phrases.characteristic(rows[model], rows[human])
        return fields

    def _dominances(self, rows: IntArray) -> list[tuple[Dominance, ...]]:
        """Return how far each field dominates each cluster, among some texts."""
        n_clusters, numbers = self.consensus.n_clusters, self.consensus.members[rows] + 1
        prompts = None if self.prompts is None else self.prompts[rows]
        by_field = [
            dominances(
                field,
                once_per_prompt([values[row] for row in rows], prompts),
                numbers,
                n_clusters,
                self.seed,
            )
            for field, values in self.metadata.items()
        ]
        return [
            tuple(dominance for clusters in by_field if (dominance := clusters[c]) is not None)
            for c in range(n_clusters)
        ]
