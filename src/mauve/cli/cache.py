"""``mauve cache``: what the cache of features holds, and how to be rid of it."""

import json
from typing import Annotated

import typer
from rich.filesize import decimal

from mauve.cli.terminal import new_console, one_line_errors, warnings_as_lines
from mauve.embed.cache import FeatureCache
from mauve.escape import escaped

cache = typer.Typer(
    name="cache",
    help="Look at the features that are kept on disk, or delete them.",
    rich_markup_mode=None,
)


@cache.callback(invoke_without_command=True)
def _without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@cache.command()
@one_line_errors
def info(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")
    ] = False,
) -> None:
    """Show where the cache is, its size, and its texts by embedder."""
    with warnings_as_lines():
        found = FeatureCache().info()
    if as_json:
        as_dict = {
            "folder": str(found.folder),
            "texts": found.n_texts,
            "bytes": found.n_bytes,
            "embedders": found.embedders,
        }
        typer.echo(json.dumps(as_dict, indent=2))
        return
    console = new_console()
    console.print(f"folder: {escaped(str(found.folder))}", soft_wrap=True)
    console.print(f"texts:  {found.n_texts}")
    console.print(f"size:   {decimal(found.n_bytes)}")
    for signature, n_texts in found.embedders.items():
        console.print(f"{n_texts:12} {escaped(signature)}", soft_wrap=True)


@cache.command()
@one_line_errors
def clear(
    embedder: Annotated[
        str | None,
        typer.Option(metavar="SIGNATURE", help="Delete only what this embedder made."),
    ] = None,
) -> None:
    """Delete the features of all texts, or those of one embedder."""
    with warnings_as_lines():
        n_texts = FeatureCache().clear(embedder)
    typer.echo(f"deleted the features of {n_texts} {'text' if n_texts == 1 else 'texts'}")


@cache.command()
@one_line_errors
def path() -> None:
    """Print the folder of the cache; MAUVE_CACHE sets another."""
    typer.echo(FeatureCache().folder)
