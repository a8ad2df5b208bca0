"""Read what OpenAI's batch API returns, and completions that were saved one a line."""

from collections.abc import Iterator, Mapping
from typing import Any

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, shortened
from mauve.text.conversations import text_of_content
from mauve.text.fields import Fields, Record

_OBJECTS = ("chat.completion", "text_completion", "response")


def is_batch_row(values: Mapping[str, Any]) -> bool:
    """Whether a row is the answer to one request of a batch, or a saved answer of the API.

    Examples
    --------
    >>> is_batch_row({"id": "b1", "custom_id": "r1", "response": {"body": {}}, "error": None})
    True
    >>> is_batch_row({"custom_id": "r1", "method": "POST", "url": "/v1", "body": {}})  # a request
    False
    """
    is_answer = "custom_id" in values and "response" in values and "error" in values
    return is_answer or values.get("object") in _OBJECTS


def batch_records(
    rows: Iterator[tuple[str, Mapping[str, Any]]], fields: Fields
) -> Iterator[Record]:
    """Yield the texts of all answers; several choices of one request have the same id.

    Raises
    ------
    InvalidParameterError
        If a request failed or its answer has no text.

    Examples
    --------
    >>> body = {"model": "m", "choices": [{"message": {"content": "Hello."}}]}
    >>> row = {"custom_id": "r1", "response": {"status_code": 200, "body": body}, "error": None}
    >>> [*batch_records(iter([("Line 1", row)]), Fields("'a.jsonl'"))]
    [Record(text='Hello.', prompt=None, id='r1', metadata={'model': 'm'}, has_fields=True)]
    """
    for where, values in rows:
        id_ = values.get("custom_id", values.get("id"))
        name = f"the request '{escaped(shortened(str(id_)))}'"
        body = _body(values, fields, where, name)
        texts = [*_texts(body, fields, where)]
        if not texts or any(text is None for text in texts):
            raise InvalidParameterError(
                f"{where} of {fields.file} must hold the text of an answer. Got none for {name} "
                "instead, which was refused or calls a tool: remove the line, or run it again."
            )
        model = body.get("model")
        metadata = {"model": model} if isinstance(model, str) else {}
        for text in texts:
            yield Record(str(text), None, None if id_ is None else str(id_), metadata, True)


def _body(values: Mapping[str, Any], fields: Fields, where: str, name: str) -> Mapping[str, Any]:
    """Return the answer to a request, or raise if it failed."""
    if "custom_id" not in values:
        return values
    response = values["response"]
    status = response.get("status_code", 200) if isinstance(response, Mapping) else None
    body = response.get("body") if isinstance(response, Mapping) else None
    if values["error"] is None and status == 200 and isinstance(body, Mapping):
        return body
    error = values["error"] or (body.get("error") if isinstance(body, Mapping) else None)
    reason = error.get("message") or error.get("code") if isinstance(error, Mapping) else error
    said = f" ({escaped(shortened(str(reason)))})" if reason else ""
    raise InvalidParameterError(
        f"{where} of {fields.file} must hold the answer to {name}. That failed{said}: run it "
        "again, or remove the line."
    )


def _texts(body: Mapping[str, Any], fields: Fields, where: str) -> Iterator[str | None]:
    choices, output = body.get("choices"), body.get("output")
    if isinstance(choices, list):
        for choice in choices:
            message = choice.get("message") if isinstance(choice, Mapping) else None
            if isinstance(message, Mapping):
                yield text_of_content(message.get("content"), fields, where)
            else:
                yield choice.get("text") if isinstance(choice, Mapping) else None
    elif isinstance(output, list):  # the Responses API: messages among calls and reasoning
        for item in output:
            if isinstance(item, Mapping) and item.get("type") == "message":
                yield text_of_content(item.get("content"), fields, where)
