"""Options of the commands that embed text."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated

import typer

from mauve.printable import printable
from mauve.samples import is_text_file
from mauve.texts import TextFile, read_texts

POOLINGS = ("last", "mean", "max", "cls", "surprisal")
DTYPES = ("auto", "float32", "bfloat16", "float16", "float64")


def one_of(choices: Collection[str]) -> Callable[[str | None], str | None]:
    """Return a callback that refuses a value that is not one of `choices`."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(
                f"must be one of {', '.join(choices)}. Got '{printable(value)}' instead."
            )
        return value

    return check


EmbedderName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What turns text into features: 'bundled', a Transformers model on the hub or in a "
        "folder, 'sentence:NAME', or the http(s) address of an OpenAI-compatible endpoint.",
    ),
]
Pooling = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        callback=one_of(POOLINGS),
        autocompletion=lambda: list(POOLINGS),
        help=f"How a text's tokens become one row: {', '.join(POOLINGS)}; 'bundled' has surprisal, "
        "mean and last.",
    ),
]
Layer = Annotated[int | None, typer.Option(metavar="N", help="Hidden layer, 0 for the embeddings.")]
MaxLength = Annotated[
    int | None, typer.Option(metavar="N", min=2, help="Tokens to read of a text.")
]
Dtype = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        callback=one_of(DTYPES),
        autocompletion=lambda: list(DTYPES),
        help=f"Number type of the model: {', '.join(DTYPES)}.",
    ),
]
Revision = Annotated[
    str | None, typer.Option(metavar="NAME", help="Commit, tag or branch of a model on the hub.")
]
Field = Annotated[
    str, typer.Option(metavar="NAME", help="Field or column that holds the text in a file.")
]
Strip = Annotated[
    bool, typer.Option("--strip", help="Remove white space at both ends of every text.")
]
Empty = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        callback=one_of(("error", "keep")),
        help="What to do with a text that has no character: 'error', or 'keep', which reads it as "
        "one end-of-text token.",
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Neither read nor write the cache of features.")
]


def read_file(path: Path, field: str) -> TextFile | None:
    """Read a file of texts; None for any other."""
    return read_texts(path, field=field) if is_text_file(path) else None
