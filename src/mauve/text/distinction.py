r"""How well a property of texts tells two samples apart, out of sample.

The *distinction* of a property is the share of the variance of "which sample is this text from"
that the property explains, with both samples weighted equally: 0 if it is distributed alike in
both, 1 if it tells every text's sample. Each half of the texts is judged by what the other half
shows, so that a property of no use has a distinction around 0 or below, however fine it is.
"""

import numpy as np

from mauve.arrays import BoolArray, FloatArray, HashArray
from mauve.hashes import scramble_hashes
from mauve.text.chance import fisher, smirnov

_N_EDGES = 7  # quantiles that divide the values of a number
_PRIOR = 2.0  # texts of the prior in each part, half of either sample
_FOLD_SEED = 15


def halves(hashes: HashArray) -> BoolArray:
    """Return which texts are in the first half, by keys of their contents or hashes of prompts.

    Copies of one text need different keys: :func:`mauve.hashes.text_keys`.

    Examples
    --------
    >>> half = halves(np.arange(1000, dtype=np.uint64))
    >>> bool(abs(half.mean() - 0.5) < 0.05)
    True
    """
    return np.asarray(scramble_hashes(hashes, _FOLD_SEED) % np.uint64(2) == 0)


def crossfit(values: FloatArray, is_model: BoolArray, in_first: BoolArray) -> FloatArray:
    """Return the probability that each text is the system's by one property, shape (n,).

    Parameters
    ----------
    values : array of shape (n,)
        Of the property; NaN where it is not defined.
    is_model : array of bool, shape (n,)
        Whether a text is the system's.
    in_first : array of bool, shape (n,)
        Halves of the texts. The probabilities of one are learnt from the other.

    Notes
    -----
    Values are divided at seven quantiles of the half that is learnt from; a value that many texts
    have, such as a length that all were cut to, is a part of its own. The probability is the
    share of the system's texts in the part, with a prior of one text of either sample.

    Examples
    --------
    >>> is_model = np.arange(400) >= 200
    >>> p = crossfit(is_model * 1.0, is_model, np.arange(400) % 2 == 0)
    >>> p.round(2).min(), p.round(2).max()
    (np.float64(0.01), np.float64(0.99))
    """
    probability = np.full(len(values), 0.5)
    for learnt in (in_first, ~in_first):
        n_human, n_model = (learnt & ~is_model).sum(), (learnt & is_model).sum()
        if not n_human or not n_model:
            continue
        known = values[learnt & ~np.isnan(values)]
        if not len(known):
            continue
        edges = np.unique(np.quantile(known, np.linspace(0, 1, _N_EDGES + 2)))
        # Values equal to an edge are between the two, so odd parts hold one value each.
        part = np.searchsorted(edges, values, "left") + np.searchsorted(edges, values, "right")
        part[np.isnan(values)] = 2 * len(edges) + 1
        size = 2 * len(edges) + 2
        human = np.bincount(part[learnt & ~is_model], minlength=size) / n_human
        model = np.bincount(part[learnt & is_model], minlength=size) / n_model
        prior = _PRIOR / 2 / min(n_human, n_model)
        of_part = (model + prior) / (human + model + 2 * prior)
        probability[~learnt] = of_part[part[~learnt]]
    return probability


def balanced_weights(is_model: BoolArray) -> FloatArray:
    """Return weights of texts that add up to one half for either sample."""
    n_model = int(is_model.sum())
    return np.where(is_model, 0.5 / n_model, 0.5 / (len(is_model) - n_model))


def distinction(probability: FloatArray, is_model: BoolArray) -> float:
    """Return the share of the variance of the sample that the probabilities explain.

    Examples
    --------
    >>> is_model = np.array([False, False, True, True])
    >>> perfect, useless = is_model * 1.0, np.full(4, 0.5)
    >>> distinction(perfect, is_model), distinction(useless, is_model)
    (1.0, 0.0)
    """
    errors = balanced_weights(is_model) @ (is_model - probability) ** 2
    return float(1 - 4 * errors)


def difference_p_value(
    values: FloatArray, is_model: BoolArray, groups: HashArray | None = None
) -> float:
    r"""Return the p-value of the test that a property is distributed alike in two samples.

    Parameters
    ----------
    values : array of shape (n,)
        Values 0 and 1 are tested by Fisher's exact test, others by Smirnov's; NaN is a value
        below all others.
    is_model : array of bool, shape (n,)
    groups : array of int, shape (n,), optional
        Texts with the same number answer one prompt, and are not independent. Means of the
        ranks, and of their distances from the middle, are then compared with standard errors
        that allow for it.

    Examples
    --------
    >>> is_model = np.arange(100) >= 50
    >>> difference_p_value(is_model * 1.0, is_model) < 1e-6
    True
    """
    distinct, ranks = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return 1.0
    human, model = ranks[~is_model], ranks[is_model]
    if groups is None:
        if len(distinct) == 2:
            return fisher(int(human.sum()), len(human), int(model.sum()), len(model))
        return smirnov(human, model)
    # Middle ranks, from 0 to 1.
    counts = np.bincount(ranks)
    middle = ((np.cumsum(counts) - counts / 2) / len(values))[ranks]
    if len(distinct) == 2:
        return _clustered(middle, is_model, groups)
    both = (_clustered(of, is_model, groups) for of in (middle, np.abs(middle - 0.5)))
    return min(1.0, 2 * min(both))


def _clustered(values: FloatArray, is_model: BoolArray, groups: HashArray) -> float:
    """Return the p-value of equal means, where texts of one group are not independent."""
    from scipy.special import ndtr

    signs = np.where(is_model, 1 / is_model.sum(), -1 / (~is_model).sum())
    means = np.where(is_model, values[is_model].mean(), values[~is_model].mean())
    _, group = np.unique(groups, return_inverse=True)
    sums = np.bincount(group, weights=signs * (values - means))
    error = np.sqrt(sums @ sums)
    difference = abs(float(signs @ values))
    if error < 1e-12:
        return 0.0 if difference > 1e-12 else 1.0
    return float(2 * ndtr(-difference / error))


def false_discovery_rate(p_values: FloatArray) -> FloatArray:
    """Return p-values adjusted by the method of Benjamini and Hochberg (1995).

    Examples
    --------
    >>> false_discovery_rate(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    n = len(p_values)
    order = np.argsort(p_values)
    scaled = p_values[order] * n / np.arange(1, n + 1)
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted
