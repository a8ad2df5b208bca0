"""Recognise logs of evaluation tools, and conversations, by the fields of their first record."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mauve.errors import InvalidParameterError
from mauve.escape import listed, shortened
from mauve.text.batch_output import batch_records, is_batch_row
from mauve.text.conversations import MESSAGE_LISTS, conversation_records, is_conversation
from mauve.text.fields import Fields, Record, has_value, json_record
from mauve.text.harness_logs import harness_records, is_harness_row
from mauve.text.lighteval_details import details_columns, details_records, is_details_row

#: A value of a file with the place where it stands, such as "Line 3".
Row = tuple[str, Any]


@dataclass(frozen=True)
class LogFormat:
    """A kind of log: how messages name it, its rows, and how their texts are read."""

    name: str
    is_row: Callable[[Mapping[str, Any]], bool]
    records: Callable[[Iterator[tuple[str, Mapping[str, Any]]], Fields], Iterator[Record]]


HARNESS = LogFormat(
    "a sample of lm-evaluation-harness (--log_samples)", is_harness_row, harness_records
)
CONVERSATIONS = LogFormat(
    "a conversation (a list of messages with role and content)",
    is_conversation,
    conversation_records,
)
_OTHERS = (
    LogFormat("an answer of OpenAI's batch API", is_batch_row, batch_records),
    LogFormat("a row of lighteval's details", is_details_row, details_records),
    CONVERSATIONS,
)


def recognised_records(rows: Iterator[Row], fields: Fields) -> Iterator[Record]:
    """Yield the records of rows, which are a log if the first one is a row of one.

    A row that has the field of the text is no log, except of lm-evaluation-harness, whose rows
    are repeated for each filter.

    Examples
    --------
    >>> chat = {"messages": [{"role": "user", "content": "Hi."},
    ...                      {"role": "assistant", "content": "Hello."}]}
    >>> [record] = recognised_records(iter([("Line 1", chat)]), Fields("'a.jsonl'"))
    >>> record.text, record.prompt
    ('Hello.', 'Hi.')
    """
    first = next(rows, None)
    if first is None:
        return
    log = recognise(first[1], fields)
    rows = itertools.chain([first], rows)
    if log is None:
        for where, value in rows:
            yield json_record(value, fields, where)
    else:
        yield from log.records(_checked(rows, fields, log), fields)


def recognise(value: Any, fields: Fields) -> LogFormat | None:
    """Return the kind of log that a row is of; None for a plain record.

    Examples
    --------
    >>> recognise({"text": "one"}, Fields("'a.jsonl'")) is None
    True
    """
    if not fields.reads_logs:
        return None
    if fields.role is not None:
        return CONVERSATIONS
    if not isinstance(value, Mapping):
        return None
    if is_harness_row(value):
        return HARNESS
    if not fields.is_default or has_value(value, fields.text):
        return None
    return next((log for log in _OTHERS if log.is_row(value)), None)


def log_columns(columns: Sequence[str], fields: Fields) -> list[str] | None:
    """Return the columns of a Parquet file to read if its rows may be a log; None otherwise.

    Examples
    --------
    >>> log_columns(["id", "messages"], Fields("'a.parquet'"))
    ['id', 'messages']
    >>> log_columns(["id", "text", "messages"], Fields("'a.parquet'")) is None
    True
    """
    if not fields.reads_logs:
        return None
    if is_harness_row(dict.fromkeys(columns)) or fields.role is not None:
        return [*columns]
    if not fields.is_default or fields.text in columns:
        return None
    return details_columns(columns) if {*MESSAGE_LISTS}.isdisjoint(columns) else [*columns]


def _checked(
    rows: Iterator[Row], fields: Fields, log: LogFormat
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for where, value in rows:
        if not isinstance(value, Mapping) or not log.is_row(value):
            names = [shortened(str(name)) for name in value] if isinstance(value, Mapping) else []
            got = f"the fields {listed(names)}" if names else "no fields"
            raise InvalidParameterError(
                f"{where} of {fields.file} must be {log.name}. Got {got} instead: pass a file of "
                "one kind, as the tool wrote it."
            )
        yield where, value
