"""``mauve embed``: a file of texts in, a file of features out."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from safetensors.numpy import save

from mauve.atomic import atomic_write, check_writable
from mauve.cli import embedding
from mauve.cli.terminal import new_console, progress_bar, say, warnings_as_lines
from mauve.embed.registry import get_embedder
from mauve.embed.samples import is_text_file
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.text.normalize import prepare_texts
from mauve.text.read import read_texts

_KINDS = (".npy", ".safetensors")


def _checked_out(path: Path) -> Path:
    if path.suffix.lower() not in _KINDS:
        raise typer.BadParameter(f"'{escaped(str(path))}' must end in {' or '.join(_KINDS)}.")
    return path


def embed(
    texts: Annotated[
        Path,
        typer.Argument(
            metavar="TEXTS",
            help="A .txt, .jsonl, .csv or .parquet file, also with .gz, or - for lines or JSON "
            "lines from stdin.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            callback=_checked_out,
            help="Where to write: .npy or .safetensors.",
        ),
    ],
    embedder: embedding.EmbedderName = "bundled",
    pooling: embedding.Pooling = None,
    layer: embedding.Layer = None,
    max_length: embedding.MaxLength = None,
    dtype: embedding.Dtype = None,
    device: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="'auto', 'cpu', or torch devices such as 'cuda:0,cuda:1'."
        ),
    ] = "auto",
    revision: embedding.Revision = None,
    field: embedding.Field = "text",
    strip: embedding.Strip = False,
    empty: embedding.Empty = "error",
    no_cache: embedding.NoCache = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Turn texts into features and write them to a file, which `compare` reads."""
    check_writable(out)
    if not is_text_file(texts):
        raise InvalidParameterError(
            f"'{texts}' must be a file of texts: .txt, .jsonl, .csv, .parquet, or - for stdin."
        )
    read = read_texts(texts, field=field)
    prepared, recipe = prepare_texts({texts.name: read.texts}, strip=strip, empty=empty)
    options = {
        "pooling": pooling, "layer": layer, "max_length": max_length, "dtype": dtype,
        "device": device, "revision": revision,
    }  # fmt: skip
    chosen = get_embedder(embedder, **options)
    with warnings_as_lines(), progress_bar(not quiet) as on_progress:
        [sample], _ = embed_samples(prepared, chosen, cache=not no_cache, on_progress=on_progress)
    origin = origin_of(chosen, recipe)
    with atomic_write(out) as file:
        if out.suffix.lower() == ".npy":
            np.save(file, sample.features)
        else:
            file.write(save({"features": sample.features}, {"embedder": origin}))
    if quiet:
        return
    if sample.n_truncated:
        say("warning", f"{sample.n_truncated} texts are longer than the embedder reads.")
    n, d = sample.features.shape
    console = new_console()
    console.print(f"{n} texts, {d} features: {escaped(str(out))}", soft_wrap=True)
    console.print(f"embedder: {escaped(origin)}", soft_wrap=True)
