"""What a property of texts is: a value for each text, and how to speak of it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mauve.arrays import FloatArray
from mauve.text.view import TextView

_MOST_DIGITS = 3
_SIGNIFICANT = 2  # digits of the smaller of two numbers


@dataclass(frozen=True)
class TextProperty:
    """A property that every text has or lacks, or that a number measures.

    Attributes
    ----------
    key : str
        Its name in JSON.
    value : callable
        Takes a :class:`~mauve.text.view.TextView`; returns a bool or number, or NaN if the
        property is not defined for the text.
    more : str
        What a text has: "blank lines". Of a number, what a higher one means: "longer sentences".
    less : str
        Of a number, what a lower one means; empty for what a text has or lacks.
    unit : str
        Of a number, with a place for it: "{} words per sentence".
    verb : str
        Before `more` in sentences about texts that have it: "have", "begin with".
    step : str or None
        The step of normalisation that removes a difference.
    is_form : bool
        Whether it is about form rather than style or content.
    is_count : bool
        Whether the number is a whole one, so that many texts may have exactly the same.
    """

    key: str
    value: Callable[[TextView], float] = field(repr=False)
    more: str
    less: str = ""
    unit: str = ""
    verb: str = "have"
    step: str | None = None
    is_form: bool = False
    is_count: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is measured by a number."""
        return bool(self.unit)

    def of(self, views: Sequence[TextView]) -> FloatArray:
        """Return the value of each text, shape (n,)."""
        return np.array([self.value(view) for view in views], dtype=np.float64)


def format_pair(first: float, second: float) -> tuple[str, str]:
    """Return two numbers with as many decimals as tell them apart.

    Examples
    --------
    >>> format_pair(151.2, 98.4), format_pair(0.14, 1.3), format_pair(2.0, 2.001)
    (('151', '98'), ('0.14', '1.30'), ('2.000', '2.001'))
    """
    smaller = min(abs(first), abs(second)) or max(abs(first), abs(second))
    digits = 0
    if smaller > 0:
        digits = max(0, _SIGNIFICANT - 1 - math.floor(math.log10(smaller)))
    digits = min(digits, _MOST_DIGITS)
    if first != second:
        while digits < _MOST_DIGITS and f"{first:.{digits}f}" == f"{second:.{digits}f}":
            digits += 1
    return f"{first:,.{digits}f}", f"{second:,.{digits}f}"
