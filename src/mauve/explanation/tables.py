"""Explanations as tables: plain text, Markdown, LaTeX, HTML."""

from mauve import tables
from mauve.explanation.explained import SystemExplanation
from mauve.explanation.results import Cluster, Share
from mauve.formatting import format_p_value

#: What is said of a cluster of each kind.
KIND_TITLES = {
    "over": "too much",
    "under": "too little",
    "otherwise": "otherwise",
    "same": "–",
}


def ranked(explained: SystemExplanation) -> list[Cluster]:
    """Return all clusters: too much, too little, otherwise, then those that do not differ."""
    rest = [cluster for cluster in explained.clusters if cluster.kind == "same"]
    flagged = explained.over + explained.under + explained.otherwise
    return flagged + sorted(rest, key=lambda cluster: -cluster.share)


def cells(cluster: Cluster) -> dict[str, str]:
    """Return what the row of a cluster shows, by the titles of the columns."""
    return {
        "cluster": cluster.title,
        "the model writes": KIND_TITLES[cluster.kind],
        "human": f"{cluster.human_share:.1%}",
        "model": f"{cluster.model_share:.1%}",
        "type I": shown_share(cluster.type_1),
        "type II": shown_share(cluster.type_2),
        "p": format_p_value(cluster.p_value),
    }


def shown_share(share: Share) -> str:
    """Return a share with half the width of its interval.

    Examples
    --------
    >>> shown_share(Share(0.0312, (0.0212, 0.0412)))
    '0.031 ±0.010'
    """
    low, high = share.interval
    return f"{round(share.value, 3) + 0:.3f} ±{(high - low) / 2:.3f}"


def _titles_and_rows(explained: SystemExplanation) -> tuple[list[str], list[list[str]]]:
    return tables.titles_and_cells([cells(cluster) for cluster in ranked(explained)])


def as_text(explained: SystemExplanation) -> str:
    """Return a table of plain text."""
    return tables.as_text(*_titles_and_rows(explained), left=2)


def as_markdown(explained: SystemExplanation) -> str:
    """Return a Markdown table."""
    return tables.as_markdown(*_titles_and_rows(explained), left=2)


def as_latex(explained: SystemExplanation) -> str:
    """Return a LaTeX table."""
    return tables.as_latex(*_titles_and_rows(explained), left=2)


def as_html(explained: SystemExplanation) -> str:
    """Return an HTML table."""
    return tables.as_html(*_titles_and_rows(explained))
