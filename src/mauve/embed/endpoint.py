"""Features from a server that speaks OpenAI's ``/v1/embeddings``: vLLM, TEI, Ollama and others."""

import base64
import json
import os
import random
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, InitVar, dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property, partial
from http.client import HTTPException
from ipaddress import ip_address
from queue import SimpleQueue
from socket import gaierror
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, unquote, urlsplit

# One POST and one GET need no HTTP package, which would be one more to install and to keep
# safe. urllib knows proxies and certificates; what it lacks, retries, is a loop.
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

import numpy as np
from numpy.typing import NDArray

from mauve.embed.protocol import Embedded, Progress
from mauve.errors import InvalidParameterError, MauveError, bad_parameter, check_int, check_real
from mauve.escape import escaped

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
            f"The key of {source} must be escaped ASCII without spaces. Got others instead."
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


Row = NDArray[np.float32]  # shape (d,)

_CALLER = "EndpointEmbedder"
_LONGEST_WAIT = 300.0  # seconds; a server that asks for more has a quota that no retry outwaits
_REMEDIES = {401: ": set $MAUVE_API_KEY or pass api_key", 404: ": check address and model"}

# What waiting does not cure: nobody listens, no such host, or, as ValueError, a certificate
# that does not hold and a redirect to what is no address.
_HOPELESS = (ConnectionRefusedError, gaierror, ValueError)

# Servers word it differently: "batch size 64 > maximum allowed batch size 32", "array too
# long", "Too many inputs". A wrong guess costs a few requests and ends in the same error.
_TOO_LARGE = re.compile(
    r"(?is)(?=.*\b(?:batch|array|inputs?|items|request)\b)"
    r"(?=.*(?:too (?:large|long|many|big)|larger|max|exceed|limit|at most|less than))"
)


class EndpointError(MauveError, OSError):
    """An endpoint that is not there, refuses, or answers with what cannot be used."""


@dataclass(frozen=True)
class EndpointEmbedder:
    """Features of texts from a server, several requests at once.

    Parameters
    ----------
    url : str
        ``http://HOST:PORT``, also with ``/v1`` or ``/v1/embeddings``, which the attribute has
        in any case. ``#model=NAME`` behind it names the model, and ``USER:PASSWORD@`` before
        the host is sent as basic authentication.
    model : str, optional
        Comes before the name in the URL. Without either, the server is asked when the name
        is first needed, and must have one model only.
    api_key : str, optional
        Sent over https or to this machine only. Without one it is ``$MAUVE_API_KEY``, then, for
        OpenAI itself and this machine, ``$OPENAI_API_KEY``; an empty one means none.
    batch_size : int
        Texts in one request; fewer once the server says that these are too many.
    n_connections : int
        Requests at once.
    timeout : float
        Seconds of silence after which a request has failed.
    retries : int
        Further tries after status 429 or 5xx, a timeout or a dropped connection.
    dimensions : int, optional
        Width of the features, for models that can shorten them.
    backoff : float
        Seconds before the first retry, give or take a half; twice as many before the next.

    Examples
    --------
    >>> embedder = EndpointEmbedder("http://localhost:8000/v1#model=bge-small", dimensions=256)
    >>> embedder.url
    'http://localhost:8000/v1/embeddings'
    >>> embedder.signature
    'endpoint:bge-small@localhost:8000-256'
    """

    url: str
    _: KW_ONLY
    model: str | None = None
    api_key: InitVar[str | None] = None
    batch_size: int = 64
    n_connections: int = 4
    timeout: float = 60.0
    retries: int = 5
    dimensions: int | None = None
    backoff: float = 0.5
    authorization: str = field(init=False, repr=False, compare=False)

    def __post_init__(self, api_key: str | None) -> None:
        parts = split_url(self.url)
        fragment = unquote(parts.fragment.removeprefix("model=")) if parts.fragment else None
        model = fragment if self.model is None else self.model
        if model is not None and not (isinstance(model, str) and model.strip()):
            raise bad_parameter(_CALLER, "model", "a name that is not empty", model)
        check_int(_CALLER, "batch_size", self.batch_size, 1)
        check_int(_CALLER, "n_connections", self.n_connections, 1, 1000)
        check_int(_CALLER, "retries", self.retries, 0, 100)
        check_real(_CALLER, "timeout", self.timeout, above=0, up_to=86400)
        check_real(_CALLER, "backoff", self.backoff, above=0, up_to=86400)
        if self.dimensions is not None:
            check_int(_CALLER, "dimensions", self.dimensions, 1)
        # The class is frozen for its users; here it is still being made.
        object.__setattr__(self, "url", address(parts))
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "authorization", authorization(api_key, parts))

    @property
    def signature(self) -> str:
        """Model, host, and the width if one is asked for; a path that is not ``/v1`` too."""
        parts = urlsplit(self.url)
        path = parts.path.removesuffix("/embeddings").removesuffix("/v1")
        width = f"-{self.dimensions}" if self.dimensions else ""
        text = f"endpoint:{escaped(self._model)}@{parts.netloc}{path}{width}"
        return text.replace("|", "%7C")

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts, which are not empty; how long they are is not known."""
        model, run, n, n_done = self._model, _Run(self), len(texts), 0
        features = np.empty((0, 0), np.float32)
        work, starts = partial(run.batch, model, texts), range(0, n, self.batch_size)
        try:
            for start, rows in _as_done(work, starts, self.n_connections, run.stop):
                if not n_done:
                    features = np.empty((n, self.dimensions or len(rows[0])), np.float32)
                self._fill(features, start, rows)
                n_done += len(rows)
                if on_progress is not None:
                    on_progress("embedding", n_done, n)
        finally:
            run.stop.set()
        return Embedded(features, np.full(n, -1, np.int64), np.zeros(n, np.bool_))

    def _fill(self, features: NDArray[np.float32], start: int, rows: list[Row]) -> None:
        width = features.shape[1]
        for position, row in enumerate(rows, start):
            if len(row) != width or not np.isfinite(row).all():
                found = len(row) if len(row) != width else "NaN or what does not fit 32 bits"
                raise EndpointError(
                    f"{self.url} must return {width} finite numbers for each text. "
                    f"Got {found} for the text at position {position} instead."
                )
            features[position] = row

    @cached_property
    def _model(self) -> str:
        """The name that was given, or that of the only model there is."""
        if self.model is not None:
            return self.model
        address = self.url.removesuffix("/embeddings") + "/models"
        run = _Run(self)
        status, body = run.ask(address)
        names: list[str] = []
        with suppress(ValueError, TypeError, KeyError, RecursionError):
            names = [str(entry["id"]) for entry in json.loads(body)["data"]]
        if len(names) != 1:
            found = escaped(", ".join(names)) or f"status {status} with {run.shown(body)}"
            raise InvalidParameterError(
                f"{address} must list one model where none is named. Got {found} instead: "
                "name one with model=NAME, or with #model=NAME behind the URL."
            )
        return names[0]


class _Run:
    """One use of an endpoint: how it is reached, what stops it, the batch that it takes."""

    def __init__(self, embedder: EndpointEmbedder) -> None:
        self.embedder = embedder
        self.stop = threading.Event()
        # Threads change it without a lock: the worst of a race is one more refused batch.
        self.limit = embedder.batch_size
        # A proxy has no business with this machine, and would see the key.
        proxies = ProxyHandler({} if is_local(urlsplit(embedder.url)) else None)
        self.opener = build_opener(proxies, _Redirects())
        # Some hosts turn away the name that urllib gives itself.
        self.headers = {"Content-Type": "application/json", "User-Agent": "mauve-eval"}

    def batch(self, model: str, texts: Sequence[str], start: int) -> list[Row]:
        """Return a row for each text of the batch from `start`, in parts if it is too large."""
        end = min(start + self.embedder.batch_size, len(texts))
        width, url = self.embedder.dimensions, self.embedder.url
        rows: list[Row] = []
        while start < end:
            part = list(texts[start : min(start + self.limit, end)])
            body = {"model": model, "input": part, "encoding_format": "float"}
            status, answer = self.ask(url, body | ({"dimensions": width} if width else {}))
            if status < 300:
                rows += self._rows(answer, len(part))
                start += len(part)
                continue
            reason = self.shown(answer)
            too_large = status == 413 or (status in (400, 422) and _TOO_LARGE.match(reason))
            if not too_large or len(part) == 1:
                raise EndpointError(
                    f"{url} refused the text at position {start}{' and others' * (len(part) > 1)} "
                    f"with {status} ({reason}){_REMEDIES.get(status, '')}."
                )
            self.limit = min(self.limit, len(part) // 2)
        return rows

    def ask(self, address: str, body: dict[str, Any] | None = None) -> tuple[int, bytes]:
        """GET, or POST `body`, again after what may pass; return the status and the answer."""
        embedder, n_tries = self.embedder, 0
        data = None if body is None else json.dumps(body).encode()
        while True:
            request = Request(address, data, self.headers)
            if embedder.authorization:
                request.add_unredirected_header("Authorization", embedder.authorization)
            # SystemRandom: a retry must not advance the generator that a user has seeded.
            jitter = random.SystemRandom().uniform(0.5, 1.5)
            wait = min(_LONGEST_WAIT, embedder.backoff * 2**n_tries * jitter)
            n_tries += 1
            try:
                status, asked, answer = self._exchange(request)
            except (OSError, HTTPException, ValueError) as error:
                cause = error.reason if isinstance(error, URLError) else error
                problem = f"gave no answer ({self.shown(str(cause) or type(cause).__name__)})"
                hopeless = isinstance(cause, _HOPELESS)
            else:
                if status != 429 and status < 500:
                    return status, answer
                problem = f"answered with {status} ({self.shown(answer)})"
                problem += f", asked to wait {asked:g} s," if asked else ""
                hopeless, wait = asked > _LONGEST_WAIT, wait + asked
            if hopeless or n_tries > embedder.retries or self.stop.wait(wait):
                break
        raise EndpointError(
            f"{address} {problem} at try {n_tries}: check the server, or raise timeout or retries."
        )

    def _exchange(self, request: Request) -> tuple[int, float, bytes]:
        try:
            answer = self.opener.open(request, timeout=self.embedder.timeout)
        except HTTPError as error:  # an answer all the same
            answer = error
        with answer:
            return answer.status, _asked_wait(answer.headers.get("Retry-After")), answer.read()

    def _rows(self, answer: bytes, n: int) -> list[Row]:
        """Return the rows of an answer in the order of its n texts."""
        url = self.embedder.url
        try:
            data = json.loads(answer)["data"]
            rows = {entry.get("index", i): _row(entry["embedding"]) for i, entry in enumerate(data)}
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
            raise EndpointError(
                f"{url} must answer with JSON that holds a row of numbers for each text. "
                f"Got {self.shown(answer) or 'nothing'} instead."
            ) from None
        if len(data) != n or rows.keys() != set(range(n)):
            raise EndpointError(
                f"{url} must return a row for each text, numbered from 0 to {n - 1} by 'index'. "
                f"Got {len(data)} rows ({self.shown(', '.join(map(str, rows)))}) instead."
            )
        return [rows[i] for i in range(n)]

    def shown(self, answer: bytes | str) -> str:
        """Return what a server says for use in a message: short, escaped, without the key."""
        text = answer if isinstance(answer, str) else answer.decode(errors="replace")
        with suppress(ValueError, RecursionError):  # what is not JSON is shown as it is
            found = json.loads(text)
            for name in ("error", "message", "detail"):  # as OpenAI, then vLLM, then FastAPI
                found = found.get(name, found) if isinstance(found, dict) else found
            text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        # A server may repeat the key, so it goes before the text is cut.
        key = self.embedder.authorization.rpartition(" ")[2]
        return escaped((text.replace(key, "***") if key else text).strip())[:200]


class _Redirects(HTTPRedirectHandler):
    """Repeats the request where a redirect points to; the key goes to the same origin only."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request:
        again = Request(newurl, req.data, req.headers)
        key = req.get_header("Authorization")
        if key and urlsplit(newurl)[:2] == urlsplit(req.full_url)[:2]:
            again.add_unredirected_header("Authorization", key)
        return again


def _as_done(
    work: Callable[[int], list[Row]], items: Sequence[int], n_threads: int, stop: threading.Event
) -> Iterator[tuple[int, list[Row]]]:
    """Yield each item with its result as they are done, or raise the first error.

    The threads are daemons: Python waits for those of concurrent.futures even after Ctrl-C.
    """
    todo = deque(items)
    done: SimpleQueue[tuple[int, list[Row]] | BaseException] = SimpleQueue()

    def work_off() -> None:
        with suppress(IndexError):  # nothing left
            while not stop.is_set():
                item = todo.popleft()
                try:
                    done.put((item, work(item)))
                except BaseException as error:  # raised again in the thread of the caller
                    done.put(error)

    for _ in range(min(n_threads, len(items))):
        threading.Thread(target=work_off, daemon=True).start()
    for _ in items:
        found = done.get()
        if isinstance(found, BaseException):
            raise found
        yield found


def _row(embedding: Any) -> Row:
    """Return one embedding, a list of numbers or little-endian float32 in base64."""
    if isinstance(embedding, str):
        row = np.frombuffer(base64.b64decode(embedding, validate=True), "<f4").astype(np.float32)
    else:
        with np.errstate(over="ignore"):  # what does not fit becomes infinity, found later
            row = np.array(embedding, np.float32)
    if row.ndim != 1 or not row.size:
        raise ValueError("not a row")
    return row


def _asked_wait(value: str | None) -> float:
    """Return the seconds of a Retry-After header, which holds a number or a date."""
    with suppress(ValueError):
        return max(0.0, float(value or 0))
    with suppress(ValueError, TypeError):
        return max(0.0, (parsedate_to_datetime(str(value)) - datetime.now(UTC)).total_seconds())
    return 0.0  # neither, so our own back-off has to do
