"""Tasks of text completion: prompts, and how the people who wrote the texts went on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mauve.calls import option, parameter
from mauve.errors import (
    InvalidParameterError,
    bad_parameter,
    check_bool,
    check_int,
    warn_caller,
)
from mauve.generation.examples import COPIES, MALFORMED, TOO_SHORT, DrawnExamples, Example
from mauve.generation.news import NewsFields
from mauve.generation.prompt_filter import is_well_formed
from mauve.generation.sources import SourceLike, source_records
from mauve.generation.splitting import (
    Split,
    TokenizerLike,
    checked_tokenizer,
    cut_text,
    split_text,
)
from mauve.hashes import scramble_hashes, text_hashes
from mauve.lm.text_tokenizer import TextTokenizer
from mauve.text.fields import Fields, Record
from mauve.text.metadata import is_metadata


@dataclass(frozen=True)
class Task:
    """How texts are made into prompts, and how long their continuations are.

    Attributes
    ----------
    name : str
    prompt_tokens : int or None
        Tokens of the text that are its prompt; None for the prompt that its record has.
    max_tokens : int
        Most tokens of a continuation, the model's and the human one.
    separator : str
        What stands between the prompt of a record and its text, where both are one text that is
        split after `prompt_tokens`.
    fields : type
        Takes text and prompt out of a record.
    keeps_prompts : bool
        Whether the prompts of records are kept unless `prompt_tokens` is passed.

    Examples
    --------
    >>> TASKS["webtext"].prompt_tokens, TASKS["webtext"].max_tokens
    (35, 989)
    """

    name: str
    prompt_tokens: int | None
    max_tokens: int
    separator: str = ""
    fields: type[Fields] = Fields
    keeps_prompts: bool = False

    def __post_init__(self) -> None:
        if self.prompt_tokens is not None:
            check_int("prompt_tokens", self.prompt_tokens, 0)
        check_int("max_tokens", self.max_tokens, 1)


#: The tasks of the paper (section 4 and appendix C.1), and texts of one's own. Web texts have
#: 1,024 tokens and stories 512 with their prompts, as P and Q of the paper have prompts; so the
#: longest text fits the context of GPT-2.
TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("webtext", 35, 1024 - 35),
        Task("news", None, 1024, fields=NewsFields),
        Task("stories", 50, 512 - 50, separator="\n\n"),
        Task("text", 35, 256, keeps_prompts=True),
    )
}


def get_task(task: str | Task) -> Task:
    """Return the task with a name, or a task as it is.

    Examples
    --------
    >>> get_task("stories").max_tokens
    462
    """
    if isinstance(task, Task):
        return task
    if not isinstance(task, str) or task not in TASKS:
        raise bad_parameter("task", f"one of {', '.join(map(repr, TASKS))}, or a Task", task)
    return TASKS[task]


def read_examples(
    task: str | Task,
    source: SourceLike,
    *,
    tokenizer: TokenizerLike,
    n: int | None = None,
    seed: int = 0,
    prompt_tokens: int | None = None,
    max_tokens: int | None = None,
    min_tokens: int | None = None,
    well_formed: bool = False,
) -> DrawnExamples:
    """Read texts, draw some at random, and split each into its prompt and the human continuation.

    Parameters
    ----------
    task : str or Task
        "webtext", "news", "stories", or "text" for texts of any kind.
    source : str, Path, or iterable of str or mapping
        A file, ``hf:NAME?split=test``, or texts; see
        :func:`mauve.text.sources.parse_source`.
    tokenizer : object with encode and decode, str, or tuple of the two functions
        Such as the writer that is to continue the prompts, or the name of a tokenizer; see
        :func:`mauve.lm.text_tokenizer.get_text_tokenizer`.
    n : int, optional
        Number of examples; by default all.
    seed : int
        Random seed of the draw.
    prompt_tokens, max_tokens : int, optional
        By default those of the task.
    min_tokens : int, optional
        Fewest tokens of a continuation, 1 by default; shorter texts are left out.
    well_formed : bool
        Whether to leave out prompts that are no well-formed English; see
        :func:`mauve.generation.prompt_filter.is_well_formed`.

    Returns
    -------
    DrawnExamples
        A list of :class:`Example` in the order in which they were drawn, with what was left out.

    Warns
    -----
    MauveWarning
        If texts are too short or copies of others, or if there are fewer than `n`.

    Notes
    -----
    Texts are drawn without replacement in the order of their hashes, scrambled with the seed.
    So which are drawn does not depend on the order of the source, and those of a smaller `n`
    are the first of a larger one. Of records with the same prompt and text one is used.

    Examples
    --------
    >>> texts = ["It rained all day, and we stayed in.", "The sun came out at noon, at last."]
    >>> letters = (list, "".join)
    >>> for example in read_examples("text", texts, tokenizer=letters, prompt_tokens=10,
    ...                              max_tokens=8):
    ...     print(repr(example.prompt), repr(example.reference), example.id)
    'It rained ' 'all day,' 0
    'The sun ca' 'me out a' 1
    """
    task = get_task(task)
    check_int("seed", seed, 0)
    check_bool("well_formed", well_formed)
    if n is not None:
        check_int("n", n, 1)
    longest = task.max_tokens if max_tokens is None else check_int("max_tokens", max_tokens, 1)
    why = "a continuation ends at max_tokens"
    shortest = 1 if min_tokens is None else check_int("min_tokens", min_tokens, 1, longest, why)
    if prompt_tokens is not None:
        check_int("prompt_tokens", prompt_tokens, 0)
        if task.prompt_tokens is None:
            raise InvalidParameterError(
                f"{parameter('prompt_tokens')} cannot be given for the task '{task.name}', whose "
                f"prompts are those of the records. Got {option('prompt_tokens', prompt_tokens)} "
                "instead: leave it out, or use another task."
            )
    records = [*source_records(source, task.fields)]
    if not records:
        raise InvalidParameterError(f"{parameter('source')} must hold at least one text. Got none.")
    n_prompt = _prompt_tokens(task, prompt_tokens, records)
    reader = _Reader(task, n_prompt, longest, checked_tokenizer(tokenizer))
    examples = DrawnExamples()
    examples.n_records = len(records)
    examples.left_out = dict.fromkeys((TOO_SHORT, COPIES, MALFORMED), 0)
    ids = _unique_ids(records)
    for row, is_copy in _draw(records, seed):
        if n is not None and len(examples) == n:
            break
        if is_copy:
            examples.left_out[COPIES] += 1
            continue
        prompt, split = reader.split(records[row], row)
        if split is None or split.n_tokens < shortest or not split.continuation.strip():
            examples.left_out[TOO_SHORT] += 1
        elif well_formed and not is_well_formed(prompt):
            examples.left_out[MALFORMED] += 1
        else:
            examples.append(reader.example(records[row], prompt, split, ids[row]))
    _say(examples, n)
    return examples


@dataclass(frozen=True)
class _Reader:
    """Makes examples of records."""

    task: Task
    prompt_tokens: int | None  # None: the prompt of the record
    max_tokens: int
    tokenizer: TextTokenizer

    def split(self, record: Record, row: int) -> tuple[str, Split | None]:
        """Return the prompt of a record and its two parts, None where it is too short."""
        if self.prompt_tokens is not None:
            text = _whole(record, self.task)
            split = split_text(text, self.prompt_tokens, self.max_tokens, self.tokenizer)
            return (split.prompt if split else ""), split
        if record.prompt is None:
            raise InvalidParameterError(
                f"{parameter('source')} must have a prompt in every record, or in none. Got none "
                f"at position {row} instead: write one, or pass {option('prompt_tokens')} to split "
                "all texts."
            )
        return record.prompt, cut_text(record.text, self.max_tokens, self.tokenizer)

    def example(self, record: Record, prompt: str, split: Split, id_: str) -> Example:
        metadata = {
            name: value
            for name, value in record.metadata.items()
            if value is not None and is_metadata(value)
        }
        n_prompt = None if self.prompt_tokens is None else split.n_prompt_tokens
        # The GPT-2 output dataset marks the texts that it has cut.
        ended = split.is_whole and record.metadata.get("ended") is not False
        return Example(prompt, split.continuation, id_, metadata, n_prompt, split.n_tokens, ended)


def _prompt_tokens(task: Task, given: int | None, records: list[Record]) -> int | None:
    if given is not None:
        return given
    if task.keeps_prompts and any(record.prompt is not None for record in records):
        return None
    return task.prompt_tokens


def _whole(record: Record, task: Task) -> str:
    """Return a text with the prompt of its record before it."""
    return record.prompt + task.separator + record.text if record.prompt else record.text


def _draw(records: list[Record], seed: int) -> Iterator[tuple[int, bool]]:
    """Yield the positions of records in a random order, and whether each is a copy."""
    # No text has a NUL, so a prompt and a text are told from another prompt and text.
    hashes = text_hashes([f"{record.prompt or ''}\0{record.text}" for record in records])
    seen: set[int] = set()
    for row in np.argsort(scramble_hashes(hashes, seed), kind="stable").tolist():
        key = int(hashes[row])
        yield row, key in seen
        seen.add(key)


def _unique_ids(records: list[Record]) -> list[str]:
    """Return an id for every record: the position where there is none, a number where two agree."""
    counts: dict[str, int] = {}
    ids = []
    for row, record in enumerate(records):
        id_ = str(row) if record.id is None else record.id
        counts[id_] = counts.get(id_, 0) + 1
        ids.append(id_ if counts[id_] == 1 else f"{id_}#{counts[id_]}")
    return ids


def _say(examples: DrawnExamples, n: int | None) -> None:
    """Warn of texts that were left out unasked, and raise if none is left."""
    if not examples:
        raise InvalidParameterError(
            f"{parameter('source')} must hold texts that make examples. Got "
            f"{examples.summary} Pass less {option('prompt_tokens')} or {option('min_tokens')}, "
            "or other texts."
        )
    is_unasked = examples.left_out[TOO_SHORT] or examples.left_out[COPIES]
    if n is not None and len(examples) < n:
        warn_caller(f"There are fewer than {option('n', n)}: {examples.summary}")
    elif is_unasked:
        warn_caller(examples.summary)
