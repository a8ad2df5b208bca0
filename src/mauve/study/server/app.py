"""Build the web application of a study."""

from fastapi import FastAPI, Request, Response
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from mauve.study.server.api import annotator_api
from mauve.study.server.assets import load_assets
from mauve.study.server.dashboard import operator_api
from mauve.study.server.limits import LimitMiddleware, Limits
from mauve.study.server.replies import Denied, add_error_handlers
from mauve.study.server.security import SecurityMiddleware
from mauve.study.server.service import Service
from mauve.study.store.database import Study


def create_app(
    study: Study,
    *,
    limits: Limits | None = None,
    public_url: str | None = None,
    return_url: str | None = None,
    log_requests: bool = False,
) -> FastAPI:
    """Return the web application of a study, for any ASGI server.

    Parameters
    ----------
    study : Study
        As :func:`~mauve.study.store.opening.open_study` returns it.
    limits : Limits, optional
        What one sender may send.
    public_url : str, optional
        Address that people open, if a proxy stands between them and the server.
    return_url : str, optional
        Link at the end; ``{code}`` in it stands for the completion code.
    log_requests : bool
        Whether to log requests, to ``mauve.study.server`` and without secrets.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> app = create_app(example_study())
    >>> app.title
    'mauve study'
    """
    limits = limits or Limits()
    service = Service(study, limits, public_url, return_url)
    assets = load_assets()
    app = FastAPI(
        title="mauve study",
        # Its pages of documentation load scripts from elsewhere.
        openapi_url=None,
        middleware=[
            Middleware(SecurityMiddleware, public_url=public_url, log_requests=log_requests),
            Middleware(LimitMiddleware, limits=limits),
            Middleware(GZipMiddleware, minimum_size=500),
        ],
    )
    add_error_handlers(app)
    app.include_router(annotator_api(service))
    app.include_router(operator_api(service))

    @app.get("/assets/{name}")
    async def asset(name: str, request: Request) -> Response:
        if name not in assets or name.endswith(".html"):
            raise Denied(404, "unknown", "There is nothing here.")
        return assets[name].response(request)

    @app.get("/")
    async def annotation_page(request: Request) -> Response:
        return assets["index.html"].response(request)

    @app.get("/operator")
    async def operator_page(request: Request) -> Response:
        return assets["operator.html"].response(request)

    @app.api_route("/health", methods=["GET", "HEAD"])  # monitors ask by either
    async def health() -> dict[str, str]:
        paused = await service.read(lambda: study.is_paused)
        return {"study": "paused" if paused else "open"}

    return app
