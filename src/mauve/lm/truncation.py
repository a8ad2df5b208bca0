"""Rules that change distributions of the next token, for NumPy arrays and torch tensors alike.

All take probabilities of shape (..., vocabulary_size), with any leading axes and a positive sum.
torch takes NumPy's names of arguments (``axis``, ``keepdims``), so only the few functions
below that have another name in each need two lines.
"""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

#: An array of float of NumPy, or a tensor of float of torch.
Distribution = TypeVar("Distribution")

_EPSILON = float(np.finfo(np.float64).eps)
_HEAD = 256  # most probable tokens among which a nucleus is searched first


def greedy(probabilities: Distribution) -> Distribution:
    """Give the most probable token the probability 1; of equal ones the one of the lowest id.

    Examples
    --------
    >>> greedy(np.array([0.2, 0.4, 0.4])).tolist()
    [0.0, 1.0, 0.0]
    """
    p, xp = with_functions(probabilities)
    first = xp.argmax(p, axis=-1)[..., None]
    one = xp.zeros_like(p)
    xp.put_along_axis(one, first, 1, axis=-1) if xp is np else one.scatter_(-1, first, 1)
    return cast(Distribution, one)


def temper(probabilities: Distribution, temperature: float) -> Distribution:
    """Raise probabilities to the power 1/temperature and normalise them.

    Examples
    --------
    >>> temper(np.array([0.6, 0.2, 0.2]), 0.5).round(3).tolist()
    [0.818, 0.091, 0.091]
    """
    p, xp = with_functions(probabilities)
    # Relative to the largest, which stays 1 at any temperature, so the sum is never 0. In
    # float32 a power such as 10 would turn small probabilities into zeros.
    shares = _wide(p / xp.amax(p, axis=-1, keepdims=True))
    powers = shares ** (1 / temperature)
    return cast(Distribution, powers / powers.sum(axis=-1, keepdims=True))


def top_k(probabilities: Distribution, k: int) -> Distribution:
    """Keep the k most probable tokens; ties go to the lowest ids.

    Examples
    --------
    >>> top_k(np.array([0.2, 0.4, 0.2, 0.2]), 2).round(3).tolist()
    [0.333, 0.667, 0.0, 0.0]
    """
    p, _ = with_functions(probabilities)
    head = _largest(p, min(k, p.shape[-1]))
    smallest = head[..., -1:]
    return cast(Distribution, _keep(p, p, smallest, _count(head == smallest)))


def nucleus(probabilities: Distribution, share: float, *, n_head: int = _HEAD) -> Distribution:
    """Keep the fewest most probable tokens that have a share; ties go to the lowest ids.

    Parameters
    ----------
    probabilities : array or tensor of float, shape (..., vocabulary_size)
    share : float
        The token that crosses it is kept.
    n_head : int
        Most probable tokens among which the nucleus is searched first; 16 times as many for
        rows where they are too few, and so on. It changes the speed only.

    Examples
    --------
    >>> nucleus(np.array([0.1, 0.5, 0.3, 0.1]), 0.7).round(3).tolist()
    [0.0, 0.625, 0.375, 0.0]
    """
    p, _ = with_functions(probabilities)
    if share == 1:  # no rounding may cut off a token
        return cast(Distribution, _normalised(p))
    rows = p.reshape(-1, p.shape[-1])
    edge, n_equal = _searched(_cut, (rows, _goal(rows, share)), n_head)
    return cast(Distribution, _keep(rows, rows, edge, n_equal).reshape(p.shape))


def typical(probabilities: Distribution, share: float, *, n_head: int = _HEAD) -> Distribution:
    """Keep the fewest tokens that have a share, those of the most typical information first.

    Ties go to the lowest ids; `n_head` is as for :func:`nucleus`.

    Examples
    --------
    >>> typical(np.array([0.5, 0.2, 0.2, 0.1]), 0.4).round(3).tolist()  # 1.22 nats expected
    [0.0, 0.5, 0.5, 0.0]
    """
    p, xp = with_functions(probabilities)
    if share == 1:
        return cast(Distribution, _normalised(p))
    rows = p.reshape(-1, p.shape[-1])
    wide = _wide(rows)
    wide = wide / wide.sum(axis=-1, keepdims=True)
    # A token of probability 0 is infinitely surprising; 0 times that is 0 here.
    surprise = -xp.log(xp.where(wide > 0, wide, xp.ones_like(wide)))
    entropy = (wide * surprise).sum(axis=-1, keepdims=True)
    closeness = xp.where(wide > 0, -abs(surprise - entropy), -xp.inf)
    edge, n_equal = _searched(_cut_ranked, (wide, _goal(wide, share), closeness), n_head)
    return cast(Distribution, _keep(rows, closeness, edge, n_equal).reshape(p.shape))


def min_p(probabilities: Distribution, share: float) -> Distribution:
    """Keep the tokens with at least a share of the probability of the most probable one.

    Examples
    --------
    >>> min_p(np.array([0.5, 0.3, 0.1, 0.1]), 0.5).round(3).tolist()
    [0.625, 0.375, 0.0, 0.0]
    """
    p, xp = with_functions(probabilities)
    # The product may exceed by a rounding: 0.05 * 0.4 > 0.02.
    least = xp.amax(p, axis=-1, keepdims=True) * (share * (1 - 4 * _EPSILON))
    return cast(Distribution, _normalised(xp.where(p >= least, p, xp.zeros_like(p))))


def with_functions(values: Any) -> tuple[Any, Any]:
    """Return an array or tensor, and the package whose functions take it.

    Examples
    --------
    >>> values, xp = with_functions(np.ones(2))
    >>> xp.exp(values).round(2).tolist()
    [2.72, 2.72]
    """
    # torch is not imported here: where there is a tensor it has been.
    return values, np if isinstance(values, np.ndarray) else sys.modules["torch"]


def _wide(values: Any) -> Any:
    """Return values in float64, where the device has it."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float64, copy=False)
    # Apple GPUs lack float64.
    return values.float() if values.device.type == "mps" else values.double()


def _sum(values: Any) -> Any:
    """Return sums of the last axis, added in the widest type, in the type of the values."""
    if isinstance(values, np.ndarray):
        return values.sum(axis=-1, keepdims=True, dtype=np.float64).astype(values.dtype)
    xp = sys.modules["torch"]
    wide = xp.float32 if values.device.type == "mps" else xp.float64
    return values.sum(dim=-1, keepdim=True, dtype=wide).to(values.dtype)


def _normalised(values: Any) -> Any:
    return values / _sum(values)


def _goal(probabilities: Any, share: float) -> Any:
    """Return the mass that a set of tokens must reach."""
    # A softmax in float32 has the sum 1 to seven digits only, and a sum of many floats may
    # fall short by as many roundings: 0.4 + 0.3 + 0.2 < 0.9.
    total = _wide(probabilities).sum(axis=-1, keepdims=True)
    return total * share - probabilities.shape[-1] * _EPSILON


def _take(values: Any, places: Any) -> Any:
    """Return the values at places of the last axis."""
    if isinstance(values, np.ndarray):
        return np.take_along_axis(values, places, axis=-1)
    return values.gather(-1, places)


def _count(mask: Any) -> Any:
    """Count the true values of the last axis, which stays as an axis of length 1."""
    if isinstance(mask, np.ndarray) and mask.size == mask.shape[-1]:  # ten times as fast
        return np.full((*mask.shape[:-1], 1), np.count_nonzero(mask))
    return mask.sum(axis=-1, keepdims=True)


def _largest(values: Any, n: int) -> Any:
    """Return the n largest values of the last axis, in falling order."""
    if not isinstance(values, np.ndarray):
        return values.topk(n, dim=-1).values
    if values.size == values.shape[-1]:
        head = _probable(values.reshape(-1), lambda head: len(head) >= n)
        return head[:n].reshape(*values.shape[:-1], n)
    return np.flip(np.sort(np.partition(values, -n, axis=-1)[..., -n:], axis=-1), axis=-1)


def _probable(row: Any, is_enough: Callable[[Any], bool]) -> Any:
    """Return enough of the largest values of an array, or all, in falling order.

    Few tokens are probable, and to find those is faster than to sort a vocabulary.
    """
    for least in (1e-2, 1e-3, 1e-4, 1e-5, 0):
        head = row[row >= least] if least else row
        if is_enough(head):
            break
    return np.sort(head)[::-1]


def _searched(cut: Callable[..., Any], tables: tuple[Any, ...], n_head: int) -> tuple[Any, Any]:
    """Search the first tokens for the edge, and more of them in rows where they are too few."""
    _, xp = with_functions(tables[0])
    edge, n_equal, reached = cut(*tables, n_head)
    while not bool(reached.all()):
        n_head *= 16
        more = xp.where(~reached[:, 0])[0]
        edge[more], n_equal[more], reached[more] = cut(*(t[more] for t in tables), n_head)
    return edge, n_equal


def _cut(rows: Any, goal: Any, n_head: int) -> tuple[Any, Any, Any]:
    """Find the fewest of the largest values whose sum reaches a goal.

    Returns, each of shape (rows, 1), the smallest of these values, how many of them are equal
    to it, and whether the goal was reached among the `n_head` largest; where these are the
    whole row, it always counts as reached.
    """
    size = rows.shape[-1]
    if isinstance(rows, np.ndarray) and len(rows) == 1:
        head = _probable(rows[0], lambda head: head.sum() >= goal[0, 0])[None]
        n_head = size  # no more are needed
    else:
        head = _largest(rows, min(n_head, size))
    last = _count(_wide(head).cumsum(axis=-1) < goal)
    reached = (last < head.shape[-1]) | (n_head >= size)
    last = last.clip(0, head.shape[-1] - 1)
    smallest = _take(head, last)
    return smallest, last + 1 - _count(head > smallest), reached


def _cut_ranked(rows: Any, goal: Any, keys: Any, n_head: int) -> tuple[Any, Any, Any]:
    """Find the fewest values in the order of falling keys whose sum reaches a goal.

    Returns what `_cut` does, the smallest of the keys in place of the smallest of the values.
    """
    size = rows.shape[-1]
    n = min(n_head, size)
    if isinstance(keys, np.ndarray):
        head = np.sort(np.argpartition(-keys, n - 1, axis=-1)[..., :n], axis=-1)
        order = np.argsort(-_take(keys, head), axis=-1, kind="stable")
    else:
        head = keys.topk(n, dim=-1).indices.sort(dim=-1).values
        order = _take(keys, head).argsort(dim=-1, descending=True, stable=True)
    head = _take(head, order)
    ranked = _take(keys, head)
    last = _count(_take(rows, head).cumsum(axis=-1) < goal).clip(0, n - 1)
    edge = _take(ranked, last)
    # Of the tokens with the last key in the head, any may be missing there.
    reached = (edge > ranked[..., -1:]) | (n_head >= size)
    return edge, last + 1 - _count(ranked > edge), reached


def _keep(probabilities: Any, keys: Any, smallest: Any, n_equal: Any) -> Any:
    """Keep the tokens of each row with the largest keys, and normalise.

    Those are all with a key above the smallest, and of those with that key the `n_equal` of
    the lowest ids.
    """
    _, xp = with_functions(probabilities)
    equal = keys == smallest
    if not bool((_count(equal) > n_equal).any()):
        kept = keys >= smallest
    else:
        kept = (keys > smallest) | (equal & (equal.cumsum(axis=-1) <= n_equal))
    return _normalised(xp.where(kept, probabilities, xp.zeros_like(probabilities)))
