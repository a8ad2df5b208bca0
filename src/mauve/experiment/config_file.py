"""Read and check the config file of an experiment, before any work."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mauve.comparison.settings import MAX_SCALING, MIN_TEXTS, Settings
from mauve.embed.protocol import DTYPES
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.experiment.config import (
    ExperimentConfig,
    MeasureConfig,
    ModelConfig,
    SamplesConfig,
    ScoreConfig,
    SystemFile,
    TaskConfig,
)
from mauve.experiment.toml_lines import parse_toml
from mauve.experiment.toml_tables import TomlTable
from mauve.frontier.estimators import ESTIMATORS
from mauve.generation.settings import file_name
from mauve.generation.tasks import TASKS
from mauve.lm.decoding import Decoding, parse_decoder
from mauve.measures.registry import check_names
from mauve.quantize.registry import quantizer_names
from mauve.text.sources import parse_source
from mauve.text.steps import check_steps

_AUTO_BUCKETS = ("auto", "n/10")
_NO_MEASURES = "none"


def read_config(path: str | Path) -> ExperimentConfig:
    """Return the config in a TOML file, or raise one sentence with the line and the remedy.

    Parameters
    ----------
    path : str or Path

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text('[texts]' + chr(10) + 'decodres = ["greedy"]')
    ...     read_config(path)
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'study.toml', line 2: 'texts.decodres' is not known here: \
did you mean 'decoders'?
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InvalidParameterError(
            f"'{escaped(str(path))}' cannot be read ({error.strerror}): name the config file of "
            "an experiment, such as study.toml."
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidParameterError(
            f"'{escaped(str(path))}' must be a TOML file in UTF-8. Got other bytes at position "
            f"{error.start} instead: save it as UTF-8."
        ) from error
    return config_of(text, path.name, path.resolve().parent)


def config_of(text: str, name: str, folder: Path) -> ExperimentConfig:
    """Return the config of a TOML document.

    Parameters
    ----------
    text : str
    name : str
        The file, for messages.
    folder : Path
        What paths are relative to.

    Examples
    --------
    >>> text = '''
    ... [texts]
    ... n = 50
    ... lengths = [32]
    ... decoders = ["greedy", "nucleus:0.9"]
    ... [tasks.prose]
    ... source = "prose.txt"
    ... [models]
    ... small = "bundled"
    ... '''
    >>> config = config_of(text, "study.toml", Path("."))
    >>> [*config.decoders], config.max_tokens, config.scores.n
    (['greedy', 'nucleus:p=0.9'], 32, (50,))
    """
    top = TomlTable(parse_toml(text, name))
    title = top.text("name", Path(name).stem)
    texts, task_table, model_table = (top.table(key) for key in ("texts", "tasks", "models"))
    sample_table, score_table = top.table("samples"), top.table("scores")
    measure_table = top.table("measures")
    top.check_all_taken()

    decoders = _decoders(texts)  # first, so that unknown keys are told apart from missing tables
    seeds = tuple(texts.integers("seeds", [0]))
    has_models = bool(task_table.values or model_table.values)
    n = texts.integer("n", None if has_models else 0, low=MIN_TEXTS if "n" in texts else 0)
    default: list[int] | None = None if has_models else []
    lengths: tuple[int | None, ...] = (None,)
    if has_models or "lengths" in texts:
        lengths = tuple(texts.integers("lengths", default, low=1))
    tokenizer, seed = texts.text("tokenizer", "bundled"), texts.integer("seed", 0)
    token_budget = texts.optional_integer("token_budget", low=1)
    texts.check_all_taken()

    tasks = tuple(_task(task_table.table(key), key, lengths) for key in task_table.names())
    models = tuple(_model(model_table, key, decoders) for key in model_table.names())
    samples = tuple(_samples(sample_table.table(key), key) for key in sample_table.names())
    _check_whole(top, tasks, models, samples)
    for table, names in ((task_table, tasks), (model_table, models), (sample_table, samples)):
        _check_names(table, [each.name for each in names])
    if not models and any(key in texts for key in ("decoders", "seeds")):
        key = "decoders" if "decoders" in texts else "seeds"
        raise texts.error(key, f"'texts.{key}' is for models, of which there are none: remove it.")
    return ExperimentConfig(
        top.document, folder, title, tasks, models, samples, n, lengths, decoders, seeds,
        tokenizer, seed, token_budget, _scores(score_table, n, lengths, seed),
        _measures(measure_table),
    )  # fmt: skip


def _decoders(texts: TomlTable) -> dict[str, Decoding]:
    decoders: dict[str, Decoding] = {}
    for place, spec in enumerate(texts.texts("decoders", ["ancestral"])):
        with texts.at("decoders", place):
            decoding = parse_decoder(spec)
        if str(decoding) in decoders:
            raise texts.error(
                "decoders",
                f"'{escaped(spec)}' is the decoder '{decoding}', which stands in 'decoders' "
                "already: remove one of them.",
                place,
            )
        decoders[str(decoding)] = decoding
    return decoders


def _task(table: TomlTable, name: str, lengths: tuple[int | None, ...]) -> TaskConfig:
    source = table.text("source")
    with table.at("source"):
        parse_source(source)
    task = TaskConfig(
        name,
        table.choice("task", TASKS, "text"),
        source,
        table.optional_integer("prompt_tokens"),
        table.integer("min_tokens", 0),
        table.boolean("well_formed", False),
    )
    longest = max(length or 0 for length in lengths)
    if task.min_tokens > longest:
        rule = f"an int of at most {longest}, the greatest length"
        raise table.bad("min_tokens", rule, task.min_tokens)
    if task.prompt_tokens is not None and TASKS[task.task].prompt_tokens is None:
        raise table.error(
            "prompt_tokens",
            f"'prompt_tokens' cannot be given for the task '{task.task}', whose prompts are those "
            "of the records: remove it.",
        )
    table.check_all_taken()
    return task


def _model(models: TomlTable, name: str, decoders: dict[str, Decoding]) -> ModelConfig:
    if isinstance(models.values[name], str):
        return ModelConfig(name, models.text(name))
    if not isinstance(models.values[name], dict):
        rule = "a model in quotes, or a table with its key 'model'"
        raise models.bad(name, rule, models.values[name])
    table = models.table(name)
    spec, revision = table.text("model"), table.optional_text("revision")
    dtype = table.choice("dtype", DTYPES, "auto")
    own = None
    if "decoders" in table:
        own = tuple(_decoders(table))
        for place, decoder in enumerate(own):
            if decoder not in decoders:
                raise table.error(
                    "decoders",
                    f"'{escaped(decoder)}' must be one of the decoders in [texts]: add it there, "
                    "or remove it here.",
                    place,
                )
    table.check_all_taken()
    return ModelConfig(name, spec, revision, dtype, own)


def _samples(table: TomlTable, name: str) -> SamplesConfig:
    human = table.text("human")
    systems = table.table("systems")
    files: list[SystemFile] = []
    for model in systems.names():
        if isinstance(systems.values[model], dict):
            by_decoder = systems.table(model)
            for decoder in by_decoder.names():
                paths = by_decoder.texts(decoder)
                files += [SystemFile(model, decoder, i, path) for i, path in enumerate(paths)]
        else:
            paths = systems.texts(model)
            files += [SystemFile(model, "", i, path) for i, path in enumerate(paths)]
    table.check_all_taken()
    if not files:
        raise table.error(
            None, f"'samples.{escaped(name)}' has no systems: add [samples.{escaped(name)}.systems]"
            " with NAME = \"FILE\" in it.",
        )  # fmt: skip
    _check_names(systems, [*systems.values])
    return SamplesConfig(name, human, tuple(files))


def _check_whole(
    top: TomlTable,
    tasks: tuple[TaskConfig, ...],
    models: tuple[ModelConfig, ...],
    samples: tuple[SamplesConfig, ...],
) -> None:
    """Raise unless there is something to do."""
    if tasks and not models:
        raise top.error("tasks", "there are tasks and no models: add [models] with NAME = MODEL.")
    if models and not tasks:
        raise top.error(
            "models", "there are models and no tasks: add [tasks.NAME] with source = FILE."
        )
    if not tasks and not samples:
        raise top.error(
            None, "there is nothing to score: add [tasks.NAME] and [models], or [samples.NAME]."
        )
    for sample in samples:
        if sample.name in [task.name for task in tasks]:
            raise top.document.error(
                ("samples", sample.name),
                f"'{escaped(sample.name)}' is the name of a task too: give one of them another.",
            )


def _check_names(table: TomlTable, names: list[str]) -> None:
    """Raise unless names can stand in the name of a cell, and name files."""
    files: dict[str, str] = {}
    for name in names:
        if not name.strip() or "/" in name or "=" in name:
            raise table.error(
                name, f"{name!r} must be a name without '/' and '=', which the names of cells have "
                "between their parts: write another one.",
            )  # fmt: skip
        if other := files.get(file_name(name)):
            raise table.error(
                name,
                f"'{escaped(name)}' and '{escaped(other)}' are one name, as files are named after "
                "letters and digits: give one of them another.",
            )
        files[file_name(name)] = name


def _scores(table: TomlTable, n: int, lengths: tuple[int | None, ...], seed: int) -> ScoreConfig:
    embedders = _embedders(table)
    quantizers = tuple(table.texts("quantizers", ["kmeans"]))
    for place, quantizer in enumerate(quantizers):
        if quantizer not in quantizer_names():
            rule = ", ".join(map(repr, quantizer_names()))
            problem = f"a quantizer must be one of {rule}. Got {quantizer!r} instead."
            raise table.error("quantizers", problem, place)
    buckets = table.items(
        "num_buckets", ["auto"],
        lambda k: k in _AUTO_BUCKETS or (type(k) is int and k >= 2),
        "'auto', 'n/10' or ints of at least 2",
    )  # fmt: skip
    scalings = table.items(
        "scaling", [5.0],
        lambda c: type(c) in (int, float) and 0 < c <= MAX_SCALING,
        f"numbers above 0 and at most {MAX_SCALING}",
    )  # fmt: skip
    numbers = tuple(table.integers("n", [n] if n else [0], low=MIN_TEXTS if "n" in table else 0))
    if n and max(numbers) > n:
        place = numbers.index(max(numbers))
        problem = f"'scores.n' must be at most n = {n} of [texts]. Got {max(numbers)} instead."
        raise table.error("n", problem, place)
    vary = table.choice("vary", ("each", "all"), "each")
    longest = max((length for length in lengths if length is not None), default=None)
    varied = tuple(table.integers("vary_lengths", [], low=1)) if "vary_lengths" in table else None
    for place, length in enumerate(varied or ()):
        if length not in lengths:
            problem = f"{length} must be one of the lengths in [texts]: add it there, or remove it."
            raise table.error("vary_lengths", problem, place)
    options = _compare_options(table, seed)
    table.check_all_taken()
    return ScoreConfig(
        embedders, quantizers, tuple(buckets), tuple(map(float, scalings)), numbers,
        vary == "all", (longest,) if varied is None else varied,
        options.pop("with_prompt"), options,
    )  # fmt: skip


def _embedders(table: TomlTable) -> dict[str, str]:
    value = table.take("embedders", ["bundled"])
    if isinstance(value, Mapping):
        named = table.table("embedders")
        embedders = {name: named.text(name) for name in named.names()}
        _check_names(named, [*embedders])
        if not embedders:
            raise table.bad("embedders", "a list of embedders or NAME = EMBEDDER", {})
        return embedders
    specs = table.texts("embedders", ["bundled"])
    names = [spec.rstrip("/").rpartition("/")[2] for spec in specs]
    for place, name in enumerate(names):
        if name in names[:place] or not name or "=" in name:
            raise table.error(
                "embedders",
                f"'{escaped(specs[place])}' has no name of its own for tables: write a table "
                "[scores.embedders] with NAME = EMBEDDER.",
                place,
            )
    return dict(zip(names, specs, strict=True))


def _compare_options(table: TomlTable, seed: int) -> dict[str, Any]:
    options: dict[str, Any] = {
        "with_prompt": table.boolean("with_prompt", False),
        "n_permutations": table.integer("n_permutations", 1000),
        "confidence": table.real("confidence", 0.95),
        "estimator": table.choice("estimator", ESTIMATORS, "jackknife"),
        "seed": seed,
    }
    for name, low in (("n_clusterings", 2), ("n_learning", 2)):
        if name in table:
            options[name] = table.integer(name, low=low)
        else:
            table.take(name)
    if (steps := table.optional_text("normalize")) is not None:
        with table.at("normalize"):
            check_steps(steps)
        options["normalize"] = steps
    with table.at("confidence"):
        Settings(
            "pair", 5.0, options["estimator"], options["confidence"], "influence", 200,
            options["n_permutations"], 0.9, "norm-pca", seed, True,
        )  # fmt: skip
    return options


def _measures(table: TomlTable) -> MeasureConfig:
    names = ",".join(table.texts("names", [_NO_MEASURES]))
    if names.strip().lower() == _NO_MEASURES:
        names = ""
    else:
        with table.at("names"):
            check_names(names)
    measures = MeasureConfig(
        names,
        table.text("tokenizer", "words"),
        table.text("language_model", "bundled"),
        table.optional_text("training"),
    )
    table.check_all_taken()
    return measures
