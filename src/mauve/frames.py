"""Make pandas data frames; needs the ``pandas`` extra."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mauve.errors import need_packages

if TYPE_CHECKING:
    import pandas as pd


def make_frame(rows: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return a data frame of rows by column; what is None in a column of numbers is NaN.

    Examples
    --------
    >>> make_frame([{"system": "a", "p_value": None}, {"system": "b", "p_value": 0.5}]).dtypes[1:]
    p_value    float64
    dtype: object
    """
    need_packages("A data frame", ["pandas"], "pandas")
    import pandas as pd

    frame = pd.DataFrame.from_records([*map(dict, rows)])
    # A column without any number would be of type object.
    empty = [column for column in frame if frame[column].isna().all()]
    return frame.astype(dict.fromkeys(empty, "float64"))
