"""Count wins and ties of each system over each other, from choices on five points."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import scipy

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.errors import InvalidParameterError, bad_parameter, check_int
from mauve.study.ratings import TIE, Rating, Ratings

#: What becomes of a tie: a win of one of the two systems drawn at random, as in the paper; half a
#: win for each; or an outcome of its own in the model of Davidson.
TIES = ("random", "half", "davidson")


@dataclass(frozen=True)
class Preferences:
    """Which of two systems each rating prefers, for one question.

    Attributes
    ----------
    systems : tuple of str
        Names, sorted.
    first, second : array of int, shape (n,)
        Systems of each rating; `first` comes first in `systems`.
    outcome : array of int, shape (n,)
        1 if `first` was preferred, definitely or slightly, -1 if `second` was, and 0 for a tie.
    coin : array of bool, shape (n,)
        Whether the rating is a tie that `first` gets where ties are drawn at random.
    annotator, item : array of int, shape (n,)
        Who rated which prompt, as numbers from 0.
    n_unanswered : int
        Ratings without an answer to the question, which are not among the n.
    """

    systems: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    coin: BoolArray
    annotator: IntArray
    item: IntArray
    n_unanswered: int = 0

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def n_ties(self) -> int:
        """Number of ties."""
        return int((self.outcome == 0).sum())

    def wins(self, ties: str, weights: FloatArray | None = None) -> FloatArray:
        """Return how often each system was preferred to each other.

        Parameters
        ----------
        ties : {"random", "half", "davidson"}
            What becomes of ties; with "davidson" they count in :meth:`ties` alone.
        weights : array of float, shape (n, n_draws), optional
            Weights of the ratings in each draw of a bootstrap; by default each counts once.

        Returns
        -------
        array of float, shape (n_systems, n_systems) or (n_draws, n_systems, n_systems)
            Entry (i, j) is the number N_ij of times that system i beat system j.

        Examples
        --------
        >>> rows = [Rating(str(i), "ann", "a", "b", (c,)) for i, c in enumerate((1, 2, 3, 5))]
        >>> prefer = preferences(Ratings(tuple(rows), ("q",)), "q")
        >>> prefer.wins("half").tolist()
        [[0.0, 2.5], [1.5, 0.0]]
        """
        if ties not in TIES:
            raise bad_parameter("ties", f"one of {', '.join(map(repr, TIES))}", ties)
        to_first = (self.outcome == 1).astype(float)
        to_second = (self.outcome == -1).astype(float)
        tied = self.outcome == 0
        if ties == "random":
            to_first[tied & self.coin] = 1
            to_second[tied & ~self.coin] = 1
        elif ties == "half":
            to_first[tied] = to_second[tied] = 0.5
        forward = self._summed(self.first, self.second, to_first, weights)
        return forward + self._summed(self.second, self.first, to_second, weights)

    def ties(self, weights: FloatArray | None = None) -> FloatArray:
        """Return how often each two systems tied, a symmetric array; see :meth:`wins`."""
        tied = (self.outcome == 0).astype(float)
        counts = self._summed(self.first, self.second, tied, weights)
        return counts + counts.swapaxes(-1, -2)

    def _summed(
        self, row: IntArray, column: IntArray, values: FloatArray, weights: FloatArray | None
    ) -> FloatArray:
        """Return the sum of the values of all ratings at each (row, column), for each draw."""
        n = len(self.systems)
        places = scipy.sparse.csr_array(
            (values, (row * n + column, np.arange(len(values)))), shape=(n * n, len(values))
        )
        if weights is None:
            return np.asarray(places @ np.ones(len(values))).reshape(n, n)
        return np.asarray(places @ weights).T.reshape(-1, n, n)

    @cached_property
    def n_annotators(self) -> int:
        """Number of people with an answer."""
        return len(np.unique(self.annotator))

    @cached_property
    def n_items(self) -> int:
        """Number of prompts with an answer."""
        return len(np.unique(self.item))


_COIN: Final = b"mauve-study-ties"  # 16 bytes at most


def preferences(ratings: Ratings, question: str, *, seed: int = 0) -> Preferences:
    """Return which system each rating prefers: definitely and slightly count alike.

    Parameters
    ----------
    ratings : Ratings
        Those that count; see :meth:`Ratings.counted`.
    question : str
    seed : int
        Random seed of what becomes of ties. The coin of a tie follows from the seed, the
        annotator, the item and the two systems, so that the order of the ratings, the sides on
        which the systems were shown and other ratings do not matter.

    Examples
    --------
    >>> rows = [Rating("0", "ann", "b", "a", (2,)), Rating("1", "ann", "a", "b", (2,))]
    >>> preferences(Ratings(tuple(rows), ("q",)), "q").outcome.tolist()
    [-1, 1]
    """
    check_int("seed", seed, 0)
    number = ratings.question(question)
    answered = [row for row in ratings.rows if row.choices[number] is not None]
    if not answered:
        raise InvalidParameterError(
            f"{ratings.called} must have at least one rating that counts with an answer to "
            f"'{question}'. It has none."
        )
    systems = tuple(sorted({name for row in answered for name in row.pair}))
    position = {name: i for i, name in enumerate(systems)}
    choices = np.array([row.choice(number) for row in answered])
    return Preferences(
        systems,
        first=np.array([position[row.pair[0]] for row in answered]),
        second=np.array([position[row.pair[1]] for row in answered]),
        outcome=np.sign(TIE - choices).astype(np.int64),
        coin=np.array(
            [row.choice(number) == TIE and _coin(row, question, seed) for row in answered]
        ),
        annotator=_numbered([row.annotator for row in answered]),
        item=_numbered([row.item for row in answered]),
        n_unanswered=len(ratings) - len(answered),
    )


def _coin(row: Rating, question: str, seed: int) -> bool:
    parts = (str(seed), question, row.annotator, row.item, *row.pair)
    # Each with its length, so that no two lists of parts give the same bytes.
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    digest = hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), person=_COIN)
    return bool(digest.digest()[0] & 1)


def _numbered(names: Sequence[str]) -> IntArray:
    """Return the position of each name among the sorted names."""
    return np.unique(np.array(names, dtype=object), return_inverse=True)[1].astype(np.int64)
