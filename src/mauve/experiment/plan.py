"""Plan an experiment: the steps of every setting of its grid."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from mauve.escape import escaped
from mauve.experiment import identity
from mauve.experiment.config import ExperimentConfig, ModelConfig, SamplesConfig, TaskConfig
from mauve.experiment.directory import file_digest
from mauve.experiment.given_files import lines_of, smallest_file
from mauve.experiment.results import GridSetting
from mauve.experiment.steps import KINDS, Step
from mauve.generation.settings import file_name
from mauve.lm.decoding import Decoding
from mauve.lm.sampling import Sampler
from mauve.measures.protocol import Measure, Need
from mauve.measures.registry import get_measures


@dataclass(frozen=True)
class Sample:
    """The texts of one model, decoder and seed of a task, and the step that provides them."""

    task: str
    model: str
    decoder: str
    seed: int
    step: Step
    model_under_test: str | None = None  # MODEL@DECODER, for measures of its predictions


@dataclass(frozen=True)
class Cell:
    """A setting of the grid, and the steps whose files its row is made of."""

    setting: GridSetting
    sample: Sample
    human: Step
    score: Step
    measure: Step | None


@dataclass(frozen=True)
class Plan:
    """All steps of an experiment, in the order in which they are done.

    Attributes
    ----------
    config : ExperimentConfig
    steps : tuple of Step
    cells : tuple of Cell
        One for each row of the results.
    n : int
        Texts of each sample.
    """

    config: ExperimentConfig
    steps: tuple[Step, ...]
    cells: tuple[Cell, ...]
    n: int


def make_plan(config: ExperimentConfig, device: str = "auto") -> Plan:
    """Return the steps of an experiment; files are read for their checksums, no model is loaded.

    Parameters
    ----------
    config : ExperimentConfig
    device : str
        Where embedders will run; their number type depends on it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mauve.experiment.config_file import config_of
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("h.txt", "m.txt"):
    ...         _ = Path(folder, name).write_text(chr(10).join(map(str, range(20))))
    ...     text = '[samples.a]' + chr(10) + 'human = "h.txt"' + chr(10) + 'systems.m = "m.txt"'
    ...     plan = make_plan(config_of(text, "study.toml", Path(folder)))
    >>> [step.kind for step in plan.steps], plan.cells[0].setting.n
    (['read', 'read', 'embed', 'embed', 'score'], 20)
    """
    return _Planner(config, device).plan()


class _Planner:
    def __init__(self, config: ExperimentConfig, device: str) -> None:
        self.config = config
        self.device = device
        self.n = config.n or smallest_file(config)
        self.steps: dict[tuple[Any, ...], Step] = {}
        with lines_of(config, ("texts", "tokenizer")):
            self.tokenizer = identity.tokenizer_identity(config)
        self.embedders: dict[str, str] = {}
        for name, spec in config.scores.embedders.items():
            with lines_of(config, ("scores", "embedders", name)):
                self.embedders[name] = identity.embedder_identity(config, spec, device)
        self.measures = _selected_measures(config)

    def plan(self) -> Plan:
        config = self.config
        grids = [self._generated(task) for task in config.tasks]
        grids += [self._given(samples) for samples in config.samples]
        cells = tuple(
            self._cell(sample, human, length, scoring)
            for human, samples in grids
            for sample in samples
            for length in config.lengths
            for scoring in self._scorings(length)
        )
        kinds = [*KINDS]
        steps = sorted(self.steps.values(), key=lambda step: kinds.index(step.kind))
        return Plan(config, tuple(steps), cells, self.n)

    def _step(self, key: tuple[Any, ...], *parts: Any, **more: Any) -> Step:
        """Return the step of some settings, made once."""
        if key not in self.steps:
            self.steps[key] = Step(*parts, **more)
        return self.steps[key]

    def _generated(self, task: TaskConfig) -> tuple[Step, list[Sample]]:
        config = self.config
        source = identity.source_spec(config, task.source)
        if not task.source.startswith("hf:") and not Path(source.partition("?")[0]).exists():
            raise config.error(
                ("tasks", task.name, "source"),
                f"'{escaped(task.source)}' is not there: name a file of human texts, from the "
                "folder of this config on.",
            )
        human = self._step(
            ("task", task.name), "task", task.name,
            {
                "task": task.task,
                "source": identity.source_identity(config, task.source),
                "n": self.n,
                "prompt_tokens": task.prompt_tokens,
                "max_tokens": config.max_tokens,
                "min_tokens": task.min_tokens,
                "well_formed": task.well_formed,
                "tokenizer": self.tokenizer,
                "seed": config.seed,
            },
            work={"task": task, "source": source},
        )  # fmt: skip
        samples = []
        for model in config.models:
            with lines_of(config, ("models", model.name)):
                known = identity.writer_identity(config, model)
            for name, decoding in config.decoders_of(model).items():
                for seed in config.seeds if decoding.is_random else (0,):
                    step = self._generate(task, model, known, name, decoding, seed, human)
                    tested = None
                    if isinstance(decoding, Sampler):
                        tested = f"{identity.writer_spec(config, model.spec)}@{decoding}"
                    samples.append(Sample(task.name, model.name, name, seed, step, tested))
        return human, samples

    def _generate(
        self, task: TaskConfig, model: ModelConfig, known: str, name: str, decoding: Decoding,
        seed: int, human: Step,
    ) -> Step:  # fmt: skip
        settings = {
            "model": known,
            "dtype": model.dtype,
            "decoder": str(decoding),
            "seed": seed,
            "max_tokens": self.config.max_tokens,
            "min_tokens": task.min_tokens,
        }
        title = f"{task.name} {model.name} {name} seed {seed}"
        return self._step(
            ("generate", task.name, model.name, name, seed), "generate", title, settings, (human,),
            {"task": task, "model": model, "decoder": name, "decoding": decoding},
        )  # fmt: skip

    def _given(self, samples: SamplesConfig) -> tuple[Step, list[Sample]]:
        human = self._read(samples.name, "human", "", 0, samples.human)
        return human, [
            Sample(
                samples.name, file.model, file.decoder, file.seed,
                self._read(samples.name, file.model, file.decoder, file.seed, file.path),
            )
            for file in samples.systems
        ]  # fmt: skip

    def _read(self, task: str, model: str, decoder: str, seed: int, path: str) -> Step:
        opened = self.config.path(path)
        title = " ".join(filter(None, [task, model, decoder, f"seed {seed}"]))
        if model == "human":
            title = f"{task} human"
        return self._step(
            ("read", task, model, decoder, seed), "read", title,
            {"checksum": file_digest(Path(opened)), "n": self.n},
            work={"path": opened, "name": (task, model, decoder, seed)},
        )  # fmt: skip

    def _scorings(self, length: int | None) -> Iterator[dict[str, Any]]:
        """Yield how texts of a length are scored, the base first."""
        scores = self.config.scores
        base = {**scores.base, "n": scores.n[0] or self.n}
        levels: dict[str, tuple[Any, ...]] = {
            "embedder": tuple(scores.embedders),
            "quantizer": scores.quantizers,
            "num_buckets": scores.num_buckets,
            "scaling": scores.scalings,
            "n": tuple(n or self.n for n in scores.n),
        }
        if length not in scores.varied_lengths:
            yield base
        elif scores.varies_all:
            for values in product(*levels.values()):
                yield dict(zip(levels, values, strict=True))
        else:
            yield base
            for name, values in levels.items():
                for value in values[1:]:
                    yield {**base, name: value}

    def _cell(
        self, sample: Sample, human: Step, length: int | None, scoring: dict[str, Any]
    ) -> Cell:
        setting = GridSetting(
            sample.task, sample.model, sample.decoder, sample.seed, length, **scoring
        )
        embedded = tuple(self._embed(step, setting) for step in dict.fromkeys((human, sample.step)))
        inputs = (human, sample.step, *embedded)
        options = dict(self.config.scores.options)
        score = self._step(
            ("score", *setting.without().values()), "score", self._title(setting),
            {
                **self._reading(setting),
                "n": setting.n,
                "quantizer": setting.quantizer,
                "num_buckets": setting.num_buckets,
                "scaling": setting.scaling,
                **options,
            },
            inputs,
            {"setting": setting},
        )  # fmt: skip
        return Cell(setting, sample, human, score, self._measure(sample, human, setting, embedded))

    def _embed(self, step: Step, setting: GridSetting) -> Step:
        title = f"{step.title} at {setting.length or 'full'} tokens by {setting.embedder}"
        return self._step(
            ("embed", step.title, setting.length, setting.embedder), "embed", title,
            {
                **self._reading(setting),
                "embedder": self.embedders[setting.embedder],
                "normalize": self.config.scores.options.get("normalize"),
            },
            (step,),
            {"setting": setting},
        )  # fmt: skip

    def _measure(
        self, sample: Sample, human: Step, setting: GridSetting, embedded: tuple[Step, ...]
    ) -> Step | None:
        """Return the step of the measures of a setting; only n and the embedder change them."""
        base = {**self.config.scores.base, "n": self.config.scores.n[0] or self.n}
        same = {name: base[name] for name in ("quantizer", "num_buckets", "scaling")}
        if any(getattr(setting, name) != value for name, value in same.items()):
            return None
        is_base = setting.embedder == base["embedder"]
        measures = [m for m in self.measures if is_base or "features" in m.needs]
        if sample.model_under_test is None:
            measures = [m for m in measures if "model" not in m.needs]
        if not measures:
            return None
        needs: set[Need] = {need for measure in measures for need in measure.needs}
        settings: dict[str, Any] = {
            **self._reading(setting),
            "measures": [measure.name for measure in measures],
            "n": setting.n,
            "confidence": self.config.scores.options["confidence"],
            "normalize": self.config.scores.options.get("normalize"),
            "seed": self.config.seed,
        }
        if "tokens" in needs:
            settings["words"] = self.config.measures.tokenizer
        if "log_probabilities" in needs:
            settings["language_model"] = identity.language_model_identity(self.config)
        if "model" in needs:
            settings["model"] = sample.step.settings["model"]
            settings["decoder"] = sample.decoder
        if self.config.measures.training is not None:
            training = Path(self.config.path(self.config.measures.training))
            if not training.is_file():
                raise self.config.error(
                    ("measures", "training"),
                    f"'{escaped(str(training))}' is not there: name a file of texts.",
                )
            settings["training"] = file_digest(training)
        inputs = (human, sample.step, *(embedded if "features" in needs else ()))
        tested = sample.model_under_test if "model" in needs else None
        return self._step(
            ("measure", *setting.without().values()), "measure", self._title(setting), settings,
            inputs, {"setting": setting, "model": tested},
        )  # fmt: skip

    def _reading(self, setting: GridSetting) -> dict[str, Any]:
        """Return which part of the texts is looked at."""
        return {
            "length": setting.length,
            "tokenizer": self.tokenizer if setting.length is not None else None,
            "with_prompt": self.config.scores.with_prompt,
        }

    def _title(self, setting: GridSetting) -> str:
        base = {**self.config.scores.base, "n": self.config.scores.n[0] or self.n}
        parts = [setting.task, setting.model, setting.decoder, f"seed {setting.seed}"]
        parts.append(f"at {setting.length or 'full'} tokens")
        parts += [
            f"{name}={getattr(setting, name)}"
            for name, value in base.items()
            if getattr(setting, name) != value
        ]
        return " ".join(filter(None, parts))


def _selected_measures(config: ExperimentConfig) -> list[Measure]:
    """Return the measures beside the scores."""
    if not config.measures.names:
        return []
    available: set[Need] = {"texts", "tokens", "features", "log_probabilities"}
    if config.models:
        available.add("model")
    if config.measures.training is not None:
        available.add("training")
    with lines_of(config, ("measures", "names")):
        measures = get_measures(config.measures.names, available)
    return [measure for measure in measures if measure.estimate is not None]


def sample_file(key: str, task: str, model: str, decoder: str, seed: int) -> str:
    """Return the file of the texts of a step, in the folder of the experiment.

    Examples
    --------
    >>> sample_file("0123456789", "prose", "small", "nucleus:p=0.9", 1)
    'samples/prose/small/nucleus_p=0.9/seed-1-01234567.jsonl'
    """
    folders = [file_name(name) for name in (task, model, decoder) if name]
    return "/".join(["samples", *folders, f"seed-{seed}-{key[:8]}.jsonl"])
