"""Say of a cluster what is true of it, each statement with its numbers."""

from collections.abc import Iterable

from mauve.explanation.evidence import LEAST_RATIO
from mauve.explanation.findings import N_EVIDENCE, Cluster
from mauve.formatting import format_part_of, format_share

#: What a part of an error below 0 means.
NEGATIVE_PART = (
    "A part below 0 means that texts like these are less frequent in that sample than in the "
    "mixture of both samples: they make that error smaller."
)
#: What a log-ratio below 0 means.
NEGATIVE_RATIO = (
    "A log-ratio below 0 means that the other sample has more texts like it: it makes the error "
    "smaller."
)


def headline(cluster: Cluster) -> str:
    """Return the label of a cluster, with the share of all texts that have the words in it.

    Examples
    --------
    >>> from mauve.explanation.evidence import Evidence
    >>> from mauve.explanation.findings import Phrase, Share
    >>> parts = Share(0.1, (0.0, 0.2)), Share(-0.05, (-0.1, 0.0))
    >>> cluster = Cluster(3, "model, ai", "over", 60, 155, 0.12, 0.31, *parts, 0.001, 0.9,
    ...     words=(Phrase("as an ai", 9.0, 0.6, 0.0), Phrase("model", 7.0, 0.4, 0.1)),
    ...     human_size=500, model_size=500)
    >>> headline(cluster)
    'texts like: model, ai'
    >>> from dataclasses import replace
    >>> headline(replace(cluster, evidence=(Evidence("as an ai", 0, 140, 500, 500, 1e-9),)))
    'texts with “as an ai” (28.0% of its texts, 0 of 500 human texts)'
    """
    if cluster.kind == "same" or not cluster.evidence:
        return cluster.label
    words = (f"“{word.phrase}” ({word.counted})" for word in cluster.evidence[:N_EVIDENCE])
    return f"texts with {' or '.join(words)}"


def both_shares(cluster: Cluster) -> str:
    """Return the shares of both samples in a cluster, in words, the larger one first.

    Examples
    --------
    >>> from mauve.explanation.findings import Share
    >>> parts = Share(0.1, (0.0, 0.2)), Share(-0.05, (-0.1, 0.0))
    >>> both_shares(Cluster(3, "cluster 3", "over", 4, 155, 0.008, 0.31, *parts, 0.001, 0.9,
    ...     human_size=500, model_size=500))
    '31.0% of its texts, 4 of 500 human texts'
    """
    if cluster.human_size and cluster.model_size:
        human = format_part_of(cluster.n_human, cluster.human_size, "human")
        model = format_part_of(cluster.n_model, cluster.model_size, "its")
    else:
        human = f"{format_share(cluster.human_share)} of human texts"
        model = f"{format_share(cluster.model_share)} of its texts"
    its_first = cluster.model_share > cluster.human_share
    return f"{model}, {human}" if its_first else f"{human}, {model}"


def words_note(cluster: Cluster) -> str | None:
    """Return that the words of a cluster are not the fault, or None if they are part of it.

    None too for a cluster without words, and for one that is not written too much or too little.

    Examples
    --------
    >>> from mauve.explanation.findings import Phrase, Share
    >>> parts = Share(0.1, (0.0, 0.2)), Share(-0.05, (-0.1, 0.0))
    >>> season = Cluster(3, "season", "over", 60, 155, 0.12, 0.31, *parts, 0.001, 0.9,
    ...     words=(Phrase("season", 9.0, 0.6, 0.0),))
    >>> print(words_note(season))
    Its words describe these texts and are not the fault: none is significantly and at least \
20% more frequent in all texts of the system than in all human texts.
    """
    if cluster.kind not in ("over", "under") or cluster.evidence or not cluster.words:
        return None
    more, less = "all texts of the system", "all human texts"
    if cluster.kind == "under":
        more, less = less, more
    return (
        "Its words describe these texts and are not the fault: none is significantly and at least "
        f"{LEAST_RATIO - 1:.0%} more frequent in {more} than in {less}."
    )


def has_negative_part(clusters: Iterable[Cluster], digits: int = 4) -> bool:
    """Whether a cluster adds a number to an error that is printed with a minus sign."""
    return any(
        round(part.value, digits) < 0
        for cluster in clusters
        for part in (cluster.type_1, cluster.type_2)
    )
