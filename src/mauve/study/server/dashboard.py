"""What the dashboard asks for and changes; all of it needs the operator's token."""

import threading
import time
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request, Response

from mauve.errors import InvalidParameterError
from mauve.study.agreement import agreement
from mauve.study.server.replies import Denied
from mauve.study.server.requests import Decision, Login, Nothing
from mauve.study.server.service import Service
from mauve.study.store.collected import study_ratings
from mauve.study.store.control import exclude, include, pause, resume
from mauve.study.store.database import Study
from mauve.study.store.people import is_operator
from mauve.study.store.reports import annotator_reports, pair_progress, study_progress

State = dict[str, Any]

_DRAWS = 100  # the least that an interval takes; the dashboard shows none
_SHARE = 0.05  # of the server's time that reports may take, however large the study


class _Remembered:
    """The result of slow work, done again only when it is old for the time that it takes.

    Threads may share it: one works, and the others wait for what it finds.
    """

    def __init__(self, work: Callable[[], State]) -> None:
        self._work = work
        self._result: State | None = None
        self._until = 0.0
        self._n_changes = 0
        self._lock = threading.Lock()

    def get(self) -> State:
        with self._lock:
            started = time.monotonic()
            if self._result is None or started >= self._until:
                n_changes = self._n_changes
                self._result = self._work()
                ended = time.monotonic()
                self._until = ended + (ended - started) / _SHARE
                if self._n_changes != n_changes:  # meanwhile: who asks next has it done again
                    self._until = 0.0
            return self._result

    def forget(self) -> None:
        # Without the lock: a change does not wait for work under way.
        self._n_changes += 1
        self._until = 0.0


def operator_api(service: Service) -> APIRouter:
    """Return the addresses that the dashboard uses."""
    api = APIRouter(prefix="/api/operator")
    study = service.study
    overview = _Remembered(lambda: _overview(study))
    agreements = _Remembered(lambda: _agreement(study))

    def check(request: Request) -> None:
        """Refuse who is not the operator; within a thread of the service."""
        token = service.token(request, "operator")
        if not token or not is_operator(study, token):
            raise Denied(401, "session", "The dashboard needs the operator's token.")

    async def change(request: Request, work: Callable[..., None], *arguments: object) -> State:
        def checked() -> State:
            check(request)
            try:
                work(study, *arguments)
            except InvalidParameterError as error:
                raise Denied(404, "unknown", str(error)) from error
            overview.forget()
            agreements.forget()
            return {"changed": True}

        return await service.write(checked)

    @api.post("/login")
    async def login(content: Login, request: Request, response: Response) -> State:
        if not await service.read(is_operator, study, content.token):
            raise Denied(401, "session", "That is not the operator's token of this study.")
        service.remember(request, response, "operator", content.token)
        return {"operator": True}

    @api.post("/logout")
    async def logout(_: Nothing, request: Request, response: Response) -> State:
        service.forget(request, response, "operator")
        return {"operator": False}

    @api.get("/overview")
    async def seen(request: Request) -> State:
        def work() -> State:
            check(request)
            return {**overview.get(), "paused": study.is_paused}

        return await service.read(work)

    @api.get("/agreement")
    async def agreed(request: Request) -> State:
        def work() -> State:
            check(request)
            return agreements.get()

        return await service.read(work)

    @api.post("/pause")
    async def paused(_: Nothing, request: Request) -> State:
        return await change(request, pause)

    @api.post("/resume")
    async def resumed(_: Nothing, request: Request) -> State:
        return await change(request, resume)

    @api.post("/annotators/{number}/exclude")
    async def excluded(number: int, content: Decision, request: Request) -> State:
        return await change(request, exclude, number, content.reason)

    @api.post("/annotators/{number}/include")
    async def included(number: int, content: Decision, request: Request) -> State:
        return await change(request, include, number, content.reason)

    return api


def _overview(study: Study) -> State:
    settings = study.settings
    return {
        "title": settings.title,
        "totals": study_progress(study).to_dict(),
        "pairs": [pair.to_dict() for pair in pair_progress(study)],
        # Codes and the identifiers of other platforms are not needed to look at the work.
        "annotators": [
            {
                name: value
                for name, value in report.to_dict().items()
                if name not in ("completion_code", "external_id")
            }
            for report in annotator_reports(study)
        ],
        "rules": {
            "min_active_seconds": settings.min_active_seconds,
            "max_failed_checks": settings.max_failed_checks,
        },
    }


def _agreement(study: Study) -> State:
    ratings = study_ratings(study, valid_only=False)
    rows = []
    for question in ratings.questions:
        row: State = {"question": question, "alpha": None, "n_units": 0, "same_side": None}
        try:
            found = agreement(ratings, question, n_draws=_DRAWS)
        except InvalidParameterError:  # no texts that several people have rated
            rows.append(row)
            continue
        row["alpha"] = found["ordinal"].value
        row["n_units"] = found.n_units
        row["same_side"] = found.same_direction
        rows.append(row)
    return {"questions": rows}
