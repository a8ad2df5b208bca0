"""mauve generate: texts of language models in files, by decoder and seed."""

import json

import typer

import mauve
from mauve.cli.option_groups import with_flags
from mauve.cli.options_generation import (
    DecodingOptions,
    DrawOptions,
    DrawSeed,
    GenerateOutput,
    ModelArguments,
    ModelDevice,
    ModelOptions,
    PromptOptions,
)
from mauve.cli.terminal import new_console, printing, warnings_as_lines
from mauve.cli.values import writers_by_name
from mauve.escape import escaped
from mauve.progress import progress_bar


@with_flags
def generate_command(
    models: ModelArguments,
    prompts: PromptOptions,
    drawing: DrawOptions,
    draw: DrawSeed,
    decoding: DecodingOptions,
    loading: ModelOptions,
    device: ModelDevice,
    output: GenerateOutput,
) -> None:
    """Continue prompts with language models, and keep the texts.

    Writes a file for each model, decoder and seed. The same command again continues where it
    was stopped, and mauve evaluate with the same settings and folder compares the texts.
    """
    if (prompts.prompts is None) == (prompts.source is None):
        raise typer.BadParameter("either --prompts or --source must be given.")
    if prompts.prompts is not None and prompts.task is not None:
        raise typer.BadParameter("--task needs --source: --prompts are continued as they are.")
    has_source = prompts.source is not None
    with warnings_as_lines(), progress_bar(not output.quiet) as on_progress:
        generated = mauve.generate(
            writers_by_name(models.models),
            prompts.prompts,
            task=(prompts.task or "text") if has_source else None,
            source=prompts.source,
            folder=output.out,
            progress=on_progress,
            **drawing.keywords(),
            **draw.keywords(),
            **decoding.keywords(),
            **loading.keywords(),
            **device.keywords(),
        )
    with printing():
        if output.json:
            result = {"version": mauve.__version__, **generated.to_dict()}
            typer.echo(json.dumps(result, indent=2, allow_nan=False))
        elif not output.quiet:
            console = new_console()
            console.print(generated.table(), soft_wrap=True)
            console.print()
            for path in generated.paths:
                console.print(escaped(str(path)), soft_wrap=True)
