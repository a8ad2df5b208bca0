"""What an experiment consists of: the checked content of its config file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mauve.experiment.toml_lines import KeyPath, TomlDocument
from mauve.lm.decoding import Decoding


@dataclass(frozen=True)
class TaskConfig:
    """Human texts that are split into prompts and continuations, for models to continue.

    Attributes
    ----------
    name : str
        In tables.
    task : str
        Of :data:`mauve.generation.tasks.TASKS`.
    source : str
        As :func:`mauve.generate` takes it; a path is relative to the config's folder.
    prompt_tokens : int or None
    min_tokens : int
    well_formed : bool
    """

    name: str
    task: str
    source: str
    prompt_tokens: int | None = None
    min_tokens: int = 0
    well_formed: bool = False


@dataclass(frozen=True)
class ModelConfig:
    """A model that writes.

    Attributes
    ----------
    name : str
        In tables.
    spec : str
        As :func:`mauve.generate` takes it; a path is relative to the config's folder.
    revision : str or None
    dtype : str
    decoders : tuple of str or None
        Its own decoders, by name; None for those of all models.
    """

    name: str
    spec: str
    revision: str | None = None
    dtype: str = "auto"
    decoders: tuple[str, ...] | None = None


@dataclass(frozen=True)
class SystemFile:
    """A file with texts of a system."""

    model: str
    decoder: str
    seed: int
    path: str


@dataclass(frozen=True)
class SamplesConfig:
    """Texts that are there already: a file of human texts and files of systems' texts."""

    name: str
    human: str
    systems: tuple[SystemFile, ...]


@dataclass(frozen=True)
class ScoreConfig:
    """How texts are scored; see :func:`mauve.compare`.

    Attributes
    ----------
    embedders : dict from name to embedder
    quantizers : tuple of str
    num_buckets : tuple of int or str
    scalings : tuple of float
    n : tuple of int
        Numbers of texts.
    varies_all : bool
        Whether all combinations of these are scored; otherwise the first of each is the base,
        and each of the others is combined with the base alone.
    varied_lengths : tuple of int or None
        Lengths at which scorings other than the base are computed.
    with_prompt : bool
        Whether the prompt is a part of every text.
    options : dict
        Other keywords of `compare`.
    """

    embedders: Mapping[str, str]
    quantizers: tuple[str, ...]
    num_buckets: tuple[int | str, ...]
    scalings: tuple[float, ...]
    n: tuple[int, ...]
    varies_all: bool = False
    varied_lengths: tuple[int | None, ...] = ()
    with_prompt: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def base(self) -> dict[str, Any]:
        """The first value of each, by the names of the fields of a setting."""
        return {
            "embedder": next(iter(self.embedders)),
            "quantizer": self.quantizers[0],
            "num_buckets": self.num_buckets[0],
            "scaling": self.scalings[0],
            "n": self.n[0],
        }


@dataclass(frozen=True)
class MeasureConfig:
    """What is measured beside the score; see :func:`mauve.measure`.

    Attributes
    ----------
    names : str
        With commas between them; empty for none.
    tokenizer, language_model : str
    training : str or None
        File of the texts that the systems were trained on.
    """

    names: str
    tokenizer: str = "words"
    language_model: str = "bundled"
    training: str | None = None


@dataclass(frozen=True)
class ExperimentConfig:
    """The content of a config file, checked.

    Attributes
    ----------
    document : TomlDocument
        The file, for messages with lines.
    folder : Path
        The folder of the file; paths in it are relative to that.
    name : str
    tasks : tuple of TaskConfig
    models : tuple of ModelConfig
    samples : tuple of SamplesConfig
    n : int
        Texts of each sample; 0 for as many as the smallest sample of files has.
    lengths : tuple of int or None
        Tokens to which texts are cut; (None,) for whole texts.
    decoders : dict from name to Decoding
    seeds : tuple of int
    tokenizer : str
        Whose tokens are counted.
    seed : int
        Random seed of the draw of prompts, and of scores.
    token_budget : int or None
    scores : ScoreConfig
    measures : MeasureConfig
    """

    document: TomlDocument = field(repr=False, compare=False)
    folder: Path
    name: str
    tasks: tuple[TaskConfig, ...]
    models: tuple[ModelConfig, ...]
    samples: tuple[SamplesConfig, ...]
    n: int
    lengths: tuple[int | None, ...]
    decoders: Mapping[str, Decoding]
    seeds: tuple[int, ...]
    tokenizer: str
    seed: int
    token_budget: int | None
    scores: ScoreConfig
    measures: MeasureConfig

    @property
    def max_tokens(self) -> int:
        """Tokens that models write at most: the greatest length."""
        return max((length for length in self.lengths if length is not None), default=0)

    def decoders_of(self, model: ModelConfig) -> dict[str, Decoding]:
        """Return the decoders of a model by their names."""
        if model.decoders is None:
            return dict(self.decoders)
        return {name: self.decoders[name] for name in model.decoders}

    def path(self, name: str) -> str:
        """Return a path of the config as the program can open it; other names unchanged."""
        place = self.folder / name
        return str(place) if _is_there(place) else name

    def error(self, path: KeyPath, problem: str) -> Exception:
        """Return an error about a key, with file and line."""
        return self.document.error(path, problem)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or with a NUL
        return False
