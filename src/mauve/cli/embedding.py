"""Options of the commands that embed text."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import typer

from mauve.embed.protocol import DTYPES, POOLINGS
from mauve.embed.samples import is_text_file
from mauve.escape import escaped
from mauve.text.normalize import EMPTY
from mauve.text.read import TextFile, read_texts


def choice(choices: Collection[str], help_text: str) -> Any:
    """Return an option that is one of `choices`, which the shell completes."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(
                f"must be one of {', '.join(choices)}. Got '{escaped(value)}' instead."
            )
        return value

    return typer.Option(
        metavar="NAME", callback=check, autocompletion=lambda: list(choices), help=help_text
    )


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
    choice(
        POOLINGS,
        f"How a text's tokens become one row: {', '.join(POOLINGS)}; 'bundled' has surprisal, "
        "mean and last.",
    ),
]
Layer = Annotated[int | None, typer.Option(metavar="N", help="Hidden layer, 0 for the embeddings.")]
MaxLength = Annotated[
    int | None, typer.Option(metavar="N", min=2, help="Tokens to read of a text.")
]
Dtype = Annotated[
    str | None,
    choice(DTYPES, f"Number type of the model: {', '.join(DTYPES)}."),
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
    choice(
        EMPTY,
        "What to do with a text that has no character: 'error', or 'keep', which reads it as "
        "one end-of-text token.",
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Neither read nor write the cache of features.")
]


def read_file(path: Path, field: str) -> TextFile | None:
    """Read a file of texts; None for any other."""
    return read_texts(path, field=field) if is_text_file(path) else None
