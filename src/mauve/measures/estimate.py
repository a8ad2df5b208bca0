r"""A value and how each group of texts moved it: what intervals of all measures are made of.

Texts are dealt into groups. Either a statistic is computed once more without each group
(the delete-a-group jackknife), or the influence of each text is known and added up over
the groups. Both end in the same numbers, *moves*, whose squares add up to the variance:

.. math:: \hat\theta - \theta \approx \sum_g m_g, \qquad \widehat{Var}(\hat\theta) = \sum_g m_g^2

Samples that answer the same prompts are dealt by prompt, so that group g of one and group g
of the other hold the same prompts, and what they share cancels in a difference.

References
----------
Efron and Stein, *The jackknife estimate of variance*, Annals of Statistics 1981: the
jackknife's variance is never too small on average.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import FloatArray, HashArray
from mauve.errors import InvalidParameterError

N_GROUPS = 50


@dataclass(frozen=True)
class Groups:
    """The group of every text of a sample.

    Attributes
    ----------
    labels : array of int, shape (n,)
        From 0 to `count` - 1.
    count : int
        Number of groups, the same for samples that are dealt by prompt.
    by_prompt : bool
        Whether group g of this sample and group g of another answer the same prompts.
    n_prompts : int, optional
        Different prompts that the sample answers.

    Examples
    --------
    >>> Groups(np.array([0, 1, 0]), 2).sizes.tolist()
    [2, 1]
    """

    labels: NDArray[np.intp]
    count: int
    by_prompt: bool = False
    n_prompts: int | None = None

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Texts of each group, as an array of shape (count,)."""
        return np.bincount(self.labels, minlength=self.count)

    @property
    def n_used(self) -> int:
        """Number of groups that have a text."""
        return int(np.count_nonzero(self.sizes))

    @property
    def n_independent(self) -> int:
        """Number of texts, or of prompts, that are independent of each other."""
        return len(self.labels) if self.n_prompts is None else self.n_prompts

    def sums(self, values: FloatArray) -> FloatArray:
        """Add values of shape (n,) up over each group; the result has shape (count,)."""
        return np.bincount(self.labels, weights=values, minlength=self.count).astype(np.float64)


def deal_texts(keys: HashArray, n_groups: int = N_GROUPS) -> Groups:
    """Deal texts into groups of equal size, whatever their order.

    Parameters
    ----------
    keys : array of int, shape (n,)
        A hash of every text.
    n_groups : int
        Fewer are made where there are fewer texts.

    Examples
    --------
    >>> deal_texts(np.array([7, 3, 5, 1], dtype=np.uint64), 2).sizes.tolist()
    [2, 2]
    """
    count = min(n_groups, len(keys))
    labels = np.empty(len(keys), dtype=np.intp)
    # Copies of a text stand side by side in the order of keys. Dealt in turn, every group would
    # have its share of them, and the groups would differ less than samples do.
    labels[np.argsort(keys, kind="stable")] = np.random.default_rng(0).permutation(len(keys))
    return Groups(labels % count, count)


def deal_prompts(samples: list[HashArray], n_groups: int = N_GROUPS) -> list[Groups]:
    """Deal the texts of several samples into groups of prompts, the same in all samples.

    Parameters
    ----------
    samples : list of array of int, shape (n,)
        A hash of the prompt of every text, human texts first. Their prompts make the groups; a
        prompt that people do not answer goes where its hash says. So the groups of one system
        do not depend on the others.

    Examples
    --------
    >>> human, model = np.array([7, 3], dtype=np.uint64), np.array([3, 3, 7], dtype=np.uint64)
    >>> [groups.labels.tolist() for groups in deal_prompts([human, model])]
    [[1, 0], [0, 0, 1]]
    """
    prompts = np.unique(samples[0])
    count = min(n_groups, len(prompts))
    found = []
    for keys in samples:
        place = np.minimum(np.searchsorted(prompts, keys), len(prompts) - 1)
        labels = np.where(prompts[place] == keys, place % count, keys % np.uint64(count))
        found.append(Groups(labels.astype(np.intp), count, True, len(np.unique(keys))))
    return found


@dataclass(frozen=True)
class Estimate:
    """What a measure found.

    Attributes
    ----------
    value : float
    moves : array of shape (n_groups,)
        What each group of the sample's own texts added to the error of the value.
    human_moves : array of shape (n_groups,), or None
        The same for the human texts, of a measure that compares both.
    by_prompt : bool
        Whether groups of both samples are those of the same prompts.
    n_texts : float, optional
        Texts that a share is of, where it is not of all texts of the sample.

    Examples
    --------
    >>> Estimate(0.5, np.array([0.3, 0.0]), np.array([0.0, 0.4])).standard_error
    0.5
    """

    value: float
    moves: FloatArray
    human_moves: FloatArray | None = None
    by_prompt: bool = False
    n_texts: float | None = None

    @property
    def standard_error(self) -> float:
        """Square root of the variance of the value."""
        every = [self.moves] if self.human_moves is None else [self.moves, self.human_moves]
        joint = [np.sum(every, axis=0)] if self.by_prompt else every
        return float(np.sqrt(sum((moves**2).sum() for moves in joint)))

    def gap_to(self, human: "Estimate") -> "Estimate":
        """Return the difference of a statistic to that of human text, T(Q) - T(P)."""
        return Estimate(self.value - human.value, self.moves, -human.moves, self.by_prompt)

    def interval(
        self,
        confidence: float,
        *,
        low: float = -np.inf,
        high: float = np.inf,
        n: int | None = None,
        n_groups: int | None = None,
    ) -> tuple[float, float]:
        """Return a confidence interval.

        Parameters
        ----------
        confidence : float
        low, high : float
            The least and the greatest value there can be.
        n : int, optional
            Number of independent texts or prompts, if the value is a share of texts: the
            interval is then Wilson's, which stays between 0 and 1 and does not vanish where no
            text or every text has what is counted.
        n_groups : int, optional
            Groups that have texts, one more than degrees of freedom; all by default.

        Examples
        --------
        >>> none = Estimate(0.0, np.zeros(50))
        >>> none.interval(0.95, n=1000)[1] > 0.003
        True
        """
        freedom = min(len(self.moves), n_groups or len(self.moves)) - 1
        t = float(scipy.stats.t.ppf((1 + confidence) / 2, max(1, freedom)))
        error = self.standard_error
        if n is None:
            return max(low, self.value - t * error), min(high, self.value + t * error)
        share, size = self.value, float(n if self.n_texts is None else self.n_texts)
        if error > 0 and 0 < share < 1:
            # Texts of one prompt count less than independent ones would.
            size = min(size, share * (1 - share) / error**2)
        middle = (share + t**2 / (2 * size)) / (1 + t**2 / size)
        reach = t / (1 + t**2 / size) * np.sqrt(share * (1 - share) / size + (t / (2 * size)) ** 2)
        # Rounding may leave out 0 or 1 itself, or go beyond.
        below, above = float(middle - reach), float(middle + reach)
        return max(0.0, min(share, below)), min(1.0, max(share, above))


def moves_without(without: FloatArray, sizes: NDArray[np.intp] | None = None) -> FloatArray:
    r"""Return the moves, given the statistic without each group (delete-a-group jackknife).

    Parameters
    ----------
    without : array of shape (n_groups,)
        The statistic of all texts but those of one group.
    sizes : array of int, shape (n_groups,), optional
        Texts of each group; all alike by default. A group without any has moved nothing.

    Notes
    -----
    :math:`m_g = -\sqrt{(G-1)/G} (\hat\theta_{(-g)} - c)`, with c the mean of all
    :math:`\hat\theta_{(-g)}` with weights :math:`1 - n_g/n`, so that a group that holds most
    texts does not pull it to itself.

    References
    ----------
    Bell and McCaffrey, *Bias reduction in standard errors for linear regression with multi-stage
    samples*, Survey Methodology 28, 2002: the jackknife over groups of unequal size.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0, 6.0])
    >>> moves = moves_without((x.sum() - x) / 3)  # of a mean: the textbook's standard error
    >>> bool(np.isclose((moves**2).sum(), x.var(ddof=1) / 4))
    True
    """
    n_of = np.ones(len(without)) if sizes is None else np.asarray(sizes, dtype=np.float64)
    used = n_of > 0
    count = int(used.sum())
    moves = np.zeros(len(without))
    if count < 2:
        return moves
    center = np.average(without[used], weights=1 - n_of[used] / n_of.sum())
    moves[used] = -np.sqrt((count - 1) / count) * (without[used] - center)
    return moves


def moves_of(influences: FloatArray, groups: Groups) -> FloatArray:
    r"""Return the moves, given the influence of each text.

    Parameters
    ----------
    influences : array of shape (n,)
        :math:`\psi_i` with :math:`\hat\theta - \theta \approx \frac1n \sum_i \psi_i`; their
        mean is taken off.

    Notes
    -----
    What :func:`moves_without` makes of a mean: :math:`m_g = \sqrt{(G-1)/G} S_g / (n - n_g)`,
    with the sum :math:`S_g` of the influences of a group.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0, 6.0])
    >>> moves = moves_of(x, Groups(np.arange(4), 4))  # of a mean
    >>> bool(np.isclose((moves**2).sum(), x.var(ddof=1) / 4))
    True
    """
    sizes, n = groups.sizes, len(influences)
    used = sizes > 0
    moves = np.zeros(groups.count)
    count = groups.n_used
    if count < 2:
        return moves
    sums = groups.sums(influences - influences.mean())
    moves[used] = np.sqrt((count - 1) / count) * sums[used] / (n - sizes[used])
    return moves


def ratio(numerators: FloatArray, denominators: FloatArray, groups: Groups) -> Estimate:
    """Return a sum over texts divided by another, such as a mean over tokens.

    Parameters
    ----------
    numerators, denominators : array of shape (n,)
        Of each text.

    Examples
    --------
    >>> ratio(np.array([2.0, 1.0]), np.array([4.0, 2.0]), Groups(np.arange(2), 2)).value
    0.5
    """
    total = float(denominators.sum())
    if total == 0:
        raise InvalidParameterError(
            "A mean over tokens must have at least one token. Got texts without any instead."
        )
    value = float(numerators.sum()) / total
    influences = (numerators - value * denominators) / (total / len(denominators))
    return Estimate(value, moves_of(influences, groups), by_prompt=groups.by_prompt)
