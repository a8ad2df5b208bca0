"""Options and files of the commands that take human texts and systems."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mauve.atomic import check_writable
from mauve.cli import embedding
from mauve.embed.load import human_name_beside
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.embed.samples import SampleLike
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.text.prompts import Prompts
from mauve.text.read import TEXT_SUFFIXES, TextFile

_SUFFIXES = (
    ".npy", ".npy.gz", ".safetensors",
    *TEXT_SUFFIXES, *(f"{suffix}.gz" for suffix in TEXT_SUFFIXES),
)  # fmt: skip
#: What a file of human texts may be.
HUMAN_HELP = (
    "Human texts: a .txt (one a line), .jsonl (field 'text'), .csv or .parquet file, also with "
    ".gz, or - for lines or JSON lines from stdin; or their features, a .npy, .npy.gz or "
    ".safetensors file of shape (n, d)."
)


def name_and_path(argument: str) -> tuple[str, Path]:
    """Split ``NAME=PATH``, or name a system after its file.

    Examples
    --------
    >>> name_and_path("runs/gpt2.v1.npy.gz")[0]
    'gpt2.v1'
    >>> name, path = name_and_path("small=runs/gpt2.npy")
    >>> name, path.as_posix()
    ('small', 'runs/gpt2.npy')
    """
    given, equals, rest = argument.partition("=")
    if equals and not os.path.isfile(argument):  # a file may well be called lr=0.1.npy
        if not given or not rest:
            raise typer.BadParameter(
                f"'{escaped(argument)}' must be a file or NAME=FILE, with neither empty."
            )
        return given, Path(rest)
    path = Path(argument)
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if path.name.endswith(suffix) and path.name != suffix:
            return path.name.removesuffix(suffix), path
    return path.name or argument, path


def named_systems(arguments: list[str]) -> dict[str, Path]:
    """Return the path of every system by its name; names must differ."""
    systems: dict[str, Path] = {}
    for argument in arguments:
        name, path = name_and_path(argument)
        if name in systems:
            raise typer.BadParameter(
                f"two systems are called '{escaped(name)}'. Give one of them another name: "
                f"NAME={escaped(str(path))}"
            )
        systems[name] = path
    return systems


def read_prompts(path: Path) -> list[str]:
    """Read one prompt a line."""
    try:
        with path.open(encoding="utf-8") as lines:
            return [line.rstrip("\n") for line in lines]
    except OSError as error:
        raise InvalidParameterError(
            f"'{path}' must be a file with one prompt a line. It cannot be read "
            f"({error.strerror}): check --prompts."
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidParameterError(
            f"'{path}' must be text in UTF-8, one prompt a line. Got {error}."
        ) from error


def own_prompts(files: Mapping[str, tuple[Path, TextFile | None]]) -> dict[str, list[str]]:
    """Return the prompts that stand in the files themselves."""
    found = {}
    for name, (path, file) in files.items():
        if file is None or file.prompts is None:
            raise InvalidParameterError(
                f"'{path}' must have the field 'prompt' in every record for --by-prompt: "
                "add it, or give the prompts in a file of their own with --prompts."
            )
        found[name] = file.prompts
    return found


def _checked_systems(arguments: list[str]) -> list[str]:
    named_systems(arguments)
    return arguments


def number(rule: str, test: Callable[[float], bool]) -> Callable[[float | None], float | None]:
    """Return a check of an option: a number, or none at all, for which `test` holds."""

    def check(value: float | None) -> float | None:
        if value is not None and not test(value):
            raise typer.BadParameter(f"must be {rule}. Got {value:g} instead.")
        return value

    return check


between_0_and_1 = number("above 0 and below 1", lambda x: 0 < x < 1)

Human = Annotated[Path, typer.Argument(metavar="HUMAN", help=HUMAN_HELP)]
Systems = Annotated[
    list[str],
    typer.Argument(
        metavar="SYSTEM",
        callback=_checked_systems,
        help="Each system's texts or features, in the same kinds of file. A system is named "
        "after its file; NAME=FILE gives it another name.",
    ),
]
MatchLength = Annotated[
    bool, typer.Option("--match-length", help="Cut all texts to one number of words.")
]
Confidence = Annotated[
    float, typer.Option(metavar="LEVEL", callback=between_0_and_1, help="Level of the intervals.")
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Everything random follows from it.")]
PromptFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What each text answers, one prompt a line, in the order of the texts, which is "
        "the same in every file. Texts of one prompt are not independent; intervals and tests "
        "then allow for it.",
    ),
]
ByPrompt = Annotated[
    bool, typer.Option("--by-prompt", help="The same, with the field 'prompt' of the files.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
AsMarkdown = Annotated[
    bool, typer.Option("--markdown", help="Print Markdown tables and nothing else on stdout.")
]
AsLatex = Annotated[
    bool, typer.Option("--latex", help="Print LaTeX tables and nothing else on stdout.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the tables (or the JSON) only.")]


def check_output(path: Path, human: Path, systems: list[str]) -> None:
    """Raise if a file cannot be written, or is one of those to be read."""
    inputs = [human, *named_systems(systems).values()]
    if path.resolve() in [own.resolve() for own in inputs]:
        raise typer.BadParameter(
            f"'{escaped(str(path))}' is one of the files to read: write to another."
        )
    check_writable(path)


def only_one(**formats: bool) -> None:
    """Raise if several ways to print the result are asked for.

    Examples
    --------
    >>> only_one(json=True, latex=False)
    """
    if sum(formats.values()) > 1:
        *others, last = (f"--{name}" for name in formats)
        raise typer.BadParameter(f"only one of {', '.join(others)} and {last} can be given.")


@dataclass(frozen=True)
class Files:
    """What was read: texts, or paths of features.

    Attributes
    ----------
    human, systems, prompts
        As :func:`mauve.compare` takes them.
    is_text : bool
    metadata : dict from sample to dict from field to list
        What the records say of their texts, one value for each; empty for features.
    unread : tuple of str
        Fields that cannot be metadata.
    """

    human: SampleLike
    systems: dict[str, SampleLike]
    prompts: Prompts | None
    is_text: bool
    metadata: dict[str, dict[str, list[Any]]]
    unread: tuple[str, ...]

    @property
    def n_texts(self) -> int | None:
        """Texts of all samples; None for features, which are read later."""
        samples = [self.human, *self.systems.values()]
        return sum(len(own) for own in samples if isinstance(own, list)) if self.is_text else None


def read_files(
    human: Path, systems: list[str], *, field: str, prompts: Path | None, by_prompt: bool
) -> Files:
    """Read all files of texts, what they say of them, and the prompts."""
    named = named_systems(systems)
    if prompts is not None and by_prompt:
        raise typer.BadParameter("--prompts and --by-prompt cannot both be given.")
    if sum(str(path) == "-" for path in [human, *named.values()]) > 1:
        raise typer.BadParameter("only one of the files can be -, which is read once.")
    human_file = embedding.read_file(human, field)
    files = {name: (path, embedding.read_file(path, field)) for name, path in named.items()}
    every = {human_name_beside([*named]): (human, human_file), **files}
    by: Prompts | None = None
    if prompts is not None:
        by = read_prompts(prompts)
    elif by_prompt:
        by = own_prompts(every)
    read = {name: file for name, (_, file) in every.items() if file is not None}
    return Files(
        human if human_file is None else human_file.texts,
        {name: path if file is None else file.texts for name, (path, file) in files.items()},
        by,
        human_file is not None,
        {name: file.metadata for name, file in read.items() if file.metadata},
        tuple(dict.fromkeys(field for file in read.values() for field in file.unread)),
    )


def chosen_embedder(
    files: Files,
    human: Path,
    embedder: str,
    *,
    pooling: str | None,
    layer: int | None,
    max_length: int | None,
    dtype: str | None,
    device: str,
    revision: str | None,
) -> EmbedderLike:
    """Return the embedder that the options ask for, which there must be none of for features."""
    options = {
        "pooling": pooling, "layer": layer, "max_length": max_length, "dtype": dtype,
        "revision": revision,
    }  # fmt: skip
    if files.is_text:
        return get_embedder(embedder, device=device, **options)
    given = [name for name, value in options.items() if value is not None]
    given += ["embedder"] if embedder != "bundled" else []
    if given:
        raise InvalidParameterError(
            f"'{human}' holds features, which no embedder reads: leave out "
            f"{', '.join('--' + name.replace('_', '-') for name in given)}."
        )
    return "bundled"
