"""Read the records of a source: a file, Hugging Face's datasets, WritingPrompts, or a list."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mauve.calls import parameter
from mauve.errors import bad_parameter
from mauve.generation.writing_prompts import is_writing_prompts, story_records
from mauve.text.fields import Fields, Record, json_record
from mauve.text.sources import parse_source, parsed_records

#: Texts or records in memory, or what :func:`mauve.text.sources.parse_source` reads.
SourceLike = str | Path | Iterable[str | Mapping[str, Any]]


def source_records(source: SourceLike, make_fields: type[Fields] = Fields) -> Iterator[Record]:
    """Yield the records of a source, one after another.

    Parameters
    ----------
    source : str, Path, or iterable of str or mapping
        See :func:`mauve.text.sources.parse_source`.
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
    if parsed.is_dataset or not is_writing_prompts(parsed.path):
        yield from parsed_records(parsed, make_fields(parsed.name))
        return
    take = parsed.options.get("take")
    stories = story_records(parsed.path, parsed.options.get("split"))
    yield from itertools.islice(stories, None if take is None else int(take))
