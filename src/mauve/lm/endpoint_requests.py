"""Turn prompts into requests for completions, plain or in a chat, and answers into texts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mauve.calls import either
from mauve.embed.endpoint_client import EndpointClient, EndpointError
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.lm.decoding import Ancestral, Greedy, MinP, Nucleus, Temperature, TopK, Typical
from mauve.lm.specification import Decoding
from mauve.lm.writing import WritingOptions, Written

#: Asks a chat model for what a language model does; {prompt} stands for the prompt.
TEMPLATE = (
    "Continue the following text from the very point where it stops. Write the continuation "
    "alone: do not repeat the text, and add no title, comment or summary.\n\n{prompt}"
)

# Why a text ended: by itself, in the words of vLLM, SGLang, TGI and others, or at max_tokens.
_ENDED = frozenset(["stop", "eos", "eos_token", "stop_sequence", "end_turn"])
_CUT = frozenset(["length", "max_tokens"])
#: The endpoint stopped a text for what it says.
FILTERED = "content_filter"

_POSSIBLE = "greedy, ancestral, temperature, top-k, nucleus, min-p, typical"


@dataclass(frozen=True)
class Answer:
    """A text of an endpoint, and whether the endpoint stopped it for what it says."""

    written: Written
    is_filtered: bool


def sampling_fields(decoding: Decoding) -> dict[str, float]:
    """Return the fields of a request that make an endpoint decode in some way, or raise.

    The temperature and `top_p` are always among them, so that no server uses others.

    Examples
    --------
    >>> sampling_fields(Nucleus(0.95))
    {'temperature': 1.0, 'top_p': 0.95}
    >>> sampling_fields(TopK(40, temperature=0.7))
    {'temperature': 0.7, 'top_p': 1.0, 'top_k': 40}
    """
    match decoding:
        case Greedy():
            return {"temperature": 0.0, "top_p": 1.0}
        case Ancestral():
            return {"temperature": 1.0, "top_p": 1.0}
        case Temperature(temperature=temperature):
            return {"temperature": float(temperature), "top_p": 1.0}
        case Nucleus(p=p, temperature=temperature):
            return {"temperature": float(temperature), "top_p": float(p)}
        case TopK(k=k, temperature=temperature):
            return {"temperature": float(temperature), "top_p": 1.0, "top_k": int(k)}
        case MinP(p=p, temperature=temperature):
            return {"temperature": float(temperature), "top_p": 1.0, "min_p": float(p)}
        case Typical(p=p, temperature=temperature):
            return {"temperature": float(temperature), "top_p": 1.0, "typical_p": float(p)}
    raise bad_parameter(
        either("decoders", "decoder", "decoding"),
        f"one that an endpoint can do: {_POSSIBLE}",
        str(decoding),
        "it needs the probabilities of every token, so load the model by its name or folder",
    )


def request_body(
    prompt: str,
    options: WritingOptions,
    *,
    model: str,
    sampling: Mapping[str, float],
    seed: int | None,
    template: str | None,
    extra: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the body of one request.

    Parameters
    ----------
    prompt : str
    options : WritingOptions
    model : str
    sampling : mapping
        See :func:`sampling_fields`.
    seed : int or None
        Of this text; None where nothing is drawn.
    template : str or None
        The message of a chat; None for a plain completion.
    extra : mapping
        Fields that are added, or that replace others; those that are None are left out.

    Examples
    --------
    >>> body = request_body("Once", WritingOptions(9), model="a", sampling={"top_p": 1.0},
    ...                     seed=None, template=None, extra={"top_p": None, "top_k": -1})
    >>> body
    {'model': 'a', 'max_tokens': 9, 'prompt': 'Once', 'top_k': -1}
    """
    body: dict[str, Any] = {"model": model, "max_tokens": options.max_tokens, **sampling}
    if template is None:
        body["prompt"] = prompt
    else:
        body["messages"] = [{"role": "user", "content": template.replace("{prompt}", prompt)}]
    if options.min_tokens:
        body["min_tokens"] = options.min_tokens
    if seed is not None:
        body["seed"] = seed
    return {name: value for name, value in {**body, **extra}.items() if value is not None}


def check_template(template: str) -> str:
    """Return a template, or raise unless the prompt has a place in it.

    Examples
    --------
    >>> check_template("Go on: {prompt}")
    'Go on: {prompt}'
    """
    if not isinstance(template, str) or template.count("{prompt}") != 1:
        raise bad_parameter("template", "a string that holds {prompt} once", template)
    return template


def check_extra(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the extra fields of requests, or raise where they are none, or change what is asked.

    Examples
    --------
    >>> check_extra({"repetition_penalty": 1.1})
    {'repetition_penalty': 1.1}
    """
    rule = "a mapping from fields of the request to values of JSON"
    if not isinstance(extra, Mapping) or not all(isinstance(name, str) for name in extra):
        raise bad_parameter("extra", rule, extra)
    try:
        json.dumps(dict(extra), allow_nan=False)
    except (TypeError, ValueError):
        raise bad_parameter("extra", rule, extra) from None
    taken = {"model", "prompt", "messages", "stream", "n"} & extra.keys()
    if extra.get("seed") is not None:  # None leaves it out, for servers that refuse it
        taken.add("seed")
    if taken:
        name = min(taken)
        raise bad_parameter("extra", f"fields that are not set otherwise, as '{name}' is", extra)
    return dict(extra)


def parse_answer(
    client: EndpointClient, answer: bytes, options: WritingOptions, *, is_chat: bool, where: str
) -> Answer:
    """Return the text of an answer, or raise an error that says what is wrong with it.

    Parameters
    ----------
    client : EndpointClient
    answer : bytes
    options : WritingOptions
    is_chat : bool
    where : str
        The prompt, in messages.
    """
    quoted = client.quoted(answer) or "nothing"
    try:
        content = json.loads(answer)
        choice = content["choices"][0]
        text = choice["message"]["content"] if is_chat else choice["text"]
        reason, usage = choice.get("finish_reason"), content.get("usage")
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise _unusable(client, "JSON that holds a text", where, quoted) from None
    n_tokens = usage.get("completion_tokens") if isinstance(usage, Mapping) else None
    if text is None or (text == "" and reason in _CUT):
        why = "a model that thinks before it writes needs more tokens, or to be told not to"
        raise _unusable(client, "a text", where, f"none, after {n_tokens} tokens", why)
    if not isinstance(text, str):
        raise _unusable(client, "JSON that holds a text", where, quoted)
    if reason not in _ENDED | _CUT | {FILTERED}:
        known = ", ".join(map(repr, ("stop", "length", FILTERED)))
        raise _unusable(client, f"a finish_reason, {known}", where, client.quoted(repr(reason)))
    if not isinstance(n_tokens, int) or isinstance(n_tokens, bool) or n_tokens < 0:
        got = client.quoted(repr(n_tokens))
        raise _unusable(client, "the number of tokens, usage.completion_tokens", where, got)
    ended = reason in _ENDED
    if n_tokens > options.max_tokens:
        raise _unusable(client, f"{options.max_tokens} tokens at most", where, f"{n_tokens}")
    if ended and n_tokens < options.min_tokens:
        why = "the server takes no min_tokens"
        raise _unusable(client, f"{options.min_tokens} tokens at least", where, f"{n_tokens}", why)
    return Answer(Written(text, n_tokens, ended), reason == FILTERED)


def check_takes_typical(client: EndpointClient, url: str) -> None:
    """Raise if the server is one that reads `typical_p` and ignores it.

    vLLM and SGLang have no typical sampling and do not refuse fields that they do not know, so
    that texts would be those of another decoder.
    """
    _, answer = client.request(url)
    try:
        owners = {str(entry.get("owned_by")).lower() for entry in json.loads(answer)["data"]}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return  # a server that lists no models may be any other
    for owner in owners & {"vllm", "sglang"}:
        raise InvalidParameterError(
            f"{client.url} must be an endpoint that takes typical_p. Got one of {owner} instead, "
            "which ignores it: use another decoder, or load the model by its name or folder."
        )


def _unusable(
    client: EndpointClient, rule: str, where: str, got: str, why: str = ""
) -> EndpointError:
    reason = f": {why}" if why else ""
    return EndpointError(
        f"{client.url} must answer with {rule} for {where}. Got {got} instead{reason}."
    )
