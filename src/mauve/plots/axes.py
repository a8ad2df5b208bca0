"""Set up axes, colours and labels alike for all pictures.

One colour stands for human text and one for each system, the same in every picture. Labels
stand beside their points, and none lies over another.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.errors import MissingExtraError
from mauve.escape import escaped
from mauve.notebook import in_notebook
from mauve.plots.protocol import HasScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

#: Role to its colour on white and on the dark background of the report. All are distinct for
#: people who lack one kind of cone, and have a contrast of at least 3 to 1 to the background;
#: tests check both.
PALETTE = {
    "paper": ("#ffffff", "#1b181f"),
    "ink": ("#1d1a22", "#eeebf2"),
    "soft": ("#4d4756", "#c0b9cb"),
    "rule": ("#dbd7e2", "#3d3846"),
    "human": ("#0b6bb3", "#4fa9f2"),
    "system-1": ("#e0650f", "#f08a48"),
    "system-2": ("#64288f", "#9a5fe6"),
    "system-3": ("#1f9c86", "#72dfc0"),
    "system-4": ("#b81d5c", "#d63e74"),
    "system-5": ("#6b3a06", "#f3e06a"),
    "system-6": ("#9a7cf2", "#d8c4ff"),
}

PAPER, INK, SOFT, RULE, HUMAN = (
    PALETTE[role][0] for role in ("paper", "ink", "soft", "rule", "human")
)

WIDE = (8.6, 4.2)  # inches: room for a legend beside the picture
SQUARE = (4.4, 4.0)  # inches: readable on a phone

MANY = 12  # systems; pictures and reports of more are laid out differently

_SYSTEMS = tuple(role for role in PALETTE if role.startswith("system-"))
# Their number does not divide the number of colours, so that pairs of both repeat late.
_MARKERS = ("o", "s", "^", "D", "v")
_DASHES = ("-", "--", "-.", ":")

_NAME_WIDTH = 32  # characters of a name in a picture
_FONT_SIZE = 9.0  # points
_LINE_HEIGHT = 1.25 * _FONT_SIZE
_POINTS_PER_INCH = 72

_Box = tuple[FloatArray, FloatArray]  # lower left and upper right corner


@dataclass(frozen=True)
class Style:
    """How a system is drawn.

    Attributes
    ----------
    role : str
        The name of its colour.
    marker, dashes : str
        Of points and lines, so that systems are distinct without colour too.
    """

    role: str
    marker: str
    dashes: str

    @property
    def colour(self) -> str:
        """The colour on white."""
        return PALETTE[self.role][0]


def styles(systems: Iterable[str]) -> dict[str, Style]:
    """Return a style for each system, by its position.

    Examples
    --------
    >>> by_system = styles(["greedy", "nucleus"])
    >>> by_system["greedy"].role, by_system["nucleus"].role
    ('system-1', 'system-2')
    """
    return {
        name: Style(
            _SYSTEMS[i % len(_SYSTEMS)],
            _MARKERS[i % len(_MARKERS)],
            _DASHES[i // len(_SYSTEMS) % len(_DASHES)],
        )
        for i, name in enumerate(systems)
    }


def printed_styles(names: Iterable[str]) -> dict[str, Style]:
    """Return a style for each name that is distinct in grey too, by its position.

    Each differs from those before and after it in colour, marker and dashes; sixty differ from
    each other.

    Examples
    --------
    >>> [(s.marker, s.dashes) for s in printed_styles(["greedy", "nucleus"]).values()]
    [('o', '-'), ('s', '--')]
    """
    return {
        name: Style(
            _SYSTEMS[i % len(_SYSTEMS)], _MARKERS[i % len(_MARKERS)], _DASHES[i % len(_DASHES)]
        )
        for i, name in enumerate(names)
    }


def ranked_styles(results: Mapping[str, HasScore]) -> dict[str, Style]:
    """Return a style for each system, by rank if there are more systems than colours.

    So the best systems have different colours, and a few systems keep theirs whatever their
    scores are.
    """
    return styles(results if len(results) <= len(_SYSTEMS) else ranked(results))


def ranked(results: Mapping[str, HasScore]) -> list[str]:
    """Return the names, best first."""
    return sorted(results, key=lambda name: -results[name].mauve)


def split_ranking(results: Mapping[str, HasScore]) -> tuple[list[str], list[str]]:
    """Return the systems that a picture of all shows in colour, and those in grey.

    Up to twelve are told apart by colour and dashes or marker. Of more, the best six have
    colours.
    """
    names = ranked(results)
    n_coloured = len(names) if len(names) <= MANY else len(_SYSTEMS)
    return names[:n_coloured], names[n_coloured:]


def new_axes(size: tuple[float, float] = WIDE, *, shown: bool = False) -> "Axes":
    """Return axes of a new figure.

    Parameters
    ----------
    size : tuple of float
        Width and height in inches.
    shown : bool
        Whether a notebook shows the figure after the cell. Anywhere else it makes no
        difference.

    Raises
    ------
    MissingExtraError
        Where Matplotlib is not installed, or cannot be loaded.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            "Pictures need matplotlib: pip install 'mauve-eval[plot]'."
        ) from error
    if shown and in_notebook():
        from matplotlib import pyplot  # whose figures the backend of the notebook shows

        figure = pyplot.figure(figsize=size, layout="constrained")
    else:
        # Not pyplot: no window, no global list of figures, safe in threads.
        figure = Figure(figsize=size, layout="constrained")
    return styled(figure.add_subplot())


def styled(ax: "Axes") -> "Axes":
    """Give axes the lines, colours and font sizes of all pictures, and return them."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(RULE)
    ax.tick_params(color=RULE, labelcolor=SOFT, labelsize=10)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(color=INK, size=10)
    return ax


def short(name: str, width: int = _NAME_WIDTH) -> str:
    """Return a name escaped, and cut to `width` characters.

    Examples
    --------
    >>> short("gpt2-large, nucleus sampling with p = 0.95", 20)
    'gpt2-large, nucleus…'
    """
    name = escaped(name)
    return name if len(name) <= width else f"{name[: width - 1].rstrip()}…"


def short_names(names: Sequence[str], width: int = _NAME_WIDTH) -> list[str]:
    """Return names escaped and cut to `width` characters, in the middle if ends tell them apart.

    Examples
    --------
    >>> short_names(["llama-70b-instruct@p=0.9", "llama-70b-instruct@p=0.95"], 12)
    ['llama…@p=0.9', 'llama…p=0.95']
    """
    cut = [short(name, width) for name in names]
    if len({*cut}) == len({*names}):
        return cut
    begin, end = (width - 1) // 2, width - 1 - (width - 1) // 2
    whole = [escaped(name) for name in names]
    return [n if len(n) <= width else f"{n[:begin].rstrip()}…{n[-end:].lstrip()}" for n in whole]


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
    n_wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return size * (0.56 * (len(text) - n_wide) + 1.0 * n_wide)


def place_labels(
    ax: "Axes",
    points: ArrayLike,
    names: Sequence[Sequence[str]],
    *,
    reach: ArrayLike = 0.0,
    on: bool = False,
) -> None:
    """Write a name at each point, in the order given; leave out those without room.

    Parameters
    ----------
    ax : matplotlib axes
        With their limits set.
    points : array_like of shape (n, 2)
        In data coordinates.
    names : sequence of sequence of str
        Alternative names of each point, the best first; lines are separated by line breaks.
    reach : float or array_like of shape (n,)
        Radius of what is drawn at each point, in data coordinates.
    on : bool
        Whether names stand on what is drawn at the points rather than beside it. They may
        then be half as wide again as that.
    """
    from matplotlib.patheffects import withStroke

    figure = ax.figure.figure  # the outermost, where figures are nested
    figure.draw_without_rendering()  # lays the axes out
    scale = _POINTS_PER_INCH / figure.dpi
    spots = scale * ax.transData.transform(np.asarray(points, dtype=float).reshape(-1, 2))
    low, high = scale * ax.bbox.get_points()
    unit = scale * np.diff(ax.transData.transform([[0, 0], [1, 0]])[:, 0])[0]
    radii = unit * np.broadcast_to(np.asarray(reach, dtype=float), len(spots))
    covered = [_box(spot, 2 * r, 2 * r) for spot, r in zip(spots, radii, strict=True)]
    taken = [] if on else covered
    for spot, alternatives, radius in zip(spots, names, radii, strict=True):
        fits = (
            (name, place)
            for name in alternatives
            for place in _around(spot, radius, _label_width(name), on)
            if not (on and _label_width(name) > 3 * radius and name != alternatives[-1])
            and _inside(_label_box(place, name), low, high)
            and not any(_overlap(_label_box(place, name), box) for box in taken)
        )
        name, place = next(fits, ("", spot))
        if not name:
            continue
        taken.append(_label_box(place, name))
        x, y = ax.transData.inverted().transform(place / scale)
        text = write(
            ax, x, y, name, ha="center", va="center", fontsize=_FONT_SIZE, color=INK, zorder=6,
            linespacing=1.0,
        )  # fmt: skip
        text.set_path_effects([withStroke(linewidth=2.5, foreground=PAPER)])


def _around(spot: FloatArray, reach: float, width: float, on: bool) -> list[FloatArray]:
    """Return where the middle of a label may be, the best place first."""
    across, up = reach + 3 + width / 2, reach + 1 + _LINE_HEIGHT / 2
    if on:
        offsets = [(0.0, 0.0), (0, reach / 2), (0, -reach / 2), (0, up), (0, -up)]
    else:
        offsets = [(across, 0.0), (-across, 0), (0, up), (0, -up)]
        offsets += [(x, y) for y in (up, -up, 2 * up, -2 * up, 3 * up) for x in (across, -across)]
    return [spot + offset for offset in offsets]


def _box(middle: FloatArray, width: float, height: float) -> _Box:
    half = np.array([width, height]) / 2
    return middle - half, middle + half


def _label_width(name: str) -> float:
    return max(text_width(line, _FONT_SIZE) for line in name.split("\n"))


def _label_box(middle: FloatArray, name: str) -> _Box:
    return _box(middle, _label_width(name), _LINE_HEIGHT * (1 + name.count("\n")))


def _overlap(first: _Box, second: _Box) -> bool:
    return bool((first[0] < second[1]).all() and (second[0] < first[1]).all())


def _inside(box: _Box, low: FloatArray, high: FloatArray) -> bool:
    """Whether a box is within the axes, up to four points."""
    return bool((box[0] >= low - 4).all() and (box[1] <= high + 4).all())
