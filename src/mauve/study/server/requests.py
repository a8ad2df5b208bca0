"""What pages may send, field by field; everything else is refused before it is looked at."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_LONGEST_SECONDS = 1e9  # the store cuts what is longer than a week


def _storable(text: object) -> object:
    """Replace what databases do not take: half of a character, and NUL.

    Examples
    --------
    >>> _storable(f"so{chr(0)}")
    'so�'
    """
    if not isinstance(text, str):
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "\ufffd")


_Token = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_-]+$")]
_Identifier = Annotated[str, Field(max_length=128, pattern=r"^[A-Za-z0-9_.@:-]*$")]
_Choice = Annotated[int, Field(strict=True, ge=1, le=5)]
_Seconds = Annotated[float, Field(strict=True, ge=0, le=_LONGEST_SECONDS, allow_inf_nan=False)]


class _Content(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class External(_Content):
    """How a recruiting platform names a person, its study and the session."""

    person: Annotated[_Identifier, Field(min_length=1)]
    study: _Identifier = ""
    session: _Identifier = ""


class Enrolment(_Content):
    """Who comes: with an invitation, or from a recruiting platform."""

    invite: _Token | None = None
    external: External | None = None


class Consent(_Content):
    """Agreement to the text of this version."""

    version: Annotated[str, Field(max_length=64)]


class Renewal(_Content):
    """A pair that is being read."""

    lease: _Token


class Submission(_Content):
    """The answers to a pair."""

    lease: _Token
    submission_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
    answers: Annotated[list[_Choice], Field(min_length=3, max_length=3)]
    active_seconds: _Seconds
    wall_seconds: _Seconds
    comment: Annotated[str, Field(max_length=2000), BeforeValidator(_storable)] = ""


class Nothing(_Content):
    """No content, as JSON all the same: other sites cannot send that unasked."""


class Login(_Content):
    """The operator's token."""

    token: _Token


class Decision(_Content):
    """Why an annotator is excluded, or included again."""

    reason: Annotated[str, Field(min_length=1, max_length=500), BeforeValidator(_storable)]
