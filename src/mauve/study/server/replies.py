"""Answer with JSON: refusals in one form, with a code for the page and a sentence for people."""

import logging
import math
import traceback

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from mauve.study.store.database import UnusableStudyError
from mauve.study.store.refusals import (
    ConsentError,
    EnrolmentError,
    LeaseError,
    RefusalError,
    SubmissionError,
)

LOGGER = logging.getLogger("mauve.study.server")

#: Status and code of what the store refuses.
_REFUSALS: dict[type[RefusalError], tuple[int, str]] = {
    EnrolmentError: (403, "enrolment"),
    ConsentError: (409, "consent"),
    LeaseError: (409, "lease"),
    SubmissionError: (422, "submission"),
}


class Denied(Exception):  # noqa: N818 - what happens to the request
    """The server refuses a request, whatever the store would say.

    Parameters
    ----------
    status : int
        HTTP status.
    code : str
        For the page.
    message : str
        One sentence for the person who sees the page.
    wait : float
        Seconds after which the request would be answered; 0 if waiting changes nothing.
    """

    def __init__(self, status: int, code: str, message: str, *, wait: float = 0.0) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.headers = retry_after(wait) if wait else None


def retry_after(wait: float) -> dict[str, str]:
    """Return the header that names the seconds to wait.

    Examples
    --------
    >>> retry_after(0.2)
    {'Retry-After': '1'}
    """
    return {"Retry-After": str(math.ceil(wait))}


def refusal(
    status: int, code: str, message: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    """Return a refusal as all pages read it.

    Examples
    --------
    >>> refusal(404, "unknown", "There is nothing here.").body
    b'{"error":{"code":"unknown","message":"There is nothing here."}}'
    """
    content = {"error": {"code": code, "message": message}}
    return JSONResponse(content, status_code=status, headers=headers)


def internal_error(error: BaseException) -> JSONResponse:
    """Return a 500, and log where it happened without its message, which may hold a token."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    LOGGER.error("internal error: %s\n%s", type(error).__name__, frames.rstrip())
    return refusal(500, "internal", "The server made a mistake. Please try again.")


def add_error_handlers(app: FastAPI) -> None:
    """Have an application answer errors in the form of :func:`refusal`."""

    @app.exception_handler(Denied)
    async def denied(_: Request, error: Denied) -> JSONResponse:
        return refusal(error.status, error.code, error.message, error.headers)

    @app.exception_handler(RefusalError)
    async def refused(_: Request, error: RefusalError) -> JSONResponse:
        status, code = _REFUSALS.get(type(error), (409, "refused"))
        return refusal(status, code, str(error))

    @app.exception_handler(UnusableStudyError)
    async def unusable(_: Request, error: UnusableStudyError) -> JSONResponse:
        LOGGER.error("%s", error)  # names the database, never what was sent
        return refusal(503, "unavailable", "The server cannot store answers just now.")

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        # The names of fields alone: values can be tokens. The first part says where: the body.
        names = {str(part) for each in error.errors() for part in each["loc"][1:2]}
        named = ", ".join(sorted(name[:32] for name in names if name.isidentifier())) or "JSON"
        return refusal(422, "invalid", f"The request is invalid: {named}.")

    @app.exception_handler(HTTPException)
    async def unknown(_: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 400:  # a body that not even the parser of JSON gets through
            return refusal(422, "invalid", "The request is invalid: JSON.")
        return refusal(error.status_code, "unknown", "There is nothing here.")
