"""Files that are whole or not there at all."""

import os
import secrets
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from mauve.errors import InvalidParameterError
from mauve.plot import HasCurve, new_axes, plot_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Suffixes of pictures, which are also Matplotlib's names of the formats.
PICTURES = (".png", ".svg", ".pdf")


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when all of it is written.

    Whatever happens before leaves `path` as it was. Several processes may write the
    same file; one of them wins.
    """
    # Not a folder for temporary files: only within one file system is a rename atomic.
    unfinished = path.resolve().with_name(f".mauve-{secrets.token_hex(8)}.tmp")
    try:
        with unfinished.open("xb") as file:
            yield file
        os.replace(unfinished, path.resolve())
    finally:
        unfinished.unlink(missing_ok=True)


def check_picture(path: Path) -> None:
    """Raise unless a picture can be drawn and written to `path`; before the work starts."""
    if path.suffix.lower() not in PICTURES:
        raise InvalidParameterError(
            f"'{path}' must end in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}. "
            f"Got '{path.suffix or path.name}' instead."
        )
    new_axes()  # raises where Matplotlib is missing
    check_writable(path)


def check_writable(path: Path) -> None:
    """Raise unless a file can be written to `path`."""
    if path.is_dir():
        raise InvalidParameterError(f"'{path}' must be a file. It is a folder.")
    probe = path.resolve().with_name(f".mauve-{secrets.token_hex(8)}.tmp")
    try:
        probe.open("xb").close()
        probe.unlink()
    except OSError as error:
        raise InvalidParameterError(
            f"'{path}' cannot be written ({error.strerror}): "
            f"'{path.parent}' must be a folder that you may write to."
        ) from error


def write_picture(results: Mapping[str, HasCurve], path: Path) -> None:
    """Draw the divergence curves of `results`, best first, and write them to `path`."""
    ranked = dict(sorted(results.items(), key=lambda item: -item[1].mauve))
    with whole_file(path) as file, warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; that is warning enough.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        ax = plot_curves(ranked, new_axes())
        cast("Figure", ax.figure).savefig(
            file, format=path.suffix.lower().removeprefix("."), dpi=120, bbox_inches="tight"
        )
