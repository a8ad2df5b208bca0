"""Labels beside points, none over another."""

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.errors import MissingExtraError
from mauve.escape import escaped
from mauve.plots.palette import INK, PAPER, RULE, SOFT

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
    shown = escaped(name)
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


_SIZE = 9.0  # points
_LINE = 1.25 * _SIZE
_INCH = 72  # points


def place_labels(
    ax: "Axes",
    points: ArrayLike,
    names: Sequence[Sequence[str]],
    *,
    reach: ArrayLike = 0.0,
    on: bool = False,
) -> None:
    """Write a name at each point, those of the first first; leave out what has no room.

    Parameters
    ----------
    ax : matplotlib axes
        With their limits set.
    points : array_like of shape (n, 2)
        In data coordinates.
    names : sequence of sequence of str
        What may be written at each point, the best first.
    reach : float or array_like of shape (n,)
        How far what is drawn at a point reaches, in data coordinates.
    on : bool
        Whether names stand on what is drawn at the points, which they may be half as wide
        again as, rather than beside it.
    """
    from matplotlib.patheffects import withStroke

    figure = ax.figure.figure  # the outermost, where figures are nested
    figure.draw_without_rendering()  # lays the axes out
    scale = _INCH / figure.dpi
    spots = scale * ax.transData.transform(np.asarray(points, dtype=float).reshape(-1, 2))
    low, high = scale * ax.bbox.get_points()
    unit = scale * np.diff(ax.transData.transform([[0, 0], [1, 0]])[:, 0])[0]
    reaches = unit * np.broadcast_to(np.asarray(reach, dtype=float), len(spots))
    covered = [_box(spot, 2 * r, 2 * r) for spot, r in zip(spots, reaches, strict=True)]
    taken = [] if on else covered
    for spot, alternatives, own in zip(spots, names, reaches, strict=True):
        fits = (
            (name, place)
            for name in alternatives
            for place in _around(spot, own, text_width(name, _SIZE), on)
            if not (on and text_width(name, _SIZE) > 3 * own and name != alternatives[-1])
            and _inside(place, text_width(name, _SIZE), low, high)
            and not any(_overlap(_box(place, text_width(name, _SIZE), _LINE), t) for t in taken)
        )
        name, place = next(fits, ("", spot))
        if not name:
            continue
        taken.append(_box(place, text_width(name, _SIZE), _LINE))
        x, y = ax.transData.inverted().transform(place / scale)
        text = write(ax, x, y, name, ha="center", va="center", fontsize=_SIZE, color=INK, zorder=6)
        text.set_path_effects([withStroke(linewidth=2.5, foreground=PAPER)])


def _around(spot: FloatArray, reach: float, width: float, on: bool) -> list[FloatArray]:
    """Return where the middle of a label may be."""
    side, up = reach + 3 + width / 2, reach + 1 + _LINE / 2
    if on:
        moves = [(0.0, 0.0), (0, reach / 2), (0, -reach / 2), (0, up), (0, -up)]
    else:
        moves = [(side, 0.0), (-side, 0), (0, up), (0, -up)]
        moves += [(x, y) for y in (up, -up, 2 * up, -2 * up, 3 * up) for x in (side, -side)]
    return [spot + move for move in moves]


def _box(middle: FloatArray, width: float, height: float) -> tuple[FloatArray, FloatArray]:
    half = np.array([width, height]) / 2
    return middle - half, middle + half


def _overlap(one: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray]) -> bool:
    return bool((one[0] < other[1]).all() and (other[0] < one[1]).all())


def _inside(middle: FloatArray, width: float, low: FloatArray, high: FloatArray) -> bool:
    start, end = _box(middle, width, _LINE)
    return bool((start >= low - 4).all() and (end <= high + 4).all())
