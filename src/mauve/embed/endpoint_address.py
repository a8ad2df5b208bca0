"""The address of an endpoint, the model it names, and the API key that may be sent to it."""

import base64
import os
import re
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import SplitResult, unquote, urlsplit

from mauve.calls import by_world
from mauve.embed.protocol import embedder_parameter
from mauve.errors import InvalidParameterError, bad_parameter

#: Ends of the paths of what an endpoint does; texts are written in a chat, or without one.
EMBEDDINGS, COMPLETIONS, CHAT = "/embeddings", "/completions", "/chat/completions"


def is_endpoint(spec: object) -> bool:
    """Return whether what names a model is the address of an endpoint.

    Examples
    --------
    >>> is_endpoint("http://localhost:8000#model=gpt2"), is_endpoint("gpt2")
    (True, False)
    """
    return isinstance(spec, str) and spec.startswith(("http://", "https://"))


def split_url(url: str, *, parameter: str | None = None) -> SplitResult:
    """Return the parts of the URL of an endpoint, or raise without showing a password.

    `parameter` is the name by which the user passed it; by default that of an embedder.
    """
    rule = "an http:// or https:// address with nothing behind its path but #model=NAME"
    text, base = str(url), str(url).partition("#")[0]
    with suppress(ValueError):  # a port that is no number, a bracket that is not closed
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        clean = base.isascii() and base.isprintable() and not set(" ?") & set(base)
        if known and clean and (not parts.fragment or parts.fragment.startswith("model=")):
            return parts
    raise bad_parameter(
        parameter or embedder_parameter(),
        rule,
        text.rpartition("@")[2].partition("?")[0],
    )


def address(parts: SplitResult, end: str = EMBEDDINGS) -> str:
    """Return the full address of what an endpoint does, without user, password and model.

    Parameters
    ----------
    parts : SplitResult
        With or without the end of the path, or all of it.
    end : str
        The end of the path.

    Examples
    --------
    >>> parts = split_url("http://me:secret@host:8000/v1#model=bge")
    >>> address(parts), address(parts, COMPLETIONS)
    ('http://host:8000/v1/embeddings', 'http://host:8000/v1/completions')
    """
    host = parts.netloc.rpartition("@")[2].lower()
    host = host.removesuffix(":443" if parts.scheme == "https" else ":80").removesuffix(":")
    path = parts.path.rstrip("/")
    if not path.endswith(end):
        path += end if re.search(r"/v\d+$", path) else f"/v1{end}"
    return f"{parts.scheme}://{host}{path}"


def is_local(parts: SplitResult) -> bool:
    """Return whether an address is on this machine.

    Examples
    --------
    >>> urls = "http://localhost:8000", "http://127.0.0.7", "http://10.0.0.1"
    >>> [is_local(split_url(url)) for url in urls]
    [True, True, False]
    """
    with suppress(ValueError):  # the host is a name
        return ip_address(str(parts.hostname)).is_loopback
    return parts.hostname == "localhost"


def authorization(api_key: str | None, parts: SplitResult, end: str = EMBEDDINGS) -> str:
    """Return the header that carries the key, empty without one, or raise without showing it.

    `end` is that of the :func:`address`.
    """
    login = parts.username and unquote(f"{parts.username}:{parts.password or ''}")
    sources = {"api_key": api_key, "the URL": login}
    sources["$MAUVE_API_KEY"] = os.environ.get("MAUVE_API_KEY")
    # A key of OpenAI must not reach whoever runs another endpoint.
    if is_local(parts) or f".{parts.hostname}".endswith(".openai.com"):
        sources["$OPENAI_API_KEY"] = os.environ.get("OPENAI_API_KEY")
    source = next((name for name, key in sources.items() if key is not None), "api_key")
    key = str(sources[source] or "").strip()
    if not key:
        return ""
    if re.search(r"[^!-~]", key):
        raise InvalidParameterError(
            f"The key of {source} must be ASCII without spaces and control characters. "
            "Got other characters instead."
        )
    if parts.scheme != "https" and not is_local(parts):
        no_key = by_world(python="api_key='' or ", command="")
        raise InvalidParameterError(
            f"The key of {source} is only sent over https or to localhost. Got "
            f"{address(parts, end)} instead: use https, tunnel the port to localhost, or send no "
            f"key with {no_key}an empty $MAUVE_API_KEY."
        )
    if source == "the URL":
        return f"Basic {base64.b64encode(key.encode()).decode()}"
    return f"Bearer {key}"


def named_model(parts: SplitResult, model: str | None) -> str | None:
    """Return the name of the model that the user gave, by a parameter or in the URL, or raise.

    Examples
    --------
    >>> named_model(split_url("http://host#model=a%23b"), None)
    'a#b'
    """
    fragment = unquote(parts.fragment.removeprefix("model=")) if parts.fragment else None
    name = fragment if model is None else model
    if name is not None and not (isinstance(name, str) and name.strip()):
        raise bad_parameter("model", "a name that is not empty", name)
    return name
