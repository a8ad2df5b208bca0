"""Keep the samples of a comparison and their buckets, so that it can be explained later."""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import HashArray, IntArray
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.inference.resampling import LabelledPair
from mauve.quantize.crossfit import JointClustering


@dataclass(frozen=True)
class Compared:
    """The samples of a comparison and their buckets.

    Attributes
    ----------
    samples : Samples
        Human text and systems; arrays hold them one after another.
    clustering : JointClustering
        Buckets of all texts; it can assign other texts too.
    settings : Settings
    """

    samples: Samples
    clustering: JointClustering
    settings: Settings

    @property
    def sizes(self) -> dict[str, int]:
        """Number of texts of every sample, human first."""
        return self.samples.sizes

    @property
    def texts(self) -> dict[str, list[str]] | None:
        """Texts as they were embedded; None if features were passed."""
        return self.samples.texts

    @property
    def prompt_hashes(self) -> HashArray | None:
        """Hash of the prompt that each text answers; None without prompts."""
        return self.samples.prompt_hashes

    @property
    def human_name(self) -> str:
        """Name of the human sample."""
        return self.samples.human_name

    def rows_of(self, sample: str) -> IntArray:
        """Return the positions of a sample's texts among all texts."""
        return self.samples.rows_of(sample)

    def rows(self, system: str) -> IntArray:
        """Return the positions of the human texts and of a system's among all texts."""
        return np.concatenate([self.rows_of(self.human_name), self.rows_of(system)])

    def pair(self, system: str) -> LabelledPair:
        """Return the buckets of the human texts and of a system's, and which are counted."""
        rows = self.rows(system)
        prompts = self.prompt_hashes
        pair = LabelledPair(
            labels=self.clustering.labels[:, rows],
            counted=self.clustering.held_out[:, rows],
            is_human=np.arange(len(rows)) < self.sizes[self.human_name],
            blocks=self.clustering.blocks[rows],
            groups=np.arange(len(rows)) if prompts is None else number_groups(prompts[rows]),
            num_buckets=self.settings.num_buckets,
        )
        return pair if self.settings.estimator == "jackknife" else pair.counting_all()


def number_groups(hashes: HashArray) -> IntArray:
    """Return the number of each group of equal hashes, from 0.

    Examples
    --------
    >>> number_groups(np.array([7, 5, 7], dtype=np.uint64)).tolist()
    [1, 0, 1]
    """
    return np.unique(hashes, return_inverse=True)[1]
