"""``mauve compare``: files of texts or features in, a table of scores out."""

import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import mauve
from mauve.cli import embedding
from mauve.cli.embedding import choice
from mauve.cli.files import PICTURES, check_picture, write_picture
from mauve.cli.tables import how_to_read, print_comparison
from mauve.cli.terminal import (
    collected_warnings,
    new_console,
    progress_bar,
    say,
)
from mauve.embed.registry import get_embedder
from mauve.errors import InvalidParameterError
from mauve.estimate import ESTIMATORS
from mauve.inputs import reference_name
from mauve.printable import printable
from mauve.quantize.reduce import ORDERS
from mauve.results import Comparison
from mauve.samples import SampleLike
from mauve.texts import TEXT_SUFFIXES, TextFile

_SUFFIXES = (
    ".npy", ".npy.gz", ".safetensors",
    *TEXT_SUFFIXES, *(f"{suffix}.gz" for suffix in TEXT_SUFFIXES),
)  # fmt: skip
_INTERVALS = ("influence", "bootstrap")


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
                f"'{printable(argument)}' must be a file or NAME=FILE, with neither empty."
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
                f"two systems are called '{printable(name)}'. Give one of them another name: "
                f"NAME={printable(str(path))}"
            )
        systems[name] = path
    return systems


def read_prompts(path: Path) -> list[str]:
    """Read one prompt a line."""
    try:
        with path.open(encoding="utf-8") as lines:
            return [line.rstrip("\n") for line in lines]
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


def print_report(
    comparison: Comparison, human: Path, *, margin: float | None = None, quiet: bool = False
) -> None:
    """Print what a reader needs: tables, how to read them, recipe, warnings."""
    console = new_console()
    n_human = next(iter(comparison.values())).n_human
    if not quiet:
        console.print(f"against {n_human} human texts, {printable(str(human))}", soft_wrap=True)
        console.print()
    print_comparison(console, comparison, margin)
    if quiet:
        return
    console.print()
    console.print(how_to_read(margin))
    console.print()
    for signature in dict.fromkeys(result.signature for result in comparison.values()):
        console.print(f"signature: {printable(signature)}", soft_wrap=True)
    for message in comparison.warnings:
        say("warning", message)


def _number(rule: str, test: Callable[[float], bool]) -> Callable[[float | None], float | None]:
    def check(value: float | None) -> float | None:
        if value is not None and not test(value):
            raise typer.BadParameter(f"must be {rule}. Got {value:g} instead.")
        return value

    return check


def _buckets(value: str) -> int | str:
    if value == "auto":
        return value
    try:
        return int(value)
    except ValueError:
        raise typer.BadParameter(
            f"must be a whole number or 'auto'. Got '{printable(value)}' instead."
        ) from None


def _checked_buckets(value: str) -> str:
    return str(_buckets(value))


def _checked_systems(arguments: list[str]) -> list[str]:
    named_systems(arguments)
    return arguments


def _checked_plot(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in PICTURES:
        raise typer.BadParameter(
            f"'{printable(str(path))}' must end in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}."
        )
    return path


_between_0_and_1 = _number("above 0 and below 1", lambda x: 0 < x < 1)


def compare(
    human: Annotated[
        Path,
        typer.Argument(
            metavar="HUMAN",
            help="Human texts: a .txt (one a line), .jsonl (field 'text'), .csv or .parquet file, "
            "also with .gz, or - for lines or JSON lines from stdin; or their features, a .npy, "
            ".npy.gz or .safetensors file of shape (n, d).",
        ),
    ],
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM",
            callback=_checked_systems,
            help="Each system's texts or features, in the same kinds of file. A system is named "
            "after its file; NAME=FILE gives it another name.",
        ),
    ],
    embedder: embedding.EmbedderName = "bundled",
    pooling: embedding.Pooling = None,
    layer: embedding.Layer = None,
    max_length: embedding.MaxLength = None,
    dtype: embedding.Dtype = None,
    revision: embedding.Revision = None,
    field: embedding.Field = "text",
    strip: embedding.Strip = False,
    match_length: Annotated[
        bool, typer.Option("--match-length", help="Cut all texts to one number of words.")
    ] = False,
    empty: embedding.Empty = "error",
    no_cache: embedding.NoCache = False,
    buckets: Annotated[
        str,
        typer.Option(
            metavar="K",
            callback=_checked_buckets,
            help="Number of cells, or 'auto': a tenth of the smallest sample, from 2 to 500.",
        ),
    ] = "auto",
    clusterings: Annotated[
        int, typer.Option(metavar="N", min=5, help="Clusterings to average over, a multiple of 5.")
    ] = 40,
    scaling: Annotated[
        float,
        typer.Option(
            metavar="C",
            callback=_number("above 0", lambda x: 0 < x < math.inf),
            help="The constant c of the paper.",
        ),
    ] = 5.0,
    estimator: Annotated[
        str,
        choice(ESTIMATORS, f"How divergences are estimated from counts: {', '.join(ESTIMATORS)}."),
    ] = "jackknife",
    confidence: Annotated[
        float,
        typer.Option(metavar="LEVEL", callback=_between_0_and_1, help="Level of the intervals."),
    ] = 0.95,
    interval: Annotated[
        str,
        choice(_INTERVALS, f"How the standard error is found: {', '.join(_INTERVALS)}."),
    ] = "influence",
    bootstrap: Annotated[
        int, typer.Option(metavar="N", min=20, help="Resamples, with --interval bootstrap.")
    ] = 200,
    permutations: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Permutations for p-value and ceiling; 0 leaves them out."
        ),
    ] = 1000,
    explained_variance: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            callback=_number("above 0 and at most 1", lambda x: 0 < x <= 1),
            help="Share of the variance that the principal components keep.",
        ),
    ] = 0.9,
    order: Annotated[
        str,
        choice(ORDERS, f"Unit length before the projection or after it: {', '.join(ORDERS)}."),
    ] = "norm-pca",
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Everything random follows from it.")
    ] = 0,
    device: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="'auto' embeds on the GPUs that are there and clusters on the CPU; 'cpu', or a "
            "torch device such as 'cuda', does both there. The bundled model stays on the CPU.",
        ),
    ] = "auto",
    prompts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What each text answers, one prompt a line, in the order of the texts, which is "
            "the same in every file. Texts of one prompt are not independent; intervals and tests "
            "then allow for it.",
        ),
    ] = None,
    by_prompt: Annotated[
        bool,
        typer.Option("--by-prompt", help="The same, with the field 'prompt' of the files."),
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="DELTA",
            callback=_between_0_and_1,
            help="Add p-values for being within DELTA: of human text, and of each other.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=_checked_plot,
            help="Write the divergence curves to a .png, .svg or .pdf file.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the tables (or the JSON) only.")
    ] = False,
) -> None:
    """Measure how far each system's texts are from human texts."""
    named = named_systems(systems)
    if plot is not None:
        check_picture(plot)
    if prompts is not None and by_prompt:
        raise typer.BadParameter("--prompts and --by-prompt cannot both be given.")
    if sum(str(path) == "-" for path in [human, *named.values()]) > 1:
        raise typer.BadParameter("only one of the files can be -, which is read once.")
    human_file = embedding.read_file(human, field)
    files = {name: (path, embedding.read_file(path, field)) for name, path in named.items()}
    by: list[str] | dict[str, list[str]] | None = None
    if prompts is not None:
        by = read_prompts(prompts)
    elif by_prompt:
        by = own_prompts(files | {reference_name([*named]): (human, human_file)})
    sources: dict[str, SampleLike] = {
        name: path if file is None else file.texts for name, (path, file) in files.items()
    }
    options = {
        "pooling": pooling, "layer": layer, "max_length": max_length, "dtype": dtype,
        "device": device, "revision": revision,
    }  # fmt: skip
    if human_file is None:
        options["embedder"] = None if embedder == "bundled" else embedder
        given = [name for name, value in options.items() if value is not None and name != "device"]
        if given:
            raise InvalidParameterError(
                f"'{human}' holds features, which no embedder reads: leave out "
                f"{', '.join('--' + name.replace('_', '-') for name in given)}."
            )
    chosen = "bundled" if human_file is None else get_embedder(embedder, **options)
    with collected_warnings() as said, progress_bar(not quiet) as on_progress:
        comparison = mauve.compare(
            human if human_file is None else human_file.texts,
            sources,
            embedder=chosen,
            cache=not no_cache,
            strip=strip,
            match_length=match_length,
            empty=empty,
            num_buckets=_buckets(buckets),
            n_clusterings=clusterings,
            scaling=scaling,
            estimator=estimator,
            confidence=confidence,
            interval=interval,
            n_bootstrap=bootstrap,
            n_permutations=permutations,
            prompts=by,
            explained_variance=explained_variance,
            order=order,
            seed=seed,
            device=device,
            on_progress=on_progress,
        )
    for message in said:
        if message not in comparison.warnings:  # of the cache, say; the others come last
            say("warning", message)
    if plot is not None:
        write_picture(comparison, plot)
    if as_json:
        typer.echo(json.dumps(_as_dict(comparison, margin), indent=2, allow_nan=False))
        if not quiet:
            for message in comparison.warnings:
                say("warning", message)
    else:
        print_report(comparison, human, margin=margin, quiet=quiet)


def _as_dict(comparison: Comparison, margin: float | None) -> dict[str, Any]:
    """Return the comparison with the version, and with the equivalence tests if asked for."""
    found = {"version": mauve.__version__, **comparison.to_dict()}
    if margin is not None:
        found["margin"] = margin
        for result in found["results"]:
            result["p_equivalence"] = comparison[result["name"]].equivalence(margin)
        for entry, difference in zip(found["differences"], comparison.differences(), strict=True):
            entry["p_equivalence"] = difference.equivalence(margin)
    return found
