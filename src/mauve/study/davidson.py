"""Fit the model of Davidson, the Bradley-Terry model with ties as an outcome of their own."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError
from mauve.study.bradley_terry import SCALE, bradley_terry, check_wins
from mauve.study.connected import components
from mauve.study.newton import ascend, centred, laplacian


class DavidsonFit(NamedTuple):
    """Scores and the parameter of ties.

    Attributes
    ----------
    scores : array of float, shape (n,) or (n_draws, n)
        On the scale of :func:`mauve.study.bradley_terry.bradley_terry`, with mean 0.
    tie : array of float, shape () or (n_draws,)
        The parameter ν: two systems of equal scores tie with probability ν / (2 + ν).
    """

    scores: FloatArray
    tie: FloatArray


class _Probabilities(NamedTuple):
    """Probabilities of each pair of systems, each of shape (n_draws, n, n)."""

    win: FloatArray  # that the row beats the column
    tie: FloatArray


def davidson(wins: ArrayLike, ties: ArrayLike, names: Sequence[str] | None = None) -> DavidsonFit:
    r"""Return scores and the parameter of ties.

    Parameters
    ----------
    wins : array_like of float, shape (n, n) or (n_draws, n, n)
        Entry (i, j) is how often system i beat system j.
    ties : array_like of float, of the same shape
        How often they tied; symmetric.
    names : sequence of str, optional
        Names of the systems in messages.

    Raises
    ------
    InvalidParameterError
        If the likelihood has no maximum.

    Notes
    -----
    With :math:`\pi_i = e^{w_i / 100}`, system i beats j with probability
    :math:`\pi_i / (\pi_i + \pi_j + \nu \sqrt{\pi_i \pi_j})`, and they tie with probability
    :math:`\nu \sqrt{\pi_i \pi_j} / (\pi_i + \pi_j + \nu \sqrt{\pi_i \pi_j})`. Where there is no
    tie, ν is 0 and this is the model of Bradley and Terry. The log-likelihood is concave in w
    and log ν, and is maximised by Newton's method.

    A maximum exists if wins and ties together link all systems and some wins run in a circle
    (two systems that each won against the other are one). Without a circle any share of ties
    can be had with differences of scores that grow without bound.

    References
    ----------
    Davidson, On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments, Journal of the American Statistical Association, 1970.

    Examples
    --------
    >>> fit = davidson([[0, 30], [10, 0]], [[0, 20], [20, 0]])
    >>> fit.scores.round(3).tolist(), round(float(fit.tie), 4)  # 20 / sqrt(30 * 10)
    ([54.931, -54.931], 1.1547)
    """
    tied = np.asarray(ties, dtype=float)
    won = np.asarray(wins, dtype=float)
    if tied.shape != won.shape or not np.allclose(tied, tied.swapaxes(-1, -2)):
        raise InvalidParameterError(
            f"'ties' must be symmetric and of the shape of 'wins', {won.shape}. Got an array of "
            f"shape {tied.shape} instead."
        )
    if (tied < 0).any():
        raise InvalidParameterError("'ties' must hold numbers of at least 0. Got some below.")
    check_wins(won + tied, names, "wins and ties")
    stack, tie_stack = (a.reshape(-1, *won.shape[-2:]) for a in (won, tied))
    if not tied.any():
        return DavidsonFit(bradley_terry(won, names), np.zeros(won.shape[:-2]))
    for pattern in np.unique(stack > 0, axis=0):
        labels = components(pattern)
        if len(set(labels.tolist())) == len(labels):
            raise InvalidParameterError(
                "The Davidson model needs two systems that each won against the other, or wins "
                "in a circle. Got none: collect more ratings, or count ties as half a win each."
            )
    if not tie_stack.any(axis=(1, 2)).all():
        raise InvalidParameterError(
            "The Davidson model needs a tie in every draw or in none: give all ties a weight."
        )
    share = tie_stack.sum(axis=(1, 2)) / (2 * stack + tie_stack).sum(axis=(1, 2))
    start = np.zeros((len(stack), won.shape[-1] + 1))
    start[:, -1] = np.log(2 * share / (1 - share))  # log ν if all systems are alike
    parameters = ascend(
        lambda at: _log_likelihood(stack, tie_stack, at),
        lambda at: _newton_step(stack, tie_stack, at),
        start,
        "Davidson",
    )
    return DavidsonFit(
        SCALE * parameters[:, :-1].reshape(won.shape[:-1]),
        np.exp(parameters[:, -1]).reshape(won.shape[:-2]),
    )


def _probabilities(parameters: FloatArray) -> _Probabilities:
    log_odds, log_tie = parameters[:, :-1], parameters[:, -1]
    half = (log_odds[:, :, None] - log_odds[:, None, :]) / 2
    outcomes = np.stack([half, -half, np.broadcast_to(log_tie[:, None, None], half.shape)])
    outcomes = np.exp(outcomes - outcomes.max(axis=0))
    win, _, tie = outcomes / outcomes.sum(axis=0)
    return _Probabilities(win, tie)


def _log_likelihood(wins: FloatArray, ties: FloatArray, parameters: FloatArray) -> FloatArray:
    p = _probabilities(parameters)
    tiny = np.finfo(float).tiny  # of an outcome that did not happen, where 0 * log(0) is 0
    terms = wins * np.log(np.maximum(p.win, tiny)) + ties / 2 * np.log(np.maximum(p.tie, tiny))
    return np.asarray(terms.sum(axis=(1, 2)))


def _newton_step(wins: FloatArray, ties: FloatArray, parameters: FloatArray) -> FloatArray:
    """Return Newton's step of the log odds and of log ν.

    A rating gives a system 1 for a win and 1/2 for a tie; the gradient is what the systems got
    less what they are expected to get, and the curvature its covariance with the ties.
    """
    total = wins + wins.swapaxes(1, 2) + ties
    p = _probabilities(parameters)
    expected = p.win + p.tie / 2
    n = wins.shape[1]
    gradient = np.empty_like(parameters)
    gradient[:, :n] = (wins + ties / 2 - total * expected).sum(axis=2)
    gradient[:, n] = (ties - total * p.tie).sum(axis=(1, 2)) / 2  # each pair stands there twice
    curvature = np.empty((len(wins), n + 1, n + 1))
    curvature[:, :n, :n] = laplacian(total * (p.win + p.tie / 4 - expected**2))
    with_tie = (total * p.tie * (0.5 - expected)).sum(axis=2)
    curvature[:, :n, n] = curvature[:, n, :n] = with_tie
    curvature[:, n, n] = (total * p.tie * (1 - p.tie)).sum(axis=(1, 2)) / 2
    solved = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
    return np.hstack([centred(np.asarray(solved[:, :n], dtype=float)), solved[:, n:]])
