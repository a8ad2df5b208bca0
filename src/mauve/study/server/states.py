"""Tell the page where an annotator stands, without a word on sources."""

import hashlib
from typing import Any
from urllib.parse import quote

from mauve.study.server.service import Service
from mauve.study.store.people import completion_code
from mauve.study.store.records import Annotator, Assignment, NoneLeft, Outcome, OwnItem, Paused

State = dict[str, Any]


def after_enrolment(service: Service, annotator: Annotator | None) -> State:
    """Return what comes before the first pair: an invitation, consent, or nothing."""
    settings = service.study.settings
    if annotator is None and settings.enrolment != "open":
        return {"stage": "invitation"}
    if annotator is None or not annotator.has_consented:
        consent = {"version": settings.consent_version, "text": settings.consent}
        return {"stage": "consent", "consent": consent}
    return {"stage": "ready", **_person(service, annotator)}


def next_state(service: Service, annotator: Annotator, outcome: Outcome) -> State:
    """Return the next pair of an annotator as the page shows it, or why there is none."""
    person = _person(service, annotator)
    match outcome:
        case Assignment():
            return item_state(service, annotator, outcome)
        case Paused():
            return {"stage": "paused", **person}
        case NoneLeft(reason="assigned"):
            # Nobody can be made to wait: who leaves now has a code for the work that was done.
            return {"stage": "waiting", **_ending(service, annotator), **person}
        case NoneLeft(reason=reason):
            return {"stage": "finished", "reason": reason, **_ending(service, annotator), **person}


def _ending(service: Service, annotator: Annotator) -> State:
    """Return the completion code of who has rated something, and the link back."""
    code = completion_code(service.study, annotator) if annotator.n_rated else None
    link = service.return_url
    if code is None or link is None:
        return {"code": code, "return_url": None}
    return {"code": code, "return_url": link.replace("{code}", quote(code, safe=""))}


def item_state(
    service: Service,
    annotator: Annotator,
    item: Assignment | OwnItem,
    *,
    is_first: bool = False,
) -> State:
    """Return a pair as the page shows it, with the answers if it has been rated."""
    # Field by field: what the page does not need, it is not sent.
    shown: State = {
        "lease": item.lease,
        "number": item.number,
        # White space around a text would tell sources apart without a word being read.
        "context": item.context.strip(),
        "left": item.left.strip(),
        "right": item.right.strip(),
    }
    if isinstance(item, OwnItem):
        shown |= {
            "answers": list(item.answers),
            "comment": item.comment,
            "revision": item.revision,
            "is_first": is_first,
        }
    return {"stage": "item", "item": shown, **_person(service, annotator)}


def _person(service: Service, annotator: Annotator) -> State:
    """Return what the page knows of an annotator: progress, and a name for what it keeps."""
    name = f"{service.key}-{annotator.number}"
    owner = hashlib.sha256(name.encode()).hexdigest()[:12]
    return {"owner": owner, "done": annotator.n_rated, "limit": annotator.limit}
