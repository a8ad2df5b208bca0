"""Write a report of samples: scores, measures and explanation in one HTML file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mauve.comparison.comparison import Comparison
from mauve.comparison.run import compare
from mauve.embed.load import SystemsLike
from mauve.embed.protocol import Progress
from mauve.embed.samples import SampleLike
from mauve.explanation.metadata import Metadata
from mauve.explanation.results import Explanation
from mauve.explanation.run import explain
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import RememberedScorer, get_scorer
from mauve.measures.protocol import Measure
from mauve.measures.results import Measurements
from mauve.measures.run import measure_samples

#: Measures of a report unless others are asked for: those that are quick.
TEXT_MEASURES = "zipf,repetition,distinct-4,self-bleu,frechet"
FEATURE_MEASURES = "frechet"


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
    human: SampleLike,
    systems: SystemsLike,
    path: str | Path,
    *,
    title: str | None = None,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    metadata: Metadata | None = None,
    language_model: str | TokenScorer | None = None,
    on_progress: Progress | None = None,
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
    metadata, language_model
        As for :func:`mauve.explain`. The language model also computes the perplexity, if
        `measures` asks for it.
    on_progress : callable, optional
        Called with the name of the step, the number of steps done and their total.
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

    check_report(path)  # before the work
    comparison = compare(human, systems, on_progress=on_progress, **options)
    return report_comparison(
        comparison,
        path,
        title=title,
        measures=measures,
        metadata=metadata,
        language_model=language_model,
        device=options.get("device", "auto"),
        on_progress=on_progress,
    )


def report_comparison(
    comparison: Comparison,
    path: str | Path,
    *,
    title: str | None = None,
    explanation: Explanation | None = None,
    measurements: Measurements | None = None,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    metadata: Metadata | None = None,
    language_model: str | TokenScorer | None = None,
    device: str = "auto",
    on_progress: Progress | None = None,
) -> Report:
    """Write the report of a comparison; :meth:`mauve.Comparison.to_html` calls it.

    Parameters
    ----------
    comparison : Comparison
    path, title, measures, metadata, language_model, on_progress
        As for :func:`report`.
    explanation : Explanation, optional
        Result of :func:`mauve.explain` for this comparison; computed if left out.
    measurements : Measurements, optional
        Result of :func:`mauve.measure` for the same samples; computed if left out.
    device : str
        Device of the language model.
    """
    from mauve.reports.page import check_report, write_report

    check_report(path)
    scorer = None
    if language_model is not None:  # explanation and measures share its log-probabilities
        scorer = RememberedScorer(get_scorer(language_model, device=device))
    if explanation is None:
        explanation = explain(
            comparison,
            metadata=metadata,
            language_model=scorer,
            seed=comparison.compared.settings.seed,
            on_progress=on_progress,
        )
    if measurements is None:
        samples = comparison.compared.samples
        default = FEATURE_MEASURES if samples.texts is None else TEXT_MEASURES
        measurements = measure_samples(
            samples,
            default if measures is None else measures,
            language_model=scorer or "bundled",
            comparison=comparison,
            confidence=comparison.compared.settings.confidence,
            seed=comparison.compared.settings.seed,
            device=device,
            on_progress=on_progress,
        )
    write_report(comparison, path, explanation=explanation, measurements=measurements, title=title)
    return Report(Path(path), comparison, explanation, measurements)


Comparison.write_report = report_comparison
