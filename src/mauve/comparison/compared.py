"""What a comparison keeps of its texts, so that it can be explained afterwards."""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import HashArray, IntArray
from mauve.comparison.settings import Settings
from mauve.inference.resampling import LabelledPair
from mauve.quantize.crossfit import JointClustering


@dataclass(frozen=True)
class Compared:
    """The samples of a comparison, human first, and their cells.

    Attributes
    ----------
    sizes : dict from name to int
        Texts of every sample; they lie one after another in all arrays.
    texts : dict from name to list of str, or None
        As they were embedded; None where features were given.
    prompt_keys : array of int, shape (n,), or None
        Hash of the prompt that each text answers.
    clustering : JointClustering
    settings : Settings
    """

    sizes: dict[str, int]
    texts: dict[str, list[str]] | None
    prompt_keys: HashArray | None
    clustering: JointClustering
    settings: Settings

    @property
    def human_name(self) -> str:
        """What the human texts are called."""
        return next(iter(self.sizes))

    def rows_of(self, sample: str) -> IntArray:
        """Return where the texts of a sample lie among all texts."""
        names = list(self.sizes)
        ends = np.cumsum(list(self.sizes.values()))
        i = names.index(sample)
        return np.arange(ends[i] - self.sizes[sample], ends[i])

    def rows(self, system: str) -> IntArray:
        """Return where the human texts and those of a system lie among all texts."""
        return np.concatenate([self.rows_of(self.human_name), self.rows_of(system)])

    def pair(self, system: str) -> LabelledPair:
        """Return the human texts and those of a system with their cells, as they are counted."""
        rows = self.rows(system)
        keys = self.prompt_keys
        pair = LabelledPair(
            labels=self.clustering.labels[:, rows],
            counted=self.clustering.held_out[:, rows],
            is_human=np.arange(len(rows)) < self.sizes[self.human_name],
            blocks=self.clustering.blocks[rows],
            groups=np.arange(len(rows)) if keys is None else numbered(keys[rows]),
            num_buckets=self.settings.num_buckets,
        )
        return pair if self.settings.estimator == "jackknife" else pair.counting_all()


def numbered(keys: HashArray) -> IntArray:
    """Return small numbers from 0, equal for equal keys.

    Examples
    --------
    >>> numbered(np.array([7, 5, 7], dtype=np.uint64)).tolist()
    [1, 0, 1]
    """
    return np.unique(keys, return_inverse=True)[1]
