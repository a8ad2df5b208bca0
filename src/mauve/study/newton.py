"""Maximise concave likelihoods by Newton's method, those of many draws at once."""

from collections.abc import Callable

import numpy as np

from mauve.arrays import FloatArray
from mauve.errors import ConvergenceError

_TOLERANCE = 1e-9  # of the log odds
_ITERATIONS = 200
_HALVINGS = 40


def ascend(
    likelihood: Callable[[FloatArray], FloatArray],
    step: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    model: str,
) -> FloatArray:
    """Return the parameters of highest likelihood.

    Steps are halved until they do not lower the likelihood, so that any start will do.

    Parameters
    ----------
    likelihood : function
        Log-likelihoods, shape (n_draws,), of parameters.
    step : function
        Newton's steps from parameters, of their shape.
    start : array of float, shape (n_draws, n_parameters)
    model : str
        What messages call it.

    Examples
    --------
    >>> ascend(lambda x: -np.cosh(x[:, 0] - 3), lambda x: np.tanh(3 - x), np.zeros((1, 1)), "cosh")
    array([[3.]])
    """
    at, value = start, likelihood(start)
    for _ in range(_ITERATIONS):
        full = step(at)
        if np.abs(full).max() < _TOLERANCE:
            return at + full
        size = np.ones((len(at), 1))
        for _ in range(_HALVINGS):
            new = at + size * full
            new_value = likelihood(new)
            # Near the maximum all that is left of a gain is rounding.
            worse = ~(new_value >= value - 1e-12 * np.abs(value))
            if not worse.any():
                break
            size[worse] /= 2
        at, value = new, new_value
    raise ConvergenceError(
        f"The {model} model did not converge in {_ITERATIONS} steps: few ratings link some of the "
        "systems to the others. Collect more ratings of these pairs, or leave out systems."
    )


def centred(parameters: FloatArray) -> FloatArray:
    """Return scores less the mean of each draw.

    Examples
    --------
    >>> centred(np.array([[1.0, 3.0]])).tolist()
    [[-1.0, 1.0]]
    """
    return np.asarray(parameters - parameters.mean(axis=1, keepdims=True))


def laplacian(weights: FloatArray) -> FloatArray:
    """Return the Laplacian of symmetric weights, made invertible in the direction of the mean.

    Raising all scores alike changes no likelihood. That direction gets a curvature of its own,
    of like size as the others.

    Parameters
    ----------
    weights : array of float, shape (n_draws, n, n)
        With zeros on the diagonal.

    Examples
    --------
    >>> laplacian(np.array([[[0.0, 2.0], [2.0, 0.0]]]))[0].tolist()
    [[3.0, -1.0], [-1.0, 3.0]]
    """
    n = weights.shape[1]
    degrees = weights.sum(axis=2, keepdims=True)
    mean_degree = degrees.sum(axis=(1, 2))[:, None, None] / n**2
    return np.asarray(np.eye(n) * degrees - weights + mean_degree)
