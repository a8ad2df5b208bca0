"""Measure how far annotators agree: Krippendorff's alpha, and how often two choose alike."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError, bad_parameter, check_int, check_share
from mauve.escape import listed
from mauve.formatting import format_count, format_fixed, format_interval, format_level, format_share
from mauve.study.ratings import DEFINITELY_B, TIE, Ratings
from mauve.tables import as_text

#: Levels of measurement: whether choices differ, which comes first, how far apart they are.
LEVELS = ("nominal", "ordinal", "interval")

_BATCH = 100  # draws at a time: memory does not grow with their number


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha at one level of measurement.

    Attributes
    ----------
    level : str
    value : float or None
        1 if all agree, 0 if they agree as often as by chance; None if all answers are the same,
        so that chance cannot be told from agreement.
    interval : tuple of float, or None
        Confidence interval, by the bootstrap over pairs of texts.
    """

    level: str
    value: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree on one question.

    Attributes
    ----------
    question : str
    alphas : tuple of Alpha
        Of the five choices, at each level.
    direction : Alpha
        Nominal, of A, tie and B.
    same_choice, same_direction : float
        Share of two ratings of the same two texts by different people that are the same of
        five, and of A, tie and B.
    n_units : int
        Pairs of texts that several people rated.
    n_ratings : int
        Ratings of these.
    n_annotators : int
    self_agreement : float or None
        Share of repeats in which a person chose the same direction again; None without repeats.
    n_repeats : int
    confidence : float
    """

    question: str
    alphas: tuple[Alpha, ...]
    direction: Alpha
    same_choice: float
    same_direction: float
    n_units: int
    n_ratings: int
    n_annotators: int
    self_agreement: float | None
    n_repeats: int
    confidence: float

    def __getitem__(self, level: str) -> Alpha:
        for alpha in self.alphas:
            if alpha.level == level:
                return alpha
        raise bad_parameter("level", f"one of {', '.join(map(repr, LEVELS))}", level)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON has them."""

        def as_dict(alpha: Alpha) -> dict[str, Any]:
            ends = None if alpha.interval is None else list(alpha.interval)
            return {"level": alpha.level, "alpha": alpha.value, "interval": ends}

        return {
            "question": self.question,
            "alphas": [as_dict(alpha) for alpha in self.alphas],
            "direction": as_dict(self.direction),
            "same_choice": self.same_choice,
            "same_direction": self.same_direction,
            "n_units": self.n_units,
            "n_ratings": self.n_ratings,
            "n_annotators": self.n_annotators,
            "self_agreement": self.self_agreement,
            "n_repeats": self.n_repeats,
            "confidence": self.confidence,
        }

    def rows(self) -> list[list[str]]:
        """Return the rows of the table: what is compared, alpha and its interval."""
        named = [(f"five choices, {alpha.level}", alpha) for alpha in self.alphas]
        return [
            [
                name,
                "--" if alpha.value is None else format_fixed(alpha.value, 3),
                "--" if alpha.interval is None else format_interval(alpha.interval),
            ]
            for name, alpha in [*named, ("A, tie or B, nominal", self.direction)]
        ]

    def table(self) -> str:
        """Return the table as plain text."""
        level = format_level(self.confidence)
        return as_text(["Krippendorff's alpha of", "alpha", f"{level} interval"], self.rows())

    def sentence(self) -> str:
        """Return in words what the numbers rest on."""
        of_repeats = ""
        if self.self_agreement is not None:
            of_repeats = (
                f" People who saw the same two texts again ({format_count(self.n_repeats, 'time')})"
                f" chose the same side in {format_share(self.self_agreement)}."
            )
        return (
            f"{format_count(self.n_ratings, 'rating')} of "
            f"{format_count(self.n_units, 'pair')} of texts by "
            f"{format_count(self.n_annotators, 'annotator')}: two people chose the same of five in "
            f"{format_share(self.same_choice)}, and the same side or tie in "
            f"{format_share(self.same_direction)}.{of_repeats}{self._of_missing()}"
        )

    def _of_missing(self) -> str:
        every = [*self.alphas, self.direction]
        if any(alpha.value is None for alpha in every):
            return (
                " Alpha is not defined where all choices are the same: chance would agree as often."
            )
        if any(alpha.interval is None for alpha in every):
            return (
                " An interval is missing where some draws of the bootstrap have the same choice "
                "throughout."
            )
        return ""

    def __str__(self) -> str:
        return f"{self.table()}\n{self.sentence()}"


def krippendorff_alpha(values: ArrayLike, level: str) -> float | None:
    r"""Return Krippendorff's alpha of ratings with missing entries.

    Parameters
    ----------
    values : array_like of float, shape (n_raters, n_units)
        NaN where a rater has not rated a unit. Units with fewer than two ratings do not count.
    level : {"nominal", "ordinal", "interval"}

    Returns
    -------
    float or None
        None if all that count are the same value, where alpha is 0/0.

    Notes
    -----
    :math:`\alpha = 1 - D_o / D_e`, the mean distance of two ratings of one unit over that of
    any two ratings. Two ratings of a unit with m ratings weigh 1 / (m - 1), so that every
    rating counts alike. The distance of values c and k is 1 (nominal), :math:`(c - k)^2`
    (interval), or the square of how many ratings lie from one to the other, their own counting
    half (ordinal).

    References
    ----------
    Krippendorff, Computing Krippendorff's alpha-reliability, 2011.

    Examples
    --------
    >>> alpha = krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, np.nan], [1, 2, 2, 3]], "nominal")
    >>> round(alpha, 3)
    0.75
    """
    table = np.asarray(values, dtype=float)
    if table.ndim != 2 or np.isinf(table).any():
        raise InvalidParameterError(
            "'values' must have a row for each rater and a column for each unit, of finite "
            f"numbers and NaN for what is missing. Got an array of shape {table.shape} instead."
        )
    answers = np.unique(table[~np.isnan(table)])
    counts = (table[None] == answers[:, None, None]).sum(axis=1).T.astype(float)
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        raise InvalidParameterError(
            "'values' must have a unit with at least two ratings. It has none."
        )
    return _value(_alphas(counts, np.ones((1, len(counts))), answers, level)[0])


def agreement(
    ratings: Ratings,
    question: str | None = None,
    *,
    longer_than: float | None = None,
    n_draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Return how far the annotators of a study agree.

    Parameters
    ----------
    ratings : Ratings
    question : str, optional
        Needed where there are several.
    longer_than : float, optional
        Seconds that a rating must exceed to count.
    n_draws : int
        Of the bootstrap over pairs of texts.
    confidence : float
        Level of the intervals.
    seed : int
        Random seed of the bootstrap.

    Examples
    --------
    >>> from mauve.study.ratings import Rating
    >>> chosen = {"ann": (1, 2, 5, 4), "bob": (2, 1, 4, 4), "cem": (1, 3, 5, 2)}
    >>> rows = [Rating(str(i), name, "a", "b", (choice,))
    ...         for name, choices in chosen.items() for i, choice in enumerate(choices)]
    >>> agreed = agreement(Ratings(tuple(rows), ("better",)))
    >>> agreed.n_units, round(agreed["ordinal"].value, 2), agreed.same_direction
    (4, 0.66, 0.6666666666666666)
    """
    check_int("n_draws", n_draws, 100)
    check_share("confidence", confidence)
    if question is None:
        if len(ratings.questions) > 1:
            raise bad_parameter("question", f"one of {listed(ratings.questions)}", question)
        (question,) = ratings.questions
    number = ratings.question(question)
    counted = ratings.counted(longer_than=longer_than)
    units: dict[tuple[str, tuple[str, str]], list[int]] = defaultdict(list)
    people: dict[tuple[str, tuple[str, str]], list[str]] = defaultdict(list)
    for row in counted.rows:
        choice = row.choice(number)
        if choice is not None:
            units[row.item, row.pair].append(choice)
            people[row.item, row.pair].append(row.annotator)
    several = {unit: chosen for unit, chosen in units.items() if len(chosen) > 1}
    if not several:
        raise InvalidParameterError(
            f"{ratings.called} must have two texts that several people rated on '{question}', to "
            "see whether they agree. It has none."
        )
    counts = np.array([np.bincount(chosen, minlength=6)[1:] for chosen in several.values()], float)
    directions = np.column_stack([counts[:, :2].sum(1), counts[:, 2], counts[:, 3:].sum(1)])
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=n_draws)
    weights = np.vstack([np.ones(len(counts)), drawn.astype(float)])
    choices, sides = np.arange(1.0, DEFINITELY_B + 1), np.arange(3.0)
    n_same, n_repeats = _repeats(ratings, number)
    return Agreement(
        question,
        alphas=tuple(_alpha(counts, weights, choices, level, confidence) for level in LEVELS),
        direction=_alpha(directions, weights, sides, "nominal", confidence),
        same_choice=_share_alike(counts),
        same_direction=_share_alike(directions),
        n_units=len(several),
        n_ratings=int(counts.sum()),
        n_annotators=len({name for unit in several for name in people[unit]}),
        self_agreement=n_same / n_repeats if n_repeats else None,
        n_repeats=n_repeats,
        confidence=confidence,
    )


def _alpha(
    counts: FloatArray, weights: FloatArray, answers: FloatArray, level: str, confidence: float
) -> Alpha:
    """Return alpha of all units, the first weights, with the quantiles of the others."""
    value, *draws = (_value(alpha) for alpha in _alphas(counts, weights, answers, level))
    defined = [draw for draw in draws if draw is not None]
    if value is None or len(defined) < len(draws):
        return Alpha(level, value, None)  # so little variation that some draws have none
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Alpha(level, value, (float(low), float(high)))


def _value(alpha: float) -> float | None:
    return None if np.isnan(alpha) else float(alpha)


def _alphas(counts: FloatArray, weights: FloatArray, answers: FloatArray, level: str) -> FloatArray:
    """Return alpha for each row of weights of the units; NaN where there is one answer alone.

    Parameters
    ----------
    counts : array of float, shape (n_units, n_answers)
        How often each unit got each answer; at least two in all.
    weights : array of float, shape (n_draws, n_units)
    answers : array of float, shape (n_answers,)
    level : str
    """
    if level not in LEVELS:
        raise bad_parameter("level", f"one of {', '.join(map(repr, LEVELS))}", level)
    # Ordered pairs of answers within each unit, without each answer paired with itself.
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, range(len(answers)), range(len(answers))] -= counts
    pairs /= (counts.sum(axis=1) - 1)[:, None, None]
    alphas = np.empty(len(weights))
    for start in range(0, len(weights), _BATCH):
        part = slice(start, start + _BATCH)
        coincidences = np.tensordot(weights[part], pairs, axes=1)
        of_answer = coincidences.sum(axis=2)
        n = of_answer.sum(axis=1)
        distances = _distances(of_answer, answers, level)
        observed = (coincidences * distances).sum(axis=(1, 2))
        expected = (of_answer[:, :, None] * of_answer[:, None, :] * distances).sum(axis=(1, 2))
        with np.errstate(invalid="ignore"):
            alphas[part] = 1 - (n - 1) * observed / expected
    return alphas


def _distances(of_answer: FloatArray, answers: FloatArray, level: str) -> FloatArray:
    """Return squared distances of answers, for each draw."""
    if level == "ordinal":
        middle = np.cumsum(of_answer, axis=1) - of_answer / 2  # of the ranks of each answer
        return np.asarray((middle[:, :, None] - middle[:, None, :]) ** 2)
    between = answers[:, None] - answers[None]
    squares = (between != 0).astype(float) if level == "nominal" else between**2
    return np.broadcast_to(squares, (len(of_answer), *squares.shape))


def _share_alike(counts: FloatArray) -> float:
    """Return the share of pairs of ratings of one unit that are the same."""
    n = counts.sum(axis=1)
    return float((counts * (counts - 1)).sum() / (n * (n - 1)).sum())


def _repeats(ratings: Ratings, number: int) -> tuple[int, int]:
    """Return how often a repeat has the direction of the first rating, and how many there are."""
    firsts: dict[tuple[str, str, Sequence[str]], int] = {}
    for row in ratings.rows:
        choice = row.choice(number)
        if choice is not None and row.valid and not row.repeat:
            firsts[row.annotator, row.item, row.pair] = int(np.sign(choice - TIE))
    same = [
        firsts[row.annotator, row.item, row.pair] == np.sign(choice - TIE)
        for row in ratings.rows
        if row.repeat and row.valid
        if (choice := row.choice(number)) is not None
        if (row.annotator, row.item, row.pair) in firsts
    ]
    return sum(same), len(same)
