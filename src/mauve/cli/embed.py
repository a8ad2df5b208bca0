"""``mauve embed``: turn a file of texts into a file of features."""

import numpy as np
from safetensors.numpy import save

from mauve.atomic import atomic_write, check_writable
from mauve.cli.option_groups import with_flags
from mauve.cli.options_input import EmbedderOptions, EmbedInputOptions
from mauve.cli.options_output import EmbedOutput
from mauve.cli.terminal import new_console, say, warnings_as_lines
from mauve.embed.load import load_samples
from mauve.embed.registry import get_embedder
from mauve.embed.samples import is_text_file
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.progress import progress_bar
from mauve.text.read import read_texts


@with_flags
def embed_command(
    source: EmbedInputOptions, embedding: EmbedderOptions, output: EmbedOutput
) -> None:
    """Turn texts into a file of features for the other commands."""
    check_writable(output.out)
    if not is_text_file(source.texts):
        raise InvalidParameterError(
            f"'{source.texts}' must be a file of texts: .txt, .jsonl, .csv, .parquet, or - for "
            "stdin."
        )
    name = source.texts.name
    embedder = get_embedder(embedding.name, **embedding.settings(), device=embedding.device)
    texts = read_texts(source.texts, field=source.field).texts
    with warnings_as_lines(), progress_bar(not output.quiet) as on_progress:
        sample = load_samples(
            {name: texts},
            embedder=embedder,
            cache=not embedding.no_cache,
            strip=source.strip,
            empty=source.empty,
            on_progress=on_progress,
        )
        features = sample.features[name]
    with atomic_write(output.out) as file:
        if output.out.suffix.lower() == ".npy":
            np.save(file, features)
        else:
            file.write(save({"features": features}, {"embedder": sample.origin}))
    if n_truncated := sample.n_truncated(name):
        say("warning", f"{n_truncated} texts are longer than the embedder reads.")
    if output.quiet:
        return
    n_texts, dimension = features.shape
    console = new_console()
    console.print(
        f"{n_texts} texts, {dimension} features: {escaped(str(output.out))}", soft_wrap=True
    )
    console.print(f"embedder: {escaped(sample.origin)}", soft_wrap=True)
