"""Examples of a task: prompts, human continuations, and the count of what is no example."""

from dataclasses import dataclass, field
from typing import Any

#: Why a record is no example, in the words of a summary.
TOO_SHORT = "that are too short"
COPIES = "that are copies of others"
MALFORMED = "whose prompt is not well-formed English"


@dataclass(frozen=True)
class Example:
    """A prompt, and how the person who wrote the text went on.

    Attributes
    ----------
    prompt, reference : str
        As they stand in the text; together they are its beginning.
    id : str
        The id of the record (the address of a news article), or its position in the source.
    metadata : dict
        The other fields of the record: short strings, ints and bools.
    n_prompt_tokens : int or None
        Tokens of a prompt that was split off; None for one that the record has.
    n_tokens : int
        Tokens of the reference.
    ended : bool
        Whether the reference goes to the end of the text.
    """

    prompt: str
    reference: str
    id: str
    metadata: dict[str, Any] = field(default_factory=dict)
    n_prompt_tokens: int | None = None
    n_tokens: int = 0
    ended: bool = False


class DrawnExamples(list[Example]):
    """Examples in the order in which they were drawn, and what was left out.

    Attributes
    ----------
    n_records : int
        Records of the source.
    left_out : dict of str to int
        Records that were looked at and are no examples, by the reason.
    """

    n_records: int = 0
    left_out: dict[str, int]

    @property
    def summary(self) -> str:
        """One sentence: how many examples, of how many records, and what was left out.

        Examples
        --------
        >>> drawn = DrawnExamples([Example("One", " two.", "0")])
        >>> drawn.n_records, drawn.left_out = 4, {TOO_SHORT: 2, COPIES: 1}
        >>> drawn.summary
        '1 example of 4 records; left out: 2 that are too short, 1 that are copies of others.'
        """
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in self.left_out.items() if n)
        noun = "example" if len(self) == 1 else "examples"
        counted = f"{len(self):,} {noun} of {self.n_records:,} records"
        return f"{counted}; left out: {reasons}." if reasons else f"{counted}."
