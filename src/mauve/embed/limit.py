"""Draw a random part of each sample, the same for texts in any order."""

from collections.abc import Mapping, Sequence

import numpy as np

from mauve.arrays import HashArray, IntArray
from mauve.hashes import scramble_hashes, text_hashes

_ODD = np.uint64(0x9E3779B97F4A7C15)  # spreads the numbers of equal texts over all 64 bits


def draw_rows(
    hashes: Mapping[str, HashArray],
    prompts: Mapping[str, Sequence[str]] | None,
    limit: int,
    seed: int,
) -> dict[str, IntArray]:
    """Return the positions of at most `limit` texts of each sample, drawn without replacement.

    Parameters
    ----------
    hashes : mapping from name to array of int, shape (n,)
        A hash of every text.
    prompts : mapping from name to sequence of str, or None
        The prompt that each text answers.
    limit : int
        Number of texts of each sample.
    seed : int
        Random seed.

    Returns
    -------
    dict from name to array of int
        In increasing order. A sample with fewer texts is kept whole.

    Notes
    -----
    Texts are drawn in the order of their hashes, scrambled with the seed: which ones does not
    depend on their order, and a larger limit adds texts to those of a smaller one. The second
    of two equal texts has another hash than the first, so that a text is drawn as often as its
    share of the sample says.

    With prompts, prompts are drawn in the order of *their* hashes, each with all its texts, of
    which the last may lose some. Samples that answer the same prompts keep the same ones, and
    remain paired; one that lacks some of them is still a random part of its source.

    Examples
    --------
    >>> hashes = {"human": text_hashes(["a", "b", "c", "d"])}
    >>> [human] = draw_rows(hashes, None, 2, seed=0).values()
    >>> [more] = draw_rows(hashes, None, 3, seed=0).values()
    >>> len(human), set(human) < set(more)
    (2, True)
    """
    rows = {}
    for name, sample in hashes.items():
        order = [numbered_hashes(sample, seed)]
        if prompts is not None:
            order.append(scramble_hashes(text_hashes(prompts[name]), seed))
        rows[name] = np.sort(np.lexsort(order)[:limit])
    return rows


def numbered_hashes(hashes: HashArray, seed: int) -> HashArray:
    """Scramble hashes so that equal ones differ: the first, second, third of them.

    Examples
    --------
    >>> len(set(numbered_hashes(np.array([7, 7], dtype=np.uint64), 0)))
    2
    """
    order = np.argsort(hashes, kind="stable")
    ranks = np.arange(len(hashes))
    is_first = np.r_[True, hashes[order][1:] != hashes[order][:-1]]
    number = np.empty(len(hashes), dtype=np.uint64)
    number[order] = ranks - np.maximum.accumulate(np.where(is_first, ranks, 0))
    return scramble_hashes(hashes + number * _ODD, seed)
