"""Options of ``mauve finetune``: the model, the texts, how it is trained, and where it goes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mauve.cli.option_groups import OptionGroup, choice
from mauve.cli.options_input import Field
from mauve.cli.options_output import Quiet
from mauve.cli.values import at_least, number
from mauve.generation.finetune import DEVICES, TRAINING_DTYPES
from mauve.generation.tasks import TASKS

_above_0 = number("above 0", lambda x: 0 < x < float("inf"))


@dataclass(frozen=True)
class FinetuneInput(OptionGroup):
    """The model and the texts."""

    panel = "Input"

    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A causal language model on the hub or in a folder, or 'bundled'. With "
            "--from-scratch a preset such as 2x128 (GPT-2 with 2 layers of width 128), the .json "
            "file of a configuration, or a model whose configuration is taken.",
        ),
    ]
    texts: Annotated[
        str,
        typer.Argument(
            metavar="TEXTS",
            help="A .txt, .jsonl, .json, .csv, .tsv or .parquet file, also with .gz, .bz2 or .xz, "
            "or - or a pipe with lines or JSON lines.",
        ),
    ]
    field: Field = "text"
    task: Annotated[
        str | None,
        choice(
            TASKS,
            f"Read TEXTS as the texts of a task, {', '.join(TASKS)}, with their prompts before "
            "them; it may then also be 'hf:NAME?split=train' or a folder, as for evaluate.",
        ),
    ] = None
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Start from random weights.")
    ] = False
    tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Another tokenizer than the model's: on the hub, in a folder, or 'bundled', "
            "which is used from scratch where the configuration comes without one.",
        ),
    ] = None
    revision: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Commit, tag or branch of a model on the hub."),
    ] = None


@dataclass(frozen=True)
class TrainingOptions(OptionGroup):
    """How the model is trained; the defaults are those of the paper."""

    panel = "Training"

    epochs: Annotated[
        float, typer.Option(metavar="X", callback=_above_0, help="Passes over the texts.")
    ] = 1.0
    batch: Annotated[
        int,
        typer.Option(
            metavar="N",
            callback=at_least(1, "a step needs a block"),
            help="Blocks in a training step, over all devices.",
        ),
    ] = 32
    batch_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=at_least(1, "a device reads whole blocks"),
            help="Blocks that a device reads at once, by default as many as fit its memory. "
            "Gradients are added until a step has --batch of them.",
        ),
    ] = None
    block_size: Annotated[
        int,
        typer.Option(
            metavar="N",
            callback=at_least(2, "the second token is predicted from the first"),
            help="Tokens in a block. The texts are joined and cut into blocks.",
        ),
    ] = 512
    learning_rate: Annotated[
        float,
        typer.Option(
            metavar="X",
            callback=_above_0,
            help="Learning rate of Adam at the start; it falls linearly to zero.",
        ),
    ] = 5e-5
    validation: Annotated[
        float,
        typer.Option(
            metavar="X",
            callback=number("at least 0 and below 1", lambda x: 0 <= x < 1),
            help="Share of the texts to hold out, whose perplexity is printed; 0 for none.",
        ),
    ] = 0.05
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            callback=at_least(0, "a seed is no negative number"),
            help="Random seed of the held-out texts, the order of blocks and new weights.",
        ),
    ] = 0
    device: Annotated[
        str,
        choice(
            DEVICES,
            "'auto' uses GPUs if there are any, one process for each if it is started by "
            "torchrun; 'cpu' none.",
        ),
    ] = "auto"
    dtype: Annotated[
        str,
        choice(
            TRAINING_DTYPES,
            "Number type of the computation: 'auto' is bfloat16 on GPUs that have it.",
        ),
    ] = "auto"
    save_steps: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=at_least(1, "a checkpoint follows a step"),
            help="Steps between two checkpoints; by default a tenth of the training, at most 500 "
            "apart.",
        ),
    ] = None


@dataclass(frozen=True)
class FinetuneOutput(OptionGroup):
    """Where the model goes."""

    panel = "Output"

    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Folder of the model. A training that was interrupted continues from its last "
            "checkpoint when it is started again with the same folder and settings.",
        ),
    ]
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False
    quiet: Quiet = False
