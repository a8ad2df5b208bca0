r"""Compute the Fréchet distance of the Gaussians fitted to the features of two samples.

.. math::

    F = |\mu_1 - \mu_2|^2
        + \operatorname{tr}\left(\Sigma_1 + \Sigma_2 - 2 (\Sigma_1 \Sigma_2)^{1/2}\right)

It depends on the first two moments of the features alone. On finite samples it is biased
upwards, by a multiple of the true distance for models close to human text. :data:`FRECHET` is
the number of the literature; :data:`FRECHET_UNBIASED` removes most of the bias.

References
----------
Heusel, Ramsauer, Unterthiner, Nessler and Hochreiter, *GANs trained by a two time-scale
update rule converge to a local Nash equilibrium*, NeurIPS 2017: for images.

Semeniuta, Severyn and Gelly, *On accurate evaluation of GANs for language generation*,
2018: for text.

Chong and Forsyth, *Effectively unbiased FID and Inception score and where to find them*,
CVPR 2020: extrapolation in 1/n.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import FloatArray
from mauve.errors import UndefinedError
from mauve.measures.estimate import Estimate, group_influences
from mauve.measures.protocol import Measure, MeasuredSample, check_two_samples, needed


@dataclass(frozen=True)
class _Fit:
    """A Gaussian with covariance ``factor.T @ factor``, and the texts it was fitted to.

    Texts are ``mean + sqrt(n - 1) * rows @ factor`` with orthonormal columns of `rows`,
    shape (n, r), and a factor of shape (r, d), r the minimum of n and d. The covariance
    itself is never formed: its square root would lose half of the digits.
    """

    mean: FloatArray
    rows: FloatArray
    factor: FloatArray
    spread: FloatArray  # squared distance of every text to the mean, shape (n,)


def _fit(features: NDArray[Any]) -> _Fit:
    values = np.asarray(features, dtype=np.float64)
    mean = values.mean(axis=0)
    centred = values - mean
    rows, factor = scipy.linalg.qr(centred, mode="economic")
    spread = np.einsum("ij,ij->i", centred, centred)
    return _Fit(mean, rows, factor / np.sqrt(len(values) - 1), spread)


@dataclass(frozen=True)
class _Distance:
    value: float
    influences: tuple[FloatArray, FloatArray]  # of every text of either sample


def _distance(first: _Fit, second: _Fit) -> _Distance:
    shift = first.mean - second.mean
    product = first.factor @ second.factor.T
    left, strengths, right = scipy.linalg.svd(product, full_matrices=False)
    # The shorter factor is rotated onto the longer one. The remaining distance is a sum of
    # squares, so it is not negative and does not suffer from cancellation.
    if len(first.factor) >= len(second.factor):
        residual = first.factor - left @ (right @ second.factor)
    else:
        residual = second.factor - right.T @ (left.T @ first.factor)
    return _Distance(
        float(shift @ shift + np.einsum("ij,ij->", residual, residual)),
        (
            _influences(first, shift, left, strengths),
            _influences(second, -shift, right.T, strengths),
        ),
    )


def _influences(
    fit: _Fit, shift: FloatArray, rotation: FloatArray, strengths: FloatArray
) -> FloatArray:
    """Return the influence of every text on the distance; see Notes of `frechet_distance`."""
    n = len(fit.rows)
    of_mean = 2 * np.sqrt(n - 1) * fit.rows @ (fit.factor @ shift)
    transported = (n - 1) * (fit.rows @ rotation) ** 2 @ strengths
    return np.asarray(of_mean + n / (n - 1) * (fit.spread - transported))


def frechet_distance(system: NDArray[Any], human: NDArray[Any]) -> float:
    r"""Return the squared Fréchet distance of the Gaussians fitted to two samples.

    Parameters
    ----------
    system, human : array of shape (n, d)
        At least two texts each; n may be below d, and columns may be constant.

    Notes
    -----
    With :math:`\Sigma_k = R_k^T R_k` (a QR decomposition of the centred features, divisor
    n - 1) and singular values s of :math:`R_1 R_2^T = U s V^T`,
    :math:`\operatorname{tr} (\Sigma_1 \Sigma_2)^{1/2} = \sum_k s_k`, hence

    .. math:: F = |\mu_1 - \mu_2|^2 + \min_{W^T W = I} \| R_1 - W R_2 \|^2

    with the minimum at :math:`W = U V^T`. No matrix is inverted, so a covariance need not
    have full rank. The influence of a text x of the first sample is, up to a constant,

    .. math::

        2 (\mu_1 - \mu_2) \cdot (x - \mu_1) + \frac{n}{n - 1} (x - \mu_1)^T (I - T) (x - \mu_1)

    with T the map that transports one Gaussian onto the other; in the basis of U,
    :math:`(x - \mu_1)^T T (x - \mu_1) = (n - 1) \sum_k s_k (q \cdot u_k)^2` with q the row of
    Q that belongs to x.

    The expected distance of two samples of n texts each of the same Gaussian is not 0 but about

    .. math::

        \frac2n \left(\operatorname{tr} \Sigma + \frac12 \sum_{ij}
        \frac{\lambda_i \lambda_j (1 + \delta_{ij})}{\lambda_i + \lambda_j}\right)
        \le \frac{d + 5}{2 n} \operatorname{tr} \Sigma

    with eigenvalues :math:`\lambda` of the covariance, for d far below n, with equality if all
    eigenvalues are equal.

    Examples
    --------
    >>> human = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 0.0], [1.0, 2.0]])
    >>> round(frechet_distance(human + [3.0, 4.0], human), 9)  # shifted: the squared shift
    25.0
    >>> round(frechet_distance(human * 3, human), 9)  # |2 μ|² + (3 - 1)² tr Σ = 8 + 4 · 4/3
    13.333333333
    """
    check_two_samples(system, human)
    return _distance(_fit(system), _fit(human)).value


def _plug_in(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    fits = [_fit(needed(sample.features, "features")) for sample in (system, human)]
    distance = _distance(*fits)
    return Estimate(
        distance.value,
        group_influences(distance.influences[0], system.groups),
        group_influences(distance.influences[1], human.groups),
        by_prompt=system.groups.by_prompt,
    )


def extrapolate(values: FloatArray, inverse_sizes: FloatArray) -> float:
    """Extrapolate a statistic linearly in 1/n to samples of infinite size.

    The line goes through the first value and the mean of the others.

    Parameters
    ----------
    values : array of shape (k,)
        The statistic of all texts, then of subsets.
    inverse_sizes : array of shape (k,)
        1/n of each, up to a common factor.

    Examples
    --------
    >>> extrapolate(np.array([3.0, 5.0, 5.0]), np.array([0.1, 0.2, 0.2]))
    1.0
    """
    rise = values[1:].mean() - values[0]
    run = inverse_sizes[1:].mean() - inverse_sizes[0]
    return float(values[0] - rise / run * inverse_sizes[0])


def _unbiased(system: MeasuredSample, human: MeasuredSample) -> Estimate:
    """Extrapolate to infinite samples from the distances of all texts and of both halves.

    Halves are made of the groups of texts, so that texts of one prompt stay together, and
    halves of both samples answer the same prompts. The correction varies little from sample to
    sample, so the influences are those of the plain distance.
    """
    plain = _plug_in(system, human)
    samples = [
        (sample, needed(sample.features, "features"), sample.groups.labels % 2)
        for sample in (system, human)
    ]
    values = [plain.value]
    inverse_sizes = [sum(1 / len(features) for _, features, _ in samples)]
    for half in range(2):
        parts = []
        for sample, features, half_of in samples:
            part = features[half_of == half]
            if len(part) < 2:
                raise UndefinedError(
                    f"frechet-unbiased needs at least 2 texts of '{sample.name}' in each half of "
                    f"the prompts. Got {len(part)} instead; use more prompts, or 'frechet'."
                )
            parts.append(part)
        values.append(_distance(*map(_fit, parts)).value)
        inverse_sizes.append(sum(1 / len(part) for part in parts))
    return replace(plain, value=extrapolate(np.array(values), np.array(inverse_sizes)))


#: The distance as reported in the literature. Its interval is for the biased value, that is, for
#: other samples of this size, and need not cover the true distance.
FRECHET = Measure(
    name="frechet",
    title="Fréchet",
    summary="squared Fréchet distance of Gaussians of features, biased upwards",
    direction="lower",
    needs=frozenset({"features"}),
    estimate=_plug_in,
    is_statistic=False,
    grows_with="texts",
    low=0.0,
)

#: Texts per dimension of the features that the extrapolation needs: the halves must have about
#: as many texts as dimensions, or they have no full covariance.
TEXTS_PER_DIMENSION = 2

#: The distance extrapolated to infinite samples: around 0 for equal distributions, so it may
#: be negative. Below TEXTS_PER_DIMENSION · d texts part of the bias remains.
FRECHET_UNBIASED = Measure(
    name="frechet-unbiased",
    title="Fréchet, unbiased",
    summary="squared Fréchet distance, extrapolated to infinite samples, from 2 d texts on",
    direction="lower",
    needs=frozenset({"features"}),
    estimate=_unbiased,
    is_statistic=False,
)
