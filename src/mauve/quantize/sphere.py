"""The integral points of a sphere, and the one nearest to a direction."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import Labels

#: Squared radius of the sphere of the MAUVE paper, and the dimension of the space it is in.
SQUARED_RADIUS, DIMENSION = 50, 4

_CHUNK = 1024  # directions whose products with all points are held at once


@cache
def integral_points() -> NDArray[np.int8]:
    """Return all u in Z^4 with |u|² = 50 in lexicographic order, shape (744, 4).

    Notes
    -----
    50 is a sum of four squares in five ways, up to order and sign: 7²+1², 6²+3²+2²+1²,
    5²+5², 5²+4²+3² and 4²+4²+3²+3². With orders and signs these are 48 + 384 + 24 + 192 +
    96 = 744 points, as Jacobi's theorem says: 24 times the sum of the odd divisors of 50.

    Examples
    --------
    >>> points = integral_points()
    >>> points.shape, points[0].tolist(), points[-1].tolist()
    ((744, 4), [-7, -1, 0, 0], [7, 1, 0, 0])
    """
    largest = int(SQUARED_RADIUS**0.5)
    line = np.arange(-largest, largest + 1, dtype=np.int8)
    grid = np.stack(np.meshgrid(*[line] * DIMENSION, indexing="ij"), axis=-1)
    grid = grid.reshape(-1, DIMENSION)
    points: NDArray[np.int8] = grid[np.square(grid, dtype=np.int64).sum(axis=1) == SQUARED_RADIUS]
    points.setflags(write=False)  # shared by every caller
    return points


def nearest_points(directions: NDArray[np.floating]) -> Labels:
    """Return the integral point nearest to each direction, as its row number.

    Parameters
    ----------
    directions : array of float, shape (n, 4)
        Of any length: only where they point to matters.

    Returns
    -------
    labels : array of int32, shape (n,)
        Rows of :func:`integral_points`; of several equally near points the first.

    Notes
    -----
    All points have the same length r, so argmin |x/|x| - u/r| = argmax x·u. The products
    of single precision numbers with u, and their sums, are exact in double precision
    (unless one coordinate is 2^26 times another), so a tie is a tie and not a matter of
    rounding.

    Examples
    --------
    >>> label = nearest_points(np.array([[0.1, 0.9, 0.0, 0.0]]))
    >>> integral_points()[label].tolist()  # no lattice point is on an axis
    [[1, 7, 0, 0]]
    """
    columns = integral_points().T.astype(np.float64)
    labels = np.empty(len(directions), dtype=np.int32)
    for start in range(0, len(directions), _CHUNK):
        part = directions[start : start + _CHUNK].astype(np.float64)
        labels[start : start + _CHUNK] = (part @ columns).argmax(axis=1)
    return labels
