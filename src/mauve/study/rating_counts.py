"""Count the ratings behind a ranking, and say why others do not count."""

from typing import NamedTuple

from mauve.formatting import format_count


class Counts(NamedTuple):
    """How many ratings count, and why others do not.

    Attributes
    ----------
    counted : int
        Ratings behind the scores.
    ties : int
        Those among them that are ties.
    invalid, repeats, fast, unanswered : int
        Ratings that do not count: by the rules of the study, as they repeat another, as they
        took too little time, and without an answer to the question. Each is counted once.
    annotators, items : int
        People and prompts behind the ratings that count.
    """

    counted: int
    ties: int
    invalid: int
    repeats: int
    fast: int
    unanswered: int
    annotators: int
    items: int


def counts_sentence(counts: Counts, longer_than: float | None = None) -> str:
    """Return in words what a ranking rests on.

    Examples
    --------
    >>> counts_sentence(Counts(90, 9, 0, 2, 5, 0, 12, 40), 25)
    '90 ratings of 40 items by 12 annotators, 9 of them ties; left out: 2 repeats, 5 that took 25 \
seconds or less'
    """
    sentence = (
        f"{format_count(counts.counted, 'rating')} of {format_count(counts.items, 'item')} by "
        f"{format_count(counts.annotators, 'annotator')}, {counts.ties:,} of them ties"
    )
    left_out = [
        (counts.invalid, "invalid by the rules of the study"),
        (counts.repeats, "repeats" if counts.repeats != 1 else "repeat"),
        (counts.fast, f"that took {longer_than:g} seconds or less" if longer_than else ""),
        (counts.unanswered, "without an answer"),
    ]
    reasons = ", ".join(f"{n:,} {why}" for n, why in left_out if n)
    return f"{sentence}; left out: {reasons}" if reasons else sentence
