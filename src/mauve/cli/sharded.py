"""``mauve embed --shard`` and ``mauve merge``: embed in shards that run apart."""

import re
from typing import cast

import typer

from mauve.cli.option_groups import with_flags
from mauve.cli.options_input import EmbedderOptions, EmbedInputOptions, ShardFolder
from mauve.cli.options_output import EmbedOutput
from mauve.cli.terminal import new_console, printing, say, warnings_as_lines
from mauve.cli.values import input_file
from mauve.embed.reading import UnreadablePolicy
from mauve.engine.embedding import embed_shard, merge_shards
from mauve.engine.sources import Preparation, find_sample
from mauve.engine.stages import EmbedderChoice
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.progress import progress_bar
from mauve.text.normalize import EmptyPolicy

_SHARD = re.compile(r"^(\d+)/(\d+)$")


def embed_one_shard(
    source: EmbedInputOptions,
    steps: tuple[str, ...],
    embedding: EmbedderOptions,
    output: EmbedOutput,
) -> None:
    """Embed the texts of one shard into a folder of features."""
    shard, n_shards = _parsed(output.shard or "")
    if output.out.suffix.lower() in (".npy", ".safetensors"):
        raise typer.BadParameter("--out must be a folder with --shard, which all shards write to.")
    path, field = input_file(str(source.texts))
    preparation = Preparation(
        field or source.field, source.strip, steps, cast(EmptyPolicy, source.empty)
    )
    sample = find_sample(str(path), path, preparation)
    if not sample.is_text:
        raise InvalidParameterError(
            f"'{escaped(str(path))}' must be files of texts. They hold features, which need no "
            "embedder."
        )
    with warnings_as_lines(), progress_bar(not output.quiet) as on_progress:
        done = embed_shard(
            sample,
            output.out,
            shard - 1,
            n_shards,
            embedder=EmbedderChoice(embedding.name, embedding.settings(), embedding.device),
            unreadable=cast(UnreadablePolicy, source.unreadable),
            on_progress=on_progress,
        )
    if done.n_truncated:
        say("warning", f"{done.n_truncated} texts are longer than the embedder reads.")
    if output.quiet:
        return
    console = new_console()
    with printing():
        console.print(
            f"shard {shard} of {n_shards}: {done.n_texts} texts, {done.n_new} of them new: "
            f"{escaped(str(output.out))}",
            soft_wrap=True,
        )
        console.print(f"embedder: {escaped(done.origin)}", soft_wrap=True)


@with_flags
def merge_command(folder: ShardFolder) -> None:
    """Check that no shard of mauve embed --shard is missing or damaged."""
    merged = merge_shards(folder.folder)
    console = new_console()
    with printing():
        console.print(
            f"{merged.n_texts} texts in {merged.n_files} files: {escaped(str(folder.folder))}",
            soft_wrap=True,
        )
        console.print(f"embedder: {escaped(merged.origin)}", soft_wrap=True)


def _parsed(shard: str) -> tuple[int, int]:
    """Return the number of a shard, from 1, and that of all.

    Examples
    --------
    >>> _parsed("3/16")
    (3, 16)
    """
    match = _SHARD.match(shard)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise typer.BadParameter(
            f"--shard must be I/N with I from 1 to N, such as 3/16. Got '{escaped(shard)}'."
        )
    return int(match[1]), int(match[2])
