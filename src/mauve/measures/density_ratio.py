r"""Compute MAUVE from estimated densities at the texts, without a quantizer.

Given the ratio of the densities p and q at every text, both divergences to the mixture
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
    sample: FloatArray,
    reference: FloatArray,
    sample_weight: FloatArray,
    reference_weight: FloatArray,
) -> FloatArray:
    """Return the term of each text in the divergence of its distribution from the mixtures.

    Parameters
    ----------
    sample, reference : array of shape (n,)
        Densities at the texts of a sample, up to a factor for each text: that of the sample's
        distribution, above 0, and that of the other distribution.
    sample_weight, reference_weight : array of shape (n_grid,)
        Weights of both distributions in the mixtures.

    Returns
    -------
    array of shape (n, n_grid)

    Examples
    --------
    >>> half = np.array([0.5])
    >>> log_ratios(np.ones(2), np.array([1.0, 0.0]), half, half).round(4).tolist()
    [[0.0], [0.6931]]
    """
    mixture = sample_weight * sample[:, None] + reference_weight * reference[:, None]
    return np.asarray(np.log(sample[:, None] / mixture))


def score_of_curve(kl_p: FloatArray, kl_q: FloatArray) -> FloatArray:
    """Return MAUVE, shape (...), from divergences on :func:`mauve.frontier.grid.curve_grid`.

    Estimated divergences are made monotone in λ first.

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
    sample : array of shape (n,)
        Density of the distribution of the sample, above 0.
    reference : array of shape (n,)
        Density of the distribution of the other sample.
    groups : Groups
        Groups of the texts.
    """

    sample: FloatArray
    reference: FloatArray
    groups: Groups


def score_of_densities(system: Densities, human: Densities, *, by_prompt: bool = False) -> Estimate:
    r"""Return MAUVE from densities at texts that the densities were not estimated from.

    Parameters
    ----------
    system, human : Densities
        Densities at the texts of either sample.
    by_prompt : bool
        Whether group g of both samples holds the same prompts.

    Notes
    -----
    A divergence is :math:`E_Q f(r)` with :math:`r = p/q`; here
    :math:`f(r) = -\log(\lambda r + 1 - \lambda)`, and the same with P and Q exchanged. It is
    estimated by its variational bound, with means over texts in place of the expectations:

    .. math:: E_Q[f(r) - r f'(r)] + E_P[f'(r)].

    For any estimate of r, the expectation is at most the divergence, and its error is of second
    order in that of r; the error of the mean of f(r) alone would be of first order. The terms
    are also the influences of the texts.

    References
    ----------
    Nguyen, Wainwright and Jordan, *Estimating divergence functionals and the likelihood ratio
    by convex risk minimization*, IEEE Transactions on Information Theory 2010.

    Examples
    --------
    >>> groups = Groups(np.arange(3), 3)
    >>> equal = Densities(np.ones(3), np.ones(3), groups)
    >>> score_of_densities(equal, equal).value
    1.0
    >>> disjoint = Densities(np.ones(3), np.zeros(3), groups)
    >>> round(1 / score_of_densities(disjoint, disjoint).value, 3)  # the smallest score
    252.0
    """
    grid = curve_grid()
    of_human = _bound(human, grid.weight_p, grid.weight_q)
    of_system = _bound(system, grid.weight_q, grid.weight_p)
    kl_p = of_human.sample_mean + of_system.reference_mean
    kl_q = of_system.sample_mean + of_human.reference_mean

    def influences(p_change: FloatArray, q_change: FloatArray) -> FloatArray:
        above = score_of_curve(kl_p + p_change, kl_q + q_change)
        return np.asarray(above - score_of_curve(kl_p - p_change, kl_q - q_change)) / 2

    return Estimate(
        float(score_of_curve(kl_p, kl_q)),
        influences(of_system.reference_influences, of_system.sample_influences),
        influences(of_human.sample_influences, of_human.reference_influences),
        by_prompt,
    )


@dataclass(frozen=True)
class _BoundTerms:
    """Terms of one sample's texts in the variational bounds of both divergences.

    The means, shape (n_grid,), are of f(r) - r f'(r) in the divergence of the sample's own
    distribution, and of f'(r) in that of the other. The influences of the groups on both means
    have shape (n_groups, n_grid).
    """

    sample_mean: FloatArray
    reference_mean: FloatArray
    sample_influences: FloatArray
    reference_influences: FloatArray


def _bound(at: Densities, sample_weight: FloatArray, reference_weight: FloatArray) -> _BoundTerms:
    n_groups, n = at.groups.count, len(at.sample)
    sample_sums, reference_sums = np.zeros((2, n_groups, len(sample_weight)))
    for start in range(0, n, _BLOCK):
        block = slice(start, start + _BLOCK)
        sample, reference = at.sample[block], at.reference[block]
        mixture = sample_weight * sample[:, None] + reference_weight * reference[:, None]
        # The tilt is 0 where both densities are equal, so that equal samples score 1 exactly.
        tilt = (reference - sample)[:, None] / mixture
        member = (np.arange(n_groups)[:, None] == at.groups.labels[block]).astype(float)
        log_ratio = log_ratios(sample, reference, sample_weight, reference_weight)
        sample_sums += member @ (log_ratio + sample_weight * reference_weight * tilt)
        reference_sums -= member @ (sample_weight**2 * tilt)
    scale = np.sqrt(n_groups / max(n_groups - 1, 1)) / n
    sample_mean, reference_mean = (s.sum(axis=0) / n for s in (sample_sums, reference_sums))
    sizes = at.groups.sizes[:, None]
    return _BoundTerms(
        sample_mean,
        reference_mean,
        scale * (sample_sums - sizes * sample_mean),
        scale * (reference_sums - sizes * reference_mean),
    )
