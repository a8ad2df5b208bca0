"""Read the files that are named on the command line."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from mauve.calls import option
from mauve.cli.options_input import EmbedderOptions, SampleOptions
from mauve.cli.values import named_systems
from mauve.embed.load import human_name_beside
from mauve.embed.protocol import Embedder
from mauve.embed.registry import get_embedder
from mauve.embed.samples import SampleLike, is_text_file
from mauve.errors import InvalidParameterError
from mauve.escape import listed
from mauve.text.prompts import Prompts
from mauve.text.read import TextFile, read_texts


@dataclass(frozen=True)
class Inputs:
    """Texts that were read, or paths of features, which are read later.

    Attributes
    ----------
    human, systems, prompts
        As :func:`mauve.compare` takes them.
    is_text : bool
    metadata : dict from sample to dict from field to list
        Fields of the records, one value for each text; empty for features.
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
        """Number of texts of all samples; None for features, which are read later."""
        samples = [self.human, *self.systems.values()]
        if not self.is_text:
            return None
        return sum(len(sample) for sample in samples if isinstance(sample, list))


def read_inputs(options: SampleOptions) -> Inputs:
    """Read all files of texts, their metadata and the prompts."""
    human, systems = options.human, named_systems(options.systems)
    if options.prompts is not None and options.by_prompt:
        raise typer.BadParameter("--prompts and --by-prompt cannot both be given.")
    if sum(str(path) == "-" for path in [human, *systems.values()]) > 1:
        raise typer.BadParameter("only one of the files can be -, which is read once.")
    paths = {human_name_beside([*systems]): human, **systems}
    files = {name: _read_file(path, options.field) for name, path in paths.items()}
    prompts: Prompts | None = None
    if options.prompts is not None:
        prompts = _read_prompts(options.prompts)
    elif options.by_prompt:
        prompts = _prompts_of_files(paths, files)
    human_sample, *system_samples = (
        paths[name] if file is None else file.texts for name, file in files.items()
    )
    text_files = {name: file for name, file in files.items() if file is not None}
    return Inputs(
        human=human_sample,
        systems=dict(zip(systems, system_samples, strict=True)),
        prompts=prompts,
        is_text=not isinstance(human_sample, Path),
        metadata={name: file.metadata for name, file in text_files.items() if file.metadata},
        unread=tuple(dict.fromkeys(name for file in text_files.values() for name in file.unread)),
    )


def _read_file(path: Path, field: str) -> TextFile | None:
    """Read a file of texts; return None for any other."""
    return read_texts(path, field=field) if is_text_file(path) else None


def _read_prompts(path: Path) -> list[str]:
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


def _prompts_of_files(
    paths: Mapping[str, Path], files: Mapping[str, TextFile | None]
) -> dict[str, list[str]]:
    """Return the field 'prompt' of the records of all files."""
    prompts = {}
    for name, file in files.items():
        if file is None or file.prompts is None:
            raise InvalidParameterError(
                f"'{paths[name]}' must have the field 'prompt' in every record for --by-prompt: "
                "add it, or give the prompts in a separate file with --prompts."
            )
        prompts[name] = file.prompts
    return prompts


def read_training(path: Path | None, field: str) -> SampleLike | None:
    """Read the training texts, if there are any; features are read later."""
    if path is None:
        return None
    file = _read_file(path, field)
    return path if file is None else file.texts


def make_embedder(options: EmbedderOptions, inputs: Inputs, human: Path) -> Embedder | None:
    """Return the embedder that the options describe, none for features; raise if they have one."""
    settings = options.settings()
    if inputs.is_text:
        return get_embedder(options.name, device=options.device, **settings)
    unused = [name for name, value in settings.items() if value is not None]
    if options.embedder is not None:
        unused.append("embedder")
    if unused:
        raise InvalidParameterError(
            f"'{human}' holds features, which no embedder reads: leave out "
            f"{', '.join(map(option, unused))}."
        )
    return None


def select_metadata(inputs: Inputs, option: str | None) -> dict[str, dict[str, list[Any]]]:
    """Return the fields that ``--metadata`` names, by sample; by default all that can be used.

    Examples
    --------
    >>> fields = {"human": {"site": ["a.org"], "year": [1999]}, "model": {"site": ["b.org"]}}
    >>> inputs = Inputs([], {}, None, True, fields, unread=("score",))
    >>> select_metadata(inputs, "site")
    {'human': {'site': ['a.org']}, 'model': {'site': ['b.org']}}
    """
    available = list(dict.fromkeys(name for sample in inputs.metadata.values() for name in sample))
    # A field that can be read in some of the files only would look as if it were missing.
    usable = [name for name in available if name not in inputs.unread]
    if option is None:
        selected = usable
    elif option.strip().lower() == "none":
        return {}
    else:
        selected = [name.strip() for name in option.split(",")]
    for name in selected:
        if name in inputs.unread:
            raise InvalidParameterError(
                f"The field '{name}' of --metadata must have strings of up to 200 characters or "
                "whole numbers in all files: leave it out."
            )
        if name not in available:
            raise InvalidParameterError(
                f"'{name}' of --metadata must be a field of the files. "
                + (f"They have {listed(usable)}." if usable else "They have none that can be used.")
            )
    return {
        sample: {name: values[name] for name in selected if name in values}
        for sample, values in inputs.metadata.items()
    }
