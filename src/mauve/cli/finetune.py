"""``mauve finetune``: train a language model on texts."""

import json
from typing import cast

import typer

from mauve.cli.option_groups import with_flags
from mauve.cli.options_finetune import FinetuneInput, FinetuneOutput, TrainingOptions
from mauve.cli.terminal import new_console, printing, warnings_as_lines
from mauve.escape import escaped
from mauve.generation.finetune import Device, Finetuned, TrainingDtype, finetune
from mauve.progress import progress_bar


@with_flags
def finetune_command(
    source: FinetuneInput, training: TrainingOptions, output: FinetuneOutput
) -> None:
    """Train a language model on texts, by default as the paper does."""
    with warnings_as_lines(), progress_bar(not output.quiet) as on_progress:
        settings = training.keywords() | {
            "device": cast(Device, training.device),
            "dtype": cast(TrainingDtype, training.dtype),
        }
        done = finetune(**source.keywords(), **settings, out=output.out, progress=on_progress)
    if not done.is_main_process:
        return
    with printing():
        if output.json:
            typer.echo(json.dumps(done.to_dict(), indent=2))
        elif not output.quiet:
            console = new_console()
            for line in _lines(done):
                console.print(line, soft_wrap=True)


def _lines(done: Finetuned) -> list[str]:
    """Return what came of the training, a line for each thing."""
    lines = [
        f"{done.n_texts:,} texts, {done.n_blocks:,} blocks of {done.block_size} tokens; "
        f"{done.n_tail} tokens after the last whole block were left out",
        f"{done.n_steps:,} steps of {done.batch} blocks, {done.batch_size} at once; "
        f"loss {done.loss:.3f}",
    ]
    if done.perplexity is not None:
        before = "" if done.perplexity_before is None else f", {done.perplexity_before:.1f} before"
        lines.append(
            f"validation perplexity {done.perplexity:.1f}{before} ({done.n_validation_texts} texts)"
        )
    if done.was_finished:
        lines.append("The folder held this model already: nothing was left to do.")
    return [*lines, f"model: {escaped(str(done.folder))}"]
