"""Read samples of lm-evaluation-harness: samples_*.jsonl, written with --log_samples."""

from collections.abc import Iterator, Mapping
from typing import Any

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, shortened
from mauve.text.fields import Fields, Record

_NEEDED = {"doc_id", "arguments", "resps"}
#: Fields that the harness itself adds, beside those of the metrics.
_OWN = {
    *_NEEDED, "doc", "target", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash",
}  # fmt: skip


def is_harness_row(values: Mapping[str, Any]) -> bool:
    """Whether a row is a sample of the harness.

    Examples
    --------
    >>> is_harness_row({"doc_id": 0, "arguments": [], "resps": [], "filter": "none"})
    True
    """
    return values.keys() >= _NEEDED


def harness_records(
    rows: Iterator[tuple[str, Mapping[str, Any]]], fields: Fields
) -> Iterator[Record]:
    """Yield the generated texts of each document once, although every filter repeats its row.

    The texts are those before any filter. A document has several texts if its task repeats it:
    they have one id and one prompt. If another field than the default is named, such as
    ``target``, that is the text instead.

    Raises
    ------
    InvalidParameterError
        If there are no texts but log-likelihoods, or if a document has two sets of answers:
        the file is of two runs.

    Examples
    --------
    >>> row = {"doc_id": 7, "doc": {"site": "a.org"}, "arguments": [["Once", {}]],
    ...        "resps": [[" upon a time"]], "filter": "strict"}
    >>> rows = [("Line 1", row), ("Line 2", row | {"filter": "flexible"})]
    >>> [*harness_records(iter(rows), Fields("'samples.jsonl'"))]
    [Record(text=' upon a time', prompt='Once', id='7', metadata={'site': 'a.org'}, \
has_fields=True)]
    """
    answers: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()  # documents with the filter that was applied
    for where, values in rows:
        id_, filter_ = str(values["doc_id"]), values.get("filter")
        answer = hash(repr(values["resps"]))
        if answers.get(id_, answer) != answer or (id_, filter_) in seen:
            raise InvalidParameterError(
                f"{where} of {fields.file} must be of the same run as the rows above. It answers "
                f"the doc_id {escaped(shortened(id_))} once more: pass the file of one run."
            )
        if filter_ is not None:  # releases before filters were named repeat rows without one
            seen.add((id_, filter_))
        if id_ not in answers:
            answers[id_] = answer
            yield from _records(values, fields, where, id_)


def _records(values: Mapping[str, Any], fields: Fields, where: str, id_: str) -> Iterator[Record]:
    doc = values.get("doc")
    metadata = {name: value for name, value in values.items() if name not in _OWN}
    metadata = (dict(doc) if isinstance(doc, Mapping) else {}) | metadata
    prompt = _prompt(values["arguments"])
    if fields.is_default:
        texts = _texts(values["resps"], fields, where)
    else:
        texts = [fields.record(values, where).text]
    for text in texts:
        yield Record(text, prompt, id_, metadata, True)


def _texts(resps: Any, fields: Fields, where: str) -> list[str]:
    """Return the texts of a document: one for each request, and each of its repeats."""
    requests = resps if isinstance(resps, list) else [resps]
    texts = [text for answers in requests for text in _as_list(answers)]
    if texts and all(isinstance(text, str) for text in texts):
        return texts
    if texts and all(isinstance(text, list | float) for text in texts):
        raise InvalidParameterError(
            f"{fields.file} must hold generated texts. Got the log-likelihoods of given answers "
            f"instead, in {where[0].lower() + where[1:]}: pass the samples of a task that "
            "generates (output_type: generate_until)."
        )
    raise InvalidParameterError(
        f"The field 'resps' in {where[0].lower() + where[1:]} of {fields.file} must hold the texts "
        "that were generated. Got none, or one that is missing, instead: run the task again."
    )


def _prompt(arguments: Any) -> str | None:
    """Return the prompt, which is the first argument of the first request."""
    request = arguments
    if isinstance(arguments, Mapping):  # {"gen_args_0": {"arg_0": prompt, "arg_1": {...}}}
        request = [*arguments.values()]
    request = request[0] if isinstance(request, list) and request else None
    prompt: Any = request.get("arg_0") if isinstance(request, Mapping) else request
    while isinstance(prompt, list) and prompt:  # chats are a list with one string
        prompt = prompt[0]
    return prompt if isinstance(prompt, str) else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
