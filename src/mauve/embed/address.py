"""The address of an endpoint, and the key that may be sent there."""

import base64
import os
import re
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import SplitResult, unquote, urlsplit

from mauve.errors import InvalidParameterError, bad_parameter

_CALLER = "EndpointEmbedder"


def split_url(url: str) -> SplitResult:
    """Return the parts of a URL that can be used, or raise without showing a password."""
    rule = "an http:// or https:// address with nothing behind its path but #model=NAME"
    text, base = str(url), str(url).partition("#")[0]
    with suppress(ValueError):  # a port that is no number, a bracket that is not closed
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        clean = base.isascii() and base.isprintable() and not set(" ?") & set(base)
        if known and clean and (not parts.fragment or parts.fragment.startswith("model=")):
            return parts
    raise bad_parameter(_CALLER, "url", rule, text.rpartition("@")[2].partition("?")[0])


def address(parts: SplitResult) -> str:
    """Return the full address of the embeddings, without user, password and model.

    Examples
    --------
    >>> address(split_url("http://me:secret@host:8000/v1#model=bge"))
    'http://host:8000/v1/embeddings'
    """
    host = parts.netloc.rpartition("@")[2].lower()
    host = host.removesuffix(":443" if parts.scheme == "https" else ":80").removesuffix(":")
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if re.search(r"/v\d+$", path) else "/v1/embeddings"
    return f"{parts.scheme}://{host}{path}"


def is_local(parts: SplitResult) -> bool:
    """Return whether an address is on this machine.

    Examples
    --------
    >>> is_local(split_url("http://localhost:8000")), is_local(split_url("http://10.0.0.1"))
    (True, False)
    """
    with suppress(ValueError):  # a name
        return ip_address(str(parts.hostname)).is_loopback
    return parts.hostname == "localhost"


def authorization(api_key: str | None, parts: SplitResult) -> str:
    """Return the header that carries the key, empty without one, or raise without showing it."""
    login = parts.username and unquote(f"{parts.username}:{parts.password or ''}")
    sources = {"api_key": api_key, "the URL": login}
    sources["$MAUVE_API_KEY"] = os.environ.get("MAUVE_API_KEY")
    # Nobody's OpenAI key goes to whoever runs some other endpoint.
    if is_local(parts) or f".{parts.hostname}".endswith(".openai.com"):
        sources["$OPENAI_API_KEY"] = os.environ.get("OPENAI_API_KEY")
    source = next((name for name, key in sources.items() if key is not None), "api_key")
    key = str(sources[source] or "").strip()
    if not key:
        return ""
    if re.search(r"[^!-~]", key):  # http.client would name the key in its own error
        raise InvalidParameterError(
            f"The key of {source} must be printable ASCII without spaces. Got others instead."
        )
    if parts.scheme != "https" and not is_local(parts):
        raise InvalidParameterError(
            f"The key of {source} is only sent over https or to localhost. Got "
            f"{address(parts)} instead: use https, tunnel the port to localhost, or send no "
            "key with api_key='' or an empty $MAUVE_API_KEY."
        )
    if source == "the URL":
        return f"Basic {base64.b64encode(key.encode()).decode()}"
    return f"Bearer {key}"
