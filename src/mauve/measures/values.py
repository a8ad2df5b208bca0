"""Compute the selected measures of all samples, and note which values are undefined."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from mauve.errors import UndefinedError
from mauve.escape import listed
from mauve.measures.estimate import Estimate
from mauve.measures.intervals import Measured, measured
from mauve.measures.protocol import Measure, MeasuredSample
from mauve.progress import Progress


class UndefinedValues:
    """Values that are not defined, and why: one degenerate sample must not end a run.

    Examples
    --------
    >>> undefined = UndefinedValues()
    >>> for name in ("small", "large"):
    ...     with undefined.noted("zipf", name):
    ...         raise UndefinedError("Human text must have two different tokens.")
    >>> undefined.warnings()
    ("zipf of 'small', 'large' is undefined (--). Human text must have two different tokens.",)
    """

    def __init__(self) -> None:
        self._samples: dict[tuple[str, str], list[str]] = {}  # by reason and measure

    @contextmanager
    def noted(self, measures: str | Sequence[str], *samples: str) -> Iterator[None]:
        """Note measures of some samples as undefined if the block raises UndefinedError."""
        try:
            yield
        except UndefinedError as error:
            for measure in [measures] if isinstance(measures, str) else measures:
                self._samples.setdefault((str(error), measure), []).extend(samples)

    def warnings(self) -> tuple[str, ...]:
        """Return a sentence for each reason, with the measures and samples it applies to."""
        measures: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (reason, measure), noted in self._samples.items():
            measures.setdefault((reason, tuple(noted)), []).append(measure)
        messages = []
        for (reason, samples), names in measures.items():
            quoted = listed([f"'{sample}'" for sample in samples])
            verb = "is" if len(names) == 1 else "are"
            messages.append(f"{listed(names)} of {quoted} {verb} undefined (--). {reason}")
        return tuple(messages)


def estimate_all(
    measures: Sequence[Measure],
    human: MeasuredSample,
    systems: Mapping[str, MeasuredSample],
    confidence: float,
    undefined: UndefinedValues,
    on_progress: Progress | None = None,
) -> dict[str, dict[str, Measured]]:
    """Return the value of each measure for human text, which comes first, and each system.

    Parameters
    ----------
    measures : sequence of Measure
    human : MeasuredSample
    systems : mapping from name to MeasuredSample
    confidence : float
        Level of the intervals.
    undefined : UndefinedValues
        Takes the values that are left out because they are not defined. Where that of human text
        is not, a system has its value without a gap.
    on_progress : callable, optional

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> from mauve.measures.protocol import TokenTable
    >>> from mauve.measures.zipf import ZIPF
    >>> groups, undefined = Groups(np.arange(3), 3), UndefinedValues()
    >>> human, model = (
    ...     MeasuredSample(name, groups, tokens=TokenTable.of([row] * 3, 2))
    ...     for name, row in (("human", [0, 0, 1]), ("model", [0, 0, 0]))
    ... )
    >>> values = estimate_all([ZIPF], human, {"model": model}, 0.95, undefined)
    >>> round(values["human"]["zipf"].value, 6), values["model"]
    (1.0, {})
    """
    values: dict[str, dict[str, Measured]] = {name: {} for name in [human.name, *systems]}
    computed = [measure for measure in measures if measure.estimate is not None]
    show_progress = on_progress or (lambda *_: None)
    for n_done, measure in enumerate(computed):
        show_progress(f"measuring {measure.name}", n_done, len(computed))
        of_human = None
        if measure.is_statistic:
            with undefined.noted(measure.name, human.name):
                of_human = _estimate(measure, human, human)
                values[human.name][measure.name] = measured(
                    of_human, None, measure, confidence, human.groups, human.groups
                )
        for system in systems.values():
            if any(getattr(system, need) is None for need in measure.needs):
                continue  # a model without texts, or texts without a model
            with undefined.noted(measure.name, system.name):
                values[system.name][measure.name] = measured(
                    _estimate(measure, system, human),
                    of_human,
                    measure,
                    confidence,
                    system.groups,
                    human.groups,
                )
    show_progress("measuring", len(computed), len(computed))
    return values


def _estimate(measure: Measure, sample: MeasuredSample, human: MeasuredSample) -> Estimate:
    """Return the estimate of a measure, or raise if it is no number or has no standard error."""
    if measure.estimate is None:
        raise UndefinedError(f"'{measure.name}' has no estimate of its own.")
    try:
        estimate = measure.estimate(sample, human)
    except np.linalg.LinAlgError as error:
        raise UndefinedError(f"The computation failed ({error}).") from error
    if np.isnan(estimate.value):
        raise UndefinedError("The result is not a number.")
    if np.isfinite(estimate.value) and not np.isfinite(estimate.standard_error):
        raise UndefinedError("The standard error is not a number.")
    return estimate
