"""``mauve demo``: a comparison to look at, with nothing to bring along."""

import shlex
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import mauve
from mauve.cli.compare import print_report
from mauve.cli.files import check_picture, whole_file, write_picture
from mauve.cli.terminal import new_console, no_python_warnings, progress_bar
from mauve.plot import new_axes
from mauve.printable import printable
from mauve.synthetic import FAULTS, synthetic_features

_SEED = 1


def demo(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write the features and the picture.")
    ] = Path("demo"),
) -> None:
    """Compare four made-up systems with made-up human texts.

    Each system has another fault. Writes their features and a picture of the divergence
    curves, and prints the command that compares them again. Files of an earlier demo are
    replaced.
    """
    new_axes()  # raises where Matplotlib is missing, before anything is written
    out.mkdir(parents=True, exist_ok=True)
    picture = out / "curves.png"
    check_picture(picture)
    files = {}
    for name, features in synthetic_features(seed=_SEED).items():
        files[name] = out / f"{name}.npy"
        with whole_file(files[name]) as file:
            np.save(file, features)
    human = files.pop("human")
    with no_python_warnings(), progress_bar(True) as on_progress:
        comparison = mauve.compare(human, files, on_progress=on_progress)
    write_picture(comparison, picture)

    console = new_console()
    console.print("Synthetic features: random numbers with known faults, no text was written.")
    for name, fault in FAULTS.items():
        console.print(f"  {name:15} {fault}", soft_wrap=True)
    console.print()
    print_report(comparison, human)
    console.print()
    console.print(f"picture: {printable(str(picture))}", soft_wrap=True)
    command = shlex.join(["mauve", "compare", *map(str, [human, *files.values()])])
    console.print(f"again: {printable(command)}", soft_wrap=True)
