r"""Divide texts into level sets of a classifier that distinguishes the two samples.

Histograms lose divergence that lies within buckets. Along the likelihood ratio
:math:`p/q` nothing is lost, so level sets of an estimate of it lose least. Any bucket that was
learnt from other texts can only lose divergence: the score is never too low because the
classifier is wrong.
"""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import BoolArray, Features, FloatArray, Labels

#: Weights of the penalty that are tried, as multiples of the mean eigenvalue of the products.
STRENGTHS = tuple(10.0 ** np.arange(-4, 3))

#: Buckets by default: finer ones add noise and hardly show more divergence.
LEVELS = 10

#: Texts per bucket that it is learnt from: a direction takes more texts than centres do.
TEXTS_PER_LEVEL = 20


@dataclass(frozen=True)
class Classifier:
    """A ridge classifier on standardised features, and its level sets.

    The weight of the penalty has the smallest squared error of predictions that leave out the
    text they are made for, which have a closed form. The limits of the level sets are quantiles of
    those predictions.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> features, is_human = rng.normal(size=(200, 5)), np.arange(200) < 100
    >>> features[is_human] += 1
    >>> levels = Classifier().fit_pair(features.astype(np.float32), is_human, 10, rng)
    >>> labels = levels.assign(features.astype(np.float32))
    >>> bool(labels[is_human].mean() > labels[~is_human].mean() + 3)
    True
    """

    default_buckets: int = LEVELS
    texts_per_bucket: int = TEXTS_PER_LEVEL

    @property
    def signature(self) -> str:
        """The settings that two scores must share to be comparable."""
        return "classifier:ridge"

    def fit_pair(
        self, features: Features, is_human: BoolArray, num_buckets: int, rng: np.random.Generator
    ) -> "LevelSets":
        """Learn the classifier from texts of both samples, and `num_buckets` level sets."""
        wide = features.astype(np.float64)
        mean = wide.mean(axis=0)
        wide -= mean
        scale = np.sqrt((wide * wide).mean(axis=0))
        scale[scale <= 1e-9 * np.abs(mean)] = np.inf  # constant features have no effect
        wide /= scale
        # Of both samples alike, so that exchanging them changes the sign alone.
        target = np.where(is_human, 1.0, -1.0)
        target -= target.mean()
        weights, predicted = _ridge(wide, target)
        limits = np.quantile(predicted, np.arange(1, num_buckets) / num_buckets)
        direction = weights / scale
        return LevelSets(direction, float(-mean @ direction), limits)


@dataclass(frozen=True)
class LevelSets:
    """Fitted buckets: the level of a linear function of the features.

    Attributes
    ----------
    weights : array of shape (d,)
    offset : float
    limits : array of shape (k - 1,)
        Between the buckets, in ascending order.
    """

    weights: FloatArray
    offset: float
    limits: FloatArray

    def assign(self, features: Features) -> Labels:
        """Return the bucket of every row of `features`, shape (n, d)."""
        return self.at(features @ self.weights.astype(np.float32) + np.float32(self.offset))

    def at(self, values: Features | FloatArray) -> Labels:
        """Return the bucket of every value of the function, shape (n,)."""
        return np.searchsorted(self.limits, values).astype(np.int32)


def _ridge(features: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return the weights of a ridge regression, and its predictions for texts it leaves out.

    Notes
    -----
    With the products of texts :math:`XX^\top = U W U^\top`, the fitted values are
    :math:`\hat y = U W (W + \alpha)^{-1} U^\top y`, plus the mean, which is fitted too. Leaving
    out a text changes its prediction to :math:`(\hat y_i - h_i y_i) / (1 - h_i)`, where
    :math:`h_i` is the weight of its own target.
    """
    n = len(features)
    values, vectors = np.linalg.eigh(features @ features.T)
    values = np.maximum(values, 0.0)
    rotated = vectors.T @ target
    penalties = np.array(STRENGTHS) * max(float(values.mean()), 1e-12)
    kept = values[:, None] / (values[:, None] + penalties)  # a column for each strength
    own = vectors**2 @ kept + 1 / n
    fitted = vectors @ (kept * rotated[:, None])
    predicted = (fitted - own * target[:, None]) / np.maximum(1 - own, 1e-12)
    best = int(((predicted - target[:, None]) ** 2).mean(axis=0).argmin())
    weights = features.T @ (vectors @ (rotated / (values + penalties[best])))
    return weights, predicted[:, best]
