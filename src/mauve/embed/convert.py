"""Turn columns, tables, tensors and iterators of any package into lists and arrays.

None of those packages is imported: what they pass is recognised by its methods.
"""

import io
from collections.abc import ItemsView, Iterable, KeysView, Mapping, Sequence, Set
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed_as
from mauve.text.fields import TEXT_FIELD as TEXT_FIELD
from mauve.text.fields import Fields, field_names, head_of


class Converted(NamedTuple):
    """The items of a sample, or its numbers, and whether they come from a named column."""

    values: list[Any] | NDArray[Any]
    has_fields: bool = False


def convert(source: Any, name: str, field: str = TEXT_FIELD) -> Converted:
    """Return a sample in memory as a list of items or as an array of numbers.

    Parameters
    ----------
    source : object
        A sequence, an iterator, an array, tensor or column, or a table (a pandas or polars
        DataFrame, a pyarrow Table, a Hugging Face Dataset).
    name : str
        Name of the sample in error messages.
    field : str
        Column of a table that holds the texts or the features.

    Raises
    ------
    InvalidParameterError
        For what has no order, is no sample, or has masked values.

    Examples
    --------
    >>> convert((text for text in ("one", "two")), "human").values
    ['one', 'two']
    >>> convert(np.eye(2), "human").values.shape
    (2, 2)
    """
    quoted = f"'{escaped(name)}'"
    if reason := _why_refused(source):
        raise InvalidParameterError(f"{quoted} must be texts, features or a path. Got {reason}.")
    if isinstance(source, np.ndarray):
        return Converted(_of_array(source, quoted))
    if _is_tensor(source):
        return Converted(_of_tensor(source, quoted))
    labels = _labels(source)
    if labels is not None and hasattr(source, "__len__"):
        return _of_table(source, labels, name, field)
    if type(source).__module__.startswith("datasets.") and isinstance(source, Sequence):
        return convert(source[:], name, field)  # a lazy column, which is slow text by text
    for method in ("to_pylist", "to_list"):  # columns of pyarrow; of pandas and polars
        if hasattr(source, method):
            return Converted(getattr(source, method)())
    if isinstance(source, list | tuple):
        items = [*source]
    elif hasattr(source, "__array__"):
        return Converted(_of_array(as_array(source, quoted), quoted))
    elif isinstance(source, Iterable):
        items = [*source]
    else:
        return Converted(as_array(source, quoted))
    if items and _is_tensor(items[0]):
        items = [_of_tensor(item, quoted) if _is_tensor(item) else item for item in items]
    return Converted(items)


def _why_refused(source: Any) -> str | None:
    """Return what a source is and the remedy, if it cannot be a sample."""
    kind = type(source).__name__
    if source is None:
        return "None instead"
    if isinstance(source, bytes | bytearray):
        return f"{kind} instead: decode it, and pass a list of strings or the path of a file"
    if isinstance(source, ItemsView):
        return f"{kind} instead: pass the values() alone"
    if isinstance(source, Number):
        return f"{kind} instead"
    if isinstance(source, Set) and not isinstance(source, KeysView):
        return (
            f"a {kind} instead, which has no order, so that prompts and metadata could not be "
            "matched: pass a list"
        )
    if isinstance(source, Mapping):
        return (
            f"a {kind} of {listed_as('name', [*source]) if source else 'nothing'} instead: pass "
            "one of its values; only 'systems' takes several samples by name"
        )
    if isinstance(source, io.IOBase):
        return "an open file instead: pass its path"
    if isinstance(source, np.ndarray) and source.ndim == 0 and source.dtype.kind in "STU":
        return "a single string instead: pass a list"
    if hasattr(source, "toarray"):
        return f"a sparse {kind} instead: pass its toarray()"
    if kind == "LazyFrame":
        return "a LazyFrame instead: collect() it first"
    return None


def _of_array(array: NDArray[Any], quoted: str) -> list[Any] | NDArray[Any]:
    if isinstance(array, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(array)
        if masked.any():
            rows = sorted({int(row) for row in np.nonzero(np.atleast_1d(masked))[0]})
            raise InvalidParameterError(
                f"{quoted} must have a value everywhere. Got masked values in "
                f"{listed_as('row', rows)} instead: fill or remove them."
            )
        array = np.asarray(array.data)
    if array.dtype.kind in "OSTU" and array.ndim:  # T: StringDType of NumPy 2
        items: list[Any] = array.tolist()
        return items
    return array


def _is_tensor(source: Any) -> bool:
    module = type(source).__module__.partition(".")[0]
    return module == "torch" and all(hasattr(source, name) for name in ("detach", "cpu", "float"))


def _of_tensor(tensor: Any, quoted: str) -> NDArray[Any]:
    """Return a torch tensor as an array, from any device and without its gradient."""
    if str(tensor.device) == "meta":
        raise InvalidParameterError(f"{quoted} must hold numbers. Got a tensor without data.")
    tensor = tensor.detach().cpu()
    if str(tensor.dtype) == "torch.bfloat16":  # which NumPy lacks; float32 holds it exactly
        tensor = tensor.float()
    return as_array(tensor, quoted)


def as_array(source: Any, quoted: str) -> NDArray[Any]:
    """Return what NumPy makes of a sample, or raise an error that begins with its name.

    Examples
    --------
    >>> as_array([[1.0, 2.0]], "'human'").shape
    (1, 2)
    """
    try:
        return np.asarray(source)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InvalidParameterError(
            f"{quoted} must be features of shape (n, d), texts, or a path. "
            f"Got a value that NumPy cannot convert to an array instead ({error})."
        ) from error


def _labels(source: Any) -> list[Any] | None:
    """Return the names of the columns of a table, of any type; None for anything else."""
    if not hasattr(source, "__getitem__") or isinstance(source, list | tuple):
        return None
    labels = getattr(source, "column_names", None)  # of pyarrow and datasets
    if labels is None:
        labels = getattr(source, "columns", None)  # of pandas and polars
    if isinstance(labels, Iterable) and not isinstance(labels, str):
        return [*labels]
    return None


def _of_table(source: Any, labels: list[Any], name: str, field: str) -> Converted:
    columns = {str(label): label for label in labels}
    head = head_of(field, columns)
    if head not in columns and field == TEXT_FIELD and hasattr(source, "to_numpy"):
        array = np.asarray(source.to_numpy())
        if array.dtype.kind in "fiu":
            return Converted(array)
    fields = Fields(f"'{escaped(name)}'", field)
    fields.check_columns([*map(str, labels)], _nested_names(source))
    items = convert(source[columns[head]], name, field).values
    if head != field:  # nested in the column
        return Converted([{head: item} for item in items], True)
    return Converted(items, True)


def _nested_names(source: Any) -> list[str]:
    """Return the fields in the first row of a table, nested ones too, for messages."""
    if not len(source):
        return []
    if hasattr(source, "to_pylist"):  # pyarrow
        row = source.slice(0, 1).to_pylist()[0]
    elif hasattr(source, "to_dicts"):  # polars
        row = source.head(1).to_dicts()[0]
    elif hasattr(source, "iloc"):  # pandas
        row = dict(zip(map(str, source.columns), source.iloc[0].to_list(), strict=True))
    else:  # datasets
        row = source[0]
    return [*field_names(row)] if isinstance(row, Mapping) else []
