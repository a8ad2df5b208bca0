"""Keep the samples of a comparison and their buckets, so that it can be explained later."""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import BoolArray, HashArray, IntArray, Labels
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.inference.resampling import LabelledPair
from mauve.quantize.registry import BucketPlan


@dataclass(frozen=True)
class Compared:
    """The samples of a comparison and their buckets.

    Attributes
    ----------
    samples : Samples
        Human text and systems; arrays hold them one after another.
    settings : Settings
    plans : dict from str to BucketPlan
        How the texts of each system were divided into buckets.
    pairs : dict from str to LabelledPair
        Buckets of the human texts and of each system, and which texts are counted.
    """

    samples: Samples
    settings: Settings
    plans: dict[str, BucketPlan]
    pairs: dict[str, LabelledPair]

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
        return pair_rows(self.samples, system)


def labelled_pair(
    samples: Samples,
    system: str,
    labels: Labels,
    counted: BoolArray,
    num_buckets: int,
    blocks: IntArray | None = None,
) -> LabelledPair:
    """Return the human texts and those of a system with their buckets.

    Parameters
    ----------
    samples : Samples
    system : str
    labels, counted : array of shape (n_clusterings, n_human + n_model)
        Bucket of every text, human first, and which texts each clustering counts.
    num_buckets : int
        Number of buckets k.
    blocks : array of int, shape (n_human + n_model,), optional
        Texts are exchangeable within a block only; by default there is one.
    """
    n, prompts = labels.shape[1], samples.prompt_hashes
    rows = pair_rows(samples, system)
    return LabelledPair(
        labels=labels,
        counted=counted,
        is_human=np.arange(n) < samples.sizes[samples.human_name],
        blocks=np.zeros(n, dtype=np.int64) if blocks is None else blocks,
        groups=np.arange(n) if prompts is None else number_groups(prompts[rows]),
        num_buckets=num_buckets,
    )


def pair_rows(samples: Samples, system: str) -> IntArray:
    """Return the positions of the human texts and of a system's among all texts."""
    return np.concatenate([samples.rows_of(samples.human_name), samples.rows_of(system)])


def number_groups(hashes: HashArray) -> IntArray:
    """Return the number of each group of equal hashes, from 0.

    Examples
    --------
    >>> number_groups(np.array([7, 5, 7], dtype=np.uint64)).tolist()
    [1, 0, 1]
    """
    return np.unique(hashes, return_inverse=True)[1]
