"""Options in the panels *Measures*, *Explanation* and *Output*: what is computed and printed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mauve.cli.option_groups import OptionGroup, choice
from mauve.cli.outputs import PICTURE_SUFFIXES
from mauve.cli.terminal import warnings_as_lines
from mauve.cli.values import between_0_and_1, number_or, path_ending_in
from mauve.measures.protocol import VARIANT_NAMES
from mauve.measures.registry import FAMILIES, GROUPS, MEASURES, OWN_MEASURES, VARIANTS

_FEATURE_SUFFIXES = (".npy", ".safetensors")
_DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "human": "nearest to human",
}
_GROUPS_HELP = f"or of groups: {', '.join(GROUPS)}; -NAME leaves one out"

Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        callback=path_ending_in(".html"),
        help="Write a report to a .html file: scores, pictures, clusters and texts in one page.",
    ),
]
NoLadder = Annotated[
    bool,
    typer.Option(
        "--no-ladder",
        help="Leave the section 'Form' out of the report, for which changed texts are embedded.",
    ),
]
TokenizerName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What measures count as a token: 'words', 'bundled', a tokenizer.json or its folder, "
        "or a Transformers tokenizer.",
    ),
]
LanguageModelName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Model that computes the perplexity of texts: 'bundled', or a causal Transformers "
        "model on the hub or in a folder.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but the result, warnings and errors.")
]


def print_measures(wanted: bool) -> None:
    """Print a line for each measure and each group and exit, for ``--list``."""
    if not wanted:
        return
    with warnings_as_lines():  # where one of another package cannot be loaded
        measures = {**MEASURES, **VARIANTS, **OWN_MEASURES.loaded()}
    for name, measure in measures.items():
        extra = f" (needs mauve-eval[{measure.extra}])" if measure.extra else ""
        typer.echo(f"{name:20} {_DIRECTIONS[measure.direction]:20} {measure.summary}{extra}")
    families = [f"{family}-N" for family in FAMILIES]
    typer.echo(f"\nN tokens, of your choice: {', '.join(families)}")
    typer.echo("ε of your choice: epsilon-perplexity-1e-3\n\nGroups:")
    for group, names in GROUPS.items():
        members = "all but variants" if len(names) == len(MEASURES) else ", ".join(names)
        typer.echo(f"{group:20} {members}")
    typer.echo("\nA minus leaves one out: --measures default,-zipf")
    raise typer.Exit


@dataclass(frozen=True)
class MeasureOptions(OptionGroup):
    """What the comparison measures need beside the texts."""

    panel = "Measures"

    variant: Annotated[
        str | None,
        choice(
            VARIANT_NAMES,
            "'authors' for the definitions of the papers' released code where it differs from "
            "their text: zipf becomes zipf-authors, and so on. Other measures are unchanged.",
        ),
    ] = None
    tokenizer: TokenizerName = "words"
    language_model: LanguageModelName = "bundled"
    # Python has a mapping `models`; on the command line there is a flag for each system's model.
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME=MODEL@DECODER",
            help="The Transformers model behind a system and how it decodes, such as "
            "gpt2@nucleus:0.95, for how well it predicts the human texts. May be given many times; "
            "a NAME without texts has these measures alone.",
        ),
    ] = None
    training: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Texts that the systems were trained on, to find copies of them."
        ),
    ] = None


@dataclass(frozen=True)
class AddedMeasures(OptionGroup):
    """The measures that ``mauve compare`` adds to MAUVE."""

    panel = "Measures"

    measures: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help=f"Print other measures too: names with commas between them, {_GROUPS_HELP}. "
            "See mauve measure --list.",
        ),
    ] = None


@dataclass(frozen=True)
class MeasureNames(OptionGroup):
    """The measures that ``mauve measure`` computes."""

    panel = "Measures"

    measures: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"Names of measures with commas between them, {_GROUPS_HELP}. --list shows all "
            "measures.",
        ),
    ] = "default"
    list_all: Annotated[
        bool,
        typer.Option(
            "--list", callback=print_measures, is_eager=True, help="List all measures and groups."
        ),
    ] = False
    prompt_context: Annotated[
        bool,
        typer.Option(
            "--prompt-context",
            help="Let language models read the prompt before each text; only the text is scored.",
        ),
    ] = False


@dataclass(frozen=True)
class MetadataOptions(OptionGroup):
    """The fields of the files that describe texts."""

    panel = "Explanation"

    metadata: Annotated[
        str | None,
        typer.Option(
            metavar="FIELDS",
            help="Fields of the files that say where a text is from or what it is about, with "
            "commas between them, to see which clusters they dominate; or 'none'. By default all "
            "that have short strings or whole numbers. In compare, with --report only.",
        ),
    ] = None


@dataclass(frozen=True)
class ExplanationOptions(MetadataOptions):
    """How a comparison is explained."""

    n_clusters: Annotated[
        Any,  # int or "auto": Typer has no unions
        typer.Option(
            metavar="N",
            parser=number_or("auto"),
            help="Number of clusters of texts, or 'auto': up to 30, fewer where there are few "
            "texts.",
        ),
    ] = "auto"
    mixture: Annotated[
        float,
        typer.Option(
            metavar="LAMBDA",
            callback=between_0_and_1,
            help="Weight of human text in the mixture that human text and system are compared "
            "with.",
        ),
    ] = 0.5
    language_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Add the perplexity of each cluster under a language model: 'bundled', or a "
            "causal Transformers model on the hub or in a folder.",
        ),
    ] = None
    n_texts: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Example texts of each cluster to keep for JSON and the report, of human text "
            "and of the system each.",
        ),
    ] = 5


@dataclass(frozen=True)
class FormatOptions(OptionGroup):
    """The format of the result on stdout, of which one can be chosen."""

    panel = "Output"

    json: Json = False
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown tables and nothing else on stdout.")
    ] = False
    latex: Annotated[
        bool, typer.Option("--latex", help="Print LaTeX tables and nothing else on stdout.")
    ] = False
    quiet: Quiet = False

    def __post_init__(self) -> None:
        formats = [name for name in ("json", "markdown", "latex", "csv") if hasattr(self, name)]
        if sum(getattr(self, name) for name in formats) > 1:
            *flags, last = (f"--{name}" for name in formats)
            raise typer.BadParameter(f"only one of {', '.join(flags)} and {last} can be given.")


@dataclass(frozen=True)
class ShowOutput(FormatOptions):
    """What ``mauve show`` prints and writes."""

    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=path_ending_in(*PICTURE_SUFFIXES),
            help="Write the divergence curves to a .png, .svg or .pdf file.",
        ),
    ] = None
    ladder: Annotated[
        bool,
        typer.Option(
            "--ladder",
            help="Print the score as given and after each step of normalisation that removes a "
            "difference of form, and how much of the gap to human text is form.",
        ),
    ] = False
    report: Report = None
    no_ladder: NoLadder = False


@dataclass(frozen=True)
class CompareOutput(ShowOutput):
    """What ``mauve compare`` prints and writes."""

    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the comparison with its texts to a file, for mauve show and mauve.load.",
        ),
    ] = None


@dataclass(frozen=True)
class ExplainOutput(FormatOptions):
    """What ``mauve explain`` prints and writes."""

    top: Annotated[
        int, typer.Option(metavar="N", min=0, help="Clusters of each kind to describe.")
    ] = 3
    examples: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Example texts of each cluster to print, of human text and of the system each.",
        ),
    ] = 1
    texts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=path_ending_in(".jsonl"),
            help="Write what every text contributes to the divergences to a .jsonl file, one text "
            "a line.",
        ),
    ] = None
    report: Report = None
    no_ladder: NoLadder = False


@dataclass(frozen=True)
class MeasureOutput(FormatOptions):
    """What ``mauve measure`` prints."""

    csv: Annotated[
        bool,
        typer.Option(
            "--csv", help="Print one line for each system and measure and nothing else on stdout."
        ),
    ] = False
    gaps: Annotated[
        bool,
        typer.Option(
            "--gaps",
            help="Show the gap |T(Q) - T(P)| between a statistic T of a system's texts Q and of "
            "the human texts P, not T(Q).",
        ),
    ] = False


@dataclass(frozen=True)
class DemoOutput(OptionGroup):
    """Where ``mauve demo`` writes."""

    panel = "Output"

    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write the texts, picture and report.")
    ] = Path("demo")


def check_feature_file(path: Path) -> None:
    """Raise unless a path is that of a file of features."""
    path_ending_in(*_FEATURE_SUFFIXES)(path)


@dataclass(frozen=True)
class EmbedOutput(OptionGroup):
    """What ``mauve embed`` writes."""

    panel = "Output"

    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write: a .npy or .safetensors file; with --shard a folder, the same for "
            "all shards.",
        ),
    ]
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Embed shard I of N, from 1 on, of the texts of one or many files: TEXTS may be a "
            "pattern or a folder. Run all, in any order and on any machines, then mauve merge.",
        ),
    ] = None
    quiet: Quiet = False
