"""Ratings of pairs of texts by people: one row for each rating, whatever store it comes from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import escaped, listed

#: The five choices of the paper, from A to B, as numbers from 1 to 5.
CHOICES = ("definitely A", "slightly A", "tie", "slightly B", "definitely B")
DEFINITELY_A, SLIGHTLY_A, TIE, SLIGHTLY_B, DEFINITELY_B = range(1, 6)

#: The paper's three questions, in the order in which it asks them.
QUESTIONS = ("interesting", "sensible", "human-like")


@dataclass(frozen=True)
class Rating:
    """What one person chose for one pair of texts.

    Attributes
    ----------
    item : str
        The prompt that both texts continue. People who rated the same item of the same two
        systems rated the same two texts.
    annotator : str
        Who rated.
    system_a, system_b : str
        Sources of the texts shown as A and as B.
    choices : tuple of (int or None)
        For each question a number from 1, definitely A, to 5, definitely B; 3 is a tie, and
        None was not answered.
    active_seconds, wall_seconds : float, optional
        Time on the page while it was visible, and all time between showing and answering.
    valid : bool
        Whether the rating counts by the rules of the study.
    repeat : bool
        Whether the same person rated the same pair of texts before: kept for self-agreement.
    hit : str
        Identifier of the task on the platform, such as the HITId of Mechanical Turk.
    context, text_a, text_b, comment : str
        The prompt, the texts, and what the person wrote.
    length_a, length_b : int, optional
        Lengths of the texts in tokens.
    """

    item: str
    annotator: str
    system_a: str
    system_b: str
    choices: tuple[int | None, ...]
    active_seconds: float | None = None
    wall_seconds: float | None = None
    valid: bool = True
    repeat: bool = False
    hit: str = ""
    context: str = ""
    text_a: str = ""
    text_b: str = ""
    length_a: int | None = None
    length_b: int | None = None
    comment: str = ""

    @property
    def seconds(self) -> float | None:
        """Active time, or wall time where that is all that was measured."""
        return self.wall_seconds if self.active_seconds is None else self.active_seconds

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems in the order of their names, whichever was shown as A.

        Examples
        --------
        >>> Rating("0", "ann", "xl", "human", (1,)).pair
        ('human', 'xl')
        """
        first, second = sorted((self.system_a, self.system_b))
        return first, second

    def choice(self, question: int) -> int | None:
        """Return what was chosen as if the first system of :attr:`pair` had been shown as A.

        Examples
        --------
        >>> Rating("0", "ann", "xl", "human", (1,)).choice(0)  # definitely xl
        5
        """
        chosen = self.choices[question]
        if chosen is None or self.system_a <= self.system_b:
            return chosen
        return DEFINITELY_A + DEFINITELY_B - chosen


@dataclass(frozen=True)
class Ratings:
    """All ratings of a study or a file, in their order.

    Attributes
    ----------
    rows : tuple of Rating
    questions : tuple of str
        Names of the questions, one for each of `Rating.choices`.
    source : str
        What messages call the ratings: the file or database they come from.

    Examples
    --------
    >>> row = Rating("0", "ann", "human", "xl", (1, 2, 3), wall_seconds=40.0)
    >>> ratings = Ratings((row,))
    >>> len(ratings), ratings.systems, ratings.questions[0]
    (1, ('human', 'xl'), 'interesting')
    """

    rows: tuple[Rating, ...]
    questions: tuple[str, ...] = QUESTIONS
    source: str = "the ratings"

    def __post_init__(self) -> None:
        if not self.questions or len(set(self.questions)) < len(self.questions):
            raise InvalidParameterError(
                f"{self.called} must have at least one question, each with a name of its own. "
                f"Got {listed(self.questions) or 'none'} instead."
            )
        seen: dict[tuple[str, str, tuple[str, str]], int] = {}
        for number, row in enumerate(self.rows, 1):
            self._check(row, number)
            if row.repeat:
                continue
            first = seen.setdefault((row.annotator, row.item, row.pair), number)
            if first != number:
                raise InvalidParameterError(
                    f"Ratings {first} and {number} of {self.called} are both by annotator "
                    f"'{escaped(row.annotator)}' of item '{escaped(row.item)}' with "
                    f"{listed(row.pair)}: remove one, or mark the second as a repeat."
                )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of all systems, human text among them, sorted."""
        return tuple(sorted({name for row in self.rows for name in row.pair}))

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names of all annotators, sorted."""
        return tuple(sorted({row.annotator for row in self.rows}))

    def question(self, name: str) -> int:
        """Return the position of a question, or raise.

        Examples
        --------
        >>> Ratings(()).question("sensible")
        1
        """
        if name not in self.questions:
            raise InvalidParameterError(
                f"'{escaped(name)}' must be a question of {self.called}, which has "
                f"{listed(self.questions)}."
            )
        return self.questions.index(name)

    def counted(self, *, longer_than: float | None = None) -> "Ratings":
        """Return the ratings that count: valid, no repeats, and not too fast.

        Parameters
        ----------
        longer_than : float, optional
            Seconds that a rating must exceed; exactly as many are too few. By default no rating
            is too fast. The paper excludes what took less than 25 seconds.

        Examples
        --------
        >>> rows = [Rating(str(i), "ann", "a", "b", (1,), wall_seconds=i) for i in (24, 25, 26)]
        >>> [row.item for row in Ratings(tuple(rows), ("q",)).counted(longer_than=25).rows]
        ['26']
        """
        rows: Iterable[Rating] = (row for row in self.rows if row.valid and not row.repeat)
        if longer_than is not None:
            if not 0 <= longer_than < float("inf"):  # NaN fails too
                raise bad_parameter("longer_than", "a number of at least 0", longer_than)
            rows = [row for row in rows if self._seconds(row) > longer_than]
        return replace(self, rows=tuple(rows))

    def without(self, systems: Sequence[str]) -> "Ratings":
        """Return the ratings of pairs that contain none of `systems`.

        Examples
        --------
        >>> rows = Rating("0", "ann", "a", "b", (1,)), Rating("0", "ann", "a", "c", (1,))
        >>> Ratings(rows, ("q",)).without(["c"]).systems
        ('a', 'b')
        """
        for name in systems:
            if name not in self.systems:
                raise InvalidParameterError(
                    f"'{escaped(name)}' must be a system of {self.called}, which has "
                    f"{listed(self.systems)}."
                )
        if not systems:
            return self
        left = tuple(row for row in self.rows if not set(row.pair) & set(systems))
        return replace(self, rows=left)

    @property
    def called(self) -> str:
        """What messages call the ratings."""
        return self.source if self.source.startswith("the ") else f"'{escaped(self.source)}'"

    def _seconds(self, row: Rating) -> float:
        if row.seconds is None:
            raise InvalidParameterError(
                f"{self.called} must have the seconds that each rating took, to leave out fast "
                f"ones. Annotator '{escaped(row.annotator)}' has none for item "
                f"'{escaped(row.item)}'."
            )
        return row.seconds

    def _check(self, row: Rating, number: int) -> None:
        """Raise unless a row fits the questions and compares two systems."""
        problem = ""
        if len(row.choices) != len(self.questions):
            problem = f"a choice for each of {listed(self.questions)}. Got {len(row.choices)}"
        elif any(c is not None and c not in range(1, 6) for c in row.choices):
            problem = f"choices from 1 to 5. Got {row.choices}"
        elif row.system_a == row.system_b:
            problem = f"two different systems. Got '{escaped(row.system_a)}' for both"
        elif not (row.item and row.annotator and row.system_a and row.system_b):
            problem = "the names of an item, an annotator and two systems. Got an empty one"
        elif any(s is not None and not 0 <= s < float("inf") for s in _times(row)):
            problem = f"finite times of at least 0 seconds. Got {_times(row)}"
        if problem:
            raise InvalidParameterError(f"Rating {number} of {self.called} must have {problem}.")


def _times(row: Rating) -> tuple[float | None, float | None]:
    return row.active_seconds, row.wall_seconds
