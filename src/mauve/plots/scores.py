"""Draw scores: divergence curves, the ranking, and the two errors."""

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from mauve.arrays import FloatArray
from mauve.formatting import format_score
from mauve.plots.axes import (
    HUMAN,
    INK,
    MANY,
    PAPER,
    RULE,
    SOFT,
    SQUARE,
    Style,
    new_axes,
    place_labels,
    ranked,
    ranked_styles,
    short,
    split_ranking,
    write,
)
from mauve.plots.protocol import HasCurve, HasErrors, HasInterval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OTHERS: dict[str, Any] = {"color": SOFT, "alpha": 0.5}


def plot_curves(
    results: Mapping[str, HasCurve],
    ax: "Axes | None" = None,
    *,
    legend: bool = True,
    styles: Mapping[str, Style] | None = None,
) -> "Axes":
    """Draw the divergence curve of each result, with the area under it shaded.

    Of more than twelve, the best six are in colour and the others in grey.

    Parameters
    ----------
    results : mapping from name to result
        Results with a ``divergence_curve`` and a ``mauve``.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. Save that with
        ``ax.figure.savefig(path, bbox_inches="tight")``, which crops it.
    legend : bool
        Whether to add a legend with names and scores.
    styles : mapping from name to Style, optional
        How each result is drawn; by default by its position or rank.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from mauve.comparison.paper import result_from_counts
    >>> ax = plot_curves({"model": result_from_counts([6, 3, 1], [2, 3, 5])})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0.579  model']
    """
    if ax is None:
        ax = new_axes(shown=True)
    coloured, others = split_ranking(results)
    for name in others:
        grey = ax.plot(*_to_the_axes(results[name].divergence_curve).T, **_OTHERS, linewidth=0.8)
    lines, labels = [], []
    shade = 0.1 if len(results) <= 4 else 0.04  # many areas overlap
    by_system = ranked_styles(results) if styles is None else styles
    for name in coloured if others else results:
        style, result = by_system[name], results[name]
        x, y = _to_the_axes(result.divergence_curve).T
        lines += ax.plot(x, y, linewidth=1.8, color=style.colour, linestyle=style.dashes)
        ax.fill_between(x, y, color=style.colour, alpha=shade, linewidth=0)
        # The score first: Matplotlib hides labels that start with "_".
        labels.append(f"{format_score(result.mauve)}  {short(name)}")
    if others:
        lines += grey
        low, high = (format_score(results[name].mauve) for name in (others[-1], others[0]))
        labels.append(f"{low} to {high}  {len(others)} others")
    ax.set(
        xlim=(0, 1.02),
        ylim=(0, 1.02),
        aspect="equal",
        xlabel="exp(−c KL(Q|R)), 1: no type I error",
        ylabel="exp(−c KL(P|R)), 1: no type II error",
    )
    if not legend:
        return ax
    # Beside the curves, which fill the square where systems are many or scores low.
    legend_box = ax.legend(
        lines,
        labels,
        title="MAUVE",
        loc="center left",
        bbox_to_anchor=(1.02, 0.5),
        frameon=False,
    )
    for text in legend_box.get_texts():
        text.set_parse_math(False)  # a $ in a name is a dollar
    return ax


def _to_the_axes(curve: FloatArray) -> FloatArray:
    """Extend a curve horizontally to the left axis and vertically to the bottom."""
    ordered = curve[np.lexsort((-curve[:, 1], curve[:, 0]))]
    return np.concatenate([[[0.0, ordered[0, 1]]], ordered, [[ordered[-1, 0], 0.0]]])


def plot_ranking(results: Mapping[str, HasInterval], ax: "Axes | None" = None) -> "Axes":
    """Draw scores with their intervals, best first, and the score that human text would have.

    Parameters
    ----------
    results : mapping from name to MauveResult
        Such as a :class:`mauve.Comparison`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    The band at the right of a row is where two samples of one source score: from the lower
    end of their scores to 1. The line in it is their mean, the ceiling.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4))
    >>> ax = plot_ranking(mauve.compare(human, {"A": model, "B": model + 1}))
    >>> [text.get_text() for text in ax.texts[::2]]
    ['A', 'B']
    """
    if ax is None:
        ax = new_axes(ranking_size(results), shown=True)
    by_system = ranked_styles(results)
    size = 10 if len(results) <= MANY else 9
    for row, name in enumerate(ranked(results)):
        result, style, y = results[name], by_system[name], -row
        if result.ceiling is not None and result.ceiling_low is not None:
            ax.fill_betweenx(
                [y - 0.2, y + 0.2], result.ceiling_low, 1, color=HUMAN, alpha=0.22, lw=0
            )
            ax.plot([result.ceiling] * 2, [y - 0.2, y + 0.2], color=HUMAN, linewidth=1.5)
        ax.plot([0, 1], [y, y], color=RULE, linewidth=0.8, zorder=0.5)
        ax.plot(result.interval, [y, y], color=style.colour, linewidth=3, solid_capstyle="round")
        ax.plot(
            result.mauve, y, style.marker, color=style.colour, markersize=8, markeredgecolor=PAPER
        )
        # Above its row, so that a long name does not narrow the picture.
        above = {"va": "bottom", "fontsize": size, "color": INK}
        write(ax, 0, y + 0.2, short(name), ha="left", **above)
        write(ax, 1, y + 0.2, format_score(result.mauve), ha="right", **above)
    ax.set(xlim=(-0.02, 1.02), ylim=(0.5 - len(results), 0.65), yticks=[])
    ax.set_xlabel("MAUVE")
    ax.spines["left"].set_visible(False)
    return ax


def ranking_size(results: Sized) -> tuple[float, float]:
    """Return width and height of :func:`plot_ranking` in inches, with room for every row."""
    return 4.4, 0.75 + (0.48 if len(results) <= MANY else 0.32) * len(results)


def plot_errors(results: Mapping[str, HasErrors], ax: "Axes | None" = None) -> "Axes":
    """Draw the type II error against the type I error, one point for each system.

    Of more than twelve, the best six are in colour and the others in grey; names without room
    are left out.

    Parameters
    ----------
    results : mapping from name to MauveResult
        Such as a :class:`mauve.Comparison`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import mauve, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4))
    >>> ax = plot_errors(mauve.compare(human, {"A": model, "B": model + 1}))
    >>> ax.get_xlabel()
    'type I, KL(Q|R) in nats'
    """
    if ax is None:
        ax = new_axes(SQUARE, shown=True)
    coloured, others = split_ranking(results)
    by_system = ranked_styles(results)
    points = np.array([[results[n].type_1, results[n].type_2] for n in (*coloured, *others)])
    most = 1.15 * max(float(points.max()), 0.01)
    ax.plot([0, most], [0, most], color=SOFT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.5)
    for x, y in points[len(coloured) :]:
        ax.plot(x, y, "o", **_OTHERS, markersize=5, markeredgewidth=0)
    for name, (x, y) in zip(coloured, points[: len(coloured)], strict=True):
        style = by_system[name]
        ax.plot(x, y, style.marker, color=style.colour, markersize=9, markeredgecolor=PAPER)
    ax.plot(0, 0, "o", color=HUMAN, markersize=9, markeredgecolor=PAPER)
    ax.grid(color=RULE, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set(
        xlim=(-0.05 * most, most),
        ylim=(-0.05 * most, most),
        aspect="equal",
        xlabel="type I, KL(Q|R) in nats",
        ylabel="type II, KL(P|R) in nats",
    )
    names = [[short(name, 24), short(name, 10)] for name in (*coloured, *others)]
    # Those that come first get the room: human text, if not all names will fit.
    place = 0 if others else len(points)
    names.insert(place, ["human"])
    place_labels(ax, np.insert(points, place, 0, axis=0), names, reach=0.025 * most)
    return ax
