"""Pictures of results; needs the ``plot`` extra."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from mauve.errors import MissingExtraError
from mauve.printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LABEL_WIDTH = 32  # characters of a name in a legend


class HasCurve(Protocol):
    """Anything with a score and the curve it is the area of."""

    @property
    def mauve(self) -> float:
        """The score."""

    @property
    def divergence_curve(self) -> NDArray[np.float64]:
        """Points of shape (n, 2)."""


def new_axes() -> "Axes":
    """Return axes of a new figure, or say what to install."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            "Pictures need matplotlib: pip install 'mauve-eval[plot]'."
        ) from error
    # Not pyplot: no window, no global list of figures, safe in threads.
    return Figure(figsize=(8.6, 4.2), layout="constrained").add_subplot()


def plot_curves(results: Mapping[str, HasCurve], ax: "Axes | None" = None) -> "Axes":
    """Draw one divergence curve for each result, its area shaded.

    Parameters
    ----------
    results : mapping from name to result
        Results with a ``divergence_curve`` and a ``mauve``.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default, which
        ``ax.figure.savefig(path, bbox_inches="tight")`` cuts to what is on it.

    Returns
    -------
    matplotlib axes
    """
    if ax is None:
        ax = new_axes()
    labels = []
    for name, result in results.items():
        x, y = _to_the_axes(result.divergence_curve).T
        (line,) = ax.plot(x, y, linewidth=1.8)
        ax.fill_between(x, y, color=line.get_color(), alpha=0.12, linewidth=0)
        # The score first: Matplotlib hides labels that start with "_".
        labels.append(f"{result.mauve:.3f}  {_short(name)}")
    ax.set(
        xlim=(0, 1.02),
        ylim=(0, 1.02),
        aspect="equal",
        xlabel=r"$e^{-c\,\mathrm{KL}(Q|R_\lambda)}$   (no type I error at 1)",
        ylabel=r"$e^{-c\,\mathrm{KL}(P|R_\lambda)}$   (no type II error at 1)",
    )
    # Beside the curves: where systems are many or scores low, all of the square is in use.
    legend = ax.legend(
        ax.get_lines()[-len(labels) :],
        labels,
        title="MAUVE",
        loc="center left",
        bbox_to_anchor=(1.02, 0.5),
        frameon=False,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # a $ in a name is a dollar
    return ax


def _short(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= _LABEL_WIDTH else f"{shown[: _LABEL_WIDTH - 1]}…"


def _to_the_axes(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Extend a curve level to the left axis and straight down on the right."""
    ordered = curve[np.lexsort((-curve[:, 1], curve[:, 0]))]
    return np.concatenate([[[0.0, ordered[0, 1]]], ordered, [[ordered[-1, 0], 0.0]]])
