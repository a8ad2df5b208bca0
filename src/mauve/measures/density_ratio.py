r"""Compute MAUVE from estimated densities at the texts, without a quantizer.

Given the ratio of the densities p and q at every text, both divergences to the mixture
:math:`R_\lambda = \lambda P + (1-\lambda) Q` are means over texts:

.. math:: KL(P|R_\lambda) = E_P \log \frac{p}{\lambda p + (1-\lambda) q}, \qquad
    KL(Q|R_\lambda) = E_Q \log \frac{q}{\lambda p + (1-\lambda) q}.

References
----------
Pillutla, Liu, Thickstun, Welleck, Swayamdipta, Zellers, Oh, Choi and Harchaoui, *MAUVE scores
for generative models: theory and practice*, JMLR 2023: divergence frontiers from nearest
neighbours.
"""

import numpy as np

from mauve.arrays import FloatArray
from mauve.frontier.divergences import Divergences
from mauve.frontier.score import score_of

SCALING = 5.0  # the constant c of the paper


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
