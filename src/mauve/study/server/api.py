"""What the annotation page asks for: who it is, the next pair, and where answers go."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from mauve.study.server.replies import Denied
from mauve.study.server.requests import Consent, Enrolment, Nothing, Renewal, Submission
from mauve.study.server.service import Service
from mauve.study.server.states import after_enrolment, item_state, next_state
from mauve.study.store.assignment import next_item, renew
from mauve.study.store.people import annotator_of, enrol, record_consent
from mauve.study.store.records import Annotator, Answer, ExternalIds
from mauve.study.store.submission import own_items, submit_and_continue

State = dict[str, Any]
_Number = Annotated[int | None, Query(ge=1, le=10**9)]


def annotator_api(service: Service) -> APIRouter:
    """Return the addresses that the annotation page uses.

    Each answer tells the page what to show next, so that a pair takes one request. Every one
    that stores something does so before it answers.
    """
    api = APIRouter(prefix="/api")

    def known(token: str) -> Annotator:
        """Return who asks; within a thread of the service."""
        annotator = annotator_of(service.study, token) if token else None
        if annotator is None:
            raise Denied(401, "session", "Please open the link that you were sent again.")
        service.limit_annotator(annotator.number)
        return annotator

    def entered(state: State) -> State:
        return {"title": service.study.settings.title, **state}

    @api.get("/state")
    async def state(request: Request) -> State:
        token = service.token(request, "annotator")

        def work() -> State:
            annotator = annotator_of(service.study, token) if token else None
            return entered(after_enrolment(service, annotator))

        return await service.read(work)

    @api.post("/enrol")
    async def enrolment(content: Enrolment, request: Request, response: Response) -> State:
        ids = content.external
        external = ExternalIds(ids.person, ids.study, ids.session) if ids else None
        if (content.invite is None) == (external is None):
            raise Denied(422, "invalid", "The link is not complete.")

        if external is not None:
            service.limit_enrolment(request)

        def work() -> tuple[str, State]:
            token = enrol(service.study, invite=content.invite, external=external)
            return token, entered(after_enrolment(service, annotator_of(service.study, token)))

        token, reached = await service.write(work)
        service.remember(request, response, "annotator", token)
        return reached

    @api.post("/consent")
    async def consent(content: Consent, request: Request, response: Response) -> State:
        token = service.token(request, "annotator")

        def work() -> tuple[str, State]:
            study, annotator, new_token = service.study, None, ""
            if token:
                annotator = annotator_of(study, token)
            if annotator is None:
                if study.settings.enrolment != "open":
                    known("")
                service.limit_enrolment(request)
                new_token = enrol(study)
                annotator = annotator_of(study, new_token)
                assert annotator is not None
            record_consent(study, annotator, content.version)
            known_again = annotator_of(study, new_token or token)
            return new_token, entered(after_enrolment(service, known_again))

        new_token, reached = await service.write(work)
        if new_token:
            service.remember(request, response, "annotator", new_token)
        return reached

    @api.post("/next")
    async def next_pair(_: Nothing, request: Request) -> State:
        token = service.token(request, "annotator")

        def work() -> State:
            annotator = known(token)
            return next_state(service, annotator, next_item(service.study, annotator))

        return await service.write(work)

    @api.post("/submit")
    async def submission(content: Submission, request: Request) -> State:
        token = service.token(request, "annotator")
        first, second, third = content.answers
        answer = Answer(
            lease=content.lease,
            submission_id=content.submission_id,
            answers=(first, second, third),
            active_seconds=content.active_seconds,
            wall_seconds=content.wall_seconds,
            comment=content.comment,
        )

        def work() -> State:
            receipt, outcome = submit_and_continue(service.study, known(token), answer)
            # Who has rated one more is asked for again: the number of rated pairs has changed.
            annotator = annotator_of(service.study, token)
            assert annotator is not None
            stored = {"number": receipt.number, "revision": receipt.revision}
            return {"stored": stored, **next_state(service, annotator, outcome)}

        return await service.write(work)

    @api.post("/renew")
    async def renewal(content: Renewal, request: Request) -> State:
        token = service.token(request, "annotator")

        def work() -> State:
            renew(service.study, known(token), content.lease)
            return {"stage": "item"}

        return await service.write(work)

    @api.get("/items")
    async def earlier_pair(request: Request, before: _Number = None) -> State:
        token = service.token(request, "annotator")

        def work() -> State:
            annotator = known(token)
            items = own_items(service.study, annotator, last=2, before=before)
            if not items:
                raise Denied(404, "unknown", "There is no earlier pair.")
            return item_state(service, annotator, items[0], is_first=len(items) == 1)

        return await service.read(work)

    return api
