"""Do the work of a step, with the models and texts of the last steps kept in memory."""

import json
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.archive import Archive
from mauve.atomic import atomic_write
from mauve.comparison.results import MauveResult
from mauve.comparison.run import compare
from mauve.embed.load import Samples, load_samples
from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.registry import get_embedder
from mauve.embed.remembered import RememberedEmbedder
from mauve.errors import InvalidParameterError, MauveWarning, UndefinedError
from mauve.experiment import identity
from mauve.experiment.config import ModelConfig, TaskConfig
from mauve.experiment.directory import Directory
from mauve.experiment.plan import Plan, sample_file
from mauve.experiment.results import GridSetting
from mauve.experiment.steps import Record, Step
from mauve.experiment.texts import StepTexts, copy_texts, read_step_texts
from mauve.generation.human import ExampleOptions, load_examples
from mauve.generation.perplexity import perplexity_path, with_perplexity
from mauve.generation.settings import Setting, file_name
from mauve.generation.writing_run import Loader, Pace, PromptSet, write_samples
from mauve.inference.intervals import score_error
from mauve.lm.text_tokenizer import get_text_tokenizer
from mauve.lm.writing import Writer, WritingOptions
from mauve.measures.intervals import Measured
from mauve.measures.run import measure
from mauve.progress import Progress

_FEATURES, _FEATURES_FORMAT = "features", 1
_KEPT_TEXTS = 8  # samples in memory: the human texts at each length, and one system's


@dataclass(frozen=True)
class _Placed(Setting):
    """A setting whose texts are in the file of its step."""

    file: str = ""

    def path(self, folder: Path) -> Path:
        """Return the file of the texts."""
        return folder / self.file


class Workbench:
    """Does steps, one after another.

    Parameters
    ----------
    plan : Plan
    directory : Directory
    device : str
    on_progress : callable
    """

    def __init__(
        self, plan: Plan, directory: Directory, device: str, on_progress: Progress
    ) -> None:
        self.plan = plan
        self.config = plan.config
        self.directory = directory
        self.device = device
        self.on_progress = on_progress
        self._writer: tuple[ModelConfig, Writer] | None = None
        self._embedders: dict[str, Embedder] = {}
        self._texts: dict[tuple[Any, ...], StepTexts] = {}

    def do(self, step: Step) -> Record:
        """Do a step whose inputs are finished, and return its record."""
        work: dict[str, Callable[[Step, str], tuple[list[str], dict[str, Any]]]] = {
            "task": self._task,
            "read": self._read,
            "generate": self._generate,
            "embed": self._embed,
            "score": self._score,
            "measure": self._measure,
        }
        key = self.directory.key(step)
        if key is None:
            raise LookupError(f"{step} has inputs that are not finished")
        started = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", MauveWarning)
            files, facts = work[step.kind](step, key)
        messages = dict.fromkeys(
            str(warning.message) for warning in caught if issubclass(warning.category, MauveWarning)
        )
        seconds = time.perf_counter() - started
        return self.directory.finish(
            step, files, facts=facts, warnings=[*messages], seconds=seconds
        )

    def writer(self, model: ModelConfig) -> Writer:
        """Return the writer of a model; one is kept in memory."""
        if self._writer is None or self._writer[0] != model:
            self._writer = None  # two models may not fit the memory
            loader = self._loader(model)
            writer = loader.writer(identity.writer_spec(self.config, model.spec))
            self._writer = (model, writer)
        return self._writer[1]

    def _loader(self, model: ModelConfig) -> Loader:
        is_transformers = not model.spec.startswith(("ngram:", "http://", "https://"))
        is_transformers = is_transformers and model.spec != "bundled"
        budget = self.config.token_budget if is_transformers else None
        return Loader(self.device, model.dtype, model.revision, budget)

    def _task(self, step: Step, key: str) -> tuple[list[str], dict[str, Any]]:
        task: TaskConfig = step.work["task"]
        folder = f"tasks/{file_name(task.name)}-{key[:8]}"
        options = ExampleOptions(
            task.task, self.plan.n, self.config.seed, task.prompt_tokens, self.config.max_tokens,
            task.min_tokens, task.well_formed,
        )  # fmt: skip
        tokenizer = get_text_tokenizer(identity.tokenizer_spec(self.config))
        examples = load_examples(
            self.directory.path / folder, step.work["source"], options, tokenizer
        )
        if len(examples) < self.plan.n:
            raise self.config.error(
                ("texts", "n"),
                f"'texts.n' must be at most {len(examples)}, the texts that the source of "
                f"'{task.name}' has for prompts and continuations. Got {self.plan.n} instead.",
            )
        return [f"{folder}/human.jsonl", f"{folder}/human.json"], {"n": len(examples)}

    def _read(self, step: Step, key: str) -> tuple[list[str], dict[str, Any]]:
        file = sample_file(key, *step.work["name"])
        n = copy_texts(step.work["path"], self.plan.n, self.directory.path / file)
        return [file], {"n": n}

    def _generate(self, step: Step, key: str) -> tuple[list[str], dict[str, Any]]:
        task, model = step.work["task"], step.work["model"]
        examples = _rows(self.directory.file(step.inputs[0]))
        prompts = PromptSet(
            [row["id"] for row in examples],
            [row["prompt"] for row in examples],
            [row["text"] for row in examples],
        )
        writer = self.writer(model)
        spec = identity.writer_spec(self.config, model.spec)
        human = self.directory.record(step.inputs[0])
        folder = self.directory.path / f"perplexities/{human.key if human else ''}"
        [decoding] = with_perplexity(
            [step.work["decoding"]], writer, spec, prompts.prompts, prompts.references,
            remember=perplexity_path(folder, model.name), device=self.device,
            on_progress=self.on_progress,
        )  # fmt: skip
        seed = int(step.settings["seed"])
        file = sample_file(key, task.name, model.name, step.work["decoder"], seed)
        [sample] = write_samples(
            writer,
            [_Placed(model.name, decoding, seed, file)],
            prompts,
            self.directory.path,
            WritingOptions(self.config.max_tokens, task.min_tokens),
            Pace(len(prompts), self.on_progress),
        )
        facts = {
            "model": sample.signature,
            "decoder": sample.decoder,
            "n": sample.n_texts,
            "n_tokens": sample.n_tokens,
            "n_ended": sample.n_ended,
            "n_new": sample.n_new,
        }
        return [file, file.replace(".jsonl", ".json")], facts

    def _embed(self, step: Step, key: str) -> tuple[list[str], dict[str, Any]]:
        setting: GridSetting = step.work["setting"]
        embedder = self._embedder(setting.embedder)
        samples = self._samples(step.inputs[0], setting, embedder)
        embedded = samples.embedded
        if embedded is None:
            raise InvalidParameterError("there are no texts to embed")
        file = f"features/{key}.zip"
        self.directory.path.joinpath("features").mkdir(exist_ok=True)
        arrays: dict[str, NDArray[Any]] = {
            "features": np.asarray(embedded.features),
            "n_tokens": embedded.n_tokens,
            "truncated": embedded.truncated,
        }
        Archive({"embedder": embedder.signature}, arrays).write(
            self.directory.path / file, _FEATURES, _FEATURES_FORMAT
        )
        return [file], {"embedder": embedder.signature, "n": len(embedded)}

    def _score(self, step: Step, key: str) -> tuple[list[str], dict[str, Any]]:
        setting: GridSetting = step.work["setting"]
        human, texts, given = self._pair(step, setting)
        name = system_name(setting)
        options = {
            name: value
            for name, value in self.config.scores.options.items()
            if name not in ("seed", "normalize")
        }
        content: dict[str, Any]
        try:
            comparison = compare(
                human.texts, {name: texts.texts}, **given, quantizer=setting.quantizer,
                num_buckets=setting.num_buckets, scaling=setting.scaling, **options,
            )  # fmt: skip
        except UndefinedError as error:
            content = {"undefined": str(error)}
        else:
            result = comparison[name]
            content = {
                "result": result.to_dict(),
                "values": {name: value.to_dict() for name, value in score_values(result).items()},
                "p_hist": np.asarray(result.p_hist[0]).tolist(),
                "q_hist": np.asarray(result.q_hist[0]).tolist(),
            }
        return [self._write(f"scores/{key}.json", content)], {}

    def _measure(self, step: Step, key: str) -> tuple[list[str], dict[str, Any]]:
        setting: GridSetting = step.work["setting"]
        human, texts, given = self._pair(step, setting)
        name = system_name(setting)
        training = self.config.measures.training
        if len(step.inputs) < 4:
            given["embedder"] = None  # no measure is of features
        measurements = measure(
            human.texts,
            {name: texts.texts},
            step.settings["measures"],
            **given,
            tokenizer=self.config.measures.tokenizer,
            language_model=identity.language_model_spec(self.config),
            models={name: step.work["model"]} if step.work["model"] else None,
            training=None if training is None else self.config.path(training),
            confidence=self.config.scores.options["confidence"],
        )
        return [self._write(f"measures/{key}.json", measurements.to_dict())], {}

    def _pair(
        self, step: Step, setting: GridSetting
    ) -> tuple[StepTexts, StepTexts, dict[str, Any]]:
        """Return human texts, those of a system, and keywords that scores and measures share."""
        human_step, system_step, *embedded = step.inputs
        human, texts = (self._prepared(each, setting) for each in (human_step, system_step))
        human, texts = human.first(setting.n), texts.first(setting.n)
        prompts = None
        if human.prompts is not None and texts.prompts is not None:
            prompts = {"human": human.prompts, system_name(setting): texts.prompts}
        embedder: Embedder = self._embedder(setting.embedder)
        for source, features in zip((human_step, system_step), embedded, strict=False):
            known = (self._samples(source, setting, embedder).texts or {})["human"]
            embedder = RememberedEmbedder(embedder, known, self._features(features))
        return human, texts, {
            "embedder": embedder,
            "prompts": prompts,
            "normalize": self.config.scores.options.get("normalize"),
            "empty": "keep",
            "cache": False,
            "seed": self.config.seed,
            "device": self.device,
            "progress": self.on_progress,
        }  # fmt: skip

    def _samples(self, step: Step, setting: GridSetting, embedder: Embedder) -> Samples:
        """Return the texts of a step as they are embedded: normalised.

        Steps of normalisation that look at both samples may give other texts in a score, whose
        features are computed there.
        """
        texts = self._prepared(step, setting)
        return load_samples(
            {"human": texts.texts},
            embedder=embedder,
            prompts=None if texts.prompts is None else {"human": texts.prompts},
            normalize=self.config.scores.options.get("normalize"),
            empty="keep",
            unreadable="warn",  # what cannot be read is said of the score
            cache=False,
            on_progress=self.on_progress,
        )

    def _prepared(self, step: Step, setting: GridSetting) -> StepTexts:
        """Return the texts of a step as they are scored: cut, with their prompts if asked for."""
        key = (self.directory.key(step), setting.length)
        if key not in self._texts:
            texts = read_step_texts(self.directory.file(step))
            if setting.length is not None:
                tokenizer = get_text_tokenizer(identity.tokenizer_spec(self.config))
                texts = texts.cut(setting.length, tokenizer)
            if self.config.scores.with_prompt:
                texts = texts.with_prompts()
            while len(self._texts) >= _KEPT_TEXTS:
                self._texts.pop(next(iter(self._texts)))
            self._texts[key] = texts
        return self._texts[key]

    def _embedder(self, name: str) -> Embedder:
        if name not in self._embedders:
            spec = identity.embedder_spec(self.config, self.config.scores.embedders[name])
            self._embedders = {name: get_embedder(spec, device=self.device)}
        return self._embedders[name]

    def _features(self, step: Step) -> Embedded:
        archive = Archive.read(self.directory.file(step), _FEATURES, _FEATURES_FORMAT)
        arrays = archive.arrays
        return Embedded(arrays["features"], arrays["n_tokens"], arrays["truncated"])

    def _write(self, file: str, content: dict[str, Any]) -> str:
        path = self.directory.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as opened:
            opened.write(json.dumps(content, indent=1, allow_nan=False).encode() + b"\n")
        return file


def system_name(setting: GridSetting) -> str:
    """Return the name that messages have for the texts of a setting.

    Examples
    --------
    >>> system_name(GridSetting("prose", "small", "greedy", 0, 64))
    'small greedy seed 0'
    """
    return " ".join(filter(None, [setting.model, setting.decoder, f"seed {setting.seed}"]))


def score_values(result: MauveResult) -> dict[str, Measured]:
    """Return the numbers of a score by the names of measures.

    Those without an interval of their own have one from -inf to inf.
    """
    values = {"mauve": _with_interval(result)}
    if result.classifier is not None:
        values["mauve-classifier"] = _with_interval(result.classifier)
    others = {
        "mauve-plugin": result.mauve_plugin,
        "mauve-star": result.mauve_star,
        "frontier-integral": result.frontier_integral,
        "js": result.js,
        "type-1": result.type_1,
        "type-2": result.type_2,
        "p-value": result.p_value,
        "ceiling": result.ceiling,
    }
    known = {name: float(value) for name, value in others.items() if value is not None}
    return values | {name: Measured(value, (-inf, inf), inf) for name, value in known.items()}


def _with_interval(result: MauveResult) -> Measured:
    error = score_error(result.mauve, result.deviance_error)
    return Measured(result.mauve, result.interval, float(error))


def _rows(path: Path) -> Sequence[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]
