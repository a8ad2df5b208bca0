"""Compute the share of n-grams of a sample that occur in its training texts."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, HashArray, IntArray
from mauve.errors import UndefinedError, check_int
from mauve.escape import escaped
from mauve.measures.estimate import Estimate, ratio
from mauve.measures.ngrams import find_ngrams
from mauve.measures.protocol import Measure, MeasuredSample, TokenTable, needed

_HASH_BITS = 25  # two tables of 32 MB
_BLOCK_SIZE = 1 << 18  # n-grams that are hashed at a time, so that they stay in the cache
# Odd, so that no bit is lost: the digits of the golden ratio and of the roots of 2 and 3.
_FACTORS = np.array([0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B], dtype=np.uint64)


def copied_ngrams(
    table: TokenTable,
    training: TokenTable,
    n: int,
    *,
    hash_bits: int = _HASH_BITS,
    block_size: int = _BLOCK_SIZE,
) -> IntArray:
    """Count the n-grams of each text that occur in the training texts.

    Parameters
    ----------
    table, training : TokenTable
        With the same token ids.
    n : int
        Number of tokens of an n-gram.
    hash_bits, block_size : int
        Size of the hash tables, and n-grams hashed at a time. Neither changes the result.

    Returns
    -------
    array of int, shape (n_texts,)
        For each text of `table`; an n-gram that occurs twice in a text counts twice.

    Notes
    -----
    N-grams are compared token by token, and none spans two texts. Those of length n are built
    from those one token shorter that both samples have, since every part of a copy is a copy.
    Most training texts contain no copy, so tokens that are in no possible copy are removed
    first, by hashes: a collision keeps a token that could go, never the reverse.

    Examples
    --------
    >>> table, training = TokenTable.of([[1, 2, 3], [2, 1]], 4), TokenTable.of([[0, 1, 2]], 4)
    >>> copied_ngrams(table, training, 2).tolist()
    [1, 0]
    """
    training = _possible_copies(table, training, n, hash_bits, block_size)
    n_tokens = len(table.ids)
    joint = TokenTable(
        np.concatenate([table.ids, training.ids]),
        np.concatenate([table.starts, n_tokens + training.starts[1:]]),
        table.vocabulary_size,
    )
    grams = find_ngrams(joint, 1)
    for length in range(1, n + 1):
        in_table = grams.places < n_tokens
        count = int(grams.numbers[-1]) + 1 if len(grams.numbers) else 0
        shared = _marked(grams.numbers[in_table], count) & _marked(grams.numbers[~in_table], count)
        if length < n:
            grams = grams.longer(shared)
    copied = grams.places[in_table & shared[grams.numbers]]
    return np.bincount(grams.units[copied], minlength=len(table))


def _possible_copies(
    table: TokenTable, training: TokenTable, n: int, hash_bits: int, block_size: int
) -> TokenTable:
    """Remove (nearly) all tokens of the training texts that are in no n-gram of `table`."""
    marks = np.zeros((2, 1 << hash_bits), dtype=bool)
    for _, first, second in _hashes(table.ids, n, hash_bits, block_size):
        marks[0, first] = marks[1, second] = True
    # An n-gram opens at its first token and closes after its last.
    opened = np.zeros(len(training.ids) + 1, dtype=np.int8)
    for start, first, second in _hashes(training.ids, n, hash_bits, block_size):
        hits = np.flatnonzero(marks[0, first])
        opened[start + hits[marks[1, second[hits]]]] = 1
    closed = np.concatenate([np.zeros(n, dtype=np.int8), opened])[: len(opened)]
    in_copy = np.cumsum(opened - closed, dtype=np.int32)[:-1] > 0
    # A token whose predecessor was removed begins a new text.
    begins = np.concatenate([[True], ~in_copy[:-1]])[: len(in_copy)]
    begins[training.starts[:-1][training.lengths > 0]] = True
    starts = np.append(np.flatnonzero(begins[in_copy]), np.count_nonzero(in_copy))
    return TokenTable(training.ids[in_copy], starts, training.vocabulary_size)


def _hashes(
    ids: NDArray[np.int32], n: int, hash_bits: int, block_size: int
) -> Iterator[tuple[int, HashArray, HashArray]]:
    """Yield the start of each block of n-grams, and two hashes of each n-gram."""
    for start in range(0, len(ids) - n + 1, block_size):
        size = min(block_size, len(ids) - n + 1 - start)
        keys = np.zeros(size, dtype=np.uint64)
        for i in range(start, start + n):
            keys *= _FACTORS[0]
            keys += ids[i : i + size].astype(np.uint64) + np.uint64(1)
        shift = np.uint64(64 - hash_bits)
        yield start, (keys * _FACTORS[1]) >> shift, (keys * _FACTORS[2]) >> shift


def _marked(numbers: NDArray[np.signedinteger], count: int) -> BoolArray:
    marks = np.zeros(count, dtype=bool)
    marks[numbers] = True
    return marks


def copying_measure(n: int = 8) -> Measure:
    r"""Return the measure of copied n-grams.

    Parameters
    ----------
    n : int
        Number of consecutive tokens that count as copied; short n-grams recur in any text.

    Notes
    -----
    The share of the n-grams of a sample Q, counted with repetition, that occur in the training
    texts D:

    .. math:: \frac{\sum_{x \in Q} \sum_t 1[x_{t:t+n-1} \in D]}{\sum_{x \in Q} (|x| - n + 1)^+}

    Human texts that the model has not seen share phrases with its training texts too: compare
    with their share. The interval is for other texts of the same source and the same training
    texts.

    References
    ----------
    McCoy, Smolensky, Linzen, Gao and Celikyilmaz, *How much do language models copy from their
    training data?*, TACL 2023: one minus this share is their share of novel n-grams, except
    that they also count n-grams of the prompt as copies.

    Examples
    --------
    >>> copying_measure(4).name
    'copying-4'
    """
    check_int("n", n, 1)

    def estimate(sample: MeasuredSample, human: MeasuredSample) -> Estimate:
        training = needed(sample.training, "training")
        tokens = needed(sample.tokens, "tokens")
        training_tokens = needed(training.tokens, "tokens")
        for name, table in ((sample.name, tokens), (training.name, training_tokens)):
            longest = int(table.lengths.max(initial=0))
            if longest < n:
                raise UndefinedError(
                    f"Copying of {n} tokens in a row must be measured on texts of at least as "
                    f"many. Got {escaped(name)!r}, whose longest has {longest}, instead: "
                    "give longer texts, or a smaller n."
                )
        totals = np.maximum(tokens.lengths - n + 1, 0)
        copied = copied_ngrams(tokens, training_tokens, n)
        return ratio(copied.astype(np.float64), totals.astype(np.float64), sample.groups)

    return Measure(
        name=f"copying-{n}",
        title=f"Copying-{n}",
        summary=f"share of {n}-grams that occur in the training texts",
        direction="human",
        needs=frozenset({"tokens", "training"}),
        estimate=estimate,
        is_statistic=True,
        low=0.0,
        high=1.0,
    )
