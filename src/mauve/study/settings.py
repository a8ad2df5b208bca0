"""The settings of a study: texts, pairs, assignment, quality control, and words for people."""

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from numbers import Real
from typing import Any

from mauve.errors import (
    MauveError,
    bad_parameter,
    check_bool,
    check_choice,
    check_int,
    check_real,
)

#: How people come to a study: by an invitation, from a recruiting platform, or openly.
ENROLMENTS = ("invite", "external", "open")

#: Settings that may change while a study runs: what counts is computed again from the ratings.
RULES = ("min_active_seconds", "max_failed_checks")

CONSENT = (
    "You will read short texts and compare them. Some were written by computer programs and may "
    "be wrong, odd or offensive. Your answers, the time you take and your comments are stored "
    "under a number, without your name, and may be published in that form. Taking part is "
    "voluntary: you can stop at any time by closing the page."
)


@dataclass(frozen=True, kw_only=True)
class StudySettings:
    """Settings of a study; the defaults are those of the paper where it names them.

    Parameters
    ----------
    title : str
        Heading of the page.
    ratings_per_pair : int
        Valid ratings that each pair of systems is to have.
    min_tokens, max_tokens : int
        Continuations with fewer tokens are left out; longer ones are cut.
    tokenizer : str
        What counts tokens: ``"bundled"``, a file ``tokenizer.json``, or a Transformers model.
    well_formed : bool
        Whether prompts must be well-formed English
        (:func:`mauve.generation.prompt_filter.is_well_formed`).
    overlap : float
        Share of each pair's ratings that are given to items that several people rate, for the
        agreement between people.
    overlap_raters : int
        People who rate such an item.
    repeat_every, attention_every : int
        Of this many items of one person, one is an earlier one again, and one an attention
        check; 0 for none.
    min_active_seconds : float
        Ratings made in less active time do not count.
    max_failed_checks : int
        Ratings of a person who failed more attention checks do not count.
    lease_seconds : float
        How long an item stays assigned to a person who does not rate it.
    items_per_annotator : int, optional
        Items that one person may rate, repeats and attention checks among them.
    enrolment : {"invite", "external", "open"}
        How people come to the study.
    consent : str
        Text that people agree to.
    completion_code : str, optional
        Code that people get at the end; without it each person gets a random one.
    review_code : str, optional
        Code that people get in its place whose ratings do not count, so that a recruiting platform
        holds their work for review; without it they get the same code as everybody.
    seed : int
        Of all that is random in the set-up: prompts, overlap, order.

    Examples
    --------
    >>> StudySettings(ratings_per_pair=30).min_active_seconds
    25.0
    """

    title: str = "Which text is better?"
    ratings_per_pair: int = 90
    min_tokens: int = 200
    max_tokens: int = 256
    tokenizer: str = "bundled"
    well_formed: bool = True
    overlap: float = 0.1
    overlap_raters: int = 3
    repeat_every: int = 20
    attention_every: int = 20
    min_active_seconds: float = 25.0
    max_failed_checks: int = 1
    lease_seconds: float = 1800.0
    items_per_annotator: int | None = None
    enrolment: str = "invite"
    consent: str = CONSENT
    completion_code: str | None = None
    review_code: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every setting."""
        check_int("ratings_per_pair", self.ratings_per_pair, 1)
        check_int("min_tokens", self.min_tokens, 1)
        check_int("max_tokens", self.max_tokens, self.min_tokens)
        check_bool("well_formed", self.well_formed)
        _check_amount("overlap", self.overlap, up_to=1)
        check_int("overlap_raters", self.overlap_raters, 2)
        for name in ("repeat_every", "attention_every"):
            if getattr(self, name) != 0:
                check_int(name, getattr(self, name), 2, why="use 0 for none")
        _check_amount("min_active_seconds", self.min_active_seconds, up_to=3600)
        check_int("max_failed_checks", self.max_failed_checks, 0)
        check_real("lease_seconds", self.lease_seconds, above=0)
        if self.items_per_annotator is not None:
            check_int("items_per_annotator", self.items_per_annotator, 1)
        check_choice("enrolment", self.enrolment, ENROLMENTS)
        check_int("seed", self.seed, 0)
        for name in ("title", "consent", "tokenizer"):
            _check_text(name, getattr(self, name), optional=False)
        for name in ("completion_code", "review_code"):
            _check_text(name, getattr(self, name), optional=True)

    @property
    def consent_version(self) -> str:
        """A checksum of the consent text: who agreed to another text agrees again.

        Examples
        --------
        >>> StudySettings(consent="I agree.").consent_version
        '826ff0da'
        """
        return hashlib.sha256(self.consent.encode()).hexdigest()[:8]

    def changed(self, **values: Any) -> "StudySettings":
        """Return the settings with other values, checked."""
        return replace(self, **values)

    def to_json(self) -> str:
        """Return the settings as JSON, as the database keeps them."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "StudySettings":
        """Return the settings that a database holds.

        Examples
        --------
        >>> StudySettings.from_json(StudySettings(seed=3).to_json()).seed
        3
        """
        values: dict[str, Any] = json.loads(text)
        unknown = values.keys() - {field.name for field in fields(cls)}
        if unknown:
            raise MauveError(
                f"The study has settings that this release of mauve does not know: "
                f"{', '.join(sorted(unknown))}. Update mauve."
            )
        return cls(**values)


def _check_amount(name: str, value: Any, up_to: float) -> None:
    """Check a real number from 0 to `up_to`, both included."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= up_to:
        raise bad_parameter(name, f"a number from 0 to {up_to:g}", value)


def _check_text(name: str, value: Any, *, optional: bool) -> None:
    if optional and value is None:
        return
    if not isinstance(value, str) or not value.strip():
        raise bad_parameter(name, "a text that is not empty", value)
