"""Draw scores of systems from comparisons in pairs, with their intervals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mauve.arrays import FloatArray
from mauve.formatting import format_fixed
from mauve.plots.axes import HUMAN, INK, PAPER, RULE, SOFT, new_axes, short, styles, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_preference(
    systems: Sequence[str],
    scores: FloatArray,
    intervals: FloatArray,
    ax: "Axes | None" = None,
    *,
    human: str = "human",
    label: str = "Bradley-Terry score",
) -> "Axes":
    """Draw a score and its interval in a row for each system.

    Parameters
    ----------
    systems : sequence of str
        From top to bottom.
    scores : array of float, shape (n,)
    intervals : array of float, shape (n, 2)
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    human : str
        The source that is drawn in the colour of human text.
    label : str
        Of the axis.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> ax = plot_preference(["human", "xl"], np.array([10, -10]), np.array([[5, 15], [-15, -5]]))
    >>> [text.get_text() for text in ax.texts]
    ['human', '10.0', 'xl', '−10.0']
    """
    if ax is None:
        ax = new_axes(preference_size(len(systems)), shown=True)
    low, high = float(intervals.min()), float(intervals.max())
    margin = 0.06 * (high - low or 1)
    left, right = low - margin, high + margin
    # By name and not by rank: the pictures of several questions stand side by side.
    by_system = styles(sorted(name for name in systems if name != human))
    ax.axvline(0, color=SOFT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.6)
    for row, name in enumerate(systems):
        y = -row
        colour = HUMAN if name == human else by_system[name].colour
        marker = "o" if name == human else by_system[name].marker
        ax.plot([left, right], [y, y], color=RULE, linewidth=0.8, zorder=0.5)
        ax.plot(intervals[row], [y, y], color=colour, linewidth=3, solid_capstyle="round")
        ax.plot(scores[row], y, marker, color=colour, markersize=8, markeredgecolor=PAPER)
        # Above its row, so that a long name does not narrow the picture.
        value = format_fixed(scores[row], 1)
        write(ax, left, y + 0.2, short(name), ha="left", va="bottom", fontsize=10, color=INK)
        write(ax, right, y + 0.2, value, ha="right", va="bottom", fontsize=10, color=INK)
    ax.set(xlim=(left, right), ylim=(0.5 - len(systems), 0.75), yticks=[])
    ax.set_xlabel(label)
    ax.spines["left"].set_visible(False)
    return ax


def preference_size(n_systems: int) -> tuple[float, float]:
    """Return width and height in inches, with room for every row.

    Examples
    --------
    >>> preference_size(9)[0]
    4.4
    """
    return 4.4, 0.75 + 0.48 * n_systems
