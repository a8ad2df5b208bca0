"""What two scores have in common: the human texts, and the prompts."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mauve.inference import covariance

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Influence:
    """What every text adds to the error of a gap, for paired comparisons.

    Attributes
    ----------
    human, model : array of shape (n,)
        Influence of each text on the gap, sorted by content.
    human_prompt, model_prompt : array of int, shape (n,), or None
        Hash of the prompt each text answers; None where texts are independent.
    human_key : int
        A hash of the human texts, or of their features: equal for the same, in whatever order.
    """

    human: Array
    model: Array
    human_prompt: NDArray[np.uint64] | None
    model_prompt: NDArray[np.uint64] | None
    human_key: int

    @classmethod
    def sorted_by_content(
        cls,
        influence: Array,
        is_human: NDArray[np.bool_],
        keys: NDArray[np.uint64],
        prompts: NDArray[np.uint64] | None,
    ) -> "Influence":
        """Bring the influences of all texts into an order that two comparisons share."""
        human, model = (
            rows[np.argsort(keys[rows], kind="stable")]
            for rows in (np.flatnonzero(is_human), np.flatnonzero(~is_human))
        )
        digest = hashlib.blake2b(keys[human].tobytes(), digest_size=8).digest()
        return cls(
            influence[human],
            influence[model],
            None if prompts is None else prompts[human],
            None if prompts is None else prompts[model],
            int.from_bytes(digest, "little"),
        )


def share_of_model(influence: Influence) -> float:
    """Return the share of the variance that the model's texts have."""
    model, human = float((influence.model**2).sum()), float((influence.human**2).sum())
    return model / (model + human) if model + human > 0 else 0.5


def correlation(first: Influence, second: Influence) -> float:
    """Return the correlation of two gaps through the human texts and prompts they share."""
    if first.human_key != second.human_key or len(first.human) != len(second.human):
        return 0.0
    one = np.concatenate([first.human, first.model, np.zeros(len(second.model))])
    two = np.concatenate([second.human, np.zeros(len(first.model)), second.model])
    groups = np.arange(len(one))
    if first.human_prompt is not None and first.model_prompt is not None:
        prompts = np.concatenate([first.human_prompt, first.model_prompt, second.model_prompt])
        groups = np.unique(prompts, return_inverse=True)[1]
    spread = np.sqrt(covariance(one, one, groups) * covariance(two, two, groups))
    if spread == 0:
        return 0.0
    return float(np.clip(covariance(one, two, groups) / spread, -1.0, 1.0))
