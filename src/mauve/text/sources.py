"""Parse a source, a file or a dataset with options behind it, and read its records."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed, shortened
from mauve.text.fields import Fields, Record
from mauve.text.files import text_kind
from mauve.text.hub_datasets import dataset_rows
from mauve.text.recognition import recognised_records
from mauve.text.records import file_name, file_records

_DATASET = "hf:"
_FILE_OPTIONS = ("field", "prompt", "split", "take", "role")
_DATASET_OPTIONS = (*_FILE_OPTIONS, "config", "revision")
_SPLIT_FIELDS = ("split", "orig_split")  # of RealNews, of the texts that Grover wrote


@dataclass(frozen=True)
class Source:
    """Where records come from.

    Attributes
    ----------
    path : str
        A file, a folder, or the name of a dataset.
    is_dataset : bool
        Whether Hugging Face's library `datasets` reads it.
    options : dict of str to str
        What stands behind the ``?``.
    """

    path: str
    is_dataset: bool = False
    options: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The source as messages name it."""
        return f"'hf:{escaped(self.path)}'" if self.is_dataset else file_name(self.path)


def parse_source(source: str | Path) -> Source:
    """Return the parts of a source that is written as a string.

    Parameters
    ----------
    source : str or Path
        A file, a folder with files of WritingPrompts, or ``hf:NAME`` for a dataset of the hub
        or a folder. Options stand behind it: ``?field=story&take=1000``. A file whose name has
        a question mark is a file.

        - ``field``, ``prompt``: the fields that hold text and prompt, ``text`` and ``prompt``
          by default;
        - ``split``: the part of a dataset; of a file, the records whose field ``split`` (or
          ``orig_split``) has this value;
        - ``take``: how many records to read, from the first on;
        - ``role``: of conversations, whose messages are the texts, ``assistant`` by default;
        - ``config``, ``revision``: of a dataset.

    Examples
    --------
    >>> parse_source("hf:roneneldan/TinyStories?split=validation&take=5000")
    Source(path='roneneldan/TinyStories', is_dataset=True, options={'split': 'validation', \
'take': '5000'})
    """
    text = str(source)
    is_dataset = text.startswith(_DATASET)
    if is_dataset or ("?" in text and not _is_there(text)):
        path, _, query = text.removeprefix(_DATASET).partition("?")
    else:
        path, query = text, ""
    pairs = parse_qsl(query, keep_blank_values=True)
    known = _DATASET_OPTIONS if is_dataset else _FILE_OPTIONS
    options = dict(pairs)
    others = [name for name in options if name not in known]
    got = (
        "no name" if not path
        else f"'{escaped(shortened(others[0]))}'" if others
        else "one twice" if len(pairs) != len(options)
        else "one without a value" if (query and not pairs) or "" in options.values()
        else ""
    )  # fmt: skip
    if got:
        raise InvalidParameterError(
            f"'{escaped(text)}' must be a file or hf:NAME, with a ? and options of {listed(known)} "
            f"behind it. Got {got} instead: write it like SOURCE?field=story&take=1000."
        )
    take = options.get("take", "1")
    if not take.isdecimal() or int(take) < 1:
        raise InvalidParameterError(
            f"The option take in '{escaped(text)}' must be a whole number of at least 1. Got "
            f"'{escaped(take)}' instead."
        )
    return Source(path, is_dataset, options)


def is_text_source(source: str | Path) -> bool:
    """Whether a source holds texts: a dataset, or a file by its suffix; not one of features.

    Examples
    --------
    >>> is_text_source("a.jsonl?role=user"), is_text_source("hf:a/b"), is_text_source("a.npy")
    (True, True, False)
    """
    if text_kind(source) is not None:
        return True
    text = str(source)
    path = text.partition("?")[0]
    return text.startswith(_DATASET) or (path != text and text_kind(path) is not None)


def parsed_records(source: Source, fields: Fields) -> Iterator[Record]:
    """Yield the records of a source that was parsed, one after another.

    Parameters
    ----------
    source : Source
    fields : Fields
        Takes text and prompt out of a record; the options of the source come first.
    """
    options = source.options
    fields = replace(
        fields,
        text=options.get("field", fields.text),
        prompt=options.get("prompt", fields.prompt),
        role=options.get("role", fields.role),
    )
    split = options.get("split")
    records: Iterator[Record]
    if source.is_dataset:
        config, revision = options.get("config"), options.get("revision")
        rows = dataset_rows(source.path, split=split, config=config, revision=revision)
        named = ((f"Row {i}", row) for i, row in enumerate(rows, 1))
        records = recognised_records(named, fields)
    else:
        records = file_records(source.path, fields)
        records = records if split is None else _of_split(records, split, source.name)
    yield from itertools.islice(records, int(options["take"]) if "take" in options else None)


def _of_split(records: Iterator[Record], split: str, name: str) -> Iterator[Record]:
    """Yield the records of one split, or raise if there is none."""
    others: dict[str, None] = {}
    is_found = False
    for record in records:
        values = [record.metadata.get(field) for field in _SPLIT_FIELDS]
        value = next((str(value) for value in values if value is not None), "none")
        if value == split:
            is_found = True
            yield record
        else:
            others[value] = None
    if not is_found:
        raise InvalidParameterError(
            f"{name} must have records whose field 'split' is '{escaped(split)}'. "
            f"Got {listed([*others]) or 'no records'} instead: name another split."
        )


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long, or with a NUL
        return False
