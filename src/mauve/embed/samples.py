"""Read one sample: texts, features, or a file of either."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mauve.arrays import HashArray, IntArray
from mauve.calls import parameter
from mauve.embed.convert import TEXT_FIELD, as_array, convert
from mauve.embed.feature_files import read_features
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import escaped, listed_as
from mauve.hashes import feature_hashes, text_hashes
from mauve.text.normalize import checked_texts, is_missing
from mauve.text.read import TextFile, read_records, read_texts
from mauve.text.sources import is_text_source

_CHUNK = 1024  # rows read at a time: a mapped file may be larger than memory


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample that was read: texts or features, and what is known about each.

    Attributes
    ----------
    values : list of str, or array of shape (n, d)
    prompts : list of str or None
        The field 'prompt' of the records, if every record has one.
    metadata : dict of str to list
        Other fields of the records, one value for each text.
    unread : tuple of str
        Fields that cannot be metadata.
    has_fields : bool
        Whether the values were taken from a field of records or a column of a table.
    origin : str or None
        The embedder that made a feature file, if the file names it.
    drawn : array of int, or None
        Positions of the texts in the sample that they were drawn from; None for a whole one.
    n_given : int or None
        Number of texts of that sample.
    """

    values: list[str] | NDArray[Any]
    prompts: list[str] | None = None
    metadata: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    unread: tuple[str, ...] = ()
    has_fields: bool = False
    origin: str | None = None
    drawn: IntArray | None = None
    n_given: int | None = None

    @property
    def total(self) -> int:
        """Number of texts of the whole sample."""
        return len(self) if self.n_given is None else self.n_given

    @property
    def is_text(self) -> bool:
        """Whether the sample is text, not features."""
        return isinstance(self.values, list)

    def __len__(self) -> int:
        return len(self.values)

    def hashes(self) -> HashArray:
        """Return a 64-bit hash of every text, or of its features."""
        values = self.values
        return text_hashes(values) if isinstance(values, list) else feature_hashes(values)

    def at(self, rows: IntArray) -> "Sample":
        """Return the part of the sample at some positions.

        Examples
        --------
        >>> Sample(["a", "b", "c"], metadata={"n": [1, 2, 3]}).at(np.array([0, 2])).metadata
        {'n': [1, 3]}
        """
        values = self.values
        return replace(
            self,
            values=[values[row] for row in rows] if isinstance(values, list) else values[rows],
            prompts=None if self.prompts is None else [self.prompts[row] for row in rows],
            metadata={
                name: [column[row] for row in rows] for name, column in self.metadata.items()
            },
            drawn=None if self.drawn is None else self.drawn[rows],
        )


#: A sample as users pass it: features, texts, a table of either, or the path of a file.
SampleLike = ArrayLike | Sequence[str] | Iterable[str] | str | Path | Sample
#: The field that holds the text: in all files and tables, or by the name of the sample.
FieldLike = str | Mapping[str, str]


def read_samples(
    sources: Mapping[str, SampleLike],
    field: FieldLike = TEXT_FIELD,
    *,
    default: str = TEXT_FIELD,
) -> dict[str, Sample]:
    """Read samples; raise if a field is named where there are none.

    Parameters
    ----------
    sources : mapping from name to sample
    field : str, or mapping from name to str
        The field or column that holds the texts.
    default : str
        The field in samples that a mapping does not name.

    Examples
    --------
    >>> records = [{"text": "Hello.", "story": "Once upon a time."}]
    >>> samples = read_samples({"human": records, "model": records}, {"model": "story"})
    >>> samples["human"].values, samples["model"].values
    (['Hello.'], ['Once upon a time.'])
    """
    named = dict(field) if isinstance(field, Mapping) else {}
    default = default if isinstance(field, Mapping) else field
    is_name = all(isinstance(value, str) and value for value in [default, *named.values()])
    if not is_name or not named.keys() <= sources.keys():
        rule = f"the name of a field, or a mapping from {', '.join(map(repr, sources))} to names"
        raise bad_parameter("field", rule, field)
    samples = {
        name: read_source(source, name, named.get(name, default))
        for name, source in sources.items()
    }
    unused = [name for name in named if not samples[name].has_fields]
    if default != TEXT_FIELD and not any(sample.has_fields for sample in samples.values()):
        unused += [name for name in samples if name not in named]
    if unused:
        raise InvalidParameterError(
            f"{parameter('field')} must be left out for samples without fields: "
            "plain lines, lists of strings, features. "
            f"Got '{escaped(named.get(unused[0], default))}' for '{escaped(unused[0])}' instead."
        )
    return samples


def read_source(source: SampleLike, name: str, field: str = TEXT_FIELD) -> Sample:
    """Read a sample with its prompts and metadata, or raise an error that names the remedy.

    Parameters
    ----------
    source : array_like, sequence or iterator of str, table, or path
        Features of shape (n, d); texts; records with a field of text; a table with a column of
        either; a ``.npy``, ``.npy.gz`` or ``.safetensors`` file of features; or a file that
        :func:`mauve.text.read.read_texts` reads. A :class:`Sample` is returned as it is.
    name : str
        Name of the sample in error messages.
    field : str
        Field of records, or column of a table, that holds the text.

    Examples
    --------
    >>> read_source([{"text": "Hello.", "site": "a.org"}], "human").metadata
    {'site': ['a.org']}
    """
    if isinstance(source, Sample):
        return source
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if is_text_source(path):
            return sample_of_file(read_texts(path, field=field))
        array, origin = read_features(Path(path))
        if array.dtype.kind == "U":
            return Sample(_texts(array.tolist(), name))
        return Sample(check_features(array, f"'{escaped(str(path))}'"), origin=origin)
    values, has_fields = convert(source, name, field)
    if isinstance(values, np.ndarray):
        return Sample(check_features(values, f"'{escaped(name)}'"), has_fields=has_fields)
    if any(isinstance(item, Mapping) for item in values):
        return sample_of_file(read_records(values, name, field=field))
    if _is_text(values):
        return Sample(_texts(values, name), has_fields=has_fields)
    return Sample(_features(values, name), has_fields=has_fields)


def read_sample(source: SampleLike, name: str) -> NDArray[Any] | list[str]:
    """Return the texts or the features of a sample.

    Examples
    --------
    >>> read_sample([[0.0, 1.0], [1.0, 0.0]], "human").shape
    (2, 2)
    >>> read_sample(("a text", "another"), "human")
    ['a text', 'another']
    """
    return read_source(source, name).values


def load_features(source: SampleLike, name: str) -> NDArray[Any]:
    """Return the features of a sample; text is rejected.

    Examples
    --------
    >>> load_features([[0.0, 1.0]], "p_features").shape
    (1, 2)
    """
    features = read_sample(source, name)
    if isinstance(features, list):
        raise InvalidParameterError(f"'{name}' must be features of shape (n, d). Got text instead.")
    return features


def sample_of_file(file: TextFile) -> Sample:
    """Return the texts of a file as a sample.

    Examples
    --------
    >>> sample_of_file(TextFile(["one"], ["Once"])).prompts
    ['Once']
    """
    return Sample(file.texts, file.prompts, file.metadata, file.unread, file.has_fields)


def _is_text(items: Sequence[Any]) -> bool:
    """Whether items are meant as texts, also if some or all cannot be."""
    if any(isinstance(item, str | bytes | bytearray | os.PathLike) for item in items):
        return True
    first = items[0] if items else None
    is_nested = isinstance(first, list | tuple) and any(isinstance(part, str) for part in first)
    return is_nested or all(is_missing(item) for item in items)


def _texts(items: list[Any], name: str) -> list[str]:
    paths = [item for item in items[:20] if _is_path(item)]
    if items and len(paths) == len(items[:20]):
        raise InvalidParameterError(
            f"'{escaped(name)}' must hold texts. Got names of files, such as "
            f"'{escaped(str(paths[0]))}', instead: pass one path for a sample, or a mapping from "
            "names to paths for several systems."
        )
    return [str(text) for text in checked_texts(items, name)]


def _is_path(item: Any) -> bool:
    # Not Path.is_file, which raises where a name is too long in bytes.
    is_name = isinstance(item, str) and len(item) < 256 and "\n" not in item
    return isinstance(item, os.PathLike) or (is_name and "\0" not in item and os.path.isfile(item))


def _features(rows: list[Any], name: str) -> NDArray[Any]:
    quoted = f"'{escaped(name)}'"
    missing = [position for position, row in enumerate(rows) if is_missing(row)]
    if missing:
        raise InvalidParameterError(
            f"{quoted} must have features for each text. Got missing values at "
            f"{listed_as('position', missing)} instead: remove them."
        )
    return check_features(as_array(rows, quoted), quoted)


def check_features(features: NDArray[Any], what: str, first_row: int = 0) -> NDArray[Any]:
    """Return `features` if they are finite numbers of shape (n, d), else raise.

    Parameters
    ----------
    features : array
    what : str
        Subject of error messages, such as the quoted name of the sample.
    first_row : int
        Number of the first row in messages, where these are a part of a file.
    """
    if features.dtype.kind not in "fiu":
        raise InvalidParameterError(
            f"{what} must hold real numbers. Got the type {features.dtype} instead."
        )
    if features.ndim != 2:
        raise InvalidParameterError(
            f"{what} must have two dimensions, texts and features. "
            f"Got the shape {features.shape} instead."
        )
    if 0 in features.shape:
        raise InvalidParameterError(
            f"{what} must hold at least one text with at least one feature. "
            f"Got the shape {features.shape} instead."
        )
    for start in range(0, len(features), _CHUNK):
        with np.errstate(over="ignore"):  # an overflow becomes infinite, which is rejected below
            part = features[start : start + _CHUNK].astype(np.float32, copy=False)
        bad = ~np.isfinite(part).all(axis=1)
        if bad.any():
            row = first_row + start + int(np.flatnonzero(bad)[0])
            raise InvalidParameterError(
                f"{what} must hold finite numbers that fit 32 bits. "
                f"Got NaN, infinity or a larger number in row {row} instead."
            )
    return features


def usable_metadata(samples: Mapping[str, Sample]) -> dict[str, dict[str, list[Any]]]:
    """Return the fields that could be read in all samples that have them."""
    unread = {name for sample in samples.values() for name in sample.unread}
    return {
        name: {key: values for key, values in sample.metadata.items() if key not in unread}
        for name, sample in samples.items()
        if sample.has_fields
    }


def common_origin(samples: Sequence[Sample]) -> str | None:
    """Return the embedder that made all feature files, if all of them name it."""
    origins = [sample.origin for sample in samples]
    different = sorted({origin for origin in origins if origin is not None})
    if len(different) > 1:
        raise InvalidParameterError(
            f"{parameter('human', 'systems')} must be features of one embedder. "
            f"Got files made by {' and by '.join(different)} instead: embed all texts alike."
        )
    return None if None in origins else different[0]


def common_width(samples: Mapping[str, Sample]) -> int:
    """Return the number of features, which must be the same for all samples."""
    widths = {name: np.asarray(sample.values).shape[1] for name, sample in samples.items()}
    (human, width), *others = widths.items()
    for name, n_features in others:
        if n_features != width:
            raise InvalidParameterError(
                f"'{name}' must have as many features as '{human}', {width}. "
                f"Got {n_features} instead: embed all texts with one model."
            )
    return int(width)
