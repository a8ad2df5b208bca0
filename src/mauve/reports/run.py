"""Write a report of samples: scores, measures and explanation in one HTML file."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mauve.comparison.comparison import Comparison
from mauve.comparison.ladder import Ladder
from mauve.comparison.run import compare, compare_samples
from mauve.comparison.settings import MIN_TEXTS
from mauve.embed.convert import TEXT_FIELD
from mauve.embed.load import Samples, load_samples
from mauve.embed.naming import SystemsLike, name_samples
from mauve.embed.samples import SampleLike
from mauve.errors import MauveError, check_bool, warn_caller
from mauve.explanation.clusters import check_clusters
from mauve.explanation.metadata import Metadata, check_metadata
from mauve.explanation.results import Explanation
from mauve.explanation.run import check_mixture, explain
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import RememberedScorer, get_scorer
from mauve.measures.material import load_training, split_training_field
from mauve.measures.protocol import Measure
from mauve.measures.results import Measurements
from mauve.measures.run import measure_samples
from mauve.measures.selection import select_measures
from mauve.measures.tokenizers import Tokenizer, get_tokenizer
from mauve.progress import Progress, ProgressLike, progress_bar

#: Measures of a report unless others are asked for: those that are quick.
TEXT_MEASURES = "zipf,repetition,distinct-4,self-bleu,frechet"
FEATURE_MEASURES = "frechet"

#: Options of `compare` that say how samples are loaded.
_LOADING = (
    "field", "limit", "embedder", "device", "cache", "strip", "match_length", "normalize",
    "empty", "unreadable", "prompts",
)  # fmt: skip


@dataclass(frozen=True)
class Report:
    """A report that was written, and the results in it.

    Attributes
    ----------
    path : Path
        The HTML file.
    comparison : Comparison
    explanation : Explanation
    measurements : Measurements
    """

    path: Path
    comparison: Comparison
    explanation: Explanation
    measurements: Measurements


def report(
    human: "SampleLike",
    systems: "SystemsLike",
    path: str | Path,
    *,
    title: str | None = None,
    measures: "str | Measure | Sequence[str | Measure] | None" = None,
    tokenizer: str | Tokenizer = "words",
    training: "SampleLike | None" = None,
    n_clusters: int | str = "auto",
    mixture: float = 0.5,
    metadata: "Metadata | None" = None,
    language_model: str | TokenScorer | None = None,
    ladder: bool = True,
    progress: "ProgressLike" = True,
    **options: Any,
) -> Report:
    """Compare, measure and explain systems, and write all of it to one HTML file.

    Texts are read and embedded once. Needs the ``report`` extra.

    Parameters
    ----------
    human, systems
        As for :func:`mauve.compare`.
    path : str or Path
        The HTML file. It is written atomically: an error leaves an old file as it was.
    title : str, optional
        Title of the page.
    measures : str, Measure, or sequence of both, optional
        As for :func:`mauve.measure`; by default some that are quick.
    tokenizer, training
        As for :func:`mauve.measure`.
    n_clusters, mixture
        As for :func:`mauve.explain`.
    metadata : mapping from sample to mapping from field to sequence, optional
        As for :func:`mauve.explain`; by default the other fields of text files.
    language_model : str or TokenScorer, optional
        As for :func:`mauve.explain`. It also computes the perplexity, if `measures` asks for it.
    ladder : bool
        Whether to show the scores after each step that removes a difference of form
        (:meth:`mauve.Comparison.ladder`), for which the texts that it changes are embedded. For
        features there is none.
    progress : bool or callable
        As for :func:`mauve.compare`.
    **options
        As for :func:`mauve.compare`, such as ``embedder``, ``num_buckets`` and ``seed``.

    Returns
    -------
    Report
        The path, and the comparison, explanation and measurements in the file.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + 1
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = report(human, {"shifted": model}, f"{folder}/report.html")
    ...     written.path.stat().st_size > 10_000, written.comparison.rank()
    (True, ['shifted'])
    """
    from mauve.reports.page import check_report  # here, so that import mauve stays quick

    check_report(path, title)
    check_bool("ladder", ladder)
    known = inspect.signature(compare).parameters
    for name in options:
        if name not in known:
            raise TypeError(f"report() got an unexpected keyword argument {name!r}")
    device = options.get("device", "auto")
    chosen_tokenizer = get_tokenizer(tokenizer)
    scorer = None if language_model is None else get_scorer(language_model, device=device)
    loading = {name: options[name] for name in _LOADING if name in options}
    scoring = {name: value for name, value in options.items() if name not in _LOADING}
    fields, training_field = split_training_field(loading.pop("field", TEXT_FIELD), training)
    with progress_bar(progress) as on_progress:
        samples = load_samples(
            name_samples(human, systems),
            field=fields,
            seed=options.get("seed", 0),
            min_texts=MIN_TEXTS,
            on_progress=on_progress,
            **loading,
        )
        # What is asked for is checked before the work.
        prepared = {
            name: loading[name] for name in ("strip", "normalize", "empty") if name in loading
        }
        trained_on = load_training(training, samples, field=training_field, **prepared)
        select_measures(samples, _default_measures(samples, measures), {}, trained_on)
        check_metadata(
            samples.metadata if metadata is None else samples.aligned(metadata), samples.sizes
        )
        check_clusters(n_clusters, sum(samples.sizes.values()))
        check_mixture(mixture)
        comparison = compare_samples(samples, device=device, on_progress=on_progress, **scoring)
        for message in comparison.warnings:
            warn_caller(message)
        return report_comparison(
            comparison,
            path,
            title=title,
            measures=measures,
            tokenizer=chosen_tokenizer,
            training=trained_on,
            n_clusters=n_clusters,
            mixture=mixture,
            metadata=metadata,
            language_model=scorer,
            ladder=ladder,
            device=device,
            progress=on_progress,
        )


def report_comparison(
    comparison: Comparison,
    path: str | Path,
    *,
    title: str | None = None,
    explanation: Explanation | None = None,
    measurements: Measurements | None = None,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    tokenizer: str | Tokenizer = "words",
    training: Samples | None = None,
    n_clusters: int | str = "auto",
    mixture: float = 0.5,
    metadata: Metadata | None = None,
    language_model: str | TokenScorer | None = None,
    ladder: bool | Ladder = True,
    device: str = "auto",
    progress: ProgressLike = True,
) -> Report:
    """Write the report of a comparison; :meth:`mauve.Comparison.to_html` calls it.

    Parameters
    ----------
    comparison : Comparison
    path, title, measures, tokenizer, n_clusters, mixture, metadata, language_model, progress
        As for :func:`report`.
    explanation : Explanation, optional
        Result of :func:`mauve.explain` for this comparison; computed if left out.
    measurements : Measurements, optional
        Result of :func:`mauve.measure` for the same samples; computed if left out.
    training : Samples, optional
        Training texts of the systems, from :func:`mauve.measures.material.load_training`.
    ladder : bool or Ladder
        As for :func:`report`, or the result of :meth:`mauve.Comparison.ladder`.
    device : str
        Device of the language model.
    """
    from mauve.reports.page import check_report, write_report

    check_report(path, title)
    if not isinstance(ladder, Ladder):
        check_bool("ladder", ladder)
    samples, settings = comparison.compared.samples, comparison.compared.settings
    scorer = None
    if language_model is not None:  # explanation and measures share its log-probabilities
        scorer = RememberedScorer(get_scorer(language_model, device=device))
    with progress_bar(progress) as on_progress:
        if explanation is None:
            explanation = explain(
                comparison,
                n_clusters=n_clusters,
                mixture=mixture,
                metadata=samples.metadata if metadata is None else metadata,
                language_model=scorer,
                seed=settings.seed,
                progress=on_progress,
            )
        if measurements is None:
            measurements = measure_samples(
                samples,
                _default_measures(samples, measures),
                tokenizer=tokenizer,
                language_model=scorer or "bundled",
                training=training,
                comparison=comparison,
                confidence=settings.confidence,
                seed=settings.seed,
                device=device,
                on_progress=on_progress,
            )
            for message in measurements.warnings:  # the page has them too
                if message not in comparison.warnings:
                    warn_caller(message)
        if ladder is True:
            ladder = _ladder(comparison, on_progress)
        write_report(
            comparison,
            path,
            explanation=explanation,
            measurements=measurements,
            ladder=ladder or None,
            title=title,
            progress=on_progress,
        )
    return Report(Path(path), comparison, explanation, measurements)


def _ladder(comparison: Comparison, on_progress: Progress) -> Ladder | Literal[False]:
    """Return the ladder; features have none, and a loaded comparison may lack what it needs."""
    if comparison.compared.texts is None:
        return False
    try:
        return comparison.ladder(progress=on_progress)
    except MauveError as error:
        warn_caller(f"The report has no section 'Form'. {error}")
        return False


def _default_measures(
    samples: Samples, measures: str | Measure | Sequence[str | Measure] | None
) -> str | Measure | Sequence[str | Measure]:
    if measures is not None:
        return measures
    return FEATURE_MEASURES if samples.texts is None else TEXT_MEASURES


Comparison._write_report = report_comparison
