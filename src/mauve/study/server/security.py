"""Protect the pages: headers for browsers, and no request that another site has made."""

import time
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mauve.study.server.replies import LOGGER, internal_error, refusal

#: Header that the scripts of the pages send; another site cannot without being allowed to.
PAGE_HEADER = "X-Mauve-Study"

# No script, style or connection but this server's own, no text that becomes markup.
_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)

_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex",
}

_SAFE_METHODS = ("GET", "HEAD")


class SecurityMiddleware:
    """Check where a request comes from, add the headers, answer errors, and log without secrets.

    Parameters
    ----------
    app : ASGI application
    public_url : str, optional
        Address that people open, if a proxy stands in between; else it is that of the request.
    log_requests : bool
        Whether to log method, path, status and time: never the query, the body, a cookie or an
        address, and no path that is none of ours, in which a token may have been pasted.
    """

    def __init__(self, app: ASGIApp, public_url: str | None, log_requests: bool) -> None:
        self._app = app
        self._origin = origin_of(public_url) if public_url else None
        self._log_requests = log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("Cache-Control", "no-store")
                if is_secure(scope, self._origin):
                    headers["Strict-Transport-Security"] = "max-age=31536000"
            await send(message)

        if not self._comes_from_the_page(scope):
            message = (
                "This request does not come from the page of the study: open it at its address."
            )
            await refusal(403, "origin", message)(scope, receive, send_with_headers)
        else:
            try:
                await self._app(scope, receive, send_with_headers)
            except Exception as error:
                reply = internal_error(error)
                if status == 0:  # else the reply has begun, and can only break off
                    await reply(scope, receive, send_with_headers)
        if self._log_requests:
            path = getattr(scope.get("route"), "path", "(unknown)")
            taken = 1000 * (time.monotonic() - started)
            LOGGER.info("%s %s %d %.0f ms", scope["method"], path, status, taken)

    def _comes_from_the_page(self, scope: Scope) -> bool:
        """Whether a request that changes something was made by our page, as its browser says."""
        if scope["method"] in _SAFE_METHODS:
            return True
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        try:
            expected = self._origin or origin_of(f"{scope['scheme']}://{headers.get('host', '')}")
        except ValueError:  # a host that is none
            return False
        return headers.get(PAGE_HEADER) == "1" and origin != "" and origin == expected


def origin_of(url: str) -> str:
    """Return the origin of a URL as browsers name it.

    Examples
    --------
    >>> origin_of("https://Study.example.org:443/round-1/")
    'https://study.example.org'
    """
    parts = urlsplit(url)
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    if ":" in host:
        host = f"[{host}]"
    port = parts.port
    usual = {"http": 80, "https": 443}.get(scheme)
    return f"{scheme}://{host}" + (f":{port}" if port and port != usual else "")


def is_secure(scope: Scope, origin: str | None) -> bool:
    """Whether people reach the server by HTTPS."""
    return scope["scheme"] == "https" or (origin is not None and origin.startswith("https:"))
