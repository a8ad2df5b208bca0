"""Check the metadata of texts, and select the fields that can describe clusters."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from mauve.arrays import IntegerArray
from mauve.calls import parameter
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed

#: Name of a sample to field to one value for each text; None where a text has none.
Metadata = Mapping[str, Mapping[str, Sequence[Any]]]

_ENOUGH = 20  # texts: if no two of these have the same value, the field is an identifier


def check_metadata(
    metadata: Metadata, sizes: Mapping[str, int]
) -> tuple[dict[str, list[str | None]], dict[str, str]]:
    """Return the fields that can describe clusters, and why the others cannot.

    Parameters
    ----------
    metadata : mapping of str to mapping of str to sequence
        Name of a sample to field to one value for each text: a string, an int or a bool; None,
        or NaN as in a data frame, where a text has none. Samples and fields may be missing.
    sizes : mapping of str to int
        Texts of each sample, in their order.

    Returns
    -------
    fields : dict of str to list of str or None
        The values of all texts, sample after sample.
    left_out : dict of str to str
        Reason for each field that is not among them.

    Raises
    ------
    InvalidParameterError
        For a name that is not that of a sample, and for more or fewer values than texts.

    Examples
    --------
    >>> human = {"site": ["a.org", "b.org", "b.org", "a.org"], "key": [1, 2, 3, 4]}
    >>> fields, left_out = check_metadata({"human": human}, {"human": 4, "model": 2})
    >>> fields
    {'site': ['a.org', 'b.org', 'b.org', 'a.org', None, None]}
    >>> left_out
    {'key': 'nearly every text has a value of its own (4 values, 4 texts)'}
    """
    if not isinstance(metadata, Mapping):
        raise _bad("a dict of sample names to fields", type(metadata).__name__)
    unknown = [name for name in metadata if name not in sizes]
    if unknown:
        raise _bad(f"about the samples {listed(list(sizes))}", listed(unknown))
    for name, sample in metadata.items():
        _check_sample(name, sample, sizes[name])
    fields: dict[str, list[str | None]] = {}
    left_out: dict[str, str] = {}
    for field in dict.fromkeys(field for sample in metadata.values() for field in sample):
        values: list[Any] = []
        for name, size in sizes.items():
            values.extend(metadata.get(name, {}).get(field, [None] * size))
        strings = [_as_string(value) for value in values]
        reason = _why_left_out(strings, sizes)
        if reason:
            left_out[field] = reason
        else:
            fields[field] = [text for text in strings if text is None or isinstance(text, str)]
    return fields, left_out


def _check_sample(name: str, sample: Any, size: int) -> None:
    if not isinstance(sample, Mapping):
        raise _bad(f"a dict of fields for '{escaped(name)}'", type(sample).__name__)
    for field, values in sample.items():
        which = f"'{escaped(str(field))}' of '{escaped(name)}'"
        if not isinstance(field, str):
            raise _bad(f"named by strings in '{escaped(name)}'", escaped(repr(field)))
        if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
            raise _bad(f"a list of values for {which}", type(values).__name__)
        if len(values) != size:
            raise _bad(
                f"a list of {size} values for {which}, one for each text", f"{len(values)} values"
            )


def _bad(rule: str, got: str) -> InvalidParameterError:
    return InvalidParameterError(f"{parameter('metadata')} must be {rule}. Got {got} instead.")


def _as_string(value: Any) -> str | type | None:
    """Return a value as a string, or its type where it cannot be the value of a field."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, str | bool | np.bool_ | Integral):
        return str(value)
    return type(value)


def _why_left_out(values: Sequence[str | type | None], sizes: Mapping[str, int]) -> str | None:
    """Return why a field cannot describe clusters, or None."""
    wrong_types = sorted({value.__name__ for value in values if isinstance(value, type)})
    if wrong_types:
        return f"values must be strings, ints or bools, and some are of type {listed(wrong_types)}"
    ends = np.cumsum([0, *sizes.values()])
    distinct = [{*values[a:b]} - {None} for a, b in pairwise(ends)]
    n_values = len(set().union(*distinct))
    n_texts = sum(value is not None for value in values)
    if n_values < 2:
        return "all texts have the same value" if n_values else "no text has a value"
    if 2 * n_values > n_texts:
        return f"nearly every text has a value of its own ({n_values} values, {n_texts} texts)"
    counts = [sum(value is not None for value in values[a:b]) for a, b in pairwise(ends)]
    if n_texts >= _ENOUGH and [len(sample) for sample in distinct] == counts:
        return "no two texts of a sample have the same value"
    if all(len(sample) < 2 for sample in distinct):
        return "it adds nothing to the name of the sample: each sample has one value"
    return None


def once_per_prompt(values: Sequence[str | None], prompts: IntegerArray | None) -> list[str | None]:
    """Return the values with the first text of each prompt alone; the others have None.

    Texts of one prompt often share their topic or site. They are not independent, so that
    counting all of them would overstate how well clusters agree with a field.

    Parameters
    ----------
    values : sequence of str or None, length n
    prompts : array of int, shape (n,), or None
        Equal for texts of one prompt; None where there are none.

    Examples
    --------
    >>> once_per_prompt(["a", "b", "a", None], np.array([0, 1, 0, 1]))
    ['a', 'b', None, None]
    """
    if prompts is None:
        return list(values)
    has_value = np.array([value is not None for value in values], dtype=bool)
    rows = np.flatnonzero(has_value)
    first = set(rows[np.unique(prompts[rows], return_index=True)[1]].tolist())
    return [value if i in first else None for i, value in enumerate(values)]
