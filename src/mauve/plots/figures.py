"""Lay out figures of several panels for a paper, and write them as PNG, SVG or PDF."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mauve.atomic import atomic_write
from mauve.errors import InvalidParameterError
from mauve.plots.axes import INK, new_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Suffixes of pictures, which are also Matplotlib's names of the formats.
SUFFIXES = (".png", ".svg", ".pdf")

#: Inches. Two panels side by side fill the text width of a page, where 10 points become 8.
PANEL = (3.4, 2.7)

_DPI = 200
# Nothing that differs between two drawings of the same results.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def new_panels(
    n: int, *, size: tuple[float, float] = PANEL, columns: int = 2
) -> tuple["Figure", list["Axes"]]:
    """Return a figure with panels side by side, and the axes of each.

    Parameters
    ----------
    n : int
        Number of panels.
    size : tuple of float
        Width and height of a panel in inches.
    columns : int
        Panels in a row.

    Examples
    --------
    >>> figure, axes = new_panels(3)
    >>> len(axes), figure.get_size_inches().tolist()
    (3, [6.8, 5.4])
    """
    columns = min(n, columns)
    n_rows = -(-n // columns)
    ax = new_axes((columns * size[0], n_rows * size[1]))  # raises where Matplotlib is missing
    figure: Figure = ax.figure  # type: ignore[assignment]
    figure.delaxes(ax)
    return figure, [styled(figure.add_subplot(n_rows, columns, i + 1)) for i in range(n)]


def add_legend(figure: "Figure", *, columns: int = 2) -> None:
    """Add one legend below all panels, with each name once."""
    handles: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    if not handles:
        return
    box = figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=min(columns, len(handles)),
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        handlelength=3.2,  # long enough for the longest dashes and a marker
    )
    for text in box.get_texts():
        text.set_parse_math(False)  # a $ in a name is a dollar


def check_picture_name(path: Path) -> None:
    """Raise unless the name of a file ends as one of the formats.

    Examples
    --------
    >>> check_picture_name(Path("length.pdf"))
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidParameterError(
            f"'{path}' must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}. "
            f"Got '{path.suffix or path.name}' instead."
        )


def write_figure(figure: "Figure", path: Path, *, dpi: int = _DPI) -> None:
    """Write a figure atomically, in the format that the name of the file ends in.

    Two drawings of the same results are the same file, byte for byte.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> figure, _ = new_panels(1)
    >>> with TemporaryDirectory() as folder:
    ...     write_figure(figure, Path(folder, "a.pdf"))
    ...     write_figure(figure, Path(folder, "b.pdf"))
    ...     Path(folder, "a.pdf").read_bytes() == Path(folder, "b.pdf").read_bytes()
    True
    """
    from matplotlib import rc_context

    check_picture_name(path)
    suffix = path.suffix.lower()
    # Letters stay letters, which can be searched and which journals ask for.
    settings: Any = {"svg.hashsalt": "mauve", "pdf.fonttype": 42}
    with atomic_write(path) as file, warnings.catch_warnings(), rc_context(settings):
        # A name in a script that the font lacks is drawn as boxes; that is warning enough.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(
            file,
            format=suffix.removeprefix("."),
            dpi=dpi,
            bbox_inches="tight",
            metadata=_METADATA[suffix],
        )
