r"""Densities at texts in, divergences to the mixtures and MAUVE out, without any clusters.

Where something knows the ratio of the densities p and q at every text, both divergences to
:math:`R_\lambda = \lambda P + (1-\lambda) Q` are means over texts:

.. math:: KL(P|R_\lambda) = E_P \log \frac{p}{\lambda p + (1-\lambda) q}, \qquad
    KL(Q|R_\lambda) = E_Q \log \frac{q}{\lambda p + (1-\lambda) q}.

References
----------
Pillutla, Liu, Thickstun, Welleck, Swayamdipta, Zellers, Oh, Choi and Harchaoui, *MAUVE scores
for generative models: theory and practice*, JMLR 2023: divergence frontiers from nearest
neighbours and from classifiers.
"""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import FloatArray
from mauve.frontier.divergences import Divergences
from mauve.frontier.grid import curve_grid
from mauve.frontier.score import score_of
from mauve.measures.estimate import Estimate, Groups

SCALING = 5.0  # the constant c of the paper

_BLOCK = 2048  # texts whose terms at all λ are in memory at once


def log_ratios(
    own: FloatArray, other: FloatArray, weight_own: FloatArray, weight_other: FloatArray
) -> FloatArray:
    """Return what each text adds to the divergence of its own distribution to the mixtures.

    Parameters
    ----------
    own, other : array of shape (n,)
        Densities at the texts, up to a factor for each: that of the distribution a text is
        from, above 0, and that of the other one.
    weight_own, weight_other : array of shape (n_grid,)
        Of both in the mixture.

    Returns
    -------
    array of shape (n, n_grid)

    Examples
    --------
    >>> half = np.array([0.5])
    >>> log_ratios(np.ones(2), np.array([1.0, 0.0]), half, half).round(4).tolist()
    [[0.0], [0.6931]]
    """
    mixture = weight_own * own[:, None] + weight_other * other[:, None]
    return np.asarray(np.log(own[:, None] / mixture))


def score_of_curve(kl_p: FloatArray, kl_q: FloatArray) -> FloatArray:
    """Return MAUVE, shape (...), from divergences on :func:`mauve.frontier.grid.curve_grid`.

    Divergences are made monotone in λ first, as divergences are.

    Examples
    --------
    >>> float(score_of_curve(np.zeros(4), np.zeros(4)))
    1.0
    """
    return score_of(Divergences(kl_p, kl_q, np.zeros_like(kl_p)), SCALING)


@dataclass(frozen=True)
class Densities:
    """Estimated densities at the texts of one sample, up to a factor for each text.

    Attributes
    ----------
    own : array of shape (n,)
        Of the distribution the texts are from, above 0.
    other : array of shape (n,)
        Of the other one.
    groups : Groups
        Of the texts.
    """

    own: FloatArray
    other: FloatArray
    groups: Groups


def score_of_densities(model: Densities, human: Densities, *, by_prompt: bool = False) -> Estimate:
    r"""Return MAUVE of densities that were estimated without the texts they are given at.

    Parameters
    ----------
    model, human : Densities
        At the texts of either sample.
    by_prompt : bool
        Whether groups of both samples are those of the same prompts.

    Notes
    -----
    A divergence is :math:`E_Q f(r)` with :math:`r = p/q`; here
    :math:`f(r) = -\log(\lambda r + 1 - \lambda)`, and the same with P and Q in turn. It is
    estimated by its variational bound, means over texts of

    .. math:: E_Q[f(r) - r f'(r)] + E_P[f'(r)].

    Whatever the estimate of r, the expectation is at most the divergence, and its error is of
    second order in that of r; the mean of f(r) alone would have one of first order. The terms
    are also the influences of the texts, which the moves are made of.

    References
    ----------
    Nguyen, Wainwright and Jordan, *Estimating divergence functionals and the likelihood ratio
    by convex risk minimization*, IEEE Transactions on Information Theory 2010.

    Examples
    --------
    >>> texts = Groups(np.arange(3), 3)
    >>> same = Densities(np.ones(3), np.ones(3), texts)
    >>> score_of_densities(same, same).value
    1.0
    >>> apart = Densities(np.ones(3), np.zeros(3), texts)
    >>> round(1 / score_of_densities(apart, apart).value, 3)  # the least there is
    252.0
    """
    grid = curve_grid()
    own_p, other_q, p_changes, q_tilts = _bound(human, grid.weight_p, grid.weight_q)
    own_q, other_p, q_changes, p_tilts = _bound(model, grid.weight_q, grid.weight_p)
    kl_p, kl_q = own_p + other_p, own_q + other_q

    def moves(p_change: FloatArray, q_change: FloatArray) -> FloatArray:
        ahead = score_of_curve(kl_p + p_change, kl_q + q_change)
        return np.asarray(ahead - score_of_curve(kl_p - p_change, kl_q - q_change)) / 2

    return Estimate(
        float(score_of_curve(kl_p, kl_q)),
        moves(p_tilts, q_changes),
        moves(p_changes, q_tilts),
        by_prompt,
    )


def _bound(
    at: Densities, weight_own: FloatArray, weight_other: FloatArray
) -> tuple[FloatArray, ...]:
    """Return the means over a sample's texts in both divergences, and what its groups add.

    The means, shape (n_grid,), are of f(r) - r f'(r) in the divergence of its own distribution
    and of f'(r) in the other. The errors that the groups add to both have shape
    (n_groups, n_grid).
    """
    count, n = at.groups.count, len(at.own)
    own_sums, other_sums = np.zeros((2, count, len(weight_own)))
    for start in range(0, n, _BLOCK):
        block = slice(start, start + _BLOCK)
        own, other = at.own[block], at.other[block]
        # The tilt is 0 where both densities are equal, so that equal samples score 1 exactly.
        tilt = (other - own)[:, None] / (weight_own * own[:, None] + weight_other * other[:, None])
        member = (np.arange(count)[:, None] == at.groups.labels[block]).astype(float)
        log_ratio = log_ratios(own, other, weight_own, weight_other)
        own_sums += member @ (log_ratio + weight_own * weight_other * tilt)
        other_sums -= member @ (weight_own**2 * tilt)
    scale = np.sqrt(count / max(count - 1, 1)) / n
    means = [sums.sum(axis=0) / n for sums in (own_sums, other_sums)]
    changes = [
        scale * (sums - at.groups.sizes[:, None] * mean)
        for sums, mean in zip((own_sums, other_sums), means, strict=True)
    ]
    return *means, *changes
