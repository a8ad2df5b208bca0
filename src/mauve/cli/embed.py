"""``mauve embed``: turn a file of texts into a file of features."""

from typing import cast

import numpy as np
from safetensors.numpy import save

from mauve.atomic import atomic_write, check_writable
from mauve.cli.option_groups import with_flags
from mauve.cli.options_input import EmbedderOptions, EmbedInputOptions
from mauve.cli.options_output import EmbedOutput, check_feature_file
from mauve.cli.sharded import embed_one_shard
from mauve.cli.terminal import new_console, printing, say, say_warnings, warnings_as_lines
from mauve.cli.values import input_file
from mauve.embed.load import load_samples
from mauve.embed.reading import UnreadablePolicy
from mauve.embed.registry import get_embedder
from mauve.embed.samples import read_samples
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.progress import progress_bar
from mauve.text.normalize import EmptyPolicy
from mauve.text.steps import JOINT_STEPS, check_steps


@with_flags
def embed_command(
    source: EmbedInputOptions, embedding: EmbedderOptions, output: EmbedOutput
) -> None:
    """Turn texts into a file of features for the other commands."""
    steps = check_steps(source.normalize, without=JOINT_STEPS)
    if output.shard is not None:
        embed_one_shard(source, steps, embedding, output)
        return
    check_feature_file(output.out)
    check_writable(output.out)
    path, field = input_file(str(source.texts))
    name = path.name
    embedder = get_embedder(embedding.name, **embedding.settings(), device=embedding.device)
    [sample] = read_samples({name: path}, field or source.field).values()
    if not sample.is_text:
        raise InvalidParameterError(
            f"'{escaped(str(path))}' must be a file of texts. It holds features, which need "
            "no embedder."
        )
    with warnings_as_lines(), progress_bar(not output.quiet) as on_progress:
        samples = load_samples(
            {name: sample},
            embedder=embedder,
            cache=not embedding.no_cache,
            strip=source.strip,
            normalize=steps,
            empty=cast(EmptyPolicy, source.empty),
            unreadable=cast(UnreadablePolicy, source.unreadable),
            on_progress=on_progress,
        )
        features = samples.features[name]
    with atomic_write(output.out) as file:
        if output.out.suffix.lower() == ".npy":
            np.save(file, features)
        else:
            file.write(save({"features": features}, {"embedder": samples.origin}))
    say_warnings(samples.all_reading_warnings)
    if n_truncated := samples.n_truncated(name):
        say("warning", f"{n_truncated} texts are longer than the embedder reads.")
    if output.quiet:
        return
    n_texts, dimension = features.shape
    console = new_console()
    with printing():
        console.print(
            f"{n_texts} texts, {dimension} features: {escaped(str(output.out))}", soft_wrap=True
        )
        console.print(f"embedder: {escaped(samples.origin)}", soft_wrap=True)
