"""Zipf's coefficient: how fast the frequency of tokens falls with their rank."""

import numpy as np

from mauve.arrays import IntArray
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.measures.estimate import Estimate, moves_without
from mauve.measures.protocol import Measure, Side

#: Ranks that the line is fitted to.
TOP = 5000


def zipf_coefficient(frequencies: IntArray, top: int = TOP) -> float:
    r"""Return the slope of frequency over rank on logarithmic axes, with its sign turned.

    Parameters
    ----------
    frequencies : array of int, shape (n_types,)
        How often each type of token occurs, in any order; those that do not are left out.
    top : int
        Only so many of the most frequent types count.

    Notes
    -----
    With :math:`f_r` the frequency of the type of rank r = 1, ..., R, the least-squares line
    :math:`\log f_r \approx a - s \log r` has the slope

    .. math:: s = -\frac{\sum_r (\log r - \overline{\log r}) \log f_r}
                       {\sum_r (\log r - \overline{\log r})^2}

    Natural text has about 1; text of few words, used again and again, has more. It grows with
    the size of a sample until the rarest of the `top` types is frequent: compare samples of
    about the same number of tokens.

    References
    ----------
    Zipf, *Human behavior and the principle of least effort*, 1949. Holtzman, Buys, Du, Forbes
    and Choi, *The curious case of neural text degeneration*, ICLR 2020: 5,000 ranks, all of
    the same weight, as in the public code that the MAUVE paper uses (appendix C.4).

    Examples
    --------
    >>> round(zipf_coefficient(np.array([600, 300, 200, 150])), 6)
    1.0
    """
    present = frequencies[frequencies > 0]
    if len(present) < 2:
        raise InvalidParameterError(
            "The 'frequencies' parameter of zipf_coefficient must hold at least 2 types that "
            f"occur. Got {len(present)} instead."
        )
    kept = min(top, len(present))
    largest = np.sort(np.partition(present, len(present) - kept)[-kept:])[::-1]
    ranks = np.log(np.arange(1, kept + 1))
    ranks -= ranks.mean()
    return max(0.0, float(-(ranks @ np.log(largest)) / (ranks @ ranks)))


def zipf(own: Side, human: Side) -> Estimate:
    """Estimate Zipf's coefficient, and compute it once more without each group of texts.

    Notes
    -----
    The standard error is that of the delete-a-group jackknife, which is too large where many
    of the ranks are types that occur a few times only: by 40 % for 1,000 book excerpts of 140
    words, by about a tenth for 100 of them and for samples of millions of tokens.
    """
    assert own.tokens is not None
    table, groups = own.tokens, own.groups
    present = np.bincount(table.ids, minlength=table.vocabulary_size) > 0
    types = (np.cumsum(present) - 1)[table.ids]  # without gaps, as the numbering is for all samples
    n_types = int(present.sum())
    total = np.bincount(types, minlength=n_types)
    without = np.empty(groups.count)
    for group in range(groups.count):
        texts = np.flatnonzero(groups.labels == group)
        rows = [types[table.starts[i] : table.starts[i + 1]] for i in texts]
        left = total - np.bincount(np.concatenate([types[:0], *rows]), minlength=n_types)
        n_left = np.count_nonzero(left)
        if n_left < 2:
            raise InvalidParameterError(
                f"The Zipf coefficient of {escaped(own.name)!r} must be computed from at least 2 "
                f"different tokens, also without any one group of texts. Got {n_left} instead: "
                "give more or longer texts."
            )
        without[group] = zipf_coefficient(left)
    moves = moves_without(without, groups.sizes)
    return Estimate(zipf_coefficient(total), moves, by_prompt=groups.by_prompt)


ZIPF = Measure(
    name="zipf",
    title="Zipf",
    summary="slope of log frequency on log rank of tokens, negated",
    direction="human",
    needs=frozenset({"tokens"}),
    estimate=zipf,
    is_statistic=True,
    grows_with="tokens",
    low=0.0,
)
