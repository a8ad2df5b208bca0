r"""Estimate a value with the influence of each group of texts, from which intervals follow.

Texts are divided into groups. Either a statistic is computed again without each group (the
delete-a-group jackknife), or the influence of each text is known and summed over the groups.
Both give the *influences* of the groups, whose squares add up to the variance:

.. math:: \hat\theta - \theta \approx \sum_g m_g, \qquad \widehat{Var}(\hat\theta) = \sum_g m_g^2

Samples that answer the same prompts are divided by prompt: group g of one sample and group g
of the other hold the same prompts, so the effect of a prompt cancels in a difference.

References
----------
Efron and Stein, *The jackknife estimate of variance*, Annals of Statistics 1981: the
jackknife's variance is never too small on average.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import FloatArray, HashArray, IntArray
from mauve.errors import UndefinedError

N_GROUPS = 50


@dataclass(frozen=True)
class Groups:
    """The group of every text of a sample.

    Attributes
    ----------
    labels : array of int, shape (n,)
        From 0 to `count` - 1.
    count : int
        Number of groups, the same for all samples that are divided by prompt.
    by_prompt : bool
        Whether group g of this sample and group g of another answer the same prompts.
    n_prompts : int, optional
        Number of different prompts that the sample answers.

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
        """Number of texts of each group, as an array of shape (count,)."""
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
        """Sum values of shape (n,) over each group; the result has shape (count,)."""
        return np.bincount(self.labels, weights=values, minlength=self.count).astype(np.float64)


def deal_texts(hashes: HashArray, n_groups: int = N_GROUPS) -> Groups:
    """Divide texts into groups of equal size, independent of their order.

    Parameters
    ----------
    hashes : array of int, shape (n,)
        A hash of every text.
    n_groups : int
        Number of groups; at most the number of texts.

    Examples
    --------
    >>> deal_texts(np.array([7, 3, 5, 1], dtype=np.uint64), 2).sizes.tolist()
    [2, 2]
    """
    count = min(n_groups, len(hashes))
    labels = np.empty(len(hashes), dtype=np.intp)
    # Copies of a text are adjacent in the order of hashes. Dealt in turn, every group would get
    # its share of them, and the groups would vary less than samples do.
    labels[np.argsort(hashes, kind="stable")] = np.random.default_rng(0).permutation(len(hashes))
    return Groups(labels % count, count)


def deal_prompts(samples: list[HashArray], n_groups: int = N_GROUPS) -> list[Groups]:
    """Divide the texts of several samples into groups of prompts, the same in all samples.

    Parameters
    ----------
    samples : list of array of int, shape (n,)
        A hash of the prompt of every text, human texts first. The human prompts define the
        groups; the hash of any other prompt decides its group. So the groups of one system do
        not depend on the other systems.

    Examples
    --------
    >>> human, model = np.array([7, 3], dtype=np.uint64), np.array([3, 3, 7], dtype=np.uint64)
    >>> [groups.labels.tolist() for groups in deal_prompts([human, model])]
    [[1, 0], [0, 0, 1]]
    """
    prompts = np.unique(samples[0])
    count = min(n_groups, len(prompts))
    groups = []
    for hashes in samples:
        place = np.minimum(np.searchsorted(prompts, hashes), len(prompts) - 1)
        labels = np.where(prompts[place] == hashes, place % count, hashes % np.uint64(count))
        groups.append(Groups(labels.astype(np.intp), count, True, len(np.unique(hashes))))
    return groups


@dataclass(frozen=True)
class Estimate:
    """The value of a measure, with the influence of each group of texts.

    Attributes
    ----------
    value : float
    influences : array of shape (n_groups,)
        Influence of each group of the sample on the value.
    human_influences : array of shape (n_groups,), or None
        Influence of each group of the human sample, for a measure that compares both.
    by_prompt : bool
        Whether group g of both samples holds the same prompts.
    n_texts : float, optional
        Number of texts behind a share, if it is not a share of all texts of the sample.

    Examples
    --------
    >>> Estimate(0.5, np.array([0.3, 0.0]), np.array([0.0, 0.4])).standard_error
    0.5
    """

    value: float
    influences: FloatArray
    human_influences: FloatArray | None = None
    by_prompt: bool = False
    n_texts: float | None = None

    @property
    def standard_error(self) -> float:
        """Square root of the variance of the value."""
        parts = [self.influences]
        if self.human_influences is not None:
            parts.append(self.human_influences)
        if self.by_prompt:
            parts = [np.sum(parts, axis=0)]
        return float(np.sqrt(sum((part**2).sum() for part in parts)))

    def gap_to(self, human: "Estimate") -> "Estimate":
        """Return the difference of a statistic and its value for human text, T(Q) - T(P)."""
        difference = self.value - human.value
        return Estimate(difference, self.influences, -human.influences, self.by_prompt)

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
            The smallest and the largest possible value.
        n : int, optional
            Number of independent texts or prompts, if the value is a share of texts. The
            interval is then Wilson's: it stays between 0 and 1, and has a positive width even
            for a share of 0 or 1.
        n_groups : int, optional
            Number of groups that have texts, one more than the degrees of freedom; all by
            default.

        Examples
        --------
        >>> zero = Estimate(0.0, np.zeros(50))
        >>> zero.interval(0.95, n=1000)[1] > 0.003
        True
        """
        freedom = min(len(self.influences), n_groups or len(self.influences)) - 1
        # The quantile of scipy.stats.t, whose module takes 0.7 s to import.
        t = float(scipy.special.stdtrit(max(1, freedom), (1 + confidence) / 2))
        error = self.standard_error
        if n is None:
            return max(low, self.value - t * error), min(high, self.value + t * error)
        share, size = self.value, float(n if self.n_texts is None else self.n_texts)
        if error > 0 and 0 < share < 1:
            # Texts of one prompt are not independent, so their effective number is smaller.
            size = min(size, share * (1 - share) / error**2)
        middle = (share + t**2 / (2 * size)) / (1 + t**2 / size)
        reach = t / (1 + t**2 / size) * np.sqrt(share * (1 - share) / size + (t / (2 * size)) ** 2)
        # Rounding may exclude the share itself, or exceed [0, 1].
        below, above = float(middle - reach), float(middle + reach)
        return max(0.0, min(share, below)), min(1.0, max(share, above))


def jackknife_influences(without: FloatArray, sizes: NDArray[np.intp] | None = None) -> FloatArray:
    r"""Return the influence of each group by the delete-a-group jackknife.

    Parameters
    ----------
    without : array of shape (n_groups,)
        The statistic computed without the texts of each group.
    sizes : array of int, shape (n_groups,), optional
        Number of texts of each group; equal by default. An empty group has no influence.

    Notes
    -----
    :math:`m_g = -\sqrt{(G-1)/G} (\hat\theta_{(-g)} - c)`, with c the weighted mean of all
    :math:`\hat\theta_{(-g)}`. The weights :math:`1 - n_g/n` keep a group that holds most texts
    from dominating the mean.

    References
    ----------
    Bell and McCaffrey, *Bias reduction in standard errors for linear regression with multi-stage
    samples*, Survey Methodology 28, 2002: the jackknife over groups of unequal size.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0, 6.0])
    >>> influences = jackknife_influences((x.sum() - x) / 3)  # of a mean
    >>> bool(np.isclose((influences**2).sum(), x.var(ddof=1) / 4))
    True
    """
    n_of = np.ones(len(without)) if sizes is None else np.asarray(sizes, dtype=np.float64)
    used = n_of > 0
    count = int(used.sum())
    influences = np.zeros(len(without))
    if count < 2:
        return influences
    center = np.average(without[used], weights=1 - n_of[used] / n_of.sum())
    influences[used] = -np.sqrt((count - 1) / count) * (without[used] - center)
    return influences


def group_influences(text_influences: FloatArray, groups: Groups) -> FloatArray:
    r"""Return the influence of each group from those of its texts.

    Parameters
    ----------
    text_influences : array of shape (n,)
        :math:`\psi_i` with :math:`\hat\theta - \theta \approx \frac1n \sum_i \psi_i`; their
        mean is subtracted.

    Notes
    -----
    :math:`m_g = \sqrt{(G-1)/G} S_g / (n - n_g)` with the sum :math:`S_g` of the influences of
    the texts of a group, which is what :func:`jackknife_influences` returns for a mean.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0, 6.0])
    >>> influences = group_influences(x, Groups(np.arange(4), 4))  # of a mean
    >>> bool(np.isclose((influences**2).sum(), x.var(ddof=1) / 4))
    True
    """
    sizes, n = groups.sizes, len(text_influences)
    used = sizes > 0
    influences = np.zeros(groups.count)
    count = groups.n_used
    if count < 2:
        return influences
    sums = groups.sums(text_influences - text_influences.mean())
    influences[used] = np.sqrt((count - 1) / count) * sums[used] / (n - sizes[used])
    return influences


def ratio(numerators: FloatArray, denominators: FloatArray, groups: Groups) -> Estimate:
    """Return the ratio of two sums over texts, such as a mean over tokens.

    Parameters
    ----------
    numerators, denominators : array of shape (n,)
        Terms of both sums, one for each text.
    groups : Groups

    Examples
    --------
    >>> ratio(np.array([2.0, 1.0]), np.array([4.0, 2.0]), Groups(np.arange(2), 2)).value
    0.5
    """
    total = float(denominators.sum())
    if total == 0:
        raise UndefinedError(
            "A mean over tokens must have at least one token. Got texts without any instead."
        )
    value = float(numerators.sum()) / total
    text_influences = (numerators - value * denominators) / (total / len(denominators))
    return Estimate(value, group_influences(text_influences, groups), by_prompt=groups.by_prompt)


def token_mean(values: FloatArray, starts: IntArray, groups: Groups) -> Estimate:
    """Return the mean of values of tokens, with the influences of the texts they are in.

    Parameters
    ----------
    values : array of shape (n_tokens,)
    starts : array of int, shape (n_texts + 1,)
        Tokens of text i are ``starts[i]`` to ``starts[i + 1] - 1``.
    groups : Groups
        Of the texts.

    Examples
    --------
    >>> groups = Groups(np.arange(2), 2)
    >>> token_mean(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 3]), groups).value
    2.0
    """
    lengths = np.diff(starts)
    texts = np.repeat(np.arange(len(lengths)), lengths)
    sums = np.bincount(texts, weights=values, minlength=len(lengths)).astype(np.float64)
    return ratio(sums, lengths.astype(np.float64), groups)


def perplexity_of(mean: Estimate) -> Estimate:
    """Return the perplexity of a mean log-probability, by the delta method.

    Examples
    --------
    >>> perplexity_of(Estimate(0.0, np.array([0.5, -0.5]))).influences.tolist()
    [-0.5, 0.5]
    """
    value = float(np.exp(-mean.value))
    return Estimate(value, -value * mean.influences, by_prompt=mean.by_prompt)
