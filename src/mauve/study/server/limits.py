"""Limit requests: their size, the time they take to arrive, and their number by sender."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mauve.study.server.replies import refusal, retry_after


@dataclass(frozen=True)
class Limits:
    """What one sender may send.

    Parameters
    ----------
    body_bytes : int
        Length of a request. The longest one is a comment of 2,000 characters.
    body_seconds : float
        Until a request must have arrived.
    address_rate, address_burst : float
        Requests per second from one address in the long run, and at once. Many people may share
        an address.
    annotator_rate, annotator_burst : float
        The same for one annotator.
    enrolment_rate, enrolment_burst : float
        People who enrol without an invitation, from one address.

    Examples
    --------
    >>> Limits(address_rate=5).body_bytes
    32768
    """

    body_bytes: int = 32768
    body_seconds: float = 60.0
    address_rate: float = 50.0
    address_burst: float = 500.0
    annotator_rate: float = 5.0
    annotator_burst: float = 40.0
    enrolment_rate: float = 0.1
    enrolment_burst: float = 60.0


class Buckets:
    """A bucket of tokens for each key: a request takes one, and time puts them back.

    Threads may share it.

    Parameters
    ----------
    rate : float
        Tokens that come back per second.
    burst : float
        Tokens that a bucket holds.
    clock : callable
        Returns seconds that never run backwards.
    max_keys : int
        Buckets that are kept; the one used longest ago is forgotten, and would be full again.

    Examples
    --------
    >>> buckets = Buckets(rate=0.5, burst=2, clock=lambda: 0.0)
    >>> [buckets.take("one") for _ in range(3)]
    [0.0, 0.0, 2.0]
    """

    def __init__(
        self,
        rate: float,
        burst: float,
        clock: Callable[[], float] = time.monotonic,
        max_keys: int = 20_000,
    ) -> None:
        self._rate, self._burst, self._clock, self._max_keys = rate, burst, clock, max_keys
        self._levels: OrderedDict[object, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: object) -> float:
        """Take a token; return 0, or the seconds until there is one."""
        with self._lock:
            now = self._clock()
            level, before = self._levels.pop(key, (self._burst, now))
            level = min(self._burst, level + (now - before) * self._rate)
            allowed = level >= 1
            self._levels[key] = (level - 1 if allowed else level, now)
            if len(self._levels) > self._max_keys:
                self._levels.popitem(last=False)
        return 0.0 if allowed else (1 - level) / self._rate


class LimitMiddleware:
    """Refuse requests that are too many, too long or too slow, before anything reads them."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits = app, limits
        self._by_address = Buckets(limits.address_rate, limits.address_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its whole body, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wait = self._by_address.take(address_of(scope))
        if wait:
            message = "Too many requests come from this address."
            await refusal(429, "busy", message, retry_after(wait))(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await self._body(scope, receive)
        except TimeoutError:
            await _closing(408, "slow", "The request took too long.")(scope, receive, send)
            return
        if body is None:
            await _closing(413, "long", "The request is too long.")(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body of a request, or None as soon as it is too long."""
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > self._limits.body_bytes:
            return None
        body: bytes = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self._limits.body_bytes:
                return None
            if message["type"] == "http.disconnect" or not message.get("more_body", False):
                return body


def address_of(scope: Scope) -> str:
    """Return the address that a request came from; behind a proxy, the one it names."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _closing(status: int, code: str, message: str) -> ASGIApp:
    # The rest of the body is not read, so the connection cannot go on.
    return refusal(status, code, message, {"Connection": "close"})


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that gives a body that was read already, and then what follows."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
