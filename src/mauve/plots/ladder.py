"""Draw the ladder: scores as given and after each step that removes form."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mauve.formatting import format_score
from mauve.plots.axes import (
    HUMAN,
    PAPER,
    RULE,
    SOFT,
    new_axes,
    ranked_styles,
    short,
    split_ranking,
)
from mauve.plots.protocol import HasRungs
from mauve.text.steps import RUNGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AS_GIVEN = "as given"
_APART = 0.07  # of a rung, between the intervals of two systems
_FEW_RUNGS = 5  # whose names stand side by side without turning


def plot_ladder(
    ladder: Mapping[str, HasRungs], ax: "Axes | None" = None, *, legend: bool = True
) -> "Axes":
    """Draw the score of each system with its interval, rung by rung.

    Of more than twelve systems, the best six are in colour and the others in grey.

    Parameters
    ----------
    ladder : mapping from name to the rungs of a system
        Such as a :class:`mauve.Ladder`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    legend : bool
        Whether to add a legend with names and the scores of the last rung.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    The dashed line is the ceiling, the mean score of two samples of one source; of several
    systems it is the lowest.

    Examples
    --------
    >>> from mauve.comparison.ladder import Ladder, Rung, SystemLadder
    >>> rungs = (Rung(None, (), 0.6, (0.5, 0.7), 0, 0, ""),
    ...          Rung("ends", ("ends",), 0.97, (0.95, 0.99), 10, 0, ""))
    >>> ax = plot_ladder(Ladder([SystemLadder("model", rungs, {}, 0.99, 0.95, 100, 100)]))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['as given', 'ends']
    """
    if ax is None:
        ax = new_axes(ladder_size(ladder), shown=True)
    order = rung_names(ladder)
    coloured, others = split_ranking(ladder)
    by_system = ranked_styles(ladder)
    lows = [1.0]
    for i, name in enumerate((*others, *coloured)):
        rungs, is_grey = ladder[name].rungs, name in others
        colour = SOFT if is_grey else by_system[name].colour
        shift = 0.0 if is_grey else _APART * (i - len(others) - (len(coloured) - 1) / 2)
        x = [order.index(rung.step or _AS_GIVEN) + shift for rung in rungs]
        lows += [rung.interval[0] for rung in rungs]
        if not is_grey:
            for place, rung in zip(x, rungs, strict=True):
                ax.plot([place] * 2, rung.interval, color=colour, linewidth=2.2, alpha=0.45)
        ax.plot(
            x,
            [rung.mauve for rung in rungs],
            marker=None if is_grey else by_system[name].marker,
            linestyle="-" if is_grey else by_system[name].dashes,
            color=colour,
            linewidth=0.8 if is_grey else 1.6,
            alpha=0.5 if is_grey else 1,
            markersize=7,
            markeredgecolor=PAPER,
            # The score first: Matplotlib hides labels that start with "_".
            label=f"{format_score(rungs[-1].mauve)}  {short(name)}",
        )
    ceilings = [system.ceiling for system in ladder.values() if system.ceiling is not None]
    if ceilings:
        ax.axhline(min(ceilings), color=HUMAN, linewidth=1.2, linestyle=(0, (5, 3)), zorder=0.8)
    ax.grid(axis="y", color=RULE, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set(
        xlim=(-0.4, len(order) - 0.6),
        ylim=(max(0.0, min(lows) - 0.05), 1.02),
        xticks=range(len(order)),
        ylabel="MAUVE",
        xlabel="steps so far",
    )
    ax.set_xticklabels(order, rotation=0 if len(order) <= _FEW_RUNGS else 35)
    if legend:
        box = ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
        for text in box.get_texts():
            text.set_parse_math(False)  # a $ in a name is a dollar
    return ax


def rung_names(ladder: Mapping[str, HasRungs]) -> list[str]:
    """Return the names of all rungs of all systems, in their order."""
    steps = {rung.step for system in ladder.values() for rung in system.rungs}
    return [_AS_GIVEN, *(step for step in RUNGS if step in steps)]


def ladder_size(ladder: Mapping[str, HasRungs]) -> tuple[float, float]:
    """Return width and height of :func:`plot_ladder` in inches, with room for every rung."""
    return 3.0 + 0.5 * len(rung_names(ladder)), 3.2
