"""Draw what an experiment varies: lines with bands, scatter plots, histograms over buckets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.plots.axes import HUMAN, INK, PAPER, RULE, SOFT, Style, place_labels, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FADED = 0.18  # opacity of a band
_N_NAMED = 12  # buckets of which each has a tick


@dataclass(frozen=True)
class Line:
    """A line of a plot.

    Attributes
    ----------
    name : str
    x, y : array of shape (n,)
    deviation : array of shape (n,)
        Half the height of the band around it; NaN where there is none.
    labels : tuple of str
        Names of its points, where they have any.
    """

    name: str
    x: FloatArray
    y: FloatArray
    deviation: FloatArray
    labels: tuple[str, ...] = ()


def plot_lines(
    lines: Sequence[Line],
    ax: "Axes",
    styles: Mapping[str, Style],
    *,
    human: float | None = None,
    log: bool = False,
) -> "Axes":
    """Draw lines with a band of one standard deviation around each.

    Parameters
    ----------
    lines : sequence of Line
    ax : matplotlib axes
    styles : mapping from name to Style
        Of each line.
    human : float, optional
        Value of human text, a dotted line across.
    log : bool
        Whether x is on a logarithmic axis, with a tick at each value.

    Examples
    --------
    >>> from mauve.plots import new_axes
    >>> from mauve.plots.axes import printed_styles
    >>> x = np.array([32.0, 64.0])
    >>> line = Line("greedy", x, np.array([0.5, 0.2]), np.array([0.1, 0.1]))
    >>> ax = plot_lines([line], new_axes(), printed_styles(["greedy"]), log=True)
    >>> ax.lines[0].get_ydata().tolist(), len(ax.collections)
    ([0.5, 0.2], 1)
    """
    for line in lines:
        style = styles[line.name]
        ax.plot(
            line.x, line.y, color=style.colour, linestyle=style.dashes, marker=style.marker,
            linewidth=1.6, markersize=5.5, markeredgecolor=PAPER, markeredgewidth=0.6,
            label=_label(line.name),
        )  # fmt: skip
        if np.isfinite(line.deviation).any():
            deviation = np.nan_to_num(line.deviation)
            ax.fill_between(
                line.x, line.y - deviation, line.y + deviation,
                color=style.colour, alpha=_FADED, linewidth=0,
            )  # fmt: skip
    if human is not None and np.isfinite(human):
        ax.axhline(human, color=HUMAN, linewidth=1.3, linestyle=(0, (1, 1.5)), label="human text")
    if log:
        ticks = sorted({float(x) for line in lines for x in line.x})
        ax.set_xscale("log")
        ax.minorticks_off()
        ax.set_xticks(_apart(ticks), [f"{tick:g}" for tick in _apart(ticks)])
    ax.grid(axis="y", color=RULE, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def _apart(ticks: Sequence[float]) -> list[float]:
    """Return ticks without those too near the one before for both to have room."""
    if len(ticks) < 2:
        return [*ticks]
    least = np.log(ticks[-1] / ticks[0]) / 7
    kept = [ticks[0]]
    for tick in ticks[1:]:
        if np.log(tick / kept[-1]) >= least:
            kept.append(tick)
    return kept


def plot_paths(
    lines: Sequence[Line],
    ax: "Axes",
    styles: Mapping[str, Style],
    *,
    human: tuple[float | None, float | None] = (None, None),
) -> "Axes":
    """Draw lines from point to point with the name of each, such as a temperature.

    Parameters
    ----------
    lines : sequence of Line
        In the order of their points.
    ax : matplotlib axes
    styles : mapping from name to Style
    human : tuple of float or None
        x and y of human text, dotted lines; None where it has none.

    Examples
    --------
    >>> from mauve.plots import new_axes
    >>> from mauve.plots.axes import printed_styles
    >>> line = Line("small", np.array([2.0, 3.0]), np.array([9.0, 5.0]), np.zeros(2), ("0.5", "1"))
    >>> ax = plot_paths([line], new_axes(), printed_styles(["small"]), human=(2.5, None))
    >>> [text.get_text() for text in ax.texts]
    ['0.5', '1']
    """
    without = [Line(li.name, li.x, li.y, np.full(len(li.x), np.nan)) for li in lines]
    plot_lines(without, ax, styles, human=human[1])
    if human[0] is not None:
        ax.axvline(
            human[0], color=HUMAN, linewidth=1.3, linestyle=(0, (1, 1.5)), label="human text"
        )
    ax.margins(0.12)
    ax.autoscale_view()
    points = np.array([point for line in lines for point in zip(line.x, line.y, strict=True)])
    names = [[label] for line in lines for label in line.labels]
    if len(points) == len(names):
        low, high = ax.get_xlim()
        place_labels(ax, points, names, reach=0.02 * (high - low))
    return ax


def plot_agreement(
    names: Sequence[str],
    x: ArrayLike,
    y: ArrayLike,
    ax: "Axes",
    styles: Mapping[str, Style],
    *,
    deviations: tuple[ArrayLike, ArrayLike] | None = None,
    title: str = "",
) -> "Axes":
    """Draw two scores of each setting against each other.

    Parameters
    ----------
    names : sequence of str
        Of the settings.
    x, y : array_like of shape (n,)
    ax : matplotlib axes
    styles : mapping from name to Style
    deviations : tuple of array_like, optional
        Half the length of the error bars, across and up; NaN for none.
    title : str
        Such as their correlation.

    Examples
    --------
    >>> from mauve.plots import new_axes
    >>> from mauve.plots.axes import printed_styles
    >>> ax = plot_agreement(["a", "b"], [0.1, 0.9], [0.2, 0.8], new_axes(), printed_styles("ab"))
    >>> [line.get_label() for line in ax.lines[1:]]
    ['a', 'b']
    """
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    low, high = min(across.min(), up.min()), max(across.max(), up.max())
    ax.plot([low, high], [low, high], color=SOFT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.5)
    bars = [np.zeros(len(across))] * 2 if deviations is None else [
        np.nan_to_num(np.asarray(deviation, dtype=float)) for deviation in deviations
    ]  # fmt: skip
    for i, name in enumerate(names):
        style = styles[name]
        for span in (([across[i] - bars[0][i], across[i] + bars[0][i]], [up[i]] * 2),
                     ([across[i]] * 2, [up[i] - bars[1][i], up[i] + bars[1][i]])):  # fmt: skip
            if span[0][0] != span[0][1] or span[1][0] != span[1][1]:
                ax.plot(*span, color=style.colour, linewidth=1, label="_bar")
        ax.plot(
            across[i], up[i], style.marker, color=style.colour, markersize=7,
            markeredgecolor=PAPER, markeredgewidth=0.6, linestyle="none", label=_label(name),
        )  # fmt: skip
    ax.grid(color=RULE, linewidth=0.6)
    ax.set_axisbelow(True)
    if title:
        ax.set_title(title, fontsize=9, color=INK)
    return ax


def plot_histograms(
    p_hist: ArrayLike, q_hist: ArrayLike, ax: "Axes", style: Style, *, name: str = "model"
) -> "Axes":
    """Draw the shares of human and model texts in each bucket, most human ones first.

    Human text is filled, the model's an outline, which are distinct in grey.

    Examples
    --------
    >>> from mauve.plots import new_axes
    >>> from mauve.plots.axes import printed_styles
    >>> ax = plot_histograms([0.2, 0.8], [0.5, 0.5], new_axes(), printed_styles(["model"])["model"])
    >>> ax.patches[0].get_data().values.tolist()
    [0.8, 0.2]
    """
    p, q = np.asarray(p_hist, dtype=float), np.asarray(q_hist, dtype=float)
    order = np.argsort(-p, kind="stable")
    edges = np.arange(len(p) + 1) + 0.5
    ax.stairs(p[order], edges, fill=True, color=HUMAN, alpha=0.45, label="human text, P")
    ax.stairs(q[order], edges, color=style.colour, linewidth=1.5, label=_label(name))
    ax.set(xlim=(0.5, len(p) + 0.5), xlabel="bucket, by its share of P", ylabel="share of texts")
    if len(p) <= _N_NAMED:
        ax.set_xticks(np.arange(1, len(p) + 1))
    return ax


def _label(name: str) -> str:
    """Return a name for a legend; Matplotlib hides those that begin with an underscore."""
    label = short(name, 40)
    return f" {label}" if label.startswith("_") else label
