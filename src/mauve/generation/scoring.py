"""Compare, measure and report the samples of an evaluation; each step only if it is not done."""

import inspect
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mauve.atomic import atomic_write
from mauve.comparison.comparison import Comparison
from mauve.comparison.plans import plan_systems
from mauve.comparison.run import compare, compare_samples
from mauve.comparison.saved import load
from mauve.comparison.settings import MIN_TEXTS, Settings
from mauve.embed.load import Samples, load_samples
from mauve.embed.protocol import Embedder
from mauve.embed.registry import get_embedder
from mauve.errors import InvalidParameterError, check_bool, warn_caller
from mauve.generation.evaluation import Evaluation
from mauve.generation.manifest import Manifest, step_key
from mauve.generation.systems import Systems
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import RememberedScorer, get_scorer
from mauve.measures.protocol import Measure
from mauve.measures.results import Measurements
from mauve.measures.run import measure_samples
from mauve.measures.saved import measurements_from_dict
from mauve.measures.selection import select_measures
from mauve.measures.tokenizers import Tokenizer
from mauve.progress import Progress
from mauve.quantize.registry import get_quantizer
from mauve.reports.run import TEXT_MEASURES, report_comparison

#: Measures of an evaluation unless others are asked for: those of a report, and perplexity.
MEASURES = f"perplexity,{TEXT_MEASURES}"

COMPARISON, MEASUREMENTS, REPORT = "comparison.mauve", "measures.json", "report.html"
RESULTS = ("results.json", "results.md")

#: Options of `compare` that an evaluation decides itself.
_DECIDED = ("human", "systems", "field", "limit", "prompts", "seed", "device", "progress")


@dataclass(frozen=True)
class ScoringOptions:
    """How samples are compared, measured and reported; see :func:`mauve.evaluate`."""

    measures: str | Measure | Sequence[str | Measure] | None = MEASURES
    tokenizer: str | Tokenizer = "words"
    language_model: str | TokenScorer = "bundled"
    report: bool = True
    ladder: bool = True
    title: str | None = None
    seed: int = 0
    device: str = "auto"
    compare: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_bool("report", self.report)
        check_bool("ladder", self.ladder)
        known = set(inspect.signature(compare).parameters) - {*_DECIDED}
        for name in self.compare:
            if name not in known:
                raise TypeError(f"evaluate() got an unexpected keyword argument {name!r}")

    @property
    def comparing(self) -> dict[str, Any]:
        """Options of `compare`; a text without characters is one that the model ended at once."""
        return {"empty": "keep", "seed": self.seed, "device": self.device, **self.compare}

    def embedder(self) -> Embedder:
        """Return the embedder."""
        chosen = self.compare.get("embedder")
        return get_embedder("bundled" if chosen is None else chosen, device=self.device)

    def scorer(self) -> TokenScorer:
        """Return the language model that scores texts."""
        return RememberedScorer(get_scorer(self.language_model, device=self.device))


def check_scoring(
    texts: Sequence[str], names: Sequence[str], options: ScoringOptions, folder: Path
) -> None:
    """Raise if samples of the size of the human one could not be compared, before any is there.

    Parameters
    ----------
    texts : sequence of str
        The human texts, which stand for those of every system too.
    names : sequence of str
        Of the systems.
    options : ScoringOptions
    folder : Path

    Examples
    --------
    >>> check_scoring(["one text"] * 20, ["greedy"], ScoringOptions(report=False), Path("run"))
    """
    if options.report:
        from mauve.reports.page import check_report  # here, so that import mauve stays quick

        check_report(folder / REPORT, options.title)
    scoring = inspect.signature(compare_samples).parameters
    loading = {name: value for name, value in options.comparing.items() if name not in scoring}
    given = {name: value for name, value in options.comparing.items() if name in scoring}
    sources = dict.fromkeys(("human", *names), texts)
    samples = load_samples(
        sources, **loading, seed=options.seed, device=options.device, min_texts=MIN_TEXTS
    )
    used = {name: given.get(name, scoring[name].default) for name in scoring if name != "samples"}
    kept = [name for name in Settings.__dataclass_fields__ if name in used]
    settings = Settings(**{name: used[name] for name in kept}, by_prompt=True)
    quantizer = get_quantizer(used["quantizer"], options.device)
    counts = [used[name] for name in ("num_buckets", "n_learning", "n_clusterings")]
    plan_systems(samples, settings, quantizer, *counts)
    if options.measures is not None:
        chosen = select_measures(samples, options.measures, {}, None)
        if any("log_probabilities" in measure.needs for measure in chosen):
            get_scorer(options.language_model, device=options.device)


def score_systems(
    folder: Path,
    manifest: Manifest,
    systems: Systems,
    options: ScoringOptions,
    on_progress: Progress,
) -> tuple[Comparison, Measurements | None, Path | None]:
    """Compare, measure and report the systems; return the results and the path of the report.

    Parameters
    ----------
    folder : Path
    manifest : Manifest
    systems : Systems
    options : ScoringOptions
    on_progress : callable
    """
    embedder = options.embedder()
    given = {n: v for n, v in options.comparing.items() if n not in ("device", "cache", "embedder")}
    key = step_key(texts=systems.digests(), options=given, embedder=embedder.signature)
    if _is_uncertain(options.compare.get("embedder")):
        key = step_key(embedder=options.compare["embedder"])  # its code may have changed
    comparison = _compared(folder, manifest, key, systems, options, embedder, on_progress)

    scorer = None
    if options.measures is not None and _needs_scorer(comparison.compared.samples, options):
        scorer = options.scorer()
    measures_key = step_key(
        comparison=key,
        measures=options.measures,
        tokenizer=options.tokenizer,
        language_model=None if scorer is None else scorer.signature,
    )
    measurements = None
    if options.measures is not None:
        measurements = _measured(
            folder, manifest, measures_key, comparison, options, scorer, on_progress
        )
    report = None
    if options.report:
        report = folder / REPORT
        report_key = step_key(measures=measures_key, ladder=options.ladder, title=options.title)
        if not manifest.is_current("report", report_key):
            report_comparison(
                comparison,
                report,
                title=options.title,
                measurements=measurements,
                language_model=scorer,
                ladder=options.ladder,
                device=options.device,
                progress=on_progress,
            )
            manifest.done("report", report_key, REPORT)
    return comparison, measurements, report


def write_results(manifest: Manifest, evaluation: Evaluation) -> None:
    """Write the tables of an evaluation as Markdown and JSON, if they have changed."""
    content = {
        "results.json": json.dumps(evaluation.to_dict(), indent=1, allow_nan=False),
        "results.md": evaluation.to_markdown(),
    }
    key = step_key(table=content["results.md"], settings=evaluation.settings)
    if manifest.is_current("results", key):
        return
    for name, text in content.items():
        with atomic_write(evaluation.folder / name) as file:
            file.write(text.encode() + b"\n")
    manifest.done("results", key, *content)


def _compared(
    folder: Path,
    manifest: Manifest,
    key: str,
    systems: Systems,
    options: ScoringOptions,
    embedder: Embedder,
    on_progress: Progress,
) -> Comparison:
    """Return the comparison, from its file if it is of the same texts and options."""
    path = folder / COMPARISON
    if manifest.is_current("comparison", key):
        is_bundled = options.compare.get("embedder") in (None, "bundled")
        try:
            comparison = load(path, embedder=None if is_bundled else embedder)
        except InvalidParameterError:
            pass  # damaged, or of another version: it is computed again
        else:
            for message in comparison.warnings:
                warn_caller(message)
            return comparison
    human: Any = systems.human  # records, with their metadata
    comparison = compare(
        human,
        systems.texts,
        prompts=systems.prompts,
        progress=on_progress,
        **{**options.comparing, "embedder": embedder},
    )
    comparison.save(path)
    manifest.done("comparison", key, COMPARISON)
    return comparison


def _measured(
    folder: Path,
    manifest: Manifest,
    key: str,
    comparison: Comparison,
    options: ScoringOptions,
    scorer: TokenScorer | None,
    on_progress: Progress,
) -> Measurements:
    """Return the measurements, from their file if it is of the same texts and options."""
    path = folder / MEASUREMENTS
    measurements = None
    if manifest.is_current("measures", key):
        with suppress(InvalidParameterError, ValueError):  # if damaged, they are computed again
            measurements = measurements_from_dict(json.loads(path.read_bytes()))
    if measurements is None:
        measurements = measure_samples(
            comparison.compared.samples,
            MEASURES if options.measures is None else options.measures,
            tokenizer=options.tokenizer,
            language_model=scorer or options.language_model,
            comparison=comparison,
            confidence=comparison.compared.settings.confidence,
            seed=options.seed,
            device=options.device,
            on_progress=on_progress,
        )
        with atomic_write(path) as file:
            file.write(json.dumps(measurements.to_dict(), indent=1).encode() + b"\n")
        manifest.done("measures", key, MEASUREMENTS)
    for message in measurements.warnings:
        if message not in comparison.warnings:
            warn_caller(message)
    return measurements


def _needs_scorer(samples: Samples, options: ScoringOptions) -> bool:
    measures = MEASURES if options.measures is None else options.measures
    chosen = select_measures(samples, measures, {}, None)
    return any("log_probabilities" in measure.needs for measure in chosen)


def _is_uncertain(embedder: Any) -> bool:
    """Return whether nothing says that an embedder is the one of the last call: a function."""
    return callable(embedder) and not isinstance(getattr(embedder, "signature", None), str)
