"""Read the files that are named on the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from mauve.calls import option, parameter
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.values import InputFile, input_file, named_systems
from mauve.embed.load import Samples
from mauve.embed.naming import human_name_beside
from mauve.embed.protocol import Embedder
from mauve.embed.registry import get_embedder
from mauve.embed.samples import Sample, read_samples, read_source
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.text.prompts import Prompts


@dataclass(frozen=True)
class Inputs:
    """The samples and prompts that were read.

    Attributes
    ----------
    samples : dict from name to Sample
        Human first.
    prompts
        As :func:`mauve.compare` takes them.
    """

    samples: dict[str, Sample]
    prompts: Prompts | None = None

    @property
    def human(self) -> Sample:
        """Human texts, or their features."""
        return next(iter(self.samples.values()))

    @property
    def systems(self) -> dict[str, Sample]:
        """The sample of each system by name."""
        return dict([*self.samples.items()][1:])

    @property
    def is_text(self) -> bool:
        """Whether human texts were read, not features."""
        return self.human.is_text

    @property
    def unread(self) -> tuple[str, ...]:
        """Fields that cannot be metadata."""
        return tuple(dict.fromkeys(n for sample in self.samples.values() for n in sample.unread))

    def n_texts(self, limit: int | None) -> int:
        """Return the number of texts of all samples, at most `limit` of each."""
        return sum(min(len(s), limit or len(s)) for s in self.samples.values())

    def limit_note(self, limit: int | None) -> str | None:
        """Return how many texts each sample had, if a limit makes one smaller.

        Examples
        --------
        >>> Inputs({"human": Sample(["a"] * 900), "m": Sample(["b"] * 80)}).limit_note(100)
        "a random part is used: 100 of 900 texts of 'human' (--limit 100)"
        """
        parts = [
            f"{limit} of {sample.total} texts of '{escaped(name)}'"
            for name, sample in self.samples.items()
            if limit is not None and limit < sample.total
        ]
        return f"a random part is used: {', '.join(parts)} (--limit {limit})" if parts else None


def text_keywords(texts: TextOptions, inputs: Inputs) -> dict[str, Any]:
    """Return the keywords of `mauve.compare` for the options about texts.

    Features are refused by the library, but for ``--strip-prompt``, which has no such keyword.
    """
    if texts.strip_prompt and not inputs.is_text:
        raise InvalidParameterError(
            f"{parameter('strip_prompt')} must be left out for features, which have no text to "
            "change: give the texts instead."
        )
    return texts.keywords()


def read_inputs(options: SampleOptions) -> Inputs:
    """Read all files, their metadata and the prompts."""
    systems = named_systems(options.systems)
    files = {human_name_beside([*systems]): input_file(str(options.human)), **systems}
    if options.prompts is not None and options.by_prompt:
        raise typer.BadParameter("--prompts and --by-prompt cannot both be given.")
    if sum(str(file.path) == "-" for file in files.values()) > 1:
        raise typer.BadParameter("only one of the files can be -, which is read once.")
    named = {name: file.field for name, file in files.items() if file.field is not None}
    samples = read_samples(
        {name: file.path for name, file in files.items()},
        named or options.field,
        default=options.field,
    )
    prompts: Prompts | None = None
    if options.prompts is not None:
        prompts = _read_prompts(options.prompts)
    elif options.by_prompt:
        prompts = _prompts_of_files(files, samples)
    return Inputs(samples, prompts)


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
    files: Mapping[str, InputFile], samples: Mapping[str, Sample]
) -> dict[str, list[str]]:
    """Return the field 'prompt' of the records of all files."""
    prompts = {}
    for name, sample in samples.items():
        if sample.prompts is None:
            raise InvalidParameterError(
                f"'{files[name].path}' must have the field 'prompt' in every record for "
                "--by-prompt: add it, or give the prompts in a separate file with --prompts."
            )
        prompts[name] = sample.prompts
    return prompts


def read_training(path: Path | None, field: str) -> Sample | None:
    """Read the training texts or features, if there are any."""
    if path is None:
        return None
    file = input_file(str(path))
    return read_source(file.path, "training", file.field or field)


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


def metadata_fields(inputs: Inputs, names: str | None) -> list[str]:
    """Return the fields that ``--metadata`` names; by default all that can be used.

    Examples
    --------
    >>> sample = Sample(["a text"], metadata={"site": ["a.org"], "year": [1999]})
    >>> inputs = Inputs({"human": sample, "model": sample})
    >>> metadata_fields(inputs, "site"), metadata_fields(inputs, None)
    (['site'], ['site', 'year'])
    """
    metadata = [sample.metadata for sample in inputs.samples.values()]
    available = list(dict.fromkeys(name for fields in metadata for name in fields))
    # A field that can be read in some of the files only would look as if it were missing.
    usable = [name for name in available if name not in inputs.unread]
    if names is None:
        return usable
    if names.strip().lower() == "none":
        return []
    selected = [name.strip() for name in names.split(",")]
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
    return selected


def select_metadata(samples: Samples, fields: Sequence[str]) -> dict[str, dict[str, list[Any]]]:
    """Return some fields of the metadata of the texts that are compared.

    Examples
    --------
    >>> from mauve.embed.load import load_samples
    >>> records = [{"text": "one", "site": "a.org", "year": 1999}]
    >>> select_metadata(load_samples({"human": records}), ["site"])
    {'human': {'site': ['a.org']}}
    """
    return {
        sample: {name: values[name] for name in fields if name in values}
        for sample, values in samples.metadata.items()
    }
