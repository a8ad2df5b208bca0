"""What all requests share: the study, the threads that use it, sessions, and who is asking."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Request, Response

from mauve.study.server.limits import Buckets, Limits, address_of
from mauve.study.server.replies import Denied
from mauve.study.server.security import is_secure, origin_of
from mauve.study.store.database import Study

T = TypeVar("T")

_READERS = 4
_SESSION_SECONDS = 180 * 24 * 3600
_OPERATOR_SECONDS = 12 * 3600


class Service:
    """A study that is served.

    Parameters
    ----------
    study : Study
    limits : Limits
    public_url : str, optional
        Address that people open, if a proxy stands in between.
    return_url : str, optional
        Link at the end; ``{code}`` in it stands for the completion code.

    Attributes
    ----------
    key : str
        Tells studies apart in one browser, where several may share an address.
    """

    def __init__(
        self, study: Study, limits: Limits, public_url: str | None, return_url: str | None
    ) -> None:
        self.study, self.return_url = study, return_url
        self.key = hashlib.sha256(f"{study.name}\n{study.settings.title}".encode()).hexdigest()[:8]
        self._origin = origin_of(public_url) if public_url else None
        self._annotators = Buckets(limits.annotator_rate, limits.annotator_burst)
        self._enrolments = Buckets(limits.enrolment_rate, limits.enrolment_burst)
        # Writes queue here, first come first served; the database itself would not keep the order.
        self._writers, self._readers = CapacityLimiter(1), CapacityLimiter(_READERS)

    async def write(self, work: Callable[..., T], *arguments: object) -> T:
        """Run work that changes the database, after the work that came before."""
        return await to_thread.run_sync(partial(work, *arguments), limiter=self._writers)

    async def read(self, work: Callable[..., T], *arguments: object) -> T:
        """Run work that only reads, beside other work."""
        return await to_thread.run_sync(partial(work, *arguments), limiter=self._readers)

    def token(self, request: Request, role: str) -> str:
        """Return the token that the browser keeps for a role, or nothing."""
        return request.cookies.get(self._cookie(request, role), "")

    def remember(self, request: Request, response: Response, role: str, token: str) -> None:
        """Have the browser keep a token where no script and no other site can use it."""
        response.set_cookie(
            self._cookie(request, role),
            token,
            max_age=_OPERATOR_SECONDS if role == "operator" else _SESSION_SECONDS,
            path="/",
            secure=is_secure(request.scope, self._origin),
            httponly=True,
            samesite="strict",
        )

    def forget(self, request: Request, response: Response, role: str) -> None:
        """Have the browser delete a token."""
        secure = is_secure(request.scope, self._origin)
        name = self._cookie(request, role)
        response.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="strict")

    def _cookie(self, request: Request, role: str) -> str:
        # Browsers take the prefix from HTTPS alone, and for no other host or path.
        prefix = "__Host-" if is_secure(request.scope, self._origin) else ""
        return f"{prefix}mauve-{role}-{self.key}"

    def limit_annotator(self, number: int) -> None:
        """Count a request of an annotator; raise if there were too many."""
        wait = self._annotators.take(number)
        if wait:
            raise Denied(429, "busy", "Too many requests.", wait=wait)

    def limit_enrolment(self, request: Request) -> None:
        """Count a person who enrols without an invitation; raise if there were too many."""
        wait = self._enrolments.take(address_of(request.scope))
        if wait:
            raise Denied(429, "busy", "Many people have joined from your network.", wait=wait)
