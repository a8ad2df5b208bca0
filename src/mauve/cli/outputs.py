"""Check and write the files that commands write."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from mauve.atomic import atomic_write, check_writable
from mauve.cli.values import input_file, named_systems
from mauve.comparison.comparison import Comparison
from mauve.comparison.ladder import Ladder
from mauve.errors import InvalidParameterError, MauveError
from mauve.escape import escaped
from mauve.plots import HasCurve, new_axes, plot_curves
from mauve.progress import ProgressLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Suffixes of pictures, which are also Matplotlib's names of the formats.
PICTURE_SUFFIXES = (".png", ".svg", ".pdf")


def check_output(path: Path, human: Path, systems: list[str]) -> None:
    """Raise if a file cannot be written, or is one of the files to read."""
    inputs = [input_file(str(human)), *named_systems(systems).values()]
    if path.resolve() in [file.path.resolve() for file in inputs]:
        raise typer.BadParameter(
            f"'{escaped(str(path))}' is one of the files to read: write to another."
        )
    check_writable(path)


def ladder_or_error(
    comparison: Comparison, progress: ProgressLike
) -> tuple[Ladder | None, MauveError | None]:
    """Return the ladder, or why it cannot be computed, to be raised when all else is written.

    It embeds texts, which may fail where the comparison did not: an endpoint can be down.
    """
    try:
        return comparison.ladder(progress=progress), None
    except MauveError as error:
        return None, error


def check_distinct(**paths: Path | None) -> None:
    """Raise if two options name one file, where the second would replace the first.

    Examples
    --------
    >>> check_distinct(save=Path("a.mauve"), report=None)
    """
    given: dict[Path, str] = {}
    for name, path in paths.items():
        if path is None:
            continue
        if other := given.get(path.resolve()):
            raise typer.BadParameter(
                f"--{other} and --{name} must be different files. Got '{escaped(str(path))}' for "
                "both."
            )
        given[path.resolve()] = name


def check_picture(path: Path) -> None:
    """Raise unless a picture can be drawn and written to `path`; call it before the work."""
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise InvalidParameterError(
            f"'{path}' must end in {', '.join(PICTURE_SUFFIXES[:-1])} or {PICTURE_SUFFIXES[-1]}. "
            f"Got '{path.suffix or path.name}' instead."
        )
    new_axes()  # raises where Matplotlib is missing
    check_writable(path)


def write_picture(results: Mapping[str, HasCurve], path: Path) -> None:
    """Draw the divergence curves of `results`, best first, and write them to `path`."""
    ranked = dict(sorted(results.items(), key=lambda item: -item[1].mauve))
    write_figure(cast("Figure", plot_curves(ranked, new_axes()).figure), path)


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a picture to `path`, in the format of its suffix."""
    with atomic_write(path) as file, warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; that is warning enough.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(
            file, format=path.suffix.lower().removeprefix("."), dpi=120, bbox_inches="tight"
        )
