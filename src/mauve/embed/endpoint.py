"""Embed texts with a server that implements OpenAI's ``/v1/embeddings``: vLLM, TEI, Ollama, ..."""

import base64
import json
import re
import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, InitVar, dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from mauve.embed.endpoint_address import address, authorization, named_model, split_url
from mauve.embed.endpoint_client import EndpointClient, EndpointError, only_model, refusal_remedy
from mauve.embed.endpoint_threads import answers
from mauve.embed.protocol import Embedded
from mauve.embed.reading import Reading
from mauve.errors import check_int, check_real
from mauve.escape import escaped
from mauve.progress import Progress

Row = NDArray[np.float32]  # shape (d,)


# Servers word it differently: "batch size 64 > maximum allowed batch size 32", "array too
# long", "Too many inputs". A wrong guess costs a few requests and ends in the same error.
_TOO_LARGE = re.compile(
    r"(?is)(?=.*\b(?:batch|array|inputs?|items|request)\b)"
    r"(?=.*(?:too (?:large|long|many|big)|larger|max|exceed|limit|at most|less than))"
)


@dataclass(frozen=True)
class EndpointEmbedder:
    """Features of texts from a server, with several requests at once.

    Parameters
    ----------
    url : str
        ``http://HOST:PORT``, with or without ``/v1`` or ``/v1/embeddings``; the attribute
        ends in ``/embeddings``. ``#model=NAME`` behind it names the model, and
        ``USER:PASSWORD@`` before the host is sent as basic authentication.
    model : str, optional
        Overrides the name in the URL. Without either, the server must have exactly one
        model; its name is requested when it is first needed.
    api_key : str, optional
        Sent over https or to this machine only. The default is ``$MAUVE_API_KEY``, then, for
        OpenAI and this machine, ``$OPENAI_API_KEY``; an empty string sends no key.
    batch_size : int
        Texts in one request; it is halved when the server refuses a request as too large.
    n_connections : int
        Requests that are sent at once.
    timeout : float
        Seconds of silence after which a request has failed.
    retries : int
        Number of retries after status 429 or 5xx, a timeout or a dropped connection.
    dimensions : int, optional
        Width of the features, for models that can shorten them.
    backoff : float
        Seconds before the first retry, plus or minus a random half; doubled for each
        further retry. The seconds of a Retry-After header are added.
    reads : Reading, optional
        What the model behind the server can read; by default it is not known.

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
    reads: Reading | None = None
    authorization: str = field(init=False, repr=False, compare=False)

    def __post_init__(self, api_key: str | None) -> None:
        parts = split_url(self.url)
        model = named_model(parts, self.model)
        check_int("batch_size", self.batch_size, 1)
        check_int("n_connections", self.n_connections, 1, 1000, "each is a thread")
        check_int("retries", self.retries, 0, 100)
        check_real("timeout", self.timeout, above=0, up_to=86400)
        check_real("backoff", self.backoff, above=0, up_to=86400)
        if self.dimensions is not None:
            check_int("dimensions", self.dimensions, 1)
        # A frozen dataclass allows no other way to set a field in __post_init__.
        object.__setattr__(self, "url", address(parts))
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "authorization", authorization(api_key, parts))

    @property
    def signature(self) -> str:
        """Model, host, path unless it is ``/v1``, and `dimensions` if they are given."""
        parts = urlsplit(self.url)
        path = parts.path.removesuffix("/embeddings").removesuffix("/v1")
        width = f"-{self.dimensions}" if self.dimensions else ""
        text = f"endpoint:{escaped(self._model)}@{parts.netloc}{path}{width}"
        return text.replace("|", "%7C")

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts, which are not empty; their token counts are not known."""
        job, n, n_done = _Job(self, self._model, texts), len(texts), 0
        features = np.empty((0, 0), np.float32)
        with closing(job.results()) as results:
            for start, rows in results:
                if not n_done:
                    features = np.empty((n, self.dimensions or len(rows[0])), np.float32)
                self._fill(features, start, rows)
                n_done += len(rows)
                if on_progress is not None:
                    on_progress("embedding", n_done, n)
        return Embedded(features, np.full(n, -1, np.int64), np.zeros(n, np.bool_))

    def client(self, stop: threading.Event) -> EndpointClient:
        """Return a client for one thread, which stops waiting for a retry when `stop` is set."""
        return EndpointClient(
            self.url, self.authorization,
            timeout=self.timeout, retries=self.retries, backoff=self.backoff, stop=stop,
        )  # fmt: skip

    def _fill(self, features: NDArray[np.float32], start: int, rows: list[Row]) -> None:
        width = features.shape[1]
        for position, row in enumerate(rows, start):
            if len(row) != width or not np.isfinite(row).all():
                got = len(row) if len(row) != width else "NaN or a number beyond 32 bits"
                raise EndpointError(
                    f"{self.url} must return {width} finite numbers for each text. "
                    f"Got {got} for the text at position {position} instead."
                )
            features[position] = row

    @cached_property
    def _model(self) -> str:
        """The name of the model, from the server if the user named none."""
        if self.model is not None:
            return self.model
        url = self.url.removesuffix("/embeddings") + "/models"
        with closing(self.client(threading.Event())) as client:
            return only_model(client, url)


class _Job:
    """One call of `embed`: batches of texts that several threads send to the server."""

    def __init__(self, embedder: EndpointEmbedder, model: str, texts: Sequence[str]) -> None:
        self.embedder, self.model, self.texts = embedder, model, texts
        self.stop = threading.Event()
        # Threads change it without a lock: at worst a race leads to one more refused batch.
        self.limit = embedder.batch_size

    def results(self) -> Generator[tuple[int, list[Row]]]:
        """Yield the start and the rows of each batch as they arrive, or raise the first error."""
        return answers(
            range(0, len(self.texts), self.embedder.batch_size),
            lambda client, start: (start, self._batch(client, start)),
            lambda: self.embedder.client(self.stop),
            n_connections=self.embedder.n_connections,
            stop=self.stop,
        )

    def _batch(self, client: EndpointClient, start: int) -> list[Row]:
        """Return a row for each text of the batch from `start`, in parts if it is too large."""
        end = min(start + self.embedder.batch_size, len(self.texts))
        url, dimensions = self.embedder.url, self.embedder.dimensions
        rows: list[Row] = []
        while start < end:
            part = list(self.texts[start : min(start + self.limit, end)])
            body = {"model": self.model, "input": part, "encoding_format": "float"}
            status, answer = client.request(
                url, body | ({"dimensions": dimensions} if dimensions else {})
            )
            if status < 300:
                rows += _parsed_rows(client, answer, len(part))
                start += len(part)
                continue
            reason = client.quoted(answer)
            too_large = status == 413 or (status in (400, 422) and _TOO_LARGE.match(reason))
            if not too_large or len(part) == 1:
                raise EndpointError(
                    f"{url} refused the text at position {start}{' and others' * (len(part) > 1)} "
                    f"with {status} ({reason}){refusal_remedy(status)}."
                )
            self.limit = min(self.limit, len(part) // 2)
        return rows


def _parsed_rows(client: EndpointClient, answer: bytes, n: int) -> list[Row]:
    """Return the rows of an answer in the order of its n texts."""
    try:
        data = json.loads(answer)["data"]
        rows = {
            entry.get("index", i): _parsed_row(entry["embedding"]) for i, entry in enumerate(data)
        }
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
        raise EndpointError(
            f"{client.url} must answer with JSON that holds a row of numbers for each text. "
            f"Got {client.quoted(answer) or 'nothing'} instead."
        ) from None
    if len(data) != n or rows.keys() != set(range(n)):
        raise EndpointError(
            f"{client.url} must return a row for each text, numbered from 0 to {n - 1} by "
            f"'index'. Got {len(data)} rows ({client.quoted(', '.join(map(str, rows)))}) instead."
        )
    return [rows[i] for i in range(n)]


def _parsed_row(embedding: Any) -> Row:
    """Return one embedding, a list of numbers or little-endian float32 in base64."""
    if isinstance(embedding, str):
        row = np.frombuffer(base64.b64decode(embedding, validate=True), "<f4").astype(np.float32)
    else:
        with np.errstate(over="ignore"):  # an overflow gives infinity, which is reported later
            row = np.array(embedding, np.float32)
    if row.ndim != 1 or not row.size:
        raise ValueError("not a row")
    return row
