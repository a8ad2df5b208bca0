"""Read lighteval's details: Parquet files with a row for each document, by three namings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mauve.errors import InvalidParameterError
from mauve.text.fields import Fields, Record

#: Column of the document and of the answer: since 0.10, in its documentation, and before.
_NESTED = (("doc", "model_response"), ("__doc__", "__model_response__"))
_FLAT = ("example", "predictions")
_FLAT_SIGN = "full_prompt"  # no other tool has this column beside those two


def is_details_row(values: Mapping[str, Any]) -> bool:
    """Whether a row is of lighteval's details.

    Examples
    --------
    >>> is_details_row({"doc": {"query": "Hi?"}, "model_response": {"text": ["Hi."]}})
    True
    >>> is_details_row({"doc": "a text", "model_response": "another"})
    False
    """
    if any(all(isinstance(values.get(name), Mapping) for name in pair) for pair in _NESTED):
        return True
    return all(name in values for name in (*_FLAT, _FLAT_SIGN))


def details_columns(columns: Sequence[str]) -> list[str] | None:
    """Return the columns to read, as log-probabilities are large; None for other files.

    Examples
    --------
    >>> details_columns(["example", "full_prompt", "predictions", "pred_logits"])
    ['example', 'full_prompt', 'predictions']
    >>> details_columns(["metric", "doc", "model_response"])
    ['doc', 'model_response']
    """
    for pair in _NESTED:
        if all(name in columns for name in pair):
            return [*pair]
    names = [_FLAT[0], _FLAT_SIGN, _FLAT[1]]
    return names if all(name in columns for name in names) else None


def details_records(
    rows: Iterator[tuple[str, Mapping[str, Any]]], fields: Fields
) -> Iterator[Record]:
    """Yield the answers to each document; several samples of one have the same id and prompt.

    The prompt is the query of the document, which is the same for all models, and not what a
    chat template made of it.

    Raises
    ------
    InvalidParameterError
        If a row has no text: its task computes log-likelihoods alone.

    Examples
    --------
    >>> row = {"doc": {"query": "Hi?", "id": "7"}, "model_response": {"text": ["Hi.", "Yes?"]}}
    >>> records = details_records(iter([("Row 1", row)]), Fields("'details.parquet'"))
    >>> [(record.text, record.prompt, record.id) for record in records]
    [('Hi.', 'Hi?', '7'), ('Yes?', 'Hi?', '7')]
    """
    for where, values in rows:
        query, id_, task, texts = _parts(values)
        answers = texts if isinstance(texts, list) else [texts]
        if not answers or not all(isinstance(text, str) for text in answers):
            raise InvalidParameterError(
                f"{where} of {fields.file} must hold texts that the model generated. Got none "
                "instead: pass the details of a generative task."
            )
        metadata = {"task_name": task} if isinstance(task, str) and task else {}
        prompt = query if isinstance(query, str) else None
        for text in answers:
            yield Record(text, prompt, str(id_) if id_ not in (None, "") else None, metadata, True)


def _parts(values: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
    """Return query, id and task of the document, and the answers."""
    for doc_name, response_name in _NESTED:
        if doc_name in values:
            doc, response = values[doc_name], values[response_name]
            return doc.get("query"), doc.get("id"), doc.get("task_name"), response.get("text")
    return values[_FLAT[0]], None, None, values[_FLAT[1]]
