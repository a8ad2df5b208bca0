"""A metric for MLflow's evaluation that runs mauve.compare; needs the mlflow extra."""

from collections.abc import Iterable
from typing import Any

from mauve.comparison.run import compare
from mauve.embed.samples import SampleLike
from mauve.errors import InvalidParameterError, need_packages

_DETAILS = (
    "MAUVE: how far texts of a model are from human texts; 1 where they are equal. Corrected for "
    "the bias of small samples, with a confidence interval."
)


def mauve_metric(human: SampleLike | None = None, **options: Any) -> Any:
    """Return a metric for ``extra_metrics`` of ``mlflow.models.evaluate``.

    Parameters
    ----------
    human : sample, optional
        Human texts, as for :func:`mauve.compare`; by default the targets of the evaluation.
    **options
        As for :func:`mauve.compare`.

    Returns
    -------
    mlflow.models.EvaluationMetric
        Its results are ``mauve/score``, ``mauve/low``, ``mauve/high`` and others: the numbers of
        :meth:`mauve.MauveResult.to_metrics`. Of one text alone, as of the first row that MLflow
        tries metrics on, there are none.

    Examples
    --------
    >>> mauve_metric(["A text."] * 200).name
    'mauve'
    """
    need_packages("mauve_metric", ["mlflow", "pandas"], "mlflow")
    from mlflow.metrics import MetricValue
    from mlflow.models import make_metric

    # MLflow fills parameters by their names, and takes those without a default for columns.
    def evaluate_texts(
        predictions: Iterable[str], targets: Iterable[str] | None = None, metrics: Any = None
    ) -> Any:
        people: Any = targets if human is None else human
        if people is None:
            raise InvalidParameterError(
                "mauve_metric needs human texts: pass them as human=, or as targets of the "
                "evaluation."
            )
        people = [*people] if human is None else people
        predictions = [*predictions]
        if len(predictions) == 1:  # MLflow tries every metric on the first row
            return MetricValue(aggregate_results={})
        comparison = compare(people, {"model": predictions}, progress=False, **options)
        return MetricValue(aggregate_results=comparison["model"].to_metrics())

    return make_metric(  # type: ignore[no-untyped-call]
        eval_fn=evaluate_texts, greater_is_better=True, name="mauve", metric_details=_DETAILS
    )
