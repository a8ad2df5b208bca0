"""Options in the panels *Task*, *Decoding* and *Model*: what is generated, and with which model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mauve.cli.option_groups import OptionGroup, choice
from mauve.cli.options_input import MatchLength, Normalize, Strip, Unreadable
from mauve.cli.options_output import (
    FormatOptions,
    Json,
    LanguageModelName,
    MeasureOptions,
    NoLadder,
    TokenizerName,
)
from mauve.cli.values import check_writers, parse_seed_list
from mauve.embed.protocol import DTYPES
from mauve.generation.generating import N_PROMPTS
from mauve.generation.scoring import MEASURES
from mauve.generation.tasks import TASKS
from mauve.measures.registry import GROUPS

_MODEL_HELP = (
    "The model that writes: 'bundled'; 'ngram:FILE', an n-gram model of the texts of a file; a "
    "causal Transformers model on the hub or in a folder; or the http(s) address of an "
    "OpenAI-compatible endpoint. It is named after its last part; NAME=MODEL gives it another "
    "name."
)


@dataclass(frozen=True)
class ModelArguments(OptionGroup):
    """The models that write."""

    panel = "Model"

    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL", callback=check_writers, help=_MODEL_HELP),
    ]


@dataclass(frozen=True)
class ModelOptions(OptionGroup):
    """How models are loaded."""

    panel = "Model"

    model_dtype: Annotated[
        str, choice(DTYPES, f"Number type of the models: {', '.join(DTYPES)}.")
    ] = "auto"
    model_revision: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Commit, tag or branch of the models on the hub."),
    ] = None
    token_budget: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Most tokens in a batch; by default as many "
                     "as fit the memory."),
    ] = None  # fmt: skip

    n_connections: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Prompts that are sent to an endpoint at once."),
    ] = None
    template: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Message of a chat endpoint, in which {prompt} stands for the prompt.",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of `mauve.generate` and `mauve.evaluate`."""
        return {
            "endpoint": {"n_connections": self.n_connections, "template": self.template},
            "dtype": self.model_dtype,
            "revision": self.model_revision,
            "token_budget": self.token_budget,
        }


@dataclass(frozen=True)
class ModelDevice(OptionGroup):
    """Where models run that only write."""

    panel = "Model"

    device: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where to compute: 'auto' takes the GPUs that are there; 'cpu', or torch devices "
            "such as 'cuda:0,cuda:1'. The bundled model always runs on the CPU.",
        ),
    ] = "auto"


@dataclass(frozen=True)
class DrawOptions(OptionGroup):
    """How prompts are made of the texts of a task."""

    panel = "Task"

    n: Annotated[
        int,
        typer.Option("-n", "--n", metavar="N", min=1, help="Number of prompts, drawn at random."),
    ] = N_PROMPTS
    prompt_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Tokens of a prompt; by default those of the task."),
    ] = None
    well_formed: Annotated[
        bool,
        typer.Option("--well-formed", help="Leave out prompts that are no well-formed English."),
    ] = False
    prompt_tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="The model whose tokens cut the human texts, such as 'bundled'; by default the "
            "first MODEL.",
        ),
    ] = None


_TASK_HELP = (
    f"Where prompts and human continuations are from: {', '.join(TASKS)}. The paper's web text "
    "has 35 tokens of prompt and 1,024 of continuation, stories 50 and 512, news the title and "
    "metadata, and 1,024; text is for texts of any kind, 35 and 256, or the prompts they have."
)
_SOURCE_HELP = (
    "Human texts of the task: a .txt, .jsonl, .json, .csv, .tsv or .parquet file, a folder with "
    "files of WritingPrompts, or hf:NAME?split=test&field=text, a dataset on the hub."
)


@dataclass(frozen=True)
class PromptOptions(OptionGroup):
    """What ``mauve generate`` continues."""

    panel = "Task"

    prompts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Prompts to continue: a .txt (one a line), .jsonl (field 'text'), .json, .csv, "
            ".tsv or .parquet file.",
        ),
    ] = None
    task: Annotated[str | None, choice(TASKS, _TASK_HELP)] = None
    source: Annotated[str | None, typer.Option(metavar="SOURCE", help=_SOURCE_HELP)] = None


@dataclass(frozen=True)
class DrawSeed(OptionGroup):
    """The random seed of ``mauve generate``; that of ``mauve evaluate`` serves scores too."""

    panel = "Task"

    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Random seed of the draw of prompts.")
    ] = 0


@dataclass(frozen=True)
class TaskOptions(OptionGroup):
    """The task of ``mauve evaluate``."""

    panel = "Task"

    source: Annotated[str, typer.Option(metavar="SOURCE", help=_SOURCE_HELP)]
    task: Annotated[str, choice(TASKS, _TASK_HELP)] = "text"


@dataclass(frozen=True)
class DecodingOptions(OptionGroup):
    """Decoders, seeds and lengths."""

    panel = "Decoding"

    decoders: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Decoders with commas between them: greedy, ancestral, beam:b=4,no_repeat=4, "
            "temperature:0.7, top-k:k=40, nucleus:p=0.95, typical:p=0.95, min-p:p=0.05, "
            "contrastive:k=4,alpha=0.6, adversarial. temperature=0.8 may follow a truncation.",
        ),
    ] = "ancestral"
    seeds: Annotated[
        str,
        typer.Option(
            metavar="NUMBERS",
            callback=parse_seed_list,
            help="Random seeds of the texts, with commas between them. A decoder that draws "
            "nothing is run once.",
        ),
    ] = "0"
    max_tokens: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Most new tokens of a text; by default those of the task."
        ),
    ] = None
    min_tokens: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Fewest tokens of a text: models end none before, and shorter human texts are "
            "left out.",
        ),
    ] = 0

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of `mauve.generate` and `mauve.evaluate`."""
        return super().keywords() | {"seeds": [int(seed) for seed in self.seeds.split(",")]}


_Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="FOLDER", help="Where the files are; the same command continues."
    ),
]


@dataclass(frozen=True)
class GenerateOutput(OptionGroup):
    """Where ``mauve generate`` writes, and what it prints."""

    panel = "Output"

    out: _Out
    json: Json = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and errors.")
    ] = False


@dataclass(frozen=True)
class ComparedTexts(OptionGroup):
    """What of the texts is compared."""

    panel = "Score"

    with_prompt: Annotated[
        bool,
        typer.Option(
            "--with-prompt",
            help="Compare prompt and continuation on both sides, as the paper does, and not the "
            "continuation alone.",
        ),
    ] = False
    pool_seeds: Annotated[
        bool,
        typer.Option(
            "--pool-seeds",
            help="Make one sample of the texts of all seeds of a decoder; by default each seed is "
            "a system.",
        ),
    ] = False
    strip: Strip = False
    match_length: MatchLength = False
    normalize: Normalize = None
    unreadable: Unreadable = "error"


@dataclass(frozen=True)
class EvaluateMeasures(OptionGroup):
    """The measures of ``mauve evaluate``."""

    panel = "Measures"

    measures: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Names of measures with commas between them, or of groups: "
            f"{', '.join(GROUPS)}; -NAME leaves one out; 'none' for none.",
        ),
    ] = MEASURES
    tokenizer: TokenizerName = MeasureOptions.tokenizer
    language_model: LanguageModelName = MeasureOptions.language_model


@dataclass(frozen=True)
class EvaluateOutput(FormatOptions):
    """Where ``mauve evaluate`` writes, and what it prints."""

    out: _Out = Path("evaluation")
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no report, which needs the report extra.")
    ] = False
    no_ladder: NoLadder = False
