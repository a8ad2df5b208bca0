"""Axes to draw on, and names written on them as they are."""

import unicodedata
from typing import TYPE_CHECKING, Any

from mauve.errors import MissingExtraError
from mauve.plots.palette import INK, RULE, SOFT
from mauve.printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

WIDE = (8.6, 4.2)  # inches: room for a legend beside the picture
SMALL = (4.4, 3.4)  # readable on a telephone

_NAME_WIDTH = 32  # characters of a name in a picture


def new_axes(size: tuple[float, float] = WIDE) -> "Axes":
    """Return axes of a new figure, or say what to install."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            "Pictures need matplotlib: pip install 'mauve-eval[plot]'."
        ) from error
    # Not pyplot: no window, no global list of figures, safe in threads.
    ax = Figure(figsize=size, layout="constrained").add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(RULE)
    ax.tick_params(color=RULE, labelcolor=SOFT, labelsize=10)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(color=INK, size=10)
    return ax


def short(name: str, width: int = _NAME_WIDTH) -> str:
    """Return a name as a picture shows it: nothing hidden, and cut where it is long.

    Examples
    --------
    >>> short("gpt2-large, nucleus sampling with p = 0.95", 20)
    'gpt2-large, nucleus…'
    """
    shown = printable(name)
    return shown if len(shown) <= width else f"{shown[: width - 1].rstrip()}…"


def write(ax: "Axes", x: float, y: float, name: str, **options: Any) -> "Text":
    """Write a name from a user at a point; a $ in it is a dollar."""
    text = ax.text(x, y, name, **options)
    text.set_parse_math(False)
    return text


def text_width(text: str, size: float) -> float:
    """Return about how wide a line of text is, in points, whatever the font.

    Examples
    --------
    >>> text_width("abc", 10) < text_width("日本語", 10)
    True
    """
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return size * (0.56 * (len(text) - wide) + 1.0 * wide)
