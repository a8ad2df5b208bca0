"""Which texts are asked for: decoders, seeds, and the file of each model, decoder and seed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from mauve.calls import parameter
from mauve.errors import InvalidParameterError, bad_parameter, check_int
from mauve.escape import escaped
from mauve.lm.decoding import Decoding, parse_decoder
from mauve.lm.writing import Writer

#: Decoders by name; a name alone, or several with commas between them.
Decoders = str | Decoding | Sequence[str | Decoding]
#: A model by name, or a writer; in a mapping by the name that tables and files have.
ModelLike = str | Writer
Models = ModelLike | Sequence[ModelLike] | Mapping[str, ModelLike]


@dataclass(frozen=True)
class Setting:
    """What one file has texts of.

    Attributes
    ----------
    model : str
        Name of the model in tables and files.
    decoding : Decoding
    seed : int
        0 for a decoder that draws nothing.

    Examples
    --------
    >>> Setting("gpt2", parse_decoder("top-k:k=40"), 1).path(Path("run")).as_posix()
    'run/samples/gpt2/top-k_k=40/seed-1.jsonl'
    """

    model: str
    decoding: Decoding
    seed: int

    @property
    def decoder(self) -> str:
        """The decoder as a string."""
        return str(self.decoding)

    def path(self, folder: Path) -> Path:
        """Return the file of the texts within the folder of a run."""
        parts = (file_name(self.model), file_name(self.decoder), f"seed-{self.seed}.jsonl")
        return folder.joinpath("samples", *parts)


def settings_of(
    models: Iterable[str], decodings: Sequence[Decoding], seeds: Sequence[int]
) -> list[Setting]:
    """Return a setting for each file; a decoder that draws nothing has one, of seed 0.

    Examples
    --------
    >>> decodings = parse_decoders("greedy,ancestral")
    >>> [(s.decoder, s.seed) for s in settings_of(["gpt2"], decodings, [1, 2])]
    [('greedy', 0), ('ancestral', 1), ('ancestral', 2)]
    """
    return [
        Setting(model, decoding, seed)
        for model in models
        for decoding in decodings
        for seed in (seeds if decoding.is_random else [0])
    ]


def split_decoders(names: str) -> list[str]:
    """Split decoders at commas, but not before the parameters of one.

    Examples
    --------
    >>> split_decoders("greedy,nucleus:p=0.95,temperature=0.8,top-k:40")
    ['greedy', 'nucleus:p=0.95,temperature=0.8', 'top-k:40']
    """
    # A parameter is NAME=VALUE; a decoder has a colon before its first one, or none at all.
    return [part.strip() for part in re.split(r",(?![^,:]*=)", names)]


def parse_decoders(decoders: Decoders) -> list[Decoding]:
    """Return the decoders that are named, or raise.

    Examples
    --------
    >>> [str(decoding) for decoding in parse_decoders("greedy,nucleus:0.95")]
    ['greedy', 'nucleus:p=0.95']
    """
    if isinstance(decoders, str):
        decoders = split_decoders(decoders)
    elif not isinstance(decoders, Sequence):
        decoders = [decoders]
    parsed = [parse_decoder(item) if isinstance(item, str) else item for item in decoders]
    if not parsed or not all(isinstance(item, Decoding) for item in parsed):
        raise bad_parameter("decoders", "a decoder such as 'nucleus:p=0.95', or several", decoders)
    twice = [name for name in map(str, parsed) if [*map(str, parsed)].count(name) > 1]
    if twice:
        raise bad_parameter("decoders", "all different", twice[0])
    return parsed


def parse_seeds(seeds: int | Sequence[int]) -> list[int]:
    """Return the random seeds as a list, or raise.

    Examples
    --------
    >>> parse_seeds(3), parse_seeds([0, 1])
    ([3], [0, 1])
    """
    if isinstance(seeds, str) or not isinstance(seeds, Sequence):
        return [check_int("seeds", seeds, 0)]
    checked = [check_int("seeds", seed, 0) for seed in seeds]
    if not checked or len({*checked}) < len(checked):
        raise bad_parameter("seeds", "an int of at least 0, or a list of different ones", seeds)
    return checked


def name_models(models: Models) -> dict[str, ModelLike]:
    """Return the models by the name that tables and files have.

    A folder is named after its last part, "ngram:FILE" after its file.

    Examples
    --------
    >>> [*name_models(["bundled", "runs/small/", "ngram:books/train.txt"])]
    ['bundled', 'small', 'ngram train']
    """
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        several = isinstance(models, Sequence) and not isinstance(models, str)
        items = cast(Sequence[ModelLike], models if several else [models])
        named = {}
        for model in items:
            name = model_name(model)
            if name in named:
                raise InvalidParameterError(
                    f"{parameter('models')} must have different names. Got two called "
                    f"'{escaped(name)}' instead: name one of them as in NAME={escaped(str(model))}."
                )
            named[name] = model
    if not named:
        raise bad_parameter("models", "at least one model", models)
    files: dict[str, str] = {}
    for name in named:
        if not name:
            raise bad_parameter("models", "named with at least one character", name)
        if other := files.get(file_name(name)):
            raise InvalidParameterError(
                f"{parameter('models')} must have names that differ in letters and digits, as "
                f"files are named after them. Got '{escaped(other)}' and '{escaped(name)}' instead."
            )
        files[file_name(name)] = name
    return named


def model_name(model: ModelLike) -> str:
    """Return a name for a model without one."""
    if not isinstance(model, str):
        return str(getattr(model, "name", None) or model.signature.partition("@")[0])
    if model.startswith(("http://", "https://")):
        return model.partition("://")[2].rstrip("/")
    kind, colon, file = model.partition(":")
    if colon and kind == "ngram":
        return f"ngram {Path(file).name.partition('.')[0]}"
    return Path(model.rstrip("/\\")).name or model


def file_name(name: str) -> str:
    """Return a name that every file system takes.

    Examples
    --------
    >>> file_name("nucleus:p=0.95,temperature=0.8"), file_name("..")
    ('nucleus_p=0.95_temperature=0.8', '_')
    """
    return re.sub(r"^\.+", "_", re.sub(r"[^\w.=+-]+", "_", name)) or "_"
