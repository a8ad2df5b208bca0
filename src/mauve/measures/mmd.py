r"""Maximum mean discrepancy: how far apart a kernel sees two samples of features.

.. math::

    \mathrm{MMD}^2 = \mathbb{E}\,k(x, x') + \mathbb{E}\,k(y, y') - 2\,\mathbb{E}\,k(x, y)

The kernel is Gaussian and as wide as the median distance of two human texts. It is 0 for
equal distributions only, and neither a shift, a rotation nor a change of scale of the
features changes it. The cubic kernel of KID has none of these properties: it was made for
one network's features, which are of the order of 1. The width is that of the human texts
alone, so that all models are measured with one kernel.

References
----------
Gretton, Borgwardt, Rasch, Schölkopf and Smola, *A kernel two-sample test*, JMLR 2012: the
unbiased estimator (equation 3) and the median as width (section 8).

Bińkowski, Sutherland, Arbel and Gretton, *Demystifying MMD GANs*, ICLR 2018: KID.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError, bad_parameter, check_choice
from mauve.measures.estimate import Estimate, Groups, moves_without
from mauve.measures.protocol import Measure, Side

#: Rows of shapes (n, d) and (m, d) in, their kernel of shape (n, m) out.
Kernel = Callable[[FloatArray, FloatArray], FloatArray]

_CHUNK = 512  # rows whose kernel with all others is in memory at a time
_MEDIAN_ROWS = 1000  # texts whose distances the median is taken of


def median_distance(features: NDArray[Any]) -> float:
    """Return the median distance of two texts.

    Parameters
    ----------
    features : array of shape (n, d)
        Of more than 1000 texts as many are taken, evenly by their distance to the mean, so
        that it does not depend on their order.

    Examples
    --------
    >>> median_distance(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    found = np.asarray(features, dtype=np.float64)
    if len(found) > _MEDIAN_ROWS:
        order = np.argsort(((found - found.mean(axis=0)) ** 2).sum(axis=1), kind="stable")
        found = found[order[np.linspace(0, len(found) - 1, _MEDIAN_ROWS).astype(np.intp)]]
    return float(np.median(scipy.spatial.distance.pdist(found)))


def rbf(width: float) -> Kernel:
    r"""Return the Gaussian kernel :math:`k(x, y) = \exp(-|x - y|^2 / (2 w^2))`.

    Examples
    --------
    >>> rbf(2.0)(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(4).tolist()
    [[1.0, 0.6065]]
    """

    def kernel(x: FloatArray, y: FloatArray) -> FloatArray:
        squares = np.einsum("ij,ij->i", x, x)[:, None] + np.einsum("ij,ij->i", y, y)
        squares -= 2 * (x @ y.T)
        np.maximum(squares, 0, out=squares)
        squares /= -2 * width**2
        return np.asarray(np.exp(squares, out=squares))

    return kernel


def cubic(x: FloatArray, y: FloatArray) -> FloatArray:
    r"""Return the kernel of KID, :math:`k(x, y) = (x \cdot y / d + 1)^3`.

    Examples
    --------
    >>> cubic(np.array([[1.0, 1.0]]), np.array([[1.0, 1.0], [1.0, -1.0]])).tolist()
    [[8.0, 1.0]]
    """
    base = x @ y.T / x.shape[1] + 1
    return np.asarray(base * base * base)


def squared_mmd(own: NDArray[Any], human: NDArray[Any], kernel: str = "rbf") -> float:
    r"""Return the unbiased estimate of the squared MMD, over all pairs of texts.

    Parameters
    ----------
    own, human : array of shape (n, d)
        At least two texts each.
    kernel : {"rbf", "cubic"}
        "rbf" is as wide as the median distance of the human texts; "cubic" is that of KID.

    Notes
    -----
    With n texts x and m texts y,

    .. math::

        \frac{1}{n (n-1)} \sum_{i \ne j} k(x_i, x_j)
        + \frac{1}{m (m-1)} \sum_{i \ne j} k(y_i, y_j) - \frac{2}{n m} \sum_{ij} k(x_i, y_j).

    For samples of the same distribution its mean is 0, so it is often negative.

    Examples
    --------
    >>> human = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> [round(squared_mmd(human + shift, human), 3) for shift in (0, 1, 2, 3)]
    [-0.22, -0.099, 0.206, 0.561]
    """
    check_choice("squared_mmd", "kernel", kernel, ("rbf", "cubic"))
    for name, features in (("own", own), ("human", human)):
        if np.ndim(features) != 2 or len(features) < 2:
            rule = "an array of shape (n, d) with n of at least 2"
            raise bad_parameter("squared_mmd", name, rule, np.shape(features))
    one = [Groups(np.zeros(len(features), dtype=np.intp), 1) for features in (own, human)]
    return _pair_sums(own, human, one[0], one[1], kernel, "human").value


@dataclass(frozen=True)
class _PairSums:
    """Sums of the kernel over pairs of texts, and the pairs, by the groups of both texts.

    Those of own texts, of human ones and of one of each have shape (2, g, h): sums, then
    numbers of pairs.
    """

    parts: tuple[FloatArray, FloatArray, FloatArray]

    @property
    def value(self) -> float:
        own, human, between = (part.sum(axis=(1, 2)) for part in self.parts)
        return float(_mmd(own, human, between))

    @property
    def without_own(self) -> FloatArray:
        """The value without each group of the sample's own texts, shape (g,)."""
        own, human, between = self.parts
        rest = between.sum(axis=(1, 2))[:, None] - between.sum(axis=2)
        return _mmd(_without(own), human.sum(axis=(1, 2)), rest)

    @property
    def without_human(self) -> FloatArray:
        own, human, between = self.parts
        return _PairSums((human, own, between.transpose(0, 2, 1))).without_own

    @property
    def without_both(self) -> FloatArray:
        own, human, between = map(_without, self.parts)
        return _mmd(own, human, between)

    @property
    def between_groups(self) -> "_PairSums":
        """The same over pairs of different groups only."""
        own, human, between = (part * (1 - np.eye(part.shape[1])) for part in self.parts)
        return _PairSums((own, human, between))


def _mmd(own: FloatArray, human: FloatArray, between: FloatArray) -> FloatArray:
    """Return the squared MMD from sums of the kernel and numbers of pairs."""
    return np.asarray(own[0] / own[1] + human[0] / human[1] - 2 * between[0] / between[1])


def _without(sums: FloatArray) -> FloatArray:
    """Return sums over the pairs without a text of a group, for every group."""
    diagonal = sums.diagonal(axis1=1, axis2=2)
    total = sums.sum(axis=(1, 2))[:, None]
    return np.asarray(total - sums.sum(axis=1) - sums.sum(axis=2) + diagonal)


def _pair_sums(
    own: NDArray[Any],
    human: NDArray[Any],
    own_groups: Groups,
    human_groups: Groups,
    kernel: str,
    name: str,
) -> _PairSums:
    x, y = (np.asarray(features, dtype=np.float64) for features in (own, human))
    function: Kernel = cubic
    if kernel == "rbf":
        width = median_distance(y)
        if width == 0:
            raise InvalidParameterError(
                f"mmd needs features that differ between texts. Got the same ones for more than "
                f"half of the pairs of '{name}' instead; choose another embedder."
            )
        # Far from 0, a distance would be a small difference of large numbers.
        x, y = x - y.mean(axis=0), y - y.mean(axis=0)
        function = rbf(width)
    a, b = (_members(groups) for groups in (own_groups, human_groups))
    within = [_sums(z, z, c, c, function, within=True) for z, c in ((x, a), (y, b))]
    return _PairSums((within[0], within[1], _sums(x, y, a, b, function, within=False)))


def _members(groups: Groups) -> FloatArray:
    members = np.zeros((len(groups.labels), groups.count))
    members[np.arange(len(members)), groups.labels] = 1
    return members


def _sums(
    x: FloatArray,
    y: FloatArray,
    x_members: FloatArray,
    y_members: FloatArray,
    kernel: Kernel,
    *,
    within: bool,
) -> FloatArray:
    sums = np.zeros((x_members.shape[1], y_members.shape[1]))
    for start in range(0, len(x), _CHUNK):
        values = kernel(x[start : start + _CHUNK], y)
        if within:  # a text is no pair with itself
            values[np.arange(len(values)), np.arange(start, start + len(values))] = 0
        sums += x_members[start : start + _CHUNK].T @ (values @ y_members)
    pairs = np.outer(x_members.sum(axis=0), y_members.sum(axis=0))
    if within:
        pairs -= np.diag(x_members.sum(axis=0))
    return np.stack([sums, pairs])


def _estimate(own: Side, human: Side) -> Estimate:
    """Estimate the squared MMD; moves are those of the delete-a-group jackknife.

    The kernel stays that of all human texts. Texts that answer the same prompts are not
    independent: only pairs of different groups are counted then, or the value would be too
    low where both samples answer the same prompts, and too high where one repeats them. A
    group is then left out of both samples at once, and its move stands with the own ones.
    """
    assert own.features is not None
    assert human.features is not None
    found = _pair_sums(own.features, human.features, own.groups, human.groups, "rbf", human.name)
    if not own.groups.by_prompt:
        return Estimate(
            found.value, moves_without(found.without_own), moves_without(found.without_human)
        )
    for side in (own, human):
        used = np.count_nonzero(side.groups.sizes)
        if used < 3:
            raise InvalidParameterError(
                f"mmd compares texts of different prompts, of which '{side.name}' must answer "
                f"at least 3. Got {used} instead; use more prompts, or leave 'mmd' out."
            )
    apart = found.between_groups
    moves = moves_without(apart.without_both, own.groups.sizes + human.groups.sizes)
    return Estimate(apart.value, moves, np.zeros_like(moves), by_prompt=True)


MMD = Measure(
    name="mmd",
    title="MMD²",
    summary="unbiased squared distance of kernel means of features",
    direction="lower",
    needs=frozenset({"features"}),
    estimate=_estimate,
    is_statistic=False,
)
