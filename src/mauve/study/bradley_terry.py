"""Fit the Bradley-Terry model to wins, by Zermelo's algorithm, on the scale of the paper."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.errors import InvalidParameterError
from mauve.study.connected import check_connected
from mauve.study.newton import ascend, centred, laplacian

#: A difference of scores of this size is one unit of the log odds (paper, appendix E).
SCALE: Final = 100.0

_ITERATIONS = 200  # of Zermelo's algorithm; wins that link systems well need about 30
_SMALL = 1e-4  # of the log odds


def bradley_terry(wins: ArrayLike, names: Sequence[str] | None = None) -> FloatArray:
    r"""Return the Bradley-Terry scores of systems.

    Parameters
    ----------
    wins : array_like of float, shape (n, n) or (n_draws, n, n)
        Entry (i, j) is how often system i beat system j; weighted counts need not be whole.
        A stack of such arrays is fitted together, as the draws of a bootstrap are.
    names : sequence of str, optional
        Names of the systems in messages; by default their positions.

    Returns
    -------
    array of float, shape (n,) or (n_draws, n)
        Scores with mean 0.

    Raises
    ------
    InvalidParameterError
        If the wins do not link all systems, so that there is no maximum; it names the groups.
    ConvergenceError
        If the maximum was not reached.

    Notes
    -----
    In the model, i beats j with probability :math:`1 / (1 + e^{-(w_i - w_j) / 100})`. Each
    iteration computes (paper, appendix E, with :math:`\tilde w = w / 100`)

    .. math:: u_i = \log \sum_{j \ne i} N_{ij} - \log \sum_{j \ne i}
              \frac{N_{ij} + N_{ji}}{e^{\tilde w_i} + e^{\tilde w_j}}

    and subtracts the mean. Its steps shrink slowly where few wins link groups of systems, and
    a small step is then no sign that the maximum is near. So the last digits come from Newton's
    method, whose step is about as long as the way to the maximum.

    References
    ----------
    Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> scores = bradley_terry([[0, 30], [10, 0]])  # odds of 3 to 1
    >>> np.round(scores, 3).tolist(), round(50 * float(np.log(3)), 3)
    ([54.931, -54.931], 54.931)
    """
    counts = check_wins(wins, names)
    stack = counts.reshape(-1, *counts.shape[-2:])
    log_odds = ascend(
        lambda scores: _log_likelihood(stack, scores),
        lambda scores: _newton_step(stack, scores),
        _zermelo(stack),
        "Bradley-Terry",
    )
    return SCALE * log_odds.reshape(counts.shape[:-1])


def _zermelo(wins: FloatArray) -> FloatArray:
    """Return log odds near the maximum by the iteration of the paper."""
    won = np.log(wins.sum(axis=2))
    total = wins + wins.swapaxes(1, 2)
    log_odds = np.zeros(wins.shape[:2])
    for _ in range(_ITERATIONS):
        odds = np.exp(log_odds)
        before = log_odds
        lost = (total / (odds[:, :, None] + odds[:, None, :])).sum(axis=2)
        log_odds = centred(won - np.log(lost))
        if np.abs(log_odds - before).max() < _SMALL:
            break
    return log_odds


def win_probability(difference: ArrayLike) -> FloatArray:
    """Return the probability that a system beats another, from the difference of their scores.

    Examples
    --------
    >>> round(float(win_probability(47.251 - 15.664)), 3)  # human text and GPT-2 xl in the paper
    0.578
    """
    # As tanh, which does not overflow.
    return np.asarray(0.5 + 0.5 * np.tanh(np.asarray(difference, dtype=float) / (2 * SCALE)))


def check_wins(wins: ArrayLike, names: Sequence[str] | None, what: str = "wins") -> FloatArray:
    """Return wins as an array, or raise unless the model can be fitted to them."""
    counts = np.asarray(wins, dtype=float)
    n = counts.shape[-1] if counts.ndim else 0
    if counts.ndim not in (2, 3) or counts.shape[-2] != n or n < 2 or not counts.size:
        raise InvalidParameterError(
            "'wins' must have a row and a column for each of at least two systems. Got an array "
            f"of shape {counts.shape} instead."
        )
    diagonal = np.diagonal(counts, axis1=-2, axis2=-1)
    if not (np.isfinite(counts).all() and (counts >= 0).all() and (diagonal == 0).all()):
        raise InvalidParameterError(
            "'wins' must hold finite numbers of at least 0, and 0 on the diagonal: no system "
            "beats itself."
        )
    names = [str(i) for i in range(n)] if names is None else names
    for pattern in np.unique((counts > 0).reshape(-1, n, n), axis=0):
        check_connected(pattern.astype(float), names, what)
    return counts


def _log_likelihood(wins: FloatArray, log_odds: FloatArray) -> FloatArray:
    """Return the log-likelihood of each draw (paper, appendix E)."""
    differences = log_odds[:, :, None] - log_odds[:, None, :]
    return np.asarray(-(wins * np.logaddexp(0, -differences)).sum(axis=(1, 2)))


def _newton_step(wins: FloatArray, log_odds: FloatArray) -> FloatArray:
    total = wins + wins.swapaxes(1, 2)
    p = win_probability(SCALE * (log_odds[:, :, None] - log_odds[:, None, :]))
    gradient = (wins - total * p).sum(axis=2)
    curvature = laplacian(total * p * (1 - p))
    return centred(np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0])
