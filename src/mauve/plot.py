"""Pictures of results; needs the ``plot`` extra."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from mauve.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    return Figure(figsize=(6.2, 4.2), layout="constrained").add_subplot()


def plot_curves(results: Mapping[str, HasCurve], ax: "Axes | None" = None) -> "Axes":
    """Draw one divergence curve for each result, its area shaded.

    Parameters
    ----------
    results : mapping from name to result
        Results with a ``divergence_curve`` and a ``mauve``.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default (``ax.figure.savefig(path)`` writes it).

    Returns
    -------
    matplotlib axes
    """
    if ax is None:
        ax = new_axes()
    for name, result in results.items():
        x, y = _to_the_axes(result.divergence_curve).T
        # Matplotlib reads a name between dollars as a formula, and hides one after "_".
        label = f"{result.mauve:.3f}  {name}".replace("$", r"\$")
        (line,) = ax.plot(x, y, label=label, linewidth=1.8)
        ax.fill_between(x, y, color=line.get_color(), alpha=0.12, linewidth=0)
    ax.set(
        xlim=(0, 1.02),
        ylim=(0, 1.02),
        aspect="equal",
        xlabel=r"$e^{-c\,\mathrm{KL}(Q|R_\lambda)}$   (no type I error at 1)",
        ylabel=r"$e^{-c\,\mathrm{KL}(P|R_\lambda)}$   (no type II error at 1)",
    )
    ax.legend(title="MAUVE", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _to_the_axes(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Extend a curve level to the left axis and straight down on the right."""
    ordered = curve[np.lexsort((-curve[:, 1], curve[:, 0]))]
    return np.concatenate([[[0.0, ordered[0, 1]]], ordered, [[ordered[-1, 0], 0.0]]])
