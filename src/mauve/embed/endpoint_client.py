"""Send requests to an HTTP endpoint: redirects, retries, and what its refusals mean."""

import json
import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from socket import gaierror
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit

import httpx2
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from mauve.calls import by_world
from mauve.embed.endpoint_address import is_local
from mauve.errors import InvalidParameterError, MauveError
from mauve.escape import escaped

_MAX_WAIT = 300.0  # seconds; a server that asks for more has a quota that no retry outwaits
_MAX_REDIRECTS = 10

# Errors that waiting does not cure: nobody listens, there is no such host, or, as a
# ValueError, a certificate that is not valid or a redirect to a malformed address.
_PERMANENT = (ConnectionRefusedError, gaierror, ValueError, httpx2.InvalidURL)


class EndpointError(MauveError, OSError):
    """An endpoint cannot be reached, refuses a request, or returns an unusable answer."""


def only_model(client: "EndpointClient", url: str) -> str:
    """Return the name of the one model that an endpoint lists at `url`, or raise."""
    status, answer = client.request(url)
    names: list[str] = []
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        names = [str(entry["id"]) for entry in json.loads(answer)["data"]]
    if len(names) != 1:
        got = escaped(", ".join(names))
        got = got or f"status {status} with {client.quoted(answer)}"
        how = by_world(python="model=NAME, or with ", command="")
        raise InvalidParameterError(
            f"{url} must list one model where none is named. Got {got} instead: "
            f"name one with {how}#model=NAME behind the URL."
        )
    return names[0]


def refusal_remedy(status: int) -> str:
    """Return what to do about a refusal, where the status says it.

    Examples
    --------
    >>> refusal_remedy(404), refusal_remedy(400)
    (': check address and model', '')
    """
    if status == 401:
        return f": set $MAUVE_API_KEY{by_world(python=' or pass api_key', command='')}"
    return ": check address and model" if status == 404 else ""


class EndpointClient:
    """A client of one endpoint, for one thread, that repeats requests which failed.

    Parameters
    ----------
    url : str
        The address that requests go to.
    authorization : str
        Header that carries the key, sent to the origin of `url` only; empty for none.
    timeout, retries, backoff
        See :class:`mauve.embed.endpoint.EndpointEmbedder`.
    stop : threading.Event
        Ends a wait for the next try when it is set.
    """

    def __init__(
        self,
        url: str,
        authorization: str,
        *,
        timeout: float,
        retries: int,
        backoff: float,
        stop: threading.Event,
    ) -> None:
        self.url = url
        self._authorization, self._backoff, self._stop = authorization, backoff, stop
        verify = _certificates()
        # A client with a transport of its own uses no proxy. A proxy cannot reach this
        # machine, and would see the key.
        transport = httpx2.HTTPTransport(verify) if is_local(urlsplit(url)) else None
        headers = {"Content-Type": "application/json", "User-Agent": "mauve-eval"}
        try:
            self._http = httpx2.Client(
                headers=headers, timeout=timeout, verify=verify, transport=transport
            )
        except (ValueError, ImportError, httpx2.InvalidURL) as error:
            raise EndpointError(
                f"{url} cannot be reached through the proxy that the environment names "
                f"({error}): correct $HTTP_PROXY, $HTTPS_PROXY and $ALL_PROXY, or unset them."
            ) from None
        self._retrying = Retrying(
            retry=retry_if_exception(_is_transient),
            stop=stop_after_attempt(1 + retries),
            wait=self._wait,
            sleep=self._sleep,
            reraise=True,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def request(self, url: str, body: dict[str, Any] | None = None) -> tuple[int, bytes]:
        """GET, or POST `body` as JSON; return the status, below 500 and not 429, and the answer."""
        # json.dumps escapes half a surrogate pair, which UTF-8 cannot encode.
        content = None if body is None else json.dumps(body).encode()
        try:
            response = self._retrying(self._attempt, url, content)
        except _AttemptError as error:
            n_tries = self._retrying.statistics["attempt_number"]
            raise EndpointError(
                f"{url} {error} at try {n_tries}: check the server, or raise timeout or retries."
            ) from None
        return response.status_code, response.content

    def quoted(self, answer: bytes | str) -> str:
        """Return what a server says for use in a message: short, escaped, without the key."""
        text = answer if isinstance(answer, str) else answer.decode(errors="replace")
        with suppress(ValueError, RecursionError):  # an answer that is not JSON stays as it is
            content = json.loads(text)
            for name in ("error", "message", "detail"):  # as OpenAI, then vLLM, then FastAPI
                content = content.get(name, content) if isinstance(content, dict) else content
            is_text = isinstance(content, str)
            text = content if is_text else json.dumps(content, ensure_ascii=False)
        # A server may repeat the key, so it is removed before the text is cut.
        key = self._authorization.rpartition(" ")[2]
        return escaped((text.replace(key, "***") if key else text).strip())[:200]

    def _attempt(self, url: str, content: bytes | None) -> httpx2.Response:
        headers = {"Authorization": self._authorization} if self._authorization else {}
        method = "GET" if content is None else "POST"
        try:
            request = self._http.build_request(method, url, content=content, headers=headers)
            response = self._follow(request)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            reason = self.quoted(str(error) or type(error).__name__)
            is_transient = not any(isinstance(cause, _PERMANENT) for cause in _causes(error))
            raise _AttemptError(f"gave no answer ({reason})", is_transient=is_transient) from error
        if response.status_code != 429 and response.status_code < 500:
            return response
        problem = f"answered with {response.status_code} ({self.quoted(response.content)})"
        seconds = retry_after(response.headers.get("Retry-After"))
        if seconds:
            problem += f", asked to wait {seconds:g} s,"
        raise _AttemptError(problem, is_transient=seconds <= _MAX_WAIT, retry_after=seconds)

    def _follow(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and again where it is redirected; the key stays with its origin.

        httpx would turn a POST into a GET after most redirects, and raise after too many.
        """
        response = self._http.send(request)
        for _ in range(_MAX_REDIRECTS):
            if not response.has_redirect_location:
                break
            target = request.url.join(response.headers["Location"])
            headers = {}
            if "Authorization" in request.headers and _origin(target) == _origin(request.url):
                headers["Authorization"] = request.headers["Authorization"]
            request = self._http.build_request(
                request.method, target, content=request.content or None, headers=headers
            )
            response = self._http.send(request)
        return response

    def _wait(self, state: RetryCallState) -> float:
        # SystemRandom: a retry must not advance the generator that a user has seeded.
        jitter = random.SystemRandom().uniform(0.5, 1.5)
        seconds = min(_MAX_WAIT, self._backoff * 2.0 ** (state.attempt_number - 1) * jitter)
        error = state.outcome.exception() if state.outcome else None
        return seconds + (error.retry_after if isinstance(error, _AttemptError) else 0.0)

    def _sleep(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise _AttemptError("was given up", is_transient=False)


class _AttemptError(Exception):
    """A request that failed, and whether the same request may succeed later."""

    def __init__(self, problem: str, *, is_transient: bool, retry_after: float = 0.0) -> None:
        super().__init__(problem)
        self.is_transient, self.retry_after = is_transient, retry_after


def _is_transient(error: BaseException) -> bool:
    return isinstance(error, _AttemptError) and error.is_transient


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and the errors that caused it; httpx wraps those of the socket."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@cache
def _certificates() -> SSLContext:
    """Return the certificates to trust, which take about 50 ms to read."""
    return httpx2.create_ssl_context()


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def retry_after(header: str | None) -> float:
    """Return the seconds of a Retry-After header, which holds a number or a date.

    Examples
    --------
    >>> retry_after("2.5"), retry_after("Thu, 01 Jan 1970 00:00:00 GMT"), retry_after("soon")
    (2.5, 0.0, 0.0)
    """
    with suppress(ValueError):
        return max(0.0, float(header or 0))
    with suppress(ValueError, TypeError):
        return max(0.0, (parsedate_to_datetime(str(header)) - datetime.now(UTC)).total_seconds())
    return 0.0  # neither, so the back-off has to do
