"""Quantify the uncertainty of human scores: reweight annotators or items, and refit."""

from collections.abc import Callable

import numpy as np
import scipy

from mauve.arrays import FloatArray, IntArray
from mauve.calls import option
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.study.wins import Preferences

#: What is drawn again: ratings of one annotator, or of one item, are not independent.
RESAMPLE = ("annotators", "items", "both")

_BATCH = 100  # draws at a time: memory does not grow with their number


def bootstrap_draws(
    preferences: Preferences,
    fit: Callable[[FloatArray | None], FloatArray],
    *,
    resample: str,
    n_draws: int,
    seed: int,
) -> FloatArray:
    """Return scores of reweighted ratings, spread about the scores as their error is.

    Parameters
    ----------
    preferences : Preferences
    fit : function
        From weights of the ratings, shape (n, n_draws), to scores, shape (n_draws, n_systems);
        from None to the scores of all ratings, shape (n_systems,).
    resample : {"annotators", "items", "both"}
    n_draws : int
    seed : int

    Returns
    -------
    array of float, shape (n_draws, n_systems)

    Notes
    -----
    Every annotator (or item) gets a weight from the exponential distribution, which all of
    their ratings share: the Bayesian bootstrap of clusters. No weight is 0, so wins link all
    systems in every draw if they do so in the ratings; the ordinary bootstrap would drop
    annotators, and with them the scores of systems that only they saw win.

    The weights of G clusters spread a mean with the variance of the ratings over G + 1, where
    its error has that over G - 1 (both relative to the variance with denominator G): draws are
    stretched about the scores by the root of (G + 1) / (G - 1). If a few clusters hold most
    ratings they count for fewer: G is the effective number of :func:`effective_clusters`.

    With "both", the covariance is that of the draws over annotators, plus that over items, less
    that over single ratings, which both contain (Cameron, Gelbach and Miller, 2011); the draws
    returned are normal with it.

    References
    ----------
    Rubin, The Bayesian bootstrap, Annals of Statistics, 1981. Cameron, Gelbach and Miller,
    Robust inference with multiway clustering, Journal of Business & Economic Statistics, 2011.

    Examples
    --------
    >>> prefer = Preferences(("a", "b"), *np.array([[0] * 4, [1] * 4, [1, 1, -1, 0], [0] * 4]),
    ...                      annotator=np.arange(4), item=np.arange(4))
    >>> def share(weights):  # of wins
    ...     wins = prefer.wins("half", weights)
    ...     return wins[..., 0, 1, None] / (wins[..., 0, 1, None] + wins[..., 1, 0, None])
    >>> draws = bootstrap_draws(prefer, share, resample="items", n_draws=2000, seed=0)
    >>> round(float(draws.std()), 2)  # of the values 1, 1, 0, 1/2 over the root of 4
    0.24
    """
    clusters = _clusters(preferences, resample)
    rng = np.random.default_rng(seed)
    scores = fit(None)

    def drawn(labels: IntArray) -> FloatArray:
        return _draws_over(labels, scores, fit, n_draws, rng)

    if len(clusters) == 1:
        return drawn(clusters[0])
    single = np.arange(len(preferences))
    covariance = sum(np.cov(drawn(labels), rowvar=False) for labels in clusters)
    covariance -= np.cov(drawn(single), rowvar=False)
    values, vectors = np.linalg.eigh(np.atleast_2d(covariance))
    root = vectors * np.sqrt(np.maximum(values, 0))  # the mean of all scores has no variance
    return np.asarray(scores + rng.normal(size=(n_draws, len(scores))) @ root.T)


def _draws_over(
    labels: IntArray,
    scores: FloatArray,
    fit: Callable[[FloatArray | None], FloatArray],
    n_draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return scores of ratings with a weight for each label, stretched about the scores."""
    draws = np.empty((n_draws, len(scores)))
    for start in range(0, n_draws, _BATCH):
        n_batch = min(_BATCH, n_draws - start)
        weights = rng.exponential(size=(int(labels.max()) + 1, n_batch))
        draws[start : start + n_batch] = fit(weights[labels])
    n = _effective(labels)
    return np.asarray(scores + (draws - scores) * np.sqrt((n + 1) / (n - 1)))


def n_clusters(preferences: Preferences, resample: str) -> int:
    """Return how many annotators or items there are; of both, the smaller number."""
    return min(len(np.unique(labels)) for labels in _clusters(preferences, resample))


def effective_clusters(preferences: Preferences, resample: str) -> float:
    """Return how many clusters of equal size would tell as much (Kish, 1965), at least 2.

    Of clusters of sizes m it is the square of the sum of m over the sum of squares of m.

    Examples
    --------
    >>> prefer = Preferences(("a", "b"), *np.zeros((4, 5), dtype=int),
    ...                      annotator=np.array([0, 0, 0, 1, 2]), item=np.arange(5))
    >>> effective_clusters(prefer, "items"), round(effective_clusters(prefer, "annotators"), 2)
    (5.0, 2.27)
    """
    return min(map(_effective, _clusters(preferences, resample)))


def _effective(labels: IntArray) -> float:
    sizes = np.bincount(labels).astype(float)
    return max(2.0, float(sizes.sum() ** 2 / (sizes**2).sum()))


def intervals(
    scores: FloatArray, draws: FloatArray, *, confidence: float, n_clusters: float
) -> FloatArray:
    """Return confidence intervals of scores.

    Parameters
    ----------
    scores : array of float, shape (...)
    draws : array of float, shape (n_draws, ...)
        From :func:`bootstrap_draws`.
    confidence : float
    n_clusters : float
        Effective number of annotators or items behind the draws.

    Returns
    -------
    array of float, shape (..., 2)
        Quantiles of the draws, stretched about the scores by the ratio of the quantile of
        Student's t with one degree of freedom less than there are clusters to that of the
        normal distribution.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(4000, 1))
    >>> intervals(np.zeros(1), draws, confidence=0.95, n_clusters=10).round(1).tolist()
    [[-2.2, 2.3]]
    """
    tail = (1 - confidence) / 2
    # The functions of scipy.special are those of scipy.stats, without half a second to load.
    t = scipy.special.stdtrit(n_clusters - 1, 1 - tail)
    stretch = t / scipy.special.ndtri(1 - tail)
    ends = np.moveaxis(np.quantile(draws, [tail, 1 - tail], axis=0), 0, -1)
    return np.asarray(scores[..., None] + stretch * (ends - scores[..., None]))


def _clusters(preferences: Preferences, resample: str) -> list[IntArray]:
    if resample not in RESAMPLE:
        raise bad_parameter("resample", f"one of {', '.join(map(repr, RESAMPLE))}", resample)
    kinds = {"annotators": preferences.annotator, "items": preferences.item}
    chosen = [*kinds] if resample == "both" else [resample]
    for kind in chosen:
        if len(np.unique(kinds[kind])) < 2:
            other = "items" if kind == "annotators" else "annotators"
            raise InvalidParameterError(
                f"Intervals need ratings of at least two {kind}. Got one: pass "
                f"{option('resample', other)}."
            )
    return [kinds[kind] for kind in chosen]
