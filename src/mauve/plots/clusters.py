"""Pictures of an explanation: what is written too much and too little, and where it lies."""

from typing import TYPE_CHECKING

import numpy as np

from mauve.arrays import FloatArray, IntArray
from mauve.explanation.tables import KIND_TITLES
from mauve.plots.axes import new_axes, place_labels, short, write
from mauve.plots.palette import HUMAN, INK, PAPER, RULE, SOFT, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mauve.explanation.explained import Explanation, SystemExplanation
    from mauve.explanation.results import Cluster

MOST_CLUSTERS = 12  # rows of a picture
MOST_POINTS = 1500  # texts on a map
_DOT = 2.2  # points of the typographic kind

_HEADINGS = KIND_TITLES | {"same": ""}


def plot_clusters(
    explained: "SystemExplanation", ax: "Axes | None" = None, *, colour: str | None = None
) -> "Axes":
    """Draw how much of each cluster people write and how much the system does.

    Parameters
    ----------
    explained : SystemExplanation
        Why a system scores as it does.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    colour : str, optional
        Of the system.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    Clusters that differ beyond chance, most important first: those that the system writes too
    much of, too little of, and those that are written otherwise. Where none does, the largest
    ones are drawn hollow.

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
        ax = new_axes((4.4, 0.8 + 0.4 * max(len(rows), 1)))
    own = colour or styles([explained.name])[explained.name].colour
    most = max((max(c.human_share, c.model_share) for c in rows), default=0.0) or 0.1
    for row, cluster in enumerate(rows):
        y, people, model = -row, 100 * cluster.human_share, 100 * cluster.model_share
        flagged = cluster.kind != "same"
        ax.plot([0, 112 * most], [y, y], color=RULE, linewidth=0.6, zorder=0.4)
        longer = own if model > people else HUMAN
        ax.plot([people, model], [y, y], color=longer, linewidth=3, alpha=0.35, zorder=1)
        for x, shade, marker in ((people, HUMAN, "o"), (model, own, "D")):
            ax.plot(
                x, y, marker, color=shade if flagged else PAPER, markeredgecolor=shade,
                markersize=7 if marker == "o" else 6, clip_on=False, zorder=3,
            )  # fmt: skip
        above = {"va": "bottom", "fontsize": 9.5}
        write(ax, 0, y + 0.16, short(cluster.title, 36), color=INK, ha="left", **above)
        write(ax, 112 * most, y + 0.16, _HEADINGS[cluster.kind], color=SOFT, ha="right", **above)
    ax.set(xlim=(-2 * most, 114 * most), ylim=(0.5 - max(len(rows), 1), 0.7), yticks=[])
    ax.set_xlabel("share of texts in percent")
    ax.spines["left"].set_visible(False)
    return ax


def shown_clusters(explained: "SystemExplanation") -> "list[Cluster]":
    """Return the clusters that a picture has room for, in its order."""
    flagged = [*explained.over, *explained.under, *explained.otherwise]
    if len(flagged) > MOST_CLUSTERS:
        important = sorted(flagged, key=importance, reverse=True)[:MOST_CLUSTERS]
        return [cluster for cluster in flagged if cluster in important]
    largest = sorted(explained.clusters, key=lambda cluster: -cluster.n_human - cluster.n_model)
    return flagged or largest[: MOST_CLUSTERS // 2]


def importance(cluster: "Cluster") -> float:
    """Return what a cluster adds to the divergence that it adds more to, in nats."""
    return max(cluster.type_1.value, cluster.type_2.value)


def plot_map(
    explanation: "Explanation", system: str, ax: "Axes | None" = None, *, colour: str | None = None
) -> "Axes":
    """Draw the clusters as discs, with a point for each text of people and of one system.

    Parameters
    ----------
    explanation : Explanation
    system : str
        Its name.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    colour : str, optional
        Of the system; by default what the other pictures give it.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    Discs of clusters that differ beyond chance are tinted, in the colour of the side that
    writes more of them, or grey where it is the way of writing, and named. Of more than 1,500
    texts only some are drawn, evenly chosen from either side.

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
    low = (places.centres - places.radii[:, None]).min(axis=0)
    high = (places.centres + places.radii[:, None]).max(axis=0)
    width, height = high - low
    if ax is None:
        ax = new_axes((4.4, float(np.clip(4.4 * height / width, 2.4, 5.5))))
    from matplotlib.patches import Circle  # after new_axes, which says what to install

    own = colour or styles(explanation)[system].colour
    clusters = {cluster.number: cluster for cluster in explanation[system].clusters}
    tints = {"over": own, "under": HUMAN, "otherwise": SOFT}
    for number, (centre, radius) in enumerate(zip(places.centres, places.radii, strict=True), 1):
        # A cluster may have texts of other systems alone.
        tint = tints.get(clusters[number].kind) if number in clusters else None
        if tint:
            ax.add_patch(Circle(centre, radius, facecolor=tint, alpha=0.15, linewidth=0))
        ax.add_patch(
            Circle(centre, radius, fill=False, edgecolor=tint or SOFT, lw=0.9 if tint else 0.4)
        )
    for name, shade in ((explanation.human_name, HUMAN), (system, own)):
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
        [_labels(c) for c in flagged],
        reach=places.radii[rows],
        on=True,
    )
    return ax


def _labels(cluster: "Cluster") -> list[str]:
    """Return what a cluster may be called on the map, the longest first."""
    if not any(own.phrase in cluster.name for own in cluster.words):
        # A name that is not of its words says nothing when it is cut.
        return [str(cluster.number)]
    return [*(short(cluster.name, n) for n in (24, 18, 14, 10, 7)), str(cluster.number)]


def _drawn_rows(explanation: "Explanation", sample: str, system: str) -> IntArray:
    """Return which texts of a sample are on the map: all, or as many of each as there is room."""
    sizes = explanation.sizes
    room = MOST_POINTS / (sizes[explanation.human_name] + sizes[system])
    n_drawn = max(1, int(sizes[sample] * min(1.0, room)))
    rows = explanation.compared.rows_of(sample)
    return np.asarray(rows[np.arange(n_drawn) * len(rows) // n_drawn])


def _dots(ax: "Axes", places: FloatArray, colour: str) -> None:
    """Draw many points as one path of strokes without length and round ends.

    A page with a thousand elements for a thousand points would be ten times the size.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    ends = np.repeat(places, 2, axis=0)
    ends[1::2, 0] += 1e-9  # what has no length at all is not drawn in pixels
    path = Path(ends, np.tile([Path.MOVETO, Path.LINETO], len(places)))
    path.should_simplify = False
    ax.add_patch(
        PathPatch(
            path,
            fill=False,
            edgecolor=colour,
            linewidth=_DOT,
            capstyle="round",
            snap=False,
            zorder=2,
        )
    )
