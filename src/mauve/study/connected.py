"""Check that wins link all systems, without which their scores would be infinite or unrelated."""

from collections.abc import Sequence

import numpy as np
import scipy

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.errors import InvalidParameterError
from mauve.escape import listed


def components(beats: BoolArray) -> IntArray:
    """Return the strongly connected component of each system, numbered from the top.

    Parameters
    ----------
    beats : array of bool, shape (n, n)
        Whether system i beat system j at least once.

    Returns
    -------
    array of int, shape (n,)
        Two systems have the same number if chains of wins lead from each to the other. A
        component beats none with a smaller number.

    Examples
    --------
    >>> components(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)).tolist()
    [0, 0, 1]
    """
    count, labels = scipy.sparse.csgraph.connected_components(beats, connection="strong")
    between = np.zeros((count, count))
    rows, columns = np.nonzero(beats)
    between[labels[rows], labels[columns]] = 1
    # What a component reaches contains all that those reach which it beats.
    distances = scipy.sparse.csgraph.shortest_path(between, unweighted=True)
    reached = np.isfinite(distances).sum(axis=1)
    place = np.empty(count, dtype=np.int64)
    place[np.argsort(-reached, kind="stable")] = np.arange(count)
    return place[labels]


def check_connected(wins: FloatArray, names: Sequence[str], what: str = "wins") -> None:
    """Raise unless chains of wins lead from every system to every other.

    That is when the likelihood of the Bradley-Terry model has a maximum (Ford, 1957).

    Parameters
    ----------
    wins : array of float, shape (n, n)
    names : sequence of str
    what : str
        What links systems: "wins", or "wins and ties" where a tie counts for both.

    Examples
    --------
    >>> check_connected(np.array([[0.0, 2.0], [0.0, 0.0]]), ["human", "xl"])
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: Scores must be linked by wins from every system to every \
other. Got 2 groups instead: human | xl, of which no later one ever won against an earlier one. \
Collect more ratings of these pairs, count ties for both systems, or leave out the systems of all \
groups but one.
    """
    labels = components(wins > 0)
    count = int(labels.max()) + 1
    if count == 1:
        return
    groups = " | ".join(
        listed([name for name, label in zip(names, labels, strict=True) if label == group])
        for group in range(count)
    )
    weak, _ = scipy.sparse.csgraph.connected_components(wins > 0, directed=False)
    if weak == count:
        why = "which no rating compares with each other. Collect ratings of such pairs"
    else:
        why = (
            "of which no later one ever won against an earlier one. Collect more ratings of these "
            "pairs, count ties for both systems"
        )
    raise InvalidParameterError(
        f"Scores must be linked by {what} from every system to every other. Got {count} groups "
        f"instead: {groups}, {why}, or leave out the systems of all groups but one."
    )
