"""Register measures of one's own."""

from collections.abc import Callable, Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from mauve.errors import InvalidParameterError, check_choice
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.protocol import DIRECTIONS, Direction, Measure, MeasuredSample, needed
from mauve.measures.registry import OWN_MEASURES

#: Computes one number for each text.
TextFunction = Callable[[Sequence[str]], ArrayLike]


@overload
def register_measure(measure: Measure) -> Measure: ...


@overload
def register_measure(
    measure: str,
    *,
    summary: str = ...,
    title: str | None = ...,
    direction: Direction = ...,
    low: float = ...,
    high: float = ...,
) -> Callable[[TextFunction], Measure]: ...


def register_measure(
    measure: str | Measure,
    *,
    summary: str = "",
    title: str | None = None,
    direction: Direction = "human",
    low: float = -np.inf,
    high: float = np.inf,
) -> "Measure | Callable[[TextFunction], Measure]":
    """Register a measure under its name, for :func:`mauve.measure`.

    With a name it decorates a function from a list of texts to one number for each: the measure
    is the mean over the texts, with an interval, for every system and for human text. Any other
    measure is built as a :class:`mauve.Measure` and passed as it is.

    Parameters
    ----------
    measure : str or Measure
        The name, of lower-case letters and digits; or the whole measure.
    summary : str
        Description in a few words, for ``mauve measure --list``.
    title : str, optional
        Title of the column; by default the name.
    direction : {"higher", "lower", "human"}
        Which values are good; "human" for those near the value of human text.
    low, high : float
        The smallest and the largest possible value.

    Returns
    -------
    Measure
        Which can also be passed to :func:`mauve.measure`; or the decorator that returns it.

    Examples
    --------
    >>> import mauve
    >>> @mauve.register_measure("exclamations", summary="exclamation marks of a text", low=0)
    ... def exclamations(texts):
    ...     return [text.count("!") for text in texts]
    >>> human, model = ["It rained."] * 10, ["It rained!!"] * 10
    >>> mauve.measure(human, model, "exclamations")["model"]["exclamations"].value
    2.0
    """
    if isinstance(measure, Measure):
        OWN_MEASURES.register(measure.name, measure, measure.estimate)
        return measure
    name = measure
    OWN_MEASURES.check_name(name)
    check_choice("direction", direction, DIRECTIONS)

    def decorate(function: TextFunction) -> Measure:
        def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
            texts = needed(sample.texts, "texts")
            return _mean(function(texts), name, sample)

        made = Measure(
            name=name,
            title=name if title is None else title,
            summary=summary,
            direction=direction,
            needs=frozenset({"texts"}),
            estimate=estimate,
            is_statistic=True,
            low=low,
            high=high,
        )
        OWN_MEASURES.register(name, made, function)
        return made

    return decorate


def _mean(values: ArrayLike, name: str, sample: MeasuredSample) -> Estimate:
    """Return the mean over texts, of a value for each."""
    n = len(sample.groups.labels)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"The measure '{name}' must return a number for each text of '{sample.name}' ({error})."
        ) from error
    if numbers.shape != (n,) or not np.isfinite(numbers).all():
        shape = f"the shape {numbers.shape}" if numbers.shape != (n,) else "NaN or infinity"
        raise InvalidParameterError(
            f"The measure '{name}' must return a finite number for each of the {n} texts of "
            f"'{sample.name}'. Got {shape} instead."
        )
    return ratio(numbers, np.ones(n), sample.groups)
