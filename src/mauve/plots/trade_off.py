"""Draw two measures of the same systems against each other, such as perplexity and entropy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.plots.axes import HUMAN, SOFT, WIDE, new_axes, short, styles
from mauve.plots.protocol import HasMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PARTS = ("@", "=", ":")  # what may separate a model from its setting in the name of a system


def setting_of(name: str) -> tuple[str, float] | None:
    """Return the model and the number at the end of a name such as ``gpt2@t=0.7``, if it has one.

    Examples
    --------
    >>> setting_of("gpt2@temperature=0.7"), setting_of("gpt2@0.7"), setting_of("gpt2")
    (('gpt2', 0.7), ('gpt2', 0.7), None)
    """
    model, at, setting = name.partition("@")
    if not at or not model:
        return None
    for part in _PARTS:
        setting = setting.rpartition(part)[2]
    try:
        return model, float(setting)
    except ValueError:
        return None


def frontiers(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the systems of each model in the order of their settings.

    Examples
    --------
    >>> frontiers(["a@t=1", "b", "a@t=0.5"])
    {'a': ['a@t=0.5', 'a@t=1'], 'b': ['b']}
    """
    models: dict[str, list[tuple[float, str]]] = {}
    for name in names:
        model, number = setting_of(name) or (name, 0.0)
        models.setdefault(model, []).append((number, name))
    return {model: [name for _, name in sorted(found)] for model, found in models.items()}


def plot_trade_off(
    measurements: HasMeasures,
    x: str = "token-entropy",
    y: str = "perplexity",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw one measure of every system against another, with intervals, and human text.

    Systems called ``MODEL@SETTING=NUMBER``, such as ``gpt2@temperature=0.7``, are joined by a line
    in the order of their numbers: the frontier of a model over its temperatures. Generation
    perplexity alone can be lowered by repetition, and entropy alone raised by noise; of two
    models the better one has the frontier nearer to human text.

    Parameters
    ----------
    measurements : Measurements
        Result of :func:`mauve.measure`.
    x, y : str
        Names of two measures that human text has a value of, too.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes

    References
    ----------
    Frontiers of perplexity and entropy over temperatures are how recent work compares diffusion
    language models with each other and with autoregressive ones.

    Examples
    --------
    >>> import mauve
    >>> human = ["It rained all day.", "We read a book.", "Nobody came by."] * 4
    >>> systems = {f"m@t={t}": ["It rained and rained all day."] * 12 for t in (0.5, 1)}
    >>> measured = mauve.measure(human, systems, "token-entropy,rep-2")
    >>> ax = plot_trade_off(measured, y="rep-2")
    >>> [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    ['m']
    """
    titles = {measure.name: measure.title for measure in measurements.measures}
    for name in (x, y):
        if name not in titles or name not in measurements.human:
            known = listed([f"'{each}'" for each in titles if each in measurements.human])
            raise InvalidParameterError(
                f"'x' and 'y' must be measures that human text has a value of: {known}. "
                f"Got '{escaped(name)}' instead."
            )
    ax = new_axes(WIDE, shown=True) if ax is None else ax
    drawn = [name for name in measurements if {x, y} <= measurements[name].keys()]
    models = frontiers(drawn)
    for (model, names), style in zip(models.items(), styles(models).values(), strict=True):
        points = [(measurements[name][x], measurements[name][y]) for name in names]
        at = np.array([(a.value, b.value) for a, b in points])
        low = np.array([(a.interval[0], b.interval[0]) for a, b in points])
        high = np.array([(a.interval[1], b.interval[1]) for a, b in points])
        reach = np.maximum(0.0, np.stack([at - low, high - at]))
        ax.errorbar(
            at[:, 0], at[:, 1], xerr=reach[:, :, 0], yerr=reach[:, :, 1],
            fmt="none", ecolor=style.colour, alpha=0.4, linewidth=1,
        )  # fmt: skip
        ax.plot(
            at[:, 0], at[:, 1], color=style.colour, marker=style.marker, linestyle=style.dashes,
            linewidth=1.4, markersize=5, label=short(model),
        )  # fmt: skip
        for name, (left, up) in zip(names, at, strict=True):
            setting = setting_of(name)
            if setting is not None:
                ax.annotate(
                    f"{setting[1]:g}", (left, up), (5, 4), textcoords="offset points",
                    fontsize=7.5, color=SOFT,
                )  # fmt: skip
    human = measurements.human
    ax.plot(
        human[x].value, human[y].value, marker="*", color=HUMAN, markersize=13,
        linestyle="none", label="_human",
    )  # fmt: skip
    star = (human[x].value, human[y].value)
    ax.annotate("human", star, (9, -4), textcoords="offset points", color=HUMAN, fontsize=9)
    ax.set(xlabel=titles[x], ylabel=titles[y])
    if models:
        legend = ax.legend(frameon=False, fontsize=9)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return ax
