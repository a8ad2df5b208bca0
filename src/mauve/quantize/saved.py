"""The quantizer of a saved comparison, by its signature alone."""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import Features
from mauve.errors import MauveError
from mauve.quantize.protocol import Partition


@dataclass(frozen=True)
class SavedQuantizer:
    """A quantizer that was used and is not in the file.

    Attributes
    ----------
    signature : str
    num_buckets : int or None
        Number of buckets that it always makes.

    Examples
    --------
    >>> SavedQuantizer("slices", None).fit(np.zeros((3, 2), np.float32), 2, None)
    Traceback (most recent call last):
    mauve.errors.MauveError: The quantizer 'slices' of a saved comparison cannot be fitted again: \
pass a quantizer to compare.
    """

    signature: str
    num_buckets: int | None

    def fit(self, features: Features, num_buckets: int, rng: np.random.Generator) -> Partition:
        """Raise: what fits the buckets is not saved."""
        raise MauveError(
            f"The quantizer '{self.signature}' of a saved comparison cannot be fitted again: pass "
            "a quantizer to compare."
        )
