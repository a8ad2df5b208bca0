"""mauve study serve: the annotation page and the dashboard of a study."""

from contextlib import suppress
from typing import Annotated

import typer

from mauve.cli.study_operate import Location
from mauve.cli.terminal import new_console, printing, say, say_warnings
from mauve.escape import escaped

_LOCAL = ("127.0.0.1", "::1", "localhost")


def serve_command(
    location: Location,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Address to listen on; 127.0.0.1 is for this machine alone."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(metavar="N", min=0, max=65535, help="Port to listen on; 0 takes a free one."),
    ] = 8000,
    public_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Address that people open, where a proxy with HTTPS stands before this server.",
        ),
    ] = None,
    return_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Link at the end, such as Prolific's; {code} stands for the completion code.",
        ),
    ] = None,
    requests_per_second: Annotated[
        float,
        typer.Option(metavar="X", help="Requests that one address may send in the long run."),
    ] = 50.0,
    log_requests: Annotated[
        bool,
        typer.Option(
            "--log-requests",
            help="Log method, path, status and time of each request on stderr: no tokens, "
            "no addresses.",
        ),
    ] = False,
) -> None:
    """Serve the annotation page of a study, and the operator's dashboard.

    Ctrl-C stops it. No answer that the page has shown as sent is lost, however the server ends.
    """
    from mauve.study.server.run import serve
    from mauve.study.store.opening import open_study

    is_encrypted = public_url is not None and public_url.startswith("https:")
    if host not in _LOCAL and not is_encrypted:
        say_warnings(
            [
                "Answers and session cookies travel unencrypted: put a proxy with HTTPS before the "
                "server and name its address with --public-url."
            ]
        )

    def announce(address: str) -> None:
        console = new_console()
        base = address.rstrip("/")
        with printing():
            console.print(f"page:      {escaped(base)}/", soft_wrap=True)
            console.print(f"dashboard: {escaped(base)}/operator", soft_wrap=True)

    study = open_study(location)
    # Ctrl-C is how a server ends. Where a shell has it ignored, the server returns all the same.
    try:
        with suppress(KeyboardInterrupt):
            serve(
                study,
                host=host,
                port=port,
                public_url=public_url,
                return_url=return_url,
                requests_per_second=requests_per_second,
                log_requests=log_requests,
                announce=announce,
            )
        say("note", "the server has stopped")
    finally:
        study.close()
