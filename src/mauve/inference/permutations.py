"""Re-assign texts to the two samples at random, as if P = Q."""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import BoolArray, IntArray


@dataclass(frozen=True)
class ExchangeableUnits:
    """Texts that change samples together if P = Q, and in exchange for which.

    Attributes
    ----------
    unit : array of int, shape (n,)
        The unit of every text; all its texts are of one sample.
    is_human : array of bool, shape (n_units,)
        The actual sample of each unit.
    strata : array of int, shape (n_units,)
        Units with the same number are exchangeable.
    """

    unit: IntArray
    is_human: BoolArray
    strata: IntArray

    @classmethod
    def of(cls, is_human: BoolArray, groups: IntArray, blocks: IntArray) -> "ExchangeableUnits":
        """Find the units.

        Texts of a prompt that both samples answer change places with each other. Texts of a
        prompt that one sample answers alone are not independent, so they move together, in
        exchange for another such prompt of the same block and number of texts.

        Parameters
        ----------
        is_human : array of bool, shape (n,)
            The actual samples.
        groups : array of int, shape (n,)
            Texts of one group answer one prompt.
        blocks : array of int, shape (n,)
            Texts are exchanged within a block only.

        Examples
        --------
        >>> is_human = np.array([True, True, False, False])
        >>> units = ExchangeableUnits.of(is_human, np.array([0, 0, 1, 1]), np.zeros(4, np.int64))
        >>> units.unit.tolist(), units.is_human.tolist()
        ([0, 0, 1, 1], [True, False])
        """
        n, n_groups = len(groups), int(groups.max()) + 1
        n_human = np.bincount(groups, weights=is_human, minlength=n_groups)
        size = np.bincount(groups, minlength=n_groups)
        in_both = ((n_human > 0) & (n_human < size))[groups]
        units = np.where(in_both, n_groups + np.arange(n), groups)
        _, first, unit = np.unique(units, return_index=True, return_inverse=True)
        by_size = n_groups + size[groups] * (int(blocks.max()) + 1) + blocks
        return cls(unit, is_human[first], np.where(in_both, groups, by_size)[first])

    def draw(self, n_draws: int, rng: np.random.Generator) -> BoolArray:
        """Re-assign the units at random.

        Returns
        -------
        array of bool, shape (n_draws, n_units)
            True for human.

        Examples
        --------
        >>> is_human, blocks = np.array([True, True, False, False]), np.zeros(4, np.int64)
        >>> units = ExchangeableUnits.of(is_human, np.arange(4), blocks)
        >>> units.draw(3, np.random.default_rng(0)).sum(axis=1).tolist()
        [2, 2, 2]
        """
        order = np.argsort(self.strata, kind="stable")
        ends = np.flatnonzero(np.diff(self.strata[order], append=-1)) + 1
        starts = np.concatenate([[0], ends[:-1]])
        drawn = np.repeat(self.is_human[order][None], n_draws, axis=0)
        of_two = starts[ends - starts == 2]  # strata of two units: one swap each, all at once
        swap = rng.random((n_draws, len(of_two))) < 0.5
        swap &= drawn[:, of_two] != drawn[:, of_two + 1]
        drawn[:, of_two] ^= swap
        drawn[:, of_two + 1] ^= swap
        for start, end in zip(starts, ends, strict=True):
            if end - start > 2:
                drawn[:, start:end] = rng.permuted(drawn[:, start:end], axis=1)
        of_units = np.empty_like(drawn)
        of_units[:, order] = drawn
        return of_units

    def draw_texts(self, n_draws: int, rng: np.random.Generator) -> BoolArray:
        """Re-assign the units at random; return the sample of every text, shape (n_draws, n)."""
        return np.ascontiguousarray(self.draw(n_draws, rng)[:, self.unit])


def bundled(is_human: BoolArray, most: int) -> IntArray:
    """Return groups of texts that are permuted together, as many as `most` for a sample.

    A test by permutation is as exact with bundles of texts as with texts, if the texts are in
    random order, and as powerful if there are many bundles; its time does not grow with n.

    Parameters
    ----------
    is_human : array of bool, shape (n,)
        Texts in random order.
    most : int
        Bundles of the smaller sample at the most.

    Examples
    --------
    >>> bundled(np.array([True, False, True, False, True, False]), 2).tolist()
    [0, 3, 1, 4, 2, 5]
    >>> bundled(np.array([True, False, True, False, True, True]), 1).tolist()
    [0, 2, 0, 2, 1, 1]
    """
    n_human = int(is_human.sum())
    size = max(1, min(n_human, len(is_human) - n_human) // most)
    n_bundles = -(-n_human // size)
    rank = np.where(is_human, np.cumsum(is_human), np.cumsum(~is_human)) - 1
    return np.asarray(rank // size + np.where(is_human, 0, n_bundles))
