"""Options of the commands that print comparison measures, and their tables."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from mauve.cli import embedding
from mauve.cli.layout import fitting, print_table
from mauve.embed.samples import SampleLike
from mauve.escape import escaped
from mauve.measures.registry import GROUPS
from mauve.measures.results import Measurements

Tokenizer = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What counts as a token: 'words', 'bundled', a tokenizer.json or its folder, or a "
        "Transformers tokenizer.",
    ),
]
LanguageModel = Annotated[
    str,
    typer.Option(
        "--lm",
        metavar="NAME",
        help="The model of generation perplexity: 'bundled', or a causal Transformers model on "
        "the hub or in a folder.",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME=MODEL@DECODER",
        help="The Transformers model behind a system and how it decodes, such as "
        "gpt2@nucleus:0.95, for how well it predicts the human texts. May be given many times; a "
        "NAME without texts has these measures alone.",
    ),
]
Training = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="What the systems were trained on, to find copies of it."),
]
PromptContext = Annotated[
    bool,
    typer.Option(
        "--prompt-context",
        help="Let language models read the prompt before each text; only the text is scored.",
    ),
]
Gaps = Annotated[
    bool,
    typer.Option("--gaps", help="Show |T(Q) - T(P)|, the distance to human text, not T(Q)."),
]
#: What the option for names of measures says of the groups.
GROUP_HELP = f"or of groups: {', '.join(GROUPS)}"


def named_models(arguments: list[str] | None) -> dict[str, str]:
    """Return the model behind each system.

    Examples
    --------
    >>> named_models(["small=gpt2@nucleus:0.95"])
    {'small': 'gpt2@nucleus:0.95'}
    """
    found: dict[str, str] = {}
    for argument in arguments or []:
        name, equals, model = argument.partition("=")
        if not equals or not name or not model:
            raise typer.BadParameter(
                f"--model must be NAME=MODEL@DECODER. Got '{escaped(argument)}' instead."
            )
        if name in found:
            raise typer.BadParameter(f"--model must name '{escaped(name)}' once.")
        found[name] = model
    return found


def read_training(path: Path | None, field: str) -> SampleLike | None:
    """Read the training texts, where there are any; features are read later."""
    if path is None:
        return None
    file = embedding.read_file(path, field)
    return path if file is None else file.texts


def print_measurements(console: Console, found: Measurements, *, gaps: bool = False) -> None:
    """Print as many tables as it takes for all columns to fit."""
    names = found.row_names(gaps=gaps)
    columns = {
        column.heading: [str(cell) for cell in column.cells] for column in found.columns(gaps=gaps)
    }
    for i, titles in enumerate(fitting(console.width, names, columns)):
        if i:
            console.print()
        rows = [
            ([name], {title: columns[title][row] for title in titles})
            for row, name in enumerate(names)
        ]
        print_table(console, ["system"], rows)


def how_to_read(found: Measurements, *, gaps: bool) -> str:
    """Return the sentences that go with the tables."""
    level = f"{100 * found.confidence:g}%"
    reading = (
        "↑ higher is better, ↓ lower is better, ≈ nearest to human text is; ± is half of the "
        f"{level} interval; * marks the best; -- is not defined."
    )
    return f"{reading} Statistics are shown as |T(Q) - T(P)|." if gaps else reading
