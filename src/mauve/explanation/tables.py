"""Lay out the clusters of a system as the rows of a table."""

from collections.abc import Sequence

from mauve.explanation.findings import Cluster, Share, clusters_of_kind
from mauve.formatting import format_p_value
from mauve.tables import titles_and_cells

#: Columns of text, from the first on; the others are numbers.
TEXT_COLUMNS = 2


def ranked(clusters: Sequence[Cluster]) -> list[Cluster]:
    """Return the clusters: too much, too little, differently, then those that do not differ."""
    kinds = ("over", "under", "otherwise", "same")
    return [cluster for kind in kinds for cluster in clusters_of_kind(clusters, kind)]


def titles_and_rows(clusters: Sequence[Cluster]) -> tuple[list[str], list[list[str]]]:
    """Return the titles of the columns, and a row for each cluster, flagged ones first."""
    return titles_and_cells([cells(cluster) for cluster in ranked(clusters)])


def cells(cluster: Cluster) -> dict[str, str]:
    """Return the row of a cluster, by the titles of the columns."""
    return {
        "cluster": cluster.title,
        "the model writes": cluster.kind_title,
        "human": cluster.shown_human,
        "model": cluster.shown_model,
        "type I": format_part(cluster.type_1),
        "type II": format_part(cluster.type_2),
        "p": format_p_value(cluster.p_value),
    }


def format_part(share: Share) -> str:
    """Return a part of a divergence with half the width of its interval.

    Examples
    --------
    >>> format_part(Share(0.0312, (0.0212, 0.0412)))
    '0.031 ±0.010'
    """
    low, high = share.interval
    return f"{round(share.value, 3) + 0:.3f} ±{(high - low) / 2:.3f}"
