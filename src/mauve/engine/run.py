"""Compare samples in files, of any size: compare_files, the front door."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mauve.comparison.settings import IntervalName, Settings
from mauve.embed.naming import human_name_beside
from mauve.embed.reading import UNREADABLE, UnreadablePolicy
from mauve.embed.registry import EmbedderLike
from mauve.engine.engines import EngineName, open_engine
from mauve.engine.folders import working_folder
from mauve.engine.memory import parse_memory
from mauve.engine.pipeline import Pipeline
from mauve.engine.samples import StreamedComparison
from mauve.engine.shards import shards_stay
from mauve.engine.sources import FilesLike, Preparation, ShardedSample, find_sample
from mauve.engine.stages import EmbedderChoice
from mauve.engine.streaming import SampleStream, Stream
from mauve.errors import (
    InvalidParameterError,
    bad_parameter,
    check_bool,
    check_choice,
    check_int,
    warn_caller,
)
from mauve.escape import escaped
from mauve.frontier.estimators import EstimatorName
from mauve.progress import ProgressLike, progress_bar
from mauve.quantize.protocol import AnyQuantizer
from mauve.quantize.reduce import OrderName
from mauve.quantize.registry import QuantizerName, get_quantizer
from mauve.text.normalize import EMPTY, EmptyPolicy
from mauve.text.steps import JOINT_STEPS, Normalize, check_steps

#: Texts of each sample whose features the test of P = Q looks at, by default.
N_TESTED = 20_000


def compare_files(
    human: FilesLike,
    systems: FilesLike | Mapping[str, FilesLike],
    *,
    engine: EngineName = "disk",
    address: str | None = None,
    workers: int | None = None,
    gpus: float = 0.0,
    memory: int | str | None = None,
    folder: str | Path | None = None,
    n_tested: int = N_TESTED,
    field: str | Mapping[str, str] = "text",
    embedder: EmbedderLike | None = None,
    embedder_settings: Mapping[str, Any] | None = None,
    strip: bool = False,
    normalize: Normalize | None = None,
    empty: EmptyPolicy = "error",
    unreadable: UnreadablePolicy = "error",
    num_buckets: int | str = "auto",
    n_learning: int | None = None,
    n_clusterings: int | None = None,
    scaling: float = 5.0,
    quantizer: QuantizerName | str | AnyQuantizer = "kmeans",
    estimator: EstimatorName = "jackknife",
    confidence: float = 0.95,
    n_permutations: int = 1000,
    explained_variance: float = 0.9,
    order: OrderName = "norm-pca",
    seed: int = 0,
    device: str = "auto",
    progress: ProgressLike = True,
) -> StreamedComparison:
    """Compare samples in files, of any number of texts, in bounded memory.

    The scores are those of :func:`mauve.compare`, whatever the order of the texts and the files
    that they are in. Texts are read, embedded and assigned to buckets part by part; of a text its
    buckets are kept, in files.

    Parameters
    ----------
    human : str, Path or sequence of these
        Files of human texts or of features: paths, folders, patterns such as
        ``"human/*.parquet"``, and ``"hf:NAME?split=train"`` for datasets.
    systems : the same, or a mapping from name to the same
        One system, or several by name.
    engine : {"disk", "ray"}
        "disk" works in this process, "ray" on a cluster; needs the ``ray`` extra.
    address : str, optional
        Of a Ray cluster that this machine is part of, "auto" or "host:port"; by default Ray is
        started here.
    workers : int, optional
        Number of Ray actors, each with a model; by default as many as there are free cores.
    gpus : float
        GPUs of each actor.
    memory : int or str, optional
        Memory to work in, such as "2GB"; by default half of what is free.
    folder : str or Path, optional
        Where shards are written, and stay: a second run reuses what is done. By default a
        temporary folder, which is removed. With Ray all machines must see it.
    n_tested : int
        Texts of each sample, drawn at random, on which P = Q is tested and form is checked.
    field, embedder, strip, normalize, empty, unreadable, num_buckets, n_learning, n_clusterings, \
scaling, quantizer, estimator, confidence, n_permutations, explained_variance, order, seed, \
device, progress
        As for :func:`mauve.compare`; `normalize` without the steps "prompt" and "length".
    embedder_settings : mapping from str to value, optional
        Options of :func:`mauve.get_embedder`, where the embedder is a name.

    Returns
    -------
    StreamedComparison
        A :class:`mauve.Comparison` whose texts are in files.

    Examples
    --------
    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> rng = np.random.default_rng(0)
    >>> with TemporaryDirectory() as at:
    ...     for name in ("human-0", "human-1", "model-0"):
    ...         np.save(f"{at}/{name}.npy", rng.normal(size=(300, 8)))
    ...     comparison = compare_files(f"{at}/human-*.npy", {"model": f"{at}/model-*.npy"})
    >>> comparison["model"].n_human, comparison["model"].mauve > 0.9
    (600, True)
    """
    interval: IntervalName = "influence"
    check_choice("empty", empty, EMPTY)
    check_choice("unreadable", unreadable, UNREADABLE)
    check_bool("strip", strip)
    steps = tuple(check_steps(normalize, without=JOINT_STEPS))
    check_int("n_tested", n_tested, 1000)
    named = _named(human, systems)
    chosen = get_quantizer(quantizer, device)
    settings = Settings(
        clustering="pair",
        scaling=scaling,
        estimator=estimator,
        confidence=confidence,
        interval=interval,
        n_bootstrap=200,
        n_permutations=n_permutations,
        explained_variance=explained_variance,
        order=order,
        seed=seed,
        by_prompt=False,
    )
    fields = field if isinstance(field, Mapping) else dict.fromkeys(named, field)
    found = {
        name: find_sample(
            name, files, Preparation(fields.get(name, "text"), bool(strip), steps, empty)
        )
        for name, files in named.items()
    }
    choice, origin = _features_from(found, embedder, embedder_settings or {}, device)
    if choice is not None:
        _ = choice.embedder  # one that cannot be had is an error now, not after hours of hashing
    with (
        progress_bar(progress) as on_progress,
        open_engine(engine, address=address, workers=workers, gpus=gpus) as opened,
        working_folder(folder) as at,
        shards_stay(at, is_kept=folder is not None),
    ):
        pipeline = Pipeline(
            Stream(opened, at, parse_memory(memory), on_progress),
            {
                name: SampleStream.of(sample, number, at)
                for number, (name, sample) in enumerate(found.items())
            },
            settings,
            chosen,
            num_buckets,
            n_learning,
            n_clusterings,
            choice,
            origin,
            unreadable,
            n_tested,
        )
        comparison = pipeline.compare()
    for message in comparison.warnings:
        warn_caller(message)
    return comparison


def _named(human: FilesLike, systems: FilesLike | Mapping[str, FilesLike]) -> dict[str, FilesLike]:
    """Return the files of each sample by name, human first."""
    named = systems if isinstance(systems, Mapping) else {"model": systems}
    if not named:
        raise bad_parameter("systems", "files, or a mapping of at least one name", systems)
    samples = {human_name_beside([*named]): human, **named}
    for name, files in samples.items():
        entries = [files] if isinstance(files, str | Path) else files
        if not isinstance(entries, Sequence) or not all(
            isinstance(entry, str | Path) for entry in entries
        ):
            raise InvalidParameterError(
                f"'{escaped(name)}' must be files: a path, a pattern, a folder, or a list of "
                f"these. Got {type(files).__name__} instead: mauve.compare takes what is in memory."
            )
    return samples


def _features_from(
    found: Mapping[str, ShardedSample],
    embedder: EmbedderLike | None,
    embedder_settings: Mapping[str, Any],
    device: str,
) -> tuple[EmbedderChoice | None, str]:
    """Return what embeds texts, and the recipe of the texts or the origin of the features."""
    kinds = {sample.is_text for sample in found.values()}
    if len(kinds) > 1:
        raise InvalidParameterError(
            "All samples must be text, or all must be features. Got text for "
            f"{', '.join(name for name, sample in found.items() if sample.is_text)} alone instead."
        )
    human, *others = found.values()
    if human.is_text:
        _, recipe = human.preparation.prepared(["text"], "text")
        name = "bundled" if embedder is None else embedder
        return EmbedderChoice(name, embedder_settings, device), recipe
    if embedder is not None:
        raise InvalidParameterError(
            "The embedder must be left out for features, which no embedder reads: give the files "
            "of texts instead."
        )
    if human.preparation.strip or human.preparation.normalize:
        raise InvalidParameterError(
            "Texts cannot be normalised where files hold features: give the files of texts instead."
        )
    for other in others:
        if other.width != human.width:
            raise InvalidParameterError(
                f"'{other.name}' must have as many features as '{human.name}', {human.width}. Got "
                f"{other.width} instead: embed all texts with one model."
            )
    origins = {sample.origin for sample in found.values()}
    if len(origins - {None}) > 1:
        made = " and by ".join(sorted(str(origin) for origin in origins if origin))
        raise InvalidParameterError(
            f"All samples must be features of one embedder. Got files made by {made} instead."
        )
    origin = next(iter(origins)) if None not in origins else None
    return None, origin or f"features-{human.width}"
