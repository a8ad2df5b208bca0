"""Draw pictures of results; needs the ``plot`` extra."""

from mauve.plots.axes import new_axes
from mauve.plots.clusters import plot_clusters, plot_map
from mauve.plots.ladder import plot_ladder
from mauve.plots.protocol import HasCurve
from mauve.plots.scores import plot_curves, plot_errors, plot_ranking

__all__ = [
    "HasCurve",
    "new_axes",
    "plot_clusters",
    "plot_curves",
    "plot_errors",
    "plot_ladder",
    "plot_map",
    "plot_ranking",
]
