"""Draw the texts that each clustering is learnt from.

Everything learnt comes from a fixed number of texts, whatever the size of the samples: buckets
that are learnt from more texts are finer, and a score would drift with the number of texts.
"""

import numpy as np

from mauve.arrays import HashArray, IntArray
from mauve.calls import parameter
from mauve.errors import InvalidParameterError
from mauve.hashes import scramble_hashes, text_keys

#: Texts per bucket that a clustering is learnt from, of both samples together.
TEXTS_PER_BUCKET = 8

#: Fewest texts that a clustering can be learnt from, and why.
MIN_LEARNING = 4
WHY_LEARNING = "two of each sample"


def learning_rows(
    hashes: HashArray,
    n_rows: int,
    n_clusterings: int,
    seed: int,
    prompts: HashArray | None = None,
) -> IntArray:
    """Return the rows of one sample that each clustering is learnt from, shape (B, n_rows).

    The texts are put into a random order and dealt into blocks of `n_rows`, one block for each
    clustering; when the blocks are used up, the texts are dealt again. So all texts are learnt
    from about equally often. The draw depends on this sample alone, and not on the order of its
    texts.

    Parameters
    ----------
    hashes : array of int, shape (n,)
        A hash of every text.
    n_rows : int
        Texts of this sample that a clustering is learnt from, at most n.
    n_clusterings : int
        Number of clusterings B.
    seed : int
        Random seed.
    prompts : array of int, shape (n,), optional
        A hash of the prompt that each text answers. Texts of one prompt are in one block, but
        for prompts at its ends.

    Examples
    --------
    >>> rows = learning_rows(np.arange(6, dtype=np.uint64), 2, n_clusterings=3, seed=0)
    >>> sorted(rows.ravel().tolist())
    [0, 1, 2, 3, 4, 5]
    """
    return deal(text_keys(hashes, prompts), n_rows, n_clusterings, seed, prompts)


def deal(
    keys: HashArray,
    n_rows: int,
    n_clusterings: int,
    seed: int,
    prompts: HashArray | None = None,
) -> IntArray:
    """Return the positions that each clustering is learnt from, of texts with different keys.

    Where `n_clusterings` blocks are dealt from one order, they hold the keys that come first in it:
    the others need not be there (:func:`first_to_deal`).

    Parameters
    ----------
    keys : array of int, shape (n,)
        Result of :func:`mauve.hashes.text_keys`.
    n_rows, n_clusterings, seed, prompts
        As for :func:`learning_rows`.

    Examples
    --------
    >>> keys = np.arange(100, dtype=np.uint64)
    >>> first = keys[first_to_deal(keys, n_rows=5, n_clusterings=4, n_texts=100, seed=0)]
    >>> of_all, of_first = (deal(part, 5, 4, seed=0) for part in (keys, first))
    >>> len(first), bool((keys[of_all] == first[of_first]).all())
    (20, True)
    """
    n_blocks = len(keys) // n_rows
    dealt: list[IntArray] = []
    while len(dealt) * n_blocks < n_clusterings:
        salt = [seed, len(dealt)]
        columns = [scramble_hashes(keys, salt)]
        if prompts is not None:
            columns.append(scramble_hashes(prompts, salt))
        order = np.lexsort(columns)
        dealt.append(order[: n_blocks * n_rows].reshape(n_blocks, n_rows))
    return np.concatenate(dealt)[:n_clusterings]


def first_to_deal(
    keys: HashArray, n_rows: int, n_clusterings: int, n_texts: int, seed: int
) -> IntArray:
    """Return the positions of the keys that are dealt to clusterings, of a part of a sample.

    Parameters
    ----------
    keys : array of int, shape (n,)
    n_rows, n_clusterings, seed
        As for :func:`learning_rows`.
    n_texts : int
        Number of texts of the whole sample.
    """
    wanted = n_rows * n_clusterings
    if n_texts // n_rows < n_clusterings or len(keys) <= wanted:  # all are dealt, more than once
        return np.arange(len(keys))
    return np.sort(np.argpartition(scramble_hashes(keys, [seed, 0]), wanted - 1)[:wanted])


def check_counted(n_counted: int, n_prompts: int | None) -> None:
    """Raise if a clustering leaves too few texts of a sample to count.

    Examples
    --------
    >>> check_counted(2, None)
    """
    if n_counted < 2:
        raise InvalidParameterError(
            f"{parameter('prompts')} must leave texts of other prompts to count, because texts of "
            f"a prompt that a clustering is learnt from are not counted. Got {n_prompts} "
            "different prompts instead: use more prompts, or none."
        )
