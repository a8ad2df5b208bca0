"""Read the records of a source: a file, Hugging Face's datasets, WritingPrompts, or a list."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from mauve.calls import parameter
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import escaped, listed
from mauve.generation.hub_datasets import dataset_rows
from mauve.generation.writing_prompts import is_writing_prompts, story_records
from mauve.text.fields import Fields, Record
from mauve.text.formats import json_record
from mauve.text.read import file_name, file_records

#: Texts or records in memory, or what :func:`parse_source` reads.
SourceLike = str | Path | Iterable[str | Mapping[str, Any]]

_DATASET = "hf:"
_FILE_OPTIONS = ("field", "prompt", "split", "take")
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
    wrong = [name for name in options if name not in known or not options[name]]
    if wrong or len(pairs) != len(options) or (query and not pairs) or not path:
        rule = f"a source, with options of {listed(known)} behind it (SOURCE?split=test&take=1000)"
        raise bad_parameter("source", rule, text)
    take = options.get("take", "1")
    if not take.isdecimal() or int(take) < 1:
        raise bad_parameter("source", "a source with an int of at least 1 as take=", text)
    return Source(path, is_dataset, options)


def source_records(source: SourceLike, make_fields: type[Fields] = Fields) -> Iterator[Record]:
    """Yield the records of a source, one after another.

    Parameters
    ----------
    source : str, Path, or iterable of str or mapping
        See :func:`parse_source`.
    make_fields : type
        Takes text and prompt out of a record.

    Examples
    --------
    >>> [record.text for record in source_records(["one", {"text": "two"}])]
    ['one', 'two']
    """
    if not isinstance(source, str | Path):
        if isinstance(source, Mapping | bytes) or not isinstance(source, Iterable):
            rule = "a file, hf:NAME, or a list of texts or records"
            raise bad_parameter("source", rule, type(source).__name__)
        fields = make_fields(parameter("source"))
        yield from (json_record(row, fields, f"Position {i}") for i, row in enumerate(source))
        return
    parsed = parse_source(source)
    options = parsed.options
    names = {"text": options.get("field", "text"), "prompt": options.get("prompt", "prompt")}
    fields = make_fields(parsed.name, **names)
    split = options.get("split")
    records: Iterator[Record]
    if parsed.is_dataset:
        rows = dataset_rows(
            parsed.path,
            split=split,
            config=options.get("config"),
            revision=options.get("revision"),
        )
        records = (json_record(row, fields, f"Row {i}") for i, row in enumerate(rows, 1))
    elif is_writing_prompts(parsed.path):
        records = story_records(parsed.path, split)
    else:
        records = file_records(parsed.path, fields)
        records = records if split is None else _of_split(records, split, parsed.name)
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
