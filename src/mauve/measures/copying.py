"""Copying: how much of a sample stands in the texts that its model was trained on."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, HashArray, IntArray
from mauve.errors import InvalidParameterError, check_int
from mauve.escape import escaped
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.ngrams import ngrams
from mauve.measures.protocol import Measure, Side, TokenTable

_BITS = 25  # of a hash: two tables of 32 MB
_STRETCH = 1 << 18  # n-grams that are hashed at a time, so that they stay in the cache
# Odd, so that no bit is lost; the digits of the golden ratio and of the roots of 2 and 3.
_FACTORS = np.array([0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B], dtype=np.uint64)


def copied_ngrams(table: TokenTable, training: TokenTable, n: int) -> IntArray:
    """Count the n-grams of each text that occur in the training texts.

    Parameters
    ----------
    table, training : TokenTable
        With one numbering.
    n : int
        Number of tokens of each.

    Returns
    -------
    array of int, shape (n_texts,)
        Of the texts of `table`; an n-gram that stands in a text twice counts twice.

    Notes
    -----
    N-grams are compared by their tokens, and none reaches from one text into the next. Those
    of length n are made from those one token shorter, and only from those that both have, as
    every part of a copy is a copy. Training texts are many, so that what cannot be a copy is
    taken out of them first; hashes that collide leave too much in, never too little.

    Examples
    --------
    >>> table, training = TokenTable.of([[1, 2, 3], [2, 1]], 4), TokenTable.of([[0, 1, 2]], 4)
    >>> copied_ngrams(table, training, 2).tolist()
    [1, 0]
    """
    training = _possible(table, training, n)
    own_size = len(table.ids)
    joint = TokenTable(
        np.concatenate([table.ids, training.ids]),
        np.concatenate([table.starts, own_size + training.starts[1:]]),
        table.vocabulary_size,
    )
    found = ngrams(joint, 1)
    for length in range(1, n + 1):
        is_own = found.places < own_size
        count = int(found.numbers[-1]) + 1 if len(found.numbers) else 0
        shared = _marked(found.numbers[is_own], count) & _marked(found.numbers[~is_own], count)
        if length < n:
            found = found.longer(shared)
    copied = found.places[is_own & shared[found.numbers]]
    return np.bincount(found.units[copied], minlength=len(table))


def _possible(table: TokenTable, training: TokenTable, n: int) -> TokenTable:
    """Cut from the training texts all tokens that are in no n-gram of `table`, or nearly all."""
    marks = np.zeros((2, 1 << _BITS), dtype=bool)
    for _, first, second in _buckets(table.ids, n):
        marks[0, first] = marks[1, second] = True
    # An n-gram opens at its first token and closes behind its last.
    opened = np.zeros(len(training.ids) + 1, dtype=np.int8)
    for start, first, second in _buckets(training.ids, n):
        hits = np.flatnonzero(marks[0, first])
        opened[start + hits[marks[1, second[hits]]]] = 1
    closed = np.concatenate([np.zeros(n, dtype=np.int8), opened])[: len(opened)]
    kept = np.cumsum(opened - closed, dtype=np.int32)[:-1] > 0
    # What does not follow its neighbour any more is a text of its own.
    begins = np.concatenate([[True], ~kept[:-1]])[: len(kept)]
    begins[training.starts[:-1][training.lengths > 0]] = True
    starts = np.append(np.flatnonzero(begins[kept]), np.count_nonzero(kept))
    return TokenTable(training.ids[kept], starts, training.vocabulary_size)


def _buckets(ids: NDArray[np.int32], n: int) -> Iterator[tuple[int, HashArray, HashArray]]:
    """Yield where a stretch of n-grams begins, and two hashes of each."""
    for start in range(0, len(ids) - n + 1, _STRETCH):
        size = min(_STRETCH, len(ids) - n + 1 - start)
        keys = np.zeros(size, dtype=np.uint64)
        for i in range(start, start + n):
            keys *= _FACTORS[0]
            keys += ids[i : i + size].astype(np.uint64) + np.uint64(1)
        shift = np.uint64(64 - _BITS)
        yield start, (keys * _FACTORS[1]) >> shift, (keys * _FACTORS[2]) >> shift


def _marked(numbers: NDArray[np.signedinteger], count: int) -> BoolArray:
    marks = np.zeros(count, dtype=bool)
    marks[numbers] = True
    return marks


def copying(n: int = 8) -> Measure:
    r"""Return the measure of copied n-grams.

    Parameters
    ----------
    n : int
        Tokens in a row that count as copied; shorter ones recur in any text.

    Notes
    -----
    The share of all n-grams of a sample Q, with their number of occurrences, that are one of
    those of the training texts D:

    .. math:: \frac{\sum_{x \in Q} \sum_t 1[x_{t:t+n-1} \in D]}{\sum_{x \in Q} (|x| - n + 1)^+}

    Human texts that the model has not seen share phrases with its training texts too, and
    their share is what to compare with. The interval is that for other texts of the same
    source; the training texts are taken as given.

    References
    ----------
    McCoy, Smolensky, Linzen, Gao and Celikyilmaz, *How much do language models copy from their
    training data?*, TACL 2023: one minus this share is that of their novel n-grams, but that
    they count what stands in the prompt as a copy too.

    Examples
    --------
    >>> copying(4).name
    'copying-4'
    """
    check_int("copying", "n", n, 1)

    def estimate(own: Side, human: Side) -> Estimate:
        assert own.tokens is not None
        assert own.training is not None
        assert own.training.tokens is not None
        for side, tokens in ((own, own.tokens), (own.training, own.training.tokens)):
            longest = int(tokens.lengths.max(initial=0))
            if longest < n:
                raise InvalidParameterError(
                    f"Copying of {n} tokens in a row must be measured on texts of at least as "
                    f"many. Got {escaped(side.name)!r}, whose longest has {longest}, instead: "
                    "give longer texts, or a smaller n."
                )
        totals = np.maximum(own.tokens.lengths - n + 1, 0)
        copied = copied_ngrams(own.tokens, own.training.tokens, n)
        return ratio(copied.astype(np.float64), totals.astype(np.float64), own.groups)

    return Measure(
        name=f"copying-{n}",
        title=f"Copying-{n}",
        summary=f"share of {n}-grams that stand in the training texts",
        direction="human",
        needs=frozenset({"tokens", "training"}),
        estimate=estimate,
        is_statistic=True,
        low=0.0,
        high=1.0,
    )
