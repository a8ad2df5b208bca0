"""Serve a study over HTTP until it is told to stop."""

import logging
import os
import socket
import sys
from collections.abc import Callable

import uvicorn

from mauve.errors import OutputError, check_int, check_real
from mauve.study.addresses import check_address
from mauve.study.server.app import create_app
from mauve.study.server.limits import Limits
from mauve.study.server.replies import LOGGER
from mauve.study.store.database import Study

_CONNECTIONS = 1000
_BACKLOG = 512


def serve(
    study: Study,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    public_url: str | None = None,
    return_url: str | None = None,
    requests_per_second: float = 50,
    log_requests: bool = False,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Serve a study until the process is interrupted or terminated.

    Requests that have begun are answered first. Killed instead, the server loses no answer that
    it has acknowledged: each is on disk before the acknowledgement.

    Parameters
    ----------
    study : Study
        As :func:`~mauve.study.store.opening.open_study` returns it.
    host : str
        Address to listen on; the default one is for this machine alone.
    port : int
        Port to listen on; 0 takes one that is free.
    public_url : str, optional
        Address that people open, if a proxy stands between them and the server.
    return_url : str, optional
        Link at the end; ``{code}`` in it stands for the completion code.
    requests_per_second : float
        Requests from one address that are answered in the long run.
    log_requests : bool
        Whether to log requests on standard error: method, path, status and time, and no secrets.
    announce : callable, optional
        Is given the address of the page once the server listens.

    Raises
    ------
    InvalidParameterError
        If an address is none.
    OutputError
        If the server cannot listen there.
    """
    check_int("port", port, 0, 65535)
    check_real("requests_per_second", requests_per_second, above=0)
    if public_url is not None:
        check_address("public_url", public_url)
    if return_url is not None:
        check_address("return_url", return_url, is_page=False)
    limits = Limits(
        address_rate=requests_per_second, address_burst=max(500.0, 10 * requests_per_second)
    )
    app = create_app(
        study,
        limits=limits,
        public_url=public_url,
        return_url=return_url,
        log_requests=log_requests,
    )
    with _listening(host, port) as listener:
        _set_up_logging(log_requests)
        config = uvicorn.Config(
            app,
            lifespan="off",
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,  # it would show the query, which names people
            server_header=False,
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=10,
        )
        if announce is not None:
            announce(public_url or _address(host, listener.getsockname()[1]))
        uvicorn.Server(config).run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = found[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        # Python adds the address to the words of the system, and names of hosts have no number.
        number = error.errno or 0
        cause = os.strerror(number) if number > 0 else error.strerror or error
        raise OutputError(
            f"The server cannot listen on {host} port {port} ({cause}): name another host or port."
        ) from error


def _address(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def _set_up_logging(log_requests: bool) -> None:
    if not LOGGER.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO if log_requests else logging.WARNING)
