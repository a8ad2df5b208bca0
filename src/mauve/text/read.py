"""Read texts from files, logs of evaluation tools, datasets and pipes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.text.fields import Fields, Record
from mauve.text.metadata import MetadataColumns
from mauve.text.recognition import recognised_records
from mauve.text.sources import parse_source, parsed_records


@dataclass(frozen=True)
class TextFile:
    """The texts of one file, in the order of the file.

    Attributes
    ----------
    texts : list of str
    prompts : list of str or None
        The prompt of each text; None unless every record has one.
    ids : list of str or None
        The id of each record; None unless every record has one.
    metadata : dict of str to list
        Every other field whose values are strings of up to 200 characters, ints or bools: one
        value for each text, None where its record has none.
    unread : tuple of str
        Fields that are not read: those with floats, lists or long texts, columns of the same
        name, and fields beyond the first hundred.
    has_fields : bool
        Whether any text was taken from a field of a record.
    """

    texts: list[str]
    prompts: list[str] | None = None
    ids: list[str] | None = None
    metadata: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    unread: tuple[str, ...] = field(default=(), repr=False)
    has_fields: bool = field(default=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.texts)


def read_texts(path: str | Path, *, field: str = "text", prompt_field: str = "prompt") -> TextFile:
    r"""Read all texts of a file, unchanged.

    Parameters
    ----------
    path : str or Path
        ``.txt`` holds one text a line; ``.jsonl`` a JSON object or a JSON string a line;
        ``.json`` a list of either, or an object that holds one; ``.csv`` and ``.tsv`` a
        header and a row a text; ``.parquet`` a row a text (needs the ``parquet`` extra). All
        but the last may be compressed, with ``.gz``, ``.bz2`` or ``.xz`` after the suffix.
        ``-`` is standard input. There and in pipes, a first character ``{`` or ``"`` means
        JSON lines, ``[`` a JSON list, if they are valid, and any other one text a line.

        Logs are recognised by their content: samples of lm-evaluation-harness, logs of inspect_ai
        (``.eval`` needs the ``inspect`` extra), details of lighteval, the output of OpenAI's
        batch API, and conversations. ``hf:NAME`` is a Hugging Face dataset (``datasets`` extra).
        Options stand behind a ``?``: see :func:`mauve.text.sources.parse_source`.
    field, prompt_field : str
        Fields of a JSON object, or columns, that hold text and prompt; ``a.b.0`` for nested
        ones. The field ``id`` holds a string or an int; all other fields are metadata.

    Returns
    -------
    TextFile

    Raises
    ------
    InvalidParameterError
        If the file is missing, empty, damaged or not in UTF-8, or if a line holds no text.
    MissingExtraError
        For a Parquet file if pyarrow is not installed.

    Notes
    -----
    No text is dropped or changed. Blank lines at the end are no texts. Another blank line in a
    ``.txt`` file is refused, since it may be an empty text or no text at all; in the other
    formats a text may be empty. An empty field of a CSV file counts as missing metadata.

    Files other than ``.json`` are read piece by piece, so that only their texts are kept in
    memory. A log with a failed request, or of two runs, is refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "human.jsonl")
    ...     _ = path.write_text('{"text": " and so on.", "prompt": "Once"}\n')
    ...     read_texts(path)
    TextFile(texts=[' and so on.'], prompts=['Once'], ids=None)
    """
    source = parse_source(path)
    fields = Fields(source.name, field, prompt_field)
    return collect_records(parsed_records(source, fields), source.name)


def read_records(
    records: Iterable[str | Mapping[str, Any]], name: str, *, field: str = "text"
) -> TextFile:
    """Take the texts, prompts and metadata out of records in memory, as from a file of them.

    Examples
    --------
    >>> read_records([{"text": "one", "prompt": "Once"}], "human")
    TextFile(texts=['one'], prompts=['Once'], ids=None)
    """
    fields = Fields(f"'{escaped(name)}'", field)
    rows = ((f"Position {i}", record) for i, record in enumerate(records))
    return collect_records(recognised_records(rows, fields), fields.file)


def collect_records(records: Iterator[Record], file: str) -> TextFile:
    """Return the texts of records with all that is known of them; `file` is for messages.

    Examples
    --------
    >>> collect_records(iter([Record("one", "Once")]), "'a.jsonl'")
    TextFile(texts=['one'], prompts=['Once'], ids=None)
    """
    texts: list[str] = []
    prompts: list[str] = []
    ids: list[str] = []
    columns = MetadataColumns()
    has_fields = False
    for row, record in enumerate(records):
        texts.append(record.text)
        prompts += [] if record.prompt is None else [record.prompt]
        ids += [] if record.id is None else [record.id]
        columns.add(row, record.metadata)
        has_fields = has_fields or record.has_fields
    if not texts:
        raise InvalidParameterError(f"{file} holds no texts. It must hold at least one.")
    return TextFile(
        texts,
        prompts if len(prompts) == len(texts) else None,
        ids if len(ids) == len(texts) else None,
        columns.filled(len(texts)),
        tuple(columns.unread),
        has_fields,
    )
