"""What the store of a study hands out and takes in: items, answers, receipts and people."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: Why there is no item: the annotator has rated as many as the study allows; all pairs have their
#: ratings; the rest is assigned to other people; the annotator has seen the rest; or the
#: ratings of the annotator do not count.
Reason = Literal["limit", "complete", "assigned", "seen", "closed"]


@dataclass(frozen=True)
class ExternalIds:
    """How a recruiting platform such as Prolific names a person, its study and the session."""

    person: str
    study: str = ""
    session: str = ""


@dataclass(frozen=True)
class Annotator:
    """A person who rates items.

    Attributes
    ----------
    number : int
        From 1, in the order of enrolment; the only name that a study has for a person.
    has_consented : bool
        Whether to the current consent text.
    n_rated : int
        Items that the person has rated, repeats and attention checks among them.
    limit : int or None
        Items that one person may rate.
    """

    number: int
    has_consented: bool
    n_rated: int
    limit: int | None


@dataclass(frozen=True)
class Assignment:
    """An item for one annotator, without a word on its sources.

    Attributes
    ----------
    lease : str
        Token that a submission must carry.
    number : int
        Of the item for this annotator, from 1.
    context, left, right : str
        The prompt, and the two continuations as they are to be displayed: A is left.
    expires_at : float
        When somebody else may be given the item, in seconds since 1970.
    """

    lease: str
    number: int
    context: str
    left: str
    right: str
    expires_at: float


@dataclass(frozen=True)
class NoneLeft:
    """There is no item for this annotator, and why.

    ``assigned`` may change when other people leave items unrated; all other reasons are final
    unless the operator changes something.
    """

    reason: Reason
    n_rated: int


@dataclass(frozen=True)
class Paused:
    """The operator has paused the study; items that are assigned can still be rated."""

    n_rated: int


#: What an annotator who asks for the next item is told.
Outcome: TypeAlias = Assignment | NoneLeft | Paused


@dataclass(frozen=True)
class Answer:
    """What an annotator submits.

    Attributes
    ----------
    lease : str
        Of the assignment.
    submission_id : str
        Random, made by the page for this submission: 8 to 64 letters, digits, ``-`` or ``_``.
        The same submission sent again counts once.
    answers : tuple of three int
        From 1, definitely A (left), to 5, definitely B (right), with 3 a tie: which is more
        interesting, which makes more sense, which is more likely written by a human.
    active_seconds, wall_seconds : float
        Since the item was shown, or since its last submission.
    comment : str
        Up to 2,000 characters.
    """

    lease: str
    submission_id: str
    answers: tuple[int, int, int]
    active_seconds: float
    wall_seconds: float
    comment: str = ""


@dataclass(frozen=True)
class Receipt:
    """The acknowledgement of a submission, written to disk before it is given.

    Attributes
    ----------
    number : int
        Of the item for this annotator.
    revision : int
        1 for the first answers to an item.
    received_at : float
        In seconds since 1970.
    """

    submission_id: str
    number: int
    revision: int
    received_at: float


@dataclass(frozen=True)
class OwnItem:
    """An item that the annotator was given before, with the last answers, for the way back."""

    lease: str
    number: int
    context: str
    left: str
    right: str
    answers: tuple[int, int, int]
    comment: str
    revision: int
