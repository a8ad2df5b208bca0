"""Read conversations: the messages of one role, each with the message that it answers."""

from collections.abc import Iterator, Mapping
from typing import Any

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.text.fields import Fields, Record

#: Fields that hold the messages of a conversation.
MESSAGE_LISTS = ("messages", "conversations", "conversation")
_KEYS = (("role", "content"), ("from", "value"))  # of OpenAI's messages, of ShareGPT
_ROLES = {"human": "user", "gpt": "assistant"}  # of ShareGPT
_DEFAULT_ROLE = "assistant"


def is_conversation(values: Mapping[str, Any]) -> bool:
    """Whether a record holds a list of messages, each with a role.

    Examples
    --------
    >>> is_conversation({"conversations": [{"from": "human", "value": "Hi."}]})
    True
    >>> is_conversation({"messages": ["Hi.", "Hello."]})
    False
    """
    return _message_list(values) is not None


def conversation_records(
    rows: Iterator[tuple[str, Mapping[str, Any]]], fields: Fields
) -> Iterator[Record]:
    """Yield the messages of one role, with the last message before them by another one as prompt.

    Messages without text, such as calls of tools, and conversations without a message of the role
    hold no text, so they yield none.

    Raises
    ------
    InvalidParameterError
        If no conversation has a message of that role with a text.

    Examples
    --------
    >>> turns = [{"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Hello."}]
    >>> rows = [("Line 1", {"id": "c7", "conversations": turns})]
    >>> fields = Fields("'chats.jsonl'", role="user")
    >>> [record.text for record in conversation_records(iter(rows), fields)]
    ['Hi.']
    """
    wanted = _DEFAULT_ROLE if fields.role is None else _ROLES.get(fields.role, fields.role)
    roles: dict[str, None] = {}
    is_found = False
    for where, values in rows:
        name, messages = _message_list(values) or ("", [])
        id_ = values.get("id")
        metadata = {key: value for key, value in values.items() if key not in (name, "id")}
        before: tuple[str, str] | None = None  # role and text of the message before
        prompt: str | None = None
        for message in messages:
            role, text = _role_and_text(message, fields, where)
            roles[role] = None
            if before is not None and before[0] != wanted:
                prompt = before[1]
            if text is not None:
                before = role, text
            if role == wanted and text is not None:
                is_found = True
                yield Record(text, prompt, None if id_ is None else str(id_), metadata, True)
    if not is_found and wanted in roles:
        raise InvalidParameterError(
            f"{fields.file} must have messages of the role '{escaped(wanted)}' with a text. Got "
            "none that has one instead: name another role with ?role=NAME behind the file."
        )
    if not is_found:
        raise InvalidParameterError(
            f"{fields.file} must have messages of the role '{escaped(wanted)}'. Got "
            f"{listed([*roles]) or 'none'} instead: name one with ?role=NAME behind the file."
        )


def _message_list(values: Mapping[str, Any]) -> tuple[str, list[Any]] | None:
    for name in MESSAGE_LISTS:
        messages = values.get(name)
        if isinstance(messages, list) and all(_keys_of(message) for message in messages):
            return name, messages
    return None


def _keys_of(message: Any) -> tuple[str, str] | None:
    """Return the names of role and text in a message; a call of tools may have no text."""
    if not isinstance(message, Mapping):
        return None
    return next((keys for keys in _KEYS if isinstance(message.get(keys[0]), str)), None)


def _role_and_text(message: Any, fields: Fields, where: str) -> tuple[str, str | None]:
    role_key, text_key = _keys_of(message) or _KEYS[0]
    role = message[role_key]
    return _ROLES.get(role, role), text_of_content(message.get(text_key), fields, where)


def text_of_content(content: Any, fields: Fields, where: str) -> str | None:
    """Return the text of a message, whose parts may be texts, images and others; None if none.

    Examples
    --------
    >>> parts = [{"type": "text", "text": "One "}, {"type": "text", "text": "two."}]
    >>> text_of_content(parts, Fields("'a.jsonl'"), "Line 1")
    'One two.'
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, Mapping) for part in content):
        texts = [part["text"] for part in content if isinstance(part.get("text"), str)]
        return "".join(texts) if texts else None
    raise InvalidParameterError(
        f"The messages in {where[0].lower() + where[1:]} of {fields.file} must be strings, or "
        f"lists of parts. Got {type(content).__name__} instead: write them as strings."
    )
