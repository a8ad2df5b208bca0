"""What the store of a study refuses, as errors that a server can tell apart."""

from mauve.errors import MauveError


class RefusalError(MauveError):
    """A request of an annotator is refused; the message may be shown to that person."""


class EnrolmentError(RefusalError):
    """Nobody can enrol with this invitation, or in this way."""


class ConsentError(RefusalError):
    """The annotator has not agreed to the current consent text."""


class LeaseError(RefusalError):
    """The item is not, or no longer, assigned to the annotator who rates it."""


class SubmissionError(RefusalError):
    """A submission has invalid answers, or an identifier that was used for others."""
