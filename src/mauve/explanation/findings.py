"""Hold what an explanation says about a cluster: shares, words, metadata, measures, texts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mauve.explanation.evidence import Evidence
from mauve.explanation.texts import TextShare
from mauve.formatting import format_part, format_share

QUOTING = "texts like “"  # beginning of a name that quotes a text
N_EVIDENCE = 2  # words of a label
_KIND_TITLES = {"over": "too much", "under": "too little", "otherwise": "differently", "same": "–"}


@dataclass(frozen=True)
class Share:
    """A part of a divergence, in nats.

    Attributes
    ----------
    value : float
        Negative where texts are less frequent in the sample than in the mixture R.
    interval : tuple of float
        Its confidence interval.
    """

    value: float
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
        return {"value": self.value, "interval": list(self.interval)}


@dataclass(frozen=True)
class Phrase:
    """A word or phrase that some texts have more often than others.

    Attributes
    ----------
    phrase : str
        Lower case, words with spaces between them.
    z : float
        Log-odds ratio over its standard error.
    share, other_share : float
        Share of the texts that have it, and of those that they are compared with.
    n_texts, n_others : int
        Number of these texts, and of those; 0 if it is not known.
    """

    phrase: str
    z: float
    share: float
    other_share: float
    n_texts: int = 0
    n_others: int = 0

    @property
    def shown_share(self) -> str:
        """The share in percent, or as a count if few texts have it."""
        return shown_part(self.share, self.n_texts)

    @property
    def shown_other_share(self) -> str:
        """The other share in percent, or as a count."""
        return shown_part(self.other_share, self.n_others)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
        return {
            "phrase": self.phrase,
            "z": self.z,
            "share": self.share,
            "other_share": self.other_share,
            "n_texts": self.n_texts,
            "n_others": self.n_others,
        }


@dataclass(frozen=True)
class Dominance:
    """How far one field of the metadata dominates a cluster.

    Attributes
    ----------
    field : str
    n_texts : int
        Texts of the cluster that have the field.
    value : str
        The most frequent value.
    purity, chance_purity : float
        Its share, and that of the most frequent value of as many texts drawn at random.
    entropy, chance_entropy : float
        Of the values in nats, and that of texts drawn at random.
    enriched : str or None
        The value that is most over-represented; None where none is.
    enriched_share, overall_share : float
        Its share of the cluster and of all texts.
    p_value : float
        Of so many texts with that value or more, adjusted for all clusters and values of
        the field.
    n_overall : int
        Texts of all clusters that have the field; 0 if it is not known.
    """

    field: str
    n_texts: int
    value: str
    purity: float
    chance_purity: float
    entropy: float
    chance_entropy: float
    enriched: str | None
    enriched_share: float
    overall_share: float
    p_value: float
    n_overall: int = 0

    @property
    def shown_purity(self) -> str:
        """The purity in percent, or as a count of texts."""
        return shown_part(self.purity, self.n_texts)

    @property
    def shown_enriched(self) -> str:
        """The share of the enriched value in the cluster, in percent or as a count."""
        return shown_part(self.enriched_share, self.n_texts)

    @property
    def shown_overall(self) -> str:
        """Its share of all texts, in percent or as a count."""
        return shown_part(self.overall_share, self.n_overall)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class FieldSummary:
    """How well the clusters agree with one field of the metadata.

    Attributes
    ----------
    field : str
    n_texts, n_values : int
        Texts that have it, and different values.
    purity, chance_purity : float
        Share of texts that have the most frequent value of their cluster, and its mean with
        the values permuted.
    p_value : float
        Of a purity as high, by permutation.
    n_buckets, n_pure, chance_pure : float
        Buckets of a clustering with at least 20 texts, those among them with one or two values
        (the figure of the paper), and how many these would be by chance; means over
        clusterings.
    """

    field: str
    n_texts: int
    n_values: int
    purity: float
    chance_purity: float
    p_value: float
    n_buckets: float
    n_pure: float
    chance_pure: float

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class ClusterMeasure:
    """The mean of a measure over the texts of a cluster.

    Attributes
    ----------
    name : {"words", "repetition", "perplexity"}
        Words of a text, share of texts that end in a loop, perplexity.
    human, model : float or None
        Of the human texts and of the system's; None where there are none in the cluster.
    """

    name: str
    human: float | None
    model: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects, ready for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Cluster:
    """A group of texts that often share a bucket, and what it adds to the divergences.

    Attributes
    ----------
    number : int
        From 1, the largest first; the same for all systems of a comparison.
    name : str
        Its most characteristic words; where there are none, the beginning of its most typical
        text, or "cluster 3" for features. It describes the texts and not the fault: see `label`.
    kind : {"over", "under", "otherwise", "same"}
        Whether the system writes too much of it, too little of it, or differently from people
        while the number of texts does not differ significantly; "same" if nothing differs.
    n_human, n_model : int
        Human texts and texts of the system.
    human_share, model_share : float
        The same as shares of the two samples.
    type_1, type_2 : Share
        What it adds to KL(Q|R) and KL(P|R).
    p_value : float
        Of the test that the cluster does not differ, adjusted for all clusters: the chance
        that any cluster would differ as much if P = Q.
    stability : float
        Mean typicality of its texts: near 1 where the clusterings agree on it.
    words, human_words, model_words : tuple of Phrase
        Characteristic of the cluster against all others, and of the human texts and the
        system's within it.
    typical_human, typical_model : tuple of TextShare
        Nearest to the centre.
    telling_human, telling_model : tuple of TextShare
        Those that add most to the divergence of their sample.
    metadata : tuple of Dominance
        One for each field.
    measures : tuple of ClusterMeasure
    evidence : tuple of Evidence
        Those of its words that all texts of the system together have significantly more often
        than all human texts, or less often if `kind` is "under"; largest difference first.
        Only these words may stand for what the system writes too much or too little.
    human_size, model_size : int
        Texts of the two samples; 0 if it is not known.
    """

    number: int
    name: str
    kind: str
    n_human: int
    n_model: int
    human_share: float
    model_share: float
    type_1: Share
    type_2: Share
    p_value: float
    stability: float
    words: tuple[Phrase, ...] = field(repr=False, default=())
    human_words: tuple[Phrase, ...] = field(repr=False, default=())
    model_words: tuple[Phrase, ...] = field(repr=False, default=())
    typical_human: tuple[TextShare, ...] = field(repr=False, default=())
    typical_model: tuple[TextShare, ...] = field(repr=False, default=())
    telling_human: tuple[TextShare, ...] = field(repr=False, default=())
    telling_model: tuple[TextShare, ...] = field(repr=False, default=())
    metadata: tuple[Dominance, ...] = field(repr=False, default=())
    measures: tuple[ClusterMeasure, ...] = field(repr=False, default=())
    evidence: tuple[Evidence, ...] = field(repr=False, default=())
    human_size: int = field(repr=False, default=0)
    model_size: int = field(repr=False, default=0)

    @property
    def label(self) -> str:
        """What the cluster is called where the system is said to write too much or little of it.

        The words in `evidence`, as "texts with “as an ai”"; without any, "texts like: " and the
        name. The name itself if the cluster does not differ.
        """
        if self.kind == "same" or not self.words:
            return self.name
        if self.evidence:
            quoted = (f"“{word.phrase}”" for word in self.evidence[:N_EVIDENCE])
            return f"texts with {' or '.join(quoted)}"
        return self.name if self.name.startswith(QUOTING) else f"texts like: {self.name}"

    @property
    def title(self) -> str:
        """Number and label."""
        nameless = self.name == f"cluster {self.number}"
        return self.name if nameless else f"{self.number} {self.label}"

    @property
    def shown_human(self) -> str:
        """Its share of the human texts in percent, or as a count if there are few."""
        return shown_part(self.human_share, self.human_size)

    @property
    def shown_model(self) -> str:
        """Its share of the system's texts in percent, or as a count if there are few."""
        return shown_part(self.model_share, self.model_size)

    @property
    def kind_title(self) -> str:
        """The kind in words: "too much", "too little", "differently", or a dash."""
        return _KIND_TITLES[self.kind]

    @property
    def share(self) -> float:
        """What it adds to both divergences together."""
        return self.type_1.value + self.type_2.value

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects, ready for JSON."""
        lists = (
            "words", "human_words", "model_words", "typical_human", "typical_model",
            "telling_human", "telling_model", "metadata", "measures", "evidence",
        )  # fmt: skip
        fields = dict(vars(self))
        fields["type_1"], fields["type_2"] = self.type_1.to_dict(), self.type_2.to_dict()
        return fields | {name: [item.to_dict() for item in fields[name]] for name in lists}


def shown_part(share: float, total: int) -> str:
    """Return a share of texts in percent, or as a count if few texts make it.

    Parameters
    ----------
    share : float
    total : int
        Texts that it is a share of; 0 if it is not known.

    Examples
    --------
    >>> shown_part(0.3, 500), shown_part(1 / 3, 12), shown_part(1 / 3, 0)
    ('30.0%', '4 of 12', '33.3%')
    """
    return format_part(round(share * total), total) if total else format_share(share)


def clusters_of_kind(clusters: Iterable[Cluster], kind: str) -> list[Cluster]:
    """Return the clusters of a kind, those that add most to the divergences first.

    That is type I for "over", type II for "under", and both together for other kinds.
    """
    keys = {"over": lambda c: -c.type_1.value, "under": lambda c: -c.type_2.value}
    matching = [cluster for cluster in clusters if cluster.kind == kind]
    return sorted(matching, key=keys.get(kind, lambda c: -c.share))
