"""Draw scores of all samples against each other: a heat map with a tree above it."""

from typing import TYPE_CHECKING, cast

import numpy as np

from mauve.formatting import format_score
from mauve.plots.axes import HUMAN, INK, PAPER, RULE, SOFT, new_axes, short, short_names, write
from mauve.plots.protocol import HasMatrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TREE_HEIGHT = 0.22  # of the height of the heat map
_CELL, _SIDE = 0.62, 1.2  # inches of a cell, and of all cells together beside that
_PAD = 0.12  # inches around all that is drawn; fonts of other programs may be a little wider
_DARK = 0.75  # scores above are written in white, whose contrast is the higher one from here on
_FEW = 30  # samples whose scores are written into the cells
_NAME = 32  # characters


def plot_matrix(matrix: HasMatrix, ax: "Axes | None" = None) -> "Axes":
    """Draw the scores of all samples against each other, alike samples beside each other.

    Parameters
    ----------
    matrix : HasMatrix
        Such as :class:`mauve.comparison.matrix_results.Matrix`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Examples
    --------
    >>> from mauve.comparison.matrix_results import Matrix, MatrixScore
    >>> scores = {("human", "a"): MatrixScore(0.5, (0.4, 0.6))}
    >>> ax = plot_matrix(Matrix(("human", "a"), "human", scores, (0.9,), 9, 0.95, {}, ""))
    >>> [text.get_text() for text in ax.texts]
    ['0.900', '0.500', '0.500', '–']
    """
    from matplotlib.colors import LinearSegmentedColormap
    from scipy.cluster.hierarchy import dendrogram

    order = matrix.order()
    n = len(order)
    is_own, side = ax is None, _SIDE + _CELL * n
    if ax is None:
        ax = new_axes((side, side), shown=True)
    places = [matrix.names.index(name) for name in order]
    scores = matrix.array()[np.ix_(places, places)]
    shades = LinearSegmentedColormap.from_list("scores", [PAPER, "#9db7dc", "#1c3f7c"])
    masked = np.ma.masked_array(scores, np.eye(n, dtype=bool))
    edges = np.arange(n + 1) - 0.5
    # Not imshow: an SVG file would have an image in it, which blurs.
    ax.pcolormesh(edges, edges, masked, cmap=shades, vmin=0, vmax=1)
    ax.set_aspect("equal")
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    for i in range(n):
        for j in range(n):
            if i == j:
                is_base = order[i] == matrix.human_name and matrix.spread
                label = format_score(float(np.median(matrix.spread))) if is_base else "–"
                colour = HUMAN if is_base else SOFT
            elif n <= _FEW:
                label = format_score(float(scores[i, j]))
                colour = PAPER if scores[i, j] > _DARK else INK
            else:
                continue
            write(ax, j, i, label, ha="center", va="center", color=colour, fontsize=8)
    names = short_names(order, _NAME)
    ax.set_xticks(range(n), names, rotation=40, ha="right")
    ax.set_yticks(range(n), names)
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        for name, text in zip(order, labels, strict=True):
            text.set_parse_math(False)
            text.set_color(HUMAN if name == matrix.human_name else INK)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xticks(edges, minor=True)
    ax.set_yticks(edges, minor=True)
    ax.grid(which="minor", color=RULE, linewidth=0.8)
    ax.tick_params(which="minor", length=0)

    tree = ax.inset_axes((0, 1.02, 1, _TREE_HEIGHT))
    drawn = dendrogram(matrix.linkage(), no_plot=True)
    for x, y in zip(drawn["icoord"], drawn["dcoord"], strict=True):
        tree.plot((np.array(x) - 5) / 10, y, color=SOFT, linewidth=1.2)  # leaves are 10 apart
    tree.set_xlim(-0.5, n - 0.5)
    tree.set_ylim(0, None)
    tree.axis("off")
    of_halves = f";\n{short(matrix.human_name, _NAME)} with itself: its halves"
    scale = "" if n <= _FEW else ", from 0, white, to 1, dark"
    label = f"MAUVE of each two samples{scale}{of_halves if matrix.spread else ''}"
    ax.set_xlabel(label, color=SOFT, fontsize=9, parse_math=False)
    if is_own:
        _fit(ax, side)
    return ax


def _fit(ax: "Axes", side: float) -> None:
    """Make the figure as large as what is drawn: layouts leave no room for the tree."""
    figure = cast("Figure", ax.figure)
    figure.set_layout_engine("none")
    ax.set_position((0, 0, 1, 1))
    box = figure.get_tightbbox()
    width, height = box.width + 2 * _PAD, box.height + 2 * _PAD
    figure.set_size_inches(width, height)
    left, bottom = (_PAD - box.x0) / width, (_PAD - box.y0) / height
    ax.set_position((left, bottom, side / width, side / height))
