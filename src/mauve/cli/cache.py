"""``mauve cache``: show and clear the cache of features."""

import json
from typing import Annotated

import typer
from rich.filesize import decimal

from mauve.cli.option_groups import PanelCommand, SummaryGroup
from mauve.cli.terminal import new_console, one_line_errors, printing, warnings_as_lines
from mauve.embed.cache import FeatureCache
from mauve.escape import escaped

cache_commands = typer.Typer(
    name="cache",
    cls=SummaryGroup,
    help="Show or delete the features that are cached on disk.",
    rich_markup_mode=None,
)


@cache_commands.callback(invoke_without_command=True)
def _without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@cache_commands.command(cls=PanelCommand)
@one_line_errors
def info(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")
    ] = False,
) -> None:
    """Show where the cache is, its size, and its texts by embedder."""
    with warnings_as_lines():
        cached = FeatureCache().info()
    if as_json:
        as_dict = {
            "folder": str(cached.folder),
            "texts": cached.n_texts,
            "bytes": cached.n_bytes,
            "embedders": cached.embedders,
        }
        with printing():
            typer.echo(json.dumps(as_dict, indent=2))
        return
    console = new_console()
    with printing():
        console.print(f"folder: {escaped(str(cached.folder))}", soft_wrap=True)
        console.print(f"texts:  {cached.n_texts}")
        console.print(f"size:   {decimal(cached.n_bytes)}")
        for signature, n_texts in cached.embedders.items():
            console.print(f"{n_texts:12} {escaped(signature)}", soft_wrap=True)


@cache_commands.command(cls=PanelCommand)
@one_line_errors
def clear(
    embedder: Annotated[
        str | None,
        typer.Option(metavar="SIGNATURE", help="Delete only the features of this embedder."),
    ] = None,
) -> None:
    """Delete the features of all texts, or those of one embedder."""
    with warnings_as_lines():
        n_texts = FeatureCache().clear(embedder)
    with printing():
        typer.echo(f"deleted the features of {n_texts} {'text' if n_texts == 1 else 'texts'}")


@cache_commands.command(cls=PanelCommand)
@one_line_errors
def path() -> None:
    """Print the folder of the cache; MAUVE_CACHE sets another."""
    with printing():
        typer.echo(FeatureCache().folder)
