"""Draw an explanation: how much of each cluster is written, and a map of the texts."""

from typing import TYPE_CHECKING

import numpy as np

from mauve.arrays import FloatArray, IntArray
from mauve.escape import escaped
from mauve.plots.axes import (
    HUMAN,
    INK,
    PAPER,
    RULE,
    SOFT,
    new_axes,
    place_labels,
    short,
    styles,
    write,
)
from mauve.plots.protocol import DrawnCluster, HasClusters, HasMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CLUSTERS = 12  # rows of a picture
MOST_POINTS = 1500  # texts on a map
_DOT_SIZE = 2.2  # typographic points
_LONGEST_LINE = 24  # characters of a label on the map


def plot_clusters(
    explained: HasClusters, ax: "Axes | None" = None, *, colour: str | None = None
) -> "Axes":
    """Draw the share of human texts and of a system's texts in each cluster.

    Parameters
    ----------
    explained : SystemExplanation
        The clusters of the system.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    colour : str, optional
        Of the system.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    Clusters that differ beyond chance are drawn: those that the system writes too much of,
    then too little of, then differently, the most important first. If none differs, the
    largest are drawn hollow.

    Examples
    --------
    >>> import mauve
    >>> rng = np.random.default_rng(0)
    >>> human, model = 3 * rng.integers(2, size=(2, 200, 1)) + rng.normal(size=(2, 200, 4))
    >>> explanation = mauve.explain(mauve.compare(human, model + 1))
    >>> plot_clusters(explanation["model"]).get_xlabel()
    'share of texts in percent'
    """
    rows = shown_clusters(explained)
    if ax is None:
        ax = new_axes(clusters_size(explained), shown=True)
    system_colour = colour or styles([explained.name])[explained.name].colour
    most = max((max(c.human_share, c.model_share) for c in rows), default=0.0) or 0.1
    for row, cluster in enumerate(rows):
        y, human, model = -row, 100 * cluster.human_share, 100 * cluster.model_share
        flagged = cluster.kind != "same"
        ax.plot([0, 112 * most], [y, y], color=RULE, linewidth=0.6, zorder=0.4)
        longer = system_colour if model > human else HUMAN
        ax.plot([human, model], [y, y], color=longer, linewidth=3, alpha=0.35, zorder=1)
        for x, shade, marker in ((human, HUMAN, "o"), (model, system_colour, "D")):
            ax.plot(
                x, y, marker, color=shade if flagged else PAPER, markeredgecolor=shade,
                markersize=7 if marker == "o" else 6, clip_on=False, zorder=3,
            )  # fmt: skip
        above = {"va": "bottom", "fontsize": 9.5}
        write(ax, 0, y + 0.16, short(cluster.title, 36), color=INK, ha="left", **above)
        heading = cluster.kind_title if flagged else ""
        write(ax, 112 * most, y + 0.16, heading, color=SOFT, ha="right", **above)
    ax.set(xlim=(-2 * most, 114 * most), ylim=(0.5 - max(len(rows), 1), 0.7), yticks=[])
    ax.set_xlabel("share of texts in percent")
    ax.spines["left"].set_visible(False)
    return ax


def clusters_size(explained: HasClusters) -> tuple[float, float]:
    """Return width and height of :func:`plot_clusters` in inches, with room for every row."""
    return 4.4, 0.8 + 0.4 * max(len(shown_clusters(explained)), 1)


def shown_clusters(explained: HasClusters) -> list[DrawnCluster]:
    """Return the clusters that :func:`plot_clusters` has room for, from top to bottom."""
    flagged = [*explained.over, *explained.under, *explained.otherwise]
    if len(flagged) > MOST_CLUSTERS:
        important = sorted(flagged, key=importance, reverse=True)[:MOST_CLUSTERS]
        return [cluster for cluster in flagged if cluster in important]
    largest = sorted(explained.clusters, key=lambda cluster: -cluster.n_human - cluster.n_model)
    return flagged or largest[: MOST_CLUSTERS // 2]


def importance(cluster: DrawnCluster) -> float:
    """Return the larger part that a cluster has in one of the two divergences, in nats."""
    return max(cluster.type_1.value, cluster.type_2.value)


def plot_map(
    explanation: HasMap, system: str, ax: "Axes | None" = None, *, colour: str | None = None
) -> "Axes":
    """Draw the clusters as discs, with a point for each human text and each of one system.

    Parameters
    ----------
    explanation : Explanation
    system : str
        Its name.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    colour : str, optional
        Of the system; by default that of the other pictures.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    Discs of clusters that differ beyond chance are named and tinted: in the colour of the
    sample with the larger share of its texts there, or grey where the texts are written
    differently. Of more than 1,500 texts only some are drawn, an equal part of both samples.

    Examples
    --------
    >>> import mauve
    >>> rng = np.random.default_rng(0)
    >>> human, model = 3 * rng.integers(2, size=(2, 200, 1)) + rng.normal(size=(2, 200, 4))
    >>> explanation = mauve.explain(mauve.compare(human, model + 1))
    >>> ax = plot_map(explanation, "model")
    >>> len(ax.patches) > len(explanation["model"].clusters)
    True
    """
    places = explanation.text_map
    low, high = _corners(explanation)
    width, height = high - low
    if ax is None:
        ax = new_axes(map_size(explanation), shown=True)
    from matplotlib.patches import Circle  # after new_axes, which names the missing extra

    system_colour = colour or styles(explanation)[system].colour
    clusters = {cluster.number: cluster for cluster in explanation[system].clusters}
    tints = {"over": system_colour, "under": HUMAN, "otherwise": SOFT}
    for number, (centre, radius) in enumerate(zip(places.centres, places.radii, strict=True), 1):
        # A cluster may have texts of other systems alone.
        tint = tints.get(clusters[number].kind) if number in clusters else None
        if tint:
            ax.add_patch(Circle(centre, radius, facecolor=tint, alpha=0.15, linewidth=0))
        ax.add_patch(
            Circle(centre, radius, fill=False, edgecolor=tint or SOFT, lw=0.9 if tint else 0.4)
        )
    for name, shade in ((explanation.human_name, HUMAN), (system, system_colour)):
        _dots(ax, places.positions[_drawn_rows(explanation, name, system)], shade)
    margin = 0.02 * max(width, height)
    ax.set(
        xlim=(low[0] - margin, high[0] + margin),
        ylim=(low[1] - margin, high[1] + margin),
        aspect="equal",
        xticks=[],
        yticks=[],
    )
    ax.spines[:].set_visible(False)
    flagged = sorted(
        (c for c in clusters.values() if c.kind != "same"), key=importance, reverse=True
    )
    rows = [cluster.number - 1 for cluster in flagged]
    place_labels(
        ax,
        places.centres[rows],
        [map_labels(c) for c in flagged],
        reach=places.radii[rows],
        on=True,
    )
    return ax


def map_size(explanation: HasMap) -> tuple[float, float]:
    """Return width and height of :func:`plot_map` in inches, in the proportions of the map."""
    low, high = _corners(explanation)
    width, height = high - low
    return 4.4, float(np.clip(4.4 * height / width, 2.4, 5.5))


def _corners(explanation: HasMap) -> tuple[FloatArray, FloatArray]:
    """Return the lower left and the upper right corner of all discs."""
    places = explanation.text_map
    low = (places.centres - places.radii[:, None]).min(axis=0)
    high = (places.centres + places.radii[:, None]).max(axis=0)
    return low, high


def map_labels(cluster: DrawnCluster) -> list[str]:
    """Return alternative labels of a cluster on the map, the longest first."""
    if not any(word.phrase in cluster.name for word in cluster.words):
        # A name that is not made of its words means nothing when it is cut.
        return [str(cluster.number)]
    phrases = cluster.name.split(", ")
    whole = [", ".join(phrases), ",\n".join(phrases)]
    # Then fewer of its words, each whole.
    fewer = [",\n".join(phrases[:n]) for n in range(len(phrases) - 1, 0, -1)]
    lines = phrases[0].replace(" ", "\n")
    labels = dict.fromkeys([*whole, *fewer, lines, str(cluster.number)])
    return [
        "\n".join(escaped(line) for line in label.split("\n"))
        for label in labels
        if max(map(len, label.split("\n"))) <= _LONGEST_LINE
    ]


def _drawn_rows(explanation: HasMap, sample: str, system: str) -> IntArray:
    """Return which texts of a sample are on the map: all, or its part of the points."""
    sizes = explanation.sizes
    room = MOST_POINTS / (sizes[explanation.human_name] + sizes[system])
    n_drawn = max(1, int(sizes[sample] * min(1.0, room)))
    rows = explanation.compared.rows_of(sample)
    return np.asarray(rows[np.arange(n_drawn) * len(rows) // n_drawn])


def _dots(ax: "Axes", places: FloatArray, colour: str) -> None:
    """Draw many points as one path of strokes of no length with round ends.

    With one element for each point, a page would be ten times as large.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    ends = np.repeat(places, 2, axis=0)
    ends[1::2, 0] += 1e-9  # strokes of length 0 are missing in bitmaps
    path = Path(ends, np.tile([Path.MOVETO, Path.LINETO], len(places)))
    path.should_simplify = False
    ax.add_patch(
        PathPatch(
            path,
            fill=False,
            edgecolor=colour,
            linewidth=_DOT_SIZE,
            capstyle="round",
            snap=False,
            zorder=2,
        )
    )
