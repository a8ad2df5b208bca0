r"""Test P = Q by permutations, on the features themselves.

Counting texts in buckets hides differences within them. The statistics here are quadratic forms
of the features, each of which sees another kind of difference:

- the margin of a linear classifier: differences along any direction, also one in which texts
  hardly vary;
- the margin of a kernel classifier: the same along curves, with a stronger penalty;
- the maximum mean discrepancy with a Laplace kernel: spread, and rare kinds of text;
- the same with a narrow Gaussian kernel on features of unit length: topics;
- counts of texts in buckets that are learnt without knowing the samples: how often topics are
  written about.

All are computed for the same permutations, and the test combines them: it is exact, and the
largest one tells what kind of difference there is. A margin that leaves out the text it is
computed for differs from these forms by a constant.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from mauve.arrays import BoolArray, FloatArray
from mauve.inference.permutations import ExchangeableUnits
from mauve.inference.quadratic_forms import PooledFeatures, quadratic_forms
from mauve.threads import parallel_map

#: Statistics of the test, in the order of `TwoSampleTest.statistics`.
STATISTICS = (
    "linear classifier",
    "kernel classifier",
    "mean discrepancy (Laplace kernel)",
    "mean discrepancy (narrow Gaussian kernel)",
    "counts in buckets",
)

_BATCH = 64  # permutations drawn at a time
_TAIL = 0.975  # the quantile that is made equal
_SHARPNESS = 2.0  # of the smooth maximum; higher is nearer to the maximum itself
_ROUNDING = 1e-4  # permutations that give the same samples again may differ by less
_CONSTANT = 1e-5  # spread of a statistic, of its mean, that is no more than rounding errors


@dataclass(frozen=True)
class TwoSampleTest:
    """The result of the test of P = Q.

    Attributes
    ----------
    p_value : float
        Exact: if P = Q, it is at most α with a probability of at most α.
    statistics : array of shape (5,)
        Observed statistics, as in :data:`STATISTICS`, on scales on which the permuted ones have a
        median of 0 and 2.5% of them are above 1.96.
    single_p_values : array of shape (5,)
        p-value of the test by each statistic alone; choosing among them is no test.
    """

    p_value: float
    statistics: FloatArray
    single_p_values: FloatArray

    @property
    def largest(self) -> str:
        """Name of the statistic that is farthest from what P = Q gives."""
        return STATISTICS[int(self.statistics.argmax())]


def two_sample_test(pooled: PooledFeatures, n_permutations: int, seed: int) -> TwoSampleTest:
    """Test whether two samples have the same source.

    Parameters
    ----------
    pooled : PooledFeatures
        Texts of a prompt that both samples answer are exchanged with each other alone.
    n_permutations : int
    seed : int
        Random seed.

    Examples
    --------
    >>> from mauve.hashes import feature_hashes
    >>> rng = np.random.default_rng(0)
    >>> human, near, far = (rng.normal(size=(100, 4)) + shift for shift in (0, 0, 1))
    >>> def p_value(system):
    ...     samples = [human, system]
    ...     pooled = PooledFeatures(samples, [feature_hashes(rows) for rows in samples])
    ...     return two_sample_test(pooled, 200, seed=0).p_value
    >>> p_value(near) > 0.05, p_value(far) < 0.01
    (True, True)
    """
    is_human = _permutations(pooled.units, n_permutations, seed)
    values = quadratic_forms(pooled, is_human)
    # The cube root makes quadratic forms nearly normal, so that none has the longest tail.
    values = np.cbrt(np.maximum(values, 0.0))
    comparable = _with_equal_tails(values)
    combined = np.logaddexp.reduce(_SHARPNESS * comparable, axis=0)
    return TwoSampleTest(float(_p_values(combined)), comparable[:, 0], _p_values(comparable))


def _with_equal_tails(values: FloatArray) -> FloatArray:
    """Return statistics, (n_statistics, n_draws), on scales of equal median and upper tail.

    In standard deviations, the statistic with the longest tail would decide what is rare.
    """
    mean, deviation = values.mean(axis=1, keepdims=True), values.std(axis=1, keepdims=True)
    varies = deviation > np.maximum(_CONSTANT * mean, 1e-12)
    median, upper = np.quantile(values, (0.5, _TAIL), axis=1, keepdims=True)
    spread = (upper - median) / scipy.special.ndtri(_TAIL)
    spread = np.where(spread > _CONSTANT * deviation, spread, deviation)  # nearly all are equal
    return np.where(varies, (values - median) / np.where(varies, spread, 1.0), 0.0)


def _p_values(statistics: FloatArray) -> FloatArray:
    """Return the share of draws, the observed one first, that are as large, shape (...)."""
    return np.asarray((statistics >= statistics[..., :1] - _ROUNDING).mean(axis=-1))


def _permutations(units: ExchangeableUnits, n_permutations: int, seed: int) -> BoolArray:
    """Return the actual samples of all units and permutations of them, (n_draws, n_units)."""

    def draw(start: int) -> BoolArray:
        rng = np.random.default_rng([seed, start])
        return units.draw(min(_BATCH, n_permutations - start), rng)

    drawn = parallel_map(draw, range(0, n_permutations, _BATCH))
    return np.concatenate([units.is_human[None], *drawn])
