"""Options in the panels *Input* and *Embedder*: which texts, and what embeds them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mauve.cli.option_groups import OptionGroup, choice
from mauve.cli.values import at_least, check_systems
from mauve.comparison.settings import MIN_TEXTS
from mauve.embed.protocol import EMBEDDER_DTYPES, POOLINGS
from mauve.embed.reading import UNREADABLE
from mauve.text.normalize import EMPTY
from mauve.text.steps import JOINT_STEPS, NORMALIZE_STEPS

Field = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Field or column that holds the text; a.b.0 is item 0 of field b within field a.",
    ),
]
Strip = Annotated[
    bool, typer.Option("--strip", help="Remove white space at both ends of every text.")
]
MatchLength = Annotated[
    bool, typer.Option("--match-length", help="Cut all texts to the same number of words.")
]
Normalize = Annotated[
    str | None,
    typer.Option(
        metavar="STEPS",
        help=f"Remove differences of form by steps, with commas between them: "
        f"{', '.join(NORMALIZE_STEPS)}. They are applied in this order. In embed, which reads one "
        f"file, {' and '.join(JOINT_STEPS)} cannot be used.",
    ),
]
Empty = Annotated[
    str,
    choice(
        EMPTY,
        "What to do with a text that has no characters: 'error', or 'keep', which reads it as "
        "one end-of-text token.",
    ),
]
Unreadable = Annotated[
    str,
    choice(
        UNREADABLE,
        "What to do if most texts of the first file are in a language the embedder cannot read: "
        "'error' or 'warn'. The bundled one reads English.",
    ),
]


@dataclass(frozen=True)
class SampleOptions(OptionGroup):
    """The files of human texts and of systems, and the prompts of the texts."""

    panel = "Input"

    human: Annotated[
        Path,
        typer.Argument(
            metavar="HUMAN",
            help="Human texts: a .txt (one a line), .jsonl (field 'text'), .json, .csv, .tsv or "
            ".parquet file, also with .gz, .bz2 or .xz, or - or a pipe with lines or JSON lines; "
            "or a log of lm-evaluation-harness, inspect_ai or lighteval, the output of OpenAI's "
            "batch API, or conversations (FILE?role=user for those of the user); or "
            "hf:DATASET?split=NAME; or their features, a .npy, .npy.gz or .safetensors file of "
            "shape (number of texts, dimension). FILE:FIELD takes the texts from another field "
            "than --field.",
        ),
    ]
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM",
            callback=check_systems,
            help="Each system's texts or features, in the same kinds of file. A system is named "
            "after its file; NAME=FILE or NAME=FILE:FIELD gives it another name.",
        ),
    ]
    field: Field = "text"
    prompts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The prompt of each text, one a line, in the order of the texts, which is the "
            "same in every file. Texts of one prompt are not independent; intervals and tests "
            "take that into account.",
        ),
    ] = None
    by_prompt: Annotated[
        bool,
        typer.Option("--by-prompt", help="The same, with the field 'prompt' of the files."),
    ] = False


@dataclass(frozen=True)
class TextOptions(OptionGroup):
    """How texts are prepared before they are embedded or counted."""

    panel = "Input"

    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=at_least(MIN_TEXTS, "a comparison needs as many texts"),
            help="Take N texts of each sample at random (see --seed), whatever their order; with "
            "prompts, texts of the same prompts in all samples.",
        ),
    ] = None
    strip: Strip = False
    match_length: MatchLength = False
    normalize: Normalize = None
    strip_prompt: Annotated[
        bool,
        typer.Option(
            "--strip-prompt",
            help="Remove the prompt at the beginning of texts, that of --prompts or --by-prompt or "
            "one that is found: the step 'prompt' of --normalize.",
        ),
    ] = False
    empty: Empty = "error"
    unreadable: Unreadable = "error"

    @property
    def steps(self) -> str | None:
        """Names of all steps but those that have flags of the same name in Python."""
        names = [*filter(None, [self.normalize]), *["prompt"] * self.strip_prompt]
        return ",".join(names) or None

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of `mauve.compare`, which has no ``strip_prompt``."""
        keywords = super().keywords() | {"normalize": self.steps}
        del keywords["strip_prompt"]
        return keywords


@dataclass(frozen=True)
class EmbedInputOptions(OptionGroup):
    """The file that ``mauve embed`` reads."""

    panel = "Input"

    texts: Annotated[
        Path,
        typer.Argument(
            metavar="TEXTS",
            help="A .txt, .jsonl, .json, .csv, .tsv or .parquet file, also with .gz, .bz2 or .xz, "
            "or - or a pipe with lines or JSON lines. FILE:FIELD takes the texts from another "
            "field than --field.",
        ),
    ]
    field: Field = "text"
    strip: Strip = False
    normalize: Normalize = None
    empty: Empty = "error"
    unreadable: Unreadable = "error"


@dataclass(frozen=True)
class SavedFile(OptionGroup):
    """The file that ``mauve show`` reads."""

    panel = "Input"

    path: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="What mauve compare --save or Comparison.save wrote."),
    ]


@dataclass(frozen=True)
class ShardFolder(OptionGroup):
    """The folder that ``mauve merge`` checks."""

    panel = "Input"

    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="What mauve embed --shard wrote to with --out.")
    ]


@dataclass(frozen=True)
class EmbedderOptions(OptionGroup):
    """The model that turns texts into features, and where it runs."""

    panel = "Embedder"

    embedder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What turns text into features: 'bundled', which is the default, a Transformers "
            "model on the hub or in a folder, 'sentence:NAME', or the http(s) address of an "
            "OpenAI-compatible endpoint.",
        ),
    ] = None  # so that one for features, which none reads, can be told from the default
    pooling: Annotated[
        str | None,
        choice(
            POOLINGS,
            f"How the tokens of a text become one row of features: {', '.join(POOLINGS)}; "
            "'bundled' has surprisal, mean and last.",
        ),
    ] = None
    layer: Annotated[
        int | None, typer.Option(metavar="N", help="Hidden layer, 0 for the embeddings.")
    ] = None
    max_length: Annotated[
        int | None, typer.Option(metavar="N", min=2, help="Tokens to read of each text.")
    ] = None
    dtype: Annotated[
        str | None,
        choice(
            EMBEDDER_DTYPES,
            f"Number type of the model: {', '.join(EMBEDDER_DTYPES)}; float8 needs a GPU.",
        ),
    ] = None
    revision: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Commit, tag or branch of a model on the hub."),
    ] = None
    device: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where to compute: 'auto' runs models on the GPUs that are there and clusters on "
            "the CPU; 'cpu', or a torch device such as 'cuda', does both there; embed takes "
            "several, such as 'cuda:0,cuda:1'. The bundled model always runs on the CPU.",
        ),
    ] = "auto"
    # Python: cache=False. A flag can only switch something on.
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Neither read nor write the cache of features.")
    ] = False

    @property
    def name(self) -> str:
        """The embedder to use for texts."""
        return "bundled" if self.embedder is None else self.embedder

    def settings(self) -> dict[str, Any]:
        """Return the options that change what the embedder computes, None where not given."""
        names = ("pooling", "layer", "max_length", "dtype", "revision")
        return {name: getattr(self, name) for name in names}
